"""Pester, PowerShell's test runner: `[-] test 12ms (9ms|3ms)`, its message below."""

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


def _message(lines: Lines, index: int, _: re.Match[str]) -> Found:
    at = below(lines, index, r"\s*(?!at |\[[-+!?]\])\S", 1)
    return Found(index) if at is None else Found(at, (index,))


def _thrown(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """Since PowerShell 7 the message is below the source, after the last bar."""
    at = below(lines, index, r"\s*\| +(?!~)\S", 6)
    if at is None and (
        match.string.startswith("At ") or above(lines, index, r"At \S:?", 3) is not None
    ):
        return None  # how PowerShell 5 wraps what another program wrote to stderr
    last = at
    while at is not None:
        last, at = at, below(lines, at, r"\s*\| +(?!~)\S", 2)
    return Found(index) if last is None else Found(last, (index,))


def _recorded(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """PowerShell 5 prints a record: `who : what`, `At line:1`, the command, ids."""
    place = above(lines, index, r"At (?:line:|[A-Za-z]:\\)", 14)
    if place is None:
        return None
    head = above(lines, place, r"\S.{0,120}? : \S", 8)
    return None if head is None else Found(head)


RULES = ToolRules(
    tool="pester",
    known_by=r"\bPester\b|^Tests Passed: \d+|\.Tests\.ps1|^\s*\[\+\] .* \d+m?s\b",
    command=r"(?:pwsh|powershell)(?:\.exe)? .*Invoke-Pester.*",
    rules=(
        Rule(
            "test",
            ("[-] ",),
            r"\s*\[-\] \S.{0,400} \d[\d.,]*m?s(?: \([^()]{1,40}\))?$",
            DIAGNOSTIC,
            _message,
        ),
        Rule("test-untimed", ("[-] ",), r"\s*\[-\] \S", DIAGNOSTIC - 1, _message, True),
        Rule(
            "exception",
            (".ps1:", ".psm1:"),
            r"(?:[\w-]{1,60}: )?\S.{0,300}\.psm?1:\d+$",
            EXCEPTION,
            _thrown,
        ),
        Rule(
            "record",
            ("FullyQualifiedErrorId",),
            r"\s*\+ FullyQualifiedErrorId\s*: (?!Native|Remote)\S",
            FATAL - 6,
            _recorded,
        ),
        Rule(  # the first line that another program wrote to stderr, whatever it says
            "stderr",
            ("FullyQualifiedErrorId",),
            r"\s*\+ FullyQualifiedErrorId\s*: Native",
            WRAPPER,
            _recorded,
        ),
        Rule("total", ("Tests Passed: ",), r"Tests Passed: \d+, Failed: [1-9]", SUMMARY - 4),
    ),
    skip=(("a passing test", "[+] ", r"^\s*\[\+\] "),),
)
