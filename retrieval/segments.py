"""Words and points over all segments of a store: what is weighed hangs on all rows together."""

from collections.abc import Iterable, Sequence
from functools import partial

from indexing.typed import TYPE_CHECKING, Any, NamedTuple
from retrieval.postings import Counted, Postings, first_from, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Segment, Store


Split = Sequence["tuple[NDArray[np.intp], NDArray[np.uint32]]"]
"""Some rows by the segments they lie in: which of them, and their rows there."""


class Found(NamedTuple):
    """A word that rows hold: its number in each segment, None where it is not; how many rows."""

    numbers: tuple[int | None, ...]
    holding: int


Asked = tuple[Found, float]
"""A word that is asked for, and what it weighs."""


class Family:
    """A family of postings in all segments.

    Args:
        store: The rows.
        part: The name of the part that built it.
        family: Its name.
        values: The file (f32) of a number above 0 for each posting; without one it is 1.
    """

    def __init__(self, store: "Store", part: str, family: str, values: str = "") -> None:
        self._segments = store.segments
        self._postings = [
            each.kept(f"{part}.{family}", None, partial(Postings, each.part(part), family))
            for each in store.segments
        ]
        self._values = [
            whole(each.part(part)[f"{family}.{values}"], "<f4") if values else None
            for each in store.segments
        ]

    def find(self, words: Sequence[str]) -> dict[str, Found]:
        """The words that rows hold, in the order given."""
        by_segment = [postings.find(words) for postings in self._postings]
        found = {}
        for word, *numbers in zip(words, *by_segment, strict=True):
            holding = sum(map(self._holding, range(len(numbers)), numbers))
            if holding:
                found[word] = Found(tuple(numbers), holding)
        return found

    def _holding(self, segment: int, number: int | None) -> int:
        import numpy as np

        if number is None:
            return 0
        postings, dead = self._postings[segment], dead_of(self._segments[segment])
        begin, end = postings.span(number)
        if not len(dead):
            return end - begin
        return end - begin - int((postings.places(np.array([number]), dead) >= 0).sum())

    def rows(self, found: Found, segment: int, limit: int) -> "NDArray[np.uint32]":
        """The rows of a segment below `limit` that hold the word, ascending, dead ones too."""
        import numpy as np

        number = found.numbers[segment]
        if number is None:
            return np.empty(0, np.uint32)
        rows = self._postings[segment].rows(number)
        return rows[: first_from(rows, limit)]

    def add(
        self,
        asked: Iterable[Asked],
        segment: int,
        points: "NDArray[np.float64]",
        scales: "NDArray[np.float32] | None" = None,
    ) -> None:
        """Add to the points of a segment's rows: weight times value, and times the row's scale."""
        import numpy as np

        values = self._values[segment]
        for found, weight in asked:
            rows = self.rows(found, segment, len(points))
            if not len(rows):
                continue
            gained: Any = weight
            if values is not None:
                begin, _ = self._postings[segment].span(found.numbers[segment] or 0)
                here = values[begin : begin + len(rows)]
                gained = np.multiply(here, weight, dtype=np.float64)
            if scales is not None:
                gained = np.multiply(scales[rows], gained, dtype=np.float64)
            np.add.at(points, rows, gained)

    def held(self, asked: Sequence[Found], rows: Split) -> "NDArray[np.float64]":
        """The value of each word for each of the rows, `(words, rows)`; 0 where it is not held."""
        import numpy as np

        held = np.zeros((len(asked), sum(len(which) for which, _ in rows)))
        for segment, (which, places) in enumerate(rows):
            held[:, which] = self.held_in(segment, asked, places)
        return held

    def held_in(
        self, segment: int, asked: Sequence[Found], places: "NDArray[np.uint32]"
    ) -> "NDArray[np.float64]":
        """As `held`, for rows of one segment."""
        import numpy as np

        held = np.zeros((len(asked), len(places)))
        known = [at for at, found in enumerate(asked) if found.numbers[segment] is not None]
        if known and len(places):
            numbers = np.array([asked[at].numbers[segment] for at in known], np.int64)
            at = self._postings[segment].places(numbers, places)
            values = self._values[segment]
            held[known] = at >= 0 if values is None else np.where(at >= 0, values[at], 0)
        return held


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
