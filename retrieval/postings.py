"""Which rows hold a word: a sorted vocabulary, and the rows of each word.

A family of postings is five files, searched where they lie; opening parses nothing:

    <family>.words     the sorted words in UTF-8, joined
    <family>.offsets   u64 (n + 1): where each word begins
    <family>.hashes    u64 (n), sorted: CRC-32 of a word in the upper half, its number in the lower
    <family>.starts    u64 (n + 1): where the rows of each word begin
    <family>.rows      u32: the rows, ascending within a word
"""

import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count as counter
from zlib import crc32

from indexing.typed import TYPE_CHECKING, Any, NamedTuple
from retrieval.pieces import BYTES, Block, Cuts, Known, Lists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.generations import Buffer

_pair = struct.Struct("<QQ").unpack_from
_AT_ONCE = 1 << 20  # postings that are sorted together


class Run(NamedTuple):
    """Postings of some lists of words, as they came: in groups of one word.

    A group is its word (i32, a number) and how many postings it has (u32). A posting is the number
    of a list (u32) and how many times it holds the word (u32; in files u8 if that will do).
    """

    groups: "NDArray[np.int32]"
    holding: "NDArray[np.uint32]"
    lists: "NDArray[np.uint32]"
    times: "NDArray[np.unsignedinteger]"

    @staticmethod
    def of(block: Block, before: int) -> "Run":
        """The postings of a block's lists, when so many came before."""
        import numpy as np

        bits = block.size.bit_length()
        keys = block.pieces << bits
        keys |= block.lists
        keys.sort()
        begins, times = tallied(keys)
        keys = keys[begins]
        lists = (keys & (1 << bits) - 1).astype(np.uint32)
        lists += np.uint32(before)
        keys >>= bits
        begins, holding = tallied(keys)
        return Run(
            keys[begins].astype(np.int32),
            holding.astype(np.uint32),
            lists,
            times.astype(np.uint8 if times.max(initial=0) <= 0xFF else np.uint32),
        )

    @staticmethod
    def files(runs: "Sequence[Run]", prefix: str) -> dict[str, bytes]:
        """The files, by name, of runs of the same words: their postings one after another."""
        groups, holding, lists, times = zip(*runs, strict=True)
        widest = max(each.itemsize for each in times)
        return {
            f"{prefix}.groups": _bytes_of(groups, "<i4"),
            f"{prefix}.holding": _bytes_of(holding, "<u4"),
            f"{prefix}.lists": _bytes_of(lists, "<u4"),
            f"{prefix}.times": _bytes_of(times, f"<u{widest}"),
        }

    @staticmethod
    def read(files: "Mapping[str, Buffer]", prefix: str) -> "Run":
        """What was made `files`."""
        import numpy as np

        lists = np.frombuffer(files[f"{prefix}.lists"], "<u4")
        times = memoryview(files[f"{prefix}.times"])
        return Run(
            np.frombuffer(files[f"{prefix}.groups"], "<i4"),
            np.frombuffer(files[f"{prefix}.holding"], "<u4"),
            lists,
            np.frombuffer(times, "<u1" if len(times) == len(lists) else "<u4"),
        )


def tallied(ascending: "NDArray[np.integer[Any]]") -> "tuple[NDArray[np.intp], NDArray[np.intp]]":
    """Where each of the different numbers begins, and how often it is there."""
    import numpy as np

    is_first = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    begins = np.flatnonzero(is_first)
    counts = np.empty_like(begins)
    counts[:-1] = begins[1:]
    counts[-1:] = len(ascending)
    counts -= begins
    return begins, counts


def _bytes_of(arrays: "Iterable[NDArray[Any]]", kind: str) -> bytes:
    """The items of all arrays as the bytes of a file of numbers."""
    return b"".join(data_of(each, kind) for each in arrays)


