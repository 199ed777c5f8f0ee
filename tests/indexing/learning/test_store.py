"""Patterns in the journal: idempotent, counted by loop, by several learners at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from indexing.entry import Entry
from indexing.learning.extract import found_in
from indexing.learning.loop import Attempt, Loop
from indexing.learning.store import Learned, store
from indexing.readers.journal import Journal

ROOT = Path(__file__).parent.parent.parent.parent
FAILS = "Error: Cannot find module './total'\n"


def loop(id="l1", at="2026-02-02T10:00:00Z", fix="restore total.js", **fields):
    attempts = (
        Attempt(1, "npm test", exit_code=1, output=FAILS, at=at),
        Attempt(2, "npm test", exit_code=0, note=fix, files=("total.js",), at=at),
    )
    return Loop(id, "attempts", "loops.jsonl", attempts=attempts, **fields)


def learn(journal, *loops):
    return store(journal, [Learned(each, tuple(found_in(each))) for each in loops])


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "journal.jsonl"


def entries(journal):
    read = list(Journal().read(journal, "journal.jsonl"))
    assert all(isinstance(each, Entry) for each in read), read
    return read


def test_a_pattern_carries_its_lineage_and_one_use(journal):
    assert learn(journal, loop(by="nora")) == (1, 1, 1)
    [entry] = entries(journal)
    assert entry.evidence[:5] == (1, 0, 1, 1, 0)
    [source] = entry.extra["source_loops"]
    assert source["loop_id"] == "l1"
    assert source["contributed_by"] == "nora"
    assert source["line"] == FAILS.strip()
    assert source["iteration"] == 2


def test_b146_learning_a_loop_twice_records_nothing(journal):
    learn(journal, loop())
    before = journal.read_bytes()
    assert learn(journal, loop()) == (0, 0, 0)
    assert journal.read_bytes() == before


def test_b082_one_failure_and_fix_of_nine_loops_is_one_pattern_with_nine_uses(journal):
    for number in range(9):
        learn(journal, loop(f"l{number}", f"2026-02-0{number + 1}T10:00:00Z"))
    [entry] = entries(journal)
    assert entry.evidence[:5] == (9, 0, 9, 9, 0)
    assert (entry.evidence.first[:10], entry.evidence.last[:10]) == ("2026-02-01", "2026-02-09")


def test_b083_ids_follow_from_the_failure_and_its_fix(tmp_path):
    for name in ("a", "b"):
        learn(tmp_path / f"{name}.jsonl", loop(f"loop-{name}"))
    [one], [other] = (entries(tmp_path / f"{name}.jsonl") for name in ("a", "b"))
    assert one.id == other.id


def test_b092_of_three_that_were_shown_only_the_applied_one_gains(journal):
    for number in range(3):
        learn(journal, loop(f"l{number}", fix=f"remedy {number}"))
    ids = [entry.id for entry in entries(journal)]
    learn(journal, loop("later", fix="another", shown=tuple(ids), applied=(ids[1],)))
    found = {entry.id: entry.evidence for entry in entries(journal)}
    assert [found[id].helped for id in ids] == [1, 2, 1]
    assert [found[id].shown for id in ids] == [1, 1, 1]
    assert [found[id].applied for id in ids] == [1, 2, 1]


def test_a_memory_that_was_applied_in_a_failed_loop_did_not_help(journal):
    learn(journal, loop())
    [first] = entries(journal)
    failed = Loop(
        "l2",
        "attempts",
        "f",
        attempts=(Attempt(1, "make", exit_code=2, output=FAILS),),
        shown=(first.id,),
        applied=(first.id,),
    )
    learn(journal, failed)
    [entry] = entries(journal)
    assert (entry.evidence.helped, entry.evidence.harmed) == (1, 1)


def test_secrets_of_a_loop_are_not_recorded(journal):
    token = "ghp_" + "a1B2" * 9
    learn(journal, loop(fix=f"export TOKEN={token}"))
    assert token not in journal.read_text(encoding="utf-8")


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
sys.path.insert(0, {here!r})
from test_store import learn, loop
for number in range(20):
    learn(Path(sys.argv[1]), loop(f"{{sys.argv[2]}}-{{number}}", fix=f"remedy {{number}}"))
"""


def test_two_learners_at_once_lose_nothing_and_record_no_pattern_twice(journal):
    code = WRITER.format(root=str(ROOT), here=str(Path(__file__).parent))
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(journal), name]) for name in ("a", "b")
    ]
    assert [each.wait(timeout=60) for each in running] == [0, 0]
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    ops = [line["op"] for line in lines]
    assert (ops.count("add"), ops.count("found"), ops.count("loop")) == (20, 40, 40)
    assert {entry.evidence.helped for entry in entries(journal)} == {2}
