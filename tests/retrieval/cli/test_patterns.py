"""`mem patterns`, `mem outcome` and `mem stats`: the registry, its evidence and its figures."""

import json
import shutil
from pathlib import Path

import pytest

from indexing.entry import Entry, Lesson
from indexing.journal import append
from indexing.learning.extract import found_in
from indexing.learning.loop import Attempt, Loop
from indexing.learning.store import Learned, store
from indexing.settings import JOURNAL
from indexing.signature import sign
from retrieval.cli import main

LOOPS = Path(__file__).parent.parent.parent.parent / "fixtures" / "loops"
FULL = "Error: the queue is full\n"
CLOSED = "Error: the broker went away\n"


def loop(id, output, fix, at="2026-02-02T10:00:00Z"):
    attempts = (
        Attempt(1, "make check", exit_code=2, output=output, at=at),
        Attempt(2, "make check", exit_code=0, note=fix, at=at),
    )
    return Loop(id, "attempts", "loops.jsonl", attempts=attempts)


@pytest.fixture
def learn(here):
    (here / ".mem").mkdir(exist_ok=True)
    (here / "full.log").write_text(FULL, encoding="utf-8")
    (here / "closed.log").write_text(CLOSED, encoding="utf-8")

    def of(*loops):
        store(here / ".mem" / JOURNAL, [Learned(each, tuple(found_in(each))) for each in loops])
        assert main(["index", "rebuild"]) == 0
        return here / ".mem"

    return of


@pytest.fixture
def ask(capsys):
    """The lines of JSON that a command prints."""

    def of(*words, code=0):
        capsys.readouterr()
        assert main([*words, "--json"]) == code, capsys.readouterr().err
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return of


def ids(ask):
    return [each["id"] for each in ask("patterns", "list")]


def hits(ask, log, code=0):
    [told] = ask("lookup", log, code=code)
    return [hit["entry"]["id"] for hit in told["hits"]]


# --- evidence


def test_b095_solved_and_then_not_solved_is_half(learn, ask):
    learn(loop("l1", FULL, "drain it"))
    [id] = ids(ask)
    ask("outcome", id, "applied", "--loop", "l2")
    [known] = ask("patterns", "list")
    assert (known["rate"], known["uses"]) == (0.5, 2)
    ask("outcome", id, "harmed", "--loop", "l3")
    [known] = ask("patterns", "list")
    assert (known["rate"], known["uses"]) == (pytest.approx(1 / 3), 3)


def test_an_outcome_of_one_loop_counts_once(learn, ask):
    learn(loop("l1", FULL, "drain it"))
    [id] = ids(ask)
    for _ in range(3):
        ask("outcome", id, "helped", "--loop", "l2")
    assert ask("patterns", "list")[0]["uses"] == 2


def test_b086_the_latest_word_of_a_person_counts_and_the_older_one_is_shown(learn, ask, capsys):
    learn(loop("l1", FULL, "drain it"))
    [id] = ids(ask)
    ask("outcome", id, "helped", "--loop", "l2")
    ask("outcome", id, "harmed", "--loop", "l2")
    assert (ask("patterns", "list")[0]["rate"]) == 0.5
    main(["patterns", "show", id])
    shown = capsys.readouterr().out
    assert "l2  applied ✓ (superseded)" in shown
    assert "l2  applied ✗" in shown


def test_b086_a_correction_comes_first_and_the_corrected_one_says_so(here, ask, capsys):
    (here / ".mem").mkdir()
    (here / "full.log").write_text(FULL, encoding="utf-8")
    main(["record", "--log", "full.log", "--fix", "a bug of the product"])
    first = capsys.readouterr().out.strip()
    main(["record", "--log", "full.log", "--fix", "a bug of the test", "--supersedes", first])
    [told] = ask("lookup", "full.log")
    assert [hit["entry"]["lesson"]["fix"] for hit in told["hits"]] == [
        "a bug of the test",
        "a bug of the product",
    ]
    assert told["hits"][1]["why"]["note"].startswith("superseded by ")


