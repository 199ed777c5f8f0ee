"""What learning.ipynb shows: failures learnt and met again, as tables and plots."""

import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

from figures import Table
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # a notebook starts in its own folder

from indexing.entry import Evidence  # noqa: E402
from indexing.learning.evidence import interval, lower, posterior_mean, rate  # noqa: E402
from indexing.learning.merge import similarity, told_apart  # noqa: E402
from indexing.signature import extract  # noqa: E402
from scripts.bench import replay  # noqa: E402
from scripts.bench.replay import Answer, Scenario, Use  # noqa: E402

THRESHOLDS = (0.80, 0.88, 0.95, 0.98)
_GREEN, _RED, _BLUE, _GREY = "#2a7f62", "#c8452f", "#2f6db0", "#8a8f98"
_SEED = 7


def scenarios(quick: bool = False) -> list[Scenario]:
    """The captured pairs; of them every fourth when it is to be quick."""
    made = replay.captured()
    return made[::4] if quick else made


class Met(NamedTuple):
    """What a memory of all scenarios shows: for their later logs, and for every captured log.

    `near` and `near_shown` count logs that were made to look like a known failure.
    """

    answers: list[Answer]
    uses: list[Use]
    near: int
    near_shown: int


def met(known: Sequence[Scenario]) -> Met:
    """What is first when each is met again, after all were learnt, and for logs like them."""
    with tempfile.TemporaryDirectory() as folder:
        memory = replay.learnt(known, Path(folder) / "memory")
        logs = replay.later()
        near = [each for each in logs if each.is_near]
        return Met(
            replay.asked(memory, known),
            replay.used(memory, logs, known),
            len(near),
            len(replay.near_shown(memory, near)),
        )


def shown_unrelated(known: Sequence[Scenario]) -> list[tuple[str, str]]:
    """What is shown for failures that the memory was never told of."""
    with tempfile.TemporaryDirectory() as folder:
        return replay.unrelated_shown(known, Path(folder))


# ---------------------------------------------------------------------- the right fix first


def first_table(found: Met, unrelated: Sequence[tuple[str, str]]) -> Table:
    """The figures of the replay, apart for pairs that the tool itself words otherwise."""
    rows = []
    for name, part in _parts(found.answers).items():
        tokens = sum(each.tokens for each in part) / max(1, len(part))
        rows.append(_row(name, sum(each.right for each in part), len(part), tokens))
    rows.append(_row("unrelated, shown anything", len(unrelated), len(found.answers)))
    rows.append(_row("only looks like one, shown anything", found.near_shown, found.near))
    return Table(("scenarios", "n", "right first", "percent", "95 % interval", "tokens"), rows)


def _row(name: str, count: int, of: int, tokens: float | None = None) -> tuple[object, ...]:
    low, high = interval(count, of)
    return name, of, count, 100 * count / max(1, of), _span(low, high), tokens


def _parts(found: Sequence[Answer]) -> dict[str, list[Answer]]:
    return {
        "all": list(found),
        "same wording": [each for each in found if not each.scenario.hard],
        "the tool words it otherwise": [each for each in found if each.scenario.hard],
    }


def _span(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f}"


def missed_table(found: Sequence[Answer], most: int = 20) -> Table:
    """Scenarios whose fix was not first, and what was shown."""
    missed = [each for each in found if not each.right]
    rows = [(each.scenario.name, each.shown or "nothing") for each in missed[:most]]
    return Table((f"missed ({len(missed)})", "shown"), rows)


def plot_first(found: Sequence[Answer]) -> Figure:
    """The share right first, by tool; tools without a miss are one bar."""
    by_tool: dict[str, list[bool]] = {}
    for each in found:
        by_tool.setdefault(each.scenario.name.partition("/")[0], []).append(each.right)
    short = {tool: rights for tool, rights in by_tool.items() if not all(rights)}
    whole = [right for tool, rights in by_tool.items() if tool not in short for right in rights]
    drawn = {**short, f"{len(by_tool) - len(short)} others": whole}
    figure = Figure(figsize=(8, 1.2 + 0.25 * len(drawn)), layout="constrained")
    axes = figure.subplots()
    names = [f"{name} ({len(rights)})" for name, rights in drawn.items()]
    shares = [100 * sum(rights) / max(1, len(rights)) for rights in drawn.values()]
    axes.barh(names, shares, color=[_GREEN if share == 100 else _BLUE for share in shares])
    axes.axvline(95, color=_RED, linewidth=1)
    axes.set_xlabel("percent right first; scenarios in brackets; the line is the bar of 95")
    return figure


