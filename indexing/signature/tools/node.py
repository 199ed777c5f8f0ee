"""node: an uncaught exception, its stack frames below."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, below, rooted_below

_FRAME = r"\s+at (?:async )?\S|\s*(?:Require stack:|code: '|\{$|requireStack:|errno: )|- /"
_THROWN = (
    r"\s*(?:throw |\^|\^\^+$|node:internal|internal/|Uncaught|Unhandled|\(node:\d"
    r"|/\S+:\d+$|file://)"
)


def _thrown(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """Only with a stack below, or what node prints above: passing tests log errors too."""
    if above(lines, index, r"\s*File \".{1,400}\", line \d", 4) is not None:
        return None  # Python's
    if below(lines, index, _FRAME, 4) is None and above(lines, index, _THROWN, 4) is None:
        return None
    if "fetch failed" in match.string:
        cause = below(lines, index, r"\s*\[?cause\]?: ", 12)
        return Found(index, () if cause is None else (cause,))
    return Found(index)


def _reported(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """A test of `node --test`: its title, joined to what was compared or to the error.

    TAP and the spec reporter frame the error otherwise; a comparison reads the same in both.
    """
    stop = r"\s*(?:\.\.\.|not ok|ok|#|\u2716|\u2714|\u25b6) ?"
    error = below(lines, index, r"\s*(?:error: |\[?\w*Error\b)", 8, stop)
    if error is None or lines[error - 1].strip().endswith("'subtestsFailed'"):
        return None
    compared = below(lines, error, r"\s*\S.{0,200} (?:!==|===|!=|==) \S", 4, r"\s+at |\s*code: ")
    said = compared
    if said is None and lines[error].rstrip().endswith("|-"):
        said = below(lines, error, r"\s+\S", 2)
    return Found(index, (error if said is None else said,))


def _tap(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """Only as node prints it: other producers of TAP know no `failureType`."""
    known = below(lines, index, r"\s*failureType: ", 6, r"\s*(?:not )?ok ")
    return None if known is None else _reported(lines, index, match)


RULES = ToolRules(
    tool="node",
    known_by=r"^Node\.js v\d+|^\s+at .{1,200}(?:\.[cm]?[jt]sx?:\d+:\d+|node:internal)"
    r"|node_modules",
    command=r"node",
    rules=(
        Rule("tap", ("not ok ",), r"\s*not ok \d+ - (?!.*# (?:TODO|SKIP))", DIAGNOSTIC, _tap),
        Rule(
            "spec",
            ("\u2716 ",),
            r"\s*\u2716 \S.{0,300} \(\d[\d.]*m?s\)$",
            DIAGNOSTIC,
            _reported,
        ),
        Rule(
            "prisma",
            ("Error: P",),
            r"Error: P[1-6]\d{3}$",
            EXCEPTION,
            rooted_below(r"\S", 2, join=True),
        ),
        Rule("heap", ("FATAL ERROR:",), r"FATAL ERROR: .*(?:heap|Allocation|memory)", EXCEPTION),
        Rule(
            "module",
            ("Cannot find module", "Cannot find package", "ERR_MODULE_NOT_FOUND", "ERR_"),
            r"(?:Uncaught )?(?:\w*Error)(?: \[[A-Z_]+\])?: (?:Cannot find (?:module"
            r"|package)|\[?ERR_)",
            EXCEPTION + 2,
        ),
        Rule(
            "exception",
            ("Error: ", "Error [", "Exception: ", "Exception ["),
            r"(?:\[?(?:Uncaught|UnhandledPromiseRejectionWarning:?) )?\s{0,4}(?:\[\w+"
            r"\] )?[A-Z]\w{0,60}(?:Error|Exception)(?: \[[\w-]{1,60}\])?: \S",
            EXCEPTION,
            _thrown,
        ),
        Rule("bare", ("Error: ",), r"Error: \S", EXCEPTION - 1, _thrown),
        Rule(
            "rejection",
            ("unhandled", "Unhandled"),
            r".{0,40}[Uu]nhandled ?[Pp]romise ?[Rr]ejection",
            TRAILER + 2,
        ),
    ),
    skip=(("npm's own stack", "verbose stack", r"^\d+ verbose stack"),),
)