def test_what_harms_abstains_everywhere_and_says_so(learn, ask, capsys):
    learn(loop("l1", FULL, "delete the queue"))
    [id] = ids(ask)
    for number in range(4):
        ask("outcome", id, "harmed", "--loop", f"bad{number}")
    assert hits(ask, "full.log", code=1) == []
    main(["context", "full.log"])
    assert capsys.readouterr().out == ""
    main(["patterns", "show", id])
    assert "abstains   it helped 1 of 5 times" in capsys.readouterr().out


def test_b097_what_was_mined_comes_after_what_was_written_and_is_marked(learn, here, ask, capsys):
    mem_dir = learn(loop("l1", FULL, "mined advice"))
    signature = sign(FULL.strip())
    curated = Entry("", "failure", "queue", signature=signature, lesson=Lesson(fix="curated"))
    append(mem_dir / JOURNAL, curated)
    main(["index", "rebuild"])
    [told] = ask("lookup", "full.log")
    assert [hit["entry"]["lesson"]["fix"] for hit in told["hits"]] == ["curated", "mined advice"]
    main(["context", "full.log"])
    assert "learnt from one loop, unproven" in capsys.readouterr().out


def test_what_helped_again_is_proven_and_comes_first(learn, here, ask):
    mem_dir = learn(*(loop(f"l{n}", FULL, "mined advice") for n in range(3)))
    signature = sign(FULL.strip())
    curated = Entry("", "failure", "queue", signature=signature, lesson=Lesson(fix="curated"))
    append(mem_dir / JOURNAL, curated)
    main(["index", "rebuild"])
    [told] = ask("lookup", "full.log")
    assert told["hits"][0]["entry"]["lesson"]["fix"] == "mined advice"


def test_seventeen_of_eighteen_comes_before_one_of_one(learn, ask):
    learn(
        loop("a", FULL, "new advice", "2026-05-01T00:00:00Z"),
        loop("b", FULL, "other advice", "2026-06-01T00:00:00Z"),
        *(loop(f"o{n}", FULL, "old advice") for n in range(17)),
    )
    old = next(each["id"] for each in ask("patterns", "list") if each["uses"] == 17)
    ask("outcome", old, "harmed", "--loop", "bad")
    assert hits(ask, "full.log")[0] == old


# --- lineage


def test_the_lineage_tells_who_found_it_and_how_it_went(learn, ask, capsys):
    learn(loop("l1", FULL, "drain it"), loop("l2", FULL, "drain it", "2026-03-01T00:00:00Z"))
    [id] = ids(ask)
    main(["outcome", id, "harmed", "--loop", "l3"])
    capsys.readouterr()
    main(["patterns", "show", id[:14]])
    lines = capsys.readouterr().out.splitlines()
    lineage = [line for line in lines if line.startswith("  2026-")]
    assert "l1  discovered ✓" in lineage[0]
    assert "loops.jsonl" in lineage[0]
    assert "l2  applied ✓" in lineage[1]
    assert "l3  applied ✗" in lineage[2]


@pytest.mark.parametrize("id", ["nothing", "pat-"])
def test_an_id_that_is_none_or_several_is_a_mistake(learn, id, capsys):
    learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "restart it"))
    assert main(["patterns", "show", id]) == 2


def test_a_list_is_filtered(learn, ask):
    learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "restart it"))
    assert len(ask("patterns", "list", "--from-loop", "l1")) == 1
    assert ask("patterns", "list", "--type", "success", code=1) == []
    assert ask("patterns", "list", "--max-success-rate", "0.5", code=1) == []
    assert len(ask("patterns", "list", "--min-success-rate", "0.9")) == 2
    assert ask("patterns", "list", "--tag", "python", code=1) == []


# --- merges


def test_b046_a_merge_makes_an_alias_and_b079_it_is_logged_and_undone(learn, ask):
    learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "drain the queue"))
    one, other = (hits(ask, log)[0] for log in ("full.log", "closed.log"))
    before = (hits(ask, "full.log"), hits(ask, "closed.log"))

    [told] = ask("patterns", "merge", one, other, "--note", "the same outage")
    assert len(ids(ask)) == 1
    [answer] = ask("lookup", "closed.log")
    lesson = answer["hits"][0]["entry"]["lesson"]
    assert lesson["fix"] == "drain it"
    assert lesson["worked"] == ["drain the queue"]
    [logged] = ask("patterns", "log")
    assert (logged["op"], logged["note"], logged["undone"]) == ("merge", "the same outage", False)
    # the source stays where it was
    assert other in (Path(".mem") / JOURNAL).read_text(encoding="utf-8")

    ask("patterns", "undo", told["id"])
    assert (hits(ask, "full.log"), hits(ask, "closed.log")) == before
    assert [each["undone"] for each in ask("patterns", "log")] == [True, False]


