"""Shipwright's logs."""

from pathlib import Path

from indexing.learning.extract import found_in
from indexing.learning.loops import read_loops

ROOT = Path(__file__).parent.parent.parent.parent.parent
LOOPS = ROOT / "fixtures" / "loops"


def test_logs_and_state_make_one_loop():
    [loop] = read_loops(LOOPS / "shipwright", ROOT)
    assert loop.task == "Make the tests of the cart pass"
    assert loop.outcome == "success"
    assert [attempt.outcome for attempt in loop.attempts] == [False, False, True]
    assert {attempt.key for attempt in loop.attempts} == {"$ npm test"}


def test_what_the_agent_said_before_the_green_run_is_the_fix():
    [loop] = read_loops(LOOPS / "shipwright", ROOT)
    [found] = found_in(loop, ["error"])
    assert found.entry.lesson.fix == "Restored total.js, which the test requires."
    assert found.entry.lesson.failed == ("Exported the function under another name.",)


def test_an_error_log_of_pretty_objects_has_red_runs_only():
    [loop] = read_loops(LOOPS / "shipwright_errors", ROOT)
    assert [attempt.exit_code for attempt in loop.attempts] == [1, 1]
    assert list(found_in(loop)) == []


def test_a_state_whose_goal_is_a_whole_prompt_is_read(tmp_path):
    text = (
        '---\ngoal: "Fix it\nstatus: not this one\nmore"\nstatus: failed\ntest_cmd: "make"\n---\n'
    )
    (tmp_path / "loop-state.md").write_text(text, encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert (loop.task, loop.outcome) == ("Fix it", "failure")


def test_a_log_that_is_a_link_out_of_the_folder_is_not_read(tmp_path):
    logs = tmp_path / "project" / "loop-logs"
    logs.mkdir(parents=True)
    (tmp_path / "private").write_text("Error: the private key is bad\n", encoding="utf-8")
    (logs / "tests-iter-1.log").write_text("Error: queue is full\n", encoding="utf-8")
    (logs / "tests-iter-2.log").symlink_to(tmp_path / "private")
    (logs / "iteration-1.log").symlink_to(tmp_path / "private")
    (tmp_path / "project" / "loop-state.md").symlink_to(tmp_path / "private")
    [loop] = read_loops(logs, tmp_path)
    assert [attempt.output for attempt in loop.attempts] == ["Error: queue is full\n"]


def test_a_goal_of_any_length_hides_nothing_of_the_state(tmp_path):
    (tmp_path / "loop-logs").mkdir()
    (tmp_path / "loop-logs" / "tests-iter-1.log").write_text("Error: queue is full\n", "utf-8")
    goal = "Mend it\n" + "and more of it\n" * 10_000
    state = f'---\ngoal: "{goal}"\nstatus: complete\ntest_cmd: "npm test"\n---\n## Log\n'
    (tmp_path / "loop-state.md").write_text(state, encoding="utf-8")
    [loop] = read_loops(tmp_path / "loop-logs", tmp_path)
    assert (loop.task, loop.outcome) == ("Mend it", "success")
    assert loop.attempts[0].command == "npm test"
