"""ENTRIES BECOME AN INDEX: memory files are read, signed anew, sorted, and handed to the parts."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from indexing.entry import Entry, Lesson, Source, path_of, shortened
from indexing.errors import BadIndex, MemError, UnreadableMemory
from indexing.journal import Outcome, credited
from indexing.plain import odd, open_plain
from indexing.readers import memory_files, reader_of
from indexing.readers.interface import Credit, Quarantined, Reader
from indexing.recipe import Made, today
from indexing.redact import redact, suspect
from indexing.settings import Settings
from indexing.signature import Signature, ruleset_digest, sign
from indexing.signature.moved import what_moved
from indexing.stores import generations, local
from indexing.stores.generations import Buffer

LOCK_WAIT_S = 600.0  # a build of a million entries takes a minute


class Part(Made, Protocol):
    """What a tier keeps in the index."""

    def build(self, entries: Sequence[Entry]) -> Mapping[str, Buffer]:
        """File names to their bytes; `entries` are in order of their rows."""
        ...


class Progress(NamedTuple):
    """So much of a stage is done; `stage` is `read`, `write` or the name of a part."""

    stage: str
    done: int
    total: int


class FileRead(NamedTuple):
    """A memory file that was read; `entries` counts those it gave, before duplicates went."""

    file: str
    reader: str
    entries: int


class Skipped(NamedTuple):
    """A memory file that was not read, or not to its end; `line` is 0 when it has none."""

    file: str
    line: int
    reason: str


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
) -> Report:
    """Rebuild `index` from memory files; say what was read, skipped, quarantined and why.

    The same memory gives the same bytes, in whatever order its files are named or listed. Memory
    is read when no other build is at work, so that the last of several has what was there before
    any of them began.

    Args:
        memory: Files and folders.
        index: The index's folder; it is made when it is missing.
        parts: What the tiers keep.
        settings: `max_file_mb` counts here.
        on_progress: Called with every step.
        root: Files below it are named relative to it, others as they are given; of an absolute
            path, no more than its last name is kept.

    Raises:
        UnreadableMemory: Nothing of the memory could be read; the old index stays.
        IndexBusy: Another build of this index is at work.
        BadIndex: The disk does not take it; the old index stays.
    """
    tell = on_progress or (lambda progress: None)
    try:
        with generations.alone(index, LOCK_WAIT_S):
            gathered = _gathered(memory, root, settings, tell)
            generations.clean(index)
            moved = _moved(index, gathered.kept)
            generation = write_index(gathered.kept.values(), index, parts, gathered.sources, tell)
    except OSError as error:
        where = error.filename or index
        raise BadIndex(f"{where}: {error.strerror or error}; the index stays as it was") from error
    return Report(
        generation=generation,
        entries=len(gathered.kept),
        files=tuple(gathered.files),
        skipped=tuple(sorted(gathered.skipped)),
        quarantined=tuple(gathered.quarantined),
        duplicates=tuple(gathered.duplicates),
        moved=moved,
        unmatched=tuple(sorted(gathered.unmatched.items())),
        unread=_named_among(gathered.skipped, memory, root),
    )


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """The entries as their rows are numbered: newest `captured_at` first, then by `id`."""
    by_id = sorted(entries, key=lambda entry: entry.id)
    return sorted(by_id, key=lambda entry: entry.captured_at, reverse=True)


def write_index(
    entries: Iterable[Entry],
    index: Path,
    parts: Sequence[Part],
    sources: Sequence[Mapping[str, Any]] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> str:
    """Make an index of entries that are signed and redacted; the name of its generation.

    The caller holds the lock of `generations.alone`.
    """
    tell = on_progress or (lambda progress: None)
    ordered = in_order(entries)
    built = {}
    for part in parts:
        tell(Progress(part.name, 0, 1))
        built[part.name] = part.build(ordered)
        tell(Progress(part.name, 1, 1))
    signatures = (
        (entry.signature.sig_sha, row)
        for row, entry in enumerate(ordered)
        if entry.signature is not None
    )
    tell(Progress("write", 0, 1))
    name = local.write(index, map(local.encode, ordered), signatures, sources, built, today(parts))
    tell(Progress("write", 1, 1))
    return name


def survey(
    memory: Sequence[Path], settings: Settings = Settings(), root: Path | None = None
) -> tuple[list[tuple[str, Path]], list[Skipped]]:
    """What `build_index` would read, with its names and in their order; what it could not.

    Of the latter those alone that `memory` names, and not what lies in its folders.
    """
    gathered = _Gathered(settings.max_file_mb)
    files = [
        (name, path) for name, path in _files(memory, root, gathered) if gathered.finds(name, path)
    ]
    unread = _named_among(gathered.skipped, memory, root)
    return files, [skipped for skipped in sorted(gathered.skipped) if skipped.file in unread]


def _named_among(
    skipped: Sequence[Skipped], memory: Sequence[Path], root: Path | None
) -> tuple[str, ...]:
    named = {_name(given, given, root) for given in memory}
    return tuple(sorted({each.file for each in skipped if each.file in named}))


def _gathered(
    memory: Sequence[Path],
    root: Path | None,
    settings: Settings,
    tell: Callable[[Progress], None],
) -> "_Gathered":
    """All that could be read.

    Raises:
        UnreadableMemory: That is nothing.
    """
    gathered = _Gathered(settings.max_file_mb)
    files = _files(memory, root, gathered)
    for done, (name, path) in enumerate(files):
        tell(Progress("read", done, len(files)))
        gathered.read(name, path)
    gathered.credit()
    tell(Progress("read", len(files), len(files)))
    if gathered.skipped and not gathered.files:
        first = gathered.skipped[0]
        raise UnreadableMemory(
            f"{first.file}: {first.reason}; no memory file could be read, the index stays as it was"
        )
    return gathered


class _Gathered:
    """What was read so far, each entry as it will stand in the index."""

    def __init__(self, max_file_mb: int) -> None:
        self.max_file_mb = max_file_mb
        self.kept: dict[str, Entry] = {}
        self.sources: list[dict[str, Any]] = []
        self.files: list[FileRead] = []
        self.skipped: list[Skipped] = []
        self.quarantined: list[Quarantined] = []
        self.duplicates: list[Duplicate] = []
        self.unmatched: Counter[str] = Counter()
        self._credits: Counter[Outcome] = Counter()
        self._credited_by: dict[Outcome, Source] = {}

    def read(self, name: str, path: Path) -> None:
        """Take in one memory file; what is wrong with it is noted and goes no further."""
        reader = self.finds(name, path)
        if reader is None:
            return
        count = 0
        credits: Counter[Outcome] = Counter()
        try:
            with open_plain(path) as file:
                sha = hashlib.file_digest(file, "sha256").hexdigest()
                size = file.tell()
            for record in reader.read(path, name):
                if isinstance(record, Quarantined):
                    self.quarantined.append(record)
                elif isinstance(record, Credit):
                    credits[record.outcome] += 1
                    self._credited_by.setdefault(record.outcome, record.source)
                else:
                    count += self._take(record, reader.signs)
        except Exception as error:  # what it gave before stays
            self.skipped.append(_skipped(name, path, error))
            if not count:
                return
        self._credits |= credits  # a journal that was copied credits no entry twice
        self.files.append(FileRead(name, reader.name, count))
        self.sources.append({"file": name, "size": size, "sha256": sha})

    def finds(self, name: str, path: Path) -> Reader | None:
        """The file's reader; None when it cannot be read, which is noted."""
        try:
            reader = self._reader_of(name, path)
            open_plain(path).close()
        except Exception as error:  # a reader's mistake must not cost the other files
            self.skipped.append(_skipped(name, path, error))
            return None
        return reader

    def _reader_of(self, name: str, path: Path) -> Reader:
        if what := odd(path):
            raise UnreadableMemory(f"{name}: {what}")
        if path.is_dir():
            linked = "is a link to a folder; name the folder itself to have it read"
            raise UnreadableMemory(f"{name}: {linked if path.is_symlink() else 'cannot be listed'}")
        size = path.stat().st_size
        if size > self.max_file_mb << 20:
            cap = f"MEM_MAX_FILE_MB={self.max_file_mb}"
            raise UnreadableMemory(f"{name}: has {size >> 20} MB, more than {cap}; raise it")
        reader = reader_of(path)
        if reader is None:
            raise UnreadableMemory(f"{name}: no reader knows this format")
        return reader

    def credit(self) -> None:
        """Count in what files say of the entries of others; to be called when all are read."""
        of: dict[str, list[Outcome]] = {}
        for outcome in sorted(self._credits.elements()):
            of.setdefault(outcome.entry_id, []).append(outcome)
        for id, outcomes in of.items():
            entry = self.kept.get(id)
            if entry is None:
                source = self._credited_by[outcomes[0]]
                told = ", ".join(outcome.outcome for outcome in outcomes)
                self.quarantined.append(Quarantined(source, f"no entry has the id {id}", told))
            else:
                evidence = credited(entry.evidence, outcomes)
                self.kept[id] = entry._replace(evidence=evidence)

    def _take(self, entry: Entry, signed: bool) -> int:
        if entry.trust != "clean":
            reason = entry.trust.removeprefix("quarantined: ")
            self.quarantined.append(Quarantined(entry.source, reason, entry.title[:200]))
            return 0
        entry = _prepared(entry, signed)
        try:
            local.encode(entry)
        except (TypeError, ValueError, RecursionError) as error:
            reason = f"holds what JSON cannot: {error}"
            self.quarantined.append(Quarantined(entry.source, reason, entry.title[:200]))
            return 0
        if entry.signature is not None and entry.signature.rule.endswith(":unmatched"):
            self.unmatched[entry.signature.tool] += 1
        self._keep(entry)
        return 1

    def _keep(self, entry: Entry) -> None:
        known = self.kept.get(entry.id)
        if known is None:
            self.kept[entry.id] = entry
            return
        kept, dropped = (entry, known) if _replaces(entry, known) else (known, entry)
        self.kept[entry.id] = kept
        self.duplicates.append(Duplicate(entry.id, kept.source, dropped.source))


