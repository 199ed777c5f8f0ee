"""terraform, tofu: `Error: title`, in a box or not; the place and the detail below it."""

import re

from indexing.signature.interface import DIAGNOSTIC, FATAL, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _titled(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """The title is the same for every resource: join where it is, and what it says.

    What it says is wrapped to the terminal, so the whole paragraph is joined.
    """
    joined: list[int] = []
    place = below(lines, index, r"\W{0,6}(?:on \S+ line \d+|with \S+[,:])", 4)
    if place is not None:
        joined.append(place)
    at = index if place is None else place
    while at < index + 30 and not re.match(r"\W*$", lines[at]):  # the quoted lines of the file
        at += 1
    boxed = "\u2502.{0,3}" if lines[index].lstrip().startswith("\u2502") else r"\W{0,4}"
    start = below(lines, at, boxed + r"(?!Error: )[A-Z\"'`]", 6, r"\W*Error: |\W*\u2575")
    if start is not None:
        end = start
        while end < start + 8 and re.match(boxed + _SAYS, lines[end]):
            joined.append(end)
            end += 1
    return Found(index, tuple(joined))


# What goes on: no next error, no runner's trailer, not who holds a lock since when.
_SAYS = (
    r"(?!Process completed with|E(?:rror|RROR): (?!.*message)|The command |\w+ exited with"
    r"|Lock Info:)[\w\"'`(]"
)


RULES = ToolRules(
    tool="terraform",
    known_by=r"\b[Tt]erraform\b|\b[Oo]pen[Tt]ofu\b|\btofu\b|^\W{0,3}on \S+\.tf line"
    r"|\.tf(?:vars)?\b",
    command=r"(?:terraform|tofu|terragrunt)",
    rules=(
        Rule(
            "error",
            ("Error: ",),
            r"\W{0,3}Error: (?!Terraform encountered problems|(?:local"
            r"|remote)-exec provisioner)\S",
            DIAGNOSTIC,
            _titled,
            True,
        ),
        Rule(
            "relay",
            ("Error: ",),
            r"\W{0,3}Error: (?:Terraform encountered problems|(?:local|remote)-exec provisioner)",
            SUMMARY,
            _titled,
            True,
        ),
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
