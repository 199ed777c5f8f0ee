"""Which rows hold a word: a sorted vocabulary, and the rows of each word.

A family of postings is four files, searched where they lie; opening parses nothing:

    <family>.words     the sorted words in UTF-8, joined
    <family>.offsets   u64 (n + 1): where each word begins
    <family>.starts    u64 (n + 1): where the rows of each word begin
    <family>.rows      u32: the rows, ascending within a word
"""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_pair = struct.Struct("<QQ").unpack_from
_BYTES = "surrogatepass"  # a path may hold what is no text


class Counted(NamedTuple):
    """Postings as they are built.

    `words` is sorted. A posting has a word's number, a row, and how many times the row holds the
    word; postings are in order of words, then of rows. `starts` is `(words + 1,)`.
    """

    words: list[str]
    starts: "NDArray[np.int64]"
    word: "NDArray[np.int64]"
    row: "NDArray[np.int64]"
    times: "NDArray[np.int64]"

    def files(self, family: str) -> dict[str, bytes]:
        """The four files, by name."""
        import numpy as np

        encoded = [word.encode("utf-8", _BYTES) for word in self.words]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.uint64)
        return {
            f"{family}.words": b"".join(encoded),
            f"{family}.offsets": offsets.astype("<u8").tobytes(),
            f"{family}.starts": self.starts.astype("<u8").tobytes(),
            f"{family}.rows": self.row.astype("<u4").tobytes(),
        }


def count(lists: Iterable[Iterable[str]]) -> Counted:
    """How often each row holds each word; row `i` holds the words of the `i`th list."""
    from array import array

    import numpy as np

    number_of: dict[str, int] = {}
    found, lengths = array("q"), array("q")
    for words in lists:
        before = len(found)
        found.extend([number_of.setdefault(word, len(number_of)) for word in words])
        lengths.append(len(found) - before)
    vocabulary = sorted(number_of)
    # the order of code points is the order of UTF-8
    place = np.empty(len(vocabulary), np.int64)
    place[[number_of[word] for word in vocabulary]] = np.arange(len(vocabulary))
    rows = max(1, len(lengths))
    keys = place[np.frombuffer(found, np.int64)] * rows
    keys += np.repeat(np.arange(len(lengths)), np.frombuffer(lengths, np.int64))
    keys, counts = np.unique(keys, return_counts=True)
    word, row = keys // rows, keys % rows
    starts = np.searchsorted(word, np.arange(len(vocabulary) + 1))
    return Counted(vocabulary, starts, word, row, counts)


class Postings:
    """Postings as they lie in a part's files."""

    def __init__(self, files: Mapping[str, memoryview], family: str) -> None:
        self._words = files[f"{family}.words"]
        self._offsets = files[f"{family}.offsets"]
        self._starts = files[f"{family}.starts"]
        self._rows = files[f"{family}.rows"]

    def find(self, word: str) -> int | None:
        """The number of the word in the sorted vocabulary; None when no row holds it."""
        wanted = word.encode("utf-8", _BYTES)
        count = len(self._offsets) // 8 - 1
        at = bisect_left(range(count), wanted, key=self._word)
        return at if at < count and self._word(at) == wanted else None

    def span(self, number: int) -> tuple[int, int]:
        """Where the word's postings begin and end, in all postings."""
        begin, end = _pair(self._starts, 8 * number)
        return begin, end

    def rows(self, number: int) -> "NDArray[np.uint32]":
        """The rows that hold the word, ascending; not copied."""
        begin, end = self.span(number)
        return numbers(self._rows, "<u4", begin, end)

    def place(self, number: int, row: int) -> int | None:
        """Which of the word's rows `row` is; None when it does not hold the word."""
        rows = self.rows(number)
        at = first_from(rows, row)
        return at if at < len(rows) and rows[at] == row else None

    def _word(self, number: int) -> bytes:
        begin, end = _pair(self._offsets, 8 * number)
        return bytes(self._words[begin:end])


def first_from(rows: "NDArray[np.uint32]", row: int) -> int:
    """How many of the ascending rows come before `row`."""
    # a number of another type would have the whole array converted
    return int(rows.searchsorted(rows.dtype.type(row)))


def numbers(view: memoryview, kind: str, begin: int, end: int) -> "NDArray[Any]":
    """Items `begin` to `end` of a file of numbers, as an array that is not copied."""
    import numpy as np

    dtype = np.dtype(kind)
    return np.frombuffer(view, dtype, end - begin, begin * dtype.itemsize)
