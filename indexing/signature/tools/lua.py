"""lua, busted, luacheck: `Failure → file @ 3` and the reason; `lua: file.lua:3: message`."""

import re

from indexing.signature.interface import DIAGNOSTIC, EXCEPTION, Found, Lines, Rule, ToolRules
from indexing.signature.look import below


def _busted(lines: Lines, index: int, _: re.Match[str]) -> Found:
    title = below(lines, index, r"\S", 1)
    at = None if title is None else below(lines, title, r"\S", 2)
    if title is None or at is None:
        return Found(index)
    return Found(at, (title,))


RULES = ToolRules(
    tool="lua",
    known_by=r"\bbusted\b|\bluacheck\b|\bluarocks\b|\.lua:\d+",
    command=r"(?:lua[\d.]*|luajit|busted|luacheck|luarocks)",
    rules=(
        Rule(
            "busted",
            ("Failure \u2192 ", "Error \u2192 ", "Failure -> ", "Error -> "),
            r"(?:Failure|Error) (?:\u2192|->) \S+.{0,80} @ \d+$",
            DIAGNOSTIC,
            _busted,
        ),
        Rule(
            "luacheck",
            (".lua:",),
            r"\s*\S+\.lua:\d+:\d+(?:-\d+)?: \([EW]\d{3}\) ",
            DIAGNOSTIC - 6,
        ),
        Rule(
            "error",
            (".lua:",),
            r"(?:lua[\d.]*|luajit|busted): \S{1,300}\.lua:\d+: \S",
            EXCEPTION,
        ),
    ),
)
