"""The rules by their literals: a tool's file is imported when a line holds one of them.

To import all of them takes longer than a lookup may take, and a log needs few. So `table.py` holds
the literals of all rules, and in which order rules are tried; `scripts/accept` writes it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from indexing.lazily import compiled
from indexing.signature import table
from indexing.signature.interface import Rule, ToolRules
from indexing.signature.literals import Literals
from indexing.signature.tools import TOOLS

LITERALS = Literals(table.PIECES, table.SELDOM)
HIGHEST: int = table.HIGHEST
"""No rule has a higher rank."""


def rules_for(line: str, literals: Iterable[str] = table.NEEDS) -> Iterator[tuple[Rule, ToolRules]]:
    """The rules of which the line holds one of the literals, in the order they are tried.

    Highest rank first, then by the tools' order. The generic ones come last: what a tool's own
    rules say of a line, they cannot overrule.
    """
    for place in _places(tuple(literal for literal in literals if literal in line)):
        tool, number = table.RULES[place]
        rules = TOOLS[tool]
        yield rules.rules[number], rules


@lru_cache(maxsize=1 << 10)
def _places(literals: tuple[str, ...]) -> Sequence[int]:
    """Which of `table.RULES` need one of these literals, in their order."""
    return sorted({place for each in literals for place in table.NEEDS.get(each, ())})


def why_not(line: str) -> str:
    """Why a line is no failure although it has the words of one; empty when it may be one."""
    for literal, tool, number in table.SKIPS:
        if literal in line:
            why, _, pattern = TOOLS[tool].skip[number]
            if compiled(pattern).search(line):
                return why
    return ""
