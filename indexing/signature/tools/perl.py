"""perl and prove: `message at script.pl line 3.`; `not ok 1 - title`."""

from indexing.signature.interface import DIAGNOSTIC, EXCEPTION, SUMMARY, Rule, ToolRules
from indexing.signature.look import joining_below

RULES = ToolRules(
    tool="perl",
    known_by=r" at \S+\.(?:pl|pm|t|PL) line \d+|\bprove\b|\bperl\b",
    command=r"(?:perl|prove|cpanm?)",
    rules=(
        Rule(
            "die",
            (" line ",),
            r"(?!#|\s|Use of uninit|.*(?:masks earlier|redefined at"
            r"|deprecated at))\S.{0,400} at \S+ line \d+(?:, <\w+> line \d+)?\.$",
            EXCEPTION - 4,
            None,
            True,
        ),
        Rule("locate", ("Can't locate ",), r"Can't locate \S+ in @INC", EXCEPTION),
        Rule(
            "failed-test",
            ("Failed test ",),
            r"\s*#\s+Failed test ",
            DIAGNOSTIC - 1,
            joining_below(r"\s*#\s+at \S+ line \d+", 2),
        ),
        Rule("result", ("Result: FAIL",), r"Result: FAIL", SUMMARY - 6),
    ),
)
