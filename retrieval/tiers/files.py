"""The files that the query shares with the entries: which, and how many of all (Jaccard)."""

from collections.abc import Sequence

from indexing.typed import TYPE_CHECKING
from retrieval import tokens
from retrieval.postings import tallied, whole
from retrieval.query import Query
from retrieval.segments import Family, Found, Split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Store

UNKNOWN = -1
SHOWN = 8


class Files:
    """The query's files among those of each row.

    Args:
        query: What is asked.
        store: The rows.
        part: The name of the part that has `paths` and `paths.sizes` (i32 a row, -1 when a row's
            files are unknown).
    """

    def __init__(self, query: Query, store: "Store", part: str) -> None:
        asked = tokens.file_keys(query.files)
        self.known = asked is not None
        self.sizes: list[NDArray[np.int32]] = [
            whole(each.part(part)["paths.sizes"], "<i4") for each in store.segments
        ]
        self._asked = len(asked or ())
        self._paths = Family(store, part, "paths")
        self._found = self._paths.find(list(asked or ()))

    def jaccards(self, segment: int, limit: int) -> "tuple[NDArray[np.intp], NDArray[np.float64]]":
        """The rows of a segment that share files with the query, ascending, and each's Jaccard."""
        rows, shared = self._shared(segment, limit)
        return rows, shared / self._union(segment, rows, shared)

    def per_cents(self, segment: int, limit: int) -> "tuple[NDArray[np.intp], NDArray[np.int64]]":
        """As `jaccards`, in whole per cents, rounded down."""
        rows, shared = self._shared(segment, limit)
        return rows, 100 * shared // self._union(segment, rows, shared)

    def _union(
        self, segment: int, rows: "NDArray[np.intp]", shared: "NDArray[np.intp]"
    ) -> "NDArray[np.intp]":
        return self._asked + self.sizes[segment][rows] - shared

    def _shared(self, segment: int, limit: int) -> "tuple[NDArray[np.intp], NDArray[np.intp]]":
        import numpy as np

        holding = [self._paths.rows(found, segment, limit) for found in self._found.values()]
        rows = np.concatenate([np.empty(0, np.uint32), *holding])
        rows.sort()
        begins, shared = tallied(rows)
        return rows[begins].astype(np.intp), shared

    def told(self, rows: Split) -> "list[tuple[float | None, tuple[str, ...]]]":
        """Of each of the rows Jaccard, and the files that it shares with the query.

        Jaccard is None when either files are not known; the rarest files come first.
        """
        import numpy as np

        sizes = np.zeros(sum(len(which) for which, _ in rows), np.int64)
        for segment, (which, places) in enumerate(rows):
            sizes[which] = self.sizes[segment][places]
        held = shared_words(self._paths, self._found, rows)
        told: list[tuple[float | None, tuple[str, ...]]] = []
        for size, files in zip(sizes.tolist(), held, strict=True):
            jaccard = None
            if self.known and size != UNKNOWN:
                shared = len(files)
                jaccard = round(shared / (self._asked + size - shared), 6) if shared else 0.0
            told.append((jaccard, files[:SHOWN]))
        return told


def shared_words(
    family: Family, asked: "dict[str, Found]", rows: Split
) -> "Sequence[tuple[str, ...]]":
    """Those of the words asked for that each of the rows holds, the rarest first."""
    in_order = sorted(asked.items(), key=lambda each: (each[1].holding, each[0]))
    held = family.held([found for _, found in in_order], rows)
    return [
        tuple(word for (word, _), holds in zip(in_order, of_row, strict=True) if holds)
        for of_row in held.T.tolist()
    ]
