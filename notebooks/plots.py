"""The plots of signatures.ipynb."""

from collections.abc import Sequence

from figures import RANKS, Contribution, Judged, Score, Speed, percent, rule_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_GREEN, _RED, _BLUE, _GREY = "#2a7f62", "#c8452f", "#2f6db0", "#8a8f98"


def plot_scores(found: Sequence[Score], title: str) -> Figure:
    """Root, same and apart of the tools that fall short of a full score in something."""
    *tools, total = found
    short = [one for one in tools if not one.full][::-1]
    drawn = [total, *short]
    figure = Figure(figsize=(8, 1.4 + 0.28 * len(drawn)), layout="constrained")
    axes = figure.subplots()
    rows = range(len(drawn))
    for shift, name, colour in ((0.2, "root", _BLUE), (0, "same", _GREEN), (-0.2, "apart", _GREY)):
        shares = [_share(one, name) for one in drawn]
        points = [(x, y + shift) for x, y in zip(shares, rows, strict=True) if x is not None]
        across, up = [x for x, _ in points], [y for _, y in points]
        axes.plot(across, up, "o", color=colour, label=name, markersize=5)
    axes.set_yticks(rows, [f"{one.tool} ({one.logs})" for one in drawn])
    axes.set_ylim(-0.6, len(drawn) - 0.4)
    axes.set_xlabel("percent; logs in brackets")
    axes.grid(axis="x", alpha=0.3)
    axes.axhline(0.5, color=_GREY, linewidth=0.8)
    axes.set_title(f"{title}: {len(short)} of {len(tools)} tools fall short of 100 % in something")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _share(one: Score, name: str) -> float | None:
    parts = {
        "root": (one.root, one.logs),
        "same": (one.same, one.same_pairs),
        "apart": (one.apart, one.apart_pairs),
    }
    return percent(*parts[name])


def plot_ranks(judged: Sequence[Judged], title: str) -> Figure:
    """How much like a root the answers are, by the rank of the rule that found them."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    axes = figure.subplots()
    signed = [one for one in judged if one.case.wanted and one.signature]
    right, wrong = (
        [RANKS.get(rule_of(one), 0) for one in signed if one.root is answer]
        for answer in (True, False)
    )
    axes.hist(
        [right, wrong],
        bins=range(0, 101, 5),
        color=[_GREEN, _RED],
        label=[f"the root line ({len(right)})", f"another line ({len(wrong)})"],
    )
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xticks(range(0, 101, 10))
    axes.set_xlabel("rank of the rule (0: no rule, the last line is taken)")
    axes.set_ylabel("logs")
    axes.set_title(f"{title}: by rules of which rank root lines are found")
    axes.legend(loc="upper left", frameon=False)
    return figure


def plot_contributions(found: Sequence[Contribution], title: str) -> Figure:
    """How many pairs split without each step; those without which none does are left out."""
    _, *steps = found
    useful = sorted((one for one in steps if one.split), key=lambda one: one.split)
    figure = Figure(figsize=(8, 1.2 + 0.26 * max(len(useful), 1)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh([one.step for one in useful], [one.split for one in useful], color=_BLUE)
    axes.bar_label(bars, padding=3)
    axes.margins(x=0.08)
    axes.set_xlabel("same-failure pairs that split when the step is off")
    axes.set_title(f"{title}: {len(useful)} of {len(steps)} steps hold a pair together")
    return figure


def plot_speeds(found: Sequence[Speed]) -> Figure:
    """MB/s against the size of the log; the band is from the slowest run to the fastest."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _speed_panel(left, [one for one in found if one.failing], "fails at 85 % of the log")
    _speed_panel(right, [one for one in found if not one.failing], "does not fail")
    left.set_ylabel("MB/s")
    left.legend(frameon=False, loc="lower left")
    return figure


def _speed_panel(axes: Axes, found: Sequence[Speed], title: str) -> None:
    for way, colour in (("extract", _BLUE), ("60 expressions a line", _GREY)):
        line = [one for one in found if one.way == way]
        sizes = [one.size for one in line]
        axes.plot(sizes, [one.rate for one in line], "o-", color=colour, label=way)
        slowest, fastest = (
            [one.size / took / 1000 for one, took in zip(line, times, strict=True)]
            for times in ([one.most for one in line], [one.least for one in line])
        )
        axes.fill_between(sizes, slowest, fastest, color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.set_xlabel("characters")
    axes.set_title(title)
