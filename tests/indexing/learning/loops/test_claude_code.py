"""Claude Code's transcripts."""

import json
from pathlib import Path

import pytest

from indexing.learning.extract import found_in
from indexing.learning.loops import read_loops

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
