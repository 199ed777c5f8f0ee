"""pip, uv and poetry: `ERROR: …`; a build that fails has its reason in the lines before."""

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
from indexing.signature.look import above, joining_below


def _unreachable(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """`No matching distribution` after broken connections: the first warning says why."""
    first = index
    while (
        at := above(lines, first, r"\s*WARNING: Retrying .* after connection broken", 12)
    ) is not None:
        first = at
    return Found(first)


RULES = ToolRules(
    tool="pip",
    known_by=r"^(?:Collecting|Downloading|Requirement already|Installing collected"
    r"|ERROR: (?:Could not|No matching|Cannot))|\bpip3? install|\buv (?:pip|sync"
    r"|lock)|\bpoetry\b",
    command=r"(?:pip3?|python3? -m pip|uv|poetry|pipenv|pdm)",
    rules=(
        Rule(
            "no-match",
            ("No matching distribution", "Could not find a version"),
            r"(?:\s*)ERROR: (?:Could not find a version|No matching distribution)"
            r"|\s*Could not find a version that satisfies",
            DIAGNOSTIC,
            _unreachable,
        ),
        Rule(
            "conflict",
            ("ERROR: Cannot install", "conflicting dependencies", "ResolutionImpossible"),
            r"ERROR: (?:Cannot install .* because|ResolutionImpossible)",
            DIAGNOSTIC,
            joining_below(r"\s{4}\S.* depends on ", 8),
        ),
        Rule(
            "managed",
            ("externally-managed-environment",),
            r"error: externally-managed-environment",
            DIAGNOSTIC,
        ),
        Rule(
            "requires-python",
            ("requires a different Python", "Requires-Python"),
            r"ERROR: Package '.+' requires a different Python",
            DIAGNOSTIC,
        ),
        Rule(
            "hash",
            ("ERROR: THESE PACKAGES", "Hashes are required", "In --require-hashes"),
            r"ERROR: (?:THESE PACKAGES DO NOT MATCH|Hashes are required|In --require-hashes)",
            DIAGNOSTIC,
        ),
        Rule(
            "invalid",
            ("ERROR: ",),
            r"ERROR: (?:Invalid|Could not open|Could not install packages due to"
            r"|Directory '|.* is not a (?:valid|supported))",
            FATAL,
        ),
        Rule(
            "wheel",
            (
                "Failed building wheel",
                "Failed to build",
                "Could not build wheels",
                "failed-wheel-build",
                "subprocess-exited",
                "metadata-generation-failed",
                "Command errored out",
            ),
            r"\s*(?:ERROR: +|error: +)?(?:Failed building wheel|Failed to build"
            r"|Could not build wheels|failed-wheel-build|subprocess-exited"
            r"|metadata-generation-failed|Command errored out)",
            WRAPPER + 4,
        ),
        Rule(
            "setup",
            ("error: ",),
            r"\s{2,10}error: (?!subprocess-exited|metadata-generation|can't find|failed-wheel)\S",
            FATAL - 6,
            None,
            True,
        ),
        Rule(
            "other",
            ("ERROR: ",),
            r"\s{0,4}ERROR: (?!Command errored|Exception|Failed|pip's dependency)\S",
            FATAL - 8,
            None,
            True,
        ),
        Rule(
            "uv",
            (
                "No solution found",
                "error: Failed to",
                "\xd7 Failed to",
                "\u2500\u25b6 Failed to",
                "Because",
            ),
            r"\s*(?:\u00d7 |error: |  \u2570\u2500\u25b6 )(?:No solution found"
            r"|Failed to|Because)",
            FATAL,
            joining_below(r".*Because ", 2),
        ),
        Rule(
            "retries",
            ("Max retries exceeded",),
            r"\s*HTTPS?ConnectionPool\(.{1,200}Max retries exceeded",
            FATAL,
        ),
        Rule(
            "lock",
            ("poetry.lock is not up", "Invalid TOML file", "pyproject.toml changed"),
            r"(?:Error: )?(?:pyproject\.toml changed significantly"
            r"|poetry\.lock is not up to date|Invalid TOML file)",
            FATAL,
        ),
        Rule(
            "poetry",
            ("Because ", "version solving failed"),
            r"(?:Because |.*version solving failed)",
            FATAL,
            None,
            True,
        ),
        Rule(
            "lines",
            ("pip's dependency resolver",),
            r"ERROR: pip's dependency resolver does not",
            SUMMARY,
            joining_below(r"\S+ \S+ (?:requires|has requirement)", 3),
        ),
    ),
)
