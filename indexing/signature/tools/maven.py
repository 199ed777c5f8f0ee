"""maven, surefire, failsafe: `[ERROR]` lines; a failing test is marked `<<< FAILURE!`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    ERROR,
    FATAL,
    SUMMARY,
    TRAILER,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below

_P = r"(?:\[(?:ERROR|FATAL)\]\s{0,4})?"


def _test(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """The exception's line below the mark; the test that it belongs to is joined."""
    if re.match(r"(?:\[ERROR\] )?Tests run:", match.string):
        return None
    at = below(
        lines,
        index,
        r"\s*(?:[\w$]+\.)+[\w$]*(?:Error|Exception|Failure|Throwable|Failed)\w*\b"
        r"|(?:[a-z][\w$]*\.){2,12}[A-Z][\w$]*(?:: ?|$)",
        3,
        r"\s+at \S+\(",
    )
    if at is None:
        return Found(index)
    return Found(at, (index,))


RULES = ToolRules(
    tool="maven",
    known_by=r"^\[INFO\] (?:Scanning for projects|Building |BUILD|-{10,})|\bmvnw?\b"
    r"|maven-\w+-plugin",
    command=r"(?:mvnw?|\./mvnw)",
    rules=(
        Rule(
            "test", ("<<< FAILURE!", "<<< ERROR!"), r".*<<< (?:FAILURE|ERROR)!", DIAGNOSTIC, _test
        ),
        Rule(
            "compile",
            ("[ERROR]",),
            r"\[ERROR\]\s{1,3}(?!\s*at )(?:/|[A-Za-z]:[\\/]"
            r"|file:)?\S.{0,300}\.(?:java|kt|scala|groovy):(?:\[\d+,\d+\]"
            r"|\d+(?::\d+)?:?)",
            DIAGNOSTIC,
        ),
        Rule(
            "pom",
            (
                "Non-resolvable",
                "Malformed POM",
                "Unresolveable",
                "'dependencies.dependency",
                "Unknown lifecycle",
                "Non-parseable",
            ),
            _P + r".{0,200}(?:Non-resolvable (?:parent POM|import POM)|Malformed POM"
            r"|Unresolveable build extension|'dependencies\.dependency"
            r"|Unknown lifecycle|Non-parseable)",
            FATAL + 4,
        ),
        Rule(
            "rule",
            ("failed with message",),
            r"(?:\[(?:ERROR|WARNING)\] )?Rule \d+: \S+ failed with message",
            FATAL + 2,
        ),
        Rule(
            "goal",
            ("Failed to execute goal", "Could not resolve dependencies", "Plugin "),
            _P + r"(?:Failed to execute goal (?!.*(?:There are test failures"
            r"|Compilation failure$))|.*Could not resolve dependencies for"
            r"|Plugin \S+ or one of its dependencies)",
            FATAL - 5,
        ),
        Rule(
            "surefire",
            ("[ERROR]",),
            r"\[ERROR\]\s{2,4}(?=[^\s:]{1,200}\.)[^\s:]{1,300}:\d{1,6}"
            r"(?:->[^\s:]{1,200}:\d{1,6}){0,20} \S",
            SUMMARY + 8,
        ),
        Rule("goal-tests", ("Failed to execute goal",), _P + r"Failed to execute goal", WRAPPER),
        Rule(
            "error",
            ("[ERROR]", "[FATAL]"),
            r"\[(?:ERROR|FATAL)\] (?!\s*$|Failures?:|Errors?:|Tests run|Re-run|To see"
            r"|For more|After correcting|COMPILATION ERROR|-> |\[Help|BUILD"
            r"|Failed to execute|Please refer|See |-{5})\s{0,3}\S",
            ERROR,
            None,
            True,
        ),
        Rule(
            "failures",
            ("Tests run:",),
            r"(?:\[ERROR\] )?\s*Tests run: \d+, Failures: (?:[1-9]\d*|\d+, Errors: [1-9])",
            SUMMARY - 6,
        ),
        Rule(
            "build",
            ("BUILD FAILURE", "BUILD ERROR"),
            r"(?:\[(?:INFO|ERROR)\] )?BUILD (?:FAILURE|ERROR)",
            TRAILER,
        ),
    ),
)
