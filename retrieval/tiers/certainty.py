"""Certainty: how likely it is that a hit helps, from its points and those around it.

    certainty = 1 / (1 + exp(5.633 - 0.710 * ln points - 6.278 * lead - 4.744 * share))

    lead     how far the next hit that says something else falls behind, as a share of the points;
             0.15 is what chance gives in a large memory, so that a lead over less is none
    share    the points as a share of those of the first hit

A logistic regression on the first three hits of the scorer `fields` for the older questions of
`hadoop` and `curl` (with the questions' files and without), each set with the same weight. The
numbers of shared words and files were tried and add nothing.

How often hits helped on the newer questions, by certainty (hits in brackets); `dpdk`, which had no
part in the fit, shows where it is too sure of itself:

    certainty   .0-.1       .1-.2       .2-.3      .3-.4      .4-.5      .5-.7      .7 and more
    hadoop      .05 (754)   .12 (388)   .23 (177)  .48 (77)   .48 (52)   .61 (75)   .89 (151)
    curl        .07 (1245)  .14 (863)   .30 (361)  .42 (189)  .51 (118)  .65 (127)  .82 (97)
    dpdk        .08 (996)   .14 (1175)  .23 (407)  .28 (186)  .34 (80)   .46 (91)   .31 (65)

The first hits of the surest quarter of the questions help in .92, .72 and .39 of them.
"""

import math
from collections.abc import Sequence

_CHANCE = 0.15


def certainty(points: float, following: float, first: float) -> float:
    """Of a hit, in 0..1.

    Args:
        points: The hit's, from above 0.
        following: Those of the next hit that says something else; 0 when there is none.
        first: Those of the first hit.
    """
    lead = max(0.0, points - max(following, _CHANCE)) / points
    odds = -5.633 + 0.710 * math.log(points) + 6.278 * lead + 4.744 * points / first
    return round(1 / (1 + math.exp(-odds)), 3)


def certainties(points: Sequence[float], same: Sequence[Sequence[bool]]) -> list[float]:
    """Of hits in their order; `same[i][j]` says whether hit `j` says the same as hit `i`."""
    found = []
    for at, own in enumerate(points):
        others = (points[j] for j in range(at + 1, len(points)) if not same[at][j])
        found.append(certainty(own, next(others, 0.0), points[0]))
    return found
