"""A segment: the rows of one generation, mapped into memory.

    rows.jsonl         one entry a line, newest first
    rows.offsets       u64 (n + 1): where each line begins
    rows.by_id         u32 (n): the rows in order of their ids
    signatures.keys    40 bytes each, sorted: sha256 of the signature, then u64 big-endian row
    <part>.<file>      what a tier keeps

All numbers are little-endian but the row in a key, which has to sort as bytes.
"""

import json
import mmap
import re
import struct
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.errors import BadIndex, StaleRecipe
from indexing.lazily import sha256
from indexing.plain import AnyPath, open_plain, read_plain
from indexing.recipe import FORMAT, REBUILD
from indexing.signature.interface import Signature
from indexing.stores import generations
from indexing.stores.generations import MANIFEST, Buffer
from indexing.typed import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from array import array

    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Made

    Numbers = Sequence[int] | NDArray[np.int64]

_ROWS = "rows.jsonl"
_OFFSETS = "rows.offsets"
_BY_ID = "rows.by_id"
_KEYS = "signatures.keys"
_SHA = 32
_KEY = _SHA + 8
_LONGEST_ID = 256  # of a longer one the whole row is read
_SPREAD = 3  # standard deviations of how many random hashes come before one
_NUMBER = struct.Struct("<I").unpack_from
_OFFSET = struct.Struct("<Q").unpack_from
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_PLAIN = frozenset((str, int, bool, type(None)))  # a float has several spellings
_MANY = 64  # of fewer, what encodes many is not worth its import


