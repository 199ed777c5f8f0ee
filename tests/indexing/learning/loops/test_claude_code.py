"""Claude Code's transcripts."""

import json
import tracemalloc
from pathlib import Path

import pytest

from indexing.learning.extract import found_in
from indexing.learning.loops import read_loops
from indexing.learning.store import Learned, store

ROOT = Path(__file__).parent.parent.parent.parent.parent
SESSION = ROOT / "fixtures" / "loops" / "claude_code" / "session.jsonl"


def line(kind, *blocks, **fields):
    message = {"role": kind, "content": list(blocks)}
    return {"type": kind, "sessionId": "s", "cwd": "/w", "message": message, **fields}


def use(id, name, **given):
    return line("assistant", {"type": "tool_use", "id": id, "name": name, "input": given})


def result(id, content, is_error=False, **fields):
    block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error}
    return line("user", block, **fields)


@pytest.fixture
def read(tmp_path):
    def of(*lines):
        path = tmp_path / "s.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        return list(read_loops(path, tmp_path))

    return of


def test_a_session_is_a_loop_of_runs_and_changes():
    [loop] = read_loops(SESSION, ROOT)
    assert loop.task == "The price tests fail, please fix them"
    assert [a.outcome for a in loop.attempts] == [False, False, None, False, None, True]
    assert [a.files for a in loop.attempts if a.files] == [("test_price.py",), ("price.py",)]


def test_the_fix_is_the_edit_before_the_green_run():
    [loop] = read_loops(SESSION, ROOT)
    [found] = found_in(loop, ["error"])
    assert found.entry.files == ("price.py",)
    assert "net + net * rate" in found.entry.lesson.fix
    assert "test_price.py" in found.entry.lesson.failed[0]


@pytest.mark.parametrize(
    "answer",
    [
        result("t", "The user doesn't want to proceed with this tool use.", True),
        result("t", "Interrupted", True, toolUseResult={"interrupted": True}),
        result("t", "Running in background", toolUseResult={"backgroundTaskId": "b1"}),
        result("t", "Permission denied", True, toolDenialKind="rule"),
        result("t", "<tool_use_error>InputValidationError</tool_use_error>", True),
    ],
)
def test_what_was_not_run_to_its_end_is_no_run(read, answer):
    [loop] = read(use("t", "Bash", command="npm test"), answer)
    assert loop.attempts == ()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("Exit code 2\nmake: *** [all] Error 1", 2),
        ([{"type": "text", "text": "Exit code 137\nKilled"}], 137),
        ("Error: Exit code 3\nno", 3),
        ("make: *** no rule", 1),
    ],
)
def test_an_error_begins_with_its_exit_code(read, content, code):
    [loop] = read(use("t", "Bash", command="make"), result("t", content, True))
    [attempt] = loop.attempts
    assert attempt.exit_code == code
    assert "Exit code" not in attempt.output


def test_a_subagent_is_a_loop_of_its_own(read):
    side = {"isSidechain": True, "agentId": "a7"}
    loops = read(
        use("t", "Bash", command="make"),
        use("u", "Bash", command="make") | side,
        result("u", "Exit code 1\nError: full", True) | side,
        result("t", "ok"),
    )
    assert [(loop.id, loop.attempts[0].exit_code) for loop in loops] == [("s", 0), ("s/a7", 1)]


def test_a_change_that_was_refused_is_none(read):
    [loop] = read(
        use("t", "Edit", file_path="/w/a.py", old_string="x", new_string="y"),
        result("t", "String to replace not found", True),
    )
    assert loop.attempts == ()


def test_of_a_file_elsewhere_only_the_name_is_kept(read):
    [loop] = read(
        use("t", "Write", file_path="/home/nora/notes.md", content="x\n"), result("t", "written")
    )
    assert loop.attempts[0].files == ("notes.md",)


def test_the_summary_of_what_was_compacted_is_no_task(read):
    [loop] = read(
        line("system", subtype="compact_boundary"),
        line("user", {"type": "text", "text": "This session goes on from"}, isCompactSummary=True),
        line("user", {"type": "text", "text": "Only to look at"}, isVisibleInTranscriptOnly=True),
        line("user", {"type": "text", "text": "Now mend the build"}),
    )
    assert loop.task == "Now mend the build"


def test_of_several_results_in_one_line_none_takes_the_others_output(read):
    answer = result("t", "Error: full") | {"toolUseResult": {"stdout": "all fine", "stderr": ""}}
    answer["message"]["content"].append(
        {"type": "tool_result", "tool_use_id": "u", "content": "all fine"}
    )
    [loop] = read(use("t", "Bash", command="make"), use("u", "Bash", command="ls"), answer)
    assert [attempt.output for attempt in loop.attempts] == ["Error: full", "all fine"]


def test_an_error_that_only_the_result_beside_it_tells_is_one(read):
    answer = result(
        "t", "Exit code 2\nError: full", toolUseResult="Error: Exit code 2\nError: full"
    )
    [loop] = read(use("t", "Bash", command="make"), answer)
    assert loop.attempts[0].exit_code == 2


def test_a_command_that_ran_out_of_time_is_no_run(read):
    answer = result("t", "Exit code 143\nCommand timed out after 2m 0.0s", True)
    assert read(use("t", "Bash", command="make"), answer)[0].attempts == ()


def test_a_line_without_a_session_is_of_the_one_before(read):
    asked = use("t", "Bash", command="make")
    del asked["sessionId"]
    [loop] = read(line("user", {"type": "text", "text": "Mend it"}), asked, result("t", "ok"))
    assert len(loop.attempts) == 1


def test_a_transcript_that_begins_with_a_long_snapshot_is_read(read):
    snapshot = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"x": "y" * 30_000}}
    [loop] = read(snapshot, use("t", "Bash", command="make"), result("t", "ok"))
    assert len(loop.attempts) == 1


def test_b082_a_session_that_was_resumed_nine_times_counts_once(read, tmp_path):
    journal = tmp_path / "journal.jsonl"
    lines = [
        use("toolu_1", "Bash", command="make"),
        result("toolu_1", "Exit code 2\nError: the queue is full", True),
        use("toolu_2", "Edit", file_path="/w/q.py", old_string="x", new_string="y"),
        result("toolu_2", "done"),
        use("toolu_3", "Bash", command="make"),
        result("toolu_3", "ok"),
    ]
    for number in range(9):
        [loop] = read(*({**each, "sessionId": f"copy{number}"} for each in lines))
        store(journal, [Learned(loop, tuple(found_in(loop, ["error"])))])
    ops = [json.loads(text)["op"] for text in journal.read_text(encoding="utf-8").splitlines()]
    assert sorted(ops) == ["add", "found", "loop"]


def test_a_huge_transcript_is_read_in_bounded_room(tmp_path):
    path = tmp_path / "s.jsonl"
    wide = "x" * 1_000_000
    lines = (
        use("t", "Bash", command="make"),
        result("t", f"Exit code 2\n{wide}\nError: full", True),
    )
    text = "".join(json.dumps(each) + "\n" for each in lines)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(40):
            file.write(text)
        file.write('{"sessionId":"s","type":"user","x":"' + "y" * (5 << 20) + '"}\n')
    tracemalloc.start()
    unread, loop = read_loops(path, tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "longer than" in unread.reason
    assert len(loop.attempts) == 40
    assert peak < path.stat().st_size
