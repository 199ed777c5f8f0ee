"""Asks the tiers in order, merges, breaks ties, drops the weak."""

from collections.abc import Iterable, Sequence

from indexing.typed import TYPE_CHECKING, NamedTuple
from retrieval.hit import Hit, says_the_same
from retrieval.query import Query

if TYPE_CHECKING:
    from indexing.stores.interface import Store
    from retrieval.tiers.interface import Tier

_DEEPER = 4


def search(
    query: Query,
    store: "Store",
    tiers: "Iterable[Tier]",
    limit: int,
    min_score: int,
    abstain_below: float = 0.0,
) -> list[Hit]:
    """At most `limit` hits: those of the first tier first, each tier's best first.

    An entry that two tiers find is the earlier one's. Of entries that say the same the first is
    shown, and counts the others. Once `limit` is reached the tiers that are
    left are not asked; neither are they when nothing but a log was given and a sure tier knows its
    failure with a lesson: what is only alike would cost more than it tells. Where nothing sure is
    known, what is only alike must not name what the log does not hold (`doubt.py`). `min_score`
    does not hold for a tier that is sure. What did more harm than good is left out.
    """
    asked = _Asked(min_score, abstain_below)
    hits: list[Hit] = []
    before: list[Hit] = []  # with those that say the same, so that nothing is counted twice
    for tier in tiers:
        found = _strong(tier, query, store, limit, hits, asked)
        merged = _merged([*before, *found], limit)
        if len(merged) < limit == len(found):
            # what says the same took the places of what says something else
            found = _strong(tier, query, store, _DEEPER * limit, hits, asked)
            merged = _merged([*before, *found], limit)
        hits = merged
        before += found
        if len(hits) >= limit or (query.only_log and any(map(_answers, hits))):
            break  # before the next tier is imported
    return hits


class _Asked(NamedTuple):
    """What a hit must have to be shown."""

    min_score: int
    abstain_below: float


def _strong(
    tier: "Tier", query: Query, store: "Store", limit: int, before: Sequence[Hit], asked: _Asked
) -> list[Hit]:
    return [
        hit
        for hit in tier.search(query, store, limit)
        if not _abstains(hit, asked.abstain_below)
        and (tier.sure or (hit.score >= asked.min_score and not _doubtful(hit, query, before)))
    ]


def _merged(found: Sequence[Hit], limit: int) -> list[Hit]:
    """The first hits that say something else; each counts those that say the same.

    What people merged says the same under each of its ids, and is counted once.
    """
    merged: list[Hit] = []
    known: set[object] = set()
    for hit in found:
        if _id(hit) in known:
            continue
        known.add(_id(hit))
        same = (at for at, other in enumerate(merged) if says_the_same(other.entry, hit.entry))
        at = next(same, None)
        if at is not None:
            merged[at] = merged[at]._replace(alike=merged[at].alike + 1)
        elif len(merged) < limit:
            merged.append(hit)
    return merged


def _id(hit: Hit) -> object:
    return hit.entry.extra.get("merged_into", hit.entry.id)


def _abstains(hit: Hit, below: float) -> bool:
    """Whether the memory did more harm than good."""
    evidence = hit.entry.evidence
    if evidence.applied <= evidence.helped and not evidence.harmed:
        return False  # nothing speaks against it; most need no more than this
    from indexing.learning.evidence import posterior_mean

    return posterior_mean(evidence) < below


def _doubtful(hit: Hit, query: Query, found: Sequence[Hit]) -> bool:
    """Whether nothing but a log was given, nothing sure is known, and this is only alike."""
    if not query.only_log or hit.tier != "lexical":
        return False
    if any(each.tier == "exact" for each in found):
        return False
    from retrieval.doubt import may_be_shown

    return not may_be_shown(hit, query)


def _answers(hit: Hit) -> bool:
    """Whether the hit is this very failure and says what to do."""
    lesson = hit.entry.lesson
    return hit.score == 100 and bool(lesson.fix or lesson.worked)
