"""A QUERY PASSES THE TIERS, in this order; a later one only adds below what the earlier found."""

from typing import TYPE_CHECKING

from indexing.settings import Settings
from retrieval.tiers.exact import Exact
from retrieval.tiers.lexical import Lexical

if TYPE_CHECKING:
    from retrieval.tiers.interface import Tier


def tiers(settings: Settings) -> "tuple[Tier, ...]":
    """The tiers in the order asked."""
    return (Exact(), Lexical(settings))
