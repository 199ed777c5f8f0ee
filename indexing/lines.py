"""Which lines of the journals speak of an entry, so that a delta need not read all of them.

A full build notes them in its generation; what is said of an id is read again from these lines:

    lines.keys       u32 (n), sorted: CRC-32 of an id that a line speaks of
    lines.offsets    u64 (n): where the line begins in its file
    lines.numbers    u32 (n): the line's number, from 1
    lines.files      u32 (n): which of the journals it is in
    lines.journals   a journal a line, in order of their names: `file`, and how many `lines` it has

A line that adds an entry speaks of it. One that tells an outcome speaks of the entry and, since a
record that stands twice counts once, of its own id. What people decided of entries stands under
the empty id. A key may name lines that speak of another id: whoever reads them looks for himself.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from indexing.readers.first_look import key_of
from indexing.readers.interface import Spoken
from indexing.stores.generations import Buffer

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Line(NamedTuple):
    """Where a line begins, and its number."""

    offset: int
    number: int


def files_of(journals: Sequence[tuple[str, Spoken]]) -> Iterator[tuple[str, Iterable[Buffer]]]:
    """The files of what the journals, in order of their names, speak of."""
    import numpy as np

    told = [each for _, each in journals]
    keys = np.concatenate([np.empty(0, np.uint32), *(each.keys for each in told)])
    order = np.argsort(keys, kind="stable")
    offsets = np.concatenate([np.empty(0, np.uint64), *(each.offsets for each in told)])
    numbers = np.concatenate([np.empty(0, np.uint32), *(each.numbers for each in told)])
    files = np.repeat(np.arange(len(told)), [len(each.keys) for each in told])
    yield "lines.keys", [keys[order].astype("<u4").tobytes()]
    yield "lines.offsets", [offsets[order].astype("<u8").tobytes()]
    yield "lines.numbers", [numbers[order].astype("<u4").tobytes()]
    yield "lines.files", [files[order].astype("<u4").tobytes()]
    named = ({"file": name, "lines": each.lines} for name, each in journals)
    yield "lines.journals", [(json.dumps(each) + "\n").encode("ascii") for each in named]


class Lines:
    """What a generation notes of the journals' lines."""

    def __init__(self, files: Mapping[str, memoryview]) -> None:
        import numpy as np

        self._keys: NDArray[np.uint32] = np.frombuffer(files["lines.keys"], "<u4")
        self._offsets: NDArray[np.uint64] = np.frombuffer(files["lines.offsets"], "<u8")
        self._numbers: NDArray[np.uint32] = np.frombuffer(files["lines.numbers"], "<u4")
        self._files: NDArray[np.uint32] = np.frombuffer(files["lines.files"], "<u4")
        told = [json.loads(line) for line in bytes(files["lines.journals"]).splitlines()]
        self.journals = {each["file"]: int(each["lines"]) for each in told}

    def speaking_of(self, ids: Iterable[str]) -> dict[str, list[Line]]:
        """The lines of each journal that speak of one of these, in their order."""
        keys = sorted({key_of(id) for id in ids})
        begins, ends = (self._keys.searchsorted(keys, side).tolist() for side in ("left", "right"))
        names = list(self.journals)
        found: dict[str, set[Line]] = {name: set() for name in names}
        for begin, end in zip(begins, ends, strict=True):
            for at in range(begin, end):
                line = Line(int(self._offsets[at]), int(self._numbers[at]))
                found[names[self._files[at]]].add(line)
        return {name: sorted(lines) for name, lines in found.items()}