class Runs:
    """The postings of a family as they come.

    Args:
        once: A list holds a word once, however often it stands in it.
    """

    def __init__(self, once: bool = False) -> None:
        self._once = once
        self._runs: list[tuple[list[str], list[Run]]] = []
        self._size = 0

    def take(self, *blocks: Block) -> None:
        """Take in the next lists: blocks of the same lists, no two of which share a word there."""
        import numpy as np

        for block in blocks:
            run = Run.of(block, self._size)
            if self._once:
                run = run._replace(times=np.ones(len(run.lists), np.uint8))
            self._of_words(block.names).append(run)
        self._size += blocks[0].size

    def _of_words(self, words: list[str]) -> list[Run]:
        """The runs that have their words in this list."""
        for known, runs in self._runs:
            if known is words:
                return runs
        self._runs.append((words, []))
        return self._runs[-1][1]

    def files(self, family: str) -> dict[str, bytes]:
        """All that was taken in, by name."""
        files: dict[str, bytes] = {}
        for number, (words, runs) in enumerate(self._runs):
            prefix = f"{family}.{number}"
            files |= Run.files(runs, prefix)
            files[f"{prefix}.words"], lengths = _with_lengths(words)
            files[f"{prefix}.lengths"] = lengths.tobytes()
        return files

    def sizes(self) -> bytes:
        """How many different words each list held (i32)."""
        import numpy as np

        sizes = np.zeros(self._size, np.int32)
        for _, runs in self._runs:
            for run in runs:
                sizes += np.bincount(run.lists, minlength=self._size).astype(np.int32)
        return sizes.tobytes()


class Counted(NamedTuple):
    """Postings as they are built.

    `words` is sorted. A posting is a row and how many times the row holds the word; postings are
    in order of words, then of rows. Those of a word begin at `starts`, `(words + 1,)`.
    """

    words: list[str]
    starts: "NDArray[np.int64]"
    all_rows: "NDArray[np.uint32]"
    times: "NDArray[np.uint32]"

    def files(self, family: str) -> dict[str, memoryview]:
        """The five files, by name."""
        import numpy as np

        encoded = _encoded(self.words)
        words, offsets = _joined(encoded)
        hashes = _hashes(encoded) | np.arange(len(self.words), dtype=np.uint64)
        hashes.sort()
        return {
            f"{family}.words": memoryview(words),
            f"{family}.offsets": data_of(offsets, "<u8"),
            f"{family}.hashes": data_of(hashes, "<u8"),
            f"{family}.starts": data_of(self.starts, "<u8"),
            f"{family}.rows": data_of(self.all_rows, "<u4"),
        }


def runs_of(files: "Mapping[str, Buffer]", family: str) -> "Iterator[tuple[Cuts, Run]]":
    """The words and the postings that `Runs.files` made files of."""
    import numpy as np

    for number in counter():
        prefix = f"{family}.{number}"
        if f"{prefix}.words" not in files:
            return
        lengths = np.frombuffer(files[f"{prefix}.lengths"], np.uint32)
        ends = np.cumsum(lengths, dtype=np.intp)
        words = Cuts(bytes(files[f"{prefix}.words"]), ends - lengths, ends)
        yield words, Run.read(files, prefix)


def _with_lengths(words: Sequence[str]) -> "tuple[bytes, array[int]]":
    """The words in UTF-8, joined, and how many bytes each has (u32)."""
    joined = "".join(words)
    if joined.isascii():  # a letter is a byte
        return joined.encode("ascii"), array("I", map(len, words))
    encoded = _encoded(words)
    return b"".join(encoded), array("I", map(len, encoded))


def _encoded(words: Iterable[str]) -> list[bytes]:
    return [word.encode("utf-8", BYTES) for word in words]


def _joined(encoded: Sequence[bytes]) -> "tuple[bytes, NDArray[np.uint64]]":
    """The words in UTF-8, and where each begins; where the last one ends."""
    import numpy as np

    return b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.uint64)


def _hashes(encoded: Sequence[bytes]) -> "NDArray[np.uint64]":
    """The CRC-32 of each word, in the upper half."""
    import numpy as np

    return np.fromiter(map(crc32, encoded), np.uint64, len(encoded)) << np.uint64(32)


