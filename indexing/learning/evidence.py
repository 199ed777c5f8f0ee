"""What came of using a memory: rates that know their sample size, abstaining, pruning.

Ranking takes the lower end of Wilson's interval for a share (E. B. Wilson, Probable Inference, the
Law of Succession, and Statistical Inference, JASA 22, 1927; 95 %, z = 1.96): 1 of 1 is 0.21, 17 of
18 is 0.74. Whether a memory abstains is told by the mean of the Beta posterior with a flat prior
(Laplace's (s + 1) / (n + 2)), which is not zero after one bad turn. Shown is what was counted,
`17 of 18`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from indexing.entry import Entry, Evidence

Z = 1.96


class Policy(NamedTuple):
    """The upstream's numbers, where it gives several that of its seed.

    min_success_rate: Of `evaluate_after` uses or more, a lower rate is not injected at a loop's
        start.
    abstain_below: A memory whose posterior mean is lower abstains everywhere.
    prune_below, prune_after: A lower rate after so many uses is pruned.
    prune_unused_days: What nobody used for longer is pruned.
    """

    min_success_rate: float = 0.6
    evaluate_after: int = 3
    abstain_below: float = 0.3
    prune_below: float = 0.5
    prune_after: int = 3
    prune_unused_days: int = 90


class Snapshot(NamedTuple):
    """The rate after so many uses."""

    at: str
    rate: float
    sample_size: int
    loop: str


def uses(evidence: Evidence) -> int:
    """How often it was applied."""
    return max(evidence.applied, evidence.helped + evidence.harmed)


def rate(evidence: Evidence) -> float | None:
    """The share of uses that helped, 0..1; None when it was never used."""
    tries = uses(evidence)
    return evidence.helped / tries if tries else None


def interval(helped: int, tries: int, z: float = Z) -> tuple[float, float]:
    """Wilson's interval of the rate; of nothing tried, all that is possible."""
    if tries <= 0:
        return 0.0, 1.0
    share = min(helped, tries) / tries
    spread = z * math.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries))
    scale = 1 + z * z / tries
    middle = share + z * z / (2 * tries)
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def lower(evidence: Evidence) -> float:
    """The rate that can be relied upon, 0..1; by it memories are ranked."""
    return interval(evidence.helped, uses(evidence))[0]


def posterior_mean(evidence: Evidence) -> float:
    """The rate to be expected the next time, 0..1; 0.5 when it was never used."""
    return (evidence.helped + 1) / (uses(evidence) + 2)


def abstains(evidence: Evidence, policy: Policy = Policy()) -> str:
    """Why the memory is not shown, `""` when it is: harm outweighs help."""
    tries = uses(evidence)
    if not tries or posterior_mean(evidence) >= policy.abstain_below:
        return ""
    return f"it helped {evidence.helped} of {tries} times; it is not shown any more"


def is_injected(evidence: Evidence, policy: Policy = Policy()) -> bool:
    """Whether it may be shown at a loop's start."""
    tries = uses(evidence)
    if abstains(evidence, policy):
        return False
    return tries < policy.evaluate_after or evidence.helped / tries >= policy.min_success_rate


def is_unproven(entry: Entry) -> bool:
    """Whether it was mined and has not helped since: what found it is no proof of it."""
    return bool(entry.extra.get("learned")) and entry.evidence.helped <= 1


def trend(source_loops: Iterable[Mapping[str, Any]]) -> list[Snapshot]:
    """The rate after each loop that used it, in the order of time."""
    helped = tries = 0
    snapshots = []
    for loop in sorted(source_loops, key=lambda each: str(each.get("timestamp") or "")):
        if loop.get("outcome") not in ("helped", "harmed", "applied"):
            continue
        tries += 1
        helped += loop.get("outcome") == "helped"
        name = str(loop.get("loop_id") or "")
        snapshots.append(Snapshot(str(loop.get("timestamp") or ""), helped / tries, tries, name))
    return snapshots


def to_prune(
    entries: Sequence[Entry], today: str, policy: Policy = Policy()
) -> list[tuple[Entry, str]]:
    """Which patterns go into the archive, and why, in the order given.

    Args:
        entries: All there are.
        today: UTC, `2026-03-04T10:22:31Z`.
        policy: The bounds.
    """
    superseded = {
        str(better): entry.id
        for entry in entries
        if (better := entry.extra.get("supersedes")) is not None
    }
    found = []
    for entry in entries:
        evidence = entry.evidence
        tries = uses(evidence)
        last = evidence.last or entry.captured_at
        if entry.id in superseded:
            found.append((entry, f"superseded by {superseded[entry.id]}"))
        elif tries >= policy.prune_after and evidence.helped / tries < policy.prune_below:
            found.append((entry, f"helped {evidence.helped} of {tries} times"))
        elif last and (days := _days_between(last, today)) > policy.prune_unused_days:
            found.append((entry, f"not used for {days} days"))
    return found


def _days_between(before: str, after: str) -> int:
    from datetime import date

    try:
        return (date.fromisoformat(after[:10]) - date.fromisoformat(before[:10])).days
    except ValueError:
        return 0
