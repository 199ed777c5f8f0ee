"""sphinx: `file.rst:4: WARNING: …`, an error under -W; asciidoc and mkdocs alike."""

from indexing.signature.interface import ERROR, SUMMARY, WARNING, Rule, ToolRules

RULES = ToolRules(
    tool="sphinx",
    known_by=r"^Running Sphinx v|\bsphinx-build\b|\bmkdocs\b",
    command=r"(?:sphinx-build|mkdocs|python3? -m sphinx)",
    rules=(
        Rule(
            "problem",
            (" WARNING: ", " ERROR: ", " SEVERE: ", " CRITICAL: "),
            r"(?:\S+\.\w{1,8}:(?:\d+:)?|\S+:docstring of \S+:\d*:?) (?:ERROR|SEVERE|CRITICAL): ",
            ERROR + 6,
        ),
        Rule(
            "warning",
            (" WARNING: ",),
            r"(?:\S+\.\w{1,8}:(?:\d+:)?|\S+:docstring of \S+:\d*:?) WARNING: ",
            WARNING + 4,
        ),
        Rule(
            "finished",
            ("build finished with problems",),
            r"build finished with problems",
            SUMMARY,
        ),
    ),
)
