"""JUnit's XML, which every test runner can write: `<failure message="…">` inside a `<testcase>`."""

import re

from indexing.lazily import expression
from indexing.signature.interface import DIAGNOSTIC, Found, Lines, Rule, ToolRules
from indexing.signature.look import above, below

_SAYS_NOTHING = expression(
    r"[^<]{0,4000}<(?:failure|error)(?:\s+(?!message=)[\w:.-]+=\"[^\"]*\")*"
    r"(?:\s+message=\"(?:[Ff]ail(?:ed|ure)|[Ee]rror|[Tt]est failed)?\"[^<>]*)?>?"
    r"(?:<!\[CDATA\[)?\s*$"
)


def _failure(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """The line with the message, or with the text where there is none; joined to its test."""
    said = below(lines, index, r"\s*\S", 3) if _SAYS_NOTHING.match(match.string) else None
    if match["case"]:
        return Found(index, () if said is None else (said,))
    case = above(lines, index, r"\s*<testcase\s", 400, r"\s*(?:</testcase>|<testsuite\s)")
    if case is None:
        return None
    return Found(index, (case,) if said is None else (said, case))


RULES = ToolRules(
    tool="junit",
    known_by=r"<test(?:suites?|case)[\s>]",
    rules=(
        Rule(
            "failure",
            ("<failure", "<error"),
            r"\s*(?P<case><testcase\s[^\n]{0,4000}?>\s*)?<(?:failure|error)[\s>]",
            DIAGNOSTIC + 4,
            _failure,
            True,
        ),
    ),
)
