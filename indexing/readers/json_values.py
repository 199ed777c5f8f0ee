"""JSON as programs leave it behind: marks, NaN, doubled keys, values glued together or cut off."""

import io
import json
import math
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from indexing.errors import UnreadableMemory
from indexing.signature.lines import decode

LARGEST_MB = 256
"""A bigger document is refused: parsed, it would take some gigabytes."""
LONGEST_LINE = 4 << 20
"""Of a file of lines, a longer line is passed over, in characters."""
_BLOCK = 1 << 18  # bytes: some hundred lines, which stay in a processor's cache
GIVEN_TWICE = "(given twice)"
"""Under this key an object keeps the values that a later one of the same key replaced."""


class Value(NamedTuple):
    """A value and the line, from 1, on which it begins."""

    line: int
    value: Any


class Damage(NamedTuple):
    """Text that is no value; `line` is where it begins, from 1."""

    line: int
    reason: str
    text: str


class Line(NamedTuple):
    """A line of text and its number, from 1."""

    line: int
    text: str


class Span(NamedTuple):
    """A part of a file of lines, in bytes; `line` is how many lines stand before it."""

    begin: int
    end: int | None
    line: int = 0


WHOLE = Span(0, None)


class Block(NamedTuple):
    """Some lines of a file; `data` is None where they are to be read as text.

    That is a line that is too long, or may be, and a file in UTF-16.
    """

    span: Span
    data: bytes | None

    @property
    def lines(self) -> list[bytes]:
        """The lines with their ends."""
        return io.BytesIO(self.data or b"").readlines()


def head(path: Path, size: int = 4096) -> str:
    """The first bytes as text; empty when they cannot be read."""
    try:
        with path.open("rb") as file:
            return decode(file.read(size))
    except OSError:
        return ""


def text_of(path: Path) -> str:
    """The whole file as text, whatever its encoding, without a byte order mark.

    Raises:
        UnreadableMemory: It cannot be opened, or has more than `LARGEST_MB`.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_MB << 20:
            raise UnreadableMemory(f"{path}: has {size >> 20} MB, more than {LARGEST_MB}; split it")
        return decode(path.read_bytes()).lstrip("\ufeff")
    except OSError as error:
        raise UnreadableMemory(f"{path}: cannot be opened ({error.strerror or error})") from error


def document(path: Path) -> Any:
    """The one value that the file holds.

    Raises:
        UnreadableMemory: Naming the line on which it stops being JSON.
    """
    text = text_of(path)
    start = _skip_blanks(text, 0)
    if start == len(text):
        raise UnreadableMemory(f"{path}: is empty; restore it or delete it")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        line, reason = _line(text, error.pos), _reason(text, error)
        raise UnreadableMemory(f"{path}:{line}: {reason}; mend or restore it") from error
    except RecursionError:
        raise UnreadableMemory(f"{path}: is nested too deep to be a memory; mend it") from None
    rest = _skip_blanks(text, end)
    if rest < len(text):
        line = _line(text, rest)
        raise UnreadableMemory(f"{path}:{line}: more text after the end of the value; remove it")
    return value


def values(text: str, begins: str, line: int = 1) -> Iterator[Value | Damage]:
    """The values that stand one after another, with commas or nothing between them.

    Where something is no value, reading goes on at the next `begins`. `line` is the first one's
    number. A text that is all beginnings and no ends is given up after a while, so that the time
    stays linear.
    """
    at = counted = spent = 0
    while (at := _skip_blanks(text, at)) < len(text):
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, at = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            # making the error counts the lines before it
            spent += error.pos - at + error.pos // 64
            reason = _reason(text, error)
        except RecursionError:
            spent += len(text)
            reason = "is nested too deep"
        else:
            yield Value(line, value)
            continue
        following = text.find(begins, at + 1)
        if following < 0 or spent > 8 * len(text) + 65_536:
            following = len(text)
        yield Damage(line, reason, text[at:following])
        at = following


def only_value(text: str) -> Any:
    """The one value that is all of the text; None when there is none, or more."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) else None


def lines(path: Path, span: Span = WHOLE) -> Iterator[Line | Damage]:
    """The lines that are not blank of a file of any size, or of a part, with their numbers.

    Raises:
        UnreadableMemory: The file cannot be opened or read.
    """
    for block in blocks(path, span):
        yield from lines_of(path, block)


