"""playwright and cypress: numbered failures, the error below the test's title."""

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Rule, ToolRules
from indexing.signature.look import rooted_below

RULES = ToolRules(
    tool="playwright",
    known_by=r"\bplaywright\b|Running \d+ tests? using \d+ worker",
    command=r"(?:npx )?playwright",
    rules=(
        Rule(
            "test",
            ("\u203a",),
            r"\s{2}\d+\) (?:\[[\w -]+\] \u203a )?\S+:\d+:\d+ \u203a ",
            DIAGNOSTIC,
            rooted_below(r"\s+\w*Error: ", 8, "", True),
        ),
        Rule("count", (" failed",), r"\s+[1-9]\d* failed$", SUMMARY - 4, None, True),
    ),
)
