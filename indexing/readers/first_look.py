"""A FIRST LOOK AT A JOURNAL: which ids its lines are about; few of them are parsed for it."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from indexing.readers import json_values
from indexing.readers.interface import Spoken
from indexing.readers.json_values import WHOLE, Block, Damage, Span
from indexing.readers.record import Record, RecordError

BEGINS = '{"v"'
DECISIONS = frozenset(("merge", "split", "archive", "restore", "undo"))
DECIDED = ""
"""Under this id stands what people decided."""
_TELLING = ("outcome", "found")
_ADDITIONS = ('{"v":1,"op":"add","id":"', '{"v": 1, "op": "add", "id": "')
_PLAIN = bytes(each for each in range(0x21, 0x7F) if each != ord("\\"))
_NAMES_AN_ID = ("id", "entry_id")


class Survey(NamedTuple):
    """What the lines of a part of a journal are about: ids, by their CRC-32.

    `alone` are those of entries told in one line, `named` those that other lines name; `mixed` says
    that there are other lines. `lines` counts all, and blank ones. `spoken` is None where lines
    cannot be told apart by their bytes.
    """

    lines: int
    alone: "array[int]"
    named: frozenset[int]
    mixed: bool
    spoken: Spoken | None


def key_of(id: str) -> int:
    """What stands for an id where there are many."""
    return crc32(id.encode("utf-8", "surrogatepass"))


def values(text: str) -> Iterator[Any]:
    """The values on a line."""
    for found in json_values.values(text, BEGINS):
        if not isinstance(found, Damage):
            yield found.value


def ids_in(value: Any) -> tuple[str, ...]:
    """The ids that a record speaks of; none when it is no record that an index uses."""
    try:
        record = Record(value)
        op, id = record.text("op"), record.text("id")
        about = record.text("entry_id") if op in _TELLING else ""
    except RecordError:
        return ()
    if op in DECISIONS:
        return (id, DECIDED)
    return tuple(filter(None, (id, about)))


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


def keys_of_additions(block: Block) -> "array[int] | None":
    """The keys of the ids, where `id_of_addition` knows one of every line; None where it may not.

    It takes a fifth of the time, since no line is looked at alone.
    """
    lines, data = block.lines, block.data or b""
    for begin in map(str.encode, _ADDITIONS):
        if data.startswith(begin) and {line[: len(begin)] for line in lines} == {begin}:
            start = len(begin)
            ids = [line[start : line.find(b'"', start)] for line in lines]
            plain = all(ids) and not b"".join(ids).translate(None, _PLAIN)
            once = data.count(b'"id"') == data.count(b'"op"') == len(lines)
            # one byte is looked for many times faster than some
            escaped = b"\\" in data and (b"\\u006" in data or b"\\u007" in data)
            whole = {line[-3:] for line in lines} == {b"}}\n"}
            return array("I", map(crc32, ids)) if plain and once and whole and not escaped else None
    return None


def survey(path: Path, span: Span = WHOLE) -> Survey:
    """A first look at a part of a journal."""
    look = _Look()
    for block in json_values.blocks(path, span):
        look.at(path, block)
    return look.survey()


class _Look:
    """What was seen so far."""

    def __init__(self) -> None:
        self._lines = self._size = 0
        self._alone = array("I")
        self._named: set[int] = set()
        self._mixed = False
        self._apart = True
        self._keys, self._offsets, self._numbers = array("I"), array("Q"), array("I")

    def at(self, path: Path, block: Block) -> None:
        """Look at some lines."""
        if block.data is None:
            self._apart = False
            for found in json_values.lines_of(path, block):
                self._take(found.text)
            self._lines += json_values.count_lines(path, block.span)
            return
        self._apart = self._apart and block.data.endswith(b"\n")
        begins = accumulate(map(len, block.lines), initial=block.span.begin)
        if (keys := keys_of_additions(block)) is not None:
            self._alone += keys
            self._keys += keys
            self._offsets.extend(islice(begins, len(keys)))
            self._numbers.extend(range(self._lines + 1, self._lines + len(keys) + 1))
        else:
            for number, (begin, line) in enumerate(zip(begins, block.lines, strict=False), 1):
                for key in self._take(json_values.text_of_line(line)):
                    self._keys.append(key)
                    self._offsets.append(begin)
                    self._numbers.append(self._lines + number)
        self._lines += block.data.count(b"\n")
        self._size += len(block.data)

    def survey(self) -> Survey:
        """All that was seen."""
        spoken = Spoken(self._lines, self._size, self._keys, self._offsets, self._numbers)
        return Survey(
            self._lines,
            self._alone,
            frozenset(self._named),
            self._mixed,
            spoken if self._apart else None,
        )

    def _take(self, text: str) -> set[int]:
        """The keys of the ids that a line speaks of."""
        if not text:
            return set()
        if id := id_of_addition(text):
            self._alone.append(key_of(id))
            return {key_of(id)}
        self._mixed = True
        spoken: set[int] = set()
        for value in values(text):
            if isinstance(value, dict):
                ids = map(value.get, _NAMES_AN_ID)
                self._named.update(key_of(id.strip()) for id in ids if isinstance(id, str))
            spoken.update(map(key_of, ids_in(value)))
        return spoken


def joined(surveys: Sequence[Survey]) -> Spoken | None:
    """What the lines of a journal speak of, told by the surveys of its parts."""
    whole = Spoken(0, 0, array("I"), array("Q"), array("I"))
    for survey in surveys:
        if survey.spoken is None:
            return None
        lines, size, keys, offsets, numbers = survey.spoken
        whole = Spoken(
            whole.lines + lines,
            whole.size + size,
            whole.keys + keys,
            whole.offsets + offsets,
            whole.numbers + array("I", (whole.lines + number for number in numbers)),
        )
    return whole


def shared_by(surveys: Sequence[Survey]) -> frozenset[int] | None:
    """The CRC-32 of every id that more than one line is about; None: all lines stand alone."""
    ids = sorted(chain.from_iterable(survey.alone for survey in surveys))
    twice = {one for one, other in pairwise(ids) if one == other}
    if not twice and not any(survey.mixed for survey in surveys):
        return None
    return frozenset().union(twice, *(survey.named for survey in surveys))