def _replaces(entry: Entry, known: Entry) -> bool:
    """Whether the later one is the newer one; counters are of one record, never added."""
    ages = [(each.captured_at, each.evidence.last, each.evidence[:5]) for each in (entry, known)]
    if ages[0] == ages[1]:
        # within a file the later record corrects the earlier; of two files the first one counts
        return entry.source.file == known.source.file
    return ages[0] > ages[1]


def _prepared(entry: Entry, signed: bool) -> Entry:
    """The entry signed with today's rules, unless it is, and without secrets.

    It is signed before secrets go: the log that will be looked up has them still.
    """
    return entry._replace(
        title=_redacted(entry.title),
        body=_redacted(entry.body),
        labels=_redacted(entry.labels),
        files=None if entry.files is None else _redacted(_paths(entry.files)),
        signature=_signature(entry.signature, signed),
        lesson=Lesson._make(map(_redacted, entry.lesson)),
        extra=_redacted(entry.extra),
    )


def _paths(files: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in map(path_of, files) if path))


def _signature(stored: Signature | None, signed: bool) -> Signature | None:
    if stored is None:
        return None
    today = stored if signed else _signed_anew(stored)
    return today._replace(
        raw=redact(today.raw),
        normalised=redact(today.normalised),
        joined=_redacted(today.joined),
        line=stored.line,
        context=_redacted(stored.context),
    )


