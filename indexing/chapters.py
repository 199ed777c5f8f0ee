"""A MEMORY FILE BECOMES A CHAPTER: read, signed anew, without secrets, its rows in a file.

A chapter is what one process makes of one memory file, and small enough to be sent to another: the
rows lie in a file of their own (the spool), and of each entry no more is kept than what orders it,
finds it, and goes into the parts.
"""

import hashlib
import mmap
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from types import TracebackType

from indexing.entry import LONGEST_TEXT, Entry, Lesson, Source, path_of, shortened
from indexing.errors import MemError, UnreadableMemory
from indexing.journal import Outcome
from indexing.plain import odd, open_plain
from indexing.readers import reader_of
from indexing.readers.interface import (
    Decided,
    Divides,
    Quarantined,
    Reader,
    Section,
    Spoken,
    Spread,
    Told,
)
from indexing.recipe import Made
from indexing.redact import redact, suspect, suspects
from indexing.signature import Signature, sign
from indexing.stores.generations import Buffer
from indexing.stores.segment import decode, encode_all
from indexing.typed import Any, NamedTuple, Protocol

SHA = 32
UNSIGNED = bytes(SHA)
_SECTION = 64 << 20  # bytes: of a section's entries some hundred megabytes are gathered
AT_ONCE = 1024
"""So many entries are prepared, written and gathered together."""
_MOST_PATHS = 1 << 18  # the same files are touched again and again
_settled: set[str] = set()  # those that stay as they are


class Gatherer(Protocol):
    """What a part keeps of entries as they come."""

    def take(self, entries: Sequence[Entry]) -> None:
        """Take in the next entries, at most `AT_ONCE`."""

    def done(self) -> Mapping[str, Buffer]:
        """All that was taken, as files: it goes from process to process, and is kept."""


class Nothing:
    """The gatherer of a part that looks at whole entries when it is merged."""

    def take(self, entries: Sequence[Entry]) -> None:
        """Keep nothing of them."""

    def done(self) -> Mapping[str, Buffer]:
        """No file."""
        return {}


class Gathers(Made, Protocol):
    """A part, as far as chapters know it."""

    def gather(self) -> Gatherer:
        """A gatherer that has no entry yet."""


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


class Files(Mapping[str, Buffer]):
    """Files by name, each mapped into memory when it is asked for, and no longer than it is used.

    Millions of entries have gigabytes of them.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.paths = paths

    def __getitem__(self, name: str) -> Buffer:
        return memoryview(mapped(self.paths[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def put_down(files: Mapping[str, Buffer], beside: Path) -> Files:
    """The same files on the disk, under names that begin as `beside`."""
    paths = {}
    for name, data in files.items():
        paths[name] = beside.with_name(f"{beside.name}-{name}")
        paths[name].write_bytes(data)
    return Files(paths)


def mapped(path: Path) -> mmap.mmap | bytes:
    """The file's bytes, of which only those are read that are looked at."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""  # nothing cannot be mapped
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class Pages(NamedTuple):
    """Entries as they will stand in the index, numbered from 0 as they came.

    `spool` is the file of their rows, of which `offsets` (n + 1) says where each begins;
    `signatures` holds 32 bytes each, `UNSIGNED` for none; `gathered` is what each part keeps.
    """

    spool: Path
    offsets: "array[int]"
    ids: Sequence[str]
    times: Sequence[str]
    signatures: bytes
    gathered: tuple[Files, ...]

    def entry(self, number: int) -> Entry:
        """The entry of that number."""
        begin, end = self.offsets[number], self.offsets[number + 1]
        with self.spool.open("rb") as file:
            file.seek(begin)
            return decode(file.read(end - begin))


