"""dmd, ldc, dub: `file.d(3,5): Error: message`; `core.exception.AssertError@file.d(3): …`."""

from indexing.signature.interface import DIAGNOSTIC, EXCEPTION, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="dlang",
    known_by=r"\bdub\b|\bdmd\b|\bldc2?\b|\.d\(\d+",
    command=r"(?:dub|dmd|ldc2?|gdc|rdmd)",
    rules=(
        Rule(
            "compile",
            ("): Error: ",),
            r"\s*\S{1,300}\.di?\(\d+(?:,\d+)?\): Error: \S",
            DIAGNOSTIC,
        ),
        Rule(
            "thrown",
            (".d(",),
            r"[\w.]{1,200}(?:Error|Exception)@\S{1,300}\.d\(\d+\)",
            EXCEPTION,
        ),
        Rule(
            "wrapper",
            ("failed with exit code",),
            r"\S{1,80} failed with exit code",
            WRAPPER,
            None,
            True,
        ),
    ),
)
