"""php, composer, phpunit: `PHP Fatal error:  …`; composer's boxes; phpunit's numbered list."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    SUMMARY,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, below


def _first(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """`1) Class::test` of the list, and what went wrong below it."""
    title = below(lines, index, r"1\) \S", 4)
    if title is None:
        return None
    at = below(lines, title, r"\S", 1)
    return Found(title) if at is None else Found(at, (title,))


def _testdox(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """--testdox draws a box around the message; the class heads its list of tests."""
    at = below(lines, index, r"\s*[\u2502\u251c\u2551] +\S", 3)
    if at is None:
        return None
    heading = above(lines, index, r"[A-Z]\S", 400)
    return Found(at, (index,) if heading is None else (index, heading))


def _first_row(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    at = below(lines, index, r"\s{1,4}:?\d+ {2,}\S", 6)
    return None if at is None else Found(at, (index,))


def _pest(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    at = below(lines, index, r"\s{1,4}\S", 2)
    return None if at is None else Found(at, (index,))


def _collision(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    at = below(lines, index, r"\s{2,4}\S", 3)
    if at is None or below(lines, at, r"\s+at \S.*:\d+$", 8) is None:
        return None
    return Found(at, (index,))


def _box(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """Symfony's console prints `[Class]` and the message on the next line."""
    at = below(lines, index, r"\s{2,}\S", 2)
    return None if at is None else Found(at)


RULES = ToolRules(
    tool="php",
    known_by=r"\bphp\b|\bPHP (?:Fatal|Parse|Warning)|\bcomposer\b|PHPUnit \d",
    command=r"(?:php|composer|\S*phpunit)",
    rules=(
        Rule(
            "fatal",
            ("PHP Fatal error", "Fatal error: ", "PHP Parse error", "Parse error: "),
            r"(?:PHP )?(?:Fatal|Parse) error: {1,2}\S",
            EXCEPTION,
        ),
        Rule(
            "phpunit",
            ("There was ", "There were "),
            r"There (?:was|were) \d+ (?:failure|error)s?:",
            DIAGNOSTIC,
            _first,
        ),
        Rule(
            "testdox",
            ("\u2718 ",),
            r"\s*\u2718 \S",
            DIAGNOSTIC,
            _testdox,
        ),
        Rule(
            "box",
            ("Exception]", "Error]"),
            r"\s{2,}\[[\w\\]*(?:Exception|Error)\]\s*$",
            FATAL,
            _box,
        ),
        Rule(
            "problem",
            ("Your requirements could not be resolved", "Your lock file does not contain"),
            r"\s*Your (?:requirements could not be resolved|lock file does not contain)",
            FATAL,
            lambda lines, index, _: _first_problem(lines, index),
        ),
        Rule(
            "script",
            ("Script ", "returned with error code"),
            r"Script .* returned with error code \d+",
            WRAPPER,
        ),
        Rule("phpunit-total", ("FAILURES!", "ERRORS!"), r"(?:FAILURES|ERRORS)!$", SUMMARY - 6),
        Rule(  # its table: the file heads the column of messages
            "phpstan-table",
            (" Line   ",),
            r" {1,2}Line {3,}\S",
            DIAGNOSTIC,
            _first_row,
            True,
        ),
        Rule(
            "pest",
            ("FAILED ",),
            r"\s{1,4}FAILED {1,3}\S.* > ",
            DIAGNOSTIC,
            _pest,
        ),
        Rule(  # Laravel's console: the class, a blank line, the message, its place
            "collision",
            ("Exception", "Error"),
            r" {2,4}(?:[A-Z]\w*\\)*[A-Z]\w*(?:Exception|Error)\s*$",
            FATAL,
            _collision,
        ),
        Rule("phpstan", ("[ERROR] ",), r"\s*\[ERROR\] \S", SUMMARY, None, True),
    ),
)


def _first_problem(lines: Lines, index: int) -> Found:
    at = below(lines, index, r"\s+- \S", 6)
    return Found(index) if at is None else Found(at)
