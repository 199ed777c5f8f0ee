"""An index in a folder of this machine, mapped into memory.

A generation holds

    manifest.json      format, recipe, counts, and size and sha256 of every other file
    sources.jsonl      the memory files it was made from: file, size, sha256
    rows.jsonl         one entry a line, newest first
    rows.offsets       u64 (n + 1): where each line begins
    signatures.keys    40 bytes each, sorted: sha256 of the signature, then u64 big-endian row
    <part>.<file>      what a tier keeps

All numbers are little-endian but the row in a key, which has to sort as bytes. Opening maps the
files and parses the manifest, which is small whatever the memory's size. The checksums of a small
generation are taken as well; of a bigger one `verify` takes them, and whoever meets damage.
"""

import json
import mmap
import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexing.entry import Entry, Lesson
from indexing.errors import BadIndex, StaleRecipe
from indexing.lazily import sha256
from indexing.plain import AnyPath, open_plain, read_plain
from indexing.recipe import FORMAT, REBUILD, Recipe
from indexing.signature.interface import Signature
from indexing.stores import generations
from indexing.stores.generations import MANIFEST, Buffer, Written
from indexing.typed import Any, Path

_ROWS = "rows.jsonl"
_OFFSETS = "rows.offsets"
_KEYS = "signatures.keys"
_SOURCES = "sources.jsonl"
_SHA = 32
_CHECKED = 1 << 18  # bytes that are read through in a millisecond
_KEY = _SHA + 8
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_text = json.encoder.encode_basestring_ascii


