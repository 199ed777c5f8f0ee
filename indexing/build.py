"""ENTRIES BECOME AN INDEX: memory files are read, signed anew, sorted, and handed to the parts."""

import gc
import os
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate, chain, compress, count, islice, pairwise
from operator import not_
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload, runtime_checkable
from typing import Protocol as CheckedProtocol

from indexing import stamps as stamps_of
from indexing.chapters import (
    AT_ONCE,
    SHA,
    UNSIGNED,
    Chapter,
    Draft,
    FileRead,
    Gathers,
    Pages,
    Skipped,
    batches,
    chapter_of_prepared,
    finds,
    mapped,
    put_down,
    skipped_for,
)
from indexing.entry import Entry, Source
from indexing.errors import BadIndex, MemError, UnreadableMemory
from indexing.journal import Outcome, credited
from indexing.learning.merge import Decisions, decided
from indexing.lines import files_of
from indexing.readers import memory_files
from indexing.readers.first_look import key_of
from indexing.readers.interface import Quarantined, Spoken
from indexing.readers.journal import Journal
from indexing.recipe import today
from indexing.settings import Settings
from indexing.shelf import Shelf, chapter_from, shelf_of, tidy
from indexing.signature import ruleset_digest
from indexing.signature.moved import what_moved
from indexing.stamps import Stamp, made_by, stamp_of
from indexing.stores import generations, local
from indexing.stores.generations import Buffer
from indexing.stores.segment import Files, decode, encode, little
from indexing.typed import Protocol

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Gathered = Sequence[tuple[Mapping[str, Buffer], Rows]]
    """What each gatherer had when it was done, and the row of each of its entries in the order they
    were added; -1 is not in the index."""

ORIGINALS = "originals.jsonl"
ORIGINALS_BEGIN = "originals.begin"
GIVEN_TWICE = "originals.twice"
LOCK_WAIT_S = 600.0  # a build of a million entries takes some minutes
_SMALL = 16 << 20  # bytes of memory files that are read sooner than processes are started
_ROWS_MAPPED = 64 * AT_ONCE


class Part(Gathers, Protocol):
    """What a tier keeps in the index.

    Entries are gathered as they are read, by several processes and in no order; once their rows
    are known, what was gathered is merged.
    """

    def merge(self, gathered: "Gathered", entries: Sequence[Entry]) -> Mapping[str, Buffer]:
        """File names to their bytes.

        Args:
            gathered: What was kept of the entries.
            entries: In order of their rows; each is read from the disk when it is asked for, which
                takes longer than to have gathered what is needed of it.
        """


@runtime_checkable
class Shares(CheckedProtocol):
    """A part that can be merged in shares, each of which hangs on what was gathered alone.

    The files of all shares are those of `merge`; several processes may make them.
    """

    shares: Sequence[str]

    def merge_share(self, share: str, gathered: "Gathered", size: int) -> Mapping[str, Buffer]:
        """The files of one share; there are `size` entries."""


class Extends(Protocol):
    """A part that keeps of a row what hangs on the others; one that does not is merged alone."""

    def extend(
        self,
        base: Mapping[str, memoryview],
        gone: "Gathered",
        added: "Gathered",
        dead: "Rows",
        size: int,
    ) -> Mapping[str, Buffer] | None:
        """As `merge`, for a delta; together with its base it answers as all rows merged would.

        Args:
            base: What `merge` gave for the base.
            gone: What was gathered of the base's dead entries, in order of their rows.
            added: Of the delta's.
            dead: The rows of the base that are dead, ascending.
            size: How many entries the delta has.

        Returns:
            None when the base does not answer so, whatever is laid over it.
        """


class Progress(NamedTuple):
    """So much of a stage is done; `stage` is `read`, `write` or the name of a part."""

    stage: str
    done: int
    total: int


class Duplicate(NamedTuple):
    """Two records of one id; the newer one is in the index."""

    id: str
    kept: Source
    dropped: Source


