"""elixir, mix, ExUnit: `** (Error) message`; numbered failures with the reason below."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    SUMMARY,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
    numbered,
)
from indexing.signature.look import below, only_before


def _test(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """Below the title stands its place, then the reason; a comparison is joined to its code."""
    place = below(lines, index, r"\s+\S+\.exs?:\d+$", 2)
    said = below(lines, index if place is None else place, r"\s{4,}\S", 2)
    if said is None:
        return Found(index)
    code = below(lines, said, r"\s+code: ", 3, r"\s{2}\d+\) ")
    return Found(said, (index,) if code is None else (code, index))


RULES = ToolRules(
    tool="elixir",
    known_by=r"\bmix (?:test|compile|deps)|\(ExUnit|\.exs?:\d+|^Compiling \d+ files? \(\.ex\)",
    command=r"(?:mix|elixir|iex)",
    rules=(
        Rule(
            "test",
            (*numbered(end=") test "), ") property ", ") doctest ", ") feature "),
            r"\s{1,4}\d{1,4}\) (?:test|property|doctest|feature) .{1,300} \([\w.]{1,200}\)$",
            DIAGNOSTIC,
            _test,
        ),
        Rule(
            "compile",
            ("error: ",),
            r"\s*error: \S",
            DIAGNOSTIC - 1,
            only_before(r"\s*(?:\u2514\u2500 )?\S+\.(?:exs?|eex|leex|heex):\d+", 8),
            True,
        ),
        Rule("raised", ("** (",), r"\s*\*\* \((?!Mix\b|exit\b|EXIT\b)[\w.]{1,200}\) \S", EXCEPTION),
        Rule("mix", ("** (Mix",), r"\*\* \(Mix(?:\.\w+)?\) \S", FATAL),
        Rule("exit", ("** (exit)", "** (EXIT"), r"\s*\*\* \((?:exit\)|EXIT)", FATAL - 2),
        Rule("dialyzer", (".ex:",), r"lib/\S+\.ex:\d+:\w+$", DIAGNOSTIC - 6, None, True),
        Rule("total", (" failure",), r"\d+ tests?, [1-9]\d* failures?", SUMMARY - 4, None, True),
        Rule("compilation", ("== Compilation error",), r"== Compilation error", TRAILER + 4),
    ),
)
