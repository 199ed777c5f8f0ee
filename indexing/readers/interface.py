"""Reader: what a memory format's reader promises, and what it may find."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from indexing.entry import Entry, Source
from indexing.journal import Outcome


class Quarantined(NamedTuple):
    """A record that was not used: where, why, and its text without secrets, cut when long."""

    source: Source
    reason: str
    record: str


class Credit(NamedTuple):
    """An outcome of an entry that some other file holds."""

    source: Source
    outcome: Outcome


class Decided(NamedTuple):
    """What somebody decided of patterns: `op` is `merge`, `split`, `archive`, `restore`, `undo`."""

    source: Source
    id: str
    op: str
    at: str
    values: Mapping[str, Any]


class Spoken(NamedTuple):
    """The lines of one journal, or of a part: how many, their bytes, and of what they speak.

    Of each id that a line speaks of the key (u32), where the line begins (u64), its number (u32),
    in the order of the lines.
    """

    lines: int
    size: int
    keys: "array[int]"
    offsets: "array[int]"
    numbers: "array[int]"


Told = Entry | Quarantined | Credit | Decided
"""What a reader tells."""


class Reader(Protocol):
    """Reads one memory format; one file each.

    `signs` says that its signatures come from `sign`, so that nobody need sign them again.
    """

    name: str
    signs: bool

    def accepts(self, path: Path) -> bool:
        """Whether the file is of this format, by its name or, if that says too little, its head.

        Never raises; a folder is not accepted.
        """
        ...

    def read(self, path: Path, source: str) -> Iterator[Told]:
        """The file's entries in its order, and the records that are none.

        One bad record costs only itself. `source` is the file's name as entries are to show it.

        Raises:
            UnreadableMemory: The file as a whole cannot be read; nothing was yielded.
        """
        ...


_Job = TypeVar("_Job")
_Done = TypeVar("_Done")


class Spread(Protocol):
    """As `map`; the jobs may be done by other processes."""

    def __call__(self, do: Callable[[_Job], _Done], jobs: Iterable[_Job], /) -> Iterator[_Done]:
        """What is made of each job, in their order."""
        ...


class Section(Protocol):
    """A memory file or a part of it, which can be sent to another process and read there."""

    def read(self) -> Iterator[Told | Spoken]:
        """What it tells; of a journal one section tells what all lines speak of."""
        ...


@runtime_checkable
class Divides(Reader, Protocol):
    """A reader that can divide a file."""

    def whole(self, path: Path, source: str) -> Section:
        """The file in one section."""
        ...

    def sections(self, path: Path, source: str, size: int, spread: Spread) -> Sequence[Section]:
        """Parts of about `size` bytes, which together tell what `read` tells; empty: read it whole.

        Raises:
            UnreadableMemory: The file as a whole cannot be read.
        """
        ...
