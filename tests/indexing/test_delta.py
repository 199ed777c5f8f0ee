import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memories import Stored, entry, stored

from indexing import chapters
from indexing.build import build_index
from indexing.delta import lay_over
from indexing.settings import SCORERS, Settings
from indexing.stores import generations, local
from indexing.stores.local import LocalStore
from retrieval import Query
from retrieval.memory import Memory
from retrieval.tiers import tiers

PARTS = tiers(Settings())
WORDS = ("alpha", "beta", "gamma", "delta", "omega", "sigma")
TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z", "2026-03-01T00:00:00Z", "")
IDS = [f"id-{n}" for n in range(12)]


def told(id, seed, op="add"):
    """A record that adds an entry: all have as many words, so that their mean stays."""
    draw = random.Random(seed)
    files = [f"src/{draw.choice(WORDS)}.py" for _ in range(2)]
    entry = {
        "kind": "failure",
        "title": " ".join(draw.choices(WORDS, k=3)),
        "body": " ".join(draw.choices(WORDS, k=4)),
        "labels": [draw.choice(WORDS)],
        "files": files if files[0] != files[1] else [files[0], "src/other.py"],
        "raw": f"Error: {draw.choice(WORDS)} is {draw.choice(WORDS)}",
        "tool": "npm",
        "captured_at": draw.choice(TIMES),
        "lesson": {"fix": draw.choice(("", "turn it off", "turn it on"))},
    }
    return {"v": 1, "op": op, "id": id, "at": "2026-01-01T00:00:00Z", "entry": entry}


ID = st.sampled_from(IDS)
NEW = st.integers(0, 999)
RECORDS = st.one_of(
    st.builds(told, ID, NEW),
    st.builds(
        lambda id, n, what: {
            "v": 1,
            "op": "outcome",
            "id": f"o-{n % 9}",
            "at": f"2026-04-01T00:00:{n % 60:02}Z",
            "entry_id": id,
            "outcome": what,
            "loop": f"l-{n % 3}",
        },
        ID,
        NEW,
        st.sampled_from(["helped", "harmed", "shown", "applied"]),
    ),
    st.builds(
        lambda id, n: {
            "v": 1,
            "op": "found",
            "id": f"f-{n % 9}",
            "at": "2026-04-01T00:00:00Z",
            "entry_id": id,
            "loop": f"l-{n % 3}",
            "outcome": "helped",
        },
        ID,
        NEW,
    ),
    st.builds(
        lambda op, one, other, n: {
            "v": 1,
            "op": op,
            "id": f"d-{n % 9}",
            "at": f"2026-05-01T00:00:{n % 60:02}Z",
            "into": one,
            "from": other,
            "a": one,
            "b": other,
            "entry_id": one,
            "undoes": f"d-{n % 5}",
        },
        st.sampled_from(["merge", "split", "archive", "restore", "undo"]),
        ID,
        ID,
        NEW,
    ),
    st.just({"v": 1, "op": "loop", "id": "loop", "at": "2026-01-01T00:00:00Z"}),
)


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@pytest.fixture(autouse=True)
def reads_stored(monkeypatch):
    known = chapters.reader_of
    monkeypatch.setattr(
        chapters, "reader_of", lambda path: Stored() if Stored().accepts(path) else known(path)
    )


def memory_of(folder, records=()):
    """A memory of two journals and a file of another format."""
    memory = folder / "memory"
    write(memory / "a" / "journal.jsonl", [told(f"a-{n}", n) for n in range(20)])
    write(memory / "b" / "journal.jsonl", records)
    of_another_format = [
        entry(
            id,
            "alpha beta gamma",
            "Error: omega is odd",
            body="beta beta delta sigma",
            labels=("alpha",),
            files=("src/alpha.py", "src/beta.py"),
        )
        for id in IDS[-4:]
    ]
    stored(memory / "c.stored", of_another_format)
    return memory


def built(memory, index):
    return build_index([memory], index, PARTS, root=memory)


def laid(memory, index):
    return lay_over([memory], index, PARTS, root=memory)


QUERIES = [
    *(
        Query(title=f"{one} {other}", files=[f"src/{one}.py"])
        for one in WORDS
        for other in WORDS[:2]
    ),
    Query(title="alpha", body="beta beta unheard", labels=["omega"]),
    Query(files=["src/alpha.py", "src/beta.py"]),
    *(
        Query(log=f"npm ERR! x\nError: {one} is {other}\n", tool="npm")
        for one in WORDS
        for other in WORDS
    ),
]


def answers(index, **settings):
    """Everything that can be asked of an index."""
    memories = [
        Memory(index, Settings(scorer=scorer, min_score=1, **settings)) for scorer in SCORERS
    ]
    return [memory.lookup(query, 6) for memory in memories for query in QUERIES]


def rows(index):
    store = LocalStore.open(index)
    entries = [store.entry(row) for row in range(len(store))]
    by_id = {entry.id: store.named(entry.id) for entry in entries}
    signed = {
        entry.signature.sig_sha: store.signed(entry.signature.sig_sha)
        for entry in entries
        if entry.signature
    }
    return entries, by_id, signed, store.beginning("")


def same_as_a_rebuild(memory, index, folder):
    again = folder / "again"
    built(memory, again)
    assert rows(index) == rows(again)
    assert answers(index) == answers(again)
    assert answers(index, max_entries=7) == answers(again, max_entries=7)
    assert local.verify(index) == []


@settings(max_examples=40)
@given(
    first=st.lists(RECORDS, max_size=12),
    batches=st.lists(st.lists(RECORDS, max_size=6), min_size=1, max_size=3),
)
def test_any_records_in_any_split_answer_as_a_rebuild(tmp_path_factory, first, batches):
    folder = tmp_path_factory.mktemp("delta")
    memory, index = memory_of(folder, first), folder / "index"
    built(memory, index)
    for batch in batches:
        write(memory / "b" / "journal.jsonl", batch)
        if laid(memory, index) is None:
            built(memory, index)
        same_as_a_rebuild(memory, index, folder)


def test_a_record_that_is_appended_is_laid_over_the_base(tmp_path):
    memory, index = memory_of(tmp_path), tmp_path / "index"
    base = built(memory, index).generation
    write(memory / "b" / "journal.jsonl", [told("new", 7)])

    report = laid(memory, index)

    assert report is not None
    assert report.entries == 25
    assert generations.base_of(index, report.generation) == base
    assert LocalStore.open(index).named("new")
    same_as_a_rebuild(memory, index, tmp_path)
