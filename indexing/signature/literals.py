"""Which of many literals a log holds, and on which lines.

One expression for all of them is tried at every character and takes longer to compile than a
lookup may take; to look for each costs as often as there are literals. Hence a literal is looked
for by what is seldom in it: a block is split at a character that logs seldom hold, and only those
literals are looked for that go on as one of the parts begins. Of the others many share a piece,
which is looked for in their stead. Of lines that differ in digits only, one is looked through.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

# These decide how fast the search is, never what it finds: a literal that holds none of the pieces
# and no seldom character (two others must follow it) is looked for itself.
_PIECES = ("rror", "ERR", "FAIL", "ail", "not ", "ould", "xit", "issing ", "imed out", "ani", "cc")
_SELDOM = b"ZQKYXVJWHGLUPMFBDIOASRCNTEzqj*![+'`>xkywvhfbg"
_LARGE = 1 << 17
"""A block of more bytes holds a long line."""
_MOST_SHAPES = 20_000
"""So many shapes of lines are remembered."""
_NO_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_PART = 6
"""So much of a part is compared."""


Pieces = Mapping[bytes, tuple[str, ...]]
"""What is looked for, and the literals that hold it."""
Seldom = Mapping[bytes, Mapping[bytes, tuple[tuple[bytes, str], ...]]]
"""By a seldom character, and the two that follow it: what follows it, and the literal."""

_Held = tuple[Sequence[str], Sequence[str]]
"""The literals that all lines of a shape hold, and those that some of them may hold."""


def prepared(literals: Iterable[str]) -> tuple[Pieces, Seldom]:
    """By what each of the literals is looked for."""
    pieces: dict[bytes, tuple[str, ...]] = {}
    seldom: dict[bytes, dict[bytes, tuple[tuple[bytes, str], ...]]] = {}
    for literal in sorted(sorted(set(literals)), key=len):
        piece = next((piece for piece in _PIECES if piece in literal), "")
        needle = _shape(literal)
        character = b"" if piece else _seldomest(needle)
        if character:
            part = needle.split(character)[1][:_PART]
            parts = seldom.setdefault(character, {})
            parts[part[:2]] = (*parts.get(part[:2], ()), (part, literal))
        else:
            needle = piece.encode() or needle
            pieces[needle] = (*pieces.get(needle, ()), literal)
    return pieces, seldom


class Literals:
    """A set of literals, as `prepared` for the search."""

    def __init__(self, pieces: Pieces, seldom: Seldom) -> None:
        self._pieces = pieces
        self._seldom = seldom

    def found(
        self, blocks: Iterable[bytes], lines: Sequence[str], longest: int
    ) -> dict[int, list[str]]:
        """The literals that each line holds, by its number from 0; lines that hold none are not in.

        Args:
            blocks: The text in UTF-8, in blocks that end with a line.
            lines: Its lines, of which those are looked at that may hold a literal.
            longest: So many characters of a line count.

        Returns:
            The numbers are in order.
        """
        found: dict[int, list[str]] = {}
        known: dict[bytes, _Held] = {}  # of shapes that hold any
        seen: set[bytes] = set()
        first = 0
        for block in blocks:
            shapes = block.translate(_NO_DIGITS).removesuffix(b"\n").split(b"\n")
            if len(block) > _LARGE:  # a character has 4 bytes at most
                shapes = [shape[: 4 * longest] for shape in shapes]
            if len(seen) > _MOST_SHAPES:
                seen.clear()
                known.clear()
            fresh = sorted(set(shapes) - seen)
            seen.update(fresh)
            for shape, literals in self._learnt(fresh).items():
                # of a line that is not looked at to its end the shape does not tell
                known[shape] = _held(shape, literals) if len(shape) <= longest else ([], literals)
            if not known.keys().isdisjoint(shapes):
                for number, shape in enumerate(shapes, first):
                    if shape in known:
                        held, maybe = known[shape]
                        if maybe:
                            line = lines[number][:longest]
                            held = [*held, *(literal for literal in maybe if literal in line)]
                        if held:
                            found[number] = held
            first += len(shapes)
        return found

    def _learnt(self, shapes: Sequence[bytes]) -> dict[bytes, list[str]]:
        """The literals that the lines of each shape may hold."""
        data = b"\n".join(shapes)
        learnt: dict[bytes, list[str]] = {}
        number = seen = 0
        for place, literals in sorted(self._places(data)):
            number += data.count(b"\n", seen, place)
            seen = place
            learnt.setdefault(shapes[number], []).extend(literals)
        return learnt

    def _places(self, data: bytes) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Where a literal or a piece stands, once a line, and which literals it may be."""
        for piece, literals in self._pieces.items():
            for place in _once_a_line(data, piece):
                yield place, literals
        for character, parts in self._seldom.items():
            for literal in _likely(parts, data.split(character)):
                for place in _once_a_line(data, _shape(literal)):
                    yield place, (literal,)


def _held(shape: bytes, literals: Sequence[str]) -> _Held:
    """Those of the literals that all lines of a shape hold, and those that some may hold."""
    held, maybe = [], []
    for literal in literals:
        needle, numbered = _needle(literal)
        if needle in shape:
            (maybe if numbered else held).append(literal)
    return held, maybe


@cache
def _needle(literal: str) -> tuple[bytes, bool]:
    """Its shape, and whether it holds digits, which in a shape are all alike."""
    return _shape(literal), any("0" <= each <= "9" for each in literal)


def _shape(text: str) -> bytes:
    """The text with each digit a 0: most lines of a log differ in numbers only, if at all."""
    return text.encode("utf-8", "surrogatepass").translate(_NO_DIGITS)


def _seldomest(needle: bytes) -> bytes:
    """The byte of the needle that logs hold least; empty where all are common.

    At least two bytes must stand between it and where it comes again.
    """
    high = (byte for byte in needle if byte >= 0x80)
    for byte in (*high, *_SELDOM):
        if byte in needle and len(needle.split(bytes((byte,)), 2)[1]) >= 2:
            return bytes((byte,))
    return b""


def _likely(
    known: Mapping[bytes, tuple[tuple[bytes, str], ...]], parts: Sequence[bytes]
) -> set[str]:
    """The literals that go on as one of the parts begins."""
    likely: set[str] = set()
    for begin in {part[:_PART] for part in parts}:
        for part, literal in known.get(begin[:2], ()):
            if begin.startswith(part):
                likely.add(literal)
    return likely


def _once_a_line(data: bytes, needle: bytes) -> Iterator[int]:
    place = data.find(needle)
    while place >= 0:
        yield place
        end = data.find(b"\n", place)
        place = data.find(needle, end) if end >= 0 else -1
