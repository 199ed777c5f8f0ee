"""Python: the exception's own line, at the end of its traceback."""

import re

from indexing.lazily import expression
from indexing.signature.interface import EXCEPTION, FATAL, Found, Lines, Rule, ToolRules
from indexing.signature.look import above, only_after

_EXCEPTION = expression(
    r"(?:[A-Za-z_]\w{0,60}\.){0,12}(?!WARNING|ERROR|INFO|DEBUG"
    r"|CRITICAL)[A-Za-z_]\w{0,100}(?::\s|:?$)"
)
_FILE = r"\s*File \".{1,400}\", line \d"
_NEVER_WHY = ("raise ", "return ", "File ")


def exception_below(lines: Lines, index: int, at: int) -> int | None:
    """The line of the exception that ends the traceback headed by line `index`, column `at`."""
    prefix = lines[index][:at]
    for below in range(index + 1, min(index + 600, len(lines))):
        line = lines[below]
        if prefix.strip():
            if line[:4] != prefix[:4] or len(line) <= at:
                continue
            line = line[at:]
        elif at:
            line = line[at:] if not line[:at].strip() else line.lstrip()
        if not line.strip() or line.startswith((" ", "\t")):
            continue
        line = line.removeprefix("| ").removeprefix("+ ")
        if _EXCEPTION.match(line) and not line.startswith(_NEVER_WHY):
            return below
        return None
    return None


def _traceback(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """The first of a chain is the innermost: what came while handling it is its consequence."""
    found = exception_below(lines, index, match.start("head"))
    if found is None:
        return None
    if re.search(
        r"\b(?:AssertionError|KeyError: .{0,40}|IndexError.{0,60}|StopIteration)$", lines[found]
    ):
        frame = above(lines, found, r"\s*File \"", 12)
        return Found(found, () if frame is None else (frame,))
    return Found(found)


RULES = ToolRules(
    tool="python",
    known_by=r"Traceback \(most recent call last\)|^\s+File \".+\", line \d+",
    command=r"(?:python|python3|pypy3?|py)",
    rules=(
        Rule(
            "traceback",
            ("Traceback (most recent call last)",),
            r"(?P<lead>(?![.sxEF]+T).{0,200}?)(?P<head>(?:Exception Group )?Traceback "
            r"\(most recent call last\))",
            EXCEPTION,
            _traceback,
        ),
        Rule(
            "syntax",
            ("SyntaxError: ", "IndentationError: ", "TabError: "),
            r"(?:SyntaxError|IndentationError|TabError): ",
            EXCEPTION + 1,
            only_after(_FILE, 6),
        ),
        Rule(  # the head of its traceback was cut off, or stands elsewhere
            "frame",
            ("Error", "Exception"),
            r"(?:[A-Za-z_]\w{0,60}\.){0,12}[A-Z]\w{0,100}(?:Error|Exception)(?:: \S|$)",
            EXCEPTION - 1,
            only_after(_FILE, 4, stop=r"\S"),
        ),
        Rule(
            "module",
            ("No module named",),
            r"\S*python\S*: No module named",
            EXCEPTION,
        ),
        Rule("open", ("can't open file",), r"\S*python\S*: can't open file", EXCEPTION),
        Rule(
            "argparse",
            (": error: ",),
            r"[\w.-]{1,40}: error: (?:the following arguments|unrecognized arguments"
            r"|argument |invalid choice)",
            FATAL,
        ),
    ),
)
