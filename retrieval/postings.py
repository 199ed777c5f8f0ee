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
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice, pairwise
from itertools import count as counter
from zlib import crc32

from indexing.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.generations import Buffer

_pair = struct.Struct("<QQ").unpack_from
_BYTES = "surrogatepass"  # a path may hold what is no text
_LONGEST_RUN = 1 << 22  # postings that are sorted at once; some tens of MB
_MOST_KNOWN = 1 << 18  # so many different ones are known; then all are forgotten


class Run(NamedTuple):
    """Postings of some lists of words: those of words `(n,)`, sorted, begin at `starts` `(n + 1,)`.

    A posting is the number of a list (u32) and how many times it holds the word (u32).
    """

    words: list[str]
    starts: "NDArray[np.int64]"
    lists: "NDArray[np.uint32]"
    times: "NDArray[np.uint32]"


class Block(NamedTuple):
    """Lists of pieces of text, one after another: the piece and the list of each, by number.

    `names` are the pieces by their numbers; `size` is how many lists there are.
    """

    names: list[str]
    pieces: "NDArray[np.int32]"
    lists: "NDArray[np.int64]"
    size: int

    def where(self, kept: "NDArray[np.bool_]") -> "Block":
        """The lists with those of their pieces that are kept."""
        return self._replace(pieces=self.pieces[kept], lists=self.lists[kept])


class Pieces:
    """Lists of pieces of text as they come: they come again and again, so each has a number."""

    def __init__(self) -> None:
        self._pieces, self._lengths = array("i"), array("i")
        self._forget()

    def _forget(self) -> None:
        self._number_of: dict[str, int] = defaultdict(counter().__next__)
        self._names: list[str] = []

    def __len__(self) -> int:
        """How many pieces came since the last block."""
        return len(self._pieces)

    def add(self, *lists: Sequence[str]) -> None:
        """Take in the next lists."""
        self._pieces.extend(map(self._number_of.__getitem__, chain.from_iterable(lists)))
        self._lengths.extend(map(len, lists))

    def block(self) -> Block:
        """What came since the last block."""
        import numpy as np

        self._names.extend(islice(self._number_of, len(self._names), None))
        lengths = np.frombuffer(self._lengths, np.int32)
        lists = np.repeat(np.arange(len(lengths)), lengths)
        block = Block(self._names, np.frombuffer(self._pieces, np.int32), lists, len(lengths))
        self._pieces, self._lengths = array("i"), array("i")
        if len(self._names) > _MOST_KNOWN:
            self._forget()
        return block


class _Spelling:
    """The words of pieces by their numbers; those of a piece are taken once."""

    def __init__(self, words_of: Callable[[str], Iterable[str]], word_of: dict[str, int]) -> None:
        import numpy as np

        self._words_of, self._word_of = words_of, word_of
        self._names: list[str] = []
        self._words = array("i")
        self._begins = np.full(0, -1)
        self._counts = np.zeros(0, np.int64)

    def words(self, block: Block) -> "tuple[NDArray[np.int32], NDArray[np.int64]]":
        """The words of the block's pieces, and the list of each."""
        import numpy as np

        if block.names is not self._names:
            self._names = block.names
            self._begins, self._counts = np.full(0, -1), np.zeros(0, np.int64)
        more = len(block.names) - len(self._begins)
        self._begins = np.append(self._begins, np.full(more, -1))
        self._counts = np.append(self._counts, np.zeros(more, np.int64))
        new = np.zeros(len(block.names), bool)
        new[block.pieces] = True
        self._learn(np.flatnonzero(new & (self._begins < 0)))
        counts = self._counts[block.pieces]
        ends = np.cumsum(counts)
        places = np.arange(counts.sum()) + np.repeat(
            self._begins[block.pieces] - ends + counts, counts
        )
        return np.array(self._words, np.int32)[places], np.repeat(block.lists, counts)

    def _learn(self, pieces: "NDArray[np.int64]") -> None:
        import numpy as np

        words_of, names = self._words_of, self._names
        found = [list(words_of(names[piece])) for piece in pieces.tolist()]
        counts = np.fromiter(map(len, found), np.int64, len(found))
        self._begins[pieces] = len(self._words) + np.cumsum(counts) - counts
        self._counts[pieces] = counts
        self._words.extend(map(self._word_of.__getitem__, chain.from_iterable(found)))


def _itself(piece: str) -> tuple[str]:
    return (piece,)


