"""mocha (and karma, jasmine, ava, tap): `1) suite test:` in the list of failures, its error below."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import above, below


def _numbered(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """Only in the list below `N failing`: above it, the same number marks the place in the tree."""
    if above(lines, index, r"\s*\d+ failing", 3000, r"$a") is None:
        return None
    error = below(
        lines,
        index,
        r"\s*(?:\w*Error\b|AssertionError|.{0,60}Exception|Uncaught|Timeout|expected)",
        12,
        r"\s*\d+\) \S",
    )
    if error is None:
        error = below(lines, index, r"\s{4,}\S.*[^:]$", 8, r"\s*\d+\) \S")
    if error is None:
        return Found(index)
    return Found(
        error, tuple(at for at in range(index, min(error, index + 4)) if lines[at].strip())
    )


RULES = ToolRules(
    tool="mocha",
    known_by=r"^\s*\d+ (?:passing|failing)|\bmocha\b",
    command=r"(?:npx )?mocha",
    rules=(
        Rule("failure", (") ",), r"\s{1,6}\d{1,4}\) \S", DIAGNOSTIC, _numbered, True),
        Rule("count", (" failing",), r"\s*[1-9]\d* failing", SUMMARY),
        Rule("karma", ("FAILED",), r".{1,80}\(.{1,60}\) .{1,300} FAILED$", DIAGNOSTIC - 2),
        Rule("tap", ("not ok ",), r"\s*not ok \d+(?! .*# (?:TODO|SKIP))", DIAGNOSTIC - 2),
        Rule("ava", ("\u2716 ", "\u2717 "), r"\s+[\u2716\u2717\u2718] \S", SUMMARY),
        Rule("jasmine", ("Message:",), r"\s*Message:$", SUMMARY),
    ),
)
