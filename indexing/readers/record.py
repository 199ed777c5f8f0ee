"""One record of a memory file: its fields taken with their types checked, its id, its title."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from indexing.entry import Entry, Source
from indexing.readers.interface import Quarantined
from indexing.redact import redact
from indexing.signature.lines import Log

DEEPEST = 64
_LONGEST_SHOWN = 400
_LONGEST_TITLE = 120
_MOST = 10**9


class RecordError(Exception):
    """A record that cannot be used; its text says why."""


class Record:
    """A record's fields, each taken once and checked; `rest` is what nobody took, unchanged.

    A field that is missing or null is unknown: `""`, `()` or None.
    """

    def __init__(self, value: object, name: str = "the record", depth: int = 0) -> None:
        if not isinstance(value, Mapping):
            raise RecordError(f"{name} is {_named(value)}; it must be an object")
        self._name = name
        # a part was looked through with the record that it is of
        self._left: dict[str, Any] = dict(value) if depth else _sound(dict(value), 0)
        self._parts: dict[str, Record] = {}

    def __contains__(self, key: str) -> bool:
        return self._left.get(key) is not None

    def peek(self, key: str) -> Any:
        """The value as it is, which stays in `rest`; None when it is missing."""
        return self._left.get(key)

    def text(self, key: str) -> str:
        """A text, without blanks around it."""
        value = self._left.pop(key, None)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key, value, "text")
        return (value or "").strip()

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one text; empty ones are left out."""
        value = self._left.pop(key, None)
        items = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self._wrong(key, value, "a list of texts")
        return tuple(item.strip() for item in items if item.strip())

    def files(self, *keys: str) -> tuple[str, ...] | None:
        """The files under all the keys, each once; None when none of them says anything."""
        found: list[str] | None = None
        for key in keys:
            value = self._left.get(key)
            if value is None or (isinstance(value, str) and not value.strip()):
                self._left.pop(key, None)
                continue
            names = _split(value) if isinstance(value, str) else self._left[key]
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise self._wrong(key, value, "a list of files")
            del self._left[key]
            found = (found or []) + [name.strip() for name in names if name.strip()]
        return None if found is None else tuple(dict.fromkeys(found))

    def count(self, key: str) -> int | None:
        """A whole number from 0."""
        value = self._left.pop(key, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, value, "a number")
        if value != int(value) or not 0 <= value <= _MOST:
            raise RecordError(f"'{key}' is {value}; a count is a whole number from 0")
        return int(value)

    def code(self, key: str) -> int | None:
        """An exit code, which some write as text."""
        value = self._left.pop(key, None)
        if value is None or value == "":
            return None
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,10}", value.strip()):
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST * 10:
            raise self._wrong(key, value, "an exit code")
        return value

    def rate(self, key: str) -> float | None:
        """A share in 0..1, also when it is stated in percent; None when it is neither.

        1 is all of them: one percent of a handful of uses does not occur. As stated it stays in
        `rest`, since counters say it better.
        """
        value = self._left.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, value, "a number")
        share = value if value <= 1 else value / 100
        return float(share) if 0 <= share <= 1 else None

    def time(self, key: str) -> str:
        """UTC, `2026-03-04T10:22:31Z`; what is no time is unknown, and stays in `rest`."""
        value = self._left.get(key)
        if value is None or value == "":
            self._left.pop(key, None)
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self._wrong(key, value, "a time")
        time = utc(value)
        if time:
            del self._left[key]
        return time

    def part(self, key: str) -> "Record":
        """The record under the key; what is not taken of it stays in `rest` of this one."""
        value = self._left.pop(key, None)
        self._parts[key] = Record({} if value is None else value, f"'{key}'", 1)
        return self._parts[key]

    def rest(self) -> dict[str, Any]:
        """What was not taken, unchanged."""
        left = {key: part.rest() for key, part in self._parts.items()}
        return self._left | {key: rest for key, rest in left.items() if rest}

    def _wrong(self, key: str, value: object, expected: str) -> RecordError:
        return RecordError(f"'{key}' is {_named(value)}; it must be {expected}")


Make = Callable[[Record, Source], Entry | Quarantined]


def each(
    records: Iterable[tuple[str, object]], system: str, file: str, make: Make
) -> Iterator[Entry | Quarantined]:
    """What `make` makes of each record, a locator and its value; a bad one is quarantined."""
    for locator, value in records:
        source = Source(system, file, locator)
        try:
            yield make(Record(value), source)
        except RecordError as error:
            yield quarantined(source, str(error), value)


