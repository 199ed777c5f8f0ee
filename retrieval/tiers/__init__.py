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

VECTORS = ".vectors"


def tiers(settings: Settings, overrides: "Overrides | None" = None) -> "tuple[Tier, ...]":
    """The tiers in the order asked; what people decided of signatures counts in the first.

    The semantic tier takes in the lexical one, and is asked in its place.
    """
    sure = (Exact(overrides), Pattern())
    if settings.semantic:
        from retrieval.tiers.semantic import Semantic

        return (*sure, Semantic(settings))
    return (*sure, Lexical(settings))


def parts(
    settings: Settings,
    index: "Path | None" = None,
    on_progress: "Callable[[Progress], None] | None" = None,
) -> "tuple[Part, ...]":
    """What the tiers keep in an index.

    Args:
        settings: Of the lexical and the semantic tier.
        index: Beside it lie the vectors of texts that were encoded before; None: nowhere.
        on_progress: Called while texts are encoded.
    """
    always = (Exact(), Pattern(), Lexical(settings))
    if not settings.semantic:
        return always
    from retrieval.tiers.semantic import Semantic

    return (*always, Semantic(settings, None if index is None else index / VECTORS, on_progress))
