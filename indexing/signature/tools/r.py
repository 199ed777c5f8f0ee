"""R, R CMD check, testthat: `Error in f(x) : message`; `── Failure (file:3): title ──`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    SUMMARY,
    TRAILER,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below


def _error(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """A long call pushes the message onto the next line."""
    if not match.string.rstrip().endswith(":"):
        return Found(index)
    at = below(lines, index, r"\s+\S", 1)
    return Found(index, () if at is None else (at,))


def _test(lines: Lines, index: int, _: re.Match[str]) -> Found:
    at = below(lines, index, r"\s*\S", 2)
    return Found(index) if at is None else Found(at, (index,))


RULES = ToolRules(
    tool="r",
    known_by=r"\bR CMD\b|\bRscript\b|\btestthat\b|^\* checking |^Execution halted",
    command=r"(?:R|Rscript)",
    rules=(
        Rule(
            "test",
            ("Failure", "Error"),
            r"\s{0,4}(?:[\u2500-]{2,3} )?(?:\d{1,4}\. )?(?:Failure|Error) ?"
            r"(?:\('?\S+\.[rR]:\d+(?::\d+)?'?\): |: .{1,200} \(@\S+\.[rR]#\d+\))",
            DIAGNOSTIC,
            _test,
        ),
        Rule("error", ("Error in ",), r"\s{0,2}Error in \S.{0,400} :(?: |$)", EXCEPTION, _error),
        Rule(
            "package",
            ("ERROR: ",),
            r"ERROR: (?:dependenc(?:y|ies)|compilation failed|lazy loading failed|failed to lock"
            r"|loading failed|configuration failed)",
            FATAL - 10,
            None,
            True,
        ),
        Rule("missing", ("there is no package",), r".{0,200}there is no package", FATAL),
        Rule("check", ("* checking ",), r"\* checking .{1,200} \.\.\. .{0,40}ERROR", SUMMARY),
        Rule("running", (" failed",), r"Running the tests in .* failed", SUMMARY - 2),
        Rule("failures", ("Test failures",), r"\s*Error: Test failures", WRAPPER),
        Rule("halted", ("Execution halted",), r"Execution halted", TRAILER),
    ),
)
