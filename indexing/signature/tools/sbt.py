"""sbt: `[error] file:line:col: message`; ScalaTest marks `*** FAILED ***`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    ERROR,
    FATAL,
    SUMMARY,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below, joining_below


def _explained(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """Scala 3 names the kind of error and its place; what is wrong stands below the source."""
    if not match.string.startswith("[error] -- "):
        return Found(index)
    said = below(lines, index, r"\[error\]\s+\|\s+[^\s^|]", 8, r"\[error\] -- ")
    return Found(index, () if said is None else (said,))


RULES = ToolRules(
    tool="sbt",
    known_by=r"^\[(?:info|error|success)\] |\bsbt\b",
    command=r"sbt",
    rules=(
        Rule(
            "compile",
            ("[error] ",),
            r"\[error\] (?:-- )?(?:\[E\d+\] )?\S.{0,300}\.(?:scala|java|sbt)(?::\d+)+:? ?",
            DIAGNOSTIC,
            _explained,
        ),
        Rule(
            "test",
            ("*** FAILED ***",),
            r"(?:\[info\] )?.*\*\*\* FAILED \*\*\*",
            DIAGNOSTIC,
            joining_below(r"(?:\[info\])?\s{2,}\S", 1),
        ),
        Rule(
            "specs",
            ("[error] ", "[info] "),
            r"\[(?:error|info)\] +[x!] \S",
            DIAGNOSTIC - 2,
            None,
            True,
        ),
        Rule(
            "resolve",
            ("[error] ", "unresolved dependency", "not found: "),
            r"\[error\] .*(?:unresolved dependency|not found: |Error downloading|Not found)",
            FATAL,
        ),
        Rule("task", ("[error] (",), r"\[error\] \(.{1,200}\) ", SUMMARY),
        Rule(
            "error",
            ("[error] ",),
            r"\[error\] (?!Total time|\s*$|Failed tests|Failed: Total|Error: Total"
            r"|\s*at |\d+ errors? found|\(|\s+\||\s*\^)\S",
            ERROR + 1,
        ),
        Rule(
            "total",
            ("[error] Total time", "[error] Failed"),
            r"\[error\] (?:Total time|Failed)",
            TRAILER,
        ),
    ),
)
