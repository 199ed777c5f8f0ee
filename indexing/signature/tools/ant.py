"""ant: `BUILD FAILED`, then the place in build.xml and the reason; tasks print `[javac] …`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    FATAL,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below


def _reason(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The innermost reason: a build file that calls another prints both places."""
    found = None
    at = index
    while (at := below(lines, at, r"\S", 2) or 0) and at < index + 12:
        if not re.match(r"\S.*\.xml:\d+: ?|Compile failed|The following error|\w.*", lines[at]):
            break
        if lines[at].startswith(("Total time", "at ")):
            break
        if not re.match(
            r"\S+\.xml:\d+: (?:The following error occurred|$)|\S+\.xml:\d+:\s*$", lines[at]
        ):
            found = at
            break
    return None if found is None else Found(found)


def _junit(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The message below a test that is marked as failed on the line after its name."""
    mark = lines[index + 1]
    if not re.match(r"\s*\[junit\]\s+(?:FAILED|Caused an ERROR)", mark):
        return None
    said = below(lines, index + 1, r"\s*\[junit\] \S", 1)
    return Found(index) if said is None else Found(said, (index,))


RULES = ToolRules(
    tool="ant",
    known_by=r"^Buildfile: |\.xml:\d+: |^\s*\[(?:javac|junit|exec|ant)\] ",
    command=r"ant",
    rules=(
        Rule("reason", ("BUILD FAILED",), r"BUILD FAILED$", FATAL + 4, _reason, True),
        Rule("no-buildfile", ("Buildfile: ",), r"Buildfile: .* does not exist", FATAL),
        Rule("junit-test", ("[junit]",), r"\s*\[junit\] Testcase: ", DIAGNOSTIC, _junit),
        Rule(
            "junit",
            ("[junit]",),
            r"\s*\[junit\] (?:Testcase: .*(?:FAILED|Caused an ERROR)|TEST .* FAILED"
            r"|Test .* FAILED)",
            DIAGNOSTIC - 4,
        ),
        Rule("failed", ("BUILD FAILED",), r"BUILD FAILED$", TRAILER),
    ),
)
