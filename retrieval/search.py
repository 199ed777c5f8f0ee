"""Asks the tiers in order, merges, breaks ties, drops the weak."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.hit import Hit, says_the_same
from retrieval.query import Query

if TYPE_CHECKING:
    from indexing.stores.interface import Store
    from retrieval.tiers.interface import Tier

_DEEPER = 4


def search(
    query: Query, store: "Store", tiers: "Sequence[Tier]", limit: int, min_score: int
) -> list[Hit]:
    """At most `limit` hits: those of the first tier first, each tier's best first.

    An entry that two tiers find is the earlier one's. Of entries that say the same the first is
    shown, and counts the others. Once `limit` is reached the tiers that are
    left are not asked; neither are they when nothing but a log was given and a sure tier knows its
    failure with a lesson: what is only alike would cost more than it tells. `min_score` does not
    hold for a tier that is sure.
    """
    hits: list[Hit] = []
    for tier in tiers:
        if len(hits) >= limit or (query.only_log and any(map(_answers, hits))):
            break
        found = _strong(tier, query, store, limit, min_score)
        merged = _merged(hits, found, limit)
        if len(merged) < limit == len(found):
            # what says the same took the places of what says something else
            found = _strong(tier, query, store, _DEEPER * limit, min_score)
            merged = _merged(hits, found, limit)
        hits = merged
    return hits


def _strong(tier: "Tier", query: Query, store: "Store", limit: int, min_score: int) -> list[Hit]:
    return [hit for hit in tier.search(query, store, limit) if tier.sure or hit.score >= min_score]


def _merged(hits: Sequence[Hit], found: Sequence[Hit], limit: int) -> list[Hit]:
    """`hits` and those found that say something else; each counts those that say the same."""
    merged = list(hits)
    known = {hit.entry.id for hit in hits}
    for hit in found:
        if hit.entry.id in known:
            continue
        known.add(hit.entry.id)
        same = (at for at, other in enumerate(merged) if says_the_same(other.entry, hit.entry))
        at = next(same, None)
        if at is not None:
            merged[at] = merged[at]._replace(alike=merged[at].alike + 1)
        elif len(merged) < limit:
            merged.append(hit)
    return merged


def _answers(hit: Hit) -> bool:
    """Whether the hit is this very failure and says what to do."""
    lesson = hit.entry.lesson
    return hit.score == 100 and bool(lesson.fix or lesson.worked)
