"""AIWG's loops: five dialects of state, iteration records, analytics, debug memory, reflections.

What several files say of one iteration is put together by its number. Each may be JSON, YAML or,
for iterations, the Markdown that agents write: `documents.py` makes one value of any of them.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from indexing.errors import MemError
from indexing.learning.loop import FAILED, PARTIAL, SUCCESS, Attempt, Loop, numbered
from indexing.learning.loops import values
from indexing.learning.loops.documents import SUFFIXES, document_of
from indexing.learning.loops.interface import Unread
from indexing.learning.loops.values import Json
from indexing.readers import json_values

_STATES = frozenset(("state.json", "current-loop.json", "loop-state.json", "session-state.json"))
_MARKS = ('"task"', '"objective"', '"loop_id"', '"loopId"', '"task_description"')
_BESIDE = (
    *("iterations/**/*", "analytics*", "*-analytics*", "analytics/*"),
    *("debug-memory/**/*", "reflections/**/*"),
)
_OUTCOMES = {
    **dict.fromkeys(("completed", "complete", "success", "succeeded", "passed", "done"), SUCCESS),
    **dict.fromkeys(("partial", "limit_reached", "max_iterations", "paused", "stopped"), PARTIAL),
    **dict.fromkeys(("failed", "failure", "aborted", "escalated", "error", "cancelled"), FAILED),
}
_PASSED = frozenset(("passed", "pass", "success", "succeeded", "completed", "complete", "ok"))
_FAILED = frozenset(("failed", "fail", "failure", "error"))
_COMMAND = re.compile(
    r"`(?P<quoted>[^`\n]+)`|^(?P<plain>(?:npm|npx|yarn|pnpm|pytest|python|cargo|go"
    r"|make|mvn|gradle|dotnet|tox|nox|jest|vitest|bundle|rake)\b[^,;]*?)"
    r"(?: (?:passes|succeeds|exits|is green|returns)\b.*)?$"
)
_TIMES = ("timestamp", "at", "completed_at", "endTime", "startTime")
_Iteration = dict[str, Any]


class Aiwg:
    """A loop per state file; what lies beside it belongs to it."""

    name = "aiwg"

    def accepts(self, path: Path) -> bool:
        """`state.json`, `current-loop.json` or `session-state.json` that speaks of a task."""
        if path.name not in _STATES or not path.is_file():
            return False
        begin = json_values.head(path)
        return any(mark in begin for mark in _MARKS)

    def read(self, path: Path, source: str) -> Iterator[Loop | Unread]:
        """The loop of the state file."""
        state = values.mapping(json_values.document(path))
        folder = path.parent
        loop_id = values.text(values.first(state, "loop_id", "loopId", "id"))
        gathered = _Gathered(folder)
        gathered.state(state)
        for beside in _beside(folder):
            name = beside.relative_to(folder).as_posix()
            try:
                gathered.document(document_of(beside), name, loop_id)
            except MemError as error:
                yield Unread(f"{source} ({name})", 0, str(error).removeprefix(f"{beside}:"))
        task = values.text(values.first(state, "task", "objective", "task_description"))
        said = values.text(state.get("status")).lower()
        yield Loop(
            id=loop_id or source,
            system=self.name,
            file=source,
            task=task,
            outcome=_OUTCOMES.get(said, ""),
            by=values.text(values.first(state, "contributed_by", "agent", "actor")),
            attempts=gathered.attempts(_command_of(state)),
            learnings=gathered.learnings(state),
            shown=_ids(state, "injected", "patterns_injected", "injected_patterns"),
            applied=_ids(state, "applied", "patterns_applied", "applied_patterns"),
        )


def _beside(folder: Path) -> Iterator[Path]:
    """The files that belong to the loop; a link that leads out of its folder leads to none."""
    for pattern in _BESIDE:
        for path in sorted(folder.glob(pattern)):
            if path.suffix in SUFFIXES and values.is_inside(path, folder) and path.is_file():
                yield path


def _command_of(state: Json) -> str:
    """The command by which the loop tells that it is done, when it names one."""
    named = values.text(values.first(state, "verification_command", "test_command", "command"))
    if named:
        return named
    given = values.first(state, "completion_criteria", "completionCriteria", "completion")
    for text in values.texts(given):
        if found := _COMMAND.search(text):
            return (found["quoted"] or found["plain"]).strip()
    return ""


def _ids(state: Json, *keys: str) -> tuple[str, ...]:
    given = values.first(state, *keys)
    if isinstance(given, list):
        named = [
            each
            if isinstance(each, str)
            else values.first(values.mapping(each), "pattern_id", "id")
            for each in given
        ]
        return tuple(each for each in named if isinstance(each, str))
    return values.texts(given)


class _Gathered:
    """What was read of each iteration, by its number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._of: dict[int, list[tuple[Json, str]]] = {}
        self._learnt: list[str] = []

    def state(self, state: Json) -> None:
        for at, each in enumerate(values.mappings(state.get("iterations"))):
            self._take(each, f"iterations[{at}]")
        checks = values.mapping(state.get("progress")).get("completion_checks")
        for at, each in enumerate(values.mappings(checks)):
            self._take(each, f"progress.completion_checks[{at}]")

    def document(self, document: Any, name: str, loop_id: str) -> None:
        """An iteration record, analytics, a debug memory, a reflection; another loop's is left."""
        record = values.mapping(document)
        owner = values.text(values.first(record, "loop_id", "loopId"))
        if owner and loop_id and owner != loop_id:
            return
        if not record:
            return
        if "executions" in record:
            self._debug_memory(record, name)
        elif isinstance(record.get("patterns"), list):
            self._patterns(record["patterns"])
        elif isinstance(record.get("iterations"), list):
            for at, each in enumerate(values.mappings(record["iterations"])):
                self._take(each, f"{name}, iterations[{at}]")
        elif "evaluator_output" in record or "self_reflection" in record:
            self._reflection(record, name)
        else:
            self._take(record, name)

    def _debug_memory(self, memory: Json, name: str) -> None:
        for at, each in enumerate(values.mappings(memory.get("executions"))):
            self._take({"files": memory.get("file_path"), **each}, f"{name}, executions[{at}]")
        learnings = values.mapping(memory.get("learnings"))
        self._patterns(learnings.get("patterns_identified"))
        self._learnt += values.texts(learnings.get("recommendations"))

    def _patterns(self, given: Any) -> None:
        """What a debug memory has learnt of an error: it rests on runs that are not told."""
        for each in values.mappings(given):
            error = values.text(values.first(each, "error_pattern", "pattern"))
            fix = values.text(each.get("fix_template"))
            self._learnt += [f"{error}: {fix}"] if error and fix else []

    def _reflection(self, record: Json, name: str) -> None:
        actor = values.mapping(record.get("actor_output"))
        judged = values.mapping(record.get("evaluator_output"))
        thought = values.mapping(record.get("self_reflection"))
        self._learnt += values.texts(thought.get("lessons_learned"))
        self._take(
            {
                "iteration": record.get("iteration"),
                "timestamp": record.get("timestamp"),
                "files_modified": actor.get("files_modified"),
                "passed": judged.get("passed"),
                "errors": judged.get("errors"),
                "results": judged.get("results"),
            },
            name,
        )

    def _take(self, record: Json, place: str) -> None:
        given = values.first(record, "iteration_number", "number", "iteration", "attempt")
        number = values.number(given)
        if number is None:
            digits = re.findall(r"\d+", place)
            number = int(digits[-1]) if digits else len(self._of) + 1
        self._of.setdefault(number, []).append((record, place))
        self._learnt += values.texts(record.get("learnings"))

    def attempts(self, command: str) -> tuple[Attempt, ...]:
        made: list[Attempt] = []
        pending: Attempt | None = None  # a fix that was made after the run that it stands beside
        for number in sorted(self._of):
            attempt = self._attempt(self._of[number], command)._replace(number=number)
            if pending is not None:
                attempt = _with_change(attempt, pending)
                pending = None
            if attempt.outcome is False and (attempt.note or attempt.diff):
                pending = attempt
                attempt = attempt._replace(note="", diff="", files=None)
            if done := _done(self._of[number]):
                attempt = _with_change(attempt, Attempt(0, note=done))
            made.append(attempt)
            if pending is not None and self._verified(self._of[number]):
                made.append(_with_change(Attempt(0, command, passed=True, at=attempt.at), pending))
                pending = None
        if pending is not None:
            made.append(_with_change(Attempt(0), pending))
        return numbered(made)

    @staticmethod
    def _verified(records: Sequence[tuple[Json, str]]) -> bool:
        fixes = (values.mapping(record.get("fix_applied")) for record, _ in records)
        return any(values.text(fix.get("verification")).lower() == "passed" for fix in fixes)

    def _attempt(self, records: Sequence[tuple[Json, str]], command: str) -> Attempt:
        merged: _Iteration = {}
        for record, _ in records:
            merged.update({key: value for key, value in record.items() if value not in (None, "")})
        fix = values.mapping(merged.get("fix_applied"))
        error, location = _error_of(merged)
        files = [
            names
            for key in ("files_changed", "files_modified", "filesModified")
            for names in (values.names(merged.get(key)), values.names(fix.get(key)))
            if names is not None
        ]
        output = "\n".join(
            filter(
                None,
                (
                    values.text(merged.get("output")),
                    values.beside(self._folder, merged.get("stdoutFile")),
                    values.beside(self._folder, merged.get("stderrFile")),
                ),
            )
        )
        return Attempt(
            number=0,
            command=values.text(merged.get("command")) or command,
            exit_code=values.number(values.first(merged, "exit_code", "exitCode")),
            passed=_passed(merged, error),
            output=output,
            error=error,
            location=location,
            files=tuple(dict.fromkeys(name for names in files for name in names))
            if files
            else None,
            diff=values.text(values.first(fix, "diff") or merged.get("diff")),
            note=values.text(values.first(fix, "description") or merged.get("fix")),
            tools=values.texts(values.first(merged, "tools_used", "toolsUsed")),
            at=values.time(values.first(merged, *_TIMES)),
            place=", ".join(dict.fromkeys(place for _, place in records)),
        )

    def learnings(self, state: Json) -> tuple[str, ...]:
        given = state.get("accumulatedLearnings")
        lines = given.splitlines() if isinstance(given, str) else []
        told = [line.strip("-* \t") for line in lines]
        all_ = [*values.texts(state.get("learnings")), *told, *self._learnt]
        return tuple(dict.fromkeys(each for each in all_ if each))[:20]


