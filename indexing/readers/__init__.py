"""A memory file becomes entries: one file per format."""

import os
from collections.abc import Iterator
from pathlib import Path

from indexing.errors import UnreadableMemory
from indexing.plain import odd, read_plain
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
    """The reader of the file's format; None when nobody knows it, or it is no plain file."""
    if not path.is_file():
        return None  # to look into a pipe is to wait
    return next((reader for reader in READERS if reader.accepts(path)), None)


def memory_files(path: Path) -> Iterator[Path]:
    """The file itself, or the files in a folder and below, in order of their names.

    Passed over are version control, installed packages, indexes, locks, and hidden and temporary
    files; hidden folders are not. So that they do not go unnoticed, what is no plain file is given
    too, and so is a folder that cannot be listed, or is a link: links are not followed to folders.

    Raises:
        UnreadableMemory: There is nothing there, or what is there is neither file nor folder.
    """
    if what := odd(path):
        raise UnreadableMemory(f"{path}: {what}; correct the path")
    if not path.is_dir():
        yield path
        return
    unlisted: list[str] = []
    for folder, folders, names in os.walk(
        path, onerror=lambda error: unlisted.append(error.filename)
    ):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _is_passed_over(here / name))
        linked = [name for name in folders if (here / name).is_symlink()]
        yield from (here / name for name in sorted([*names, *linked]) if _is_kept(name))
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
        pointed = read_plain(folder / "CURRENT")[:64].decode("ascii").strip()
    except (OSError, ValueError):
        return False
    return bool(pointed) and (folder / pointed).is_dir()
