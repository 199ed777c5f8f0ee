"""TEXTS BECOME PIECES: many are cut at once, and what is the same has one number.

Words are taken of each different piece once, and counted as numbers.
"""

import string
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, islice
from itertools import count as counter

from indexing.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BYTES = "surrogatepass"  # a path may hold what is no text
_MOST_KNOWN = 1 << 19  # so many different ones are known; then all are forgotten
_END = "\0"
_SHORT = 7  # bytes of a piece that is its own key
_LONG = 1 << 8 * _SHORT  # the keys of longer ones begin here
_NO_KEY = (1 << 64) - 1
_PLACES = 18  # bits: so many pieces are found at once
_SPREADS = 0x9E3779B97F4A7C15  # odd, and its bits are as good as drawn (Knuth, 6.4)
_OF_PIECES = f"{string.ascii_letters}{string.digits}_.-".encode()
_IN_PIECES = bytes(byte >= 128 or byte in _OF_PIECES for byte in range(256))


class Block(NamedTuple):
    """Lists of pieces, one after another: the piece and the list of each, by number.

    `names` are the pieces by their numbers: the same list, which grows, in one block after another,
    until so many are known that numbers begin anew. `size` is how many lists there are.
    """

    names: list[str]
    pieces: "NDArray[np.intp]"
    lists: "NDArray[np.intp]"
    size: int

    def where(self, kept: "NDArray[np.bool_]") -> "Block":
        """The lists with those of their pieces that are kept."""
        return self._replace(pieces=self.pieces[kept], lists=self.lists[kept])


class Cuts(NamedTuple):
    """Pieces of `data` in UTF-8; piece `i` is `data[begins[i]:ends[i]]`, and begins ascend."""

    data: bytes
    begins: "NDArray[np.intp]"
    ends: "NDArray[np.intp]"


class _Numbers:
    """Names by their numbers, in the order in which they came."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._number_of: dict[str, int] = defaultdict(counter().__next__)

    def of(self, names: Iterable[str], count: int) -> "NDArray[np.intp]":
        """The number of each of so many names."""
        import numpy as np

        numbers = np.fromiter(map(self._number_of.__getitem__, names), np.intp, count)
        self.names.extend(islice(self._number_of, len(self.names), None))
        return numbers


class Lists:
    """Lists of pieces as they come."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._lists: list[Sequence[str]] = []

    def add(self, lists: Iterable[Sequence[str]]) -> None:
        """Take in the next lists."""
        self._lists.extend(lists)

    def block(self) -> Block:
        """What came since the last block."""
        import numpy as np

        if len(self._numbers.names) > _MOST_KNOWN:
            self._numbers = _Numbers()
        came, self._lists = self._lists, []
        lengths = np.fromiter(map(len, came), np.intp, len(came))
        pieces = self._numbers.of(chain.from_iterable(came), int(lengths.sum()))
        lists = np.repeat(np.arange(len(came)), lengths)
        return Block(self._numbers.names, pieces, lists, len(came))


class Texts:
    """Texts as they come, cut into pieces all at once.

    A piece is a longest sequence of letters, digits, `_`, `.`, `-`, and of whatever is not ASCII:
    no word of `tokens` goes over its borders, so that the words of a text are those of its pieces.
    """

    def __init__(self) -> None:
        self._known = Known()
        self._begin()

    def _begin(self) -> None:
        self._data = bytearray(b" ")
        self._size = 0

    def __len__(self) -> int:
        """How many bytes came since the last block."""
        return len(self._data)

    def add(self, texts: Sequence[str]) -> None:
        """Take in the next texts."""
        joined = _END.join((*texts, ""))
        if joined.count(_END) != len(texts):
            # one that stands in a text is a border of pieces, as a blank is
            joined = _END.join((*(text.replace(_END, " ") for text in texts), ""))
        self._data += joined.encode("utf-8", BYTES)
        self._size += len(texts)

    def block(self) -> Block:
        """What came since the last block: a list of its pieces for each text."""
        import numpy as np

        if len(self._known.names) > _MOST_KNOWN:
            self._known = Known()
        data = bytes(self._data)
        inside = np.frombuffer(data.translate(_IN_PIECES), bool)
        edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
        begins = edges[::2]
        pieces = self._known.of(Cuts(data, begins, edges[1::2]))
        texts_end = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
        held = np.diff(np.searchsorted(begins, texts_end), prepend=0)
        lists = np.repeat(np.arange(self._size), held)
        block = Block(self._known.names, pieces, lists, self._size)
        self._begin()
        return block


