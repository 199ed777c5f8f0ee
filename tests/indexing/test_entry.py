import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.entry import Entry, Evidence, Lesson, Source, path_of
from indexing.signature import sign

WHOLE = Entry(
    id="01K6W8HP003Q2TWPV82X493DNA",
    kind="failure",
    title="Error: one",
    body="more of it",
    labels=("ci",),
    files=("src/a.ts",),
    signature=sign("Error: one", "npm", ("at two",))._replace(context={"exit_code": 1}),
    lesson=Lesson(worked=("this",), failed=("that",), fix="mend it", steps=("a", "b")),
    evidence=Evidence(seen=3, helped=2, last="2026-03-04T10:22:31Z"),
    captured_at="2026-03-04T10:22:31Z",
    source=Source("journal", "journal.jsonl", "line 1"),
    extra={"owner": "web"},
)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("src/a.py", "src/a.py"),
        (" ./src//a.py ", "src/a.py"),
        ("src\\b\\..\\a.py", "src/a.py"),
        ("../a.py", "../a.py"),
        ("/abs//a.py", "/abs/a.py"),
        ("//abs/a.py", "/abs/a.py"),
        ("src/", "src"),
        ("", ""),
        (" ", ""),
        ("./", ""),
        ("/", "/"),
    ],
)
def test_a_path_has_one_spelling(written, path):
    assert path_of(written) == path
    assert path_of(path) == path


def test_an_entry_comes_back_whole_from_json():
    told = json.loads(json.dumps(WHOLE.as_dict()))

    assert Entry.from_dict(told) == WHOLE


def test_unknown_files_do_not_come_back_as_none():
    unknown, none = WHOLE._replace(files=None), WHOLE._replace(files=())

    assert Entry.from_dict(unknown.as_dict()).files is None
    assert Entry.from_dict(none.as_dict()).files == ()


texts = st.text(max_size=20)
lists = st.lists(texts, max_size=3).map(tuple)


@given(st.builds(Lesson, lists, lists, lists, texts, texts, lists, texts), lists, st.none() | lists)
def test_any_texts_come_back(lesson, labels, files):
    entry = WHOLE._replace(lesson=lesson, labels=labels, files=files)

    assert Entry.from_dict(json.loads(json.dumps(entry.as_dict()))) == entry
