"""A LOOP'S HISTORY IS READ: one file per kind, all of them give the same `Loop`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from indexing.errors import MemError, UnreadableMemory
from indexing.learning.loop import Loop
from indexing.learning.loops.aiwg import Aiwg
from indexing.learning.loops.attempts import Attempts
from indexing.learning.loops.claude_code import ClaudeCode
from indexing.learning.loops.interface import LoopReader, Unread
from indexing.learning.loops.shipwright import Shipwright

__all__ = ["LOOPS", "LoopReader", "Unread", "homes", "read_loops"]

LOOPS: tuple[LoopReader, ...] = (Attempts(), Aiwg(), Shipwright(), ClaudeCode())
"""In the order tried."""

_NOT_WALKED = {".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", "index"}


def read_loops(path: Path, root: Path | None = None) -> Iterator[Loop | Unread]:
    """The loops of a file, or of a folder and all below it, in the order of their names.

    What cannot be read is given as `Unread`, and the rest is read all the same.

    Raises:
        UnreadableMemory: There is nothing there, or nothing in it is a loop's history.
    """
    if not path.exists():
        raise UnreadableMemory(f"{path}: is not there; correct the path")
    known = False
    for found, reader in _histories(path):
        known = True
        source = _named(found, root)
        try:
            yield from reader.read(found, source)
        except (MemError, OSError) as error:
            yield Unread(source, 0, " ".join(str(error).split()))
    if not known:
        kinds = ", ".join(reader.name for reader in LOOPS)
        raise UnreadableMemory(f"{path}: holds no loop history; known kinds: {kinds}")


def homes(root: Path, mem_dir: Path) -> list[Path]:
    """Where the known systems keep their histories, of those places that are there."""
    places = [
        mem_dir / "history.jsonl",
        root / ".aiwg" / "ralph",
        root / ".aiwg" / "ralph-external",
        root / ".claude" / "loop-logs",
        root / ".claude" / "loop-state.md",
        root / ".claude" / "pipeline-artifacts",
        root / "attempts.jsonl",
        *(home / "projects" / _project(root) for home in _claude_homes()),
    ]
    return [place for place in dict.fromkeys(places) if place.exists()]


def _claude_homes() -> Iterator[Path]:
    """Where Claude Code keeps its files: where it is told to, else in the home or its `.config`."""
    if told := os.environ.get("CLAUDE_CONFIG_DIR"):
        yield Path(told)
    yield Path("~/.claude").expanduser()
    yield Path("~/.config/claude").expanduser()


def _project(root: Path) -> str:
    """A project's folder is named by its path, letters and digits of it."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(root))


def _histories(path: Path) -> Iterator[tuple[Path, LoopReader]]:
    reader = next((reader for reader in LOOPS if reader.accepts(path)), None)
    if reader is not None:
        yield path, reader
        return
    if not path.is_dir():
        return
    try:
        inside = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in inside:
        try:
            is_folder = entry.is_dir()
        except OSError:  # a link that leads to itself
            continue
        # a link to a folder may lead back
        if not (is_folder and (entry.name in _NOT_WALKED or entry.is_symlink())):
            yield from _histories(Path(entry.path))


def _named(path: Path, root: Path | None) -> str:
    """Relative to `root`, or the last three parts: lineage goes into a file that is shared."""
    whole = path.absolute()
    if root is not None and whole.is_relative_to(root.absolute()):
        return whole.relative_to(root.absolute()).as_posix()
    return "/".join(path.parts[-3:]) if path.is_absolute() else path.as_posix()
