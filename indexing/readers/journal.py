"""Our journal: one entry per `add`, with what its `outcome` records say of it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import OUTCOMES, Entry, Source
from indexing.journal import VERSION, Outcome, credited
from indexing.readers import json_values
from indexing.readers.additions import entry_of
from indexing.readers.first_look import (
    BEGINS,
    DECISIONS,
    Survey,
    id_of_addition,
    joined,
    key_of,
    keys_of_additions,
    shared_by,
    survey,
)
from indexing.readers.interface import Credit, Decided, Quarantined, Section, Spoken, Spread, Told
from indexing.readers.json_values import WHOLE, Block, Damage, Line, Span, Value
from indexing.readers.record import Record, RecordError, quarantined

_OF_LOOPS = frozenset(("loop", "withheld"))
_MANY = 1 << 15  # bytes: fewer are read the long way sooner than the short one is imported


class Journal:
    """Records stand in any order and may stand twice: git merges journals line by line.

    Most entries have one record, and no other is about them. So that those need not wait for the
    last line, the file is read twice: what its lines are about first.
    """

    name = "journal"
    signs = True

    def accepts(self, path: Path) -> bool:
        """`journal.jsonl`, or another `.jsonl` that begins like one."""
        if path.name == "journal.jsonl":
            return path.is_file()
        return path.suffix == ".jsonl" and '"op"' in _first_record(path)

    def read(self, path: Path, source: str) -> Iterator[Told]:
        """What could not be used, the entries, and what is told of others."""
        told = self.whole(path, source).read()
        return (found for found in told if not isinstance(found, Spoken))

    def whole(self, path: Path, source: str) -> Section:
        """The file, read by one process."""
        return _Whole(path, source)

    def sections(self, path: Path, source: str, size: int, spread: Spread) -> Sequence[Section]:
        """The lines that stand alone in parts, behind all the others."""
        if json_values.is_utf16(path):
            return ()
        spans = json_values.spans(path, size)
        surveys = list(spread(_survey_of, [(path, span) for span in spans]))
        shared = shared_by(surveys)
        sections: list[Section] = []
        if shared is not None:
            sections.append(_Together(path, source, shared))
        before, spoken = 0, joined(surveys)
        for span, seen in zip(spans, surveys, strict=True):
            sections.append(_Alone(path, source, shared, span._replace(line=before), spoken))
            before, spoken = before + seen.lines, None
        return sections


class _Whole(NamedTuple):
    """All lines."""

    path: Path
    source: str

    def read(self) -> Iterator[Told | Spoken]:
        seen = survey(self.path)
        shared = shared_by([seen])
        of_others = []
        for found in together(others(self.path, shared), self.source) if shared is not None else ():
            if isinstance(found, Credit | Decided):
                of_others.append(found)
            else:
                yield found
        yield from alone(self.path, self.source, shared)
        yield from of_others
        if seen.spoken is not None:
            yield seen.spoken


class _Together(NamedTuple):
    """The lines that do not stand alone."""

    path: Path
    source: str
    shared: frozenset[int]

    def read(self) -> Iterator[Told]:
        return together(others(self.path, self.shared), self.source)


class _Alone(NamedTuple):
    """The lines of a part that stand alone; the first part tells what all lines speak of."""

    path: Path
    source: str
    shared: frozenset[int] | None
    span: Span
    spoken: Spoken | None

    def read(self) -> Iterator[Told | Spoken]:
        yield from alone(self.path, self.source, self.shared, self.span)
        if self.spoken is not None:
            yield self.spoken


def _survey_of(part: tuple[Path, Span]) -> Survey:
    return survey(*part)


def others(path: Path, shared: frozenset[int]) -> Iterator[Line | Damage]:
    """The lines that do not stand alone: they are to be read `together`."""
    for block in json_values.blocks(path):
        if not _stand_alone(block, shared):
            for line in json_values.lines_of(path, block):
                if isinstance(line, Damage) or not _stands_alone(line, shared):
                    yield line


def alone(
    path: Path, source: str, shared: frozenset[int] | None, span: Span = WHOLE
) -> Iterator[Told]:
    """What the lines of a part tell that stand alone."""
    for block in json_values.blocks(path, span):
        if block.data is None or len(block.data) < _MANY:
            for line in json_values.lines_of(path, block):
                if isinstance(line, Line) and _stands_alone(line, shared):
                    yield from together([line], source)
            continue
        from indexing.readers import usual
        from indexing.signature.shapes import shapes

        numbered = list(enumerate(block.lines, block.span.line + 1))
        if not _stand_alone(block, shared):
            numbered = [each for each in numbered if _stands_alone(_line(*each), shared)]
        entries = usual.entries(numbered, source, shapes().sign)
        for each, entry in zip(numbered, entries, strict=True):
            if entry is None:
                yield from together([_line(*each)], source)
            else:
                yield entry


def _line(number: int, line: bytes) -> Line:
    return Line(number, json_values.text_of_line(line))


def _stand_alone(block: Block, shared: frozenset[int] | None) -> bool:
    """Whether it is sure that each of these lines stands alone."""
    if shared is None:
        return True
    keys = keys_of_additions(block)
    return keys is not None and shared.isdisjoint(keys)


def _stands_alone(line: Line, shared: frozenset[int] | None) -> bool:
    if shared is None:
        return True
    id = id_of_addition(line.text)
    return id != "" and key_of(id) not in shared


def together(lines: Iterable[Line | Damage], source: str) -> Iterator[Told]:
    """What lines tell together; they are in their order, and no other is about their ids."""
    book = _Book()
    for line in lines:
        for found in _values(line):
            where = Source(Journal.name, source, f"line {found.line}")
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
    return begin.split("\n", 1)[0] if begin.startswith(BEGINS) else ""


def _values(line: Line | Damage) -> Iterable[Value | Damage]:
    return [line] if isinstance(line, Damage) else json_values.values(line.text, BEGINS, line.line)


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
            self._add(entry_of(record, id, at, where), value)
        elif op == "outcome":
            # an id that stands twice was merged: once
            self._outcomes.setdefault(id, Credit(where, _outcome(record, at)))
        elif op == "found":
            self._finding(record, id, at, where)
        elif op in DECISIONS:
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