class Segment:
    """One generation's rows; it stays as it is, whatever is built after it was opened.

    Safe to share between threads. Nothing is to be closed: the mapping ends with the object.
    """

    def __init__(
        self, folder: AnyPath, manifest: Mapping[str, Any], files: Mapping[str, memoryview]
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.files = files
        self.dead: Sequence[int] = ()
        self._rows = int(manifest["counts"]["rows"])
        # a mapped file gives bytes, which compare faster than views
        self._keys = cast("mmap.mmap | bytes", files[_KEYS].obj)
        self._kept: dict[str, tuple[object, object]] = {}

    @staticmethod
    def open(folder: AnyPath) -> "Segment":
        """The segment of a generation.

        Raises:
            StaleRecipe: Another version of the program made it.
            BadIndex: A file of it is missing, or has another size.
        """
        manifest = _manifest(folder)
        files = {
            str(name): _mapped(folder / name, int(noted["size"]))
            for name, noted in manifest["files"].items()
        }
        segment = Segment(folder, manifest, files)
        if (
            len(files[_OFFSETS]) != 8 * (len(segment) + 1)
            or len(files[_BY_ID]) != 4 * len(segment)
            or len(files[_KEYS]) % _KEY
        ):
            raise BadIndex(f"{folder}: its counts do not agree with its files; {REBUILD}")
        return segment

    def __len__(self) -> int:
        """How many rows it has, dead ones too."""
        return self._rows

    def encoded(self, row: int) -> bytes:
        """The entry in `row` as it lies there, with its line's end."""
        begin, end = struct.unpack_from("<QQ", self.files[_OFFSETS], 8 * row)
        return bytes(self.files[_ROWS][begin:end])

    def entry(self, row: int) -> Entry:
        """The entry in `row`.

        Raises:
            BadIndex: The row is damaged.
        """
        try:
            return decode(self.encoded(row))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadIndex(f"{self.folder}: row {row} is damaged; {REBUILD}") from error

    @property
    def signatures(self) -> int:
        """How many of its rows have one, dead ones too."""
        return int(self.manifest["counts"]["signatures"])

    def holding(self, text: bytes) -> Iterator[int]:
        """The rows in whose encoded form the text stands, ascending; none is parsed."""
        rows, offsets = self.files[_ROWS], self.files[_OFFSETS]
        end = 0
        for found in re.finditer(re.escape(text), rows):
            if found.start() >= end:
                starts = range(self._rows + 1)
                row = bisect_right(starts, found.start(), key=lambda i: _OFFSET(offsets, 8 * i)[0])
                end = _OFFSET(offsets, 8 * row)[0]
                yield row - 1

    def signed(self, wanted: bytes) -> list[int]:
        """The rows whose signature's sha256 is `wanted`, smallest first.

        Raises:
            BadIndex: The keys are damaged.
        """
        keys, at = self._keys, self._first_key(wanted)
        rows = []
        while keys[at : at + _SHA] == wanted:
            rows.append(self._row_of_key(keys[at + _SHA : at + _KEY]))
            at += _KEY
        return rows

    def beginning(self, prefix: str) -> list[tuple[str, int]]:
        """Every `sig_sha` that begins with these hex digits, with its rows; in order.

        Raises:
            BadIndex: The keys are damaged.
        """
        keys = self._keys
        at = self._first_key(bytes.fromhex(prefix.ljust(2 * _SHA, "0")))
        found = []
        while (sha := keys[at : at + _SHA].hex()) and sha.startswith(prefix):
            found.append((sha, self._row_of_key(keys[at + _SHA : at + _KEY])))
            at += _KEY
        return found

    def _first_key(self, floor: bytes) -> int:
        """Where the first key begins that is not below `floor`."""
        keys, low, high = self._keys, 0, len(self._keys) // _KEY
        # hashes are spread evenly, so that it is near where its first bits say
        near = high * int.from_bytes(floor[:8].ljust(8, b"\0"), "big") >> 64
        spread = int(_SPREAD * high**0.5)
        begin, end = max(0, near - spread), min(high, near + spread)
        if keys[begin * _KEY : begin * _KEY + _SHA] < floor:
            low = begin
        if keys[end * _KEY : end * _KEY + _SHA] >= floor:
            high = end
        while low < high:
            middle = (low + high) >> 1
            if keys[middle * _KEY : middle * _KEY + _SHA] < floor:
                low = middle + 1
            else:
                high = middle
        return low * _KEY

    def _row_of_key(self, number: bytes) -> int:
        row = int.from_bytes(number, "big")
        if row >= self._rows:
            raise BadIndex(f"{self.folder / _KEYS}: names a row that is not there; {REBUILD}")
        return row

    def named(self, prefix: str) -> Iterator[int]:
        """The rows whose ids begin so, in order of the ids.

        Raises:
            BadIndex: A row is damaged.
        """
        order = self.files[_BY_ID]
        at = bisect_left(range(self._rows), prefix, key=lambda i: self._id(order, i))
        while at < self._rows and self._id(order, at).startswith(prefix):
            yield _NUMBER(order, 4 * at)[0]
            at += 1

    def with_id(self, id: str) -> int | None:
        """The row of that very id; None when there is none. Errors are those of `named`."""
        row = next(self.named(id), None)
        return row if row is not None and self.entry(row).id == id else None

    def _id(self, order: memoryview, at: int) -> str:
        row = _NUMBER(order, 4 * at)[0]
        if row >= self._rows:
            raise BadIndex(f"{self.folder / _BY_ID}: names a row that is not there; {REBUILD}")
        (begin,) = struct.unpack_from("<Q", self.files[_OFFSETS], 8 * row)
        # behind `["`; what follows the id can stand in none without a backslash
        told = bytes(self.files[_ROWS][begin + 2 : begin + _LONGEST_ID])
        id, follows, _ = told.partition(b'","')
        try:
            return str(json.loads(b'"%b"' % id)) if follows else self.entry(row).id
        except ValueError:
            return self.entry(row).id

    def part(self, name: str) -> Mapping[str, memoryview]:
        """What the part of that name built: file name to its bytes, mapped and not copied."""
        return self.kept(f"part {name}", None, lambda: dict(self._of_part(f"{name}.")))

    def _of_part(self, prefix: str) -> Iterator[tuple[str, memoryview]]:
        for file, view in self.files.items():
            if file.startswith(prefix):
                yield file.removeprefix(prefix), view

    def kept(self, name: str, of: object, make: "Callable[[], Made]") -> "Made":
        """What `make` gave when it was last asked for `name` with an equal `of`."""
        known = self._kept.get(name)
        if known is None or known[0] != of:
            known = self._kept[name] = (of, make())
        return cast("Made", known[1])

    def numbers(self, name: str) -> tuple[int, ...]:
        """A file of u32 that is small."""
        view = self.files[name]
        return struct.unpack(f"<{len(view) // 4}I", view)

    def altered(self) -> list[str]:
        """The files whose bytes are not those that were built, a line each; reads all of it."""
        return [
            f"{self.folder / name}: its checksum is another; {REBUILD}"
            for name, of in sorted(self.manifest["files"].items())
            if sha256(self.files[name]).hexdigest() != of["sha256"]
        ]

    def problems(self) -> Iterator[str]:
        """What is wrong with it, a line each: checksums, rows, that keys and orders agree."""
        yield from self.altered()
        signed: list[bytes] = []
        ids: list[tuple[str, int]] = []
        for row in range(self._rows):
            try:
                entry = self.entry(row)
            except BadIndex as error:
                yield str(error)
                continue
            ids.append((entry.id, row))
            if entry.signature is not None:
                signed.append(bytes.fromhex(entry.signature.sig_sha) + row.to_bytes(8, "big"))
        if b"".join(sorted(signed)) != self.files[_KEYS]:
            yield f"{self.folder / _KEYS}: does not agree with the rows; {REBUILD}"
        ids.sort()
        if tuple(row for _, row in ids) != self.numbers(_BY_ID):
            yield f"{self.folder / _BY_ID}: does not agree with the rows; {REBUILD}"
        if len(signed) != self.manifest["counts"]["signatures"]:
            yield f"{self.folder / MANIFEST}: its counts are others; {REBUILD}"


def encode(entry: Entry) -> bytes:
    """The entry as its row, without its end: its fields and those of its parts, in their order.

    It is one line of JSON in UTF-8, arrays in an array.

    Raises:
        TypeError, ValueError, RecursionError: It holds what JSON cannot.
    """
    return _ENCODE(entry).encode("utf-8", "surrogatepass")


def encode_all(entries: Sequence[Entry]) -> bytes:
    """What `encode` gives of each, with line ends; of many in a tenth of the time.

    Raises:
        TypeError, ValueError, RecursionError: One of them holds what JSON cannot.
    """
    if len(entries) >= _MANY and all(map(_is_plain, entries)):
        import msgspec

        try:
            return msgspec.json.Encoder().encode_lines(entries)
        except UnicodeEncodeError:  # half of a character
            pass
    return b"".join(encode(entry) + b"\n" for entry in entries)


def _is_plain(entry: Entry) -> bool:
    """Whether all it holds are texts and whole numbers, which every encoder writes alike."""
    signature = entry.signature
    return _holds_plain(entry.extra) and (signature is None or _holds_plain(signature.context))


def _holds_plain(values: Mapping[str, Any]) -> bool:
    return not values or all(type(each) in _PLAIN for each in values.values())


def decode(row: bytes) -> Entry:
    """The entry of a row that `encode` wrote."""
    id, kind, title, body, labels, files, signed, lesson, evidence, at, source, trust, extra = (
        json.loads(row)
    )
    signature = None
    if signed is not None:
        tool, raw, normalised, sig_sha, rule, line, joined, context, detected = signed
        signature = Signature(
            tool, raw, normalised, sig_sha, rule, line, tuple(joined), context, detected
        )
    worked, failed, gotchas, root_cause, fix, steps, template = lesson
    return Entry(
        id,
        kind,
        title,
        body,
        tuple(labels),
        None if files is None else tuple(files),
        signature,
        Lesson(
            tuple(worked), tuple(failed), tuple(gotchas), root_cause, fix, tuple(steps), template
        ),
        Evidence(*evidence),
        at,
        Source(*source),
        trust,
        extra,
    )


class Files:
    """The files of a segment as they are written.

    Args:
        rows: Encoded entries with their line ends, in order of their rows, in any pieces.
        lengths: Of each row, in bytes.
        keys: `sig_sha` (32 bytes) and row of each that is signed, sorted.
        by_id: The rows in order of their ids.
    """

    def __init__(
        self, rows: Iterable[bytes], lengths: "Numbers", keys: bytes, by_id: "Numbers"
    ) -> None:
        self._rows, self._lengths, self._keys, self._by_id = rows, lengths, keys, by_id
        self.counts = {"rows": len(by_id), "signatures": len(keys) // _KEY}

    def __iter__(self) -> Iterator[tuple[str, Iterable[Buffer]]]:
        import numpy as np

        offsets = np.concatenate([[0], np.cumsum(np.asarray(self._lengths, np.int64))])
        yield _ROWS, self._rows
        yield _OFFSETS, [offsets.astype("<u8").tobytes()]
        yield _BY_ID, [np.asarray(self._by_id).astype("<u4").tobytes()]
        yield _KEYS, [self._keys]


def little(numbers: "array[int]") -> bytes:
    """The numbers as the bytes of a file."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def _manifest(folder: AnyPath) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        text = read_plain(path)
    except OSError as error:
        raise BadIndex(f"{path}: cannot be read ({error.strerror}); {REBUILD}") from error
    if generations.name_of(text) != folder.name:
        raise BadIndex(f"{path}: its checksum is another; {REBUILD}")
    manifest: dict[str, Any] = json.loads(text)
    if manifest["format"] != FORMAT:
        found = f"{folder}: has format {manifest['format']}"
        raise StaleRecipe(f"{found}, this version reads {FORMAT}; {REBUILD}")
    return manifest


def _mapped(path: AnyPath, size: int) -> memoryview:
    try:
        with open_plain(path) as file:
            found = file.seek(0, 2)
            if found != size:
                raise BadIndex(f"{path}: has {found} bytes of {size}; {REBUILD}")
            if size == 0:
                return memoryview(b"")  # nothing cannot be mapped
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise BadIndex(f"{path}: cannot be read ({error.strerror}); {REBUILD}") from error
