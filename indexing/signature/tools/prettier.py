"""prettier and biome: formatters that only check."""

from indexing.signature.interface import DIAGNOSTIC, ERROR, SUMMARY, Rule, ToolRules

RULES = ToolRules(
    tool="prettier",
    known_by=r"\[warn\] |\bprettier\b|Checking formatting",
    command=r"(?:npx )?prettier",
    rules=(
        Rule("syntax", ("[error] ",), r"\[error\] \S+: \w*Error: ", DIAGNOSTIC),
        Rule("error", ("[error] ",), r"\[error\] (?!All matched|No )\S", ERROR, None, True),
        Rule(
            "unformatted",
            ("[warn] ",),
            r"\[warn\] (?!Code style|Run Prettier|All matched|Forgot|\d+ files?)\S+\.\w+$",
            ERROR + 2,
            None,
            True,
        ),
        Rule("style", ("Code style issues",), r"\[(?:warn|error)\] Code style issues", SUMMARY),
    ),
)
