"""erlc, rebar, eunit, Common Test: `file.erl:3: message`; `…*failed*`, the reason below."""

import re

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
from indexing.signature.look import below


def _eunit(lines: Lines, index: int, _: re.Match[str]) -> Found:
    reason = below(lines, index, r"(?:\*\*|::)\w*:?\{?\S", 30, r".*\.\.\.|={3,}")
    if reason is None:
        return Found(index)
    values = [
        at
        for at in range(reason + 1, min(reason + 12, len(lines)))
        if re.match(r"\s*\{(?:expected|value|unexpected_\w+|pattern),", lines[at])
    ]
    return Found(reason, (*values, index))


def _common_test(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """`%%% suite ==> case: FAILED`, and the reason after the same arrow."""
    reason = below(lines, index, r"%%% \S+ ==> (?!.*: (?:FAILED|OK|SKIPPED)$)\S", 3)
    if reason is None:
        return Found(index)
    more = below(lines, reason, r"\s*\S", 1) if lines[reason].endswith("==>") else None
    return Found(reason, (index,) if more is None else (more, index))


RULES = ToolRules(
    tool="erlang",
    known_by=r"^===> |\brebar3?\b|\berlc\b|\.erl:\d+|\beunit\b",
    command=r"(?:\./)?(?:rebar3?|erlc?|escript)",
    rules=(
        Rule(
            "compile",
            ("erl:", "hrl:", "yrl:", "xrl:"),
            r"\s*\S{1,300}\.(?:erl|hrl|yrl|xrl):\d+(?::\d+)?: (?![Ww]arning)\S",
            DIAGNOSTIC,
        ),
        Rule(
            "eunit",
            ("failed*", "failed_"),
            r".{1,300}\.\.\.(?:\[[\d.]+ s\] )?[*_]failed[*_]",
            DIAGNOSTIC,
            _eunit,
        ),
        Rule("case", (": FAILED",), r"%%% \S+ ==> \S+.{0,100}: FAILED", DIAGNOSTIC, _common_test),
        Rule(
            "boot",
            ("init terminating", "Crash dump is being written", "Kernel pid terminated"),
            r".{0,200}(?:init terminating in|Kernel pid terminated)",
            EXCEPTION,
        ),
        Rule(
            "rebar",
            ("===> ",),
            r"===> (?:Uncaught error|Unable to|Failed to|Error|Package not found|No entry"
            r"|Dependency failure|Could not|Plugin .{1,80} not available|Failed)",
            FATAL,
        ),
        Rule(
            "failures", ("===> ",), r"===> (?:Failures occurred|Error running tests)", TRAILER + 4
        ),
        Rule("total", ("Failed: ",), r"\s+Failed: [1-9]\d*\.  Skipped:", SUMMARY - 4),
    ),
)
