"""pytest: the first `E   ` line of a failure says what is wrong; its heading names the test."""

import re

from indexing.lazily import expression
from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    SUMMARY,
    Found,
    Lines,
    Rule,
    ToolRules,
    numbered,
)
from indexing.signature.look import above, below
from indexing.signature.tools.python import exception_below

_HEADING = r"_{3,} (?!ERROR collecting)\S.* _{3,}$|_{3,} ERROR at \S.* _{3,}$"
_SAYS_LITTLE = expression(
    r"E +(?:assert\b|AssertionError|Failed\b|(?:\w+\.)*\w+Error$|KeyError|IndexError)"
)


def _first_of_block(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """Only the first E line of a block; a bare assertion is told apart by its test."""
    previous = lines[index - 1]
    if re.match(r"E\s{3}", previous):
        return None
    if re.match(r"E\s+File \"", match.string):  # source that cannot be read: why stands below it
        said = below(lines, index, r"E\s+[\w.]{1,80}(?:Error|Exception|Warning)\b", 12, r"(?!E)")
        return Found(index) if said is None else Found(said, (index,))
    if not _SAYS_LITTLE.match(match.string):
        return Found(index)
    at = above(lines, index, _HEADING, 4000)
    return Found(index, () if at is None else (at,))


def _native(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """With --tb=native a failure is a plain traceback below its heading."""
    heading = above(lines, index, _HEADING, 2)
    at = None if heading is None else exception_below(lines, index, 0)
    if heading is None or at is None:
        return None
    little = _SAYS_LITTLE.match("E   " + lines[at])
    return Found(at, (heading,) if little else ())


RULES = ToolRules(
    tool="pytest",
    known_by=r"={3,} test session starts ={3,}|={3,} (?:FAILURES|ERRORS"
    r"|short test summary info) ={3,}|\bpytest\b|^E   ",
    command=r"(?:pytest|py\.test|python3? -m pytest)",
    rules=(
        Rule(
            "error-line", ("E   ",), r"E {3,20}(?!Traceback \(most)\S", DIAGNOSTIC, _first_of_block
        ),
        Rule(
            "native",
            ("Traceback (most recent call last)",),
            r"Traceback \(most recent call last\)",
            DIAGNOSTIC,
            _native,
        ),
        Rule(
            "summary",
            ("FAILED ", "ERROR "),
            r"(?:FAILED|ERROR) \S+(?:::\S+|\.py)(?:.{0,200} - |$)",
            SUMMARY + 2,
        ),
        Rule("progress", (" FAILED", " ERROR"), r"\S+::\S.{0,300} (?:FAILED|ERROR)\b", SUMMARY),
        Rule(
            "glued",
            ("FAILED", "ERROR"),
            r"\S+::\S.{0,300} (?:PASSED|XFAIL|SKIPPED) .{0,300}?(?:FAILED|ERROR)\b",
            SUMMARY - 1,
        ),
        Rule(
            "worker",
            ("[gw",),
            r"\[gw\d+\] \[ *\d{1,3}%\] (?:.{0,300} )?(?:FAILED|ERROR) \S+::",
            SUMMARY,
        ),
        Rule(
            "usage",
            ("ERROR: ", "error: "),
            r"(?:ERROR: (?:file or directory not found|not found|usage"
            r"|Coverage failure|while parsing)|pytest: error: "
            r"|\S+: error: unrecognized)",
            FATAL,
        ),
        Rule(
            "coverage",
            ("overage", "No data to report"),
            r"(?:FAIL|ERROR:) .*[Cc]overage|Coverage failure: |No data to report\.$",
            FATAL - 2,
        ),
        Rule(
            "collected",
            ("Different tests were collected",),
            r"Different tests were collected",
            DIAGNOSTIC,
        ),
        Rule(
            "internal",
            ("INTERNALERROR>",),
            r"INTERNALERROR> (?:\w+\.)*\w*(?:Error|Exception)\b",
            EXCEPTION,
        ),
        Rule(
            "total",
            (" failed", " error"),
            r"=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in .*=*",
            SUMMARY - 6,
        ),
        Rule(
            "line",
            numbered(".py:"),
            r"\S+\.py:\d+: (?:\w+\.)*\w*(?:Error|Exception|Failed)\b",
            EXCEPTION + 2,
            None,
            True,
        ),
    ),
    skip=(
        *(
            (
                "a passing test",
                word,
                r"(?:^|\s)(?:PASSED|XFAIL|SKIPPED|XPASS)(?:\s|$)(?!.*(?:FAILED|ERROR))",
            )
            for word in ("PASSED", "XFAIL", "SKIPPED", "XPASS")
        ),
    ),
)
