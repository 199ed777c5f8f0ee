"""The three priors of the scorer `fields`, picked on a dataset's older questions.

They are judged on the newer ones, which had no part in the choice: a gain whose interval holds 0
may be chance, and then the priors had better stay as they are.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

from indexing.settings import Settings
from retrieval.evaluation.dataset import Dataset, Question
from retrieval.evaluation.engine import Engine
from retrieval.evaluation.measures import Figure, figure

PRIORS = ("prior_recency", "prior_fresh", "prior_size")
FEWEST = 20
_MOST = 400
_GRID = tuple(product((0.0, 0.5, 1.0), (0.0, 0.25, 0.5, 1.0), (0.0, 0.2, 0.4)))
_DEPTH = 3


class Tuned(NamedTuple):
    """The priors picked, and R@3 of the newer questions before, after, and the difference."""

    priors: tuple[float, float, float]
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
    """The best priors for the older half of the questions, judged on the newer half.

    Args:
        dataset: With at least `FEWEST` questions; of each half the newest 400 are asked.
        engine: Its index.
        settings: What they are compared with; equal priors are preferred to other ones.
        on_progress: Called with how many of how many settings were tried.
    """
    ordered = sorted(dataset.questions, key=lambda each: (each.seq, each.id))
    middle = len(ordered) // 2
    older, newer = ordered[:middle][-_MOST:], ordered[middle:][-_MOST:]
    now = (settings.prior_recency, settings.prior_fresh, settings.prior_size)
    tried = [now, *(each for each in _GRID if each != now)]
    means = []
    for done, priors in enumerate(tried):
        on_progress(done, len(tried))
        means.append(sum(_recall(older, engine, _with(settings, priors))))
    on_progress(len(tried), len(tried))
    best = tried[means.index(max(means))]
    before = _recall(newer, engine, _with(settings, now))
    after = _recall(newer, engine, _with(settings, best))
    gains = [ours - theirs for ours, theirs in zip(after, before, strict=True)]
    return Tuned(best, figure(before), figure(after), figure(gains))


def _with(settings: Settings, priors: tuple[float, float, float]) -> Settings:
    recency, fresh, size = priors
    return settings._replace(
        scorer="fields", prior_recency=recency, prior_fresh=fresh, prior_size=size
    )


def _recall(questions: Sequence[Question], engine: Engine, settings: Settings) -> list[float]:
    """R@3 of each question, by the lexical tier alone."""
    return [
        len(
            question.relevant
            & {each.id for each in engine.answers(question, settings, ("lexical",), _DEPTH)}
        )
        / len(question.relevant)
        for question in questions
    ]