class Runs:
    """Lists of words as they come, in sorted runs that are small enough to be sorted in memory.

    Args:
        words_of: The words of a piece for each kind of pieces; each is a word itself by default.
        once: A list holds a word once, however often it stands in its pieces.
    """

    def __init__(self, *words_of: Callable[[str], Iterable[str]], once: bool = False) -> None:
        self._words_of = words_of or (_itself,)
        self._once = once
        self._own = Pieces()
        self._runs: list[Run] = []
        self._sizes = array("i")
        self._before = 0
        self._begin()

    def _begin(self) -> None:
        self._word_of: dict[str, int] = defaultdict(counter().__next__)
        self._spellings = [_Spelling(each, self._word_of) for each in self._words_of]
        self._words: list[NDArray[np.int32]] = []
        self._lists: list[NDArray[np.int64]] = []
        self._size = 0

    def add(self, words: Iterable[str]) -> None:
        """Take in the next list, each piece of which is a word."""
        self._own.add(list(words))
        if len(self._own) >= _LONGEST_RUN:
            self.take(self._own.block())

    def take(self, *blocks: Block) -> None:
        """Take in the next lists: a block for each kind of pieces, all of the same lists."""
        for spelling, block in zip(self._spellings, blocks, strict=True):
            words, lists = spelling.words(block)
            self._words.append(words)
            self._lists.append(lists + self._size)
        self._size += blocks[0].size
        if sum(map(len, self._words)) >= _LONGEST_RUN:
            self._end()

    def done(self, family: str) -> dict[str, bytes]:
        """All that was added, as files by name; nothing is to be added any more."""
        if (rest := self._own.block()).size:
            self.take(rest)
        if self._size:
            self._end()
        files = {}
        for number, run in enumerate(self._runs):
            words, offsets = _joined(_encoded(run.words))
            prefix = f"{family}.{number}"
            files[f"{prefix}.words"] = words
            files[f"{prefix}.offsets"] = offsets.astype("<u8").tobytes()
            files[f"{prefix}.starts"] = run.starts.astype("<i8").tobytes()
            files[f"{prefix}.lists"] = run.lists.astype("<u4").tobytes()
            files[f"{prefix}.times"] = run.times.astype("<u4").tobytes()
        return files

    def sizes(self) -> bytes:
        """How many different words each list held (i32), when all is `done`."""
        return self._sizes.tobytes()

    def _end(self) -> None:
        import numpy as np

        words = list(self._word_of)
        # the order of code points is the order of UTF-8
        order = sorted(range(len(words)), key=words.__getitem__)
        vocabulary = [words[number] for number in order]
        place = np.empty(len(words), np.int64)
        place[order] = np.arange(len(words))
        bits = self._size.bit_length()
        keys = place[np.concatenate(self._words)] << bits
        keys |= np.concatenate(self._lists)
        keys, times = np.unique(keys, return_counts=True)
        lists = keys & (1 << bits) - 1
        starts = np.searchsorted(keys, np.arange(len(vocabulary) + 1) << bits)
        sizes = np.bincount(lists, minlength=self._size)
        self._sizes.frombytes(sizes.astype(np.int32).tobytes())
        if self._once:
            times[:] = 1
        lists += self._before
        self._runs.append(Run(vocabulary, starts, lists.astype(np.uint32), times.astype(np.uint32)))
        self._before += self._size
        self._begin()


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


def runs_of(files: "Mapping[str, Buffer]", family: str) -> list[Run]:
    """The runs that `Runs.done` made files of."""
    import numpy as np

    runs: list[Run] = []
    while f"{family}.{len(runs)}.words" in files:
        prefix = f"{family}.{len(runs)}"
        runs.append(
            Run(
                _words_in(bytes(files[f"{prefix}.words"]), files[f"{prefix}.offsets"]),
                np.frombuffer(files[f"{prefix}.starts"], "<i8"),
                np.frombuffer(files[f"{prefix}.lists"], "<u4"),
                np.frombuffer(files[f"{prefix}.times"], "<u4"),
            )
        )
    return runs


def _words_in(joined: bytes, offsets: "Buffer") -> list[str]:
    """The words that `_joined` put together."""
    import numpy as np

    bounds = pairwise(np.frombuffer(offsets, "<u8").tolist())
    if joined.isascii():  # decoded at once, which takes a third of the time
        text = joined.decode("ascii")
        return [text[begin:end] for begin, end in bounds]
    return [joined[begin:end].decode("utf-8", _BYTES) for begin, end in bounds]


