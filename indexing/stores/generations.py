"""An index is generations and one pointer: a new one is written beside the old, then pointed at.

    DIR/CURRENT            the name of a generation; renamed into place, so never half written
    DIR/g-<digest>/        one generation: files that never change, and their manifest.json
    DIR/.building/         one that is being written, or what a crash left of it
    DIR/.spool/            what a build puts down while it reads
    DIR/.lock              held by a build; readers take no lock
    DIR/.owner             which build that is, for people

A generation's name is the digest of its manifest, which holds the digests of all its files: the
same memory gives the same name and the same bytes.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from indexing.errors import BadIndex, IndexBusy
from indexing.lazily import context_manager, expression, sha256
from indexing.plain import AnyPath, read_plain
from indexing.recipe import REBUILD
from indexing.typed import NamedTuple, Path

POINTER = "CURRENT"
MANIFEST = "manifest.json"
_BUILDING = ".building"
_SPOOL = ".spool"
_NEW = f"{POINTER}.new"
_LOCK = ".lock"
_OWNER = ".owner"
_NAME = expression(r"g-[0-9a-f]{32}")

_PIECE = 1 << 20

Buffer = bytes | memoryview


class Written(NamedTuple):
    """A file of a generation: its bytes, and their checksum in hex."""

    size: int
    sha256: str


def current(index: AnyPath) -> str:
    """The name of the generation that readers shall open.

    Raises:
        BadIndex: There is no index, or its pointer is damaged.
    """
    pointer = index / POINTER
    try:
        name = read_plain(pointer).decode("ascii", "replace").removesuffix("\n")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadIndex(f"{index}: no index here; {REBUILD}") from error
    except OSError as error:
        mend = f"let this user read it, or remove it and {REBUILD}"
        raise BadIndex(f"{pointer}: cannot be read ({error.strerror}); {mend}") from error
    if not _NAME.fullmatch(name):
        raise BadIndex(f"{pointer}: names no generation; {REBUILD}")
    return name


def name_of(manifest: bytes) -> str:
    """The name of the generation that has this manifest."""
    return f"g-{sha256(manifest).hexdigest()[:32]}"


@context_manager
def alone(index: Path, wait_s: float) -> Iterator[None]:
    """The only build of `index` while it lasts.

    The operating system gives the lock back when its owner dies, however it dies.

    Raises:
        IndexBusy: Another build held the lock for `wait_s` seconds; says which, and since when.
    """
    import platform
    from contextlib import suppress

    from filelock import FileLock, Timeout

    index.mkdir(parents=True, exist_ok=True)
    lock = FileLock(index / _LOCK)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise IndexBusy(
            f"{index}: another build is at work{_owner(index)}; try again when it has ended"
        ) from error
    owner = index / _OWNER
    try:
        # it is only for people: a disk that does not take it is told of by the build
        with suppress(OSError):
            owner.write_text(f"process {os.getpid()} on {platform.node()}\n", encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            owner.unlink(missing_ok=True)
        lock.release()


def _owner(index: Path) -> str:
    """Who holds the lock, and for how long, as far as that can be read."""
    import time

    try:
        owner = index / _OWNER
        said = read_plain(owner)[:200].decode("utf-8", "replace")
        seconds = max(0, time.time() - owner.stat().st_mtime)
    except OSError:
        return ""
    told = "".join(each for each in said if each.isprintable())
    return f" ({told}, for {seconds:,.0f} s)"


def clean(index: Path) -> None:
    """Removes what is neither the current generation nor its base.

    That is older ones, and the rest of a crashed build. So the generation before the current one
    lives until the next build begins, for readers that are about to open it. Only names that a
    build gives are touched.

    Raises:
        BadIndex: A folder stands where the pointer has to go.
    """
    pointer = index / POINTER
    if pointer.is_dir() and not pointer.is_symlink():
        raise BadIndex(f"{pointer}: is a folder; remove it and {REBUILD}")
    try:
        kept = current(index)
    except BadIndex:
        kept = ""
    base = base_of(index, kept) if kept else ""
    for path in sorted(index.iterdir()):
        left = path.name in (_BUILDING, _SPOOL, _NEW)
        if left or (_NAME.fullmatch(path.name) and path.name not in (kept, base)):
            _remove(path)


def base_of(index: Path, name: str) -> str:
    """The generation that the generation `name` lies over; empty when there is none."""
    try:
        return str(json.loads(read_plain(index / name / MANIFEST)).get("base", ""))
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""  # a damaged one lies over nothing that could be read


@context_manager
def spool(index: Path) -> Iterator[Path]:
    """An empty folder for what a build has to put down; it is gone afterwards."""
    from contextlib import suppress

    folder = index / _SPOOL
    folder.mkdir()
    try:
        yield folder
    finally:
        # what cannot be removed now is by the next build
        with suppress(OSError):
            _remove(folder)


def commit(
    index: Path,
    files: Iterable[tuple[str, Iterable[Buffer]]],
    manifest: Callable[[Mapping[str, Written]], bytes],
) -> str:
    """The name of the new current generation; it is on the disk before it is pointed at.

    To be called inside `alone`. Whatever stops it, `index` has its old generation or the new one.

    Args:
        index: The index's folder.
        files: The name of each file and its bytes in pieces, taken one after another.
        manifest: Called when all are written, with the size and checksum of each.
    """
    from contextlib import suppress

    try:
        return _committed(index, files, manifest)
    except BaseException:
        # a full disk is not to stay full; what cannot be removed now is by the next build
        for left in (_BUILDING, _NEW):
            with suppress(Exception):
                _remove(index / left)
        raise


def _committed(
    index: Path,
    files: Iterable[tuple[str, Iterable[Buffer]]],
    manifest: Callable[[Mapping[str, Written]], bytes],
) -> str:
    building = index / _BUILDING
    building.mkdir()
    written = {name: _write(building / name, pieces) for name, pieces in files}
    told = manifest(written)
    _write(building / MANIFEST, [told])
    _flush(building)
    for name, file in written.items():
        if _digest(building / name) != file.sha256:
            raise BadIndex(f"{building / name}: does not read back as written; check the disk")
    name = name_of(told)
    _settle(building, index / name)
    _flush(index)
    _write(index / _NEW, [f"{name}\n".encode("ascii")])
    (index / _NEW).replace(index / POINTER)
    _flush(index)
    return name


def _settle(building: Path, generation: Path) -> None:
    import filecmp
    import shutil

    if not generation.exists():
        building.rename(generation)
        return
    # the same memory was built before: whole files stay, as readers have them open
    for path in sorted(building.iterdir()):
        there = generation / path.name
        if not there.is_file() or not filecmp.cmp(path, there, shallow=False):
            path.replace(there)
    _flush(generation)
    shutil.rmtree(building)


def _remove(path: Path) -> None:
    import shutil

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _write(path: Path, pieces: Iterable[Buffer]) -> Written:
    import hashlib

    digest = hashlib.sha256()
    size = 0
    with path.open("wb") as file:
        for piece in _joined(pieces):
            file.write(piece)
            digest.update(piece)
            size += memoryview(piece).nbytes
        file.flush()
        os.fsync(file.fileno())
    return Written(size, digest.hexdigest())


def _joined(pieces: Iterable[Buffer]) -> Iterator[Buffer]:
    """The same bytes in pieces that are worth a call."""
    held: list[Buffer] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += memoryview(piece).nbytes
        if size >= _PIECE:
            yield b"".join(held) if len(held) > 1 else held[0]
            held, size = [], 0
    yield b"".join(held)


def _flush(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there, and renames are journalled
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
