"""CHAPTERS THAT ARE KEPT: a memory file that has not changed is not read again.

    DIR/.chapters/<digest of the file's name>/
        chapter.json       what was read, of which file, by which program; checksums of the others
        rows, offsets, signatures, <part>.<file>

What is kept is what reading the file again would give, byte for byte: it counts for the same bytes
of a file of the same name, and for the very program that made it. It may be deleted at any time;
what is damaged is read anew. Small files are not kept: they are read in no time.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from indexing.chapters import Chapter, FileRead, Gathers, Pages, chapter_of
from indexing.entry import Source
from indexing.journal import Outcome
from indexing.plain import open_plain, read_plain
from indexing.readers.interface import Decided, Quarantined
from indexing.stores.generations import Buffer

WORTH = 1 << 20
"""A smaller file is not kept, in bytes."""
_SETTLED_NS = 2_000_000_000  # a file that was written later may change and keep its time
_TOLD = "chapter.json"


class Shelf(NamedTuple):
    """Where chapters are kept, and the digest of the program that may use them."""

    folder: Path
    program: str


def shelf_of(index: Path, parts: Iterable[Gathers]) -> Shelf:
    """The shelf of an index for what these parts gather."""
    made = hashlib.sha256()
    packages = {type(part).__module__.partition(".")[0] for part in parts}
    for package in sorted({*packages, __name__.partition(".")[0]}):
        file = sys.modules[package].__file__
        for path in sorted(Path(file).parent.rglob("*.py")) if file else ():
            made.update(path.read_bytes())
    for part in parts:
        made.update(repr((part.name, sorted(part.made_with().items()))).encode())
    return Shelf(index / ".chapters", made.hexdigest())


def chapter_from(
    shelf: Shelf, name: str, path: Path, spool: Path, parts: Sequence[Gathers], max_file_mb: int
) -> Chapter:
    """The file's chapter: the one that is kept, or a new one, which is then kept.

    Arguments are those of `chapter_of`.
    """
    before = _stamp(path)
    if before is None or not WORTH <= before[0] <= max_file_mb << 20:
        return chapter_of(name, path, spool, parts, max_file_mb)
    place = shelf.folder / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    with suppress(OSError, ValueError, KeyError, TypeError):  # damaged or none: read anew
        if (kept := _kept(place, shelf, name, path, before, parts)) is not None:
            return kept
    began = time.time_ns()
    chapter = chapter_of(name, path, spool, parts, max_file_mb)
    if chapter.pages is None or chapter.skipped or _stamp(path) != before:
        return chapter
    settled = before[1] < began - _SETTLED_NS
    try:
        return _keep(place, shelf, chapter, chapter.pages, before if settled else None, parts)
    except OSError:  # a disk that is full now; the chapter itself is whole
        return chapter


def tidy(shelf: Shelf, names: Iterable[str]) -> None:
    """Removes chapters of files that are no longer read."""
    kept = {
        hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32] for name in names
    }
    with suppress(OSError):
        for path in shelf.folder.iterdir():
            if path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of change; None when the file cannot be looked at."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _kept(
    place: Path,
    shelf: Shelf,
    name: str,
    path: Path,
    stamp: tuple[int, int],
    parts: Sequence[Gathers],
) -> Chapter | None:
    told: dict[str, Any] = json.loads(read_plain(place / _TOLD))
    source = told["source"]
    if (told["program"], source["file"], source["size"]) != (shelf.program, name, stamp[0]):
        return None
    if told["stamp"] != list(stamp) and source["sha256"] != _sha256(path):
        return None
    files = {}
    for file, sha in told["files"].items():
        if file == "rows":
            if _sha256(place / file) != sha:
                return None
            continue
        files[file] = read_plain(place / file)
        if hashlib.sha256(files[file]).hexdigest() != sha:
            return None
    offsets = array("Q")
    offsets.frombytes(files["offsets"])
    gathered = tuple(
        {
            file.removeprefix(f"{part.name}."): data
            for file, data in files.items()
            if file.startswith(f"{part.name}.")
        }
        for part in parts
    )
    pages = Pages(
        place / "rows", offsets, told["ids"], told["times"], files["signatures"], gathered
    )
    credits = [(Outcome(*outcome), count, Source(*by)) for outcome, count, by in told["credits"]]
    return Chapter(
        FileRead(*told["read"]),
        source,
        pages,
        (),
        tuple(Quarantined(Source(*where), *rest) for where, *rest in told["quarantined"]),
        {outcome: count for outcome, count, _ in credits},
        {outcome: by for outcome, _, by in credits},
        told["unmatched"],
        tuple(Decided(Source(*where), *rest) for where, *rest in told["decided"]),
    )


def _keep(
    place: Path,
    shelf: Shelf,
    chapter: Chapter,
    pages: Pages,
    stamp: tuple[int, int] | None,
    parts: Sequence[Gathers],
) -> Chapter:
    """The same chapter, whose rows are now kept."""
    new = place.with_name(f"{place.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        files: dict[str, Buffer] = {
            "offsets": pages.offsets.tobytes(),
            "signatures": pages.signatures,
        }
        for part, gathered in zip(parts, pages.gathered, strict=True):
            files |= {f"{part.name}.{file}": data for file, data in gathered.items()}
        for file, data in files.items():
            (new / file).write_bytes(data)
        told = {
            "program": shelf.program,
            "stamp": stamp,
            "source": chapter.source,
            "read": chapter.read,
            "quarantined": chapter.quarantined,
            "credits": [
                (outcome, count, chapter.credited_by[outcome])
                for outcome, count in chapter.credits.items()
            ],
            "unmatched": chapter.unmatched,
            "decided": chapter.decided,
            "files": {
                "rows": _sha256(pages.spool),
                **{file: hashlib.sha256(data).hexdigest() for file, data in files.items()},
            },
            "ids": pages.ids,
            "times": pages.times,
        }
        (new / _TOLD).write_text(json.dumps(told), encoding="ascii")
        shutil.rmtree(place, ignore_errors=True)
        os.link(pages.spool, new / "rows")
        new.rename(place)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return chapter


def _sha256(path: Path) -> str:
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
