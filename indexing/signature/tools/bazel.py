"""bazel: `ERROR: file:line:col: …`; a failing action has its compiler's output below."""

from indexing.signature.interface import FATAL, SUMMARY, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="bazel",
    known_by=r"\bbazel(?:isk)?\b|^INFO: Analyzed|^Loading: ",
    command=r"bazel(?:isk)?",
    rules=(
        Rule("action", ("failed: (Exit",), r"ERROR: .*failed: \(Exit \d+\)", WRAPPER + 2),
        Rule(
            "place", ("ERROR: ",), r"ERROR: /?\S+:\d+:\d+: (?!.*failed: \(Exit)", FATAL, None, True
        ),
        Rule("test", ("FAILED in ",), r"//\S+\s+FAILED in ", SUMMARY),
        Rule(
            "wrapper",
            ("ERROR: Build did NOT",),
            r"(?:ERROR: |FAILED: )Build did NOT complete",
            WRAPPER - 4,
        ),
    ),
)