def merged(
    gathered: "Iterable[tuple[Iterable[tuple[Cuts, Run]], NDArray[np.int64]]]", size: int
) -> Counted:
    """The postings of all runs as one.

    Args:
        gathered: Words and runs, and the row of each of their lists; -1 is left out.
        size: How many rows there are.
    """
    import numpy as np

    known = Known()
    runs = []
    for its_runs, rows in gathered:
        for words, run in its_runs:
            runs.append((_kept(run, rows), known.of(words)[run.groups], rows))
    holding = np.zeros(len(known.names), np.int64)
    for run, groups, _ in runs:
        np.add.at(holding, groups, run.holding)
    held = np.flatnonzero(holding).tolist()
    held.sort(key=known.names.__getitem__)
    place = np.zeros(len(known.names), np.int64)
    place[held] = np.arange(len(held))
    starts = np.concatenate([[0], np.cumsum(holding[held])])
    counted = Counted(
        [known.names[number] for number in held],
        starts,
        np.empty(starts[-1], np.uint32),
        np.empty(starts[-1], np.uint32),
    )
    _fill(counted, [_Placed.of(place[groups], run, rows) for run, groups, rows in runs], size)
    return counted


def merged_family(
    gathered: "Iterable[tuple[Mapping[str, Buffer], NDArray[np.int64]]]", family: str, size: int
) -> Counted:
    """The postings of all that was gathered of a family; arguments are those of `merged`."""
    return merged(((runs_of(files, family), rows) for files, rows in gathered), size)


def count(lists: Iterable[Sequence[str]]) -> Counted:
    """How often each row holds each word; row `i` holds the words of the `i`th list."""
    import numpy as np

    words, runs = Lists(), Runs()
    words.add(lists)
    block = words.block()
    runs.take(block)
    return merged([(runs_of(runs.files("x"), "x"), np.arange(block.size))], block.size)


def _kept(run: Run, rows: "NDArray[np.int64]") -> Run:
    """The run without the lists that have no row."""
    import numpy as np

    if (rows >= 0).all():
        return run
    kept = rows[run.lists] >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[np.cumsum(run.holding, dtype=np.int64)]
    holding = np.diff(ends, prepend=0)
    return run._replace(holding=holding, lists=run.lists[kept], times=run.times[kept])


