"""Store: where the rows lie, and what a tier may ask of it."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from indexing.entry import Entry
from indexing.recipe import Recipe


class Store(Protocol):
    """An index that is ready to be asked.

    Rows are numbered from 0, newest `captured_at` first and then by `id`, so that of two rows the
    smaller number wins a tie.
    """

    recipe: Recipe

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def entry(self, row: int) -> Entry:
        """The entry in `row`."""
        ...

    def signed(self, sig_sha: str) -> Sequence[int]:
        """The rows whose signature is `sig_sha` (hex), smallest first; empty when there is none."""
        ...

    def part(self, name: str) -> Mapping[str, memoryview]:
        """What the part of that name built: file name to its bytes, mapped and not copied."""
        ...