def _encoded(words: Iterable[str]) -> list[bytes]:
    return [word.encode("utf-8", _BYTES) for word in words]


def _joined(encoded: Sequence[bytes]) -> "tuple[bytes, NDArray[np.uint64]]":
    """The words in UTF-8, and where each begins; where the last one ends."""
    import numpy as np

    return b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.uint64)


def _hashes(encoded: Sequence[bytes]) -> "NDArray[np.uint64]":
    """The CRC-32 of each word, in the upper half."""
    import numpy as np

    return np.fromiter(map(crc32, encoded), np.uint64, len(encoded)) << np.uint64(32)


def merged(gathered: "Iterable[tuple[Sequence[Run], NDArray[np.int64]]]", size: int) -> Counted:
    """The postings of all runs as one.

    Args:
        gathered: Runs, and the row of each of their lists; -1 is left out.
        size: How many rows there are.
    """
    import numpy as np

    runs = [_placed(run, rows) for runs, rows in gathered for run in runs]
    # sorted lists are merged faster than a set of their words is sorted
    words = list(dict.fromkeys(sorted(chain.from_iterable(run.words for run in runs))))
    number_of = {word: number for number, word in enumerate(words)}
    numbers = [
        np.fromiter(map(number_of.__getitem__, run.words), np.int64, len(run.words)) for run in runs
    ]
    holding = np.zeros(len(words), np.int64)
    for run, number in zip(runs, numbers, strict=True):
        holding[number] += np.diff(run.starts)
    starts = np.concatenate([[0], np.cumsum(holding)])
    counted = Counted(
        words, starts, np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.uint32)
    )
    _fill(counted, runs, numbers, size)
    return counted


def merged_family(
    gathered: "Iterable[tuple[Mapping[str, Buffer], NDArray[np.int64]]]", family: str, size: int
) -> Counted:
    """The postings of all that was gathered of a family; arguments are those of `merged`."""
    return merged(((runs_of(files, family), rows) for files, rows in gathered), size)


def count(lists: Iterable[Iterable[str]]) -> Counted:
    """How often each row holds each word; row `i` holds the words of the `i`th list."""
    import numpy as np

    runs, size = Runs(), 0
    for words in lists:
        runs.add(words)
        size += 1
    return merged([(runs_of(runs.done("x"), "x"), np.arange(size))], size)


def _placed(run: Run, rows: "NDArray[np.int64]") -> Run:
    """The run with rows for the numbers of its lists, without what is left out."""
    import numpy as np

    row = rows[run.lists]
    kept = row >= 0
    if kept.all():
        return run._replace(lists=row.astype(np.uint32))
    starts = np.concatenate([[0], np.cumsum(kept)])[run.starts]
    held = np.flatnonzero(np.diff(starts))
    return Run(
        [run.words[word] for word in held],
        np.append(starts[held], starts[-1]),
        row[kept].astype(np.uint32),
        run.times[kept],
    )


def _fill(
    counted: Counted, runs: Sequence[Run], numbers: "Sequence[NDArray[np.int64]]", size: int
) -> None:
    """Put the runs' postings in order, so many words at a time as can be sorted in memory.

    `numbers` are those of each run's words. A posting is sorted as one number: word, row, times.
    """
    import numpy as np

    row_bits = max(1, size).bit_length()
    times_bits = max((int(run.times.max(initial=1)) for run in runs), default=1).bit_length()
    most = 1 << 63 - row_bits - times_bits
    words, first = len(counted.words), 0
    while first < words:
        ending = int(np.searchsorted(counted.starts, counted.starts[first] + _LONGEST_RUN, "right"))
        last = min(max(ending - 1, first + 1), first + most, words)
        pieces = []
        for run, number in zip(runs, numbers, strict=True):
            begin, end = np.searchsorted(number, [first, last])
            word = np.repeat(number[begin:end] - first, np.diff(run.starts[begin : end + 1]))
            here = slice(run.starts[begin], run.starts[end])
            keys = word << row_bits | run.lists[here].astype(np.int64)
            pieces.append(keys << times_bits | run.times[here])
        keys = np.concatenate(pieces)
        keys.sort()
        here = slice(counted.starts[first], counted.starts[last])
        counted.all_rows[here] = keys >> times_bits & (1 << row_bits) - 1
        counted.times[here] = keys & (1 << times_bits) - 1
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
        self.starts: NDArray[np.uint64] = whole(files[f"{family}.starts"], "<u8")
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
        return int(self.starts[number]), int(self.starts[number + 1])

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
