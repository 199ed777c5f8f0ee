"""Certainty: how likely it is that a hit helps, from its points and those around it.

    certainty = 1 / (1 + exp(6.44 - 3.21 * lead - 3.06 * ahead - 4.16 * share
                             - 0.65 * shared + 2.19 * files))
                and no hit's is higher than that of the hit before it

    lead     how far the next hit that says something else falls behind, as a share of the points;
             0.15 is what chance gives in a large memory, so that a lead over less is none
    ahead    the same of the third hit after it that says something else
    share    the points as a share of those of the first hit
    shared   1 where both have a file, else 0
    files    the share of the points that files give: what is alike in little else is less sure

A logistic regression on the first three hits of the scorer `fields` for the older questions of
`hadoop`, `curl` and `dpdk` (with the questions' files and without), each set with the same weight.
The points themselves, the numbers of shared words, the rarest word that is missing, the length of
the question and the size of the memory were tried and add nothing; age speaks for a hit in `curl`
and against it in `dpdk`.

How often hits helped on the newer questions, by certainty (hits in brackets); the last four had no
part in the fit, `captured` are the failing logs of `fixtures/failures`:

    certainty        .0-.1       .1-.2       .2-.3      .3-.4      .4-.5      .5-.7      .7 and more
    hadoop           .05 (809)   .14 (403)   .29 (130)  .38 (84)   .61 (62)   .74 (77)   .94 (109)
    curl             .06 (1127)  .13 (899)   .28 (380)  .39 (231)  .53 (139)  .65 (142)  .83 (82)
    dpdk             .07 (990)   .15 (1193)  .23 (395)  .31 (193)  .33 (84)   .44 (95)   .38 (50)
    hadoop, related  .06 (686)   .12 (445)   .28 (158)  .36 (74)   .60 (43)   .66 (65)   .62 (29)
    gitbugs-hadoop   .07 (108)   .33 (30)    .14 (14)   .50 (10)   .27 (11)   1.0 (7)    .83 (18)
    gitbugs-seam.    .05 (55)    .16 (31)    .44 (18)   .56 (9)    .56 (9)    .58 (12)   1.0 (4)
    captured         .01 (335)   .06 (48)    .24 (41)   .33 (45)   .40 (45)   .75 (87)   .91 (143)

The first hits of the surest quarter of the questions help in .91, .70 and .38 of them (`hadoop`,
`curl`, `dpdk`). In `dpdk` the surest hits are often the same change to another driver on the same
day, which nobody linked. `notebooks/ranking_quality.ipynb` draws the curve.
"""

import math
from collections.abc import Sequence

from retrieval.hit import Why

AHEAD = 3
"""So many hits after the last one are looked at."""

_CHANCE = 0.15


def certainty(points: float, following: float, later: float, first: float, why: Why) -> float:
    """Of a hit by itself, in 0..1.

    Args:
        points: The hit's, from above 0.
        following: Those of the next hit that says something else; 0 when there is none.
        later: Those of the third one, likewise.
        first: Those of the first hit.
        why: The hit's; the files that are shared and the points that they give count.
    """
    odds = (
        -6.44
        + 3.21 * _lead(points, following)
        + 3.06 * _lead(points, later)
        + 4.16 * points / first
        + 0.65 * bool(why.files)
        - 2.19 * (why.paths or 0.0) * (why.prior or 1.0) / points
    )
    return 1 / (1 + math.exp(-odds))


def certainties(
    points: Sequence[float], same: Sequence[Sequence[bool]], whys: Sequence[Why]
) -> list[float]:
    """Of the first hits, as many as there are `whys`, in their order.

    Args:
        points: Of these hits and of those after them.
        same: `same[i]` says of each hit after `i` whether it says the same as `i`.
        whys: What speaks for each.
    """
    found: list[float] = []
    for at, why in enumerate(whys):
        after = zip(points[at + 1 :], same[at], strict=True)
        others = [of_other for of_other, alike in after if not alike]
        following, _, later = [*others, 0.0, 0.0, 0.0][:AHEAD]
        alone = certainty(points[at], following, later, points[0], why)
        found.append(round(min([alone, *found[-1:]]), 3))
    return found


def _lead(points: float, over: float) -> float:
    return max(0.0, points - max(over, _CHANCE)) / points
