"""eslint: findings stand indented below their file, `3:5  error  message  rule-name`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    SUMMARY,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, joining_below


def _in_file(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    at = above(lines, index, r"\S.*[/\\.]\w+$", 400, r"\S+ \S+ \S+ \S+ \S")
    return Found(index, () if at is None else (at,))


RULES = ToolRules(
    tool="eslint",
    known_by=r"\beslint\b|ESLint",
    command=r"(?:npx )?eslint",
    rules=(
        Rule(
            "finding",
            ("  error  ", " error "),
            r"\s{1,8}\d{1,7}:\d{1,7} {1,4}error {1,4}\S",
            DIAGNOSTIC,
            _in_file,
        ),
        Rule("unix", ("[Error/",), r"\S.{0,300}:\d+:\d+: .+ \[Error/", DIAGNOSTIC),
        Rule(
            "config",
            ("ESLint could", "Failed to load "),
            r"(?:Error: )?(?:ESLint (?:couldn't|could not)|Failed to load (?:plugin"
            r"|config|parser))",
            EXCEPTION + 4,
        ),
        Rule(
            "missing",
            ("couldn't find the", "Cannot find"),
            r"ESLint couldn't find the (?:plugin|config)",
            EXCEPTION + 4,
        ),
        Rule("problems", (" problem",), r"\W{0,3}[1-9]\d* problems? \([1-9]\d* error", SUMMARY),
        Rule(
            "crash",
            ("Oops! Something went wrong",),
            r"Oops! Something went wrong",
            SUMMARY,
            joining_below(r"\S.*Error", 12),
        ),
    ),
    skip=(("a warning among findings", "warning", r"^\s+\d+:\d+\s+warning\s"),),
)
