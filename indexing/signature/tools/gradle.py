"""gradle: `* What went wrong:`, then the task, then `> reason`; compilers print before it."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    FATAL,
    SUMMARY,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below, indent, rooted_below

_DULL = (
    r"\s*> (?:Compilation (?:failed|error)|There were failing tests|Process 'command"
    r"|A failure occurred|\S+ (?:violations|checkstyle))"
)


def _wrong(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The deepest reason below `What went wrong`: each indent explains the line above it."""
    at = below(lines, index, r"\S", 2)
    if at is None:
        return None
    task = at
    deepest = at
    for line_at in range(at + 1, min(at + 30, len(lines))):
        line = lines[line_at]
        if line.startswith(("* ", "BUILD FAILED")):
            break
        if re.match(r"\s*> \S", line) and (deepest == at or indent(line) > indent(lines[deepest])):
            deepest = line_at
    if deepest == task:
        return Found(task)
    said = below(lines, deepest, r"\s+(?:ERROR: ?|error: |e: )\S", 2)
    if said is not None:  # the tool that ran inside says it itself (aapt)
        return Found(said)
    return Found(deepest, (task,)) if re.match(_DULL, lines[deepest]) else Found(deepest)


def _reason(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    return Found(index)


def _failed_test(lines: Lines, index: int, _: re.Match[str]) -> Found:
    at = below(lines, index, r"\s+(?:[\w$]+\.)+[\w$]*(?:Error|Exception|Failure|Failed)\w*\b", 3)
    return Found(index) if at is None else Found(at, (index,))


RULES = ToolRules(
    tool="gradle",
    known_by=r"^(?:> Task :|:\w+(?::\w+)*(?: UP-TO-DATE| FAILED)?$|FAILURE: Build failed"
    r"|\* What went wrong:|Starting a Gradle Daemon|BUILD (?:SUCCESSFUL|FAILED) in)"
    r"|\bgradlew?\b",
    command=r"(?:gradle|\./gradlew|gradlew)",
    rules=(
        Rule(
            "test",
            (" FAILED",),
            r"(?!>|:|Task|FAILURE).{1,200} > .{1,300} FAILED$",
            DIAGNOSTIC,
            _failed_test,
        ),
        Rule("checkstyle", ("[ant:checkstyle]",), r"\[ant:checkstyle\] \[ERROR\] \S", DIAGNOSTIC),
        Rule(
            "kotlin",
            (".kt:", ".kts:"),
            r"e: (?:file://)?\S+\.kts?:\s?(?:\(\d+, \d+\)|\d+:\d+)",
            DIAGNOSTIC,
        ),
        Rule(
            "script",
            (
                "Could not find method",
                "Could not get unknown property",
                "Plugin [id:",
                "startup failed",
            ),
            r"(?:> )?(?:Could not find method|Could not get unknown property"
            r"|Plugin \[id: |startup failed)",
            FATAL + 4,
        ),
        Rule(
            "manifest",
            ("AndroidManifest.xml",),
            r"\S.{0,300}AndroidManifest\.xml(?::\d[\d:-]{0,40})? Error:$",
            DIAGNOSTIC,
            rooted_below(r"\s+\S", 1),
        ),
        Rule("wrong", ("What went wrong:",), r"\* What went wrong:", FATAL - 2, _wrong),
        Rule("task", (" FAILED",), r"(?:> Task )?:\S+ FAILED$", SUMMARY - 6),
        Rule(
            "build",
            ("BUILD FAILED", "FAILURE: Build"),
            r"(?:BUILD FAILED|FAILURE: Build (?:failed|completed))",
            TRAILER,
        ),
    ),
    skip=(("a passing test", "PASSED", r" > .* PASSED$"),),
)
