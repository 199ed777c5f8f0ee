"""Whether certainty keeps its word: how often hits helped, by how certain they were said to be."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from indexing.settings import Settings
from retrieval.evaluation.dataset import Question
from retrieval.evaluation.engine import Engine

BOUNDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)


class Judged(NamedTuple):
    """A question's first three hits: how certain each was, and whether it helped.

    `elsewhere` is how certain the first hit is when all that helps is taken out of the memory.
    """

    id: str
    hits: tuple[tuple[float, bool], ...]
    elsewhere: float

    @property
    def certainty(self) -> float:
        """Of the first hit; 0 where there is none."""
        return self.hits[0][0] if self.hits else 0.0

    @property
    def is_right(self) -> bool:
        """Whether the first hit helps."""
        return bool(self.hits) and self.hits[0][1]


class Bin(NamedTuple):
    """Hits that were said to be about as certain: what was said on average, how many helped."""

    low: float
    high: float
    hits: int
    said: float
    helped: float


def judged(questions: Iterable[Question], engine: Engine, settings: Settings) -> list[Judged]:
    """Each question, asked twice, whatever the scores; certainty is that of the scorer `fields`."""
    settings = settings._replace(scorer="fields")
    found = []
    for question in questions:
        hits = engine.hits(question, settings)
        others = engine.hits(question, settings, 1, question.relevant)
        found.append(
            Judged(
                question.id,
                tuple((hit.certainty or 0.0, hit.entry.id in question.relevant) for hit in hits),
                others[0].certainty or 0.0 if others else 0.0,
            )
        )
    return found


def bins(found: Sequence[Judged]) -> list[Bin]:
    """The hits by certainty, between `BOUNDS`; where there is none there is no bin."""
    hits = [hit for each in found for hit in each.hits]
    made = []
    for low, high in pairwise(BOUNDS):
        inside = [hit for hit in hits if low <= hit[0] < high or hit[0] == high == BOUNDS[-1]]
        if inside:
            said, helped = (sum(values) / len(inside) for values in zip(*inside, strict=True))
            made.append(Bin(low, high, len(inside), said, helped))
    return made


def separation(found: Sequence[Judged]) -> float:
    """The chance that the first hit is surer where something helps than where it was taken out.

    The area under the curve of hits and false alarms; 0.5 tells nothing.
    """
    import numpy as np

    there = np.sort([each.certainty for each in found])
    gone = np.array([each.elsewhere for each in found])
    below, up_to = (np.searchsorted(there, gone, side) for side in ("left", "right"))
    return float(1 - (below + up_to).mean() / 2 / len(there))


def surest(found: Sequence[Judged], share: float = 0.25) -> float:
    """How often the first hit helps, of the questions whose first hit is the most certain."""
    ranked = sorted(found, key=lambda each: (-each.certainty, each.id))
    first = ranked[: max(1, int(share * len(ranked)))]
    return sum(each.is_right for each in first) / len(first)
