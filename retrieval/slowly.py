"""Where the index cannot be used: the same failure, found in the memory files themselves."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from indexing.build import build_index
from indexing.settings import Settings
from indexing.stores.local import LocalStore
from retrieval.hit import Hit
from retrieval.query import Query
from retrieval.search import search
from retrieval.tiers.exact import Exact

if TYPE_CHECKING:
    from indexing.overrides import Overrides


def lookup(
    query: Query,
    memory: Sequence[Path],
    limit: int,
    settings: Settings = Settings(),
    overrides: "Overrides | None" = None,
    root: Path | None = None,
) -> list[Hit]:
    """The hits of the first tier, as an index of these memory files would give them.

    All of them are read, into an index that is gone afterwards: as slow as a rebuild, and as sure.

    Args:
        query: What is known of the failure at hand.
        memory: Files and folders.
        limit: So many hits at most, from 1.
        settings: Those of the index.
        overrides: What people decided of signatures.
        root: Files below it are named relative to it.

    Raises:
        UnreadableMemory: None of the memory can be read.
        BadIndex: The disk does not take it.
    """
    exact = Exact(overrides)
    # where a mapped file cannot be removed, the system does it some day
    with TemporaryDirectory(prefix="oncebitten-", ignore_cleanup_errors=True) as folder:
        build_index(memory, Path(folder), [exact], settings, root=root)
        store = LocalStore.open(Path(folder))
        return search(query, store, [exact], limit, settings.min_score, settings.abstain_below)
