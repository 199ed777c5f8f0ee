"""AIWG's dialects of state, and what lies beside it."""

import json
import sys
import time
from pathlib import Path

import pytest

from indexing.learning.extract import found_in
from indexing.learning.loops import Unread, read_loops
from indexing.learning.loops.documents import of_markdown

ROOT = Path(__file__).parent.parent.parent.parent.parent
LOOPS = ROOT / "fixtures" / "loops"

DIALECTS = {
    "v2": {
        "version": "2.0",
        "loop_id": "ralph-x-0a1b2c3d",
        "task": "Fix it",
        "status": "completed",
        "completion_criteria": "npm test passes",
        "progress": {
            "completion_checks": [
                {"iteration": 1, "passed": False, "output": "Error: queue is full"},
                {"iteration": 2, "passed": True, "output": "ok"},
            ]
        },
    },
    "code": {
        "loopId": "ralph-x",
        "task": "Fix it",
        "status": "completed",
        "completion": "npm test passes",
        "iterations": [
            {"number": 1, "status": "failed", "output": "Error: queue is full"},
            {"number": 2, "status": "passed"},
        ],
    },
    "by hand": {
        "task": "Fix it",
        "status": "completed",
        "completion_criteria": ["npm test passes"],
        "learnings": ["Drain the queue first."],
        "iterations": [
            {"iteration": 1, "passed": False, "error": "Error: queue is full"},
            {"iteration": 2, "passed": True},
        ],
    },
    "camel by hand": {
        "active": False,
        "task": "Fix it",
        "completion": "`npm test`",
        "currentIteration": 2,
        "status": "completed",
        "iterations": [
            {"number": 1, "exitCode": 1, "output": "Error: queue is full"},
            {"number": 2, "exitCode": 0},
        ],
    },
    "external": {
        "loopId": "7c2f1f9e-6f0c-4b8e-9a51-0d4f0a8c11aa",
        "objective": "Fix it",
        "completionCriteria": "npm test",
        "status": "completed",
        "iterations": [
            {"number": 1, "exitCode": 1, "status": "failed", "output": "Error: queue is full"},
            {"number": 2, "exitCode": 0, "status": "completed", "filesModified": ["a.js"]},
        ],
        "accumulatedLearnings": "- Drain the queue first.\n",
    },
}


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_tells_red_and_green(tmp_path, name):
    (tmp_path / "state.json").write_text(json.dumps(DIALECTS[name]), encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert [attempt.outcome for attempt in loop.attempts] == [False, True]
    assert {attempt.key for attempt in loop.attempts} == {"$ npm test"}
    assert (loop.task, loop.result) == ("Fix it", "success")


def test_what_several_files_say_of_an_iteration_is_put_together(tmp_path):
    (tmp_path / "state.json").write_text(json.dumps(DIALECTS["code"]), encoding="utf-8")
    (tmp_path / "reflections").mkdir()
    reflection = {
        "loop_id": "ralph-x",
        "iteration": 2,
        "actor_output": {"files_modified": ["src/queue.ts"]},
        "evaluator_output": {"passed": True},
        "self_reflection": {"lessons_learned": ["Bound the queue."]},
    }
    (tmp_path / "reflections" / "002.json").write_text(json.dumps(reflection), encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert loop.attempts[1].files == ("src/queue.ts",)
    assert loop.learnings == ("Bound the queue.",)
    [found] = found_in(loop, ["error"])
    assert found.entry.files == ("src/queue.ts",)


def test_a_record_of_another_loop_is_left(tmp_path):
    (tmp_path / "state.json").write_text(json.dumps(DIALECTS["code"]), encoding="utf-8")
    (tmp_path / "iterations").mkdir()
    other = {"loop_id": "ralph-y", "iteration_number": 1, "verification_status": "passed"}
    (tmp_path / "iterations" / "iteration-1.json").write_text(json.dumps(other), encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert loop.attempts[0].outcome is False


def test_a_fix_of_the_debug_memory_belongs_to_the_next_run():
    [loop] = read_loops(LOOPS / "aiwg_debug", ROOT)
    assert [(a.outcome, a.note) for a in loop.attempts] == [
        (False, ""),
        (True, "Look the country up by its key"),
    ]
    [found] = found_in(loop, ["error"])
    assert found.entry.lesson.fix == "Look the country up by its key"


def test_a_fix_that_is_said_to_be_verified_is_a_green_run(tmp_path):
    (tmp_path / "current-loop.json").write_text(
        json.dumps(DIALECTS["by hand"] | {"iterations": []}), encoding="utf-8"
    )
    (tmp_path / "debug-memory").mkdir()
    execution = {
        "attempt": 1,
        "failures": [{"error_type": "TypeError", "error_message": "x is not a function"}],
        "fix_applied": {"description": "Call y", "verification": "passed"},
    }
    memory = {"file_path": "a.ts", "executions": [execution]}
    (tmp_path / "debug-memory" / "a.json").write_text(json.dumps(memory), encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert [a.outcome for a in loop.attempts] == [False, True]


def test_a_broken_file_beside_it_is_named_and_costs_only_itself(tmp_path):
    (tmp_path / "state.json").write_text(json.dumps(DIALECTS["code"]), encoding="utf-8")
    (tmp_path / "iterations").mkdir()
    (tmp_path / "iterations" / "iteration-3.json").write_text('{"a": ', encoding="utf-8")
    unread, loop = read_loops(tmp_path, tmp_path)
    assert isinstance(unread, Unread)
    assert "iteration-3.json" in unread.file
    assert len(loop.attempts) == 2


MARKDOWN = """# Ralph Loop - Iteration {number}

**Date:** 2026-01-25
**Status:** {status}

## Actions Taken

1. **{done}**
   - with care

## Test Output

```text
{output}
```

## Files Created/Modified

- `src/queue.ts` (drains first)

## Learnings

1. Drain the queue first

## Next Steps

1. Something else
"""


def test_iterations_written_as_markdown_tell_what_was_done_and_what_came_of_it(tmp_path):
    state = DIALECTS["camel by hand"] | {"iterations": []}
    (tmp_path / "current-loop.json").write_text(json.dumps(state), encoding="utf-8")
    (tmp_path / "iterations").mkdir()
    for number, status, done, output in (
        (1, "FAILED", "Raised the limit", "Error: queue is full"),
        (2, "✅ SUCCESS", "Drained the queue", ""),
    ):
        text = MARKDOWN.format(number=number, status=status, done=done, output=output)
        path = tmp_path / "iterations" / f"iteration-{number:03d}.md"
        path.write_text(text, encoding="utf-8")
    (tmp_path / "iterations" / "README.md").write_text("# How to read these\n", encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert [(a.outcome, a.note) for a in loop.attempts] == [
        (False, "Raised the limit"),
        (True, "Drained the queue"),
    ]
    assert loop.learnings == ("Drain the queue first",)
    [found] = found_in(loop, ["error"])
    assert (found.entry.lesson.fix, found.entry.files) == ("Drained the queue", ("src/queue.ts",))
    assert found.finding.at == "2026-01-25T00:00:00Z"


def test_a_link_that_leads_out_of_the_loops_folder_is_not_read(tmp_path):
    loop = tmp_path / "loop"
    (loop / "iterations").mkdir(parents=True)
    (loop / "state.json").write_text(json.dumps(DIALECTS["code"]), encoding="utf-8")
    elsewhere = tmp_path / "elsewhere.json"
    record = {"iteration_number": 3, "output": "of another", "verification_status": "failed"}
    elsewhere.write_text(json.dumps(record), encoding="utf-8")
    (loop / "iterations" / "iteration-3.json").symlink_to(elsewhere)
    (loop / "iterations" / "iteration-4.json").symlink_to("iteration-4.json")
    [found] = read_loops(loop, tmp_path)
    assert len(found.attempts) == 2


def test_markdown_of_any_length_is_read_in_linear_time():
    wide = "#" * 200_000 + "\n# Iteration 1" + " " * 200_000 + "x\n" + "```\n~~~\n" * 50_000
    began = time.process_time()
    assert of_markdown(wide)["iteration"] == 1
    assert time.process_time() - began < 2


YAML = """
loop_id: ralph-x
iteration_number: {number}
timestamp: 2026-02-02T15:00:00Z
verification_status: {status}
output: "{output}"
fix_applied: {{description: Drain it, files_changed: [a.js]}}
"""


def test_records_written_as_yaml_are_read_as_those_of_json(tmp_path):
    state = DIALECTS["code"] | {"iterations": []}
    (tmp_path / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (tmp_path / "iterations").mkdir()
    for number, status, output in ((1, "failed", "Error: queue is full"), (2, "passed", "")):
        text = YAML.format(number=number, status=status, output=output)
        path = tmp_path / "iterations" / f"iteration-{number:03d}.yaml"
        path.write_text(text, encoding="utf-8")
    (tmp_path / "debug-memory" / "patterns").mkdir(parents=True)
    learnt = "patterns: [{pattern_id: x, error_pattern: queue is full, fix_template: drain it}]"
    path = tmp_path / "debug-memory" / "patterns" / "learned-patterns.yaml"
    path.write_text(learnt, encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert [(a.outcome, a.at) for a in loop.attempts] == [
        (False, "2026-02-02T15:00:00Z"),
        (True, "2026-02-02T15:00:00Z"),
    ]
    assert loop.attempts[1].note.startswith("Drain it")
    assert loop.learnings == ("queue is full: drain it",)


BILLION = "\n".join(
    ["a0: &a0 {x: 1}"]
    + [f"a{at}: &a{at} {{<<: [{', '.join([f'*a{at - 1}'] * 9)}]}}" for at in range(1, 12)]
)


@pytest.mark.parametrize("text", ["a: [", "[" * 5000, "!!python/object:os.system {}", BILLION])
def test_yaml_that_is_none_or_attacks_is_named_and_costs_only_itself(tmp_path, text):
    (tmp_path / "state.json").write_text(json.dumps(DIALECTS["code"]), encoding="utf-8")
    (tmp_path / "iterations").mkdir()
    (tmp_path / "iterations" / "iteration-3.yaml").write_text(text, encoding="utf-8")
    unread, loop = read_loops(tmp_path, tmp_path)
    assert "iteration-3.yaml" in unread.file
    assert "YAML" in unread.reason
    assert len(loop.attempts) == 2


def test_without_the_library_yaml_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "state.json").write_text(json.dumps(DIALECTS["code"]), encoding="utf-8")
    (tmp_path / "reflections").mkdir()
    (tmp_path / "reflections" / "index.yaml").write_text("loops: {}", encoding="utf-8")
    unread, _ = read_loops(tmp_path, tmp_path)
    assert unread.reason == "PyYAML is not installed; pip install 'oncebitten[yaml]'"


def test_an_iteration_that_counts_its_tests_says_how_it_ended(tmp_path):
    state = DIALECTS["by hand"] | {"iterations": []}
    (tmp_path / "loop-state.json").write_text(json.dumps(state), encoding="utf-8")
    (tmp_path / "iterations").mkdir()
    record = {"iteration": 13, "completed_at": "2026-01-24T04:30:00Z", "changes": ["Reset it"]}
    for number, failed in ((12, 2), (13, 0)):
        path = tmp_path / "iterations" / f"iteration-{number}.json"
        text = json.dumps(record | {"iteration": number, "tests_failed": failed})
        path.write_text(text, encoding="utf-8")
    [loop] = read_loops(tmp_path, tmp_path)
    assert [(a.outcome, a.note, a.at) for a in loop.attempts] == [
        (False, "Reset it", "2026-01-24T04:30:00Z"),
        (True, "Reset it", "2026-01-24T04:30:00Z"),
    ]
