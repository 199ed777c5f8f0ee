"""Points of rows, and the best of all, found exactly and without looking at them all."""

from collections.abc import Callable, Sequence
from functools import partial

from indexing.typed import TYPE_CHECKING, NamedTuple
from retrieval.segments import Asked, Family, Split, dead_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Store

_BLOCK = 256
_FIRST = 32  # blocks that are looked at to learn how good the best rows are
# Weights are kept as float32. A half that they miss by less than this still counts up, so that
# scores do not hang on the last bit.
HALF = 0.5 + 1e-5
_COMMON = 1 << 15  # so many rows hold a word before it pays to look for a few of them
_PUT_OFF = 0.1  # points; more would let too many rows come near the best
_MOST_FINISHED = 1 << 12  # rows; of more it is faster to add to all


class Factors(NamedTuple):
    """What the points of each row of a segment are multiplied with, from above 0.

    And the greatest factor of each block; both in whole blocks.
    """

    of_rows: "NDArray[np.float64]"
    of_blocks: "NDArray[np.float64]"

    @staticmethod
    def of(rows: "NDArray[np.float64]") -> "Factors":
        """For these rows."""
        padded = _room(len(rows))
        padded[: len(rows)] = rows
        return Factors(padded, padded.reshape(-1, _BLOCK).max(axis=1))


class PutOff(NamedTuple):
    """Common words that are added to those rows alone that can be among the best.

    They are most of all postings and least of all points: no row's points grow by more than `most`.
    """

    family: Family
    asked: Sequence[Asked]
    most: float

    @staticmethod
    def of(
        family: Family, asked: Sequence[Asked], most: Callable[[Sequence[Asked]], float]
    ) -> "tuple[list[Asked], PutOff | None]":
        """The words that are added to all rows, and those that are not.

        Args:
            family: Of the words.
            asked: Each with its weight.
            most: By how much some of them raise a row's points at most.
        """
        common = [each for each in asked if each[0].holding > _COMMON]
        common.sort(key=lambda each: -each[0].holding)
        while common and most(common) > _PUT_OFF:
            common.pop()
        if not common:
            return [*asked], None
        rest = [each for each in asked if each not in common]
        # a millionth for what is kept as float32
        return rest, PutOff(family, common, (1 + 1e-6) * most(common))

    def gained(self, segment: int, places: "NDArray[np.uint32]") -> "list[NDArray[np.float64]]":
        """What each word adds to the sums of some rows of a segment."""
        held = self.family.held_in(segment, [found for found, _ in self.asked], places)
        return [row * weight for row, (_, weight) in zip(held, self.asked, strict=True)]


class Points:
    """The points of the newest rows of a store: what is added up for each, times its factor.

    Args:
        store: The rows.
        rows: So many of the newest are looked at.
    """

    def __init__(self, store: "Store", rows: int) -> None:
        self._store = store
        counts = store.before(rows)
        self._rooms = [_room(count) for count in counts]
        self.sums = [room[:count] for room, count in zip(self._rooms, counts, strict=True)]
        """For the first rows of each segment, to be added to."""
        self._factors: list[Factors] = []
        self._put_off: PutOff | None = None

    def times(self, factors: Sequence[Factors], put_off: PutOff | None = None) -> "Points":
        """The same, with the factors of each segment's rows, and what is not yet added."""
        self._factors, self._put_off = list(factors), put_off
        self._bury()
        return self

    def _bury(self) -> None:
        """Take the points from the dead."""
        for segment, sums in zip(self._store.segments, self.sums, strict=True):
            dead = dead_of(segment)
            sums[dead[: dead.searchsorted(len(sums))]] = 0

    def _finish(self) -> None:
        """Add to all rows what was put off."""
        if self._put_off is not None:
            for segment, sums in enumerate(self.sums):
                self._put_off.family.add(self._put_off.asked, segment, sums)
            self._put_off = None
            self._bury()

    def of(self, rows: Split) -> "NDArray[np.float64]":
        """The points of these rows."""
        sums = _of_each(self.sums, rows)
        if self._put_off is not None:
            for segment, (which, places) in enumerate(rows):
                for gained in self._put_off.gained(segment, places):
                    sums[which] += gained
        return sums * self.factors(rows)

    def factors(self, rows: Split) -> "NDArray[np.float64]":
        """What the sums of these rows are multiplied with."""
        return _of_each([factors.of_rows for factors in self._factors], rows)

    def add(self, rows: Split, gained: "NDArray[np.float64]") -> None:
        """Add to the points of these rows; none is named twice."""
        for (which, places), sums, factors in zip(rows, self.sums, self._factors, strict=True):
            sums[places] += gained[which] / factors.of_rows[places]

    def whole(self) -> "list[NDArray[np.float64]]":
        """The points of each segment's rows."""
        self._finish()
        return [
            sums * factors.of_rows[: len(sums)]
            for sums, factors in zip(self.sums, self._factors, strict=True)
        ]

    def leave_out(self, rows: "NDArray[np.bool_] | Sequence[int]") -> None:
        """Take their points from some rows of a store that is one segment."""
        self._finish()
        [sums] = self.sums
        sums[rows] = 0

    def take(self, other: "Points", rows: "NDArray[np.bool_]") -> None:
        """Give some rows the points that they have in another store; both are one segment."""
        for each in (self, other):
            each._finish()
        [sums], [theirs] = self.sums, other.sums
        ours, of_other = (each._factors[0].of_rows[: len(sums)] for each in (self, other))
        sums[rows] = theirs[rows] * of_other[rows] / ours[rows]

    def best(self, limit: int, steps: int = 100, least: int = 1) -> list[tuple[int, int]]:
        """The best rows and their grades, best first; of equal grades the smaller row.

        Args:
            limit: So many rows at most, from 1.
            steps: A grade is so many times the points, a half counts up.
            least: Rows of a lower grade are left out, from 1.
        """
        found = []
        for segment in range(len(self._rooms)):
            for place, grade in self._best_of(segment, limit, steps, least):
                row = self._store.row(segment, place)
                assert row is not None  # the dead have no points
                found.append((-grade, row))
        return [(row, -grade) for grade, row in sorted(found)[:limit]]

    def _best_of(self, segment: int, limit: int, steps: int, least: int) -> list[tuple[int, int]]:
        room, factors = self._rooms[segment], self._factors[segment]
        if self._put_off is not None:
            more = _More(self._put_off.most, partial(self._put_off.gained, segment))
            best = best_rows(room, factors, limit, steps, least, more)
            if best is not None:
                return best
            self._finish()
        best = best_rows(room, factors, limit, steps, least)
        assert best is not None  # nothing is left to be added
        return best


