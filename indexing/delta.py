"""WHAT CAME SINCE BECOMES A DELTA: a small generation that is laid over the last full build.

A delta holds the entries that are new or not what they were, and names the rows of its base that
are no more. It is made of the base and the memory files alone, never of the delta before, which it
replaces; base and delta together answer as a rebuild would, to the last bit. A rebuild folds it in.

Nothing but what was appended to journals is read, and what the base's journals say of the same ids
(`lines.py`). Where that is not enough to be sure, there is no delta, and somebody has to rebuild.
"""

import hashlib
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from indexing import overlay
from indexing import stamps as stamps_of
from indexing.build import (
    GIVEN_TWICE,
    LOCK_WAIT_S,
    ORIGINALS,
    ORIGINALS_BEGIN,
    Book,
    Duplicate,
    Part,
    Progress,
    Report,
    listed,
)
from indexing.chapters import Chapter, Skipped, chapter_from_records, chapter_of_prepared, finds
from indexing.entry import Entry
from indexing.errors import BadIndex
from indexing.lines import Line, Lines
from indexing.plain import open_plain
from indexing.readers import json_values
from indexing.readers.first_look import DECIDED, ids_in, key_of, values
from indexing.readers.interface import Credit, Quarantined, Told
from indexing.readers.journal import Journal, together
from indexing.recipe import refuse_other, today
from indexing.settings import Settings
from indexing.shelf import shelf_of
from indexing.stamps import Stamp, has_grown, is_as_it_was, made_by, stamp_of
from indexing.stores import generations
from indexing.stores.local import LocalStore
from indexing.stores.segment import Segment, decode, encode

_MOST_IDS = 1000
"""Of more ids a rebuild has to be made: each costs some milliseconds with every delta."""
_MOST_BYTES = 16 << 20
_MOST_LINES = 40_000
_NAMES = ("into", "from", "entry_id", "a", "b")


def lay_over(
    memory: Sequence[Path],
    index: Path,
    parts: Sequence[Part],
    settings: Settings = Settings(),
    on_progress: Callable[[Progress], None] | None = None,
    *,
    root: Path | None = None,
) -> Report | None:
    """Lay over `index` what was appended to journals since it was built; say what was read.

    The arguments are those of `build_index`.

    Returns:
        None when that would not answer as a rebuild; then the index stays as it was.

    Raises:
        IndexBusy: A build of this index is at work.
        BadIndex: The disk does not take it; the old index stays.
    """
    tell = on_progress or (lambda progress: None)
    if stamps_of.kept(index) is None:
        return None  # nor is there a folder to be made
    try:
        with generations.alone(index, LOCK_WAIT_S):
            generations.clean(index)
            base = _base_of(index, memory, parts, settings, root)
            tails = None if base is None else _tails(base, settings.max_file_mb)
            if base is None or tails is None:
                return None
            if not tails and generations.current(index) == base.segment.folder.name:
                return _report(base.segment.folder.name, len(base.segment))
            tell(Progress("read", 0, 1))
            with generations.spool(index) as spool:
                written = _written(_Delta(base, tails, parts, spool), index)
            tell(Progress("write", 1, 1))
            return written
    except _UnsureError:
        return None
    except OSError as error:
        where = error.filename or index
        raise BadIndex(f"{where}: {error.strerror or error}; the index stays as it was") from error


class _UnsureError(Exception):
    """Only a rebuild is sure to give the right answers."""


class _Base(NamedTuple):
    """The last full build, with the memory files as they were then and where they are now."""

    segment: Segment
    lines: Lines
    sources: Mapping[str, Mapping[str, Any]]
    stamps: Mapping[str, Stamp | None]
    paths: Mapping[str, Path]

    def original(self, id: str, row: int | None) -> Entry | None:
        """The entry as its file gave it, before others had their say; None when there was none.

        `row` is its row; None when it has none.
        """
        begins = self.segment.files[ORIGINALS_BEGIN]
        rows = self.segment.files[ORIGINALS]

        def entry(at: int) -> Entry:
            begin, end = struct.unpack_from("<QQ", begins, 8 * at)
            return decode(bytes(rows[begin:end]))

        count = len(begins) // 8 - 1
        at = bisect_left(range(count), id, key=lambda at: entry(at).id)
        if at < count and (found := entry(at)).id == id:
            return found
        return None if row is None else self.segment.entry(row)


