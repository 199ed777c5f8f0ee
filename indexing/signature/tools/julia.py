"""julia: `Test Failed at file:3`, its expression below; `ERROR: LoadError: …`."""

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


def _failed(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """Joined to what was tested, and to what it came to."""
    found = (below(lines, index, rf"\s+{word}: \S", 3) for word in ("Expression", "Evaluated"))
    return Found(index, tuple(at for at in found if at is not None))


def _error(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """The exception's own line, below what was tested or how it was caught."""
    frame = r"\s+Test threw|\s+Got exception|\s+Expression: "
    at = below(lines, index, rf"(?!{frame})\s+\S", 4)
    return Found(index) if at is None else Found(at, (index,))


RULES = ToolRules(
    tool="julia",
    known_by=r"\bjulia\b|\.jl:\d+|^Test Summary:",
    command=r"julia",
    rules=(
        Rule(
            "test", ("Test Failed",), r"(?:.{0,200}: )?Test Failed(?: at \S|$)", DIAGNOSTIC, _failed
        ),
        Rule(
            "error",
            ("Error During", "Error during"),
            r"(?:.{0,200}: )?Error [Dd]uring [Tt]est(?: at \S|$)",
            DIAGNOSTIC,
            _error,
        ),
        Rule(
            "load",
            ("ERROR: ",),
            r"ERROR: (?:LoadError: |InitError: )*(?!Package|Some tests)\w+(?:Error|Exception)\b",
            EXCEPTION,
            None,
            True,
        ),
        Rule(
            "package",
            ("Unsatisfiable requirements", "expected package", "Failed to precompile"),
            r"ERROR: (?:LoadError: )?(?:Unsatisfiable requirements|expected package"
            r"|Failed to precompile)",
            FATAL,
        ),
        Rule("errored", ("errored during",), r".{0,80}Package .* errored during", WRAPPER),
        Rule("some", ("Some tests did",), r"(?:ERROR: )?(?:\w+: )?Some tests did", SUMMARY),
    ),
)
