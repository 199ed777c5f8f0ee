"""cargo, rustc, clippy: `error[E0308]: message`, the place on the line below; panics of tests."""

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
from indexing.signature.look import below

_PLACE = r"\s*--> \S"


def _placed(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """Joined to its file: `mismatched types` alone is the same for every mismatch."""
    at = below(lines, index, _PLACE, 4, r"(?:error|warning)\b")
    if at is None:
        return Found(index)
    types = None
    if "mismatched types" in lines[index]:
        types = below(lines, at, r".*\^ .*expected .*found ", 14, r"(?:error|warning)\b")
    return Found(index, (at,) if types is None else (at, types))


def _only_placed(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    found = _placed(lines, index, match)
    return found if found.joined else None


def _panicked(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """Since Rust 1.73 the message is on the next line."""
    if match.string.endswith(":"):
        at = below(lines, index, r"\s*\S", 1)
        if at is not None:
            return Found(index, (at,))
    return Found(index)


def _caused(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The deepest of cargo's chain that still names something, below `Caused by:`."""
    if lines[index + 1].strip() and not lines.holds(r"^Caused by:|\\bcargo\\b|Cargo\\.toml"):
        return None
    joined = [
        at
        for at in range(index + 1, min(index + 40, len(lines)))
        if lines[at].startswith("  ") and lines[at - 1] == "Caused by:"
    ]
    return Found(index, tuple(joined))


RULES = ToolRules(
    tool="cargo",
    known_by=r"^\s{3,}(?:Compiling|Checking|Downloaded|Finished|Running|Updating|Blocking) \S"
    r"|^error\[E\d{4}\]|\bcargo\b|\brustc\b",
    command=r"(?:cargo|rustc|cross)",
    rules=(
        Rule("diagnostic", ("error[E",), r"(?:cargo : )?error\[E\d{4}\]: ", DIAGNOSTIC, _placed),
        Rule(
            "uncoded",
            ("error: ",),
            r"(?:cargo : )?error: (?!aborting|could not compile|test failed"
            r"|build failed|process didn't)\S",
            DIAGNOSTIC - 1,
            _only_placed,
        ),
        Rule("linking", ("error: linking",), r"error: linking with `\S+` failed", FATAL - 4),
        Rule(
            "panic",
            ("panicked at",),
            r"\s{0,4}(?:thread '.{1,300}' (?:\(\d+\) )?)?panicked at ",
            EXCEPTION,
            _panicked,
        ),
        Rule("doctest", ("Couldn't compile the test",), r"Couldn't compile the test\.", SUMMARY),
        Rule(
            "build-script",
            ("failed to run custom build command",),
            r"error: failed to run custom build command",
            FATAL - 6,
        ),
        Rule(
            "wrapper",
            ("error: ", "could not compile"),
            r"(?:cargo : )?error: (?:could not compile|test failed|build failed"
            r"|\d+ targets? failed|aborting due|process didn't exit|doctest failed"
            r"|bench failed)",
            WRAPPER,
        ),
        Rule(
            "manifest",
            ("error: ",),
            r"error: (?:failed to (?:get|load|parse|select|read|download|fetch"
            r"|resolve)|no matching package|"
            r"package ID|the lock file|no such (?:sub)?command"
            r"|could not find `Cargo\.toml`|invalid)",
            FATAL,
            _caused,
        ),
        Rule(
            "fmt", ("Diff in ",), r"Diff in \S.{0,300}(?: at line \d+|\.rs:\d+):$", DIAGNOSTIC - 4
        ),
        Rule(
            "fatal",
            ("error: ",),
            r"error: (?!could not compile|test failed|build failed"
            r"|\d+ targets? failed|aborting due|process didn't exit|doctest failed"
            r"|failed to run custom)\S",
            FATAL,
            None,
            True,
        ),
        Rule(
            "test-failed",
            ("... FAILED", "FAILED"),
            r"test \S+(?: - .{1,80})? \.\.\. FAILED",
            SUMMARY,
        ),
        Rule("result", ("test result: FAILED",), r"test result: FAILED\.", SUMMARY - 4),
    ),
    skip=(
        ("a passing test", "test ", r"^test .* \.\.\. (?:ok|ignored)$"),
        ("a command, echoed before it runs", "Running `", r"^\s*Running `"),
    ),
)
