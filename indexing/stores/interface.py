"""Store: where the rows lie, and what a tier may ask of it."""

from collections.abc import Callable, Mapping, Sequence

from indexing.entry import Entry
from indexing.recipe import Recipe
from indexing.typed import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import TypeVar

    Made = TypeVar("Made")


class Segment(Protocol):
    """Rows that were written at once, numbered from 0 in the order of the store."""

    @property
    def dead(self) -> Sequence[int]:
        """Those of its rows that the store has no more, ascending."""

    def __len__(self) -> int:
        """How many rows it has, dead ones too."""

    def part(self, name: str) -> Mapping[str, memoryview]:
        """What the part of that name built: file name to its bytes, mapped and not copied."""

    def kept(self, name: str, of: object, make: "Callable[[], Made]") -> "Made":
        """What `make` gave when it was last asked for `name` with an equal `of`.

        For what a tier derives from the files, and does not want to derive for each query.
        """


class Store(Protocol):
    """An index that is ready to be asked.

    Rows are numbered from 0, newest `captured_at` first and then by `id`, so that of two rows the
    smaller number wins a tie. They lie in segments: one, or a base and what came since.
    """

    recipe: Recipe

    @property
    def segments(self) -> Sequence[Segment]:
        """Where the rows lie, each row that is not dead in one of them."""

    def __len__(self) -> int:
        """How many rows there are."""

    def entry(self, row: int) -> Entry:
        """The entry in `row`."""

    def signed(self, sig_sha: str) -> Sequence[int]:
        """The rows whose signature is `sig_sha` (hex), smallest first; empty when there is none."""

    def place(self, row: int) -> tuple[int, int]:
        """In which segment a row lies, and which of its rows it is."""

    def before(self, row: int) -> Sequence[int]:
        """How many rows of each segment, dead ones too, come before a row of the store."""

    def row(self, segment: int, row: int) -> int | None:
        """The row of the store that a segment's row is; None when it is dead."""
