"""terraform, tofu: `Error: title`, in a box or not; the place and the detail below it."""

import re

from indexing.signature.interface import DIAGNOSTIC, FATAL, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _titled(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """The title is the same for every resource: join where it is, and what it says."""
    joined = []
    place = below(lines, index, r"\W{0,3}on \S+ line \d+|\W{0,3}with \S+,", 4)
    if place is not None:
        joined.append(place)
        quoted = below(lines, index, r"\W{0,3}on \S+ line \d+", 5)
        detail = below(
            lines,
            quoted if quoted is not None else place,
            r"\W{0,3}[A-Z\"'`].{15,}",
            12,
            r"\u2575|\s*$a",
        )
    else:
        detail = below(lines, index, r"\W{0,3}\w.{8,}", 3, r"\u2575")
    if detail is not None:
        joined.append(detail)
    return Found(index, tuple(joined))


RULES = ToolRules(
    tool="terraform",
    known_by=r"\b[Tt]erraform\b|\b[Oo]pen[Tt]ofu\b|\btofu\b|^\W{0,3}on \S+\.tf line|\.tf(?:vars)?\b",
    command=r"(?:terraform|tofu|terragrunt)",
    rules=(
        Rule("error", ("Error: ",), r"\W{0,3}Error: \S", DIAGNOSTIC, _titled, True),
        Rule(
            "error-bare",
            ("Error ",),
            r"\W{0,3}Error (?:acquiring|loading|locking|refreshing|running|creating)",
            FATAL,
            None,
            True,
        ),
        Rule("trace", ("[ERROR] ",), r"\[ERROR\] \S", FATAL - 4, None, True),
        Rule("panic", ("panic: ",), r".{0,80}plugin\.terraform\S*: panic: ", FATAL),
    ),
)
