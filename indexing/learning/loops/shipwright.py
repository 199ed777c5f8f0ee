"""Shipwright's loops: `loop-logs/`, `error-summary.json`, `loop-state.md`, `error-log.jsonl`."""

import re
from collections.abc import Iterator
from pathlib import Path

from indexing.errors import UnreadableMemory
from indexing.learning.loop import (
    FAILED,
    PARTIAL,
    SUCCESS,
    Attempt,
    Loop,
    numbered,
    shows_failure,
)
from indexing.learning.loops import values
from indexing.learning.loops.interface import Unread
from indexing.readers import json_values
from indexing.readers.json_values import Damage
from indexing.readers.record import plain

_TESTS = re.compile(r"^tests-iter-(\d+)\.log$")
_STATE, _SUMMARY, _ERRORS = "loop-state.md", "error-summary.json", "error-log.jsonl"
_OUTCOMES = {
    **dict.fromkeys(("complete", "completed", "success", "passed"), SUCCESS),
    **dict.fromkeys(("max_iterations", "stopped", "interrupted", "budget_exhausted"), PARTIAL),
    **dict.fromkeys(("failed", "circuit_breaker", "error", "stuck"), FAILED),
}
_FIELD = re.compile(r"^(?P<key>[a-z_]+):\s*(?P<value>.*)$")
_ENTRY = re.compile(r"^#{2,4}\s*Iteration\s+(?P<number>\d+)[^\n]*\n", re.M)
_LONGEST_NOTE = 300


class Shipwright:
    """A loop per folder of logs, with the state beside it; or per log of errors."""

    name = "shipwright"

    def accepts(self, path: Path) -> bool:
        """A folder with `tests-iter-N.log`, a `loop-state.md` without one, an `error-log.jsonl`."""
        if path.is_dir():
            return _is_logs(path)
        if path.name == _STATE:
            return path.is_file() and not _is_logs(path.parent / "loop-logs")
        return path.name == _ERRORS and path.is_file()

    def read(self, path: Path, source: str) -> Iterator[Loop | Unread]:
        """The loop; a log of errors has red runs only, of which nothing can be learnt alone."""
        if path.name == _ERRORS:
            yield from _of_errors(path, source)
        elif path.is_dir():
            yield from _of_logs(path, source)
        else:
            state = _State(json_values.text_of(path))
            yield _loop(state, (), source)


def _is_logs(folder: Path) -> bool:
    try:
        return any(_TESTS.match(each.name) or each.name == _SUMMARY for each in folder.iterdir())
    except OSError:
        return False


class _State:
    """Front matter and log of `loop-state.md`; a value may go on over many lines."""

    def __init__(self, text: str) -> None:
        _, _, rest = text.partition("---\n")
        front, _, log = rest.partition("\n---")
        self.fields: dict[str, str] = {}
        key = ""
        for line in front.splitlines():
            found = _FIELD.match(line)
            if found and not (key == "goal" and _open(self.fields["goal"])):
                key = found["key"]
                self.fields[key] = found["value"]
            elif key:
                self.fields[key] += f"\n{line}"
        parts = _ENTRY.split(log)
        self.notes = {
            int(number): _last_words(text)
            for number, text in zip(parts[1::2], parts[2::2], strict=False)
        }

    def __getitem__(self, key: str) -> str:
        return self.fields.get(key, "").strip().strip('"')


def _open(value: str) -> bool:
    """Whether a quoted value is not at its end yet."""
    text = value.strip()
    return text.startswith('"') and (len(text) < 2 or not text.endswith('"'))


def _loop(state: _State, attempts: tuple[Attempt, ...], source: str) -> Loop:
    goal = state["goal"].splitlines()
    started = state["started_at"]
    return Loop(
        id=f"{source}@{started}" if started else source,
        system=Shipwright.name,
        file=source,
        task=next((line.strip() for line in goal if line.strip()), ""),
        outcome=_OUTCOMES.get(state["status"].lower(), ""),
        attempts=attempts,
    )


def _of_logs(folder: Path, source: str) -> Iterator[Loop | Unread]:
    state = _state(folder.parent)
    numbers = sorted(
        int(found[1])
        for each in folder.iterdir()
        if (found := _TESTS.match(each.name)) and values.is_inside(each, folder)
    )
    command = state["test_cmd"]
    attempts = []
    for number in numbers:
        name = f"tests-iter-{number}.log"
        try:
            output = json_values.text_of(folder / name)
        except UnreadableMemory as error:
            yield Unread(f"{source}/{name}", 0, str(error).removeprefix(f"{folder / name}: "))
            continue
        told = plain(values.beside(folder, f"iteration-{number}.log"))
        said = _last_words(told) or state.notes.get(number, "")
        attempts.append(
            Attempt(
                number=number,
                command=command,
                passed=not shows_failure(output) if output.strip() else None,
                output=output,
                note=said if number > numbers[0] else "",
                place=name,
            )
        )
    summary = _summary(folder / _SUMMARY, command)
    if summary is not None and summary.number > max(numbers, default=0):
        attempts.append(summary)
    times = (state["last_iteration_at"], state["started_at"])
    at = next(filter(None, map(values.time, times)), "")
    dated = [attempt._replace(at=attempt.at or at) for attempt in attempts]
    yield _loop(state, numbered(dated), source)


def _state(folder: Path) -> _State:
    """The state, all of it: a goal may be longer than any text that is kept."""
    path = folder / _STATE
    try:
        return _State(json_values.text_of(path) if values.is_inside(path, folder) else "")
    except UnreadableMemory:
        return _State("")


def _summary(path: Path, command: str) -> Attempt | None:
    """The last red run, of which `error-summary.json` kept some lines."""
    try:
        record = values.mapping(json_values.document(path))
    except UnreadableMemory:
        return None
    lines = values.texts(record.get("error_lines"))
    if not lines:
        return None
    return Attempt(
        number=values.number(record.get("iteration")) or 0,
        command=values.text(record.get("test_cmd")) or command,
        passed=False,
        output="\n".join(lines),
        error=plain(lines[0]),
        at=values.time(record.get("timestamp")),
        place=_SUMMARY,
    )


def _last_words(text: str) -> str:
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", text) if each.strip()]
    said = [each for each in paragraphs if re.search(r"[A-Za-z]{3}", each)]
    return said[-1][:_LONGEST_NOTE] if said else ""


def _of_errors(path: Path, source: str) -> Iterator[Loop | Unread]:
    attempts = []
    for found in json_values.values(json_values.text_of(path), "\n{"):
        if isinstance(found, Damage):
            yield Unread(source, found.line, found.reason)
            continue
        for record in values.mappings(found.value):
            error = plain(values.text(record.get("error")))
            attempts.append(
                Attempt(
                    number=0,
                    command=values.text(record.get("command")),
                    exit_code=values.number(record.get("exit_code")) or 1,
                    output=error,
                    error=next(iter(error.splitlines()), ""),
                    at=values.time(record.get("timestamp")),
                    place=f"line {found.line}",
                )
            )
    yield Loop(source, Shipwright.name, source, attempts=numbered(attempts))
