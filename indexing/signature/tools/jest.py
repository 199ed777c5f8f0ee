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
    answered = _answered(lines, index)
    if answered is not None:
        return Found(answered)
    return Found(index, () if at is None else (at,))


def _answered(lines: Lines, index: int) -> int | None:
    """The line of the difference where an error was received and a result was expected.

    It says why, whichever test asked; one error where another was expected does not.
    """
    end = below(lines, index, r"\s+\S.{0,200} \|", 60, r"\s{0,6}\u25cf ")
    found = None
    for at in range(index + 1, end or index + 1):
        match = re.match(r"\s{2,8}([+-]) +\"?(?:error|message)s?\"?: \"(?:\S+ ){2,}", lines[at])
        if match and match[1] == "-":
            return None
        if match and found is None:
            found = at
    return found


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
