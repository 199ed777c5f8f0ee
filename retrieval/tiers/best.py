"""The best rows of all, found exactly and without sorting them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from retrieval.segments import joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Store

_BLOCK = 512
# Weights are kept as float32. A half that they miss by less than this still counts up, so that
# scores do not hang on the last bit.
HALF = 0.5 + 1e-5


def in_all(
    store: "Store", rows: int, add: "Callable[[int, NDArray[np.float64]], None]"
) -> "NDArray[np.float64]":
    """The points of the newest `rows` rows of the store, in whole blocks.

    Args:
        store: The rows.
        rows: From 1.
        add: Adds to the points of a segment's first rows; given its number and the points.
    """
    if len(store.segments) == 1:
        points = _no_points(rows)
        add(0, points[:rows])
        return points
    of_segments = []
    for number, segment in enumerate(store.segments):
        points = _no_points(len(segment))[: len(segment)]
        add(number, points)
        of_segments.append(points)
    points = _no_points(rows)
    points[:rows] = joined(store, of_segments)[:rows]
    return points


def _no_points(rows: int) -> "NDArray[np.float64]":
    import numpy as np

    return np.zeros(-(-rows // _BLOCK) * _BLOCK)


def best_rows(
    points: "NDArray[np.float64]", limit: int, steps: int = 100, least: int = 1
) -> list[tuple[int, int]]:
    """The best rows and their grades, best first; of equal grades the smaller row.

    Exact. Only the blocks that can hold one of the best are looked at row by row: most rows have
    no points at all, and partitioning them all costs a hundred times as much.

    Args:
        points: `(n,)`, from 0, n a multiple of the block.
        limit: So many rows at most, from 1.
        steps: A grade is so many times the points, a half counts up.
        least: Rows of a lower grade are left out, from 1.
    """
    import numpy as np

    def graded(points: "NDArray[np.float64]") -> "NDArray[np.int64]":
        return np.floor(steps * points + HALF).astype(np.int64)

    peaks = graded(points.reshape(-1, _BLOCK).max(axis=1))
    bar = least
    if len(peaks) > limit:
        bar = max(least, int(np.partition(peaks, -limit)[-limit]))
    # `limit` blocks reach the bar; among rows at the bar itself the smallest ones win, and the
    # first `limit` blocks that have no more than it hold enough of them
    level = np.flatnonzero(peaks == bar)[:limit]
    blocks = np.sort(np.concatenate([np.flatnonzero(peaks > bar), level]))
    rows = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    grades = graded(points[rows])
    best = np.lexsort((rows, -grades))[:limit]
    return [(int(rows[at]), int(grades[at])) for at in best if grades[at] >= bar]
