"""go: build errors `file.go:line:col: message`; tests `--- FAIL: TestX`; panics."""

import re

from indexing.lazily import expression
from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    SUMMARY,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, below, indent

_MESSAGE = expression(r"\s+[\w./@-]{1,200}\.go:\d+: ?")
_FAIL = expression(r"\s*--- FAIL: \S")


def _test(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """The first thing that the innermost failing test says, joined to the test's name."""
    if lines[index + 1].startswith("panic: "):
        return Found(index + 1, (index,))
    test = index
    depth = indent(match.string)
    for at in range(index + 1, min(index + 400, len(lines))):
        line = lines[at]
        if _FAIL.match(line) and indent(line) > indent(lines[test]):
            test = at
        elif line.strip() and indent(line) <= depth:
            break
        elif _MESSAGE.match(line):
            return Found(_said(lines, at), (test,))
    before = _said_before(lines, index, test)
    return Found(index) if before is None else Found(_said(lines, before), (test,))


def _said(lines: Lines, at: int) -> int:
    """The message; of a testify block its `Error:` line, which says what the first does not."""
    if lines[at].rstrip().endswith(":"):
        for pattern, within in ((r"\s+Error:\s+\S", 6), (r"\s+\S", 1)):
            found = below(lines, at, pattern, within)
            if found is not None:
                return found
    return at


def _labelled(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """A testify block of its own: what its `Error:` says, joined to its `Test:`."""
    at = below(lines, index, r"\s*Error:\s+\S", 6)
    if at is None:
        return None
    test = below(lines, at, r"\s*Test:\s+\S", 60, r"\s*Error Trace:|(?:FAIL|ok)\b")
    return Found(at, () if test is None else (test,))


def _said_before(lines: Lines, index: int, test: int) -> int | None:
    """With -v a test's messages are printed while it runs, before its `--- FAIL`."""
    name = lines[test].split("--- FAIL: ")[1].split(" (")[0]
    at = above(lines, index, rf"\s*=== (?:RUN|CONT|NAME) +{re.escape(name)}$", 2000)
    if at is None:
        return None
    return below(lines, at, _MESSAGE.pattern, index - at - 1, r"\s*=== |\s*--- ")


def _imported(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """`go: a imports`, or `a tested by`: the last of the chain says what is missing."""
    at = index
    while at - index < 20 and lines[at].rstrip().endswith((" imports", " tested by", " requires")):
        at += 1
    return Found(at if lines[at].strip() else index)


def _panic(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """A nil dereference is told apart by the first frame of one's own code."""
    frame = below(
        lines,
        index,
        r"\s+(?!.*/(?:runtime|testing|panic)/|.*/src/(?:runtime|testing)/)\S+\.go:\d+",
        40,
    )
    return Found(index, () if frame is None else (frame,))


RULES = ToolRules(
    tool="go",
    known_by=r"^(?:# \S+|ok  \t|FAIL\t|go: |--- FAIL|\?   \t|=== RUN)|\.go:\d+:\d+: "
    r"|\bgo (?:build|test|vet|mod|run)\b",
    command=r"(?:go|golangci-lint|staticcheck)",
    rules=(
        Rule(
            "compile",
            (".go:",),
            r"(?:vet: |# )?(?:\./|\.\./|/)?[\w@+./\\-]{1,300}\.go:\d+:\d+: (?!warning)\S",
            DIAGNOSTIC,
        ),
        Rule("test", ("--- FAIL: ",), r"\s*--- FAIL: \S", DIAGNOSTIC - 2, _test),
        Rule("testify", ("Error Trace:",), r"\s*Error Trace:\s", DIAGNOSTIC - 4, _labelled),
        Rule(
            "race",
            ("WARNING: DATA RACE",),
            r"WARNING: DATA RACE",
            DIAGNOSTIC,
            lambda lines, index, _: _panic(lines, index, _),
        ),
        Rule("panic", ("panic: ",), r"(?:\s*)panic: \S", EXCEPTION, _panic),
        Rule(
            "runtime",
            ("fatal error: ",),
            r"fatal error: (?:all goroutines|concurrent|stack overflow|runtime"
            r"|unexpected signal|out of memory|fault$|sync: |bad |morestack|found )",
            EXCEPTION,
            _panic,
        ),
        Rule(
            "module",
            ("go: ", ".go:"),
            r"go: (?!downloading|finding|extracting|creating|to add|added|found"
            r"|upgraded|downgraded|warning|writing|removed)\S",
            FATAL,
            _imported,
        ),
        Rule(
            "package",
            ("no required module", "cannot find package", "is not in std", "is not in GOROOT"),
            r"\S.{0,200}(?:no required module|cannot find package|is not in (?:std|GOROOT))",
            FATAL,
        ),
        Rule(
            "old-compile",
            (".go:",),
            r"(?:\./|\.\./|/)?[\w@+./-]{1,300}\.go:\d+: (?!warning)\S",
            FATAL,
            None,
            True,
        ),
        Rule(
            "file",
            ("not up",),
            r"(?:ERROR: )?go\.(?:mod|sum).{0,40}not up.to.date",
            FATAL,
        ),
        Rule(
            "build-failed",
            ("[build failed]", "[setup failed]", "FAIL\t"),
            r"FAIL\t\S+ (?:\[|\d)",
            SUMMARY - 4,
        ),
        Rule("fail", ("FAIL",), r"FAIL$", TRAILER + 2),
        Rule("exit", ("exit status",), r"exit status \d+$", TRAILER),
    ),
    skip=(
        ("a passing test", "--- ", r"^\s*--- (?:PASS|SKIP): "),
        ("a passing package", "ok  \t", r"^ok  \t"),
    ),
)
