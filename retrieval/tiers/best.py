"""Points of rows, and the best of all, found exactly and without looking at them all."""

from collections.abc import Sequence

from indexing.typed import TYPE_CHECKING, NamedTuple
from retrieval.segments import Split, dead_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Store

_BLOCK = 256
_FIRST = 32  # blocks that are looked at to learn how good the best rows are
# Weights are kept as float32. A half that they miss by less than this still counts up, so that
# scores do not hang on the last bit.
HALF = 0.5 + 1e-5


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

    def times(self, factors: Sequence[Factors]) -> "Points":
        """The same, with the factors of each segment's rows."""
        self._factors = list(factors)
        for segment, sums in zip(self._store.segments, self.sums, strict=True):
            dead = dead_of(segment)
            sums[dead[: dead.searchsorted(len(sums))]] = 0
        return self

    def of(self, rows: Split) -> "NDArray[np.float64]":
        """The points of these rows."""
        return _of_each(self.sums, rows) * self.factors(rows)

    def factors(self, rows: Split) -> "NDArray[np.float64]":
        """What the sums of these rows are multiplied with."""
        return _of_each([factors.of_rows for factors in self._factors], rows)

    def add(self, rows: Split, gained: "NDArray[np.float64]") -> None:
        """Add to the points of these rows; none is named twice."""
        for (which, places), sums, factors in zip(rows, self.sums, self._factors, strict=True):
            sums[places] += gained[which] / factors.of_rows[places]

    def whole(self) -> "list[NDArray[np.float64]]":
        """The points of each segment's rows."""
        return [
            sums * factors.of_rows[: len(sums)]
            for sums, factors in zip(self.sums, self._factors, strict=True)
        ]

    def leave_out(self, rows: "NDArray[np.bool_] | Sequence[int]") -> None:
        """Take their points from some rows of a store that is one segment."""
        [sums] = self.sums
        sums[rows] = 0

    def take(self, other: "Points", rows: "NDArray[np.bool_]") -> None:
        """Give some rows the points that they have in another store; both are one segment."""
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
        for number, (room, factors) in enumerate(zip(self._rooms, self._factors, strict=True)):
            for place, grade in best_rows(room, factors, limit, steps, least):
                row = self._store.row(number, place)
                assert row is not None  # the dead have no points
                found.append((-grade, row))
        return [(row, -grade) for grade, row in sorted(found)[:limit]]


def best_rows(
    sums: "NDArray[np.float64]", factors: Factors, limit: int, steps: int = 100, least: int = 1
) -> list[tuple[int, int]]:
    """As `Points.best`, of one segment.

    Exact. A block whose greatest sum times its greatest factor is below the bar is not looked at
    row by row: most rows have no points at all, and partitioning them all costs a hundred times as
    much. `sums` are `(n,)`, from 0, n a multiple of the block.
    """
    import numpy as np

    if not len(sums):
        return []
    by_block = sums.reshape(-1, _BLOCK)
    of_blocks = factors.of_blocks[: len(by_block)]
    bounds = _graded(by_block.max(axis=1) * of_blocks, steps)

    def reaching(blocks: "NDArray[np.intp]", bar: int) -> "tuple[NDArray[np.intp], ...]":
        # what is too small even with the greatest factor need not be multiplied; the millionth is
        # for what a division loses
        needed = (1 - 1e-6) * (bar - HALF) / steps / of_blocks[blocks]
        block, at = (by_block[blocks] >= needed[:, None]).nonzero()
        rows = blocks[block] * _BLOCK + at
        grades = _graded(sums[rows] * factors.of_rows[rows], steps)
        reach = grades >= bar
        return rows[reach], grades[reach]

    count = min(len(bounds), max(limit, _FIRST))
    first = np.argpartition(bounds, -count)[-count:]
    rows, grades = reaching(first, least)
    if len(grades) >= limit:
        least = int(np.partition(grades, -limit)[-limit])
    bounds[first] = 0
    more = reaching(np.flatnonzero(bounds >= least), least)
    rows, grades = np.concatenate([rows, more[0]]), np.concatenate([grades, more[1]])
    if len(grades) > limit:
        least = int(np.partition(grades, -limit)[-limit])
        # rows at the bar itself may be many; the smallest of them win
        level = np.sort(rows[grades == least])[:limit]
        above = grades > least
        rows = np.concatenate([rows[above], level])
        grades = np.concatenate([grades[above], np.full(len(level), least)])
    best = np.lexsort((rows, -grades))[:limit]
    return list(zip(rows[best].tolist(), grades[best].tolist(), strict=True))


def _of_each(of_segments: "Sequence[NDArray[np.float64]]", rows: Split) -> "NDArray[np.float64]":
    """Those of these rows, of one number for each row of each segment."""
    import numpy as np

    found = np.zeros(sum(len(which) for which, _ in rows))
    for (which, places), of_rows in zip(rows, of_segments, strict=True):
        found[which] = of_rows[places]
    return found


def _graded(points: "NDArray[np.float64]", steps: int) -> "NDArray[np.int64]":
    import numpy as np

    return np.floor(steps * points + HALF).astype(np.int64)


def _room(rows: int) -> "NDArray[np.float64]":
    """Zeros for so many rows, in whole blocks."""
    import numpy as np

    return np.zeros(-(-rows // _BLOCK) * _BLOCK)
