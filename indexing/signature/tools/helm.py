"""helm: one `Error: …` line, its causes chained by colons."""

from indexing.signature.interface import FATAL, Rule, ToolRules

RULES = ToolRules(
    tool="helm",
    known_by=r"\bhelm\b|Chart\.yaml|\bINSTALLATION FAILED|UPGRADE FAILED",
    command=r"helm",
    rules=(
        Rule(
            "failed",
            ("Error: ",),
            r"Error: (?!\d+ chart\(s\))(?:INSTALLATION FAILED|UPGRADE FAILED|execution error"
            r"|.*chart)",
            FATAL + 4,
        ),
        Rule("error", ("Error: ",), r"Error: \S", FATAL - 2, None, True),
        Rule("lint", ("[ERROR] ",), r"\[ERROR\] \S", FATAL, None, True),
    ),
)
