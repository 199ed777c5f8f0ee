"""What ranking_quality.ipynb shows: scorers, parts and tiers compared, as tables and plots."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from figures import Table, cut
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # a notebook starts in its own folder

from indexing.learning.evidence import interval  # noqa: E402
from retrieval.evaluation import measures  # noqa: E402
from retrieval.evaluation.dataset import Dataset, Question  # noqa: E402
from retrieval.evaluation.engine import opened  # noqa: E402
from scripts.bench import ranking  # noqa: E402
from scripts.bench.ranking import DEPTHS, Asked, Measured  # noqa: E402

KEPT = Path(__file__).with_name("ranking.json")
_COLOURS = ("#8a8f98", "#2f6db0", "#2a7f62", "#c8452f", "#b0822f", "#7a4fa3")


class Compared(NamedTuple):
    """A dataset, the questions asked of it, what each way answered, and the figures."""

    dataset: Dataset
    questions: Sequence[Question]
    asked: Mapping[str, Sequence[Asked]]
    measured: Measured


def datasets(given: str, quick: bool) -> Iterator[Dataset]:
    """The dataset folder or memory that is given; else the fixtures, and the large sets."""
    if given:
        yield ranking.read(Path(given))
    else:
        yield from ranking.datasets(large=not quick)


def compared(dataset: Dataset, most: int = 0, model: str = "") -> Compared:
    """All ways on the dataset's newest questions, so many at most; 0: all.

    With a model's folder, the tier semantic too.
    """
    questions = ranking.sample(dataset, most)
    with opened(dataset, ranking.settings_for(model)) as engine:
        asked = ranking.asked_all(engine, questions, model)
        found = ranking.measured(dataset, engine, questions, asked)
    return Compared(dataset, questions, asked, found)


def kept(but: Sequence[Measured]) -> list[Measured]:
    """The figures kept with the notebook, of sets that were not measured just now."""
    names = {each.name for each in but}
    return [each for each in ranking.kept(KEPT) if each.name not in names]


# ---------------------------------------------------------------------- recall


def recall_table(found: Sequence[Measured], about: str) -> Table:
    """R@1, R@3 with its interval, R@10 of each way, in per cent."""
    at = [DEPTHS.index(depth) for depth in (1, 3, 10)]
    rows = [
        (
            *(each.name, one.way, each.questions),
            *(100 * one.recall[place] for place in at),
            f"{100 * one.r3.low:.1f} to {100 * one.r3.high:.1f}",
        )
        for each in found
        for one in each.lines[about]
    ]
    return Table(("set", about, "n", "R@1", "R@3", "R@10", "R@3, 95 % interval"), rows)


def measures_table(found: Compared) -> Table:
    """The usual measures of the scorers, by `ir_measures`, in per cent."""
    rows = []
    for each in found.asked["scorers"]:
        values = measures.by_question(
            found.dataset._replace(questions=(*found.questions,)), each.run
        )
        rows.append((each.way.name, *(100 * one.mean for one in measures.figures(values).values())))
        names = [*measures.figures(values)]
    return Table(("scorer", *names), rows)


def plot_recall(found: Sequence[Measured], about: str = "scorers") -> Figure:
    """The share of what helps among the first hits, against how many of them are looked at."""
    figure, panels = _panels(found, 3.2)
    for axes, each in zip(panels, found, strict=True):
        for colour, one in zip(_COLOURS, each.lines[about], strict=False):
            axes.plot(DEPTHS, one.recall, "o-", color=colour, label=one.way, markersize=4)
        axes.set_xscale("log")
        axes.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
        axes.minorticks_off()
        axes.axvline(3, color=_COLOURS[0], linewidth=0.8, linestyle=":")
        axes.set_xlabel("first hits; three are shown")
        axes.set_ylim(0, 1.02)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("recall")
    panels[0].legend(frameon=False, fontsize="small")
    return figure


def plot_added(found: Sequence[Measured], about: str) -> Figure:
    """R@3 of each way with its interval: what a part or a tier adds to those before it."""
    figure, panels = _panels(found, 1.4 + 0.3 * max(len(each.lines[about]) for each in found))
    for axes, each in zip(panels, found, strict=True):
        lines = each.lines[about]
        shares = [one.r3.mean for one in lines]
        ends = [
            [max(0.0, one.r3.mean - one.r3.low) for one in lines],
            [max(0.0, one.r3.high - one.r3.mean) for one in lines],
        ]
        bars = axes.barh([one.way for one in lines], shares, xerr=ends, color=_COLOURS[1])
        axes.bar_label(
            bars, [f"{share:.3f}" for share in shares], label_type="center", color="white"
        )
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_xlabel("R@3")
    for axes in panels[1:]:
        axes.set_yticklabels([])
    return figure


# ---------------------------------------------------------------------- questions


class Change(NamedTuple):
    """A question, and the ranks of the first entry that helps by two ways; None: not among 50."""

    question: Question
    ours: int | None
    theirs: int | None

    @property
    def gain(self) -> float:
        """In reciprocal ranks, -1..1."""
        return (1 / self.ours if self.ours else 0.0) - (1 / self.theirs if self.theirs else 0.0)


def changes(found: Compared, ours: str, theirs: str) -> list[Change]:
    """The questions whose first helpful hit moved between two scorers, the greatest gain first."""
    by_name = {each.way.name: each.run for each in found.asked["scorers"]}
    made = [
        Change(each, _rank(each, by_name[ours]), _rank(each, by_name[theirs]))
        for each in found.questions
    ]
    return sorted((each for each in made if each.gain), key=lambda each: -each.gain)


def _rank(question: Question, run: Mapping[str, Sequence[str]]) -> int | None:
    places = (at for at, id in enumerate(run[question.id], 1) if id in question.relevant)
    return next(places, None)


def changes_table(found: Compared, moved: Sequence[Change]) -> Table:
    """What was asked, what helps, and where it stood."""
    titles = {entry.id: entry.title for entry in found.dataset.entries}
    rows = [
        (
            cut(each.question.query.title or each.question.id),
            cut(titles[min(each.question.relevant)]),
            each.ours,
            each.theirs,
        )
        for each in moved
    ]
    return Table(("asked", "what helps", "rank", "rank of the other"), rows)


def difference_table(found: Compared, ours: str, theirs: str) -> Table:
    """The paired difference of two scorers, question by question, in per cent."""
    dataset = found.dataset._replace(questions=(*found.questions,))
    by_name = {each.way.name: each.run for each in found.asked["scorers"]}
    values = [measures.by_question(dataset, by_name[name]) for name in (ours, theirs)]
    rows = [
        (name, 100 * one.mean, f"{100 * one.low:+.1f} to {100 * one.high:+.1f}")
        for name, one in measures.differences(*values).items()
    ]
    return Table((f"{ours} minus {theirs}", "mean", "95 % interval"), rows)


# ---------------------------------------------------------------------- certainty


def certainty_table(found: Sequence[Measured]) -> Table:
    """How well certainty tells an answer from none, and how the surest questions do."""
    rows = [
        (each.name, each.questions, f"{each.separation:.3f}", 100 * each.surest) for each in found
    ]
    return Table(("set", "n", "AUC, there against taken out", "surest quarter's P@1"), rows)


def plot_reliability(found: Sequence[Measured]) -> Figure:
    """What was said of hits against how many of them helped, with Wilson's intervals."""
    figure, panels = _panels(found, 3.2)
    for axes, each in zip(panels, found, strict=True):
        axes.plot([0, 1], [0, 1], color=_COLOURS[0], linewidth=0.8)
        said = [one.said for one in each.bins]
        helped = [one.helped for one in each.bins]
        spans = [interval(round(one.helped * one.hits), one.hits) for one in each.bins]
        ends = [
            [max(0.0, share - low) for share, (low, _) in zip(helped, spans, strict=True)],
            [max(0.0, high - share) for share, (_, high) in zip(helped, spans, strict=True)],
        ]
        axes.errorbar(said, helped, yerr=ends, fmt="o-", color=_COLOURS[1], capsize=2)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xlabel("certainty")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("share that helped")
    return figure


