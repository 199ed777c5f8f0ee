"""An index in a folder of this machine, mapped into memory.

A generation holds

    manifest.json      format, recipe, counts, and size and sha256 of every other file
    sources.jsonl      the memory files it was made from: file, size, sha256
    …                  a segment: rows, keys, and what the tiers keep (`segment.py`)

and, when it is a *delta* over another generation, its base, which the manifest names

    base.dead          u32: the rows of the base that are no more, ascending
    base.before        u32 a row of the delta: so many rows of the base, dead ones too, are newer

Opening maps the files and parses the manifest, which is small whatever the memory's size. The
checksums of a small generation are taken as well; of a bigger one `verify` takes them, and whoever
meets damage.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexing.entry import Entry
from indexing.errors import BadIndex
from indexing.plain import AnyPath
from indexing.recipe import FORMAT, REBUILD, Recipe
from indexing.stores import generations
from indexing.stores.generations import Buffer, Written
from indexing.stores.segment import Files, Segment, little
from indexing.typed import Any, NamedTuple, Path

_SOURCES = "sources.jsonl"
_DEAD = "base.dead"
_BEFORE = "base.before"
_CHECKED = 1 << 18  # bytes that are read through in a millisecond


class Over(NamedTuple):
    """What a delta lies over.

    `dead` are the rows of the base that are no more, ascending; `before` says of each row of the
    delta how many rows of the base, dead ones too, are newer.
    """

    base: str
    dead: Sequence[int]
    before: Sequence[int]


class LocalStore:
    """The current generation of an index, and its base.

    It stays as it is, whatever is built after it was opened. Safe to share between threads.
    Nothing is to be closed: the mapping ends with the object.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self.newest = segments[-1]
        self.folder = self.newest.folder
        self.recipe = Recipe.from_dict(self.newest.manifest["recipe"])
        self._rows = int(self.newest.manifest["counts"]["entries"])
        self._before: Sequence[int] = ()
        if len(segments) > 1:
            segments[0].dead = self.newest.numbers(_DEAD)
            self._before = self.newest.numbers(_BEFORE)

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
            return _opened(index, name)
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
        segment, place = self.place(row)
        return self.segments[segment].entry(place)

    def place(self, row: int) -> tuple[int, int]:
        """In which segment a row lies, and which of its rows it is."""
        if len(self.segments) == 1:
            return 0, row
        at = bisect_left(range(len(self._before)), row, key=self._row_of_delta)
        if at < len(self._before) and self._row_of_delta(at) == row:
            return 1, at
        return 0, self._row_of_base(row - at)

    def before(self, row: int) -> Sequence[int]:
        """How many rows of each segment, dead ones too, come before a row of the store."""
        if len(self.segments) == 1:
            return (row,)
        at = bisect_left(range(len(self._before)), row, key=self._row_of_delta)
        return self._row_of_base(row - at), at

    def _row_of_base(self, alive: int) -> int:
        """The row of the base that comes behind so many that are alive."""
        dead = self.segments[0].dead
        return alive + bisect_right(range(len(dead)), alive, key=lambda n: dead[n] - n)

    def row(self, segment: int, row: int) -> int | None:
        """The row of the store that a segment's row is; None when it is dead."""
        if len(self.segments) == 1:
            return row
        if segment == 1:
            return self._row_of_delta(row)
        dead = self.segments[0].dead
        gone = bisect_left(dead, row)
        if gone < len(dead) and dead[gone] == row:
            return None
        return row - gone + bisect_right(self._before, row)

    def _row_of_delta(self, row: int) -> int:
        before = self._before[row]
        return before - bisect_left(self.segments[0].dead, before) + row

    def signed(self, sig_sha: str) -> Sequence[int]:
        """The rows whose signature is `sig_sha` (hex), smallest first; empty when there is none.

        Raises:
            BadIndex: The keys are damaged.
        """
        try:
            wanted = bytes.fromhex(sig_sha)
        except ValueError:
            return ()
        if len(self.segments) == 1:
            return self.newest.signed(wanted)
        return sorted(self._alive(segment.signed(wanted) for segment in self.segments))

    def beginning(self, prefix: str) -> list[tuple[str, int]]:
        """Every `sig_sha` that begins with these hex digits, with its rows; in order.

        Raises:
            BadIndex: The keys are damaged.
        """
        found = []
        for number, segment in enumerate(self.segments):
            for sha, place in segment.beginning(prefix):
                row = self.row(number, place)
                if row is not None:
                    found.append((sha, row))
        return sorted(found)

    @property
    def signatures(self) -> int:
        """How many of the rows have one."""
        base = self.segments[0]
        dead = sum(base.entry(row).signature is not None for row in base.dead)
        return sum(segment.signatures for segment in self.segments) - dead

    def holding(self, text: bytes) -> list[int]:
        """The rows in whose encoded form the text stands, smallest first; none is parsed."""
        return sorted(self._alive(segment.holding(text) for segment in self.segments))

    def with_id(self, id: str) -> int | None:
        """The row of that very id; None when there is none. Errors are those of `named`."""
        places = (each.with_id(id) for each in self.segments)
        return next(self._alive([] if place is None else [place] for place in places), None)

    def named(self, prefix: str) -> list[int]:
        """The rows whose ids begin so, smallest first.

        Raises:
            BadIndex: A row is damaged.
        """
        return sorted(self._alive(segment.named(prefix) for segment in self.segments))

    def _alive(self, places: Iterable[Iterable[int]]) -> Iterator[int]:
        """The rows of the store that these of its segments are."""
        for number, its in enumerate(places):
            for place in its:
                row = self.row(number, place)
                if row is not None:
                    yield row

    def sources(self) -> list[dict[str, Any]]:
        """The memory files it was made from, by name: `file`, `size` in bytes, `sha256`.

        Of one that has grown since the base was made, `grown` has `size` and `sha256` of the rest.

        Raises:
            BadIndex: They are damaged.
        """
        try:
            lines = bytes(self.newest.files[_SOURCES]).splitlines()
            return [json.loads(line) for line in lines]
        except ValueError as error:
            raise BadIndex(f"{self.folder / _SOURCES}: is damaged; {REBUILD}") from error

    def altered(self) -> list[str]:
        """The files whose bytes are not those that were built, a line each; reads all of it."""
        return [problem for segment in self.segments for problem in segment.altered()]


