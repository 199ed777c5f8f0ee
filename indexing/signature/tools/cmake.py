"""cmake, meson, ctest: `CMake Error at file:line (command):`, the reason on the lines below."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    FATAL,
    SUMMARY,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below


def _reason(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """`at CMakeLists.txt:3 (find_package):` has its reason below; both make the failure."""
    if not match.string.rstrip().endswith(":") and "):" not in match.string:
        return Found(index)
    at = below(lines, index, r"\s+\S", 2)
    return Found(index) if at is None else Found(at, (index,))


RULES = ToolRules(
    tool="cmake",
    known_by=r"^-- (?:Configuring|The CXX? compiler|Detecting|Looking for|Found )"
    r"|CMake (?:Error|Warning)|\bcmake\b",
    command=r"(?:cmake|ctest|meson)",
    rules=(
        Rule(
            "error",
            ("CMake Error",),
            r"CMake Error(?: \(dev\))?(?: at|: |:$| in)",
            DIAGNOSTIC - 4,
            _reason,
        ),
        Rule("meson", ("ERROR: ",), r"(?:\S*meson\.build:\d+:\d+: )ERROR: \S", DIAGNOSTIC - 4),
        Rule(
            "ctest",
            ("***Failed", "***Exception", "***Timeout", "***Not Run"),
            r"\s*\d+/\d+ Test +#\d+: .*\*\*\*(?:Failed|Exception|Timeout|Not Run)",
            FATAL - 6,
        ),
        Rule(
            "ctest-list",
            (
                " (Failed)",
                " (SEGFAULT)",
                " (Timeout)",
                " (Not Run)",
                " aborted)",
                " (ILLEGAL)",
                " (NUMERICAL)",
                " (OTHER_FAULT)",
                " (BAD_COMMAND)",
                "Exception",
            ),
            r"\s*\d+ - \S.* \((?:Failed|SEGFAULT|Timeout|Not Run|\w+ aborted|ILLEGAL|NUMERICAL"
            r"|OTHER_FAULT|BAD_COMMAND|.*Exception.*)\)",
            SUMMARY + 4,
        ),
        Rule(
            "incomplete",
            ("Configuring incomplete",),
            r"-- Configuring incomplete, errors occurred",
            WRAPPER,
        ),
    ),
    skip=(
        (
            "a check of the system",
            "-- ",
            r"^-- (?:Looking for |Performing Test |Check(?:ing)? |Could NOT find )",
        ),
        ("a check of the system", "checking ", r"^checking .{1,300}\.\.\. "),
    ),
)
