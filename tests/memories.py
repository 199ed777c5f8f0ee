"""Memories for tests: entries in a few words, and an index of them."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from indexing import overlay
from indexing.build import Sheet, write_index
from indexing.chapters import chapter_of_prepared
from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.journal import append
from indexing.settings import Settings
from indexing.signature import sign
from indexing.stores import generations
from indexing.stores.local import LocalStore
from retrieval.tiers import tiers


def entry(id: str, title: str = "", raw: str = "", **fields: Any) -> Entry:
    """An entry with what matters to a test."""
    signature = sign(raw, fields.pop("tool", "npm"), fields.pop("joined", ())) if raw else None
    given = {"kind": "failure", "source": Source("oncebitten", "memory.jsonl", id)} | fields
    return Entry(id=id, title=title, signature=signature, **given)


def fixed(id: str, raw: str, fix: str = "", **counters: int) -> Entry:
    """A failure with a fix and its evidence."""
    return entry(id, raw, raw, lesson=Lesson(fix=fix), evidence=Evidence(**counters))


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """The entries as their rows are numbered: newest `captured_at` first, then by `id`."""
    by_id = sorted(entries, key=lambda entry: entry.id)
    return sorted(by_id, key=lambda entry: entry.captured_at, reverse=True)


def indexed(entries: Iterable[Entry], index: Path, settings: Settings = Settings()) -> LocalStore:
    """The store of these entries, as they are."""
    with generations.alone(index, 0):
        generations.clean(index)
        write_index(entries, index, tiers(settings))
    return LocalStore.open(index)


def laid_over(entries: Iterable[Entry], index: Path, settings: Settings = Settings()) -> LocalStore:
    """As `indexed`; every other entry came later, in the place of one that is no more."""
    parts = tiers(settings)
    known = sorted(entries, key=lambda entry: entry.id)
    base = indexed(
        [each._replace(id=f"{each.id}, before") if n % 2 else each for n, each in enumerate(known)],
        index,
        settings,
    )
    dead = [row for row in range(len(base)) if base.entry(row).id.endswith(", before")]
    with generations.alone(index, 0), generations.spool(index) as spool:
        [pages] = chapter_of_prepared(known[1::2], spool / "later", parts).pages
        sheet = Sheet([pages], {id: place for place, id in enumerate(pages.ids)})
        assert overlay.write(index, base.segments[0], dead, sheet, parts, spool) is not None
    return LocalStore.open(index)


def journal(path: Path, entries: Sequence[Entry]) -> Path:
    """A journal that holds these entries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for each in entries:
        append(path, each)
    return path


class Stored:
    """A reader of whole entries, a line each: it trusts its file, as no real one does."""

    name = "stored"
    signs = False

    def accepts(self, path: Path) -> bool:
        return path.suffix == ".stored"

    def read(self, path: Path, source: str) -> Iterator[Entry]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            where = Source(self.name, source, f"line {number}")
            yield Entry.from_dict(json.loads(line))._replace(source=where)


def stored(path: Path, entries: Sequence[Entry]) -> Path:
    """A file for the reader `Stored`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(each.as_dict()) + "\n" for each in entries]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def dies(*_: Any) -> None:
    """Ends the process that calls it, as a kill does."""
    os._exit(1)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below, but the lock and what is of this machine, with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (".lock", ".stamps")
    }
