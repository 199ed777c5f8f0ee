"""Words and points over all segments of a store: what is weighed hangs on all rows together."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter

from indexing.typed import TYPE_CHECKING, Any, NamedTuple
from retrieval.postings import Counted, Postings, first_from, whole

if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Segment, Store

    Real = TypeVar("Real", np.float32, np.float64)

Split = Sequence["tuple[NDArray[np.intp], NDArray[np.uint32]]"]
"""Some rows by the segments they lie in: which of them, and their rows there."""


class Found(NamedTuple):
    """A word that rows hold: where its postings lie in each segment, and how many rows hold it."""

    spans: tuple[tuple[int, int], ...]
    holding: int


class Asked(NamedTuple):
    """A word of the query that rows hold.

    A row that holds it gains `weight` times its value; `most` is what that comes to at most, or the
    word's part of the query's vector: its scorer knows what some words come to together.
    """

    word: str
    family: "Family"
    found: Found
    weight: float
    most: float


class Family:
    """A family of postings in all segments.

    Args:
        store: The rows.
        part: The name of the part that built it.
        family: Its name.
        values: The file (f32) of a number above 0 for each posting; without one it is 1.
        scales: What the values of each row of each segment are multiplied with; 1 without.
    """

    def __init__(
        self,
        store: "Store",
        part: str,
        family: str,
        values: str = "",
        scales: "Sequence[NDArray[np.float32]] | None" = None,
    ) -> None:
        segments = store.segments
        self._postings = [
            each.kept(f"{part}.{family}", None, partial(Postings, each.part(part), family))
            for each in segments
        ]
        self._values = [
            whole(each.part(part)[f"{family}.{values}"], "<f4") if values else None
            for each in segments
        ]
        self._scales = scales
        self._dead = [dead_of(each) for each in segments]
        self._sizes = [len(each) for each in segments]

    def find(self, words: Sequence[str]) -> dict[str, Found]:
        """The words that rows hold, in the order given."""
        by_segment = [postings.spans(words) for postings in self._postings]
        found = {}
        for word, *spans in zip(words, *by_segment, strict=True):
            holding = sum(map(self._holding, range(len(spans)), spans))
            if holding:
                found[word] = Found(tuple(spans), holding)
        return found

    def _holding(self, segment: int, span: tuple[int, int]) -> int:
        begin, end = span
        dead = self._dead[segment]
        if begin == end or not len(dead):
            return end - begin
        return end - begin - int((self._postings[segment].places([span], dead) >= 0).sum())

    def rows(self, found: Found, segment: int, limit: int) -> "NDArray[np.uint32]":
        """The rows of a segment below `limit` that hold the word, ascending, dead ones too."""
        begin, end = found.spans[segment]
        rows = self._postings[segment].all_rows[begin:end]
        return rows if limit == self._sizes[segment] else rows[: first_from(rows, limit)]

    def cuts(
        self, asked: Sequence[Asked], segment: int, bounds: Sequence[int]
    ) -> Sequence[Sequence[int]]:
        """Where the postings of each word begin from each of some rows on, `(bounds, words)`."""
        import numpy as np

        inner = np.array(bounds[1:-1], np.uint32)
        cuts = []
        for each in asked:
            begin, _ = each.found.spans[segment]
            rows = self.rows(each.found, segment, bounds[-1])
            between = (begin + rows.searchsorted(inner)).tolist() if len(inner) else ()
            cuts.append((begin, *between, begin + len(rows)))
        return list(zip(*cuts, strict=True))

    def gains(
        self,
        asked: Sequence[Asked],
        segment: int,
        begins: Sequence[int],
        ends: Sequence[int],
        kind: "type[Real]",
    ) -> "tuple[NDArray[np.intp], NDArray[Real]]":
        """The rows of these postings of each word, and what each gains."""
        import numpy as np

        rows, values = self._postings[segment].all_rows, self._values[segment]
        these = list(map(slice, begins, ends))
        # all words at once: most have few rows, and each call costs as much as a thousand of them
        places = np.concatenate([rows[each] for each in these], dtype=np.intp)
        weights = np.array([each.weight for each in asked], kind)
        gained = weights.repeat([end - begin for begin, end in zip(begins, ends, strict=True)])
        if values is not None:
            gained *= np.concatenate([values[each] for each in these], dtype=kind)
        if self._scales is not None:
            gained *= self._scales[segment][places]
        return places, gained

    def held(self, asked: Sequence[Found], rows: Split) -> "NDArray[np.float64]":
        """The value of each word for each of the rows, `(words, rows)`; 0 where it is not held.

        With scales, times that of the row.
        """
        import numpy as np

        held = np.zeros((len(asked), sum(len(which) for which, _ in rows)))
        for segment, (which, places) in enumerate(rows):
            held[:, which] = self.held_in(segment, asked, places)
        return held

    def held_in(
        self, segment: int, asked: Sequence[Found], places: "NDArray[np.integer[Any]]"
    ) -> "NDArray[np.float64]":
        """As `held`, for rows of one segment."""
        import numpy as np

        spans = [each.spans[segment] for each in asked]
        if not len(places) or not any(end for _, end in spans):
            return np.zeros((len(asked), len(places)))
        at = self._postings[segment].places(spans, places)
        held = (at >= 0).astype(np.float64)
        values = self._values[segment]
        if values is not None:
            held *= values[at]
        if self._scales is not None:
            held *= self._scales[segment][places]
        return held


def in_families(asked: Sequence[Asked]) -> "Iterator[tuple[Family, list[Asked]]]":
    """The words in their order, those of one family that stand together as one."""
    for family, words in groupby(asked, attrgetter("family")):
        yield family, list(words)


def dead_of(segment: "Segment") -> "NDArray[np.uint32]":
    """The segment's dead rows, ascending."""
    import numpy as np

    return segment.kept("dead", None, lambda: np.array(segment.dead, np.uint32))


