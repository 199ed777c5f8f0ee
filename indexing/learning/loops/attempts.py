"""`attempts.jsonl`: a line per run, for every loop that has no history of its own.

    {"loop":"fix-login","task":"Login fails after logout","at":"2026-02-02T14:58:00Z",
     "command":"npm test","cwd":"web","exit_code":1,"output":"…",
     "diff":"…","files":["web/src/session.ts"],"note":"what was changed","steps":["npm i x"],
     "duration_s":12.5,"by":"nora","shown":["id"],"applied":["id"],"outcome":"success"}

`command` and `exit_code` are all that is needed. `output_file` and `diff_file` name files beside it
in place of `output` and `diff`. `diff`, `files`, `note` and `steps` are what was changed *before*
this run. `signature` (`raw`, `tool`, `joined`, `rule`) stands where the output was not kept.
A line without a command is a change that no run followed at once. `mem run` writes the
same into `.mem/history.jsonl`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexing.learning.loop import FAILED, PARTIAL, SUCCESS, Attempt, Loop, numbered
from indexing.learning.loops import values
from indexing.learning.loops.interface import Unread
from indexing.readers import json_values
from indexing.readers.json_values import Damage
from indexing.signature import Signature, sign

HISTORY = "history.jsonl"
_OUTCOMES = {
    **dict.fromkeys(("success", "passed", "completed", "ok"), SUCCESS),
    **dict.fromkeys(("partial",), PARTIAL),
    **dict.fromkeys(("failure", "failed", "aborted", "error"), FAILED),
}


class Attempts:
    """Lines of one loop may stand among those of others; a line without `loop` is the file's."""

    name = "attempts"

    def accepts(self, path: Path) -> bool:
        """By its name, `attempts.jsonl`, `x.attempts.jsonl` or our `history.jsonl`."""
        named = path.name.endswith("attempts.jsonl")
        return path.is_file() and (named or _is_history(path))

    def read(self, path: Path, source: str) -> Iterator[Loop | Unread]:
        """The loops in the order of their first lines."""
        loops: dict[str, list[dict[str, Any]]] = {}
        for line in json_values.lines(path):
            if isinstance(line, Damage):
                yield Unread(source, line.line, line.reason)
                continue
            number, text = line
            for found in json_values.values(text, "{", number):
                if isinstance(found, Damage):
                    yield Unread(source, found.line, found.reason)
                elif not isinstance(found.value, dict):
                    yield Unread(source, found.line, "is no object")
                else:
                    name = values.text(found.value.get("loop")) or source
                    loops.setdefault(name, []).append({**found.value, "(line)": found.line})
        for name, records in loops.items():
            yield _loop(name, records, path.parent, source)


def _is_history(path: Path) -> bool:
    return path.name == HISTORY and '"command"' in json_values.head(path)


def _loop(name: str, records: list[dict[str, Any]], folder: Path, source: str) -> Loop:
    told = {key: values.first(record, key) for record in records for key in record}
    outcomes = [_OUTCOMES.get(values.text(record.get("outcome")).lower()) for record in records]
    return Loop(
        id=name,
        system="attempts",
        file=source,
        task=values.text(next((r["task"] for r in records if r.get("task")), "")),
        outcome=next((outcome for outcome in reversed(outcomes) if outcome), ""),
        by=values.text(told.get("by")),
        attempts=numbered([_attempt(record, folder) for record in records]),
        shown=_all(records, "shown"),
        applied=_all(records, "applied"),
    )


def _signature(told: values.Json, record: dict[str, Any]) -> Signature | None:
    """What `mem run` keeps of an output."""
    raw = values.text(told.get("raw"))
    if not raw:
        return None
    command, rule = values.text(record.get("command")), values.text(told.get("rule"))
    tool = values.text(told.get("tool")) or None
    return sign(raw, tool, values.texts(told.get("joined")), command, rule)


def _all(records: list[dict[str, Any]], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id for record in records for id in values.texts(record.get(key))))


def _attempt(record: dict[str, Any], folder: Path) -> Attempt:
    passed = record.get("passed")
    return Attempt(
        number=0,
        command=values.text(record.get("command")),
        cwd=values.text(record.get("cwd")),
        exit_code=values.number(record.get("exit_code")),
        passed=passed if isinstance(passed, bool) else None,
        output=values.text(record.get("output"))
        or values.beside(folder, record.get("output_file")),
        error=values.text(record.get("error")),
        location=values.text(record.get("location")),
        signature=_signature(values.mapping(record.get("signature")), record),
        files=values.names(record.get("files")),
        diff=values.text(record.get("diff")) or values.beside(folder, record.get("diff_file")),
        note=values.text(record.get("note")),
        steps=values.texts(record.get("steps")),
        tools=values.texts(record.get("tools")),
        at=values.time(record.get("at")),
        place=f"line {record['(line)']}",
    )
