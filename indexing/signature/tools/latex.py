"""TeX and LaTeX: `! message`, then the line of source at which it stopped."""

from indexing.signature.interface import FATAL, WRAPPER, Rule, ToolRules
from indexing.signature.look import joining_below

RULES = ToolRules(
    tool="latex",
    known_by=r"^This is (?:pdf|Xe|Lua|e-)?TeX|^LaTeX2e <|\blatexmk\b",
    command=r"(?:pdf|xe|lua)?latex(?:mk)?",
    rules=(
        Rule(
            "error",
            ("! ",),
            r"! (?!==>|Emergency stop)(?:\w+ Error: |[A-Z])\S.{0,300}",
            FATAL + 4,
            joining_below(r"l\.\d+ ", 12),
            True,
        ),
        Rule("stopped", ("! ",), r"!  ?(?:==>|Emergency stop)", WRAPPER, None, True),
    ),
)
