"""Our journal: one entry per `add`, with what its `outcome` records say of it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import KINDS, OUTCOMES, Entry, Evidence, Lesson, Source
from indexing.journal import VERSION, Outcome, credited
from indexing.readers import json_values
from indexing.readers.interface import Credit, Decided, Quarantined
from indexing.readers.json_values import Damage, Value
from indexing.readers.record import Record, RecordError, headline, quarantined
from indexing.signature import Signature, sign

_BEGINS = '{"v"'
_DECISIONS = frozenset(("merge", "split", "archive", "restore", "undo"))
_OF_LOOPS = frozenset(("loop", "withheld"))


class Journal:
    """Records stand in any order and may stand twice: git merges journals line by line."""

    name = "journal"
    signs = True

    def accepts(self, path: Path) -> bool:
        """`journal.jsonl`, or another `.jsonl` that begins like one."""
        if path.name == "journal.jsonl":
            return path.is_file()
        return path.suffix == ".jsonl" and '"op"' in _first_record(path)

    def read(self, path: Path, source: str) -> Iterator[Entry | Quarantined | Credit | Decided]:
        """The entries in order of their first line, behind what could not be used."""
        return self.read_lines(json_values.lines(path), source)

    def read_lines(
        self, lines: Iterable[tuple[int, str] | Damage], source: str
    ) -> Iterator[Entry | Quarantined | Credit | Decided]:
        """What `read` gives of a file that has these lines only."""
        book = _Book()
        for found in _values(lines):
            where = Source(self.name, source, f"line {found.line}")
            if isinstance(found, Damage):
                yield quarantined(where, found.reason, found.text)
                continue
            try:
                book.take(Record(found.value), where, found.value)
            except RecordError as error:
                yield quarantined(where, str(error), found.value)
        yield from book.corrected
        yield from book.entries()
        yield from book.foreign()
        yield from book.decided()


def _first_record(path: Path) -> str:
    begin = json_values.head(path).lstrip("\ufeff \t\r\n")
    return begin.split("\n", 1)[0] if begin.startswith(_BEGINS) else ""


def _values(lines: Iterable[tuple[int, str] | Damage]) -> Iterator[Value | Damage]:
    for line in lines:
        if isinstance(line, Damage):
            yield line
        else:
            yield from json_values.values(line[1], _BEGINS, line[0])


class _Added(NamedTuple):
    entry: Entry
    value: Any


class _Book:
    """What was read so far: entries by id, and the outcomes that wait for theirs."""

    def __init__(self) -> None:
        self._added: dict[str, _Added] = {}
        self._outcomes: dict[str, Credit] = {}
        self._found: dict[str, Credit] = {}
        self._decided: dict[str, Decided] = {}
        self._loops: dict[str, dict[str, dict[str, Any]]] = {}
        self.corrected: list[Quarantined] = []

    def take(self, record: Record, where: Source, value: Any) -> None:
        version = record.count("v")
        if version is None:
            raise RecordError("has no version 'v', so is no record of a journal")
        if version > VERSION:
            raise RecordError(f"is of version {version}, this program reads {VERSION}; upgrade it")
        op, id, at = record.text("op"), record.text("id"), record.time("at")
        if not id:
            raise RecordError("has no 'id'")
        if op == "add":
            self._add(_entry(record, id, at, where), value)
        elif op == "outcome":
            # an id that stands twice was merged: once
            self._outcomes.setdefault(id, Credit(where, _outcome(record, at)))
        elif op == "found":
            self._finding(record, id, at, where)
        elif op in _DECISIONS:
            self._decided.setdefault(id, Decided(where, id, op, at, record.rest()))
        elif op not in _OF_LOOPS:
            raise RecordError(f"has the unknown op '{op}'; kept in the file, not used")

    def _finding(self, record: Record, id: str, at: str, where: Source) -> None:
        """A loop that found or used a pattern: lineage, and what came of it."""
        entry_id, outcome, loop = (record.text(key) for key in ("entry_id", "outcome", "loop"))
        if not (entry_id and loop):
            raise RecordError("has no 'entry_id' or no 'loop'")
        if outcome != "seen":
            self._found.setdefault(id, Credit(where, _checked(entry_id, outcome, at, loop)))
        told = {"loop_id": loop, "timestamp": at, "outcome": outcome, **record.rest()}
        told.pop("v", None)
        self._loops.setdefault(entry_id, {}).setdefault(id, told)

    def _add(self, entry: Entry, value: Any) -> None:
        before = self._added.get(entry.id)
        if before is not None and before.value != value:
            line = entry.source.locator
            self.corrected.append(
                quarantined(
                    before.entry.source, f"is recorded again, corrected, in {line}", before.value
                )
            )
        if before is None or before.value != value:
            self._added[entry.id] = _Added(entry, value)

    def entries(self) -> Iterator[Entry]:
        """The entries with the outcomes that name them counted in."""
        of: dict[str, list[Outcome]] = {}
        for credit in (*self._outcomes.values(), *self._found.values()):
            of.setdefault(credit.outcome.entry_id, []).append(credit.outcome)
        for id, (entry, _) in self._added.items():
            loops = self._lineage(id)
            if loops:
                entry = _with_lineage(entry, loops)
            yield entry._replace(evidence=credited(entry.evidence, of.get(id, ())))

    def _lineage(self, id: str) -> list[dict[str, Any]]:
        """The loops that found or used the entry, in the order of time."""
        loops = self._loops.get(id, {}).values()
        return sorted(loops, key=lambda loop: (loop["timestamp"], loop["loop_id"]))

    def foreign(self) -> Iterator[Credit]:
        """The outcomes of entries that are not in this file."""
        for credit in (*self._outcomes.values(), *self._found.values()):
            if credit.outcome.entry_id not in self._added:
                yield credit

    def decided(self) -> Iterator[Decided]:
        """What was decided of patterns, here or in other files."""
        yield from self._decided.values()


def _with_lineage(entry: Entry, loops: list[dict[str, Any]]) -> Entry:
    times = [loop["timestamp"] for loop in loops if loop["timestamp"]]
    seen = len({loop["loop_id"] for loop in loops})
    known = entry.evidence
    evidence = known._replace(
        seen=known.seen + seen,
        first=min(filter(None, (known.first, *times)), default=""),
        last=max((known.last, *times), default=""),
    )
    return entry._replace(evidence=evidence, extra={**entry.extra, "source_loops": loops})


def _outcome(record: Record, at: str) -> Outcome:
    entry_id, outcome = record.text("entry_id"), record.text("outcome")
    if not entry_id:
        raise RecordError("has no 'entry_id'")
    return _checked(entry_id, outcome, at, record.text("loop"), record.text("who"))


def _checked(entry_id: str, outcome: str, at: str, loop: str, who: str = "") -> Outcome:
    if outcome not in OUTCOMES:
        raise RecordError(f"has the unknown outcome '{outcome}'; one of {', '.join(OUTCOMES)}")
    return Outcome(entry_id, outcome, at, loop, who)


def _entry(record: Record, id: str, at: str, where: Source) -> Entry:
    told = record.part("entry")
    kind = told.text("kind")
    if kind not in KINDS:
        raise RecordError(f"has the unknown kind '{kind}'; one of {', '.join(KINDS)}")
    captured_at = told.time("captured_at") or at
    signature = _signature(told)
    body = told.text("body")
    title = told.text("title") or headline(signature.raw if signature else body)
    if not title:
        raise RecordError("holds no title, no body and no raw line")
    return Entry(
        id=id,
        kind=kind,
        title=title,
        body=body,
        labels=told.texts("labels"),
        files=told.files("files"),
        signature=signature,
        lesson=_lesson(told.part("lesson")),
        evidence=_evidence(told.part("evidence"), captured_at),
        captured_at=captured_at,
        source=where,
        extra=_extra(told, record),
    )


def _signature(told: Record) -> Signature | None:
    raw, tool, command = told.text("raw"), told.text("tool"), told.text("command")
    joined, rule = told.texts("joined"), told.text("rule")
    context = told.part("context").rest()
    if command:
        context["command"] = command
    exit_code = told.code("exit_code")
    if exit_code is not None:
        context["exit_code"] = exit_code
    if not raw:
        return None
    return sign(raw, tool or None, joined, command, rule)._replace(context=context)


def _lesson(told: Record) -> Lesson:
    return Lesson(
        worked=told.texts("worked"),
        failed=told.texts("failed"),
        gotchas=told.texts("gotchas"),
        root_cause=told.text("root_cause"),
        fix=told.text("fix"),
        steps=told.texts("steps"),
        template=told.text("template"),
    )


def _evidence(told: Record, captured_at: str) -> Evidence:
    seen = told.count("seen")
    return Evidence(
        seen=1 if seen is None else seen,
        shown=told.count("shown") or 0,
        applied=told.count("applied") or 0,
        helped=told.count("helped") or 0,
        harmed=told.count("harmed") or 0,
        first=told.time("first") or captured_at,
        last=told.time("last") or captured_at,
    )


def _extra(told: Record, record: Record) -> dict[str, Any]:
    """The record's `extra`, and the keys that nobody here knows, beside it."""
    extra = told.part("extra").rest()
    for place, left in (("entry", told.rest()), ("record", record.rest())):
        for key, value in left.items():
            if key not in ("extra", "context", "entry"):
                extra[key if key not in extra else f"{key} (of the {place})"] = value
    return extra