# ---------------------------------------------------------------------- time


def latency_table(found: Sequence[Compared]) -> Table:
    """Milliseconds a question takes in a long-lived process."""
    rows = []
    for each in found:
        for asked in each.asked["scorers"]:
            took = sorted(asked.ms.values())
            middle, late = (took[int(share * (len(took) - 1))] for share in (0.5, 0.95))
            rows.append(
                (each.dataset.name, len(each.dataset.entries), asked.way.name, middle, late)
            )
    return Table(("set", "entries", "scorer", "median ms", "95 % within ms"), rows)


def plot_latency(found: Sequence[Compared]) -> Figure:
    """How the times of the scorers are spread."""
    figure, panels = _panels([each.measured for each in found], 2.4)
    for axes, each in zip(panels, found, strict=True):
        asked = each.asked["scorers"]
        axes.boxplot(
            [list(one.ms.values()) for one in asked],
            orientation="horizontal",
            tick_labels=[one.way.name for one in asked],
            showfliers=False,
        )
        axes.set_xlim(left=0)
        axes.set_xlabel("ms a question")
    return figure


def _panels(found: Sequence[Measured], height: float) -> tuple[Figure, list[Axes]]:
    """A figure with one panel a set, side by side; the name of each is its title."""
    figure = Figure(figsize=(max(5, 3.3 * len(found)), height), layout="constrained")
    panels = list(figure.subplots(1, len(found), squeeze=False)[0])
    for axes, each in zip(panels, found, strict=True):
        axes.set_title(f"{each.name} ({each.questions:,})", fontsize="medium")
    return figure, panels