def _base_of(
    index: Path,
    memory: Sequence[Path],
    parts: Sequence[Part],
    settings: Settings,
    root: Path | None,
) -> _Base | None:
    """What a delta may be laid over; None when nothing of it is known to be as it was."""
    stamps = stamps_of.kept(index)
    if stamps is None:
        return None
    files, unlisted = listed(memory, root)
    if stamps.made != made_by(shelf_of(index, parts).program, settings.max_file_mb, unlisted):
        return None
    if [name for name, _ in files] != list(stamps.files):
        return None
    try:
        store = LocalStore.open(index)
        segment = store.segments[0]
        refuse_other(store.recipe, today(parts), str(index))
    except BadIndex:
        return None
    if segment.folder.name != stamps.base or not len(segment):
        return None
    sources = {source["file"]: source for source in LocalStore([segment]).sources()}
    return _Base(segment, Lines(segment.files), sources, stamps.files, dict(files))


class _Tail(NamedTuple):
    """What was appended to a journal: its lines with their numbers, size and checksum."""

    lines: Sequence[json_values.Line]
    size: int
    sha256: str


def _tails(base: _Base, max_file_mb: int) -> dict[str, _Tail] | None:
    """What was appended to each journal that has grown; None when something else has changed."""
    tails = {}
    for name, path in base.paths.items():
        stamp, source = base.stamps[name], base.sources.get(name)
        if stamp is None:
            if stamp_of(path) is not None:
                return None
            continue  # it can be read no more than it could
        sha256 = source["sha256"] if source else ""
        if is_as_it_was(path, stamp, sha256):
            continue
        if name not in base.lines.journals or not has_grown(path, stamp, sha256):
            return None
        if isinstance(finds(name, path, max_file_mb), Skipped):
            return None
        tail = _tail(path, stamp.size, base.lines.journals[name])
        if tail is None:
            return None
        tails[name] = tail
    return tails


def _tail(path: Path, begin: int, before: int) -> _Tail | None:
    """What stands in a journal from `begin` on, behind so many lines.

    None when it is too much, or its last line is not whole.
    """
    with open_plain(path) as file:
        file.seek(begin)
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES or not data.endswith(b"\n"):
        return None
    texts = data.decode("utf-8", "replace").split("\n")[:-1]
    if max(map(len, texts)) >= json_values.LONGEST_LINE:
        return None
    lines = [
        json_values.Line(number, text.lstrip("\ufeff").rstrip("\r"))
        for number, text in enumerate(texts, before + 1)
        if text.strip("\ufeff \t\r")
    ]
    return _Tail(lines, len(data), hashlib.sha256(data).hexdigest())