def items(values: object, name: str) -> Iterator[tuple[str, object]]:
    """The items of a list with their locators, `failures[3]`; null is empty.

    Raises:
        RecordError: It is no list.
    """
    if values is None:
        return iter(())
    if not isinstance(values, list):
        raise RecordError(f"'{name}' is {_named(values)}; it must be a list")
    return ((f"{name}[{at}]", value) for at, value in enumerate(values))


def quarantined(source: Source, reason: str, value: object) -> Quarantined:
    """The record put aside; a text is shown as it is, all else as JSON."""
    if isinstance(value, str):
        shown = value
    else:
        try:
            shown = json.dumps(value, ensure_ascii=False)
        except (RecursionError, ValueError, TypeError):
            shown = f"({_named(value)})"
    shown = redact(_without_surrogates(shown[: 8 * _LONGEST_SHOWN]))
    if len(shown) > _LONGEST_SHOWN:
        shown = shown[: _LONGEST_SHOWN - 1] + "…"
    return Quarantined(source, redact(reason), shown)


class Ids:
    """Ids of one file's records: 16 hex digits of what identifies each.

    They do not say where in the file a record stands, so that they stay when the list shifts;
    equal records are numbered.
    """

    def __init__(self, system: str) -> None:
        self._system = system
        self._seen: dict[str, int] = {}

    def of(self, kind: str, *identity: str) -> str:
        """The id of the next record of that kind and identity."""
        key = json.dumps([self._system, kind, *identity])
        self._seen[key] = ordinal = self._seen.get(key, 0) + 1
        if ordinal > 1:
            key += f"#{ordinal}"
        return hashlib.sha256(key.encode()).hexdigest()[:16]


def utc(value: str | float) -> str:
    """UTC to the second, `2026-03-04T10:22:31Z`; `""` for what is no time after 1970.

    Takes ISO 8601 with offset, fraction or date alone, and seconds or milliseconds since 1970. No
    offset is UTC.
    """
    if isinstance(value, str):
        text = value.strip()
        if is_utc(text):
            return text
        if not re.fullmatch(r"\d{9,13}(\.\d{1,9})?", text):
            return _utc_of_iso(text)
        value = float(text)
    try:
        time = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return _utc(time)


def is_utc(text: str) -> bool:
    """Whether the text is a time as `utc` writes it."""
    if len(text) != 20 or text[4::3] != "--T::Z":
        return False
    try:
        return datetime.fromisoformat(text).year >= 1970
    except ValueError:
        return False


def headline(text: str) -> str:
    """The first line that says something, without colours; a long one is cut between words."""
    line = " ".join(first_line(text).split())
    if len(line) <= _LONGEST_TITLE:
        return line
    cut = line[: _LONGEST_TITLE - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > _LONGEST_TITLE // 2 else cut).rstrip() + "…"


def first_line(text: str) -> str:
    """The first line that is not blank, without colours and CI prefix."""
    log = Log(text)
    return next((line for at in range(len(log)) if (line := log[at].strip())), "")


def plain(text: str) -> str:
    """The text without colours and CI prefixes."""
    log = Log(text)
    return "\n".join(log[at] for at in range(len(log))).strip()


def body(*parts: str, title: str = "") -> str:
    """The parts that say more than the title, one under the other, each once."""
    return "\n".join(part for part in dict.fromkeys(parts) if part and part != title)


def _utc_of_iso(text: str) -> str:
    try:
        time = datetime.fromisoformat(text)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return _utc(time)


def _utc(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time.year >= 1970 else ""


def _split(text: str) -> list[str]:
    """Several files in one text: by commas, semicolons or lines, else by blanks."""
    return re.split(r"[,;\n]", text) if re.search(r"[,;\n]", text) else text.split()


def _sound(value: Any, depth: int) -> Any:
    """The value with what UTF-8 cannot hold replaced.

    Raises:
        RecordError: It is nested too deep for what comes after.
    """
    if depth > DEEPEST:
        raise RecordError(f"is nested deeper than {DEEPEST}; flatten it")
    if isinstance(value, str):
        return _without_surrogates(value)
    if isinstance(value, dict):
        return {_without_surrogates(k): _sound(each, depth + 1) for k, each in value.items()}
    if isinstance(value, list):
        return [_sound(each, depth + 1) for each in value]
    return value


def _without_surrogates(text: str) -> str:
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def _named(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value:.12g}"
    if isinstance(value, str):
        return f"the text '{value[:40]}'"
    return "a list" if isinstance(value, list) else "an object"