# ---------------------------------------------------------------------- over time


class Moment(NamedTuple):
    """After so many failures: how many had been met before, and for how many the fix was first."""

    failures: int
    met_before: int
    right: int


def over_time(found: Sequence[Answer], seed: int = _SEED) -> list[Moment]:
    """A build that meets each failure twice, in an order drawn by lot: what the memory gives."""
    stream = [each for each in found for _ in range(2)]
    random.Random(seed).shuffle(stream)
    seen: set[str] = set()
    moments = [Moment(0, 0, 0)]
    for each in stream:
        failures, met_before, right = moments[-1]
        again = each.scenario.name in seen
        seen.add(each.scenario.name)
        moments.append(Moment(failures + 1, met_before + again, right + (again and each.right)))
    return moments


def time_table(moments: Sequence[Moment], parts: int = 5) -> Table:
    """Per fifth of the stream: how many failures were known, and for how many the fix was first."""
    rows: list[tuple[object, ...]] = []
    bounds = [round(at * (len(moments) - 1) / parts) for at in range(parts + 1)]
    for start, end in pairwise(bounds):
        before, after = moments[start], moments[end]
        failures = after.failures - before.failures
        known = after.met_before - before.met_before
        right = after.right - before.right
        rows.append(
            (f"{start + 1} to {end}", failures, known, right, 100 * right / max(1, failures))
        )
    return Table(("failures", "n", "met before", "right fix first", "percent of all"), rows)


def plot_time(moments: Sequence[Moment]) -> Figure:
    """The share of failures so far that were known, and for which the right fix was first."""
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    counted = [each for each in moments if each.failures]
    across = [each.failures for each in counted]
    for name, colour, share in (
        ("met before", _GREY, [100 * each.met_before / each.failures for each in counted]),
        ("right fix first", _GREEN, [100 * each.right / each.failures for each in counted]),
    ):
        axes.plot(across, share, color=colour, label=name)
    axes.set_xlabel("failures met so far")
    axes.set_ylabel("percent of them")
    axes.set_ylim(0, 60)
    axes.legend(frameon=False)
    return figure


# ---------------------------------------------------------------------- merges


class Likeness(NamedTuple):
    """Two root lines: how alike, whether they are one failure, whether a name forbids it."""

    similarity: float
    is_same: bool
    is_forbidden: bool


def likenesses(known: Sequence[Scenario]) -> list[Likeness]:
    """All pairs of the scenarios' root lines: `a` with its own `b`, and with every other `a`.

    Pairs with equal signatures are one entry anyhow and are left out.
    """
    roots = [(each, _root(str(each.attempts[0]["output"])), _root(each.later)) for each in known]
    found = [
        Likeness(similarity(a, b), True, bool(told_apart(a, b)))
        for _, (a, sha), (b, other) in roots
        if sha != other
    ]
    for (one, (a, sha), _), (two, (b, other), _) in combinations(roots, 2):
        if sha != other and one.group != two.group:
            found.append(Likeness(similarity(a, b), False, bool(told_apart(a, b))))
    return found


def _root(log: str) -> tuple[str, str]:
    signature = extract(log)
    return ("", "") if signature is None else (signature.normalised, signature.sig_sha)


def merge_table(found: Sequence[Likeness]) -> Table:
    """By threshold: pairs of one failure and of two that would be joined, unguarded and guarded."""
    same = sum(each.is_same for each in found)
    rows: list[tuple[object, ...]] = []
    for threshold in THRESHOLDS:
        above = [each for each in found if each.similarity > threshold]
        guarded = [each for each in above if not each.is_forbidden]
        rows.append(
            (
                f"{threshold:.2f}",
                sum(each.is_same for each in above),
                sum(not each.is_same for each in above),
                sum(each.is_same for each in guarded),
                sum(not each.is_same for each in guarded),
            )
        )
    head = (
        f"above (of {same} and {len(found) - same})",
        *("one failure", "two failures: false merges"),
        *("one failure, guarded", "false merges, guarded"),
    )
    return Table(head, rows)


