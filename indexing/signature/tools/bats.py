"""bats: ` ✗ title` or TAP, then `(in test file x.bats, line 3)` and the command that failed."""

import re

from indexing.signature.interface import DIAGNOSTIC, Found, Lines, Rule, ToolRules
from indexing.signature.look import above, below


def _failed(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """The command that failed, joined to the test's title."""
    at = below(lines, index, r"(?:#|\s)\s*`.{1,400}' failed", 3)
    title = above(lines, index, r"\s*(?:\u2717|not ok \d+) ?\S", 4)
    joined = () if title is None else (title,)
    return Found(index, joined) if at is None else Found(at, joined)


RULES = ToolRules(
    tool="bats",
    known_by=r"\bbats\b",
    command=r"bats",
    rules=(
        Rule(
            "failed",
            ("(from function ", "(in test file "),
            r"(?:#|\s)\s*\((?:from function .{1,200}|in test file ).{0,300}\.(?:bats|sh)",
            DIAGNOSTIC,
            _failed,
        ),
    ),
)
