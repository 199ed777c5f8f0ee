"""vitest: `FAIL  file > suite > test`, the error's own line below it."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _failed(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    at = below(
        lines, index, r"\s*(?:\w*Error|\w*Exception)(?: \[\w+\])?: ", 8, r"\s*[\u2500\u23af]{4}"
    )
    if at is None:
        return Found(index)
    if lines[index + 1].startswith("> "):  # wrapped at the width of a terminal
        return Found(at, (index, index + 1))
    return Found(at, (index,) if " > " in match.string else ())


RULES = ToolRules(
    tool="vitest",
    known_by=r"\bvitest\b|^\s*(?:RUN|DEV) +v\d+\.\d+",
    command=r"(?:npx )?vitest",
    rules=(
        Rule(
            "failed",
            ("FAIL ",),
            r"\s*(?:\u276f )?FAIL {1,3}\S.*(?: > | \[ |\.(?:test|spec)\.[cm]?[jt]sx?$)",
            DIAGNOSTIC,
            _failed,
            True,
        ),
        Rule(
            "unhandled",
            ("Unhandled",),
            r"\W{0,60}Unhandled (?:Errors?|Rejection)\b",
            SUMMARY,
            None,
            True,
        ),
        Rule("mark", ("\u00d7 ", "\u276f "), r"\s+\u00d7 \S.{0,300}", SUMMARY, None, True),
    ),
    skip=(("a passing test", "\u2713", r"^\s*\u2713"),),
)