class LocalStore:
    """One generation of an index; it stays as it is, whatever is built after it was opened.

    Safe to share between threads. Nothing is to be closed: the mapping ends with the object.
    """

    def __init__(
        self, folder: AnyPath, manifest: Mapping[str, Any], files: Mapping[str, memoryview]
    ):
        self.folder = folder
        self.recipe = Recipe.from_dict(manifest["recipe"])
        self._rows = int(manifest["counts"]["entries"])
        self._files = files

    @staticmethod
    def open(index: AnyPath) -> "LocalStore":
        """The current generation of `index`.

        Raises:
            StaleRecipe: Another version of the program made it.
            BadIndex: There is none, or a file of it is missing, has another size or, in a small
                one, another checksum.
        """
        name = generations.current(index)
        try:
            return _opened(index / name)
        except BadIndex:
            # two builds may have ended since the pointer was read, and removed what it named
            if generations.current(index) == name:
                raise
            return LocalStore.open(index)

    def __len__(self) -> int:
        """How many rows there are."""
        return self._rows

    def entry(self, row: int) -> Entry:
        """The entry in `row`.

        Raises:
            BadIndex: The row is damaged.
        """
        if not 0 <= row < self._rows:
            raise IndexError(row)
        begin, end = struct.unpack_from("<QQ", self._files[_OFFSETS], 8 * row)
        try:
            return decode(bytes(self._files[_ROWS][begin:end]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadIndex(f"{self.folder}: row {row} is damaged; {REBUILD}") from error

    def signed(self, sig_sha: str) -> Sequence[int]:
        """The rows whose signature is `sig_sha` (hex), smallest first; empty when there is none.

        Raises:
            BadIndex: The keys are damaged.
        """
        keys = self._files[_KEYS]
        try:
            wanted = bytes.fromhex(sig_sha)
        except ValueError:
            return ()
        count = len(keys) // _KEY
        at = bisect_left(
            range(count), wanted, key=lambda i: bytes(keys[i * _KEY : i * _KEY + _SHA])
        )
        rows = []
        while at < count and keys[at * _KEY : at * _KEY + _SHA] == wanted:
            rows.append(self._row(keys[at * _KEY + _SHA : (at + 1) * _KEY]))
            at += 1
        return rows

    def beginning(self, prefix: str) -> list[tuple[str, int]]:
        """Every `sig_sha` that begins with these hex digits, with its rows; in order.

        Raises:
            BadIndex: The keys are damaged.
        """
        keys = self._files[_KEYS]
        found = []
        floor = bytes.fromhex(prefix.ljust(2 * _SHA, "0"))
        count = len(keys) // _KEY
        at = bisect_left(range(count), floor, key=lambda i: bytes(keys[i * _KEY : i * _KEY + _SHA]))
        while at < count:
            key = bytes(keys[at * _KEY : (at + 1) * _KEY])
            if not key[:_SHA].hex().startswith(prefix):
                break
            found.append((key[:_SHA].hex(), self._row(key[_SHA:])))
            at += 1
        return found

    def _row(self, number: bytes | memoryview) -> int:
        row = int.from_bytes(number, "big")
        if row >= self._rows:
            raise BadIndex(f"{self.folder / _KEYS}: names a row that is not there; {REBUILD}")
        return row

    def part(self, name: str) -> Mapping[str, memoryview]:
        """What the part of that name built: file name to its bytes, mapped and not copied."""
        prefix = f"{name}."
        found = ((file, view) for file, view in self._files.items() if file.startswith(prefix))
        return {file.removeprefix(prefix): view for file, view in found}

    def sources(self) -> list[dict[str, Any]]:
        """The memory files it was made from, by name: `file`, `size` in bytes, `sha256`.

        Raises:
            BadIndex: They are damaged.
        """
        try:
            return [json.loads(line) for line in bytes(self._files[_SOURCES]).splitlines()]
        except ValueError as error:
            raise BadIndex(f"{self.folder / _SOURCES}: is damaged; {REBUILD}") from error

    def altered(self) -> list[str]:
        """The files whose bytes are not those that were built, a line each; reads all of it."""
        noted = sorted(_manifest(self.folder)["files"].items())
        return [
            f"{self.folder / name}: its checksum is another; {REBUILD}"
            for name, of in noted
            if _sha256(self._files[name]) != of["sha256"]
        ]


def encode(entry: Entry) -> bytes:
    """The entry as its row: `as_dict` in one line of JSON in ASCII, without its end.

    Raises:
        TypeError, ValueError, RecursionError: It holds what JSON cannot.
    """
    # written out, which takes a third of the time that an encoder and its dicts take
    evidence, source = entry.evidence, entry.source
    row = (
        f'{{"id":{_text(entry.id)},"kind":{_text(entry.kind)},"title":{_text(entry.title)},'
        f'"body":{_text(entry.body)},"labels":{_texts(entry.labels)},'
        f'"files":{"null" if entry.files is None else _texts(entry.files)},'
        f'"signature":{_signature(entry.signature)},"lesson":{_lesson(entry.lesson)},'
        f'"evidence":{{"seen":{evidence.seen:d},"shown":{evidence.shown:d},'
        f'"applied":{evidence.applied:d},"helped":{evidence.helped:d},'
        f'"harmed":{evidence.harmed:d},"first":{_text(evidence.first)},'
        f'"last":{_text(evidence.last)}}},"captured_at":{_text(entry.captured_at)},'
        f'"source":{{"system":{_text(source.system)},"file":{_text(source.file)},'
        f'"locator":{_text(source.locator)}}},"trust":{_text(entry.trust)},'
        f'"extra":{_mapping(entry.extra)}}}'
    )
    return row.encode("ascii")


def _signature(it: Signature | None) -> str:
    if it is None:
        return "null"
    return (
        f'{{"tool":{_text(it.tool)},"raw":{_text(it.raw)},"normalised":{_text(it.normalised)},'
        f'"sig_sha":{_text(it.sig_sha)},"rule":{_text(it.rule)},"line":{it.line:d},'
        f'"joined":{_texts(it.joined)},"context":{_mapping(it.context)},'
        f'"detected":{_text(it.detected)}}}'
    )


def _lesson(it: Lesson) -> str:
    return (
        f'{{"worked":{_texts(it.worked)},"failed":{_texts(it.failed)},'
        f'"gotchas":{_texts(it.gotchas)},"root_cause":{_text(it.root_cause)},'
        f'"fix":{_text(it.fix)},"steps":{_texts(it.steps)},"template":{_text(it.template)}}}'
    )


def _texts(texts: Sequence[str]) -> str:
    return f"[{','.join(map(_text, texts))}]" if texts else "[]"


def _mapping(values: Mapping[str, Any]) -> str:
    return _ENCODE(dict(values)) if values else "{}"


def decode(row: bytes) -> Entry:
    """The entry of a row that `encode` wrote."""
    return Entry.from_dict(json.loads(row))


def write(
    index: Path,
    rows: Iterable[bytes],
    signatures: Iterable[tuple[bytes, int]],
    sources: Iterable[Mapping[str, Any]],
    parts: Iterable[tuple[str, Mapping[str, Buffer]]],
    recipe: Recipe,
) -> str:
    """The name of the generation that is now current.

    Nothing is held that can be written as it comes.

    Args:
        index: The index's folder; the caller holds its lock.
        rows: Encoded entries with their line ends, in order of their rows.
        signatures: `sig_sha` (32 bytes) and row, in any order.
        sources: The memory files, in order of their names.
        parts: The name of each part, and what it built.
        recipe: What all of it was made with.
    """
    offsets = array("Q", [0])
    keys = sorted(sha + row.to_bytes(8, "big") for sha, row in signatures)
    count = len(keys)

    def lines() -> Iterator[bytes]:
        for row in rows:
            offsets.append(offsets[-1] + len(row))
            yield row

    def files() -> Iterator[tuple[str, Iterable[Buffer]]]:
        yield _ROWS, lines()
        yield _OFFSETS, [_little(offsets)]
        yield _KEYS, keys
        keys.clear()
        yield _SOURCES, ((json.dumps(source) + "\n").encode("ascii") for source in sources)
        for part, built in parts:
            for name in sorted(built):
                yield f"{part}.{name}", [built[name]]

    def manifest(written: Mapping[str, Written]) -> bytes:
        told = {
            "format": FORMAT,
            "recipe": recipe.as_dict(),
            "counts": {"entries": len(offsets) - 1, "signatures": count},
            "files": {name: file._asdict() for name, file in written.items()},
        }
        return (json.dumps(told, indent=1, sort_keys=True) + "\n").encode("ascii")

    return generations.commit(index, files(), manifest)


def _little(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def verify(index: Path) -> list[str]:
    """What is wrong with the current generation, a line each; empty when it is whole.

    Reads all of it: checksums, counts, that each row parses, that keys and rows agree.
    """
    try:
        store = LocalStore.open(index)
    except BadIndex as error:
        return [str(error)]
    manifest = _manifest(store.folder)
    problems = store.altered()
    signed = []
    for row in range(len(store)):
        try:
            entry = store.entry(row)
        except BadIndex as error:
            problems.append(str(error))
            continue
        if entry.signature is not None:
            signed.append(bytes.fromhex(entry.signature.sig_sha) + row.to_bytes(8, "big"))
    if b"".join(sorted(signed)) != store._files[_KEYS]:
        problems.append(f"{store.folder / _KEYS}: does not agree with the rows; {REBUILD}")
    if len(signed) != manifest["counts"]["signatures"]:
        problems.append(f"{store.folder / MANIFEST}: its counts are others; {REBUILD}")
    return problems


def _opened(folder: AnyPath) -> LocalStore:
    manifest = _manifest(folder)
    files = {
        str(name): _mapped(folder / name, int(noted["size"]))
        for name, noted in manifest["files"].items()
    }
    store = LocalStore(folder, manifest, files)
    if len(files[_OFFSETS]) != 8 * (len(store) + 1) or len(files[_KEYS]) % _KEY:
        raise BadIndex(f"{folder}: its counts do not agree with its files; {REBUILD}")
    if sum(map(len, files.values())) <= _CHECKED and (altered := store.altered()):
        raise BadIndex(altered[0])
    return store


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


def _sha256(data: Buffer) -> str:
    return sha256(data).hexdigest()
