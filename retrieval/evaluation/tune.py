"""The three priors of the scorer `fields`, picked on a dataset's older questions.

Each eighth of the questions, but the oldest, is judged with the priors that are best for all older
ones, in whose choice it had no part: a gain whose interval holds 0 may be chance, and then the
priors had better stay as they are. What is written in the end is picked on all questions.

They are picked by the mean of 1 / log2(1 + rank) of what helps, which every rank moves a little. By
R@3 a few hundred questions say too little: what was best by it for older questions of `hadoop` was
none for the newer ones.
"""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from indexing.settings import Settings
from retrieval.evaluation.dataset import Dataset, Question
from retrieval.evaluation.engine import Engine
from retrieval.evaluation.measures import Figure, figure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PRIORS = ("prior_recency", "prior_fresh", "prior_size")
FEWEST = 20
_MOST = 800
_BLOCKS = 8
_RECENCIES = (0.0, 0.25, 0.5, 1.0, 2.0)
_FRESH = (0.0, 0.25, 1.0, 4.0)
_SIZES = (0.0, 0.1, 0.2, 0.4)
_LOOKED_AT = 400
_DEPTH = 3

Priors = tuple[float, float, float]


class Tuned(NamedTuple):
    """The priors picked, and R@3 of the judged questions before, after, and the difference."""

    priors: Priors
    before: Figure
    after: Figure
    gain: Figure

    @property
    def significant(self) -> bool:
        """Whether it is better for certain: 95 of 100 times."""
        return self.gain.low > 0


def tune(
    dataset: Dataset,
    engine: Engine,
    settings: Settings,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Tuned:
    """The best priors, judged on questions that are newer than those they were picked on.

    Args:
        dataset: With at least `FEWEST` questions; the newest 800 are asked.
        engine: Its index.
        settings: What they are compared with; equal priors are preferred to other ones.
        on_progress: Called with how many of how many questions were asked.
    """
    import numpy as np

    ordered = sorted(dataset.questions, key=lambda each: (each.seq, each.id))[-_MOST:]
    now: Priors = (settings.prior_recency, settings.prior_fresh, settings.prior_size)
    tried = [now, *(each for each in product(_RECENCIES, _FRESH, _SIZES) if each != now)]
    gains, recalls = np.empty((2, len(tried), len(ordered)))
    for at, question in enumerate(ordered):
        on_progress(at, len(ordered))
        looked = looked_at(question, engine, settings, {size for *_, size in tried})
        for number, priors in enumerate(tried):
            ranks = looked.ranks(priors)
            gains[number, at] = sum(1 / math.log2(2 + rank) for rank in ranks)
            recalls[number, at] = sum(rank < _DEPTH for rank in ranks)
    on_progress(len(ordered), len(ordered))
    relevant = np.array([len(each.relevant) for each in ordered])
    gains, recalls = gains / relevant, recalls / relevant
    after = recalls[0].copy()
    cuts = [len(ordered) * block // _BLOCKS for block in range(1, _BLOCKS + 1)]
    for start, end in pairwise(cuts):
        after[start:end] = recalls[gains[:, :start].sum(axis=1).argmax(), start:end]
    before, after = recalls[0, cuts[0] :], after[cuts[0] :]
    best = tried[int(gains.sum(axis=1).argmax())]
    return Tuned(best, *(figure(each.tolist()) for each in (before, after, after - before)))


class Looked(NamedTuple):
    """The rows of a question that are best without priors, and what each prior makes of them.

    `points` are without priors. Recency is linear in its two priors: its factor is proportional to
    1 + a * year + b * fresh. `sizes` holds the factor of each size prior. All are `(n,)`, the
    newest row first.
    """

    points: "NDArray[np.float64]"
    year: "NDArray[np.float64]"
    fresh: "NDArray[np.float64]"
    sizes: "dict[float, NDArray[np.float64]]"
    helpful: "NDArray[np.bool_]"

    def ranks(self, priors: Priors) -> list[int]:
        """Where what helps stands with these priors, from 0; of equal points the newer first."""
        import numpy as np

        year, fresh, size = priors
        points = self.points * (1 + year * self.year + fresh * self.fresh) * self.sizes[size]
        order = np.argsort(-points, kind="stable")
        return np.flatnonzero(self.helpful[order]).tolist()


def looked_at(
    question: Question, engine: Engine, settings: Settings, sizes: Iterable[float]
) -> Looked:
    """The best rows of a question, asked once for each prior."""
    import numpy as np

    def points(year: float = 0.0, fresh: float = 0.0, size: float = 0.0) -> "NDArray[np.float64]":
        return engine.points(question, with_priors(settings, (year, fresh, size)))

    plain = points()
    best = np.sort(np.argsort(-plain, kind="stable")[:_LOOKED_AT])
    best = best[plain[best] > 0]
    plain = plain[best]
    helpful = np.isin(best, engine.rows(question.relevant))
    # a factor is 1 for what is usual: (1 + year) / 1.5
    year, fresh = (1.5 * given[best] / plain - 1 for given in (points(year=1.0), points(fresh=1.0)))
    by_size = {size: points(size=size)[best] / plain for size in sizes}
    return Looked(plain, year, fresh, by_size, helpful)


def with_priors(settings: Settings, priors: Priors) -> Settings:
    """The settings of the scorer `fields` with these priors."""
    year, fresh, size = priors
    return settings._replace(
        scorer="fields", prior_recency=year, prior_fresh=fresh, prior_size=size
    )
