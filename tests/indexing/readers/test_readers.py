import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.entry import KINDS, Entry
from indexing.errors import UnreadableMemory
from indexing.readers import READERS, memory_files, reader_of
from indexing.readers.interface import Credit, Quarantined

MEMORY = Path(__file__).resolve().parents[3] / "fixtures" / "memory"
FILES = [path for path in memory_files(MEMORY) if path.suffix != ".md"]


def made(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")


def names(folder):
    return [path.relative_to(folder).as_posix() for path in memory_files(folder)]


def test_a_folder_is_walked_in_order_of_names(tmp_path):
    made(tmp_path, "b/z.json", "b/a.json", "a.json", ".shipwright/x.json", ".aiwg/ralph/y.json")

    assert names(tmp_path) == [
        "a.json",
        ".aiwg/ralph/y.json",
        ".shipwright/x.json",
        "b/a.json",
        "b/z.json",
    ]


def test_what_is_no_memory_is_passed_over(tmp_path):
    made(
        tmp_path,
        ".git/failures.json",
        "node_modules/x/failures.json",
        ".venv/failures.json",
        ".mem/index/g-1/rows.json",
        ".mem/journal.jsonl",
        ".mem/journal.jsonl.lock",
        "failures.json.lock",
        "failures.json.tmp",
        "failures.json~",
        ".failures.json.swp",
        ".hidden.json",
        "elsewhere/g-2/rows.json",
        "index/failures.json",
    )
    (tmp_path / "elsewhere" / "CURRENT").write_text("g-2\n", encoding="utf-8")

    assert names(tmp_path) == [".mem/journal.jsonl", "index/failures.json"]


def test_what_is_no_plain_file_is_given_so_that_it_is_not_passed_over_in_silence(tmp_path):
    made(tmp_path, "real.json")
    os.mkfifo(tmp_path / "pipe.json")
    os.mkfifo(tmp_path / ".hidden.json")
    (tmp_path / "dangling.json").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path)

    assert names(tmp_path) == ["dangling.json", "loop", "pipe.json", "real.json"]


def test_no_reader_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "failures.json")
    os.mkfifo(tmp_path / "team.jsonl")

    assert reader_of(tmp_path / "failures.json") is None
    assert reader_of(tmp_path / "team.jsonl") is None


def test_a_pipe_for_a_pointer_makes_no_index_of_a_folder(tmp_path):
    made(tmp_path, "notes/a.json")
    os.mkfifo(tmp_path / "notes" / "CURRENT")

    assert names(tmp_path) == ["notes/CURRENT", "notes/a.json"]


def test_a_file_is_itself_whatever_its_name(tmp_path):
    made(tmp_path, ".hidden.json")
    path = tmp_path / ".hidden.json"

    assert list(memory_files(path)) == [path]


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(UnreadableMemory, match="gone: is not there"):
        list(memory_files(tmp_path / "gone"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableMemory, match="is a named pipe; correct the path"):
        list(memory_files(tmp_path / "pipe"))


def test_a_folder_that_cannot_be_listed_is_given_itself(tmp_path, monkeypatch):
    made(tmp_path, "a.json", "closed/b.json")
    scan = os.scandir

    def refusing(path):
        if os.fspath(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)

    assert names(tmp_path) == ["a.json", "closed"]
    assert reader_of(tmp_path / "closed") is None


def test_a_file_that_nobody_knows_has_no_reader(tmp_path):
    made(tmp_path, "package.json")

    assert reader_of(tmp_path / "package.json") is None
    assert reader_of(tmp_path / "gone.json") is None


def test_readers_have_names_of_their_own():
    assert [reader.name for reader in READERS] == ["journal", "shipwright", "aiwg"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(MEMORY).as_posix())
def test_every_memory_file_of_the_fixtures_is_read(path):
    reader = reader_of(path)
    assert reader is not None

    found = list(reader.read(path, path.name))

    entries = [each for each in found if isinstance(each, Entry)]
    assert entries or path.name == "metrics.json"
    assert len({entry.id for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.kind in KINDS
        assert entry.id
        assert entry.title
        assert "\n" not in entry.title
        assert len(entry.title) <= 120 or reader.name == "journal"
        assert entry.source.system == reader.name
        assert entry.source.locator
        assert entry.trust == "clean"
    assert list(reader.read(path, path.name)) == found


ODD = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["2026-01-01", "✓ ok", "\ud800", "0 failed", "(a+)+$", "\x1b[31m"])
)
VALUES = st.recursive(
    ODD,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value, path=()):
    """Every place in a JSON value, as the keys that lead there."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


def replaced(value, path, by):
    if not path:
        return by
    copied = value.copy()
    copied[path[0]] = replaced(value[path[0]], path[1:], by)
    return copied


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(MEMORY).as_posix())
@given(st.integers(0, 2**32), VALUES)
def test_whatever_stands_anywhere_costs_a_record_or_is_told(tmp_path_factory, path, seed, value):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        document = json.loads(text)
        place = random.Random(seed).choice(list(places(document)))
        text = json.dumps(replaced(document, place, value))
    else:
        at = seed % len(text)
        text = text[:at] + json.dumps(value) + text[at + seed % 7 :]
    damaged = tmp_path_factory.mktemp("memory") / path.name
    damaged.write_text(text, encoding="utf-8")

    try:
        found = list(reader_of(path).read(damaged, path.name))
    except UnreadableMemory as error:
        assert str(error).startswith(str(damaged))
        assert "\n" not in str(error)
        return
    for each in found:
        assert isinstance(each, Entry | Quarantined | Credit)
        if isinstance(each, Entry):
            json.dumps(each.as_dict(), ensure_ascii=False, allow_nan=False).encode()
