"""Our own memory file: append-only JSON lines that people read, diff, commit and merge.

One record a line. A memory is `{"v":1,"op":"add","id","at","entry":{…}}`; what came of it is
`{"v":1,"op":"outcome","id","at","entry_id","outcome","loop"}`. `id` is a ULID, `at` is UTC.
A line is never changed: git may merge two journals by taking the lines of both.

`mem learn` writes `"op":"found"` (a loop found or used the pattern `entry_id`: where, what came of
it) and `"op":"loop"` (how a loop ended), whose ids follow from what they say; `mem patterns` writes
decisions: `merge`, `split`, `archive`, `restore`, `undo`.
"""

import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import OUTCOMES, Entry, Evidence, shortened
from indexing.errors import JournalBusy, MemError
from indexing.plain import kind_of
from indexing.redact import redact

VERSION = 1
LONGEST_LINE = 1 << 20
"""A longer record is refused, in bytes."""
LOCK_WAIT_S = 10.0
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class Outcome(NamedTuple):
    """What came of showing an entry: one of `OUTCOMES`; `loop` names the run, `""` unknown.

    `who` is the person who said so, `""` when a program did.
    """

    entry_id: str
    outcome: str
    at: str = ""
    loop: str = ""
    who: str = ""


def append(journal: Path, entry: Entry, wait_s: float = LOCK_WAIT_S) -> str:
    """Record an entry; its id, a new one unless it has one. It is on disk when this returns.

    Secrets are taken out before anything is written. `source` and `trust` are not recorded, and of
    the signature only what signs it again.

    Raises:
        JournalBusy: Another process held the lock for more than `wait_s` seconds.
        MemError: The record is too long, or the disk does not take it; nothing was recorded.
    """
    now = datetime.now(UTC)
    id = entry.id or ulid(now)
    record = {"v": VERSION, "op": "add", "id": id, "at": _utc(now), "entry": _told(entry, now)}
    append_record(journal, record, wait_s)
    return id


def append_outcome(journal: Path, outcome: Outcome, wait_s: float = LOCK_WAIT_S) -> str:
    """Record what came of an entry; the record's id. Errors are those of `append`."""
    if outcome.outcome not in OUTCOMES:
        known = ", ".join(OUTCOMES)
        raise MemError(f"{journal}: '{outcome.outcome}' is no outcome; use one of {known}")
    now = datetime.now(UTC)
    id = ulid(now)
    record = {"v": VERSION, "op": "outcome", "id": id, "at": outcome.at or _utc(now)}
    append_record(
        journal,
        {
            **record,
            "entry_id": outcome.entry_id,
            "outcome": outcome.outcome,
            "loop": outcome.loop,
            **({"who": outcome.who} if outcome.who else {}),
        },
        wait_s,
    )
    return id


def add_record(entry: Entry, at: str = "") -> dict[str, Any]:
    """The record of an entry that has an id, and no evidence but its own; for `append_missing`."""
    now = datetime.now(UTC)
    told = _told(entry, now)
    told["evidence"] = entry.evidence._asdict()
    return {"v": VERSION, "op": "add", "id": entry.id, "at": at or _utc(now), "entry": told}


def append_missing(
    journal: Path, records: Iterable[Mapping[str, Any]], wait_s: float = LOCK_WAIT_S
) -> list[Mapping[str, Any]]:
    """Record, at once, what has an `op` and `id` that no record has yet; which these were.

    Two that record the same leave it once. Errors are those of `append`.
    """
    with alone(journal, wait_s):
        known = _known(journal)
        missing: list[Mapping[str, Any]] = []
        lines: list[bytes] = []
        for record in records:
            key = (str(record["op"]), str(record["id"]))
            if key in known:
                continue
            known.add(key)
            line = _line(record)
            if len(line) > LONGEST_LINE:
                raise MemError(f"{journal}: {key[1]} has {len(line):,} bytes, too many; learn less")
            missing.append(record)
            lines.append(line)
        if lines:
            _append_line(journal, b"".join(lines))
    return missing


def _known(journal: Path) -> set[tuple[str, str]]:
    known: set[tuple[str, str]] = set()
    try:
        with journal.open("rb") as file:
            for line in file:
                try:
                    record = json.loads(line)
                    known.add((str(record["op"]), str(record["id"])))
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue  # the reader says what is wrong with it
    except FileNotFoundError:
        return known
    except OSError as error:
        raise unwritten(journal, error) from error
    return known


def credited(evidence: Evidence, outcomes: Iterable[Outcome]) -> Evidence:
    """The evidence with outcomes counted in.

    One loop counts once for each kind of outcome, so that reporting it twice changes nothing; of
    `helped`, `harmed` and `unused` its last one counts, and what a person said before what a
    program did. Being shown says nothing of a fix: it moves neither time. What helped or harmed was
    applied; what was applied and did not help is a use without success.
    """
    counts = dict.fromkeys(OUTCOMES, 0)
    tried = 0
    times = [time for time in (evidence.first, evidence.last) if time]
    for loop, reported in _by_loop(outcomes).items():
        told = reported if not loop else _verdict(reported)
        counted = [each.outcome for each in told]
        for outcome in counted:
            counts[outcome] += 1
        judged = counted.count("helped") + counted.count("harmed")
        tried += max(judged, counted.count("applied"))
        times += [each.at for each in told if each.at and each.outcome in _USES]
    helped = evidence.helped + counts["helped"]
    harmed = evidence.harmed + counts["harmed"]
    return evidence._replace(
        shown=evidence.shown + counts["shown"],
        applied=max(evidence.applied + tried, helped + harmed),
        helped=helped,
        harmed=harmed,
        first=min(times, default=""),
        last=max(times, default=""),
    )


