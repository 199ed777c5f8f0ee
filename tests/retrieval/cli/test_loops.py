"""A loop that asks: it is told nothing twice, and the control group nothing at all."""

import json
import subprocess
import sys

import pytest
from commands import LOG, clean_environment, login, mem, remembering
from memories import fixed, journal

from indexing.settings import JOURNAL
from retrieval.cli import main
from retrieval.looped import FOLDER, in_control


@pytest.fixture
def mem_dir(here):
    folder = remembering(here)
    (here / "a.log").write_text(LOG, encoding="utf-8")
    return folder


def outcomes(mem_dir):
    lines = (mem_dir / JOURNAL).read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [(r["entry_id"], r["outcome"], r["loop"]) for r in records if r["op"] == "outcome"]


def test_b109_a_block_is_shown_once_in_a_loop(mem_dir, capsys):
    told = []
    for _ in range(3):
        assert main(["context", "a.log", "--loop", "l1"]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] != ""
    assert told[1:] == ["", ""]
    assert outcomes(mem_dir) == [("login", "shown", "l1")]


def test_b110_six_steps_of_one_session_are_told_once(mem_dir, capsys):
    codes = [main(["lookup", "a.log", "--loop", "s1"]) for _ in range(6)]
    assert codes == [0, 1, 1, 1, 1, 1]
    assert outcomes(mem_dir) == [("login", "shown", "s1")]


def test_another_loop_and_another_failure_are_told(mem_dir, here, capsys):
    journal(mem_dir / JOURNAL, [fixed("queue", "Error: queue is full", "drain it")])
    main(["index", "rebuild"])
    (here / "b.log").write_text("npm error Error: queue is full\n", encoding="utf-8")
    assert main(["lookup", "a.log", "--loop", "l1"]) == 0
    assert main(["lookup", "a.log", "--loop", "l2"]) == 0
    assert main(["lookup", "a.log", "--loop", "l1"]) == 1


def test_a_changed_answer_is_told_again(mem_dir, capsys):
    assert main(["lookup", "a.log", "--loop", "l1"]) == 0
    journal(mem_dir / JOURNAL, [login("second", captured_at="2026-12-01T00:00:00Z")])
    main(["index", "rebuild"])
    assert main(["lookup", "a.log", "--loop", "l1"]) == 0
    assert main(["lookup", "a.log", "--loop", "l1"]) == 1


@pytest.mark.parametrize("line", ["{", "[" * 100_000])
def test_what_a_loop_was_told_is_known_beside_a_damaged_line(line, mem_dir, capsys):
    assert main(["lookup", "a.log", "--loop", "l1"]) == 0
    [told] = (mem_dir / FOLDER).iterdir()
    told.write_text(f"{line}\n{told.read_text(encoding='utf-8')}", encoding="utf-8")
    assert main(["lookup", "a.log", "--loop", "l1"]) == 1


def test_without_a_loop_nothing_is_logged(mem_dir, capsys):
    before = (mem_dir / JOURNAL).read_bytes()
    for _ in range(2):
        assert main(["lookup", "a.log"]) == 0
    assert (mem_dir / JOURNAL).read_bytes() == before


def test_the_loop_may_stand_in_the_environment(mem_dir, monkeypatch, capsys):
    monkeypatch.setenv("MEM_LOOP", "l1")
    assert [main(["lookup", "a.log"]) for _ in range(2)] == [0, 1]


def test_the_control_group_gets_no_block_and_that_is_noted_once(mem_dir, monkeypatch, capsys):
    monkeypatch.setenv("MEM_CONTROL", "1.0")
    for _ in range(2):
        assert main(["context", "a.log", "--loop", "l1"]) == 0
        assert capsys.readouterr().out == ""
    records = [json.loads(line) for line in (mem_dir / JOURNAL).read_text().splitlines()]
    assert [r["loop"] for r in records if r["op"] == "withheld"] == ["l1"]
    assert main(["index", "rebuild"]) == 0


def test_the_share_of_the_control_group_is_what_was_asked_and_stays():
    loops = [f"loop-{number}" for number in range(4000)]
    held = [loop for loop in loops if in_control(loop, 0.2)]
    assert len(held) == pytest.approx(800, abs=80)
    assert all(in_control(loop, 0.3) for loop in held)
    assert not any(in_control(loop, 0.0) for loop in loops)
    assert all(in_control(loop, 1.0) for loop in loops)


def test_b112_one_clean_session_is_told_nothing(mem_dir, monkeypatch, capsys):
    monkeypatch.setenv("MEM_INJECT", "0")
    for words in ([], ["--json"], ["--loop", "l1"], ["--format", "patterns"]):
        assert main(["context", "a.log", *words]) == 0
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", "")
    assert outcomes(mem_dir) == []
    assert main(["lookup", "a.log"]) == 0  # who asks is told


