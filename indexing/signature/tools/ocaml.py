"""ocaml, dune, opam: `File "a.ml", line 3, characters 5-9:`, the code, then `Error: message`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    SUMMARY,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below


def _compile(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """Only an error: a warning is headed alike."""
    at = below(lines, index, r"Error\b.{0,40}: \S", 14, r"File \"|Warning\b")
    return None if at is None else Found(at, (index,))


RULES = ToolRules(
    tool="ocaml",
    known_by=r"\bocaml\w*\b|\bdune\b|\bopam\b|^File \".+\.mli?\", lines? \d+",
    command=r"(?:ocaml\w*|dune|opam|jbuilder)",
    rules=(
        Rule(
            "compile",
            ('File "',),
            r"File \"[^\"]{1,300}\", lines? \d+(?:-\d+)?, characters \d+-\d+:",
            DIAGNOSTIC,
            _compile,
        ),
        Rule(
            "raised",
            ("Fatal error: exception ",),
            r"(?:.{0,40})Fatal error: exception \S",
            EXCEPTION,
        ),
        Rule("alcotest", ("[FAIL]",), r"\W{0,4}\[FAIL\]\s+\S", SUMMARY + 6, None, True),
    ),
)