_USES = ("applied", "helped", "harmed")
_JUDGED = ("helped", "harmed", "unused")


def _by_loop(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    by_loop: dict[str, list[Outcome]] = {}
    for each in outcomes:
        by_loop.setdefault(each.loop, []).append(each)
    return by_loop


def _verdict(reported: Sequence[Outcome]) -> list[Outcome]:
    """What one loop says in the end: each kind once, of the judgements the one that counts."""
    kinds = {each.outcome: each for each in sorted(reported, key=lambda each: each.at)}
    # of the same second the later line
    judged = [each for each in reversed(reported) if each.outcome in _JUDGED]
    last = max(judged, key=lambda each: (bool(each.who), each.at), default=None)
    return [each for each in kinds.values() if each.outcome not in _JUDGED] + (
        [last] if last else []
    )


def ulid(now: datetime) -> str:
    """26 letters and digits that sort by time: 48 bits of milliseconds, 80 random ones."""
    number = int(now.timestamp() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    return "".join(
        "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[number >> 5 * at & 31] for at in range(25, -1, -1)
    )


def _utc(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _told(entry: Entry, now: datetime) -> dict[str, Any]:
    signature = entry.signature
    context = dict(signature.context) if signature else {}
    told = {
        "kind": entry.kind,
        "title": entry.title,
        "body": entry.body,
        "labels": list(entry.labels),
        "files": None if entry.files is None else list(entry.files),
        "raw": signature.raw if signature else "",
        "tool": signature.tool if signature else "",
        "command": context.pop("command", ""),
        "exit_code": context.pop("exit_code", None),
        "lesson": entry.lesson._asdict(),
        "captured_at": entry.captured_at or _utc(now),
        "extra": dict(entry.extra),
    }
    if signature and signature.rule:
        told["rule"] = signature.rule
    if signature and signature.joined:
        told["joined"] = list(signature.joined)
    if context:
        told["context"] = context
    if entry.evidence != Evidence():
        told["evidence"] = entry.evidence._asdict()
    return told


def append_record(journal: Path, record: Mapping[str, Any], wait_s: float = LOCK_WAIT_S) -> None:
    """Record one line, without secrets; it is on disk when this returns. Errors are `append`'s."""
    line = _line(record)
    if len(line) > LONGEST_LINE:
        raise MemError(
            f"{journal}: the record has {len(line):,} bytes, at most {LONGEST_LINE:,} are kept;"
            " record less"
        )
    with alone(journal, wait_s):
        _append_line(journal, line)


def _line(record: Mapping[str, Any]) -> bytes:
    # Each text by itself, where line starts and escapes stand as they were written; then the
    # line, where a secret's name stands beside its value.
    text = json.dumps(_stored(record), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return (redact(text) + "\n").encode()


def _stored(value: Any) -> Any:
    """The value as JSON, without secrets, endless texts, and what no UTF-8 can hold."""
    if isinstance(value, str):
        return shortened(redact(value).encode("utf-8", "replace").decode())
    if isinstance(value, Mapping):
        return {_stored(str(key)): _stored(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_stored(each) for each in value]
    if isinstance(value, float) and value - value != 0:  # NaN and the infinities are no JSON
        return str(value)
    return value


@contextmanager
def alone(journal: Path, wait_s: float) -> Iterator[None]:
    """Hold the lock beside the journal; the kernel releases it when its holder dies."""
    import filelock

    if not journal.parent.is_dir():  # else the lock would make it, where nobody looks for it
        missing = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        raise unwritten(journal, missing)
    path = journal.with_name(journal.name + ".lock")
    lock = filelock.FileLock(path, timeout=wait_s, poll_interval=0.01)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise JournalBusy(
            f"{path}: another process has held the lock for {wait_s:g} s; let it finish, or end it"
        ) from None
    except (OSError, NotImplementedError) as error:
        raise unwritten(path, error) from error
    try:
        yield
    finally:
        lock.release()


def _append_line(journal: Path, line: bytes) -> None:
    try:
        is_new = not journal.exists()
        descriptor = os.open(journal, os.O_RDWR | os.O_APPEND | os.O_CREAT | _FLAGS, 0o644)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                what = kind_of(status.st_mode)
                raise MemError(f"{journal}: {what}; move it away. Nothing was recorded")
            size = status.st_size
            if size and _last_byte(descriptor, size) != b"\n":
                line = b"\n" + line
            _write_whole(descriptor, size, line)
        finally:
            os.close(descriptor)
        if is_new:
            flush_folder(journal.resolve().parent)
    except OSError as error:
        raise unwritten(journal, error) from error


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def _write_whole(descriptor: int, size: int, line: bytes) -> None:
    """All of the line or, when the disk does not take it, nothing of it."""
    written = 0
    try:
        written = os.write(descriptor, line)
        if written < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except OSError:
        # Only what we wrote: a program that knows nothing of the lock may have written behind it.
        if written and os.fstat(descriptor).st_size == size + written:
            os.ftruncate(descriptor, size)
        raise


def flush_folder(folder: Path) -> None:
    """Have the disk know which files are in the folder."""
    if os.name == "nt":
        return  # folders cannot be opened there, and need not be flushed
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def unwritten(path: Path, error: Exception) -> MemError:
    """The error for a caller, of one that the system gave."""
    cures: dict[type[Exception], str] = {
        FileNotFoundError: "create its folder with `mem init`",
        PermissionError: "let this user write there",
        IsADirectoryError: "move the folder of that name away",
        NotADirectoryError: "one of its folders is a file",
    }
    cure = cures.get(type(error), "free space or mend the disk")
    what = getattr(error, "strerror", None) or error
    return MemError(f"{path}: cannot be written ({what}); {cure}. Nothing was recorded")
