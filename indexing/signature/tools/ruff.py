"""ruff, flake8, pylint, black, isort: style findings `file.py:1:2: E501 message`."""

import re

from indexing.signature.interface import DIAGNOSTIC, FATAL, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _headed(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The finding stands above its place."""
    if not re.match(r"(?:[A-Z]{1,6}\d{1,5}|[a-z]+(?:-[a-z]+)*):? \S", lines[index - 1]):
        return None
    return Found(index - 1, (index,))


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
        Rule("finding", (".py:",), r"\S.{0,200}\.pyi?:\d+:\d+: [A-Z]{1,6}\d{1,5}:? ", DIAGNOSTIC),
        Rule("full", (" --> ",), r"\s+--> \S+\.pyi?:\d+:\d+$", DIAGNOSTIC, _headed),
        Rule("failed", ("ruff failed",), r"ruff failed", FATAL, _cause),
        Rule(
            "format",
            ("Would reformat", "would reformat"),
            r"[Ww]ould reformat:? \S",
            DIAGNOSTIC - 5,
        ),
        Rule("black-error", ("error: cannot format",), r"error: cannot format \S", DIAGNOSTIC),
        Rule(
            "isort",
            ("Imports are incorrectly sorted",),
            r"ERROR: \S+ Imports are incorrectly sorted",
            DIAGNOSTIC,
        ),
        Rule("found", ("Found ",), r"Found [1-9]\d* errors?\.?", SUMMARY - 2, None, True),
    ),
)
