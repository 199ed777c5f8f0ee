"""What an index was made with; tells a stale one.

An index answers with the rules that made it. Read with other rules it would answer wrongly and
say nothing, so that an index carries its recipe and a reader compares it with today's.
"""

from collections.abc import Iterable, Mapping

from indexing.errors import StaleRecipe
from indexing.signature import ruleset_digest
from indexing.typed import Any, NamedTuple, Protocol

FORMAT = 3
REBUILD = "run `mem index rebuild`"

MadeWith = Mapping[str, str | int | float]


class Made(Protocol):
    """A part of an index that can say what it is made with."""

    name: str

    def made_with(self) -> MadeWith:
        """All that decides its bytes beside the entries; compared when the index is asked."""


class Recipe(NamedTuple):
    """`format` counts the layouts of the files; `parts` holds what each part was made with."""

    format: int
    ruleset: str
    parts: Mapping[str, MadeWith]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, part names in order."""
        parts = {name: dict(sorted(self.parts[name].items())) for name in sorted(self.parts)}
        return {"format": self.format, "ruleset": self.ruleset, "parts": parts}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Recipe":
        """The recipe that `as_dict` wrote."""
        parts = {str(name): dict(made_with) for name, made_with in values["parts"].items()}
        return Recipe(int(values["format"]), str(values["ruleset"]), parts)


def today(parts: Iterable[Made]) -> Recipe:
    """What an index made now with these parts is made with."""
    return Recipe(FORMAT, ruleset_digest(), {part.name: part.made_with() for part in parts})


def refuse_other(found: Recipe, wanted: Recipe, where: str) -> None:
    """Nothing, when an index of recipe `found` answers as one of recipe `wanted` would.

    An index may hold parts that nobody asks for; one that is asked for must be there.

    Raises:
        StaleRecipe: Naming what differs and the command that mends it.
    """
    if found.ruleset != wanted.ruleset:
        raise StaleRecipe(
            f"{where}: made with signature rules {found.ruleset[:12]},"
            f" today's are {wanted.ruleset[:12]}; {REBUILD}"
        )
    for name, made_with in wanted.parts.items():
        if name not in found.parts:
            raise StaleRecipe(f"{where}: made without the part '{name}'; {REBUILD}")
        if dict(found.parts[name]) != dict(made_with):
            raise StaleRecipe(f"{where}: its part '{name}' was made in another way; {REBUILD}")
