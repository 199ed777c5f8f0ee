"""The files that the query shares with the entries: which, and how many of all (Jaccard)."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from indexing.typed import TYPE_CHECKING
from retrieval import tokens
from retrieval.postings import Postings, numbers
from retrieval.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNKNOWN = -1
SHOWN = 8


class Files:
    """The query's files among those of each row.

    Args:
        query: What is asked.
        files: `paths` and `paths.sizes` (i32 a row, -1 when a row's files are unknown).
        rows: So many of the newest rows are looked at.
    """

    def __init__(self, query: Query, files: Mapping[str, memoryview], rows: int) -> None:
        asked = tokens.file_keys(query.files)
        self.known = asked is not None
        self.sizes: NDArray[np.int32] = numbers(files["paths.sizes"], "<i4", 0, rows)
        self._asked = len(asked or ())
        self._limit = rows
        self._paths = Postings(files, "paths")
        found = ((key, self._paths.find(key)) for key in asked or ())
        self._found = [(key, number) for key, number in found if number is not None]

    @cached_property
    def _shared(self) -> "tuple[NDArray[np.uint32], NDArray[np.int64]]":
        import numpy as np

        holding = [self._paths.rows(number) for _, number in self._found]
        all_rows = np.concatenate([np.empty(0, np.uint32), *holding])
        return np.unique(all_rows[all_rows < self._limit], return_counts=True)

    @property
    def rows(self) -> "NDArray[np.uint32]":
        """The rows that share files with the query, ascending."""
        return self._shared[0]

    @property
    def _union(self) -> "NDArray[np.int64]":
        rows, shared = self._shared
        return self._asked + self.sizes[rows] - shared

    @property
    def jaccards(self) -> "NDArray[np.float64]":
        """Of each of `rows`."""
        return self._shared[1] / self._union

    @property
    def per_cents(self) -> "NDArray[np.int64]":
        """Whole per cents of each of `rows`, rounded down."""
        return 100 * self._shared[1] // self._union

    def jaccard(self, row: int) -> float | None:
        """Of the row's files and the query's; None when either are not known."""
        size = int(self.sizes[row])
        if not self.known or size == UNKNOWN:
            return None
        shared = len(self.shared_with(row))
        return round(shared / (self._asked + size - shared), 6) if shared else 0.0

    def shared_with(self, row: int) -> tuple[str, ...]:
        """The files that the row shares with the query, the rarest first."""
        return held_by(self._paths, self._found, row)


def held_by(postings: Postings, asked: Sequence[tuple[str, int]], row: int) -> tuple[str, ...]:
    """Those of the words asked for that `row` holds, the rarest first."""
    held = [
        (len(postings.rows(number)), word)
        for word, number in asked
        if postings.place(number, row) is not None
    ]
    return tuple(word for _, word in sorted(held))