def blocks(path: Path, span: Span = WHOLE) -> Iterator[Block]:
    """The lines of a file or a part, as they lie there; its errors are those of `lines`."""
    try:
        if is_utf16(path):
            yield Block(span, None)
            return
        with io.BufferedReader(_Part(path, span), _BLOCK) as file:
            begin, line = span.begin, span.line
            at_once = min(_BLOCK, LONGEST_LINE - 1)
            while data := file.read(at_once):
                data += b"" if data.endswith(b"\n") else file.readline(LONGEST_LINE)
                last = data.rfind(b"\n", 0, at_once) + 1 if len(data) >= LONGEST_LINE else 0
                for part in filter(None, (data[:last], data[last:])):
                    size = len(part)
                    if is_long := size >= LONGEST_LINE:
                        size += 0 if part.endswith(b"\n") else _rest_of_line(file)
                    yield Block(Span(begin, begin + size, line), None if is_long else part)
                    begin += size
                    line += 1 if is_long else part.count(b"\n")
    except OSError as error:
        raise UnreadableMemory(f"{path}: cannot be read ({error.strerror or error})") from error


def _rest_of_line(file: io.BufferedIOBase) -> int:
    """So many bytes of the line are left, which are passed over."""
    size = 0
    while rest := file.readline(LONGEST_LINE):
        size += len(rest)
        if rest.endswith(b"\n"):
            break
    return size


def lines_of(path: Path, block: Block) -> Iterator[Line | Damage]:
    """The lines of a block that are not blank."""
    if block.data is None:
        yield from _lines_of_text(path, block.span)
        return
    for number, line in enumerate(block.lines, block.span.line + 1):
        if text := text_of_line(line):
            yield Line(number, text)


def text_of_line(line: bytes) -> str:
    """The line as text, without marks and its end; empty when it is blank."""
    text = line.decode("utf-8", "replace")
    return text.lstrip("\ufeff").rstrip("\r\n") if text.strip("\ufeff \t\r\n") else ""


def _lines_of_text(path: Path, span: Span) -> Iterator[Line | Damage]:
    """As `lines`, of lines that are too long, or in UTF-16."""
    encoding = "utf-16" if is_utf16(path) else "utf-8"
    part = io.BufferedReader(_Part(path, span), 1 << 16)
    with io.TextIOWrapper(part, encoding, errors="replace", newline="\n") as file:
        number = span.line
        while chunk := file.readline(LONGEST_LINE):
            number += 1
            if len(chunk) == LONGEST_LINE and not chunk.endswith("\n"):
                yield Damage(number, f"is longer than {LONGEST_LINE:,} characters", chunk[:400])
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                    pass
            elif chunk.strip("\ufeff \t\r\n"):
                yield Line(number, chunk.lstrip("\ufeff").rstrip("\r\n"))


class _Part(io.RawIOBase):
    """A part of a file, as if there were no more of it."""

    def __init__(self, path: Path, span: Span) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(span.begin)
        self._left = sys.maxsize if span.end is None else span.end - span.begin

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._file.readinto(memoryview(buffer)[: self._left])
        self._left -= read
        return read

    def close(self) -> None:
        self._file.close()
        super().close()


def count_lines(path: Path, span: Span = WHOLE) -> int:
    """How many line feeds there are in a file or a part of it."""
    with io.BufferedReader(_Part(path, span), 1 << 16) as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 16), b""))


def spans(path: Path, size: int) -> list[Span]:
    """Parts of a file in UTF-8 of about so many bytes; each ends with a line, none is numbered."""
    with path.open("rb") as file:
        ends = [0]
        last = file.seek(0, 2)
        while ends[-1] < last:
            file.seek(min(last, ends[-1] + size))
            file.readline()
            ends.append(file.tell())
    return [Span(begin, end) for begin, end in pairwise(ends)]


def is_utf16(path: Path) -> bool:
    """Whether the file's mark says so."""
    with path.open("rb") as file:
        return file.read(2) in (b"\xff\xfe", b"\xfe\xff")


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in "\ufeff \t\r\n,":
        at += 1
    return at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _reason(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "ends in the middle of a value"
    return f"is not JSON ({error.msg[:1].lower()}{error.msg[1:]}, column {error.colno})"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        earlier: dict[str, list[Any]] = {}
        for key, value in pairs:
            if value is not made[key] and value != made[key]:
                earlier.setdefault(key, []).append(value)
        if earlier:
            made[GIVEN_TWICE] = earlier
    return made


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _int(text: str) -> int | str:
    return int(text) if len(text) < 40 else text


# What is no number for JSON (NaN, 1e999) stays the text it was: a count that holds it is refused.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=str, parse_float=_float, parse_int=_int
)
