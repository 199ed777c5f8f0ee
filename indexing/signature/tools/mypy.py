"""mypy, pyright, ruff, flake8, pylint: every finding is one line that begins with its place."""

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Rule, ToolRules

RULES = ToolRules(
    tool="mypy",
    known_by=r"^\S+\.pyi?:\d+(?::\d+)?: error: |\bmypy\b",
    command=r"(?:mypy|dmypy|python3? -m mypy)",
    rules=(
        Rule("finding", (": error: ",), r"\S.{0,200}\.pyi?(?::\d+){0,4}: error: ", DIAGNOSTIC),
        Rule("pyright", (" - error: ",), r"\s*\S.{0,200}\.pyi?:\d+:\d+ - error: ", DIAGNOSTIC),
        Rule("found", ("Found ",), r"Found [1-9]\d* errors? in [1-9]", SUMMARY),
    ),
)
