"""tsc: `file(line,col): error TSnnnn: …`, or `file:line:col - error TSnnnn: …` when pretty."""

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Rule, ToolRules

RULES = ToolRules(
    tool="tsc",
    known_by=r"\berror TS\d{1,6}: ",
    command=r"(?:npx )?(?:tsc|vue-tsc)",
    rules=(
        Rule(
            "diagnostic",
            ("error TS",),
            r"(?:\[[\w .-]{1,30}\] )?(?:ERROR in )?(?:\S.{0,300}?(?:\(\d+,\d+\):"
            r"|:\d+:\d+ -) )?error TS\d{1,6}: ",
            DIAGNOSTIC,
        ),
        Rule(
            "loader",
            ("TS1", "TS2", "TS3", "TS4", "TS5", "TS6", "TS7", "TS8", "TS9", "[tsl] ERROR in "),
            r"\s{0,8}(?:\[tsl\] ERROR in |TS[1-9]\d{3,4}: |.{0,200}\bTS[1-9]\d{3,4}: )",
            DIAGNOSTIC - 2,
        ),
        Rule("found", ("Found ",), r"Found [1-9]\d* errors?(?: in| \.|\.)", SUMMARY, None, True),
    ),
)
