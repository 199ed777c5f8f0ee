import os
import shutil
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memories import fixed, journal, tree

from indexing import shelf
from indexing.build import build_index
from indexing.entry import Entry
from indexing.journal import Outcome, append_outcome, append_record
from indexing.readers.journal import Journal
from indexing.settings import Settings
from indexing.stores import generations
from retrieval.tiers import tiers

LONG_AGO = 1_700_000_000


@pytest.fixture(autouse=True)
def every_file_is_kept(monkeypatch):
    monkeypatch.setattr(shelf, "WORTH", 0)


@pytest.fixture
def memory(tmp_path):
    folder = tmp_path / "memory"
    journal(folder / "a.jsonl", [fixed("a", "Error: one", "mend it"), fixed("b", "Error: two")])
    journal(folder / "b.jsonl", [fixed("a", "Error: one"), fixed("c", "Error: \ud800 three")])
    append_outcome(folder / "b.jsonl", Outcome("b", "helped"))
    append_outcome(folder / "b.jsonl", Outcome("nobody", "helped"))
    with (folder / "b.jsonl").open("a") as file:
        file.write('{"v":1,"op":"add","id":"torn')
    for path in folder.iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))
    return folder


@pytest.fixture
def index(tmp_path):
    return tmp_path / "index"


@pytest.fixture
def read(monkeypatch):
    """The names of the files that are read from now on."""
    names = []
    given = Journal.whole

    def noted(self, path, source):
        names.append(path.name)
        return given(self, path, source)

    monkeypatch.setattr(Journal, "whole", noted)
    return names


def built(memory, index, **options):
    return build_index(
        [memory], index, tiers(Settings()), Settings(), root=memory.parent, **options
    )


def generation(index):
    return tree(index / generations.current(index))


def kept(index):
    return sorted(path for path in (index / ".chapters").iterdir())


def test_what_has_not_changed_is_not_read_again_and_gives_the_same(memory, index, read):
    first = built(memory, index)
    whole = generation(index)
    assert read == ["a.jsonl", "b.jsonl"]
    (memory / "a.jsonl").chmod(0)

    assert built(memory, index) == first
    assert generation(index) == whole
    assert read == ["a.jsonl", "b.jsonl"]


def test_decisions_are_kept_with_their_file(memory, index, read):
    decision = {"v": 1, "op": "archive", "id": "D1", "at": "2026-01-01T00:00:00Z"}
    append_record(memory / "b.jsonl", {**decision, "entry_id": "b"})
    os.utime(memory / "b.jsonl", (LONG_AGO, LONG_AGO))
    first = built(memory, index)
    assert b'["b",' not in generation(index)["rows.jsonl"]
    read.clear()

    assert built(memory, index) == first
    assert b'["b",' not in generation(index)["rows.jsonl"]
    assert read == []


def test_what_lines_speak_of_is_kept_with_their_file(memory, index, read):
    (memory / "b.jsonl").write_bytes((memory / "a.jsonl").read_bytes() * 2)
    os.utime(memory / "b.jsonl", (LONG_AGO, LONG_AGO))
    built(memory, index)
    whole = generation(index)
    assert len(whole["lines.keys"]) == 4 * 6
    read.clear()

    built(memory, index)
    assert read == []
    assert generation(index) == whole

    (kept(index)[0] / "spoken").write_bytes(b"")
    built(memory, index)
    assert len(read) == 1
    assert generation(index) == whole


def test_only_what_has_changed_is_read(memory, index, read):
    built(memory, index)
    journal(memory / "b.jsonl", [fixed("d", "Error: four")])
    journal(memory / "new.jsonl", [fixed("e", "Error: five")])
    read.clear()

    report = built(memory, index)

    assert read == ["b.jsonl", "new.jsonl"]
    shutil.rmtree(index)
    assert built(memory, index) == report


def test_a_file_that_was_touched_is_known_by_its_bytes(memory, index, read):
    built(memory, index)
    os.utime(memory / "a.jsonl", (LONG_AGO + 5, LONG_AGO + 5))
    read.clear()

    built(memory, index)

    assert read == []


