"""The upstream's contradictory numbers: each is a setting, the seed's value its default."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from indexing.learning.extract import found_in
from indexing.learning.loop import Attempt, Loop
from indexing.learning.store import Learned, store
from indexing.settings import JOURNAL, Settings
from retrieval import Memory, Query
from retrieval.cli import main

FULL = "Error: the queue is full\n"
DIFF = (
    "--- a/q.js\n+++ b/q.js\n@@\n+if (queue == null) {\n+  throw new Error('no queue is here');\n"
)


def ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def loop(id, fix, days=1, output=FULL, diff=""):
    at = ago(days)
    attempts = (
        Attempt(1, "make check", exit_code=2, output=output, at=at),
        Attempt(2, "make check", exit_code=0, note=fix, diff=diff, at=at),
    )
    return Loop(id, "attempts", "loops.jsonl", attempts=attempts)


@pytest.fixture
def learnt(here):
    """A memory that has learnt loops; of the first pattern, outcomes of further loops."""

    def of(*loops, outcomes=()):
        mem_dir = here / ".mem"
        mem_dir.mkdir()
        learned = [Learned(each, tuple(found_in(each, ["error"]))) for each in loops]
        store(mem_dir / JOURNAL, learned)
        assert main(["index", "rebuild"]) == 0
        id = learned[0].found[0].entry.id
        for number, outcome in enumerate(outcomes):
            assert main(["outcome", id, outcome, "--loop", f"later{number}"]) == 0
        return mem_dir

    return of


def shown(mem_dir):
    return len(Memory.open(mem_dir).patterns(Query(title="the queue is full"))[0])


def test_the_defaults_are_the_seeds():
    settings = Settings()
    assert (settings.min_success_rate, settings.evaluate_after, settings.similarity) == (
        0.6,
        3,
        0.8,
    )
    assert (settings.patterns_shown, settings.patterns_most) == (5, 10)
    assert (settings.prune_below, settings.prune_after, settings.prune_unused_days) == (0.5, 3, 90)
    assert (settings.learn_on_green, settings.learn_failed, settings.learn_templates) == (1, 1, 1)


@pytest.mark.parametrize(("name", "value"), [("MIN_SUCCESS_RATE", "0.3"), ("EVALUATE_AFTER", "4")])
def test_a_rate_of_one_third_is_shown_at_a_loops_start_only_when_told(
    learnt, monkeypatch, name, value
):
    mem_dir = learnt(loop("l1", "drain it"), outcomes=["harmed", "harmed"])
    assert shown(mem_dir) == 0
    monkeypatch.setenv(f"MEM_{name}", value)
    assert shown(mem_dir) == 1


def test_what_harmed_twice_of_three_times_abstains_only_when_told(learnt, monkeypatch):
    mem_dir = learnt(loop("l1", "drain it"), outcomes=["harmed", "harmed"])
    assert Memory.open(mem_dir).lookup(Query(FULL))
    monkeypatch.setenv("MEM_ABSTAIN_BELOW", "0.5")
    assert Memory.open(mem_dir).lookup(Query(FULL)) == []


@pytest.mark.parametrize(
    ("settings", "count"),
    [({}, 5), ({"SHOWN": "6"}, 6), ({"SHOWN": "6", "MOST": "2"}, 2)],
)
def test_so_many_patterns_are_shown(learnt, monkeypatch, settings, count):
    said = ("full", "late", "lost", "slow", "shut", "torn", "void")
    texts = (f"Error: the queue is full and {word}{word}\n" for word in said)
    mem_dir = learnt(*(loop(f"l{n}", f"do {n}", output=text) for n, text in enumerate(texts)))
    for name, value in settings.items():
        monkeypatch.setenv(f"MEM_PATTERNS_{name}", value)
    assert shown(mem_dir) == count


@pytest.mark.parametrize(
    ("days", "outcomes", "name", "value"),
    [
        (1, ["harmed", "harmed"], "PRUNE_BELOW", "0.3"),
        (1, ["harmed", "harmed"], "PRUNE_AFTER", "4"),
        (91, [], "PRUNE_UNUSED_DAYS", "100"),
    ],
)
def test_what_would_be_pruned_stays_when_told(learnt, monkeypatch, days, outcomes, name, value):
    learnt(loop("l1", "drain it", days), outcomes=outcomes)
    assert main(["patterns", "prune", "--dry-run"]) == 0
    monkeypatch.setenv(f"MEM_{name}", value)
    assert main(["patterns", "prune", "--dry-run"]) == 1


def test_patterns_are_proposed_for_merging_from_another_likeness_when_told(learnt, monkeypatch):
    learnt(
        loop("l1", "drain the queue slowly before each new run"),
        loop(
            "l2", "before each new run drain the old queue slowly again", output="Error: is full\n"
        ),
    )
    assert main(["patterns", "merge"]) == 0
    monkeypatch.setenv("MEM_SIMILARITY", "0.9")
    assert main(["patterns", "merge"]) == 1


ATTEMPTS = """
{"loop":"red","command":"make","exit_code":2,"output":"Error: the disk is full"}
{"loop":"red","command":"make","exit_code":2,"output":"Error: the disk is full","note":"wait"}
{"loop":"red","command":"make","exit_code":2,"output":"Error: the disk is full","note":"pray"}
"""


def test_a_loop_that_failed_teaches_unless_told(here, monkeypatch, capsys):
    (here / ".mem").mkdir()
    (here / "attempts.jsonl").write_text(ATTEMPTS, encoding="utf-8")
    assert main(["learn", "attempts.jsonl", "--dry-run"]) == 0
    monkeypatch.setenv("MEM_LEARN_FAILED", "0")
    assert main(["learn", "attempts.jsonl", "--dry-run"]) == 1


def test_templates_are_learnt_unless_told_and_then_when_asked_for(here, monkeypatch, capsys):
    (here / ".mem").mkdir()
    red = {"loop": "l", "command": "make", "exit_code": 2, "output": "TypeError: queue is null\n"}
    green = {"loop": "l", "command": "make", "exit_code": 0, "diff": DIFF}
    lines = "".join(json.dumps(each) + "\n" for each in (red, green))
    (here / "attempts.jsonl").write_text(lines, encoding="utf-8")

    def learns_templates(*words):
        capsys.readouterr()
        main(["learn", "attempts.jsonl", "--dry-run", "--json", *words])
        return "code_template" in capsys.readouterr().out

    assert learns_templates()
    monkeypatch.setenv("MEM_LEARN_TEMPLATES", "0")
    assert not learns_templates()
    assert learns_templates("--types", "template")
