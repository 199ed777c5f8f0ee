"""biome: a finding is headed `file:line:col lint/group/rule ━━━━`, its message below."""

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Rule, ToolRules
from indexing.signature.look import joining_below

RULES = ToolRules(
    tool="biome",
    known_by=r"\bbiome\b|\bBiome\b",
    command=r"(?:npx )?biome",
    rules=(
        Rule(
            "finding",
            ("\u2501\u2501",),
            r"\S+ (?:lint/|format|parse|assist/|organizeImports|internalError"
            r"|suppressions)\S* .{0,20}\u2501\u2501",
            DIAGNOSTIC,
            joining_below(r"\s+[\u00d7x!\u2716] ", 4),
        ),
        Rule("found", ("Found ",), r"Found [1-9]\d* errors?\.", SUMMARY, None, True),
    ),
)
