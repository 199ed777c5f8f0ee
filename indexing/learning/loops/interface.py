"""LoopReader: what the reader of one kind of loop history promises."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from indexing.learning.loop import Loop


class Unread(NamedTuple):
    """A part of a history that was not used: where and why."""

    file: str
    line: int
    reason: str


class LoopReader(Protocol):
    """Reads one kind of loop history; one file each."""

    name: str

    def accepts(self, path: Path) -> bool:
        """Whether the file, or the folder, is such a history. Never raises."""
        ...

    def read(self, path: Path, source: str) -> Iterator[Loop | Unread]:
        """The loops in it, and what of it could not be used.

        `source` is the path as lineage is to show it.

        Raises:
            UnreadableMemory: It cannot be read at all.
        """
        ...