class Known:
    """Pieces by their numbers, in the order in which they came.

    A short piece has a key that is its bytes, which is found many times faster than its text; a
    longer one has the next of the keys that are none's bytes. Each key has a place, where it stands
    until another one comes that has the same place; most pieces are found there.
    """

    def __init__(self) -> None:
        import numpy as np

        self.names: list[str] = []
        # in order of the keys; the last is none, so that each has one that is not below it
        self._keys, self._numbers = np.array([_NO_KEY], np.uint64), np.array([-1])
        self._key_at = np.full(1 << _PLACES, _NO_KEY, np.uint64)
        self._number_at = np.empty(1 << _PLACES, np.intp)
        self._key_of: dict[bytes, int] = defaultdict(counter(_LONG).__next__)
        self._longer: list[bytes] = []

    def of(self, cuts: Cuts) -> "NDArray[np.intp]":
        """The number of each piece."""
        import numpy as np

        keys = self._all_keys(*cuts)
        places = (keys * np.uint64(_SPREADS) >> np.uint64(64 - _PLACES)).view(np.intp)
        numbers = self._number_at[places]
        missing = np.flatnonzero(self._key_at[places] != keys)
        numbers[missing] = self._put(keys[missing], places[missing])
        return numbers

    def _put(self, keys: "NDArray[np.uint64]", places: "NDArray[np.intp]") -> "NDArray[np.intp]":
        """The numbers of keys that do not stand in their places; one of each place now does."""
        import numpy as np

        order = np.arange(len(keys))
        self._number_at[places] = order
        one = np.flatnonzero(self._number_at[places] == order)
        one = one[np.argsort(keys[one])]
        self._key_at[places[one]] = keys[one]
        self._number_at[places[one]] = self._looked_up(keys[one])
        numbers = self._number_at[places]
        others = np.flatnonzero(self._key_at[places] != keys)
        different, which = np.unique(keys[others], return_inverse=True)
        numbers[others] = self._looked_up(different)[which]
        return numbers

    def _looked_up(self, keys: "NDArray[np.uint64]") -> "NDArray[np.intp]":
        """The number of each of different keys, which ascend."""
        import numpy as np

        at = np.searchsorted(self._keys, keys)
        is_new = self._keys[at] != keys
        numbers = self._numbers[at]
        numbers[is_new] = self._learned(keys[is_new], at[is_new])
        return numbers

    def _all_keys(
        self, data: bytes, begins: "NDArray[np.intp]", ends: "NDArray[np.intp]"
    ) -> "NDArray[np.uint64]":
        """The key of each piece."""
        import numpy as np

        lengths = np.minimum(ends - begins, _SHORT + 1)
        # the eight bytes from each place on, of which those stay that belong to the piece
        eight: NDArray[Any] = np.ndarray(len(data) + 1, "<u8", data + bytes(8), strides=(1,))
        masks = np.array([*((1 << 8 * length) - 1 for length in range(_SHORT + 1)), 0], np.uint64)
        keys: NDArray[np.uint64] = eight[begins]
        mask = masks[lengths]
        keys &= mask
        long = np.flatnonzero((lengths > _SHORT) | _has_zero(keys | ~mask))
        spans = zip(begins[long].tolist(), ends[long].tolist(), strict=True)
        keys[long] = np.fromiter((self._key_of[data[b:e]] for b, e in spans), np.uint64, len(long))
        self._longer.extend(islice(self._key_of, len(self._longer), None))
        return keys

    def _learned(self, keys: "NDArray[np.uint64]", at: "NDArray[np.intp]") -> "NDArray[np.intp]":
        """The numbers of new pieces; their keys ascend, and belong `at` these among all keys."""
        import numpy as np

        shorter, longer = np.split(keys, np.searchsorted(keys, [np.uint64(_LONG)]))
        numbers = np.arange(len(keys)) + len(self.names)
        if len(shorter):
            # in order of their bytes, since names that ascend are sorted sooner
            order = np.argsort(shorter.byteswap())
            numbers[order] = numbers[: len(order)].copy()
            names = b"\0".join(shorter[order].astype("<u8").view("S8").tolist())
            self.names += names.decode("utf-8", BYTES).split("\0")
        of_longer = map(self._longer.__getitem__, (longer - np.uint64(_LONG)).tolist())
        self.names += [each.decode("utf-8", BYTES) for each in of_longer]
        self._keys = np.insert(self._keys, at, keys)
        self._numbers = np.insert(self._numbers, at, numbers)
        return numbers