def test_a_merge_survives_a_rebuild_of_the_index(learn, ask):
    mem_dir = learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "drain the queue"))
    ask("patterns", "merge", hits(ask, "full.log")[0], hits(ask, "closed.log")[0])
    shutil.rmtree(mem_dir / "index")
    main(["index", "rebuild"])
    assert len(ids(ask)) == 1


def test_without_ids_a_merge_only_proposes(learn, ask):
    learn(
        loop("l1", "Error: the broker refused the lease of the queue\n", "restart the broker"),
        loop("l2", "Error: the lease of the queue the broker refused\n", "the broker: restart"),
        loop("l3", "Error: needs node 18 here\n", "install it"),
        loop("l4", "Error: needs node 20 here\n", "install it"),
    )
    [proposed] = ask("patterns", "merge", "--threshold", "0.8")
    assert proposed["similarity"] > 0.8
    assert len(ids(ask)) == 4
    ask("patterns", "split", proposed["into"], proposed["from"])
    assert ask("patterns", "merge", code=1) == []


def test_a_decision_is_undone_once(learn, ask, capsys):
    learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "restart it"))
    [told] = ask("patterns", "split", *ids(ask))
    ask("patterns", "undo", told["id"])
    assert main(["patterns", "undo", told["id"]]) == 2
    assert "taken back already" in capsys.readouterr().err


# --- the archive


def test_what_is_pruned_goes_into_the_months_archive_and_comes_back(learn, ask):
    mem_dir = learn(loop("l1", FULL, "drain it", "2020-01-01T00:00:00Z"))
    [id] = ids(ask)
    [dry] = ask("patterns", "prune", "--dry-run")
    assert dry["id"] == id
    assert "not used for" in dry["why"]
    assert not (mem_dir / "archive").exists()
    assert hits(ask, "full.log") == [id]

    ask("patterns", "prune")
    [file] = (mem_dir / "archive").glob("*.jsonl")
    assert file.name.endswith("-patterns.jsonl")
    assert json.loads(file.read_text(encoding="utf-8"))["entry"]["id"] == id
    assert hits(ask, "full.log", code=1) == []

    ask("patterns", "restore", id)
    assert hits(ask, "full.log") == [id]


def test_b089_what_is_forgotten_is_gone_from_every_tier_at_once(learn, ask, capsys):
    learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "restart the broker"))
    [id] = hits(ask, "full.log")
    ask("patterns", "archive", id, "--note", "wrong advice")
    assert id not in hits(ask, "full.log", code=1)
    [told] = ask("lookup", "--title", "the queue is full, drain it", code=1)
    assert told["hits"] == []
    main(["context", "--title", "the queue is full, drain it"])
    assert capsys.readouterr().out == ""


def test_nothing_to_prune_answers_1(learn, ask):
    learn(loop("l1", FULL, "drain it", "2999-01-01T00:00:00Z"))
    assert ask("patterns", "prune", code=1) == []


# --- in and out, and figures


def test_a_registry_is_exported_and_imported_elsewhere(learn, here, ask):
    learn(loop("l1", FULL, "drain it"), loop("l2", CLOSED, "restart it"))
    ask("patterns", "export", "--output", "registry.json")
    made = json.loads((here / "registry.json").read_text(encoding="utf-8"))
    assert len(made["pattern_registry"]["error_patterns"]) == 2
    elsewhere = here / "elsewhere"
    (elsewhere / ".mem").mkdir(parents=True)
    import os

    os.chdir(elsewhere)
    [told] = ask("patterns", "import", "../registry.json")
    assert (told["read"], told["new"]) == (2, 2)
    [told] = ask("patterns", "import", "../registry.json")
    assert told["new"] == 0
    [answer] = ask("lookup", "../full.log")
    assert answer["hits"][0]["entry"]["lesson"]["fix"] == "drain it"


