"""Histories are files of anybody: whatever they hold, reading and learning end well."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.errors import MemError
from indexing.learning.extract import found_in
from indexing.learning.loop import Loop
from indexing.learning.loops import read_loops
from indexing.learning.store import Learned, records_of

KEYS = st.sampled_from(
    [
        *("loop", "loop_id", "task", "command", "exit_code", "output", "error", "diff", "files"),
        *("iterations", "executions", "failures", "fix_applied", "test_results", "passed", "at"),
        *("status", "completion_criteria", "message", "content", "type", "sessionId", "name", "id"),
        *("input", "tool_use_id", "toolUseResult", "structuredPatch", "lines", "note", "steps"),
        *(
            "iteration",
            "number",
            "error_lines",
            "learnings",
            "shown",
            "applied",
            "signature",
            "raw",
        ),
    ]
)
TEXTS = st.sampled_from(
    [
        *("", "npm test", "Error: queue is full", "+ x = 1\n- x = 2", "tool_use", "tool_result"),
        *(
            "Bash",
            "Edit",
            "user",
            "assistant",
            "Exit code 1\nError: a",
            "2026-02-02T10:00:00Z",
            "'",
        ),
        *("\ud800", "\x00", "../../etc/passwd", "cd a && npm test | tail", "{{x}}", "a" * 5000),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
NAMES = ("attempts.jsonl", "state.json", "current-loop.json", "error-log.jsonl", "s.jsonl")


def learnt(path):
    loops = []
    try:
        loops += [each for each in read_loops(path) if isinstance(each, Loop)]
    except MemError:
        return
    for loop in loops:
        list(records_of([Learned(loop, tuple(found_in(loop)))]))


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=6), min_size=1, max_size=5))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
def test_values_of_any_shape_end_well(tmp_path, name, records):
    head = {"sessionId": "s", "type": "user", "task": "t"}
    if name.endswith(".jsonl"):
        text = "".join(json.dumps({**head, **record}) + "\n" for record in records)
    else:
        text = json.dumps({**head, **records[0]})
    (tmp_path / name).write_text(text, encoding="utf-8")
    learnt(tmp_path / name)


@pytest.mark.parametrize("name", [*NAMES, "loop-state.md"])
@given(st.binary(max_size=400))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
def test_bytes_of_any_kind_end_well(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    learnt(tmp_path / name)


@pytest.mark.parametrize("name", ["state.json", "attempts.jsonl"])
def test_what_is_nested_without_end_ends_well(tmp_path, name):
    deep = '{"task":' + '{"a":' * 5000 + "1" + "}" * 5001
    (tmp_path / name).write_text(deep, encoding="utf-8")
    learnt(tmp_path / name)


def test_a_link_that_leads_back_is_not_followed(tmp_path):
    (tmp_path / "loops").mkdir()
    (tmp_path / "loops" / "back").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "attempts.jsonl").write_text('{"command":"make","exit_code":0}\n', "utf-8")
    assert len(list(read_loops(tmp_path))) == 1
