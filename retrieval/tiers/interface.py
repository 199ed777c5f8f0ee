"""Tier: a part of the index that can also be asked."""

from collections.abc import Sequence

from indexing.build import Part
from indexing.stores.interface import Store
from indexing.typed import Protocol
from retrieval.hit import Hit
from retrieval.query import Query


class Tier(Part, Protocol):
    """A tier's two halves, what it keeps (`gather`, `merge`) and `search`, stand in one file.

    Hits of a `sure` tier are shown whatever the lowest score is that a user wants to see.
    """

    sure: bool

    def search(self, query: Query, store: Store, limit: int) -> Sequence[Hit]:
        """At most `limit` hits, best first; empty when nothing is known."""