def _has_zero(eights: "NDArray[np.uint64]") -> "NDArray[np.bool_]":
    """Whether one of the eight bytes is zero (Mycroft 1987)."""
    import numpy as np

    ones, highest = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    found: NDArray[np.bool_] = (eights - ones & ~eights & highest) != 0
    return found


class Spelling:
    """The words of pieces; those of a piece are taken once.

    Args:
        words_of: The words of a piece.
    """

    def __init__(self, words_of: Callable[[str], Collection[str]]) -> None:
        self._words_of = words_of
        self._begin([])

    def _begin(self, names: list[str]) -> None:
        import numpy as np

        self._names = names
        self._numbers = _Numbers()
        self._words = np.empty(0, np.intp)
        self._begins, self._counts = np.empty(0, np.intp), np.empty(0, np.intp)

    def of(self, block: Block) -> Block:
        """The lists of the words of their pieces."""
        import numpy as np

        if block.names is not self._names:
            self._begin(block.names)
        self._learn(block.names[len(self._counts) :])
        held = self._counts[block.pieces]
        if (held == 1).all():
            return block._replace(
                names=self._numbers.names, pieces=self._words[self._begins[block.pieces]]
            )
        before = np.cumsum(held) - held
        places = np.arange(held.sum()) + np.repeat(self._begins[block.pieces] - before, held)
        lists = np.repeat(block.lists, held)
        return Block(self._numbers.names, self._words[places], lists, block.size)

    def _learn(self, pieces: Sequence[str]) -> None:
        import numpy as np

        found = list(map(self._words_of, pieces))
        counts = np.fromiter(map(len, found), np.intp, len(found))
        words = self._numbers.of(chain.from_iterable(found), int(counts.sum()))
        begins = len(self._words) + np.cumsum(counts) - counts
        self._begins = np.concatenate([self._begins, begins])
        self._counts = np.concatenate([self._counts, counts])
        self._words = np.concatenate([self._words, words])


def once(block: Block) -> Block:
    """The lists with each of their pieces once."""
    import numpy as np

    bits = len(block.names).bit_length()
    keys = np.unique(block.lists << bits | block.pieces)
    return block._replace(pieces=keys & (1 << bits) - 1, lists=keys >> bits)


def foremost(block: Block, most: int) -> Block:
    """The lists with so many of their pieces at most, in order of the pieces' names."""
    import numpy as np

    counts = np.bincount(block.lists, minlength=block.size)
    if counts.max(initial=0) <= most:
        return block
    place = np.empty(len(block.names), np.intp)
    place[sorted(range(len(block.names)), key=block.names.__getitem__)] = np.arange(len(place))
    order = np.lexsort((place[block.pieces], block.lists))
    lists = block.lists[order]
    kept = np.arange(len(lists)) - (np.cumsum(counts) - counts)[lists] < most
    return block._replace(pieces=block.pieces[order][kept], lists=lists[kept])
