"""unittest (and Django's runner): `FAIL: test (module.Class)`, a rule of dashes, a traceback."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below
from indexing.signature.tools.python import exception_below


def _ruled(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    dashes = below(lines, index, r"-{20,}", 4)
    if dashes is None:
        return None
    head = below(lines, dashes, r"Traceback \(most recent", 3)
    at = None if head is None else exception_below(lines, head, 0)
    if at is None:
        return Found(index)
    bare = lines[at].startswith("AssertionError")
    return Found(at, (index,) if bare else ())


RULES = ToolRules(
    tool="unittest",
    known_by=r"^Ran \d+ tests? in |^(?:FAIL|ERROR): \w+ \(",
    command=r"python3? -m unittest",
    rules=(
        Rule(
            "test",
            ("FAIL: ", "ERROR: "),
            r"(?:FAIL|ERROR): \S.{0,200} \(|(?:FAIL|ERROR): \S+$",
            DIAGNOSTIC,
            _ruled,
        ),
        Rule(
            "verbose",
            ("... FAIL", "... ERROR"),
            r"(?!\* ).{1,300} \.\.\. (?:FAIL|ERROR)$",
            SUMMARY + 6,
        ),
        Rule("total", ("FAILED (",), r"FAILED \((?:failures|errors)=", SUMMARY - 4),
    ),
)
