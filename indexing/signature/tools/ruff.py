"""ruff, flake8, pylint, black, isort: style findings `file.py:1:2: E501 message`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    FATAL,
    SUMMARY,
    Found,
    Lines,
    Rule,
    ToolRules,
    numbered,
)
from indexing.signature.look import Locate, below

_BROKEN = r"(?:F(?:[67]\d\d|82\d)|E9\d\d|PLE\d{4}|E\d{4}|invalid-syntax|SyntaxError)"
_CODE = r"(?:[A-Z]{1,6}\d{1,5}|[a-z]+(?:-[a-z]+)*)"
_NEEDS = (*numbered(".py:"), *numbered(".pyi:"))
_PLACE = r"\s+--> \S+\.pyi?:\d+:\d+$"


def _headed_by(code: str) -> Locate:
    """The finding stands above its place."""

    def locate(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
        headed = re.match(rf"{code}:? \S", lines[index - 1])
        return Found(index - 1, (index,)) if headed else None

    return locate


def _cause(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """The last of the chain of causes."""
    at = index
    while re.match(r"\s+Cause: ", lines[at + 1]):
        at += 1
    if "parse error at" in lines[at]:  # an excerpt of the file, then what is wrong with it
        wrong = below(lines, at, r"[A-Za-z]", 8)
        at = at if wrong is None else wrong
    return Found(at)


RULES = ToolRules(
    tool="ruff",
    known_by=r"\bruff\b|\bflake8\b|\bpylint\b|\bblack\b|\.py:\d+:\d+: [A-Z]{1,5}\d{2,4} ",
    command=r"(?:ruff|flake8|pylint|black|isort)",
    rules=(
        # What does not run comes before what is not tidy.
        Rule("broken", _NEEDS, rf"\S.{{0,200}}\.pyi?:\d+:\d+: {_BROKEN}:? ", DIAGNOSTIC),
        Rule("broken-full", _NEEDS, _PLACE, DIAGNOSTIC, _headed_by(_BROKEN)),
        Rule("finding", _NEEDS, rf"\S.{{0,200}}\.pyi?:\d+:\d+: {_CODE}:? ", DIAGNOSTIC - 1),
        Rule("full", _NEEDS, _PLACE, DIAGNOSTIC - 1, _headed_by(_CODE)),
        Rule("failed", ("ruff failed",), r"ruff failed", FATAL, _cause),
        Rule(
            "format",
            ("Would reformat", "would reformat"),
            r"[Ww]ould reformat:? \S",
            DIAGNOSTIC - 5,
        ),
        Rule(
            "black-error",
            ("error: cannot format", "error: cannot parse"),
            r"error: cannot (?:format|parse)\b:? \S",
            DIAGNOSTIC,
        ),
        Rule(
            "isort",
            ("Imports are incorrectly sorted",),
            r"ERROR: \S+ Imports are incorrectly sorted",
            DIAGNOSTIC,
        ),
        Rule("found", ("Found ",), r"Found [1-9]\d* errors?\.?", SUMMARY - 2, None, True),
    ),
)