def _signed_anew(stored: Signature) -> Signature:
    command = stored.context.get("command")
    known = command if isinstance(command, str) else ""
    return sign(stored.raw, stored.tool, stored.joined, known, stored.rule)


def _redacted(value: Any) -> Any:
    """The same value, with no secret and no endless text in it."""
    if isinstance(value, str):
        return shortened(redact(value) if suspect(value) else value)
    if isinstance(value, Mapping):
        return {key: _redacted(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_redacted, value))
    return value


def _skipped(name: str, path: Path, error: Exception) -> Skipped:
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
    elif isinstance(error, MemError):
        reason = str(error)
    else:
        reason = f"{type(error).__name__}: {error}"
    reason = " ".join(reason.split())
    for prefix in (f"{path}:", f"{name}:"):
        reason = reason.removeprefix(prefix)
    numbered = re.match(r"(\d+):\s*", reason)
    line = int(numbered[1]) if numbered else 0
    return Skipped(name, line, reason[numbered.end() if numbered else 0 :].strip())


def _files(
    memory: Sequence[Path], root: Path | None, gathered: _Gathered
) -> list[tuple[str, Path]]:
    """Every memory file once, with its name, in order of the names."""
    named = []
    for given in memory:
        try:
            named += [(_name(given, path, root), path) for path in memory_files(given)]
        except (MemError, OSError) as error:
            gathered.skipped.append(_skipped(_name(given, given, root), given, error))
    # of a file that was given twice, the longer name tells more
    once: dict[str, tuple[str, Path]] = {}
    for name, path in sorted(named, key=lambda each: (-len(each[0]), each)):
        once.setdefault(os.path.realpath(path), (name, path))
    return sorted(once.values())


def _name(given: Path, path: Path, root: Path | None) -> str:
    if root is not None and path.absolute().is_relative_to(root.absolute()):
        return path.absolute().relative_to(root.absolute()).as_posix()
    if given.is_absolute():
        return (Path(given.name) / path.relative_to(given)).as_posix()
    return path.as_posix()


def _moved(index: Path, kept: Mapping[str, Entry]) -> tuple[Moved, ...]:
    """Which hashes today's rules changed; the same rules change none, so that nothing is read."""
    try:
        old = local.LocalStore.open(index)
        if old.recipe.ruleset == ruleset_digest():
            return ()
        before = {
            entry.id: entry.signature
            for entry in map(old.entry, range(len(old)))
            if entry.signature is not None
        }
    except BadIndex:
        return ()  # nothing to compare with
    moved = []
    for id, entry in sorted(kept.items()):
        then, now = before.get(id), entry.signature
        if then is not None and now is not None and then.sig_sha != now.sig_sha:
            moved.append(Moved(id, then.sig_sha, now.sig_sha, tuple(what_moved(then, now))))
    return tuple(moved)