class _More(NamedTuple):
    """What is yet to be added: to the points of a row at most, and to the sums of some rows."""

    most: float
    gained: "Callable[[NDArray[np.uint32]], Sequence[NDArray[np.float64]]]"


_NOTHING = _More(0.0, lambda rows: ())


def best_rows(
    sums: "NDArray[np.float64]",
    factors: Factors,
    limit: int,
    steps: int = 100,
    least: int = 1,
    more: _More = _NOTHING,
) -> list[tuple[int, int]] | None:
    """As `Points.best`, of one segment; None when `more` would have to be asked for too many rows.

    Exact. A block whose greatest sum times its greatest factor is below the bar is not looked at
    row by row: most rows have no points at all, and partitioning them all costs a hundred times as
    much. `sums` are `(n,)`, from 0, n a multiple of the block.
    """
    import numpy as np

    if not len(sums):
        return []
    by_block = sums.reshape(-1, _BLOCK)
    of_blocks = factors.of_blocks[: len(by_block)]
    bounds = by_block.max(axis=1) * of_blocks

    def graded(rows: "NDArray[np.intp]") -> "NDArray[np.int64]":
        whole = sums[rows]
        for gained in more.gained(rows.astype(np.uint32)):
            whole += gained
        return np.floor(steps * whole * factors.of_rows[rows] + HALF).astype(np.int64)

    count = min(len(bounds), max(limit, _FIRST))
    first = np.argpartition(bounds, -count)[-count:]
    rows = (first[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    count = min(limit, len(rows))
    likely = rows[np.argpartition(sums[rows] * factors.of_rows[rows], -count)[-count:]]
    likely = likely[sums[likely] > 0]  # the others are dead, or no rows at all
    if len(likely) == limit:
        # so many rows have this grade at least
        least = max(least, int(graded(likely).min()))
    # the millionth is for what is lost in rounding
    needed = (1 - 1e-6) * (least - HALF) / steps - more.most
    if needed <= 0:
        return None
    blocks = np.flatnonzero(bounds >= needed)
    # what is too small even with the greatest factor need not be multiplied
    block, at = (by_block[blocks] >= (needed / of_blocks[blocks])[:, None]).nonzero()
    rows = blocks[block] * _BLOCK + at
    rows = rows[sums[rows] * factors.of_rows[rows] >= needed]
    if more.most and len(rows) > _MOST_FINISHED:
        return None
    grades = graded(rows)
    reach = np.flatnonzero(grades >= least)
    best = reach[_first(rows[reach], grades[reach], limit)]
    return list(zip(rows[best].tolist(), grades[best].tolist(), strict=True))


def _first(rows: "NDArray[np.intp]", grades: "NDArray[np.int64]", limit: int) -> "NDArray[np.intp]":
    """Which of the rows are the best, best first; rows are ascending."""
    import numpy as np

    if len(grades) > limit:
        bar = np.partition(grades, -limit)[-limit]
        # rows at the bar itself may be many; the smallest of them win
        level = np.flatnonzero(grades == bar)[:limit]
        kept = np.concatenate([np.flatnonzero(grades > bar), level])
    else:
        kept = np.arange(len(grades))
    return kept[np.lexsort((rows[kept], -grades[kept]))][:limit]


def _of_each(of_segments: "Sequence[NDArray[np.float64]]", rows: Split) -> "NDArray[np.float64]":
    """Those of these rows, of one number for each row of each segment."""
    import numpy as np

    found = np.zeros(sum(len(which) for which, _ in rows))
    for (which, places), of_rows in zip(rows, of_segments, strict=True):
        found[which] = of_rows[places]
    return found


def _room(rows: int) -> "NDArray[np.float64]":
    """Zeros for so many rows, in whole blocks."""
    import numpy as np

    return np.zeros(-(-rows // _BLOCK) * _BLOCK)
