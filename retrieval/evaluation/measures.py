"""How good a run is: the usual measures by `ir_measures`, with bootstrap intervals.

R@k is the share of a question's helpful entries among the first k, MRR and nDCG look at the first
ten. FileHit@3 is 1 when one of the first three touched a file that the question's own fix touched;
only questions whose fix is known count.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from indexing.errors import MissingExtra
from retrieval.evaluation.dataset import Dataset
from retrieval.evaluation.runs import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE_HIT = "FileHit@3"
MEASURES = {
    "R@1": "R@1",
    "R@3": "R@3",
    "R@10": "R@10",
    "MRR@10": "RR@10",
    "nDCG@10": "nDCG@10",
}
_DRAWS = 1000
_SEED = 7


class Figure(NamedTuple):
    """A mean over `questions`, and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float
    questions: int


def by_question(dataset: Dataset, run: Run) -> dict[str, dict[str, float]]:
    """Each measure of each question, by measure; a question without an answer has 0.

    Raises:
        MissingExtra: `ir_measures` is not installed.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra("ir-measures", "eval") from error

    wanted = {name: ir_measures.parse_measure(spelt) for name, spelt in MEASURES.items()}
    qrels = {it.id: dict.fromkeys(it.relevant, 1) for it in dataset.questions}
    # by rank: equal scores would be put in an order of their own
    ranked = {
        it.id: {entry: float(-rank) for rank, entry in enumerate(run.get(it.id, ()))}
        for it in dataset.questions
    }
    values = {name: dict.fromkeys(qrels, 0.0) for name in MEASURES}
    names = {measure: name for name, measure in wanted.items()}
    for found in ir_measures.iter_calc(list(wanted.values()), qrels, ranked):
        values[names[found.measure]][found.query_id] = float(found.value)
    files = {entry.id: frozenset(entry.files or ()) for entry in dataset.entries}
    values[FILE_HIT] = {
        it.id: float(any(it.fixed & files[entry] for entry in list(run.get(it.id, ()))[:3]))
        for it in dataset.questions
        if it.fixed
    }
    return values


def figures(values: Mapping[str, Mapping[str, float]]) -> dict[str, Figure]:
    """The mean of each measure that has a question, with its interval."""
    return {name: figure(list(each.values())) for name, each in values.items() if each}


def differences(
    ours: Mapping[str, Mapping[str, float]], theirs: Mapping[str, Mapping[str, float]]
) -> dict[str, Figure]:
    """Ours minus theirs, question by question; an interval without 0 is a difference."""
    return {
        name: figure([value - theirs[name][id] for id, value in each.items()])
        for name, each in ours.items()
        if each
    }


def figure(values: Sequence[float]) -> Figure:
    """The mean with its interval, by a percentile bootstrap; the same every time."""
    import numpy as np

    sample = np.array(values)
    draw = np.random.default_rng(_SEED)
    means: NDArray[np.float64] = np.array(
        [sample[draw.integers(0, len(sample), len(sample))].mean() for _ in range(_DRAWS)]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return Figure(float(sample.mean()), float(low), float(high), len(values))
