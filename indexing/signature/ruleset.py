"""The rules by their literals: a tool's file is imported when a line holds one of them.

To import all of them takes longer than a lookup may take, and a log needs few. So `table.py` holds
the literals of all rules, and in which order rules are tried; `scripts/accept` writes it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain

from indexing.lazily import compiled
from indexing.signature import table
from indexing.signature.interface import Rule, ToolRules, may_hold
from indexing.signature.literals import Literals, Prepared
from indexing.signature.tools import TOOLS
from indexing.signature.tools.generic import SUCCESS
from indexing.typed import Any

LITERALS = Literals(Prepared(table.WORDS, table.HEADS, table.TAILS, table.PIECES))
HIGHEST: int = table.HIGHEST
"""No rule has a higher rank."""


def places_for(line: str, literals: Iterable[str] = table.NEEDS) -> Sequence[int]:
    """The places of the rules of which the line holds a literal, in the order of trying.

    The highest rank comes first, then it goes by the tools' order. The generic ones come last: what
    a tool's own rules say of a line, they cannot overrule.
    """
    return _needing(tuple([literal for literal in literals if literal in line]))


def rules_at(places: Iterable[int], line: str) -> Iterator[tuple[Rule, ToolRules]]:
    """The rules at these places that may match the line: it holds what stands in all they match.

    A tool's file is imported when its rule's turn comes.
    """
    return (_rule_at(place) for place in places if may_hold(line, table.HELD[place]))


@lru_cache(maxsize=1 << 10)
def _needing(literals: tuple[str, ...]) -> Sequence[int]:
    return sorted({place for each in literals for place in table.NEEDS.get(each, ())})


@cache
def _rule_at(place: int) -> tuple[Rule, ToolRules]:
    """The rule at a place, and its tool's, whose file is imported."""
    tool, number = table.RULES[place]
    rules = TOOLS[tool]
    return rules.rules[number], rules


def kind_of(line: str) -> bytes:
    """The same for lines in which only digits differ, none of them a 0.

    To most rules lines of a kind are alike, see `are_alike`: a 0 is no failure, any other number
    may be one.
    """
    return line.encode("utf-8", "surrogatepass").translate(_ALIKE)


_ALIKE = bytes.maketrans(b"23456789", b"1" * 8)


def are_alike(places: Iterable[int]) -> bool:
    """Whether the rules at these places take all lines of a kind for a failure, or none."""
    return table.UNLIKE.isdisjoint(places)


def why_not(line: str) -> str:
    """Why a line is no failure although it has the words of one; empty when it may be one."""
    skip = skip_of(line)
    return skip[0] if skip else ""


def skip_of(line: str) -> tuple[str, str, str] | None:
    """The first of all tools' `skip` that holds for a line; None when it may be a failure."""
    skips = (TOOLS[tool].skip[number] for tool, number in _shown(line, table.SKIPS))
    return next((skip for skip in skips if is_skipped(line, skip)), None)


def is_skipped(line: str, skip: tuple[str, str, str]) -> bool:
    """Whether one of the tools' `skip` holds for a line."""
    _, literal, pattern = skip
    return literal in line and compiled(pattern).search(line) is not None


def says_success(line: str) -> bool:
    """Whether by the line a run says, at its end, that nothing failed."""
    places = _shown(line, table.SUCCESS)
    return any(compiled(_LEVEL + SUCCESS[place]).match(line) for place in places)


_LEVEL = r"(?:\[(?:INFO|info|success)\] )?"


def _shown(line: str, places: Mapping[str, Iterable[Any]]) -> list[Any]:
    """The places, in order, of the texts that the line holds."""
    return sorted(chain(*map(places.__getitem__, filter(line.__contains__, places))))