class Moved(NamedTuple):
    """An entry that today's rules sign differently from those of the index before.

    `why` names what moved it: `rule: a → b`, `tool`, `root line`, `joined`, and steps of
    `normalise` by their names.
    """

    id: str
    before: str
    after: str
    why: tuple[str, ...] = ()


class Report(NamedTuple):
    """What a build read and what became of it.

    `unmatched` holds tools that have rules of which none fired, with how often: such a tool may
    have changed its output. `unread` names those of `skipped` that were asked for by their own
    name, and not found in a folder.
    """

    generation: str
    entries: int
    files: tuple[FileRead, ...]
    skipped: tuple[Skipped, ...]
    quarantined: tuple[Quarantined, ...]
    duplicates: tuple[Duplicate, ...]
    moved: tuple[Moved, ...]
    unmatched: tuple[tuple[str, int], ...]
    unread: tuple[str, ...] = ()

    @property
    def moved_by(self) -> dict[str, int]:
        """How many hashes each cause moved, the most frequent first."""
        counted = Counter(why for moved in self.moved for why in moved.why)
        return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, keys in the order of the fields."""
        return {
            "generation": self.generation,
            "entries": self.entries,
            "files": [file._asdict() for file in self.files],
            "skipped": [skipped._asdict() for skipped in self.skipped],
            "quarantined": [
                {**record._asdict(), "source": record.source._asdict()}
                for record in self.quarantined
            ],
            "duplicates": [
                {
                    "id": duplicate.id,
                    "kept": duplicate.kept._asdict(),
                    "dropped": duplicate.dropped._asdict(),
                }
                for duplicate in self.duplicates
            ],
            "moved": [{**moved._asdict(), "why": list(moved.why)} for moved in self.moved],
            "moved_by": self.moved_by,
            "unmatched": dict(self.unmatched),
            "unread": list(self.unread),
        }


def build_index(
    memory: Sequence[Path],
    index: Path,
    parts: Sequence[Part],
    settings: Settings = Settings(),
    on_progress: Callable[[Progress], None] | None = None,
    *,
    root: Path | None = None,
    workers: int = 1,
) -> Report:
    """Rebuild `index` from memory files; say what was read, skipped, quarantined and why.

    The same memory gives the same bytes, in whatever order its files are named or listed, and by
    however many processes it is read. Memory is read when no other build is at work, so that the
    last of several has what was there before any of them began.

    Args:
        memory: Files and folders.
        index: The index's folder; it is made when it is missing.
        parts: What the tiers keep.
        settings: `max_file_mb` counts here.
        on_progress: Called with every step.
        root: Files below it are named relative to it, others as they are given; of an absolute
            path, no more than its last name is kept.
        workers: So many processes read when there are many megabytes to read. They are spawned:
            the program that calls must not build at the top of its file.

    Raises:
        UnreadableMemory: Nothing of the memory could be read; the old index stays.
        IndexBusy: Another build of this index is at work.
        BadIndex: The disk does not take it; the old index stays.
    """
    tell = on_progress or (lambda progress: None)
    try:
        with generations.alone(index, LOCK_WAIT_S):
            generations.clean(index)
            with generations.spool(index) as spool:
                shelf = shelf_of(index, parts)
                files, unlisted = listed(memory, root)
                stamps = {name: stamp_of(path) for name, path in files}
                read = _read(files, unlisted, settings, parts, shelf, spool, workers, tell)
                book = Book(read.chapters, spool, parts)
                moved = _moved(index, book)
                journals = _spoken(read.chapters, stamps)
                generation = book.write(index, tell, journals, workers)
                if journals is not None:
                    made = made_by(shelf.program, settings.max_file_mb, unlisted)
                    stamps_of.keep(index, generation, made, stamps)
                tidy(shelf, (each.read.file for each in read.chapters if each.read))
    except OSError as error:
        where = error.filename or index
        raise BadIndex(f"{where}: {error.strerror or error}; the index stays as it was") from error
    return Report(
        generation=generation,
        entries=len(book),
        files=tuple(each.read for each in read.chapters if each.read),
        skipped=read.skipped,
        quarantined=(
            *(record for each in read.chapters for record in each.quarantined),
            *book.quarantined,
        ),
        duplicates=tuple(book.duplicates),
        moved=moved,
        unmatched=tuple(sorted(book.unmatched.items())),
        unread=_named_among(read.skipped, memory, root),
    )


def write_index(entries: Iterable[Entry], index: Path, parts: Sequence[Part]) -> str:
    """Make an index of entries that are signed and redacted; the name of its generation.

    The caller holds the lock of `generations.alone`.
    """
    with generations.spool(index) as spool:
        chapter = chapter_of_prepared(entries, spool / "entries", parts)
        return Book([chapter], spool, parts).write(index, lambda progress: None)


def survey(
    memory: Sequence[Path], settings: Settings = Settings(), root: Path | None = None
) -> tuple[list[tuple[str, Path]], list[Skipped]]:
    """What `build_index` would read, with its names and in their order; what it could not.

    Of the latter those alone that `memory` names, and not what lies in its folders.
    """
    files, skipped = listed(memory, root)
    found = []
    for name, path in files:
        reader = finds(name, path, settings.max_file_mb)
        if isinstance(reader, Skipped):
            skipped.append(reader)
        else:
            found.append((name, path))
    unread = _named_among(skipped, memory, root)
    return found, [each for each in sorted(skipped) if each.file in unread]


def _named_among(
    skipped: Sequence[Skipped], memory: Sequence[Path], root: Path | None
) -> tuple[str, ...]:
    named = {_name(given, given, root) for given in memory}
    return tuple(sorted({each.file for each in skipped if each.file in named}))


class _Read(NamedTuple):
    """The memory's chapters, in order of their files' names, and what was skipped."""

    chapters: list[Chapter]
    skipped: tuple[Skipped, ...]


def _read(
    files: Sequence[tuple[str, Path]],
    unlisted: Sequence[Skipped],
    settings: Settings,
    parts: Sequence[Part],
    shelf: Shelf,
    spool: Path,
    workers: int,
    tell: Callable[[Progress], None],
) -> _Read:
    """All that could be read.

    Raises:
        UnreadableMemory: That is nothing.
    """
    jobs = [
        (shelf, name, path, spool / str(number), parts, settings.max_file_mb)
        for number, (name, path) in enumerate(files)
    ]
    chapters = []
    tell(Progress("read", 0, len(jobs)))
    with _uncollected(), _readers(jobs, workers) as reading:
        for chapter in reading:
            chapters.append(chapter)
            tell(Progress("read", len(chapters), len(jobs)))
    skipped = [*unlisted, *(each for chapter in chapters for each in chapter.skipped)]
    if skipped and not any(chapter.read for chapter in chapters):
        first = skipped[0]
        raise UnreadableMemory(
            f"{first.file}: {first.reason}; no memory file could be read, the index stays as it was"
        )
    return _Read(chapters, tuple(sorted(skipped)))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing that is read has cycles, and to look for them takes a seventh of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _spoken(
    chapters: Sequence[Chapter], stamps: Mapping[str, Stamp | None]
) -> list[tuple[str, Spoken]] | None:
    """What the journals speak of; None when a delta over this index could not be told from them."""
    journals = []
    for chapter in chapters:
        if chapter.read is None or chapter.read.reader != Journal.name:
            continue
        stamp, spoken = stamps[chapter.read.file], chapter.spoken
        if chapter.skipped or stamp is None or spoken is None:
            return None
        assert chapter.source is not None
        if not stamp.size == spoken.size == chapter.source["size"]:
            return None
        journals.append((chapter.read.file, spoken))
    return journals


_Job = tuple[Shelf, str, Path, Path, Sequence[Part], int]


@contextmanager
def _readers(jobs: Sequence[_Job], workers: int) -> "Iterator[Iterable[Chapter]]":
    """The jobs' chapters in their order, read here or by processes of their own."""
    sizes = [_size(path) for _, _, path, *_ in jobs]
    if workers < 2 or sum(sizes) < _SMALL:
        yield (chapter_from(*job) for job in jobs)
        return
    with _processes(workers) as pool:
        # one that is more than a process's share is read by all of them
        shared = [size * workers > sum(sizes) for size in sizes]
        read = pool.map(_chapter, compress(jobs, map(not_, shared)))
        yield (
            chapter_from(*job, pool.map, workers) if by_all else next(read)
            for job, by_all in zip(jobs, shared, strict=True)
        )


