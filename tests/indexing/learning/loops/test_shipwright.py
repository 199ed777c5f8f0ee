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
