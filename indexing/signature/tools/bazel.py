"""bazel: `ERROR: file:line:col: …`; a failing action has its compiler's output below."""

import re

from indexing.signature.interface import FATAL, SUMMARY, WRAPPER, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _said_below(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """A repository rule fails with a traceback; its last line says why."""
    if "An error occurred during the fetch" not in match.string:
        return Found(index)
    at = below(lines, index, r"Error in \w+: \S", 40)
    return Found(index if at is None else at)


RULES = ToolRules(
    tool="bazel",
    known_by=r"\bbazel(?:isk)?\b|^INFO: Analyzed|^Loading: ",
    command=r"bazel(?:isk)?",
    rules=(
        Rule(  # the command that failed says why, below
            "action",
            ("(Exit ", "error executing command"),
            r"ERROR: .*(?:failed:? \(Exit \d+\)|failed: error executing command)",
            WRAPPER + 2,
        ),
        Rule(
            "place",
            ("ERROR: ",),
            r"ERROR: /?\S+:\d+:\d+: (?!.*(?:failed:? \(Exit|failed: error executing))",
            FATAL,
            _said_below,
            True,
        ),
        Rule("test", ("FAILED in ",), r"//\S+\s+FAILED in ", SUMMARY),
        Rule(
            "wrapper",
            ("Build did NOT",),
            r"(?:ERROR: |FAILED: )Build did NOT complete",
            WRAPPER - 4,
        ),
    ),
)