# --- mem run


def fails(folder, log=LOG):
    (folder / "script.py").write_text(
        "import pathlib, sys\n"
        "if pathlib.Path('fixed').exists():\n    sys.exit(0)\n"
        f"sys.stdout.write({log!r})\nsys.exit(1)\n",
        encoding="utf-8",
    )
    return [sys.executable, "script.py"]


def git(folder, *words):
    subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env=clean_environment(),
    )


def test_b113_the_fix_is_offered_at_the_moment_of_the_failure(mem_dir, here):
    done = mem("run", "--", *fails(here), cwd=here)
    assert b"npm login" in done.stderr


def test_b112_run_says_nothing_in_a_clean_session_and_keeps_the_exit_code(mem_dir, here):
    done = mem("run", "--", *fails(here), cwd=here, MEM_INJECT="0")
    assert (done.returncode, done.stdout, done.stderr) == (1, LOG.encode(), b"")
    assert outcomes(mem_dir) == []


def test_the_same_failure_of_a_loop_is_told_once_by_run_too(mem_dir, here):
    told = [mem("run", "--loop", "l1", "--", *fails(here), cwd=here).stderr for _ in range(2)]
    assert [b"npm login" in each for each in told] == [True, False]


def test_what_changed_between_red_and_green_is_learnt(here):
    (here / ".mem").mkdir()
    (here / "rate.txt").write_text("6\n", encoding="utf-8")
    git(here, "init", "-q")
    git(here, "add", ".")
    git(here, "commit", "-qm", "start")
    command = fails(here, "Error: the rate is 6, not 7\n")
    mem("run", "--", *command, cwd=here)
    (here / "rate.txt").write_text("7\n", encoding="utf-8")
    (here / "fixed").write_text("", encoding="utf-8")
    done = mem("run", "--", *command, cwd=here)
    assert b"learnt pat-error-" in done.stderr
    records = [json.loads(line) for line in (here / ".mem" / JOURNAL).read_text().splitlines()]
    entry = records[0]["entry"]
    assert "rate.txt" in entry["files"]
    assert "replace `6` by `7`" in entry["lesson"]["fix"]
    (here / "b.log").write_text("Error: the rate is 6, not 7\n", encoding="utf-8")
    assert b"rate.txt" in mem("lookup", "b.log", cwd=here).stdout
    # the repository is as it was
    status = subprocess.run(
        ["git", "diff", "--cached", "--name-only"], cwd=here, capture_output=True, check=True
    )
    assert status.stdout == b""


def test_a_command_that_was_run_in_between_is_the_fix(here):
    (here / ".mem").mkdir()
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    mem("run", "--", sys.executable, "-c", "open('fixed','w')", cwd=here)
    done = mem("run", "--", *command, cwd=here)
    assert b"it passes now; learnt" in done.stderr


def test_what_was_run_in_between_is_learnt_beside_a_damaged_line(here):
    (here / ".mem").mkdir()
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    with (here / ".mem" / "history.jsonl").open("a", encoding="utf-8") as history:
        history.write("[" * 100_000 + "\n{\n")
    mem("run", "--", sys.executable, "-c", "open('fixed','w')", cwd=here)
    done = mem("run", "--", *command, cwd=here)
    assert b"it passes now; learnt" in done.stderr


def test_learning_on_green_can_be_switched_off(here):
    (here / ".mem").mkdir()
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    mem("run", "--", sys.executable, "-c", "open('fixed','w')", cwd=here)
    done = mem("run", "--", *command, cwd=here, MEM_LEARN_ON_GREEN="0")
    assert b"learnt" not in done.stderr


def test_a_fix_that_was_tried_and_did_not_help_is_noted_as_harm(here):
    mem_dir = remembering(here, [login(files=("package.json",))])
    (here / "package.json").write_text("{}", encoding="utf-8")
    command = fails(here)
    mem("run", "--loop", "l1", "--", *command, cwd=here)
    (here / "package.json").write_text('{"a": 1}', encoding="utf-8")
    mem("run", "--loop", "l1", "--", *command, cwd=here)
    assert ("login", "harmed", "l1") in outcomes(mem_dir)


def test_a_fix_that_nobody_tried_is_not_blamed(here):
    mem_dir = remembering(here, [login(files=("package.json",))])
    (here / "package.json").write_text("{}", encoding="utf-8")
    command = fails(here)
    for _ in range(2):
        mem("run", "--loop", "l1", "--", *command, cwd=here)
    assert [each for each in outcomes(mem_dir) if each[1] == "harmed"] == []


