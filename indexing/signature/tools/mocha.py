"""mocha, karma, ava, tap: `1) suite test:` in the list of failures, its error below."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _first(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The first of the list below `N failing`: its error, joined to its title."""
    title = below(lines, index, r"\s+1\) \S", 12)
    if title is None:
        return None
    stop = r"\s+2\) \S"
    error = below(
        lines, title, r"\s*(?:\w*Error\b|.{0,60}Exception|Uncaught|Timeout|expected)", 12, stop
    )
    if error is None:
        error = below(lines, title, r"\s{4,}\S.*[^:]$", 8, stop)
    if error is None:
        return Found(title)
    named = range(title, min(error, title + 4))
    return Found(error, tuple(at for at in named if lines[at].strip()))


RULES = ToolRules(
    tool="mocha",
    known_by=r"^\s*\d+ (?:passing|failing)|\bmocha\b",
    command=r"(?:npx )?mocha",
    rules=(
        Rule("failing", (" failing",), r"\s*[1-9]\d* failing\b", DIAGNOSTIC, _first),
        Rule("count", (" failing",), r"\s*[1-9]\d* failing", SUMMARY),
        Rule("karma", ("FAILED",), r".{1,80}\(.{1,60}\) .{1,300} FAILED$", DIAGNOSTIC - 2),
        Rule("tap", ("not ok ",), r"\s*not ok \d+(?! .*# (?:TODO|SKIP))", DIAGNOSTIC - 2),
        Rule("ava", ("\u2716 ", "\u2717 ", "\u2718 "), r"\s+[\u2716\u2717\u2718] \S", SUMMARY),
        Rule("jasmine", ("Message:",), r"\s*Message:$", SUMMARY),
    ),
)
