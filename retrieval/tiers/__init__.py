"""A QUERY PASSES THE TIERS, in this order; a later one only adds below what the earlier found."""

from indexing.settings import Settings
from indexing.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from indexing.build import Part, Progress
    from indexing.overrides import Overrides
    from retrieval.tiers.interface import Tier
    from retrieval.tiers.lexical import Lexical
    from retrieval.tiers.semantic import Semantic

SEMANTIC = "semantic"
"""The name of the tier that is only there when it is asked for."""
VECTORS = ".vectors"
"""Where an index keeps the vectors of texts that were encoded before."""


def tiers(settings: Settings, overrides: "Overrides | None" = None) -> "tuple[Tier, ...]":
    """The tiers in the order asked; what people decided of signatures counts in the first."""
    return tuple(in_turn(settings, overrides))


def in_turn(settings: Settings, overrides: "Overrides | None" = None) -> "Iterator[Tier]":
    """The same, each imported when its turn comes: most lookups end before the last."""
    from retrieval.tiers.exact import Exact

    yield Exact(overrides)
    from retrieval.tiers.pattern import Pattern

    yield Pattern()
    yield asked_last(settings)


def asked_last(settings: Settings) -> "Lexical | Semantic":
    """The semantic tier, which takes in the lexical one, where vectors are compared; else that."""
    if settings.semantic:
        from retrieval.tiers.semantic import Semantic

        return Semantic(settings)
    from retrieval.tiers.lexical import Lexical

    return Lexical(settings)


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
    always = tiers(settings._replace(semantic=0))
    if not settings.semantic:
        return always
    from retrieval.tiers.semantic import Semantic

    return (*always, Semantic(settings, kept, on_progress))
