"""COMPACTING A JOURNAL: lines that say what another line says are dropped, and nothing else.

An index of what is left is that of the whole, but for the numbers of lines. Dropped are

    a record that stands twice       as two branches of git leave it
    an outcome that was told again   of the same entry by the same loop and person: the last counts
    blank lines

What cannot be read stays, and so do corrections and all that they correct.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from indexing.errors import MemError
from indexing.journal import LOCK_WAIT_S, VERSION, alone, flush_folder, unwritten
from indexing.plain import open_plain
from indexing.readers.record import is_utc

_OUTCOME = {"v", "op", "id", "at", "entry_id", "outcome", "loop", "who"}


class Compacted(NamedTuple):
    """How many lines there were and how many went, and the sizes before and after in bytes."""

    lines: int
    dropped: int
    size_before: int
    size: int


def compact(journal: Path, wait_s: float = LOCK_WAIT_S, dry_run: bool = False) -> Compacted:
    """Drop what is said twice; whatever stops it, there is the old file or the new one.

    A journal that is not there yet has no lines. Appending waits meanwhile. Errors are those of
    `journal.append`.
    """
    file = journal.resolve()
    with alone(journal, wait_s):
        if not file.exists():
            return Compacted(0, 0, 0, 0)
        try:
            survey = _Survey(file)
            if survey.dropped and not dry_run:
                _write(file, survey)
        except OSError as error:
            raise unwritten(journal, error) from error
    return Compacted(
        survey.lines, len(survey.dropped), survey.size, survey.size - survey.dropped_size
    )


def _write(journal: Path, survey: "_Survey") -> None:
    """Put the lines that stay in the place of all."""
    new = journal.with_name(f"{journal.name}.new")
    try:
        with new.open("wb") as file:
            for number, line in enumerate(_lines(journal)):
                if number not in survey.dropped:
                    file.write(line)
            file.flush()
            os.fsync(file.fileno())
        status = journal.stat()
        if status.st_size != survey.size:
            raise MemError(f"{journal}: somebody wrote without its lock meanwhile; try again")
        new.chmod(status.st_mode & 0o777)
        new.replace(journal)
        flush_folder(journal.parent)
    finally:
        new.unlink(missing_ok=True)


class _Survey:
    """Which lines may be dropped, by their numbers from 0."""

    def __init__(self, journal: Path) -> None:
        self.lines = self.size = self.dropped_size = 0
        self.dropped: set[int] = set()
        self._digests: dict[tuple[str, str], bytes] = {}
        self._ids: Counter[str] = Counter()
        self._told: dict[tuple[object, ...], _Told] = {}
        again: list[tuple[_Told, _Told]] = []
        is_odd = False
        for line in _lines(journal):
            record = _record(line)
            if not line.strip() or (record is not None and self._stands_twice(record)):
                self._drop(self.lines, len(line))
            elif record is None:
                is_odd = True  # it may hold a record of any id
                self._digests.clear()
            else:
                self._ids[record["id"].strip()] += 1
                again += self._told_again(record, len(line))
            self.lines += 1
            self.size += len(line)
        for earlier, later in again:
            # of several records of one id the first counts: where it goes, another would
            if not is_odd and all(self._ids[told.id.strip()] == 1 for told in (earlier, later)):
                self._drop(earlier.line, earlier.size)

    def _drop(self, line: int, size: int) -> None:
        self.dropped.add(line)
        self.dropped_size += size

    def _stands_twice(self, record: Mapping[str, Any]) -> bool:
        """Whether the record is as the last one of its id."""
        key = (record["op"].strip(), record["id"].strip())
        digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).digest()
        before = self._digests.get(key)
        self._digests[key] = digest
        return before == digest

    def _told_again(self, record: Mapping[str, Any], size: int) -> "Iterator[tuple[_Told, _Told]]":
        """Two outcomes that say the same, the earlier one first."""
        told = tuple(record.get(key, "") for key in ("entry_id", "outcome", "loop", "who"))
        at = record.get("at")
        if record["op"] != "outcome" or not record.keys() <= _OUTCOME or not record.get("loop"):
            return
        if type(record.get("v")) is not int or record["v"] != VERSION:
            return
        if not isinstance(at, str) or not is_utc(at):
            return
        if not all(isinstance(each, str) for each in told):
            return
        ours = _Told(at, self.lines, record["id"], size)
        theirs = self._told.setdefault(told, ours)
        if theirs is not ours:
            self._told[told] = max(ours, theirs)
            yield min(ours, theirs), max(ours, theirs)


class _Told(NamedTuple):
    """An outcome's time, line, id and size; the greater one counts."""

    at: str
    line: int
    id: str
    size: int


def _record(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None when it is none, or more than one."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    is_named = isinstance(record.get("op"), str) and isinstance(record.get("id"), str)
    return record if is_named else None


def _lines(journal: Path) -> Iterator[bytes]:
    with open_plain(journal) as file:
        yield from file
