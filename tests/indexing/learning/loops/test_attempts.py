"""`attempts.jsonl`, as others write it."""

import json

import pytest

from indexing.errors import UnreadableMemory
from indexing.learning.loops import Unread, read_loops


@pytest.fixture
def read(tmp_path):
    def of(*records, name="attempts.jsonl"):
        text = "".join(
            each if isinstance(each, str) else json.dumps(each) + "\n" for each in records
        )
        (tmp_path / name).write_text(text, encoding="utf-8")
        return list(read_loops(tmp_path / name, tmp_path))

    return of


def test_lines_of_two_loops_may_be_mixed(read):
    loops = read(
        {"loop": "a", "command": "make", "exit_code": 2},
        {"loop": "b", "command": "make", "exit_code": 0},
        {"loop": "a", "command": "make", "exit_code": 0, "outcome": "success"},
    )
    assert [(loop.id, len(loop.attempts), loop.outcome) for loop in loops] == [
        ("a", 2, "success"),
        ("b", 1, ""),
    ]


def test_a_line_that_is_no_object_costs_only_itself(read):
    loop, *unread = sorted(
        read("7\n", "{broken\n", {"command": "make", "exit_code": 2}),
        key=lambda each: isinstance(each, Unread),
    )
    assert [attempt.command for attempt in loop.attempts] == ["make"]
    assert [each.line for each in unread] == [1, 2]


@pytest.mark.parametrize(
    "record",
    [
        {"command": ["make"], "exit_code": "two", "output": {"a": 1}},
        {"command": None, "files": {"path": 3}, "steps": 7, "at": "yesterday"},
        {"exit_code": True, "files": [None, "", {"path": "a.py"}]},
        {"output": "x" * 200_000},
    ],
)
def test_values_of_a_wrong_type_are_unknown(read, record):
    [loop] = read(record)
    assert len(loop.attempts) == 1


def test_output_and_diff_may_lie_beside_it(read, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "1.txt").write_text("Error: queue is full\n", encoding="utf-8")
    [loop] = read({"command": "make", "exit_code": 1, "output_file": "logs/1.txt"})
    assert loop.attempts[0].output == "Error: queue is full\n"


def test_a_file_outside_its_folder_is_not_read(read, tmp_path):
    secret = tmp_path.parent / "secret.txt"
    secret.write_text("Error: password\n", encoding="utf-8")
    for name in ("../secret.txt", str(secret)):
        [loop] = read({"command": "make", "exit_code": 1, "output_file": name})
        assert loop.attempts[0].output == ""


def test_a_folder_without_a_history_is_refused(tmp_path):
    (tmp_path / "notes.md").write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(UnreadableMemory, match="holds no loop history"):
        list(read_loops(tmp_path))


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnreadableMemory, match="is not there"):
        list(read_loops(tmp_path / "gone"))
