"""dart, flutter: `file.dart:3:5: Error: message`; `00:01 +3 -1: title [E]`, the reason below."""

import re

from indexing.signature.interface import DIAGNOSTIC, FATAL, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _test(lines: Lines, index: int, _: re.Match[str]) -> Found:
    at = below(lines, index, r"\s{2,}\S", 2)
    if at is None:
        return Found(index)
    actual = below(lines, at, r"\s+Actual: \S", 3) if "Expected: " in lines[at] else None
    return Found(at, (index,) if actual is None else (actual, index))


RULES = ToolRules(
    tool="dart",
    known_by=r"\bdart\b|\bflutter\b|\.dart:\d+",
    command=r"(?:dart|flutter|pub)",
    rules=(
        Rule(
            "compile",
            (".dart:",),
            r"\s*\S{1,300}\.dart:\d+:\d+: Error: \S",
            DIAGNOSTIC,
        ),
        Rule(
            "analyze",
            (".dart:",),
            r"\s*error (?:\u2022|-) \S.{0,400}\.dart:\d+:\d+",
            DIAGNOSTIC,
        ),
        Rule(
            "test", (" [E]",), r"\d\d:\d\d \+\d+(?: ~\d+)? -\d+: .{1,400} \[E\]$", DIAGNOSTIC, _test
        ),
        Rule(
            "solving",
            ("version solving failed",),
            r".{0,300}version solving failed",
            FATAL,
            None,
            True,
        ),
        Rule("some", ("Some tests failed",), r".{0,60}Some tests failed\.", SUMMARY - 4),
    ),
)
