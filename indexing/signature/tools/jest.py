"""jest: each failing test is headed `● suite › test`; a suite that cannot run has no test name."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _test(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """A suite that failed to run has its reason below; a test is named, its message joined."""
    at = below(lines, index, r"\s+\S", 6)
    if "failed to run" in match.string:
        while at is not None and re.match(
            r"\s+(?:Jest encountered|This usually|By default|Here's|\u2022|Details)", lines[at]
        ):
            at = below(lines, at, r"\s+\S", 6)
        return Found(index) if at is None else Found(at)
    return Found(index, () if at is None else (at,))


RULES = ToolRules(
    tool="jest",
    known_by=r"^\s*(?:Test Suites:|Snapshots:) |\bjest\b",
    command=r"(?:npx )?jest|react-scripts test",
    rules=(
        Rule(
            "test",
            ("\u25cf ",),
            r"\s{0,6}\u25cf (?!Console$|Deprecation|Validation Warning"
            r"|Multiple config|Cannot log)\S",
            DIAGNOSTIC,
            _test,
            True,
        ),
        Rule("suite", ("FAIL ",), r"\s*FAIL {1,3}\S+\.\w+(?: \(\S+ \w+\))?$", SUMMARY),
        Rule(
            "totals",
            ("Test Suites:", "Tests:"),
            r"\s*(?:Test Suites|Tests): +[1-9]\d* failed",
            SUMMARY - 2,
        ),
        Rule(
            "threshold",
            ("coverage threshold",),
            r".{0,20}Jest: .*coverage threshold",
            DIAGNOSTIC - 5,
        ),
    ),
    skip=(("a passing suite", "PASS", r"^\s*PASS\s"),),
)