class _Delta:
    """What is not any more as the base has it: `dead` rows of it, and entries on a `sheet`."""

    def __init__(
        self, base: _Base, tails: Mapping[str, _Tail], parts: Sequence[Part], spool: Path
    ) -> None:
        self.base = base
        self.tails = tails
        self.parts = parts
        self.spool = spool
        self._row_of = cache(base.segment.with_id)
        self.book = Book(list(self._chapters(self._ids())), spool, parts)
        self.dead, changed = self._changed()
        self.sheet = self.book.sheet(changed)

    def _ids(self) -> set[str]:
        """The ids of which there may be something new to say."""
        texts = (text for tail in self.tails.values() for _, text in tail.lines)
        ids = {id for text in texts for value in values(text) for id in ids_in(value)}
        decided = self._named_in_decisions()
        if ids & (decided | {DECIDED}):
            ids |= decided
        ids.discard(DECIDED)
        if len(ids) > _MOST_IDS:
            raise _UnsureError
        twice = set(self.base.segment.numbers(GIVEN_TWICE))
        if any(key_of(id) in twice for id in ids):
            raise _UnsureError  # what the other file says of it is not in the base
        self._affected = ids
        return ids

    def _named_in_decisions(self) -> set[str]:
        """The ids that decisions are about, those of the base and those that were appended."""
        found = self.base.lines.speaking_of([DECIDED])
        texts = [text for name, its in found.items() for _, text in self._read(name, its)]
        texts += [text for tail in self.tails.values() for _, text in tail.lines]
        records = [value for text in texts for value in values(text)]
        return {
            str(record[name]).strip()
            for record in records
            if DECIDED in ids_in(record)
            for name in _NAMES
            if name in record
        }

    def _chapters(self, ids: set[str]) -> Iterator[Chapter]:
        """What the memory files say of these ids, a chapter each, in order of the files."""
        spoken = self._spoken(ids)
        if sum(map(len, spoken.values())) > _MOST_LINES:
            raise _UnsureError
        others = self._others(ids)
        for number, name in enumerate(self.base.paths):
            spool = self.spool / str(number)
            if name in spoken:
                lines = self._read(name, spoken[name])
                if name in self.tails:
                    lines += self.tails[name].lines
                records = together(lines, name)
                told = (record for record in records if _is_about(record, ids))
                yield chapter_from_records(told, Journal.signs, spool, self.parts)
            elif name in others:
                yield chapter_of_prepared(others[name], spool, self.parts)

    def _spoken(self, ids: set[str]) -> dict[str, list[Line]]:
        """The lines of the base that count for these ids."""
        found = self.base.lines.speaking_of([*ids, DECIDED])
        texts = (text for name, its in found.items() for _, text in self._read(name, its))
        spoken_of = (ids_in(value) for text in texts for value in values(text))
        # of two records of one id the first counts, though it may be about another entry
        records = {each[0] for each in spoken_of if each}
        return self.base.lines.speaking_of({*ids, *records, DECIDED})

    def _others(self, ids: Iterable[str]) -> dict[str, list[Entry]]:
        """The entries of these ids that come from other files than journals, by their files."""
        others: dict[str, list[Entry]] = {}
        for id in sorted(ids):
            entry = self.base.original(id, self._row_of(id))
            if entry is not None and entry.source.file not in self.base.lines.journals:
                others.setdefault(entry.source.file, []).append(entry)
        return others

    def _read(self, name: str, lines: Sequence[Line]) -> list[json_values.Line]:
        read = []
        with open_plain(self.base.paths[name]) as file:
            for offset, number in lines:
                file.seek(offset)
                text = file.readline().decode("utf-8", "replace")
                read.append(json_values.Line(number, text.lstrip("\ufeff").rstrip("\r\n")))
        return read

    def _changed(self) -> tuple[list[int], list[str]]:
        """The rows of the base that are no more, ascending, and the ids of what is now there."""
        dead, changed = [], []
        for id in sorted(self._affected):
            row = self._row_of(id)
            now = encode(self.book.entry(id)) + b"\n" if id in self.book else b""
            if now == (b"" if row is None else self.base.segment.encoded(row)):
                continue
            if row is not None:
                dead.append(row)
            if now:
                changed.append(id)
        return sorted(dead), changed

    def sources(self) -> Iterator[Mapping[str, Any]]:
        """The memory files; of those that have grown by how much."""
        for name, source in self.base.sources.items():
            tail = self.tails.get(name)
            grown = {"grown": {"size": tail.size, "sha256": tail.sha256}} if tail else {}
            yield {**source, **grown}


def _is_about(record: Told, ids: set[str]) -> bool:
    if isinstance(record, Entry):
        return record.id in ids
    if isinstance(record, Credit):
        return record.outcome.entry_id in ids
    return True


def _written(delta: _Delta, index: Path) -> Report:
    """Make the delta the current generation; what was read for it."""
    segment = delta.base.segment
    generation = overlay.write(
        index, segment, delta.dead, delta.sheet, delta.parts, delta.spool, delta.sources()
    )
    if generation is None:
        raise _UnsureError
    entries = len(segment) - len(delta.dead) + len(delta.sheet)
    return _report(generation, entries, delta.book.quarantined, delta.book.duplicates)


def _report(
    generation: str,
    entries: int,
    quarantined: Iterable[Quarantined] = (),
    duplicates: Iterable[Duplicate] = (),
) -> Report:
    return Report(
        generation=generation,
        entries=entries,
        files=(),
        skipped=(),
        quarantined=tuple(quarantined),
        duplicates=tuple(duplicates),
        moved=(),
        unmatched=(),
    )
