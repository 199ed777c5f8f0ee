"""A QUERY PASSES THE TIERS, in this order; a later one only adds below what the earlier found."""

from typing import TYPE_CHECKING

from indexing.settings import Settings
from retrieval.tiers.exact import Exact
from retrieval.tiers.lexical import Lexical
from retrieval.tiers.pattern import Pattern

if TYPE_CHECKING:
    from indexing.overrides import Overrides
    from retrieval.tiers.interface import Tier


def tiers(settings: Settings, overrides: "Overrides | None" = None) -> "tuple[Tier, ...]":
    """The tiers in the order asked; what people decided of signatures counts in the first."""
    return (Exact(overrides), Pattern(), Lexical(settings))
