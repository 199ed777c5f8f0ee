"""Pester, PowerShell's test runner: `[-] test 12ms (9ms|3ms)`, its message below."""

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
from indexing.signature.look import above, below


def _message(lines: Lines, index: int, _: re.Match[str]) -> Found:
    at = below(lines, index, r"\s*(?!at |\[[-+!?]\])\S", 1)
    return Found(index) if at is None else Found(at, (index,))


def _thrown(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """Since PowerShell 7 the message is below the source, after the last bar."""
    at = below(lines, index, r"\s*\| +(?!~)\S", 6)
    if at is None and above(lines, index, r"At \S:?", 3) is not None:
        return None  # how PowerShell 5 wraps what another program wrote to stderr
    last = at
    while at is not None:
        last, at = at, below(lines, at, r"\s*\| +(?!~)\S", 2)
    return Found(index) if last is None else Found(last, (index,))


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
        Rule("total", ("Tests Passed: ",), r"Tests Passed: \d+, Failed: [1-9]", SUMMARY - 4),
    ),
    skip=(("a passing test", "[+] ", r"^\s*\[\+\] "),),
)