class _Placed(NamedTuple):
    """A run, and the row of each of its lists; its groups in order of their words.

    Groups are of `words` `(g,)`, numbers that ascend; each has `holding` postings from `begins` on.
    """

    words: "NDArray[np.int64]"
    begins: "NDArray[np.int64]"
    holding: "NDArray[np.int64]"
    run: Run
    rows: "NDArray[np.int64]"

    @staticmethod
    def of(words: "NDArray[np.int64]", run: Run, rows: "NDArray[np.int64]") -> "_Placed":
        import numpy as np

        order = np.argsort(words)
        holding = run.holding.astype(np.int64)
        begins = np.cumsum(holding) - holding
        return _Placed(words[order], begins[order], holding[order], run, rows)

    def between(self, first: int, last: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """The word of each posting of the words from `first` to before `last`, and its place."""
        import numpy as np

        some = slice(*np.searchsorted(self.words, [first, last]))
        holding = self.holding[some]
        skipped = self.begins[some] - np.cumsum(holding) + holding
        places = np.arange(holding.sum()) + np.repeat(skipped, holding)
        return np.repeat(self.words[some], holding), places


def _fill(counted: Counted, runs: Sequence[_Placed], size: int) -> None:
    """Put the runs' postings in order, so many words at a time as can be sorted in memory.

    A posting is sorted as one number: word, row, times.
    """
    import numpy as np

    row_bits = max(1, size).bit_length()
    times_bits = max((int(each.run.times.max(initial=1)) for each in runs), default=1).bit_length()
    most = 1 << 63 - row_bits - times_bits
    words, first = len(counted.words), 0
    while first < words:
        ending = int(np.searchsorted(counted.starts, counted.starts[first] + _AT_ONCE, "right"))
        last = min(max(ending - 1, first + 1), first + most, words)
        pieces = []
        for each in runs:
            word, places = each.between(first, last)
            keys = word - first
            keys <<= row_bits
            keys |= each.rows[each.run.lists[places]]
            keys <<= times_bits
            keys |= each.run.times[places]
            pieces.append(keys)
        keys = np.concatenate(pieces)
        keys.sort()
        here = slice(counted.starts[first], counted.starts[last])
        counted.times[here] = keys & (1 << times_bits) - 1
        keys >>= times_bits
        keys &= (1 << row_bits) - 1
        counted.all_rows[here] = keys
        first = last


def by_row(
    gathered: "Iterable[tuple[Buffer, NDArray[np.int64]]]", size: int
) -> "NDArray[np.int32]":
    """A number (i32) for each row, of those of each list and its row; -1 is left out."""
    import numpy as np

    found = np.zeros(size, np.int32)
    for each, rows in gathered:
        kept = rows >= 0
        found[rows[kept]] = np.frombuffer(each, np.int32)[kept]
    return found


def of_each(holding: "NDArray[np.int64]", idf: Callable[[int], float]) -> "NDArray[np.float64]":
    """`idf` of each number of rows, asked once a number.

    A Python function, since numpy's logarithm differs in the last bit from one processor to the
    next.
    """
    import numpy as np

    is_there = np.bincount(holding) > 0
    of_number = np.zeros(len(is_there))
    of_number[is_there] = [idf(each) for each in np.flatnonzero(is_there).tolist()]
    return of_number[holding]


class Postings:
    """Postings as they lie in a part's files."""

    def __init__(self, files: Mapping[str, memoryview], family: str) -> None:
        self._words = files[f"{family}.words"]
        self._offsets = files[f"{family}.offsets"]
        self._hashes = whole(files[f"{family}.hashes"], "<u8")
        self._starts = files[f"{family}.starts"]
        self.starts: NDArray[np.uint64] = whole(self._starts, "<u8")
        self.all_rows: NDArray[np.uint32] = whole(files[f"{family}.rows"], "<u4")

    def find(self, words: Sequence[str]) -> list[int | None]:
        """The number of each word in the sorted vocabulary; None when no row holds it."""
        encoded = _encoded(words)
        wanted = _hashes(encoded)
        begins = self._hashes.searchsorted(wanted).tolist()
        return [
            self._among(word, crc >> 32, at)
            for word, crc, at in zip(encoded, wanted.tolist(), begins, strict=True)
        ]

    def _among(self, word: bytes, crc: int, at: int) -> int | None:
        """The word's number among those of its hash, which begin at `at`."""
        while at < len(self._hashes):
            found = int(self._hashes[at])
            if found >> 32 != crc:
                return None
            number = found & 0xFFFFFFFF
            begin, end = _pair(self._offsets, 8 * number)
            if self._words[begin:end] == word:
                return number
            at += 1
        return None

    def spans(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """Where each word's postings begin and end, in all postings; empty when no row holds it."""
        return [(0, 0) if each is None else self.span(each) for each in self.find(words)]

    def initials(self) -> "NDArray[np.uint8]":
        """The first byte of each word."""
        import numpy as np

        begins = whole(self._offsets, "<u8")[:-1]
        return whole(self._words, "<u1")[begins.astype(np.intp)]

    def span(self, number: int) -> tuple[int, int]:
        """Where the word's postings begin and end, in all postings."""
        begin, end = _pair(self._starts, 8 * number)
        return begin, end

    def rows(self, number: int) -> "NDArray[np.uint32]":
        """The rows that hold the word, ascending; not copied."""
        begin, end = self.span(number)
        return self.all_rows[begin:end]

    def places(
        self, spans: Sequence[tuple[int, int]], rows: "NDArray[np.integer[Any]]"
    ) -> "NDArray[np.int64]":
        """Where in all postings each of `rows` holds each word; -1 where it does not.

        A word is given by where its postings begin and end; the answer is `(words, rows)`.
        """
        import numpy as np

        # numbers of another type would have the whole array converted
        rows = rows.astype(self.all_rows.dtype)
        low = np.empty((len(spans), len(rows)), np.int64)
        for begin_to_end, its in zip(spans, low, strict=True):
            its[:] = self.all_rows[slice(*begin_to_end)].searchsorted(rows)
        begins, ends = np.array(spans, np.int64).T[:, :, None]
        low += begins
        held = low < ends
        held &= self.all_rows.take(low, mode="clip") == rows
        return np.where(held, low, -1)


def first_from(rows: "NDArray[np.uint32]", row: int) -> int:
    """How many of the ascending rows come before `row`."""
    # a number of another type would have the whole array converted
    return int(rows.searchsorted(rows.dtype.type(row)))


def whole(view: memoryview, kind: str) -> "NDArray[Any]":
    """A file of numbers as an array that is not copied."""
    import numpy as np

    return np.frombuffer(view, kind)


def data_of(array: "NDArray[Any]", kind: str) -> memoryview:
    """The array's items as the bytes of a file of numbers."""
    import numpy as np

    return np.ascontiguousarray(array, kind).view(np.uint8).data
