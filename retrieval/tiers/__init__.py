"""A QUERY PASSES THE TIERS, in this order; a later one only adds below what the earlier found."""

from indexing.settings import Settings
from indexing.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexing.overrides import Overrides
    from retrieval.tiers.interface import Tier


def tiers(settings: Settings, overrides: "Overrides | None" = None) -> "tuple[Tier, ...]":
    """The tiers in the order asked; what people decided of signatures counts in the first."""
    return tuple(in_turn(settings, overrides))


def in_turn(settings: Settings, overrides: "Overrides | None" = None) -> "Iterator[Tier]":
    """The same, each imported when its turn comes: most lookups end before the last."""
    from retrieval.tiers.exact import Exact

    yield Exact(overrides)
    from retrieval.tiers.pattern import Pattern

    yield Pattern()
    from retrieval.tiers.lexical import Lexical

    yield Lexical(settings)
