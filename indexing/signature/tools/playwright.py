"""playwright and cypress: numbered failures, the error below the test's title."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _failed(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """The first attempt's error, joined to the test and to the locator that it waited for."""
    stop = r"\s{2}\d+\) |\s+Retry #"
    at = below(lines, index, r"\s+\w*Error: ", 8, stop)
    if at is None:
        return Found(index)
    locator = below(lines, at, r"\s+(?:Locator: |- waiting for )\S", 10, stop + r"|\s+>? *\d+ \|")
    return Found(at, (index,) if locator is None else (index, locator))


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
            _failed,
        ),
        Rule("count", (" failed",), r"\s+[1-9]\d* failed$", SUMMARY - 4, None, True),
    ),
)