class Draft:
    """Pages that are being written, to be used in a `with`."""

    def __init__(self, spool: Path, parts: Iterable[Gathers]) -> None:
        self._spool = spool
        self._gatherers = [part.gather() for part in parts]
        self._offsets = array("Q", [0])
        self._ids: list[str] = []
        self._times: list[str] = []
        self._signatures = bytearray()

    def __enter__(self) -> "Draft":
        self._file = self._spool.open("wb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def take(self, entries: Sequence[Entry]) -> None:
        """Write the next entries, at most `AT_ONCE`.

        Raises:
            NotJsonError: One of them holds what JSON cannot; nothing was written.
        """
        import numpy as np

        try:
            rows = encode_all(entries)
        except (TypeError, ValueError, RecursionError) as error:
            raise NotJsonError(str(error)) from error
        self._file.write(rows)
        ends = np.flatnonzero(np.frombuffer(rows, np.uint8) == ord("\n")) + 1
        self._offsets.frombytes((ends + self._offsets[-1]).astype(np.uint64).tobytes())
        self._ids += [entry.id for entry in entries]
        self._times += [entry.captured_at for entry in entries]
        self._signatures += b"".join(map(_sha_of, entries))
        for gatherer in self._gatherers:
            gatherer.take(entries)

    def done(self) -> Pages:
        """What was written; nothing is to be added any more."""
        self._file.flush()
        gathered = tuple(
            put_down(gatherer.done(), self._spool.with_name(f"{self._spool.name}-{number}"))
            for number, gatherer in enumerate(self._gatherers)
        )
        return Pages(
            self._spool,
            self._offsets,
            self._ids,
            self._times,
            bytes(self._signatures),
            gathered,
        )


class NotJsonError(Exception):
    """An entry holds what JSON cannot."""


def _sha_of(entry: Entry) -> bytes:
    return bytes.fromhex(entry.signature.sig_sha) if entry.signature else UNSIGNED


class Chapter(NamedTuple):
    """What one memory file gave, and what was wrong with it.

    `read`, `source` and `pages` are None when it gave nothing. `credits` counts what it says of
    the entries of others, `credited_by` says where; `decided` is what people decided of any.
    `spoken` is what all lines of a journal speak of, None when their bytes do not tell them apart.
    """

    read: FileRead | None = None
    source: Mapping[str, Any] | None = None
    pages: tuple[Pages, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    credits: Mapping[Outcome, int] = {}
    credited_by: Mapping[Outcome, Source] = {}
    unmatched: Mapping[str, int] = {}
    decided: tuple[Decided, ...] = ()
    spoken: Spoken | None = None


def chapter_of(
    name: str,
    path: Path,
    spool: Path,
    parts: Sequence[Gathers],
    max_file_mb: int,
    spread: Spread | None = None,
    shares: int = 1,
) -> Chapter:
    """Read one memory file; what is wrong with it is noted and goes no further.

    Args:
        name: How the file is called in the index.
        path: Where it is.
        spool: A file to be written: the rows. Others may be, whose names begin like its own.
        parts: What they keep is gathered.
        max_file_mb: A bigger file is skipped.
        spread: If it is given, the file is read in sections where that can be done.
        shares: So many processes read them.
    """
    reader = finds(name, path, max_file_mb)
    if isinstance(reader, Skipped):
        return Chapter(skipped=(reader,))
    try:
        with open_plain(path) as file:
            sha = hashlib.file_digest(file, "sha256").hexdigest()
            source = {"file": name, "size": file.tell(), "sha256": sha}
        sections = _sections(reader, path, name, spread, shares)
    except Exception as error:  # a reader's mistake must not cost the other files
        return Chapter(skipped=(skipped_for(name, path, error),))
    jobs = [
        _Job(section, name, path, reader, spool.with_name(f"{spool.name}.{number}"), parts)
        for number, section in enumerate(sections)
    ]
    chapter = _joined(list((spread or map)(_read, jobs)))
    return chapter._replace(source=source) if chapter.read else chapter


def _sections(
    reader: Reader, path: Path, name: str, spread: Spread | None, shares: int
) -> Sequence[Section]:
    if not isinstance(reader, Divides):
        return [_Whole(reader, path, name)]
    size = min(_SECTION, path.stat().st_size // shares + 1)
    parts = reader.sections(path, name, size, spread) if spread else ()
    return parts or [reader.whole(path, name)]


class _Whole(NamedTuple):
    """A file that cannot be divided."""

    reader: Reader
    path: Path
    name: str

    def read(self) -> Iterator[Told]:
        return self.reader.read(self.path, self.name)


class _Job(NamedTuple):
    """A section that is to be read."""

    section: Section
    name: str
    path: Path
    reader: Reader
    spool: Path
    parts: Sequence[Gathers]


def _read(job: _Job) -> Chapter:
    """What the section tells; `source` is left to the file."""
    with Draft(job.spool, job.parts) as draft:
        reading = _Reading(draft, job.reader.signs)
        skipped: tuple[Skipped, ...] = ()
        try:
            try:
                for record in job.section.read():
                    reading.take(record)
            finally:
                reading.settle()
        except SpoolError as error:
            raise error.cause from error
        except Exception as error:  # a reader's mistake must not cost the other files
            skipped = (skipped_for(job.name, job.path, error),)
            if not reading.count:  # what it gave before stays
                return Chapter(skipped=skipped, quarantined=tuple(reading.quarantined))
        read = FileRead(job.name, job.reader.name, reading.count)
        return reading.chapter()._replace(read=read, skipped=skipped)


def _joined(sections: Sequence[Chapter]) -> Chapter:
    """The chapter of a file from those of its sections."""
    read = [each.read for each in sections if each.read]
    credits: Counter[Outcome] = Counter()
    unmatched: Counter[str] = Counter()
    for each in sections:
        credits.update(each.credits)
        unmatched.update(each.unmatched)
    return Chapter(
        read[0]._replace(entries=sum(each.entries for each in read)) if read else None,
        None,
        tuple(chain.from_iterable(each.pages for each in sections)),
        tuple(chain.from_iterable(each.skipped for each in sections)),
        tuple(chain.from_iterable(each.quarantined for each in sections)),
        credits,
        {outcome: by for each in sections for outcome, by in each.credited_by.items()},
        unmatched,
        tuple(chain.from_iterable(each.decided for each in sections)),
        next((each.spoken for each in sections if each.spoken), None),
    )


def chapter_from_records(
    records: Iterable[Told],
    signed: bool,
    spool: Path,
    parts: Iterable[Gathers],
) -> Chapter:
    """The chapter of some records of a memory file: entries are prepared as `chapter_of` does."""
    with Draft(spool, parts) as draft:
        reading = _Reading(draft, signed)
        try:
            for record in records:
                reading.take(record)
            reading.settle()
        except SpoolError as error:
            raise error.cause from error
        return reading.chapter()


def chapter_of_prepared(entries: Iterable[Entry], spool: Path, parts: Iterable[Gathers]) -> Chapter:
    """The chapter of entries that were prepared before."""
    with Draft(spool, parts) as draft:
        for some in batches(entries):
            draft.take(some)
        return Chapter(pages=(draft.done(),))


def batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in lists of at most `AT_ONCE`."""
    rest = iter(entries)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def finds(name: str, path: Path, max_file_mb: int) -> Reader | Skipped:
    """The file's reader, or why it cannot be read."""
    try:
        reader = _reader_of(name, path, max_file_mb)
        open_plain(path).close()
    except Exception as error:  # a reader's mistake must not cost the other files
        return skipped_for(name, path, error)
    return reader


class SpoolError(Exception):
    """The disk does not take the rows, which is no fault of the memory file."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


class _Reading:
    """What a reader gave so far."""

    def __init__(self, draft: Draft, signed: bool) -> None:
        self._draft = draft
        self._signed = signed
        self._waiting: list[Entry] = []
        self.count = 0
        self.quarantined: list[Quarantined] = []
        self.credits: Counter[Outcome] = Counter()
        self.credited_by: dict[Outcome, Source] = {}
        self.unmatched: Counter[str] = Counter()
        self.decided: list[Decided] = []
        self.spoken: Spoken | None = None

    def take(self, record: Told | Spoken) -> None:
        if isinstance(record, Entry):  # which most are
            if record.trust != "clean":
                self._put_aside(record, record.trust.removeprefix("quarantined: "))
                return
            self._waiting.append(record)
            if len(self._waiting) >= AT_ONCE:
                self.settle()
        elif isinstance(record, Quarantined):
            self.quarantined.append(record)
        elif isinstance(record, Decided):
            self.decided.append(record)
        elif isinstance(record, Spoken):
            self.spoken = record
        else:
            self.credits[record.outcome] += 1
            self.credited_by.setdefault(record.outcome, record.source)

    def settle(self) -> None:
        """Write what is waiting."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        entries = prepared(waiting, self._signed)
        try:
            self._keep(entries)
        except NotJsonError:
            for entry in entries:
                try:
                    self._keep([entry])
                except NotJsonError as error:
                    self._put_aside(entry, f"holds what JSON cannot: {error}")

    def chapter(self) -> Chapter:
        """All that was taken; nothing is to be taken any more."""
        return Chapter(
            pages=(self._draft.done(),),
            quarantined=tuple(self.quarantined),
            credits=self.credits,
            credited_by=self.credited_by,
            unmatched=self.unmatched,
            decided=tuple(self.decided),
            spoken=self.spoken,
        )

    def _keep(self, entries: Sequence[Entry]) -> None:
        try:
            self._draft.take(entries)
        except OSError as error:
            raise SpoolError(error) from error
        self.count += len(entries)
        signatures = (entry.signature for entry in entries)
        self.unmatched.update(
            each.tool for each in signatures if each and each.rule.endswith(":unmatched")
        )

    def _put_aside(self, entry: Entry, reason: str) -> None:
        self.quarantined.append(Quarantined(entry.source, reason, entry.title[:200]))


def _reader_of(name: str, path: Path, max_file_mb: int) -> Reader:
    if what := odd(path):
        raise UnreadableMemory(f"{name}: {what}")
    if path.is_dir():
        linked = "is a link to a folder; name the folder itself to have it read"
        raise UnreadableMemory(f"{name}: {linked if path.is_symlink() else 'cannot be listed'}")
    size = path.stat().st_size
    if size > max_file_mb << 20:
        cap = f"MEM_MAX_FILE_MB={max_file_mb}"
        raise UnreadableMemory(f"{name}: has {size >> 20} MB, more than {cap}; raise it")
    reader = reader_of(path)
    if reader is None:
        raise UnreadableMemory(f"{name}: no reader knows this format")
    return reader


def prepared(entries: Sequence[Entry], signed: bool) -> list[Entry]:
    """The entries signed with today's rules, unless they are, and without secrets.

    They are signed before secrets go: the log that will be looked up has them still.
    """
    made = _spelt(entries if signed else list(map(_signed_anew, entries)))
    for number in _doubtful(list(map(_text_of, made))):
        made[number] = _cleaned(made[number])
    return made


def _doubtful(texts: Sequence[str]) -> set[int]:
    """Which of the texts may hold a secret, or are endless."""
    return suspects(texts) | {at for at, text in enumerate(texts) if len(text) > LONGEST_TEXT}


def _signed_anew(entry: Entry) -> Entry:
    stored = entry.signature
    if stored is None:
        return entry
    command = stored.context.get("command")
    known = command if isinstance(command, str) else ""
    today = sign(stored.raw, stored.tool, stored.joined, known, stored.rule)
    return entry._replace(signature=today._replace(line=stored.line, context=stored.context))


def _spelt(entries: Iterable[Entry]) -> list[Entry]:
    """The entries with each of their files once, in one spelling and without secrets."""
    made = list(entries)
    odd = _unsettled(set().union(*(entry.files for entry in made if entry.files)))
    for number, entry in enumerate(made):
        files = entry.files or ()
        if len(set(files)) != len(files) or not odd.isdisjoint(files):
            paths = dict.fromkeys(filter(None, map(_path_of, files)))
            made[number] = entry._replace(files=tuple(map(_clean_path, paths)))
    return made


def _unsettled(paths: set[str]) -> set[str]:
    """Those of the paths that do not stay as they are."""
    new = [path for path in paths - _settled if path_of(path) == path]
    doubtful = _doubtful(new)
    if len(_settled) > _MOST_PATHS:
        _settled.clear()
    _settled.update(path for number, path in enumerate(new) if number not in doubtful)
    return {path for path in paths - _settled if _clean_path(_path_of(path)) != path}


_path_of = lru_cache(maxsize=1 << 16)(path_of)


@lru_cache(maxsize=1 << 16)
def _clean_path(path: str) -> str:
    return str(_redacted(path))


def _text_of(entry: Entry) -> str:
    """All texts of an entry but its files, a line each at least."""
    worked, failed, gotchas, cause, fix, steps, template = entry.lesson
    text = f"{entry.title}\n{entry.body}\n{cause}\n{fix}\n{template}"
    others = [*entry.labels, *worked, *failed, *gotchas, *steps]
    if (signature := entry.signature) is not None:
        text = f"{text}\n{signature.raw}\n{signature.normalised}"
        others += signature.joined
        if signature.context:
            others += _texts(signature.context)
    if entry.extra:
        others += _texts(entry.extra)
    return "\n".join((text, *others)) if others else text


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value but names of keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _cleaned(entry: Entry) -> Entry:
    return entry._replace(
        title=_redacted(entry.title),
        body=_redacted(entry.body),
        labels=_redacted(entry.labels),
        signature=None if entry.signature is None else _without_secrets_in(entry.signature),
        lesson=Lesson._make(map(_redacted, entry.lesson)),
        extra=_redacted(entry.extra),
    )


def _without_secrets_in(signature: Signature) -> Signature:
    return signature._replace(
        raw=_without_secrets(signature.raw),
        normalised=_without_secrets(signature.normalised),
        joined=_redacted(signature.joined),
        context=_redacted(signature.context),
    )


def _without_secrets(text: str) -> str:
    return redact(text) if suspect(text) else text


def _redacted(value: Any) -> Any:
    """The same value, with no secret and no endless text in it."""
    if isinstance(value, str):
        return shortened(_without_secrets(value))
    if isinstance(value, Mapping):
        return {key: _redacted(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_redacted, value))
    return value


def skipped_for(name: str, path: Path, error: Exception) -> Skipped:
    """What is noted of a memory file: where it is wrong, and why."""
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
