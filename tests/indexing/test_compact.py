import json
import multiprocessing
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing import compact as module
from indexing.build import build_index
from indexing.compact import compact
from indexing.entry import Entry
from indexing.errors import MemError
from indexing.journal import append, append_record
from indexing.stores.local import LocalStore

ADD = {
    "v": 1,
    "op": "add",
    "id": "a",
    "at": "2026-01-01T00:00:00Z",
    "entry": {"kind": "failure", "title": "a title"},
}


def outcome(id="o", entry_id="a", what="helped", loop="l", at="2026-01-02T00:00:00Z", **more):
    told = {"v": 1, "op": "outcome", "id": id, "at": at, "entry_id": entry_id}
    return {**told, "outcome": what, "loop": loop, **more}


def line(record):
    return json.dumps(record).encode() + b"\n"


FEW = st.sampled_from(["a", "b", " a"])
LINES = st.one_of(
    st.builds(
        lambda id, n: line({**ADD, "id": id, "entry": {**ADD["entry"], "body": n}}), FEW, FEW
    ),
    st.builds(
        lambda id, entry_id, what, loop, at, who: line(
            outcome(f"o{id}", entry_id, what, loop, f"2026-01-0{at}T00:00:00Z", who=who)
        ),
        st.integers(0, 9),
        FEW,
        st.sampled_from(["helped", "harmed", "shown", "unused"]),
        st.sampled_from(["", "one", "two"]),
        st.integers(1, 3),
        st.sampled_from(["", "me"]),
    ),
    st.builds(
        lambda id, entry_id: line(
            {**outcome(f"f{id}", entry_id, "helped", "one"), "op": "found", "note": "x"}
        ),
        st.integers(0, 3),
        FEW,
    ),
    st.builds(
        lambda op, id, entry_id: line(
            {**ADD, "op": op, "id": f"d{id}", "entry_id": entry_id, "undoes": "d1"}
        ),
        st.sampled_from(["archive", "restore", "undo"]),
        st.integers(0, 3),
        FEW,
    ),
    st.sampled_from(
        [b"\n", b"  \n", b"no json\n", b"{}\n", line(ADD).rstrip() + line(outcome("o1"))]
    ),
)


def entries(journal, folder):
    build_index([journal], folder, [])
    store = LocalStore.open(folder)
    found = map(store.entry, range(len(store)))
    return [entry._replace(source=entry.source._replace(locator="")) for entry in found]


@settings(max_examples=150)
@given(st.lists(LINES, max_size=14))
def test_the_index_of_what_is_left_is_that_of_the_whole(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("compact")
    journal = folder / "journal.jsonl"
    journal.write_bytes(line(ADD) + b"".join(lines))
    expected = entries(journal, folder / "index")

    done = compact(journal)

    assert entries(journal, folder / "index") == expected
    assert done.size == journal.stat().st_size
    assert done.lines - done.dropped == len(journal.read_bytes().splitlines())
    assert compact(journal).dropped == 0


@pytest.mark.parametrize(
    "later",
    [
        [outcome("3", "b"), outcome("3", at="2026-01-03T00:00:00Z")],
        [outcome("3", at="2026-01-03T00:00:00Z", v=2)],
        [outcome("3", at="2026-01-03T00:00:00Z", v=True)],
        [outcome("3", at="2026-99-03T00:00:00Z")],
    ],
)
def test_an_outcome_stays_when_the_later_one_does_not_count(tmp_path, later):
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(b"".join(map(line, [ADD, outcome("1"), *later])))

    assert compact(journal).dropped == 0

    [entry] = entries(journal, tmp_path / "index")
    assert (entry.evidence.helped, entry.evidence.last) == (1, "2026-01-02T00:00:00Z")


def test_a_journal_that_is_not_there_yet_has_no_lines(tmp_path):
    assert compact(tmp_path / "journal.jsonl") == (0, 0, 0, 0)
    assert not (tmp_path / "journal.jsonl").exists()


def test_what_is_said_twice_is_dropped_and_nothing_else(tmp_path):
    journal = tmp_path / "journal.jsonl"
    corrected = {**ADD, "entry": {**ADD["entry"], "title": "another"}}
    records = [
        *(ADD, ADD, corrected, outcome("1"), outcome("2", at="2026-01-03T00:00:00Z")),
        *(outcome("3", loop=""), outcome("4", loop=""), outcome("2", at="2026-01-03T00:00:00Z")),
        *(outcome("5", what="harmed"), outcome("6", who="me"), outcome("7", more="x")),
    ]
    journal.write_bytes(b"\n".join(line(record) for record in records))

    assert compact(journal, dry_run=True).dropped == 13
    assert compact(journal).dropped == 13
    left = [json.loads(each) for each in journal.read_bytes().splitlines()]
    assert left == [records[at] for at in (0, 2, 4, 5, 6, 8, 9, 10)]


def test_a_fault_at_any_step_leaves_the_old_journal_or_the_new_one(tmp_path, monkeypatch):
    journal = tmp_path / "journal.jsonl"
    old, new = line(ADD) * 2, line(ADD)
    seen = []
    for step in range(1, 50):
        journal.write_bytes(old)
        calls = 0

        def failing(call, step=step):
            def wrapper(*args, **kwargs):
                nonlocal calls
                calls += 1
                if calls == step:
                    raise OSError(28, "No space left on device")
                return call(*args, **kwargs)

            return wrapper

        with monkeypatch.context() as patch:
            for name in ("fsync", "replace", "chmod", "rename"):
                patch.setattr(os, name, failing(getattr(os, name)))
            try:
                compact(journal)
            except MemError as error:
                assert "No space left" in str(error)
        seen.append(journal.read_bytes())
        assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".new") == []
        if calls < step:
            break
    assert seen[0] == old
    assert seen[-1] == new
    assert set(seen) == {old, new}


def test_what_is_written_without_the_lock_is_not_lost(tmp_path, monkeypatch):
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(line(ADD) * 2)
    survey = module._Survey

    def overtaken(path):
        found = survey(path)
        with path.open("ab") as file:
            file.write(line(outcome()))
        return found

    monkeypatch.setattr(module, "_Survey", overtaken)
    with pytest.raises(MemError, match="without its lock meanwhile; try again"):
        compact(journal)

    assert journal.read_bytes() == line(ADD) * 2 + line(outcome())


def appending(journal, count):
    for number in range(count):
        append(journal, Entry("", "note", f"{os.getpid()} {number}"))


def test_nothing_that_is_appended_meanwhile_is_lost(tmp_path):
    journal = tmp_path / "journal.jsonl"
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=appending, args=(journal, 40)) for _ in range(3)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        if journal.exists():
            append_record(journal, ADD)  # it stands twice
            compact(journal, 60)
    for writer in writers:
        writer.join()

    lines = filter(None, journal.read_bytes().splitlines())
    titles = {json.loads(each)["entry"]["title"] for each in lines}
    assert len(titles - {"a title"}) == 120