@contextmanager
def _processes(workers: int) -> "Iterator[ProcessPoolExecutor]":
    """So many processes of their own.

    Raises:
        BadIndex: One of them has died.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    spawn = multiprocessing.get_context("spawn")  # the others copy a lock that is held
    with ProcessPoolExecutor(workers, spawn, gc.disable) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            raise BadIndex(
                "a process of the build has died; free some memory, or build with one process; the"
                " index stays as it was"
            ) from error


def _chapter(job: _Job) -> Chapter:
    return chapter_from(*job)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class _Share(NamedTuple):
    """A share of a part that is to be merged; its files are put down beside `spool`."""

    part: Shares
    share: str
    gathered: "Gathered"
    size: int
    spool: Path


def _merged(share: _Share) -> Mapping[str, Buffer]:
    """The files of a share, by name."""
    return share.part.merge_share(share.share, share.gathered, share.size)


def _merged_apart(share: _Share) -> Mapping[str, Buffer]:
    """The same files, to be sent to another process: by their names."""
    return put_down(_merged(share), share.spool)


@contextmanager
def _merges(shares: Sequence[_Share], workers: int) -> "Iterator[Iterator[Mapping[str, Buffer]]]":
    """The files of each share, in their order, made here or meanwhile by other processes."""
    if workers < 2:
        yield map(_merged, shares)
        return
    with _processes(workers) as pool:
        yield pool.map(_merged_apart, shares)


_Place = int
"""The number of an entry among those of all pages."""
_ENDS = ("from", "into")


class Book:
    """The chapters as one: of each id one entry, with what all of them say of it."""

    def __init__(self, chapters: Sequence[Chapter], spool: Path, parts: Sequence[Part]) -> None:
        self._parts, self._spool = parts, spool
        self._pages = [pages for each in chapters for pages in each.pages]
        self._kept: dict[str, _Place] = {}
        self._before: dict[str, _Place] = {}
        self.duplicates: list[Duplicate] = []
        self.quarantined: list[Quarantined] = []
        self.sources = [each.source for each in chapters if each.source]
        self.unmatched: Counter[str] = Counter()
        for chapter in chapters:
            self.unmatched.update(chapter.unmatched)
        self._begins = [0]
        for pages in self._pages:
            self._keep_all(pages.ids)
        self._credit(chapters, spool / "credited")
        self._decide(chapters, spool / "decided")

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, id: str) -> bool:
        return id in self._kept

    def sig_sha(self, id: str) -> str:
        """The hash of the entry's signature; empty when it has none."""
        pages, number = self._at(self._kept[id])
        sha = pages.signatures[SHA * number : SHA * (number + 1)]
        return "" if sha == UNSIGNED else sha.hex()

    def entry(self, id: str) -> Entry:
        """The entry of that id."""
        return self._entry(self._kept[id])

    def write(
        self,
        index: Path,
        tell: Callable[[Progress], None],
        journals: Sequence[tuple[str, Spoken]] | None = None,
        workers: int = 1,
    ) -> str:
        """Make it the current generation of `index`; the generation's name.

        `journals` are what the journals speak of when a delta may be laid over it. When there is
        much to merge, so many processes merge what is made of shares.
        """
        sheet = self.sheet()
        further = [] if journals is None else [files_of(journals), self._originals()]
        large = sum(_size(pages.spool) for pages in self._pages) >= _SMALL
        with _merges(self._shares(sheet), workers if large else 1) as merged:
            name = local.write(
                index,
                sheet.files(),
                self.sources,
                self._built(sheet, merged, tell),
                today(self._parts),
                chain.from_iterable(further),
            )
        tell(Progress("write", 1, 1))
        return name

    def sheet(self, ids: Iterable[str] | None = None) -> "Sheet":
        """The entries of these ids, or all, in order of their rows."""
        kept = self._kept if ids is None else {id: self._kept[id] for id in ids}
        return Sheet(self._pages, kept)

    def _originals(self) -> Iterator[tuple[str, Iterable[Buffer]]]:
        """What a delta must know beside the rows.

        Entries as they were before what other files say of them was counted in, and before they
        were decided on, in order of their ids; and the ids that were given more than once.
        """
        rows = [encode(self._entry(place)) + b"\n" for _, place in sorted(self._before.items())]
        yield ORIGINALS, rows
        yield ORIGINALS_BEGIN, [little(array("Q", accumulate(map(len, rows), initial=0)))]
        keys = sorted({key_of(each.id) for each in self.duplicates})
        yield GIVEN_TWICE, [little(array("I", keys))]

    def _entry(self, place: _Place) -> Entry:
        pages, number = self._at(place)
        return pages.entry(number)

    def _at(self, place: _Place) -> tuple[Pages, int]:
        """The pages that have the place, and its number there."""
        at = bisect_right(self._begins, place) - 1
        return self._pages[at], place - self._begins[at]

    def _keep_all(self, ids: Sequence[str]) -> None:
        """Take in the ids of the next pages."""
        begin = self._begins[-1]
        self._begins.append(begin + len(ids))
        places = dict(zip(ids, count(begin), strict=False))
        if len(places) == len(ids) and self._kept.keys().isdisjoint(places):
            self._kept |= places
            return
        for place, id in enumerate(ids, begin):
            self._keep(id, place)

    def _keep(self, id: str, place: _Place) -> None:
        before = self._kept.setdefault(id, place)
        if before == place:
            return
        known, entry = self._entry(before), self._entry(place)
        kept, dropped = (entry, known) if _replaces(entry, known) else (known, entry)
        if kept is entry:
            self._kept[id] = place
        self.duplicates.append(Duplicate(id, kept.source, dropped.source))

    def _credit(self, chapters: Iterable[Chapter], spool: Path) -> None:
        """Count in what files say of the entries of others."""
        credits: Counter[Outcome] = Counter()
        by: dict[Outcome, Source] = {}
        for chapter in chapters:
            credits |= Counter(chapter.credits)  # a journal that was copied credits no entry twice
            by = {**chapter.credited_by, **by}
        of: dict[str, list[Outcome]] = {}
        for outcome in sorted(credits.elements()):
            of.setdefault(outcome.entry_id, []).append(outcome)
        if not of:
            return
        revised = {}
        for id, outcomes in of.items():
            if id in self._kept:
                entry = self.entry(id)
                revised[id] = entry._replace(evidence=credited(entry.evidence, outcomes))
            else:
                told = ", ".join(outcome.outcome for outcome in outcomes)
                source = by[outcomes[0]]
                self.quarantined.append(Quarantined(source, f"no entry has the id {id}", told))
        self._revise(revised, spool)

    def _decide(self, chapters: Iterable[Chapter], spool: Path) -> None:
        """Merge and leave out what was decided; to be called when evidence is counted in."""
        records = {each.id: each for chapter in chapters for each in chapter.decided}
        if not records:
            return
        decisions = Decisions.of(records.values())
        named = {str(merge.values.get(end)) for merge in decisions.merges for end in _ENDS}
        named.update(decisions.archived)
        concerned = {id: self.entry(id) for id in sorted(named) if id in self._kept}
        left = decided(concerned, records.values())
        for id in concerned.keys() - left.keys():
            self._before.setdefault(id, self._kept.pop(id))
        self._revise({id: each for id, each in left.items() if each != concerned[id]}, spool)

    def _revise(self, entries: Mapping[str, Entry], spool: Path) -> None:
        """Put these in the places of those that have their ids."""
        with Draft(spool, self._parts) as draft:
            for place, id in enumerate(entries, self._begins[-1]):
                self._before.setdefault(id, self._kept[id])
                self._kept[id] = place
            for some in batches(entries.values()):
                draft.take(some)
            self._pages.append(draft.done())
            self._begins.append(self._begins[-1] + len(entries))

    def _shares(self, sheet: "Sheet") -> list[_Share]:
        """All shares of all parts that have some."""
        return [
            _Share(part, share, sheet.gathered(which), len(sheet), self._spool / f"{which}-{share}")
            for which, part in enumerate(self._parts)
            if isinstance(part, Shares)
            for share in part.shares
        ]

    def _built(
        self,
        sheet: "Sheet",
        merged: Iterator[Mapping[str, Buffer]],
        tell: Callable[[Progress], None],
    ) -> Iterator[tuple[str, Mapping[str, Buffer]]]:
        """What each part keeps, one after another; `merged` is what the shares give."""
        for which, part in enumerate(self._parts):
            tell(Progress(part.name, 0, 1))
            if isinstance(part, Shares):
                for files in islice(merged, len(part.shares)):
                    yield part.name, files
            else:
                yield part.name, part.merge(sheet.gathered(which), sheet.entries)
            tell(Progress(part.name, 1, 1))
        tell(Progress("write", 0, 1))


