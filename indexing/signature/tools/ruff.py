"""ruff, flake8, pylint, black, isort: style findings `file.py:1:2: E501 message`."""

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Rule, ToolRules

RULES = ToolRules(
    tool="ruff",
    known_by=r"\bruff\b|\bflake8\b|\bpylint\b|\bblack\b|\.py:\d+:\d+: [A-Z]{1,5}\d{2,4} ",
    command=r"(?:ruff|flake8|pylint|black|isort)",
    rules=(
        Rule("finding", (".py:",), r"\S.{0,200}\.pyi?:\d+:\d+: [A-Z]{1,6}\d{1,5}:? ", DIAGNOSTIC),
        Rule(
            "full", (" --> ",), r"(?:[A-Z]{1,6}\d{1,5}|invalid-syntax):? (?:\[\*\] )?\S", DIAGNOSTIC
        ),
        Rule("block", ("  -->", " --> "), r"\s+--> \S+\.pyi?:\d+:\d+$", SUMMARY + 4, None, True),
        Rule(
            "format",
            ("Would reformat", "would reformat"),
            r"[Ww]ould reformat:? \S",
            DIAGNOSTIC - 5,
        ),
        Rule("black-error", ("error: cannot format",), r"error: cannot format \S", DIAGNOSTIC),
        Rule(
            "isort",
            ("Imports are incorrectly sorted",),
            r"ERROR: \S+ Imports are incorrectly sorted",
            DIAGNOSTIC,
        ),
        Rule("found", ("Found ",), r"Found [1-9]\d* errors?\.?", SUMMARY - 2, None, True),
    ),
)
