"""Which of many literals a log holds, and on which lines.

One expression for all of them is tried at every character and takes longer to compile than a
lookup may take; to look for each costs as often as there are literals. Hence: of lines that differ
in digits only one is looked through; and what is looked through are words, of which a log has few
different ones. Of a literal that has several one is looked for. What a word is, begins with or ends
with is looked up; of those that may stand in the middle of a word many share a piece, which is
searched for in all words at once. Only lines with such a word are searched for the literals
themselves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import filterfalse

from indexing.lazily import compiled
from indexing.typed import NamedTuple

# These decide how fast the search is, never what it finds. A literal in the middle of a word that
# holds none of the pieces is looked for itself. Of a literal's words one is taken that logs seldom
# have; those of failures many literals have.
_PIECES = (
    *(b"rror", b"ERR", b"FAIL", b"ail", b"xcep", b"anic", b"***", b"atal", b"FATAL", b"illed"),
    *(b"andled", b"n't", b"esolv", b"service", b"configure.", b"rl:", b".hs", b"lhs", b".kt"),
)
_OF_FAILURES = frozenset(
    b"error Error ERROR errors Errors fail failed Failed FAILED failure fatal Fatal unable Unable"
    b" cannot Cannot could Could couldn invalid Invalid missing Missing unknown Unknown".split()
)
_COMMON = frozenset(
    b"already build cache download fetch file files from http https index install name package"
    b" packages request running Running server status step target test tests the version"
    b" with".split()
)
_APART = {
    literal: f"{literal}(?<![A-Za-z_]{name})(?<![A-Za-z_][-./]{name})"
    for literal, name in {"rror": "error", "error": "error", "X ": "X "}.items()
}
"""Literals that count only where they do not end a name (`is-error`, `liberror`, `CXX `), and what
finds them there: no rule that needs no more than these matches a line for its names."""
_EDGE = 3
"""By so many bytes of their beginning or end words are looked up."""
_LARGE = 1 << 17
"""A block of more bytes holds a long line."""
_MOST_SHAPES = 20_000
"""So many shapes of lines are remembered."""
_MOST_WORDS = 1 << 16
"""So many words are remembered."""
_NO_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_BETWEEN = b' \t\r\v\f"<>{}|;'
_WORDS = bytes.maketrans(_BETWEEN, b" " * len(_BETWEEN))
"""Leaves what words are made of."""
_END = b"\xff"
"""Stands for the end of a line among words; no text in UTF-8 has it."""

_Table = dict[bytes, dict[bytes, tuple[str, ...]]]
"""By what is looked up first: parts of words, as `_part` has them, and the literals they show."""
_Held = tuple[list[str], list[str]]
"""The literals that all lines of a shape hold, and those that some of them hold."""


class Prepared(NamedTuple):
    """The literals by what shows them.

    That is a word; its first or last bytes; or a piece of it, a line feed standing for its
    beginning and its end.
    """

    words: _Table
    heads: _Table
    tails: _Table
    pieces: _Table


def prepared(literals: Iterable[str]) -> Prepared:
    """By what each of the literals is looked for."""
    made = Prepared({}, {}, {}, {})
    for literal in sorted(sorted(set(literals)), key=len):
        table, key = _place_of(literal, made)
        parts = table.setdefault(key, {})
        parts[_part(literal)] = (*parts.get(_part(literal), ()), literal)
    return made


def _place_of(literal: str, made: Prepared) -> tuple[_Table, bytes]:
    """The table in which a literal stands, and under which key."""
    part = _part(literal)
    word = part.strip(b"\n")
    if not word:
        raise ValueError(f"{literal!r} holds no word by which it could be found")
    if part == b"\n%b\n" % word:
        return made.words, word
    if part.startswith(b"\n") and len(word) >= _EDGE:
        return made.heads, word[:_EDGE]
    if part.endswith(b"\n") and len(word) >= _EDGE:
        return made.tails, word[-_EDGE:]
    return made.pieces, next((piece for piece in _PIECES if piece in part), part)


class _Form(NamedTuple):
    """Literals of one shape; they differ in digits.

    `plain` says that every line whose shape has theirs holds the literal.
    """

    literals: tuple[str, ...]
    plain: bool


_Forms = Mapping[str, _Form]
"""By their shape, a character for each byte: text is searched four times as fast as bytes."""


@cache
def _forms(literals: tuple[str, ...]) -> _Forms:
    by_shape: dict[bytes, tuple[str, ...]] = {}
    for literal in literals:
        shape = _shape(literal)
        by_shape[shape] = (*by_shape.get(shape, ()), literal)
    return {
        shape.decode("latin-1"): _Form(same, b"0" not in shape) for shape, same in by_shape.items()
    }


class Literals:
    """A set of literals, as `prepared` for the search."""

    def __init__(self, by: Prepared) -> None:
        self._by = by
        self._dull: set[bytes] = set()
        """Words that show nothing."""
        self._shows: dict[bytes, _Forms] = {}
        """What the others show."""

    def found(
        self, blocks: Iterable[bytes], lines: Sequence[str], longest: int
    ) -> dict[int, list[str]]:
        """The literals that each line `holds`, by its number from 0; lines without are not in.

        Args:
            blocks: The text in UTF-8, in blocks that end with a line.
            lines: Its lines, of which those are looked at that may hold a literal.
            longest: So many characters of a line count.

        Returns:
            The numbers are in order.
        """
        found: dict[int, list[str]] = {}
        seen: set[bytes] = set()
        known: dict[bytes, _Held] = {}  # of shapes that may hold any
        first = 0
        for block in blocks:
            shapes = block.translate(_NO_DIGITS).removesuffix(b"\n").split(b"\n")
            if len(block) > _LARGE:  # a character has 4 bytes at most
                shapes = [shape[: 4 * longest] for shape in shapes]
            if len(seen) > _MOST_SHAPES:
                seen, known = set(), {}
            fresh = [*({*shapes} - seen)]
            seen.update(fresh)
            self._look_through(fresh, longest, known)
            if not known.keys().isdisjoint(shapes):
                for number, shape in enumerate(shapes, first):
                    if shape in known:
                        held, maybe = known[shape]
                        if maybe:
                            line = lines[number][:longest]
                            held = [*held, *(literal for literal in maybe if holds(line, literal))]
                        if held:
                            found[number] = held
            first += len(shapes)
        return found

    def _look_through(
        self, shapes: Sequence[bytes], longest: int, known: dict[bytes, _Held]
    ) -> None:
        """Note what lines of these shapes hold."""
        for shape, forms in self._by_words(shapes):
            text = shape.decode("latin-1")
            if held := [form for own, form in forms.items() if own in text and _counts(text, own)]:
                sure, maybe = known[shape] = [], []
                # of a line that is not looked at to its end the shape does not tell
                whole = len(shape) <= longest
                for form in held:
                    (sure if whole and form.plain else maybe).extend(form.literals)

    def _by_words(self, shapes: Sequence[bytes]) -> Iterator[tuple[bytes, _Forms]]:
        """The shapes that have words which show literals, and these."""
        words = (b" %b " % _END).join(shapes).translate(_WORDS).split()
        likely = [*filterfalse(self._dull.__contains__, words)]
        shows = self._learnt({*likely} - {_END})
        number = 0
        shown: dict[int, dict[str, _Form]] = {}
        for word in likely:
            if word == _END:
                number += 1
            elif word in shows:
                shown.setdefault(number, {}).update(shows[word])
        return ((shapes[number], forms) for number, forms in shown.items())

    def _learnt(self, words: set[bytes]) -> Mapping[bytes, _Forms]:
        """What words show, these among them; those that show nothing are not in."""
        if len(self._dull) + len(self._shows) > _MOST_WORDS:
            self._dull, self._shows = set(), {}
        dull, shows = self._dull, self._shows
        if new := [*filterfalse(shows.__contains__, words)]:
            found: dict[bytes, _Forms] = {}
            for word, forms in self._shown(new):
                found[word] = {**found.get(word, {}), **forms}
            shows.update(found)  # at once: threads share it
            dull.update(filterfalse(found.__contains__, new))
        return shows

    def _shown(self, words: Sequence[bytes]) -> Iterator[tuple[bytes, _Forms]]:
        """Which literals words show; one may come several times."""
        by = self._by
        heads = by.heads.keys() & {word[:_EDGE] for word in words}
        tails = by.tails.keys() & {word[-_EDGE:] for word in words}
        likely = [(word, by.words[word]) for word in words if word in by.words]
        likely += ((word, by.heads[word[:_EDGE]]) for word in words if word[:_EDGE] in heads)
        likely += ((word, by.tails[word[-_EDGE:]]) for word in words if word[-_EDGE:] in tails)
        data = b"\n%b\n" % b"\n".join(words)
        for piece, parts in by.pieces.items():
            likely += ((word, parts) for word in _words_with(piece, data))
        for word, parts in likely:
            here = b"\n%b\n" % word
            for part, literals in parts.items():
                if part in here:
                    yield word, _forms(literals)


def holds(line: str, literal: str) -> bool:
    """Whether the literal stands in the line, and not only in names if that matters."""
    return literal in line and _counts(line, literal)


def _counts(line: str, literal: str) -> bool:
    apart = _APART.get(literal)
    return apart is None or compiled(apart).search(line) is not None


def _words_with(piece: bytes, data: bytes) -> Iterator[bytes]:
    """The words, between line feeds, that have a piece; a line feed in it stands for their ends."""
    place = data.find(piece)
    while place >= 0:
        begin = data.rfind(b"\n", 0, place + 1) + 1
        end = data.find(b"\n", begin)
        yield data[begin:end]
        place = data.find(piece, end)


@cache
def _part(literal: str) -> bytes:
    """The word of the literal that tells most, a line feed where it begins or ends for sure."""
    parts = _shape(literal).translate(_WORDS).replace(b" ", b"\n \n").split(b" ")

    def tells(part: bytes) -> tuple[bool, bool, bool, int, int]:
        word = part.strip(b"\n")
        bare = word.strip(b"()[]'`.,:")
        rare = word not in _COMMON
        of_failures = bare in _OF_FAILURES
        return (
            rare and len(bare) > _EDGE and not of_failures,
            of_failures,
            rare and len(word) > 1,
            len(word),
            len(part),
        )

    return max(parts, key=tells)


def _shape(text: str) -> bytes:
    """The text with each digit a 0: most lines of a log differ in numbers only, if at all."""
    return text.encode("utf-8", "surrogatepass").translate(_NO_DIGITS)