class Sheet:
    """Entries in order of their rows.

    Args:
        pages: Where they stand.
        kept: The place of each id.
    """

    def __init__(self, pages: Sequence[Pages], kept: Mapping[str, _Place]) -> None:
        import numpy as np

        self._pages = pages
        ids, places = list(kept), np.fromiter(kept.values(), np.int64, len(kept))
        by_id = places[np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)]
        all_times = list(chain.from_iterable(each.times for each in pages))
        times = list(map(all_times.__getitem__, by_id.tolist()))
        order = np.array(sorted(range(len(ids)), key=times.__getitem__, reverse=True), np.int64)
        self._rows_by_id = np.empty(len(ids), np.int64)
        self._rows_by_id[order] = np.arange(len(ids))
        self._places: Rows = by_id[order]

    def __len__(self) -> int:
        return len(self._places)

    @property
    def ages(self) -> list[tuple[str, str]]:
        """When each was captured, and its id."""
        all_of_them = chain.from_iterable(
            zip(each.times, each.ids, strict=True) for each in self._pages
        )
        return list(map(list(all_of_them).__getitem__, self._places.tolist()))

    @property
    def entries(self) -> Sequence[Entry]:
        """Each is read when it is asked for."""
        return _Entries(self._pages, *self._spans)

    def files(self) -> Files:
        """Its rows and keys."""
        _, begins, ends = self._spans
        return Files(self._rows(), ends - begins, self._keys(), self._rows_by_id)

    @cached_property
    def _spans(self) -> "tuple[Rows, Rows, Rows]":
        """Of each row in which of the pages it is, where it begins and where it ends."""
        import numpy as np

        lengths = [len(each.ids) for each in self._pages]
        at = np.repeat(np.arange(len(lengths)), lengths)
        offsets = [np.frombuffer(each.offsets, np.uint64).astype(np.int64) for each in self._pages]
        begins = np.concatenate([np.empty(0, np.int64), *(each[:-1] for each in offsets)])
        ends = np.concatenate([np.empty(0, np.int64), *(each[1:] for each in offsets)])
        return at[self._places], begins[self._places], ends[self._places]

    def _rows(self) -> Iterator[bytes]:
        """The rows, many in a piece."""
        for first in range(0, len(self), AT_ONCE):
            if first % _ROWS_MAPPED == 0:  # anew: what was read of a map is held as long as it is
                spools = [mapped(pages.spool) for pages in self._pages]
            some = (each[first : first + AT_ONCE].tolist() for each in self._spans)
            yield b"".join([spools[at][begin:end] for at, begin, end in zip(*some, strict=True)])

    def _keys(self) -> bytes:
        """Of each row that is signed the hash of its signature and its number, sorted."""
        import numpy as np

        shas = np.frombuffer(b"".join(each.signatures for each in self._pages), np.uint8)
        shas = shas.reshape(-1, SHA)[self._places]
        rows = np.flatnonzero(shas.any(axis=1))
        words = shas[rows].view(">u8")
        keys = np.column_stack([words, rows.astype(">u8")])
        return keys[np.lexsort(keys.T[::-1])].astype(">u8").tobytes()

    def gathered(self, part: int) -> "Gathered":
        """What a part gathered of each of the pages, and the rows of their entries."""
        return [
            (pages.gathered[part], numbers)
            for pages, numbers in zip(self._pages, self._numbered, strict=True)
        ]

    @cached_property
    def _numbered(self) -> "list[Rows]":
        """The row of each entry of each chapter; -1 where another of its id was kept."""
        import numpy as np

        begins = list(accumulate((len(each.ids) for each in self._pages), initial=0))
        rows = np.full(begins[-1], -1, np.int64)
        rows[self._places] = np.arange(len(self))
        return [rows[begin:end] for begin, end in pairwise(begins)]