def test_a_fix_whose_steps_were_run_helped(here):
    step = f"{sys.executable} -c \"open('fixed','w')\""
    from indexing.entry import Lesson

    mem_dir = remembering(here, [login(lesson=Lesson(fix="make it", steps=(step,)), files=())])
    command = fails(here)
    mem("run", "--loop", "l1", "--", *command, cwd=here)
    mem("run", "--loop", "l1", "--", sys.executable, "-c", "open('fixed','w')", cwd=here)
    mem("run", "--loop", "l1", "--", *command, cwd=here)
    assert ("login", "helped", "l1") in outcomes(mem_dir)


def test_a_loop_that_was_told_before_hears_that_and_not_that_nothing_is_known(mem_dir, here):
    told = [mem("run", "--loop", "l1", "--", *fails(here), cwd=here).stderr for _ in range(2)]
    assert b"was told to this loop before" in told[1]
    assert b"nothing is known" not in told[1]


def test_a_loop_of_the_control_group_hears_why_it_is_shown_nothing(mem_dir, here):
    done = mem("run", "--loop", "l1", "--", *fails(here), cwd=here, MEM_CONTROL="1.0")
    assert b"shown nothing, so that help can be measured" in done.stderr
    assert b"npm login" not in done.stderr


def test_what_others_changed_in_other_folders_meanwhile_is_no_part_of_the_fix(here):
    (here / ".mem").mkdir()
    for folder in ("web", "api"):
        (here / folder).mkdir()
        (here / folder / "rate.txt").write_text("6\n", encoding="utf-8")
    git(here, "init", "-q")
    git(here, "add", ".")
    git(here, "commit", "-qm", "start")
    command = fails(here / "web", "Error: the rate is 6, not 7\n")
    mem("run", "--", *command, cwd=here / "web")
    for folder in ("web", "api"):
        (here / folder / "rate.txt").write_text(f"7 of {folder}\n", encoding="utf-8")
    left = here / "web" / "target" / "debug"
    left.mkdir(parents=True)
    (left / "built.d").write_text("built\n", encoding="utf-8")
    (here / "web" / "core").write_bytes(b"\0\1")
    (here / "web" / "fixed").write_text("yes\n", encoding="utf-8")
    (here / "web" / "größe.txt").write_text("7\n", encoding="utf-8")
    mem("run", "--", *command, cwd=here / "web")
    records = [json.loads(line) for line in (here / ".mem" / JOURNAL).read_text().splitlines()]
    assert records[0]["entry"]["files"] == ["web/fixed", "web/größe.txt", "web/rate.txt"]
    assert "7 of web" in records[0]["entry"]["lesson"]["fix"]


@pytest.mark.parametrize("memory", ["elsewhere", "repository/part"])
def test_a_memory_that_is_not_at_the_top_of_the_checkout_learns_what_changed(here, memory):
    part = here / "repository" / "part"
    part.mkdir(parents=True)
    (here / memory / ".mem").mkdir(parents=True)
    (part / "rate.txt").write_text("6\n", encoding="utf-8")
    git(here / "repository", "init", "-q")
    git(here / "repository", "add", ".")
    git(here / "repository", "commit", "-qm", "start")
    command = fails(part, "Error: the rate is 6, not 7\n")
    told = {"MEM_DIR": str(here / memory / ".mem")}
    mem("run", "--loop", "l1", "--", *command, cwd=part, **told)
    (part / "rate.txt").write_text("7\n", encoding="utf-8")
    (part / "fixed").write_text("yes\n", encoding="utf-8")
    done = mem("run", "--loop", "l1", "--", *command, cwd=part, **told)
    assert b"replace `6` by" in done.stderr

    (part / "fixed").unlink()
    mem("run", "--loop", "l2", "--", *command, cwd=part, **told)
    (part / "fixed").write_text("again\n", encoding="utf-8")
    mem("run", "--loop", "l2", "--", *command, cwd=part, **told)
    told_of = [each[1:] for each in outcomes(here / memory / ".mem")]
    assert ("helped", "l2") in told_of  # its files were touched, where they are


def test_coverage_counts_failures_and_not_loops(mem_dir, here):
    for _ in range(2):
        mem("run", "--loop", "l1", "--", *fails(here), cwd=here)
    other = fails(here, "Error: the rate is 6, not 7\n")
    mem("run", "--loop", "l1", "--", *other, cwd=here)
    mem("run", "--loop", "l2", "--", *other, cwd=here, MEM_CONTROL="1.0")
    figures = json.loads(mem("stats", "--json", cwd=here).stdout)
    assert (figures["failures"], figures["failures_with_a_hit"]) == (2, 1)
