"""javac, scalac, kotlinc: `File.java:12: error: message`; exceptions of the JVM."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    ERROR,
    EXCEPTION,
    FATAL,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below, only_after

_TRACE = r"\s+at [\w$.<>/@-]+\(|\s*\.\.\. \d+ (?:more|common)|\s*Caused by: "


def _cannot_find(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """`cannot find symbol` is joined to the symbol."""
    if not match.string.rstrip().endswith("cannot find symbol"):
        return Found(index)
    at = below(lines, index, r"\s*(?:\[\w+\]\s*)?symbol\s*: ", 5)
    return Found(index, () if at is None else (at,))


def _uncaught(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """The innermost cause, if a stack is printed below."""
    if below(lines, index, _TRACE, 2) is None:
        return None
    found = index
    for at in range(index + 1, min(index + 300, len(lines))):
        line = lines[at]
        if re.match(r"\s*Caused by: ", line):
            found = at
        elif not re.match(_TRACE, line) and not line.startswith(("\t", "    ")):
            break
    return Found(found)


def _described(lines: Lines, index: int, _: re.Match[str]) -> Found:
    head = below(lines, index, r"Description:", 6)
    said = None if head is None else below(lines, head, r"\S", 3)
    return Found(index if said is None else said)


RULES = ToolRules(
    tool="javac",
    known_by=r"\.java:\d+: error: |^\s+at [\w$.]+\([\w$]+\.(?:java|scala|kt):\d+\)",
    command=r"(?:javac|java|kotlinc|scalac)",
    rules=(
        Rule(
            "diagnostic",
            (": error: ",),
            r"(?:\s*\[\w+\] )?\S.{0,300}\.(?:java|scala|kt|groovy):\d+(?::\d+)?: error: ",
            DIAGNOSTIC,
            _cannot_find,
        ),
        Rule(
            "javac",
            ("error: ", "javac: "),
            r"(?:\s*\[\w+\] )?(?:javac: |error: )(?:invalid|no source|file not found"
            r"|release version|Source option|warnings found)",
            FATAL,
        ),
        Rule(
            "main",
            ("Exception in thread",),
            r"Exception in thread \"[^\"]{1,100}\" [\w.$]+",
            EXCEPTION,
            _uncaught,
        ),
        Rule(
            "exception",
            ("Exception", "Error"),
            r"(?:[\w$]+\.){1,20}[\w$]*(?:Exception|Error)\b(?:: |$)",
            ERROR + 5,
            _uncaught,
        ),
        Rule(  # wrapped behind its place at the width of a terminal
            "wrapped",
            ("error: ",),
            r"error: \S",
            DIAGNOSTIC - 1,
            only_after(r"\S.{0,300}\.(?:java|scala|kt|groovy):\d+:$", 1, join=True),
        ),
        Rule(  # Spring Boot says why in prose, below a banner
            "spring",
            ("APPLICATION FAILED TO START",),
            r"APPLICATION FAILED TO START",
            EXCEPTION,
            _described,
        ),
        Rule(
            "jvm",
            (
                "Could not find or load main class",
                "There is insufficient memory",
                "Could not create the Java Virtual Machine",
                "OutOfMemoryError",
            ),
            r".{0,200}(?:Could not find or load main class"
            r"|There is insufficient memory"
            r"|Could not create the Java Virtual Machine|java\.lang\.OutOfMemoryError)",
            FATAL + 6,
        ),
    ),
)