class _Entries(Sequence[Entry]):
    """The entries that stand in these pages, each read when it is asked for."""

    def __init__(self, pages: Sequence[Pages], at: "Rows", begins: "Rows", ends: "Rows") -> None:
        self._spools = [mapped(each.spool) for each in pages]
        self._at, self._begins, self._ends = at, begins, ends

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, row: int) -> Entry: ...

    @overload
    def __getitem__(self, row: slice) -> list[Entry]: ...

    def __getitem__(self, row: int | slice) -> Entry | list[Entry]:
        if isinstance(row, slice):
            return [self[each] for each in range(*row.indices(len(self)))]
        spool = self._spools[self._at[row]]
        return decode(spool[self._begins[row] : self._ends[row]])


def _replaces(entry: Entry, known: Entry) -> bool:
    """Whether the later one is the newer one; counters are of one record, never added."""
    ages = [(each.captured_at, each.evidence.last, each.evidence[:5]) for each in (entry, known)]
    if ages[0] == ages[1]:
        # within a file the later record corrects the earlier; of two files the first one counts
        return entry.source.file == known.source.file
    return ages[0] > ages[1]


def listed(
    memory: Sequence[Path], root: Path | None
) -> tuple[list[tuple[str, Path]], list[Skipped]]:
    """Every memory file once, with its name, in order of the names; what could not be listed."""
    named = []
    skipped = []
    for given in memory:
        try:
            named += [(_name(given, path, root), path) for path in memory_files(given)]
        except (MemError, OSError) as error:
            skipped.append(skipped_for(_name(given, given, root), given, error))
    # of a file that was given twice, the longer name tells more
    once: dict[str, tuple[str, Path]] = {}
    for name, path in sorted(named, key=lambda each: (-len(each[0]), each)):
        once.setdefault(os.path.realpath(path), (name, path))
    return sorted(once.values()), skipped


def _name(given: Path, path: Path, root: Path | None) -> str:
    if root is not None and path.absolute().is_relative_to(root.absolute()):
        return path.absolute().relative_to(root.absolute()).as_posix()
    if given.is_absolute():
        return (Path(given.name) / path.relative_to(given)).as_posix()
    return path.as_posix()


def _moved(index: Path, book: Book) -> tuple[Moved, ...]:
    """Which hashes today's rules changed; the same rules change none, so that nothing is read."""
    moved = []
    try:
        old = local.LocalStore.open(index)
        if old.recipe.ruleset == ruleset_digest():
            return ()
        for before in map(old.entry, range(len(old))):
            then = before.signature
            if then is None or before.id not in book:
                continue
            if book.sig_sha(before.id) not in ("", then.sig_sha):
                now = book.entry(before.id).signature
                assert now is not None
                why = tuple(what_moved(then, now))
                moved.append(Moved(before.id, then.sig_sha, now.sig_sha, why))
    except BadIndex:
        return ()  # nothing to compare with
    return tuple(sorted(moved))