def split(store: "Store", rows: Sequence[int]) -> Split:
    """Rows of the store by their segments."""
    import numpy as np

    places = [store.place(row) for row in rows]
    return [
        (
            np.array([at for at, place in enumerate(places) if place[0] == segment], np.intp),
            np.array([place for of, place in places if of == segment], np.uint32),
        )
        for segment in range(len(store.segments))
    ]


def of_rows(of_segments: "Sequence[NDArray[np.float64]]", rows: Split) -> "NDArray[np.float64]":
    """Those of these rows, of a number for each row of each segment."""
    import numpy as np

    found = np.zeros(sum(len(which) for which, _ in rows))
    for (which, places), numbers in zip(rows, of_segments, strict=True):
        found[which] = numbers[places]
    return found


def of_all(store: "Store", part: str, name: str, kind: str) -> "list[NDArray[Any]]":
    """A number for each row of each segment, as it is when all rows are looked at together."""
    own = [whole(segment.part(part)[name], kind) for segment in store.segments]
    if len(own) > 1:
        # a delta holds anew what its base had for itself alone
        own[0] = whole(store.segments[-1].part(part)[f"base.{name}"], kind)
    return own


class Shift(NamedTuple):
    """By how much more rows of the whole hold words than those of a base.

    `base` has a row (number, how many more) for each word of the base that has changed; `added` is
    how many hold each word of what came since.
    """

    base: "NDArray[np.int64]"
    added: "NDArray[np.int64]"


def shifted(base: Postings, gone: Counted, added: Counted) -> Shift:
    """What changes when the rows of `gone` are no more and those of `added` are."""
    import numpy as np

    lost, gained = _numbers(base, gone), _numbers(base, added)
    known = gained >= 0
    in_added = _differences(added.starts)
    numbers, at = np.unique(np.concatenate([lost, gained[known]]), return_inverse=True)
    more = np.zeros(len(numbers), np.int64)
    np.add.at(more, at, np.concatenate([-_differences(gone.starts), in_added[known]]))
    shift = np.column_stack([numbers, more])
    in_added[known] = holding(base, shift)[gained[known]]
    return Shift(shift, in_added)


def holding(base: Postings, shift: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """How many rows of the whole hold each word of a base."""
    held = _differences(base.starts.astype("i8"))
    held[shift[:, 0]] += shift[:, 1]
    return held


def _differences(starts: "NDArray[np.int64]") -> "NDArray[np.int64]":
    return starts[1:] - starts[:-1]


def _numbers(base: Postings, counted: Counted) -> "NDArray[np.int64]":
    import numpy as np

    found = base.find(counted.words)
    return np.array([-1 if number is None else number for number in found], np.int64)
