"""Additions as `mem` writes them become entries, many at once.

It is the short way of `additions.py`, whose entries it gives or none: what is written in any other
way, or may be, is left to the long one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

import msgspec
import numpy as np

from indexing.entry import KINDS, Entry, Evidence, Lesson, Source
from indexing.journal import credited
from indexing.readers import json_values
from indexing.readers.additions import context_of, evidence_of
from indexing.readers.record import Record, RecordError, is_utc
from indexing.signature import Signature

_SYSTEM = "journal"
_SELDOM = ("exit_code", "context", "evidence", "extra")
_NOTHING = (b"null", b"{}")
_NO_LESSON = Lesson()
_BLANK, _QUOTE, _COLON, _BACKSLASH = b' ":\\'
_BEFORE = b"\n" * 3  # so that there is something to look at before each colon


class _Lesson(TypedDict, total=False):
    worked: list[str] | None
    failed: list[str] | None
    gotchas: list[str] | None
    root_cause: str | None
    fix: str | None
    steps: list[str] | None
    template: str | None


class _Told(TypedDict, total=False):
    kind: str | None
    title: str | None
    body: str | None
    labels: list[str] | None
    files: list[str] | None
    raw: str | None
    tool: str | None
    command: str | None
    rule: str | None
    joined: list[str] | None
    lesson: _Lesson | None
    captured_at: str | None
    exit_code: msgspec.Raw
    context: msgspec.Raw
    evidence: msgspec.Raw
    extra: msgspec.Raw


class _Addition(TypedDict):
    v: Literal[1]
    op: Literal["add"]
    id: str
    at: str
    entry: _Told


_DECODER = msgspec.json.Decoder(_Addition)


def entries(
    lines: Sequence[tuple[int, bytes]], source: str, signed: Callable[..., Signature]
) -> Iterator[Entry | None]:
    """The entry that each line adds; None where only the long way is sure of it.

    Args:
        lines: Lines with their numbers, each of which stands alone.
        source: The file's name as entries are to show it.
        signed: Signs as `sign`.
    """
    texts = [line for _, line in lines]
    for (number, _), value, keys in zip(lines, _decoded(texts), _keys_on(texts), strict=True):
        where = Source(_SYSTEM, source, f"line {number}")
        yield None if value is None else _entry(value, keys, where, signed)


def _decoded(lines: Sequence[bytes]) -> Sequence[_Addition | None]:
    try:
        values = _DECODER.decode_lines(b"".join(lines))
    except (ValueError, RecursionError):
        values = []
    return values if len(values) == len(lines) else list(map(_decoded_alone, lines))


def _decoded_alone(line: bytes) -> _Addition | None:
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None


def _keys_on(lines: Sequence[bytes]) -> list[int]:
    """How many keys of objects each line has, -1 where that cannot be told at a glance.

    A key that an object has twice is one in what is decoded. A colon behind a quote ends a key,
    unless the quote is one of a text, which has a backslash before it.
    """
    data = np.frombuffer(b"".join((_BEFORE, *lines)), np.uint8)
    colons = np.flatnonzero(data == _COLON)
    one, two, three = (data[colons - back] for back in (1, 2, 3))
    quoted, escaped = one == _QUOTE, two == _BACKSLASH
    spaced = (one <= _BLANK) & ((two == _QUOTE) | (two <= _BLANK))
    doubtful = spaced | (quoted & escaped & (three == _BACKSLASH))
    ends = np.cumsum([len(line) for line in lines]) + len(_BEFORE)
    keys = np.diff(np.searchsorted(colons[quoted & ~escaped], ends), prepend=0)
    keys[np.searchsorted(ends, colons[doubtful], "right")] = -1
    return cast("list[int]", keys.tolist())


def _entry(
    value: _Addition, keys: int, where: Source, signed: Callable[..., Signature]
) -> Entry | None:
    told, at = value["entry"], value["at"]
    lesson, raws = told.get("lesson") or {}, cast("Mapping[str, msgspec.Raw]", told)
    captured_at = told.get("captured_at") or at
    title, kind = (told.get("title") or "").strip(), (told.get("kind") or "").strip()
    if not (title and kind in KINDS and is_utc(at) and (captured_at is at or is_utc(captured_at))):
        return None
    context: dict[str, Any] = (
        {"command": command} if (command := _text(told.get("command"))) else {}
    )
    evidence = Evidence(1, 0, 0, 0, 0, captured_at, captured_at)
    extra: dict[str, Any] = {}
    seldom = {key: bytes(raws[key]) for key in _SELDOM if key in raws}
    if seldom and any(each not in _NOTHING for each in seldom.values()):
        keys -= sum(each.count(b'":') - each.count(b'\\":') for each in seldom.values())
        try:
            context, evidence, extra = _rest(seldom, command, captured_at)
        except (RecordError, UnicodeDecodeError):
            return None
    if keys != len(value) + len(told) + len(lesson):
        return None  # one stands twice, or is not known
    signature = None
    if raw := _text(told.get("raw")):
        tool = _text(told.get("tool")) or None
        signature = signed(raw, tool, _texts(told.get("joined")), command, _text(told.get("rule")))
        if context:
            signature = signature._replace(context=context)
    files = told.get("files")
    return Entry(
        value["id"].strip(),
        kind,
        title,
        _text(told.get("body")),
        _texts(told.get("labels")),
        None if files is None else tuple(dict.fromkeys(_texts(files))),
        signature,
        _lesson(lesson) if lesson else _NO_LESSON,
        evidence,
        captured_at,
        where,
        "clean",
        extra,
    )


def _rest(
    seldom: Mapping[str, bytes], command: str, captured_at: str
) -> tuple[dict[str, Any], Evidence, dict[str, Any]]:
    """Context, evidence and `extra` of an addition that tells more than most, the long way.

    Raises:
        RecordError, UnicodeDecodeError: It is no usual one.
    """
    values = {key: json_values.only_value(raw.decode()) for key, raw in seldom.items()}
    part = Record({"entry": values}).part("entry")
    context = context_of(part, command)
    evidence = credited(evidence_of(part.part("evidence"), captured_at), ())
    extra = part.part("extra").rest()
    if not part.rest().keys() <= {"context", "extra"}:  # of which a part has its own rest
        raise RecordError("has more than is usual")
    return context, evidence, extra


def _lesson(told: _Lesson) -> Lesson:
    some: dict[str, Any] = {}
    for key, value in told.items():
        if value:
            some[key] = (
                value.strip() if isinstance(value, str) else _texts(cast("list[str]", value))
            )
    return Lesson(**some)


def _text(told: str | None) -> str:
    return told.strip() if told else ""


def _texts(told: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, told))) if told else ()
