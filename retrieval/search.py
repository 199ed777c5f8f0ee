"""Asks the tiers in order, merges, breaks ties, drops the weak."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.hit import Hit
from retrieval.query import Query

if TYPE_CHECKING:
    from indexing.stores.interface import Store
    from retrieval.tiers.interface import Tier


def search(
    query: Query,
    store: "Store",
    tiers: "Sequence[Tier]",
    limit: int,
    min_score: int,
    abstain_below: float = 0.0,
) -> list[Hit]:
    """At most `limit` hits: those of the first tier first, each tier's best first.

    An entry that two tiers find is the earlier one's. Once `limit` is reached the tiers that are
    left are not asked; neither are they when nothing but a log was given and a sure tier knows its
    failure with a lesson: what is only alike would cost more than it tells. Where nothing sure is
    known, what is only alike must not name what the log does not hold (`doubt.py`). `min_score`
    does not hold for a tier that is sure. What did more harm than good is left out.
    """
    hits: dict[str, Hit] = {}
    for tier in tiers:
        if len(hits) >= limit or (query.only_log and any(map(_answers, hits.values()))):
            break
        for hit in tier.search(query, store, limit):
            if _abstains(hit, abstain_below):
                continue
            strong = tier.sure or (hit.score >= min_score and not _doubtful(hit, query, hits))
            if strong and len(hits) < limit:
                # what was merged says the same under each of its ids
                hits.setdefault(hit.entry.extra.get("merged_into", hit.entry.id), hit)
    return list(hits.values())


def _abstains(hit: Hit, below: float) -> bool:
    """Whether the memory did more harm than good."""
    evidence = hit.entry.evidence
    if evidence.applied <= evidence.helped and not evidence.harmed:
        return False  # nothing speaks against it; most need no more than this
    from indexing.learning.evidence import posterior_mean

    return posterior_mean(evidence) < below


def _doubtful(hit: Hit, query: Query, found: dict[str, Hit]) -> bool:
    """Whether nothing but a log was given, nothing sure is known, and this is only alike."""
    if not query.only_log or hit.tier != "lexical":
        return False
    if any(each.tier == "exact" for each in found.values()):
        return False
    from retrieval.doubt import may_be_shown

    return not may_be_shown(hit, query)


def _answers(hit: Hit) -> bool:
    """Whether the hit is this very failure and says what to do."""
    lesson = hit.entry.lesson
    return hit.score == 100 and bool(lesson.fix or lesson.worked)
