"""CHAPTERS THAT ARE KEPT: a memory file that has not changed is not read again.

    DIR/.chapters/<digest of the file's name>/
        chapter.json       what was read, of which file, by which program; checksums of the others
        spoken             what the lines of a journal speak of
        rows, offsets, signatures, <part>.<file>
        1.rows, …          of the file's second section, where it was read in some

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
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from indexing.chapters import Chapter, FileRead, Files, Gathers, Pages, chapter_of
from indexing.entry import Source
from indexing.journal import Outcome
from indexing.plain import open_plain, read_plain
from indexing.readers.interface import Decided, Quarantined, Spoken, Spread

WORTH = 1 << 20
"""A smaller file is not kept, in bytes."""
_SETTLED_NS = 2_000_000_000  # a file that was written later may change and keep its time
_TOLD = "chapter.json"
_SPOKEN = "spoken"


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
    shelf: Shelf,
    name: str,
    path: Path,
    spool: Path,
    parts: Sequence[Gathers],
    max_file_mb: int,
    spread: Spread | None = None,
    shares: int = 1,
) -> Chapter:
    """The file's chapter: the one that is kept, or a new one, which is then kept.

    Arguments are those of `chapter_of`.
    """
    before = _stamp(path)
    if before is None or not WORTH <= before[0] <= max_file_mb << 20:
        return chapter_of(name, path, spool, parts, max_file_mb, spread, shares)
    place = shelf.folder / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    # one that is damaged, or none, is read anew
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        if (kept := _kept(place, shelf, name, path, before, parts)) is not None:
            return kept
    began = time.time_ns()
    chapter = chapter_of(name, path, spool, parts, max_file_mb, spread, shares)
    if chapter.read is None or chapter.skipped or _stamp(path) != before:
        return chapter
    settled = before[1] < began - _SETTLED_NS
    try:
        return _keep(place, shelf, chapter, before if settled else None, parts)
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
    pages = []
    for number, page in enumerate(told["pages"]):
        found = _kept_pages(place, _prefix(number), page, parts)
        if found is None:
            return None
        pages.append(found)
    credits = [(Outcome(*outcome), count, Source(*by)) for outcome, count, by in told["credits"]]
    return Chapter(
        FileRead(*told["read"]),
        source,
        tuple(pages),
        (),
        tuple(Quarantined(Source(*where), *rest) for where, *rest in told["quarantined"]),
        {outcome: count for outcome, count, _ in credits},
        {outcome: by for outcome, _, by in credits},
        told["unmatched"],
        tuple(Decided(Source(*where), *rest) for where, *rest in told["decided"]),
        _kept_spoken(place, told["spoken"]),
    )


def _kept_spoken(place: Path, told: Mapping[str, Any] | None) -> Spoken | None:
    """What was kept of what lines speak of; `ValueError` when it is damaged."""
    if told is None:
        return None
    data = read_plain(place / _SPOKEN)
    if hashlib.sha256(data).hexdigest() != told["sha256"]:
        raise ValueError(_SPOKEN)
    keys, offsets, numbers = array("I"), array("Q"), array("I")
    count = len(data) // 16
    keys.frombytes(data[: 4 * count])
    offsets.frombytes(data[4 * count : 12 * count])
    numbers.frombytes(data[12 * count :])
    return Spoken(told["lines"], told["size"], keys, offsets, numbers)


def _prefix(number: int) -> str:
    return f"{number}." if number else ""


def _kept_pages(
    place: Path, prefix: str, told: Mapping[str, Any], parts: Sequence[Gathers]
) -> Pages | None:
    """The pages whose files have this prefix; None when one is damaged."""
    paths = {file: place / f"{prefix}{file}" for file in told["files"]}
    if any(_sha256(path) != told["files"][file] for file, path in paths.items()):
        return None
    offsets = array("Q")
    offsets.frombytes(read_plain(paths["offsets"]))
    gathered = tuple(
        Files(
            {
                file.removeprefix(f"{part.name}."): path
                for file, path in paths.items()
                if file.startswith(f"{part.name}.")
            }
        )
        for part in parts
    )
    signatures = read_plain(paths["signatures"])
    return Pages(paths["rows"], offsets, told["ids"], told["times"], signatures, gathered)


def _keep(
    place: Path,
    shelf: Shelf,
    chapter: Chapter,
    stamp: tuple[int, int] | None,
    parts: Sequence[Gathers],
) -> Chapter:
    """The same chapter, whose rows are now kept."""
    new = place.with_name(f"{place.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
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
            "spoken": _keep_spoken(new, chapter.spoken),
            "pages": [
                _keep_pages(new, _prefix(number), pages, parts)
                for number, pages in enumerate(chapter.pages)
            ],
        }
        (new / _TOLD).write_text(json.dumps(told), encoding="ascii")
        shutil.rmtree(place, ignore_errors=True)
        new.rename(place)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return chapter


def _keep_spoken(folder: Path, spoken: Spoken | None) -> dict[str, Any] | None:
    """Put down what lines speak of; what is to be told of it."""
    if spoken is None:
        return None
    data = b"".join((spoken.keys.tobytes(), spoken.offsets.tobytes(), spoken.numbers.tobytes()))
    (folder / _SPOKEN).write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    return {"lines": spoken.lines, "size": spoken.size, "sha256": sha256}


def _keep_pages(
    folder: Path, prefix: str, pages: Pages, parts: Sequence[Gathers]
) -> dict[str, Any]:
    """Put down the pages; what is to be told of them."""
    paths = {"rows": pages.spool}
    for part, gathered in zip(parts, pages.gathered, strict=True):
        paths |= {f"{part.name}.{file}": path for file, path in gathered.paths.items()}
    for file, path in paths.items():
        os.link(path, folder / f"{prefix}{file}")
    (folder / f"{prefix}offsets").write_bytes(pages.offsets.tobytes())
    (folder / f"{prefix}signatures").write_bytes(pages.signatures)
    names = (*paths, "offsets", "signatures")
    return {
        "files": {file: _sha256(folder / f"{prefix}{file}") for file in names},
        "ids": pages.ids,
        "times": pages.times,
    }


def _sha256(path: Path) -> str:
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
