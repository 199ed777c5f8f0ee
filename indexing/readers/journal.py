"""Our journal: one entry per `add`, with what its `outcome` records say of it."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from indexing.entry import KINDS, OUTCOMES, Entry, Evidence, Lesson, Source
from indexing.journal import VERSION, Outcome, credited
from indexing.readers import json_values
from indexing.readers.interface import Credit, Decided, Quarantined, Section, Spread
from indexing.readers.json_values import WHOLE, Damage, Line, Span, Value
from indexing.readers.record import Record, RecordError, headline, is_utc, quarantined
from indexing.signature import Signature, sign

_BEGINS = '{"v"'
DECISIONS = frozenset(("merge", "split", "archive", "restore", "undo"))
_OF_LOOPS = frozenset(("loop", "withheld"))


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

    def read(self, path: Path, source: str) -> Iterator[Entry | Quarantined | Credit | Decided]:
        """What could not be used, the entries, and what is told of others."""
        shared = shared_by([survey(path)])
        of_others = []
        for found in together(others(path, shared), source) if shared is not None else ():
            if isinstance(found, Credit | Decided):
                of_others.append(found)
            else:
                yield found
        yield from alone(path, source, shared)
        yield from of_others

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
        before = 0
        for span, survey in zip(spans, surveys, strict=True):
            sections.append(_Alone(path, source, shared, span._replace(line=before)))
            before += survey.lines
        return sections


class _Together(NamedTuple):
    """The lines that do not stand alone."""

    path: Path
    source: str
    shared: frozenset[int]

    def read(self) -> Iterator[Entry | Quarantined | Credit | Decided]:
        return together(others(self.path, self.shared), self.source)


class _Alone(NamedTuple):
    """The lines of a part that stand alone."""

    path: Path
    source: str
    shared: frozenset[int] | None
    span: Span

    def read(self) -> Iterator[Entry | Quarantined | Credit | Decided]:
        return alone(self.path, self.source, self.shared, self.span)


def _survey_of(part: tuple[Path, Span]) -> "Survey":
    return survey(*part)


class Survey(NamedTuple):
    """What the lines of a part of a journal are about: ids, by their CRC-32.

    `alone` are those of entries told in one line, `named` those that other lines name; `mixed` says
    that there are other lines. `lines` counts all, and blank ones.
    """

    lines: int
    alone: "array[int]"
    named: frozenset[int]
    mixed: bool


def survey(path: Path, span: Span = WHOLE) -> Survey:
    """A first look at a part of a journal, which parses few of its lines."""
    mixed, alone = False, array("I")
    named: set[int] = set()
    for line in json_values.lines(path, span):
        if isinstance(line, Line) and (id := id_of_addition(line.text)):
            alone.append(key_of(id))
            continue
        mixed = True
        for found in _values(line):
            if isinstance(found, Value) and isinstance(found.value, dict):
                ids = map(found.value.get, ("id", "entry_id"))
                named.update(key_of(id.strip()) for id in ids if isinstance(id, str))
    return Survey(json_values.count_lines(path, span), alone, frozenset(named), mixed)


def shared_by(surveys: Sequence[Survey]) -> frozenset[int] | None:
    """The CRC-32 of every id that more than one line is about; None: all lines stand alone."""
    ids = sorted(chain.from_iterable(survey.alone for survey in surveys))
    twice = {one for one, other in pairwise(ids) if one == other}
    if not twice and not any(survey.mixed for survey in surveys):
        return None
    return frozenset().union(twice, *(survey.named for survey in surveys))


def others(path: Path, shared: frozenset[int], span: Span = WHOLE) -> Iterator[Line | Damage]:
    """The lines of a part that do not stand alone: they are to be read `together`."""
    for line in json_values.lines(path, span):
        if isinstance(line, Damage) or not _stands_alone(line, shared):
            yield line


def alone(
    path: Path, source: str, shared: frozenset[int] | None, span: Span = WHOLE
) -> Iterator[Entry | Quarantined | Credit | Decided]:
    """What the lines of a part tell that stand alone."""
    # a failure is met again and again, often in the very words
    signed = lru_cache(maxsize=1 << 14)(sign)
    for line in json_values.lines(path, span):
        if isinstance(line, Damage) or (shared is not None and not _stands_alone(line, shared)):
            continue
        entry = None
        if "\\ud" not in line.text and "\\uD" not in line.text:  # halves of a character
            where = Source(Journal.name, source, f"line {line.line}")
            entry = _usual(json_values.only_value(line.text), where, signed)
        if entry is None:
            yield from together([line], source)
        else:
            yield entry


def _stands_alone(line: Line, shared: frozenset[int]) -> bool:
    id = id_of_addition(line.text)
    return id != "" and key_of(id) not in shared


def together(
    lines: Iterable[Line | Damage], source: str
) -> Iterator[Entry | Quarantined | Credit | Decided]:
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


def id_of_addition(text: str) -> str:
    """The id, if the line is that of an addition and cannot be about another id; else empty."""
    for begin in _ADDITIONS:
        if text.startswith(begin):
            id, _, rest = text[len(begin) :].partition('"')
            whole = rest.endswith("}}") and id == id.strip() and "\\" not in id
            # another id or op, as a key or in a second value; a key may be written with escapes
            more = '"id"' in rest or '"op"' in rest or "\\u006" in rest or "\\u007" in rest
            return id if whole and not more else ""
    return ""


_ADDITIONS = ('{"v":1,"op":"add","id":"', '{"v": 1, "op": "add", "id": "')


def key_of(id: str) -> int:
    """What stands for an id where there are many."""
    return crc32(id.encode("utf-8", "surrogatepass"))


def _first_record(path: Path) -> str:
    begin = json_values.head(path).lstrip("\ufeff \t\r\n")
    return begin.split("\n", 1)[0] if begin.startswith(_BEGINS) else ""


def _values(line: Line | Damage) -> Iterable[Value | Damage]:
    return [line] if isinstance(line, Damage) else json_values.values(line.text, _BEGINS, line.line)


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
    context = _context(told, command)
    if not raw:
        return None
    return sign(raw, tool or None, joined, command, rule)._replace(context=context)


def _context(told: Record, command: str) -> dict[str, Any]:
    context = told.part("context").rest()
    if command:
        context["command"] = command
    exit_code = told.code("exit_code")
    if exit_code is not None:
        context["exit_code"] = exit_code
    return context


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


# --- records as `mem` writes them

_RECORD = {"v", "op", "id", "at", "entry"}
_TEXTS = ("kind", "title", "body", "raw", "tool", "command", "rule")
_SELDOM = ("exit_code", "context", "evidence", "extra")
_ENTRY = {*_TEXTS, "labels", "files", "joined", "lesson", "captured_at", *_SELDOM}
_LESSON = frozenset(Lesson._fields)
_NOTHING: tuple[object, ...] = (None, {})


def _usual(value: Any, where: Source, signed: Callable[..., Signature]) -> Entry | None:
    """The entry of an addition, as `_entry` tells it; None when it is not as `mem` writes it.

    It takes a fourth of the time. No text may hold half of a character.
    """
    try:
        told, at = value["entry"], value["at"]
        if value.keys() != _RECORD or not _ENTRY.issuperset(told):
            return None
        if type(value["v"]) is not int or value["v"] != VERSION:
            return None
        # of what is no text, `strip` raises TypeError
        kind, title, body, raw, tool, command, rule = [
            str.strip(told.get(key, "")) for key in _TEXTS
        ]
        captured_at = told.get("captured_at", at)
        if not (title and kind in KINDS and is_utc(at) and is_utc(captured_at)):
            return None
        labels, joined = _listed(told, "labels"), _listed(told, "joined")
        files = None if told.get("files") is None else dict.fromkeys(_listed(told, "files"))
        lesson = _usual_lesson(told.get("lesson", {}))
        id = str.strip(value["id"])
    except (AttributeError, KeyError, TypeError):
        return None
    context: dict[str, Any] = {"command": command} if command else {}
    extra: dict[str, Any] = {}
    evidence = Evidence(1, first=captured_at, last=captured_at)
    if seldom := {key: told[key] for key in _SELDOM if told.get(key) not in _NOTHING}:
        try:
            rest = Record({"entry": seldom}).part("entry")
            context = _context(rest, command)
            evidence = credited(_evidence(rest.part("evidence"), captured_at), ())
            extra = rest.part("extra").rest()
        except RecordError:
            return None
        if not rest.rest().keys() <= {"context", "extra"}:
            return None
    signature = None
    if raw:
        signature = signed(raw, tool or None, joined, command, rule)._replace(context=context)
    return Entry(
        id,
        kind,
        title,
        body,
        labels,
        None if files is None else tuple(files),
        signature,
        lesson,
        evidence,
        captured_at,
        where,
        extra=extra,
    )


def _usual_lesson(told: Mapping[str, Any]) -> Lesson:
    if not _LESSON.issuperset(told):
        raise KeyError
    root_cause, fix, template = [
        str.strip(told.get(key, "")) for key in ("root_cause", "fix", "template")
    ]
    worked, failed, gotchas, steps = [
        _listed(told, key) for key in ("worked", "failed", "gotchas", "steps")
    ]
    return Lesson(worked, failed, gotchas, root_cause, fix, steps, template)


def _listed(told: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = told.get(key)
    if not texts and (texts is None or type(texts) is list):
        return ()
    if type(texts) is not list:
        raise TypeError
    return tuple(filter(None, map(str.strip, texts)))