def write(
    index: Path,
    files: Files,
    sources: Iterable[Mapping[str, Any]],
    parts: Iterable[tuple[str, Mapping[str, Buffer]]],
    recipe: Recipe,
    further: Iterable[tuple[str, Iterable[Buffer]]] = (),
    over: Over | None = None,
) -> str:
    """The name of the generation that is now current.

    Nothing is held that can be written as it comes.

    Args:
        index: The index's folder; the caller holds its lock.
        files: The segment's rows and keys.
        sources: The memory files, in order of their names.
        parts: The name of each part, and what it built.
        recipe: What all of it was made with.
        further: Other files, by name.
        over: What it lies over when it is a delta.
    """

    def all_files() -> Iterator[tuple[str, Iterable[Buffer]]]:
        yield from files
        yield _SOURCES, ((json.dumps(source) + "\n").encode("ascii") for source in sources)
        for part, built in parts:
            for name in sorted(built):
                yield f"{part}.{name}", [built[name]]
        yield from further
        if over:
            from array import array

            yield _DEAD, [little(array("I", over.dead))]
            yield _BEFORE, [little(array("I", over.before))]

    def manifest(written: Mapping[str, Written]) -> bytes:
        told: dict[str, Any] = {
            "format": FORMAT,
            "recipe": recipe.as_dict(),
            "counts": {"entries": files.counts["rows"], **files.counts},
            "files": {name: file._asdict() for name, file in written.items()},
        }
        if over:
            told["base"] = over.base
            base = Segment.open(index / over.base)
            told["counts"]["entries"] += len(base) - len(over.dead)
        return (json.dumps(told, indent=1, sort_keys=True) + "\n").encode("ascii")

    return generations.commit(index, all_files(), manifest)


def verify(index: Path) -> list[str]:
    """What is wrong with the current generation, a line each; empty when it is whole.

    Reads all of it: checksums, counts, that each row parses, that keys, orders and rows agree.
    """
    try:
        store = LocalStore.open(index)
    except BadIndex as error:
        return [str(error)]
    problems = [problem for segment in store.segments for problem in segment.problems()]
    if not problems:
        ages = [(entry.captured_at, entry.id) for entry in map(store.entry, range(len(store)))]
        in_order = sorted(
            sorted(ages, key=lambda age: age[1]), key=lambda age: age[0], reverse=True
        )
        if ages != in_order or len({id for _, id in ages}) < len(ages):
            problems.append(f"{store.folder}: its rows are not in their order; {REBUILD}")
    return problems


def _opened(index: AnyPath, name: str) -> LocalStore:
    segments = [Segment.open(index / name)]
    if base := segments[0].manifest.get("base"):
        segments.insert(0, Segment.open(index / base))
    store = LocalStore(segments)
    if len(store) != sum(len(each) - len(each.dead) for each in segments):
        raise BadIndex(f"{store.folder}: its counts do not agree with its files; {REBUILD}")
    sizes = (len(view) for segment in segments for view in segment.files.values())
    if sum(sizes) <= _CHECKED and (altered := store.altered()):
        raise BadIndex(altered[0])
    return store