def test_shipwrights_files_are_exported_into_a_folder(learn, here, ask):
    learn(loop("l1", FULL, "drain it"))
    ask("patterns", "export", "--format", "shipwright", "--output", "memory")
    made = json.loads((here / "memory" / "failures.json").read_text(encoding="utf-8"))
    [failure] = made["failures"]
    assert (failure["pattern"], failure["fix"]) == (FULL.strip(), "drain it")
    assert (failure["times_fix_applied"], failure["times_fix_resolved"]) == (1, 1)


def test_stats_count_and_export_in_aiwgs_shape(learn, here, ask):
    learn(loop("l1", FULL, "drain it"), loop("l2", FULL, "drain it"))
    [id] = ids(ask)
    ask("outcome", id, "harmed", "--loop", "l3")
    [told] = ask("stats", "--export", "effectiveness-metrics.json")
    assert (told["applied"], told["helped"], told["harmed"]) == (3, 2, 1)
    low, high = told["success_interval"]
    assert low < 2 / 3 < high
    exported = json.loads((here / "effectiveness-metrics.json").read_text(encoding="utf-8"))
    assert exported["pattern_usage_stats"] == {
        "total_applications": 3,
        "successful_applications": 2,
        "failed_applications": 1,
        "overall_success_rate": 0.6667,
    }
    assert list(exported) == [
        "total_patterns",
        "patterns_by_type",
        "pattern_usage_stats",
        "cross_loop_benefit",
    ]


# --- clocks and mistyped ids


@pytest.mark.parametrize("at", ["2199-01-01T00:00:00Z", "no time at all"])
def test_what_was_archived_by_a_clock_that_is_ahead_can_be_restored(learn, here, ask, at):
    mem_dir = learn(loop("l1", FULL, "drain it"))
    [id] = ids(ask)
    archived = {"v": 1, "op": "archive", "id": "Z" * 26, "at": at, "entry_id": id}
    with (mem_dir / JOURNAL).open("a", encoding="utf-8") as file:
        file.write(json.dumps(archived) + "\n")
    assert main(["index", "rebuild"]) == 0
    assert hits(ask, "full.log", code=1) == []
    ask("patterns", "restore", id)
    assert hits(ask, "full.log") == [id]


@pytest.mark.parametrize("verb", ["undo", "restore"])
def test_no_id_at_all_names_no_decision(learn, verb, ask):
    learn(loop("l1", FULL, "drain it"))
    [id] = ids(ask)
    ask("patterns", "archive", id)
    assert main(["patterns", verb, ""]) == 2


def test_secrets_are_not_told_by_a_dry_run_either(here, capsys):
    (here / ".mem").mkdir()
    token = "ghp_" + "a1B2" * 9
    red = {"command": "make", "exit_code": 2, "output": "Error: the queue is full"}
    green = {"command": "make", "exit_code": 0, "note": f"use {token}"}
    text = "".join(json.dumps(each) + "\n" for each in (red, green))
    (here / "attempts.jsonl").write_text(text, encoding="utf-8")
    for words in ([], ["--json"]):
        assert main(["learn", "attempts.jsonl", "--dry-run", *words]) == 0
        assert token not in capsys.readouterr().out


def test_b079_nothing_merges_by_itself_and_a_merge_is_logged_and_undone_with_its_sources(
    learn, here, ask
):
    learn(
        loop("l1", "Error: the queue of the broker is full\n", "drain the queue"),
        loop("l2", "Error: full is the queue of the broker\n", "drain the queue"),
    )
    (here / "one.log").write_text("Error: the queue of the broker is full\n", encoding="utf-8")
    (here / "two.log").write_text("Error: full is the queue of the broker\n", encoding="utf-8")
    before = [ask("patterns", "show", id) for id in ids(ask)]
    assert len(ask("patterns", "merge")) == 1  # proposed, no more
    assert len(ids(ask)) == 2
    assert ask("patterns", "log", code=1) == []

    into, other = ids(ask)
    ask("patterns", "merge", into, other)
    [logged] = ask("patterns", "log")
    assert (logged["op"], logged["into"], logged["from"]) == ("merge", into, other)
    assert ids(ask) == [into]
    assert hits(ask, "one.log")
    assert hits(ask, "two.log")

    ask("patterns", "undo", logged["id"])
    assert [ask("patterns", "show", id) for id in ids(ask)] == before
