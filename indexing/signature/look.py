"""Ways to look around a line, for rules whose root is not the line that gives it away."""

import re
from collections.abc import Callable

from indexing.lazily import compiled
from indexing.signature.interface import Found, Lines

Locate = Callable[[Lines, int, re.Match[str]], Found | None]


def below(lines: Lines, index: int, pattern: str, within: int, stop: str = "") -> int | None:
    """The first line after `index`, at most `within` away, that matches; None if `stop` is."""
    wanted = compiled(pattern)
    for at in range(index + 1, min(index + 1 + within, len(lines))):
        line = lines[at]
        if wanted.match(line):
            return at
        if stop and compiled(stop).match(line):
            return None
    return None


def above(lines: Lines, index: int, pattern: str, within: int, stop: str = "") -> int | None:
    """The nearest line before `index`, at most `within` away, that matches."""
    wanted = compiled(pattern)
    for at in range(index - 1, max(index - 1 - within, -1), -1):
        line = lines[at]
        if wanted.match(line):
            return at
        if stop and compiled(stop).match(line):
            return None
    return None


def joining_below(pattern: str, within: int, stop: str = "") -> Locate:
    """The matched line is the root; the line below that matches is joined, if there is one."""

    def locate(lines: Lines, index: int, _: re.Match[str]) -> Found:
        at = below(lines, index, pattern, within, stop)
        return Found(index, () if at is None else (at,))

    return locate


def rooted_below(pattern: str, within: int, stop: str = "", join: bool = False) -> Locate:
    """The root is the line below that matches, else the matched line itself."""

    def locate(lines: Lines, index: int, _: re.Match[str]) -> Found:
        at = below(lines, index, pattern, within, stop)
        if at is None:
            return Found(index)
        return Found(at, (index,) if join else ())

    return locate


def only_before(pattern: str, within: int, join: bool = False, stop: str = "") -> Locate:
    """The matched line is a root only if a line that matches follows soon."""

    def locate(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
        at = below(lines, index, pattern, within, stop)
        if at is None:
            return None
        return Found(index, (at,) if join else ())

    return locate


def only_after(pattern: str, within: int, join: bool = False, stop: str = "") -> Locate:
    """The matched line is a root only if a line that matches stands shortly before it."""

    def locate(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
        at = above(lines, index, pattern, within, stop)
        if at is None:
            return None
        return Found(index, (at,) if join else ())

    return locate


def indent(line: str) -> int:
    """How many blanks the line begins with."""
    return len(line) - len(line.lstrip())
