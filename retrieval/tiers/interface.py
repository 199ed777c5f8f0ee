"""Tier: a part of the index that can also be asked."""

from collections.abc import Sequence

from indexing.build import Part
from indexing.stores.interface import Store
from indexing.typed import TYPE_CHECKING, Protocol
from retrieval.hit import Hit, Why
from retrieval.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from retrieval.segments import Split
    from retrieval.tiers.best import Points


class Tier(Part, Protocol):
    """A tier's two halves, what it keeps (`gather`, `merge`) and `search`, stand in one file.

    Hits of a `sure` tier are shown whatever the lowest score is that a user wants to see.
    """

    sure: bool

    def search(self, query: Query, store: Store, limit: int) -> Sequence[Hit]:
        """At most `limit` hits, best first; empty when nothing is known."""


class Scored(Protocol):
    """Every row's points for one query; what is left out of `points` does not answer."""

    points: "Points"

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""

    def whys(self, rows: Sequence[int]) -> Sequence[Why]:
        """What speaks for each row."""


class ByWords(Scored, Protocol):
    """The same by words and files."""

    def prior(self, rows: "Split") -> "NDArray[np.float64]":
        """The factor for age and size that is in the points of each of `rows`."""
