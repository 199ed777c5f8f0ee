"""What the memory files looked like when an index was made: what has not changed is not read again.

    DIR/.stamps    the base it was made for, and of each file size, time of change, inode, and the
                   checksum of its end

It holds for this machine, is no part of a generation, and may be deleted at any time: then all is
read. A file is as it was when size, time and inode are; where the time proves nothing, its bytes
decide. A journal that has grown is as it was before when it is the same inode and what stood in it
still stands there; of one that was bigger than 64 MB the end alone is looked at.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from indexing.plain import open_plain, read_plain

_NAME = ".stamps"
_SETTLED_NS = 2_000_000_000  # a file that was written later may change and keep its time
_END = 1 << 16
_BIG = 64 << 20  # to read all of it would be felt by whoever records


class Stamp(NamedTuple):
    """A file as it was: `time` is 0 where it proves nothing, `end` the checksum of its end."""

    size: int
    time: int
    inode: int
    end: str


class Stamps(NamedTuple):
    """The files of a base by name, None where one could not be looked at.

    `made` is all else that decides what reading them gives.
    """

    base: str
    made: str
    files: Mapping[str, Stamp | None]


def stamp_of(path: Path) -> Stamp | None:
    """How the file looks now; None when it cannot be read."""
    try:
        with open_plain(path) as file:
            status = os.fstat(file.fileno())
            end = _end(file.fileno(), status.st_size)
    except OSError:
        return None
    settled = status.st_mtime_ns < time.time_ns() - _SETTLED_NS
    return Stamp(status.st_size, status.st_mtime_ns if settled else 0, status.st_ino, end)


def is_as_it_was(path: Path, before: Stamp, sha256: str) -> bool:
    """Whether a file has not changed; `sha256` is that of the bytes it had.

    Raises:
        OSError: It cannot be read.
    """
    status = path.stat()
    if status.st_size != before.size:
        return False
    if before.time and (status.st_mtime_ns, status.st_ino) == (before.time, before.inode):
        return True
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def has_grown(path: Path, before: Stamp, sha256: str) -> bool:
    """Whether a file is what it was, and more behind it; `sha256` is that of the bytes it had.

    Raises:
        OSError: It cannot be read.
    """
    with open_plain(path) as file:
        status = os.fstat(file.fileno())
        if status.st_ino != before.inode or status.st_size <= before.size:
            return False
        if before.size > _BIG:
            return _end(file.fileno(), before.size) == before.end
        return hashlib.sha256(file.read(before.size)).hexdigest() == sha256


def _end(descriptor: int, size: int) -> str:
    begin = max(0, size - _END)
    os.lseek(descriptor, begin, os.SEEK_SET)
    return hashlib.sha256(os.read(descriptor, size - begin)).hexdigest()


def keep(index: Path, base: str, made: str, files: Mapping[str, Stamp | None]) -> None:
    """Note them for the index; a disk that does not take it costs the next update its speed."""
    told = {"base": base, "made": made, "files": files}
    with suppress(OSError):
        new = index / f"{_NAME}.new"
        new.write_text(json.dumps(told), encoding="ascii")
        new.replace(index / _NAME)


def kept(index: Path) -> Stamps | None:
    """What was noted for the index; None when that is nothing that could be used."""
    try:
        told: dict[str, Any] = json.loads(read_plain(index / _NAME))
        files = {
            str(name): None if stamp is None else Stamp(*stamp)
            for name, stamp in told["files"].items()
        }
        return Stamps(str(told["base"]), str(told["made"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def made_by(program: str, max_file_mb: int, unlisted: Iterable[tuple[object, ...]]) -> str:
    """What decides, beside the files, what reading them gives."""
    return repr((program, max_file_mb, sorted(map(tuple, unlisted))))
