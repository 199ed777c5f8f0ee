"""A QUERY PASSES THE TIERS, in this order; a later one only adds below what the earlier found."""

from typing import TYPE_CHECKING

from indexing.settings import Settings
from retrieval.tiers.exact import Exact
from retrieval.tiers.lexical import Lexical
from retrieval.tiers.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexing.build import Part, Progress
    from indexing.overrides import Overrides
    from retrieval.tiers.interface import Tier
    from retrieval.tiers.semantic import Semantic

VECTORS = ".vectors"
"""Where an index keeps the vectors of texts that were encoded before."""


def tiers(settings: Settings, overrides: "Overrides | None" = None) -> "tuple[Tier, ...]":
    """The tiers in the order asked; what people decided of signatures counts in the first.

    The semantic tier takes in the lexical one, and is asked in its place.
    """
    sure = (Exact(overrides), Pattern())
    return (*sure, asked_last(settings))


def asked_last(settings: Settings) -> "Lexical | Semantic":
    """The semantic tier where vectors are to be compared, else the lexical one."""
    if not settings.semantic:
        return Lexical(settings)
    from retrieval.tiers.semantic import Semantic

    return Semantic(settings)


def parts(
    settings: Settings,
    kept: "Path | None" = None,
    on_progress: "Callable[[Progress], None] | None" = None,
) -> "tuple[Part, ...]":
    """What the tiers keep in an index.

    Args:
        settings: Of the lexical and the semantic tier.
        kept: Where the vectors of texts lie that were encoded before; None: nowhere.
        on_progress: Called while texts are encoded.
    """
    always = (Exact(), Pattern(), Lexical(settings))
    if not settings.semantic:
        return always
    from retrieval.tiers.semantic import Semantic

    return (*always, Semantic(settings, kept, on_progress))
