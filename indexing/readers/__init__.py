"""A memory file becomes entries: one file per format."""

import os
from collections.abc import Iterator
from pathlib import Path

from indexing.errors import UnreadableMemory
from indexing.readers.aiwg import Aiwg
from indexing.readers.interface import Credit, Decided, Quarantined, Reader
from indexing.readers.journal import Journal
from indexing.readers.shipwright import Shipwright

__all__ = ["READERS", "Credit", "Decided", "Quarantined", "Reader", "memory_files", "reader_of"]

READERS: tuple[Reader, ...] = (Journal(), Shipwright(), Aiwg())
"""In the order tried; both others have a `success-patterns.json`, in which each looks."""

_NOT_WALKED = {".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"}
_LEFT_BEHIND = (".lock", ".tmp", ".swp", ".part", "~")


def reader_of(path: Path) -> Reader | None:
    """The reader of the file's format; None when nobody knows it."""
    return next((reader for reader in READERS if reader.accepts(path)), None)


def memory_files(path: Path) -> Iterator[Path]:
    """The file itself, or the files in a folder and below, in order of their names.

    Passed over are version control, installed packages, indexes, locks, and hidden and temporary
    files; hidden folders are not. A folder that cannot be listed is given itself, so that it does
    not go unnoticed.

    Raises:
        UnreadableMemory: There is nothing there, or what is there is neither file nor folder.
    """
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        what = "is neither a file nor a folder" if path.exists() else "is not there"
        raise UnreadableMemory(f"{path}: {what}; correct the path")
    unlisted: list[str] = []
    for folder, folders, names in os.walk(
        path, onerror=lambda error: unlisted.append(error.filename)
    ):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _is_passed_over(here / name))
        for name in sorted(names):
            if _is_kept(name) and (here / name).is_file():
                yield here / name
    yield from map(Path, sorted(unlisted))


def _is_kept(name: str) -> bool:
    return not name.startswith((".", "#")) and not name.endswith(_LEFT_BEHIND)


def _is_passed_over(folder: Path) -> bool:
    if folder.name in _NOT_WALKED:
        return True
    return (folder.name == "index" and folder.parent.name == ".mem") or _is_index(folder)


def _is_index(folder: Path) -> bool:
    """An index has a pointer file that names a generation beside it."""
    try:
        pointed = (folder / "CURRENT").read_bytes()[:64].decode("ascii").strip()
    except (OSError, ValueError):
        return False
    return bool(pointed) and (folder / pointed).is_dir()