def test_a_file_changed_within_the_tick_of_its_clock_is_noticed(memory, index):
    path = memory / "a.jsonl"
    now = time.time_ns() + 60_000_000_000  # however long it takes until it is read
    os.utime(path, ns=(now, now))
    status = path.stat()
    built(memory, index)
    path.write_bytes(path.read_bytes().replace(b"mend it", b"mend me"))
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))

    report = built(memory, index)

    found = generation(index)["rows.jsonl"]
    assert b"mend me" in found
    assert b"mend it" not in found
    assert report.entries == 3


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"{}"),
    ],
)
@pytest.mark.parametrize("name", ["chapter.json", "rows", "offsets", "lexical.text.0.words"])
def test_what_is_damaged_is_read_anew(memory, index, name, spoil):
    first = built(memory, index)
    whole = generation(index)
    for place in kept(index):
        spoil(place / name)

    assert built(memory, index) == first
    assert generation(index) == whole


def test_another_program_reads_everything_anew(memory, index, read, monkeypatch):
    built(memory, index)
    read.clear()
    of = shelf.shelf_of
    monkeypatch.setattr(
        "indexing.build.shelf_of", lambda *given: of(*given)._replace(program="another")
    )

    built(memory, index)

    assert read == ["a.jsonl", "b.jsonl"]


def test_other_words_read_everything_anew(memory, index, read):
    built(memory, index)
    read.clear()
    plain = Settings(tokens="plain")

    build_index([memory], index, tiers(plain), plain, root=memory.parent)

    assert read == ["a.jsonl", "b.jsonl"]


def test_what_is_gone_is_not_kept(memory, index):
    built(memory, index)
    assert len(kept(index)) == 2
    (memory / "b.jsonl").unlink()

    built(memory, index)

    assert len(kept(index)) == 1


def test_a_disk_that_keeps_nothing_costs_only_time(memory, index, monkeypatch):
    expected = built(memory, index)
    whole = generation(index)
    shutil.rmtree(index)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)

    assert built(memory, index) == expected
    assert generation(index) == whole
    assert kept(index) == []


def test_a_file_that_was_not_read_to_its_end_is_not_kept(memory, index, monkeypatch):
    class Failing:
        def read(self):
            yield Entry("x", "note", "title")
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "whole", lambda *_: Failing())
        assert len(built(memory, index).skipped) == 2

    assert built(memory, index).entries == 3


def test_small_files_are_not_kept(memory, index, monkeypatch):
    monkeypatch.setattr(shelf, "WORTH", 1 << 20)

    built(memory, index)

    assert not (index / ".chapters").exists()


IDS = st.sampled_from("abcde")
CHANGES = st.one_of(
    st.tuples(
        st.just("add"), st.sampled_from("xyz"), IDS, st.sampled_from(["one", "two", "three"])
    ),
    st.tuples(
        st.just("outcome"), st.sampled_from("xyz"), IDS, st.sampled_from(["helped", "harmed"])
    ),
    st.tuples(st.just("cut"), st.sampled_from("xyz"), st.integers(0, 400), st.none()),
    st.tuples(st.just("delete"), st.sampled_from("xyz"), st.none(), st.none()),
    st.tuples(st.just("build"), st.none(), st.none(), st.none()),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(CHANGES, min_size=1, max_size=14))
def test_any_changes_in_any_split_give_what_a_rebuild_gives(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("changes")
    memory, index, fresh = folder / "memory", folder / "index", folder / "fresh"
    journal(memory / "base.jsonl", [fixed("base", "Error: base")])
    built(memory, index)
    for what, name, one, other in changes:
        path = memory / f"{name}.jsonl"
        if what == "add":
            journal(path, [fixed(one, f"Error: {other}", other)])
        elif what == "outcome":
            append_outcome(path, Outcome(one, other))
        elif what == "cut" and path.exists():
            path.write_bytes(path.read_bytes()[:one])
        elif what == "delete":
            path.unlink(missing_ok=True)
        elif what == "build":
            built(memory, index)

    report = built(memory, index)

    assert report == built(memory, fresh)
    assert generation(index) == generation(fresh)