def _done(records: Sequence[tuple[Json, str]]) -> str:
    """What was done in an iteration before its result was known."""
    told = (values.first(record, "done", "changes") for record, _ in records)
    return "; ".join(dict.fromkeys(each for given in told for each in values.texts(given)))


def _with_change(attempt: Attempt, made: Attempt) -> Attempt:
    """The attempt with a change that was made before it."""
    files = (*(made.files or ()), *(attempt.files or ()))
    known = made.files is not None or attempt.files is not None
    return attempt._replace(
        note="; ".join(filter(None, (made.note, attempt.note))),
        diff="\n".join(filter(None, (made.diff, attempt.diff))),
        files=tuple(dict.fromkeys(files)) if known else None,
    )


def _passed(record: Json, error: str) -> bool | None:
    tests = values.mapping(record.get("test_results"))
    if tests:
        bad = sum(values.number(tests.get(key)) or 0 for key in ("failed", "errors"))
        return bad == 0 and not error
    failed = values.number(record.get("tests_failed"))
    if failed is not None:
        return failed == 0 and not error
    if isinstance(record.get("passed"), bool):
        return bool(record["passed"])
    for key in ("verification_status", "status"):
        said = values.text(record.get(key)).lower()
        if said in _PASSED:
            return True
        if said in _FAILED:
            return False
    return False if error else None


def _error_of(record: Json) -> tuple[str, str]:
    """`TypeError: …` and where; of several the first, since others follow from it."""
    given = values.first(record, "error", "failures", "errors")
    if isinstance(given, str):
        return given.strip(), ""
    for error in values.mappings(given):
        kind = values.text(values.first(error, "error_type", "type"))
        message = values.text(values.first(error, "message", "error_message"))
        if not message:
            continue
        where = values.mapping(error.get("source_location"))
        place = values.text(values.first(error, "location", "file", "test_file"))
        place = values.text(where.get("file")) or place
        is_class = re.fullmatch(r"[A-Z]\w*", kind) and not message.startswith(kind)
        return (f"{kind}: {message}" if is_class else message), place
    return "", ""