def plot_merges(found: Sequence[Likeness]) -> Figure:
    """How alike pairs of one failure and of two are; what no name forbids is drawn full."""
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    for name, colour, is_same in (("one failure", _GREEN, True), ("two failures", _RED, False)):
        values = [each.similarity for each in found if each.is_same == is_same]
        free = [e.similarity for e in found if e.is_same == is_same and not e.is_forbidden]
        bins = [at / 20 for at in range(21)]
        axes.hist(values, bins, histtype="step", color=colour, label=name, log=True)
        axes.hist(free, bins, color=colour, alpha=0.5, label=f"{name}, not forbidden", log=True)
    for threshold in THRESHOLDS:
        axes.axvline(threshold, color=_GREY, linewidth=0.8)
    axes.set_xlabel("similarity; the lines are the thresholds")
    axes.legend(frameon=False)
    return figure


# ---------------------------------------------------------------------- calibration

ESTIMATES: Mapping[str, Callable[[Evidence], float]] = {
    "raw rate": lambda evidence: rate(evidence) or 0.0,
    "Beta posterior's mean": posterior_mean,
    "Wilson's lower end": lower,
}


class Forecast(NamedTuple):
    """After `n` uses an estimate said `said`; `came` tells whether the next use helped."""

    n: int
    name: str
    said: float
    came: bool


def forecasts(uses: Sequence[Use], seed: int = _SEED, orders: int = 20) -> Iterator[Forecast]:
    """What each estimate said before each use of an entry but its first.

    Args:
        uses: Those of the replay: an entry that was first for a log, and whether rightly.
        seed: Of the lot.
        orders: In which order an entry's uses came is drawn so many times.
    """
    of: dict[str, list[bool]] = {}
    for use in uses:
        of.setdefault(use.entry_id, []).append(use.helped)
    lot = random.Random(seed)
    for came in of.values():
        for _ in range(orders):
            lot.shuffle(came)
            for n in range(1, len(came)):
                helped = sum(came[:n])
                evidence = Evidence(applied=n, helped=helped, harmed=n - helped)
                for name, estimate in ESTIMATES.items():
                    yield Forecast(n, name, estimate(evidence), came[n])


def calibration_table(found: Sequence[Forecast], most: int = 2) -> Table:
    """The Brier score (less is better) of each estimate after 1, 2, … uses, `n` forecasts each."""
    counts = range(1, most + 1)
    rows: list[tuple[object, ...]] = []
    for name in ESTIMATES:
        scores = []
        for n in counts:
            errors = [(e.said - e.came) ** 2 for e in found if e.name == name and e.n == n]
            scores.append(f"{sum(errors) / max(1, len(errors)):.3f}")
        rows.append((name, *scores))
    sizes = [sum(each.n == n for each in found) // len(ESTIMATES) for n in counts]
    heads = (f"{n} use{'s' * (n > 1)} (n={size})" for n, size in zip(counts, sizes, strict=True))
    return Table(("Brier score after", *heads), rows)


def plot_calibration(found: Sequence[Forecast]) -> Figure:
    """What each estimate said against how often the next use helped."""
    figure = Figure(figsize=(5, 4.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=_GREY, linewidth=0.8)
    for name, colour in zip(ESTIMATES, (_RED, _GREEN, _BLUE), strict=True):
        points = []
        for at in range(10):
            inside = [
                e for e in found if e.name == name and at <= min(9, int(e.said * 10)) < at + 1
            ]
            if len(inside) >= 10:
                said = sum(each.said for each in inside) / len(inside)
                points.append((said, sum(each.came for each in inside) / len(inside)))
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", color=colour, label=name)
    axes.set_xlabel("said")
    axes.set_ylabel("share of next uses that helped")
    axes.legend(frameon=False)
    return figure


def order_table(
    cases: Sequence[tuple[int, int]] = ((1, 1), (2, 2), (17, 18), (3, 4), (0, 1)),
) -> Table:
    """How counted uses are ranked, the best first."""
    made = [
        (helped, tries, Evidence(applied=tries, helped=helped, harmed=tries - helped))
        for helped, tries in cases
    ]
    made.sort(key=lambda each: -lower(each[2]))
    rows = [
        (f"{helped} of {tries}", f"{lower(it):.2f}", f"{posterior_mean(it):.2f}")
        for helped, tries, it in made
    ]
    return Table(("shown", "Wilson's lower end (rank)", "posterior mean"), rows)
