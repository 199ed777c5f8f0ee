"""Vectors that are kept: of texts encoded before, and in the index, to find the nearest.

How they are looked through goes by their number (`semantic_vectors`, `auto`):

    flat    to 100,000: FAISS compares all of them, exactly; about 11 ms at 100,000, less than a
            text takes to be encoded
    hnsw    to 500,000: FAISS HNSW, 16 links; 0.3 ms at 100,000 with .998 of the nearest found,
            62 s to build; 1.7 KB of memory a vector
    sq8     beyond: the same on vectors of 8 bits a number; 1.3 ms at a million with .993 found,
            0.5 KB of memory a vector

Measured with one thread and 384 numbers a vector. What was found is compared again by whole
vectors, so that `hnsw` and `sq8` may miss an entry but never change a score.
"""

import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing.errors import BadIndex, MissingExtra
from indexing.recipe import REBUILD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.generations import Buffer

KEY = 32
_FLAT, _HNSW = 100_000, 500_000
_LINKS = 16
_WIDTH = 256
_ENDS = ".vectors"
_MORE = 2
_DIGITS = 4


class Kept:
    """The vectors of texts that one model has encoded before, in a file beside the index.

    A record is a text's checksum, its vector, and a checksum of both; records are only ever
    added, so that a build that is cut short has not encoded in vain. The file may be deleted at
    any time; what is damaged is encoded anew.

    Args:
        folder: Where the files of all models lie; None: nothing is kept.
        model: A name for what made the vectors.
        dimension: So many numbers has a vector.
    """

    def __init__(self, folder: Path | None, model: str, dimension: int) -> None:
        import numpy as np

        self._path = None if folder is None else folder / f"{model}{_ENDS}"
        self._record = np.dtype(
            [("key", "u1", KEY), ("vector", "<f4", dimension), ("check", "<u4")]
        )
        self._records = self._read()
        keys = self._records["key"].tobytes()
        self._place = {keys[at : at + KEY]: at // KEY for at in range(0, len(keys), KEY)}

    def find(self, key: bytes) -> "NDArray[np.float32] | None":
        """The vector of the text with this checksum; None when it is not kept, or damaged."""
        place = self._place.get(key)
        if place is None:
            return None
        record = self._records[place]
        vector: NDArray[np.float32] = record["vector"]
        return vector if record["check"] == _check(key, vector) else None

    def add(self, keys: Sequence[bytes], vectors: "NDArray[np.float32]") -> None:
        """Keep these too; a disk that does not take them is no reason to fail."""
        import numpy as np

        if self._path is None:
            return
        records = np.zeros(len(keys), self._record)
        records["key"] = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY)
        records["vector"] = vectors
        records["check"] = [_check(*each) for each in zip(keys, records["vector"], strict=True)]
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.truncate(file.tell() // self._record.itemsize * self._record.itemsize)
                file.write(records.tobytes())
        except OSError:
            self._path = None  # what follows a torn record could not be read

    def tidy(self, keys: Sequence[bytes], vectors: "NDArray[np.float32]") -> None:
        """Keep these alone, once most of what is kept is other; and nothing of another model.

        Args:
            keys: All that are used.
            vectors: Theirs, `(n, d)`.
        """
        path = self._path
        if path is None:
            return
        with suppress(OSError):
            for other in path.parent.glob(f"*{_ENDS}*"):
                if other != path:
                    other.unlink()
            if path.stat().st_size > _MORE * len(keys) * self._record.itemsize:
                self._path = path.with_name(f"{path.name}.new")
                self.add(keys, vectors)
                path.with_name(f"{path.name}.new").replace(path)

    def _read(self) -> "NDArray[np.void]":
        """The whole records of the file, mapped; none when it cannot be read."""
        import numpy as np

        with suppress(OSError):
            if self._path is not None and (
                count := self._path.stat().st_size // self._record.itemsize
            ):
                return np.memmap(self._path, self._record, "r", shape=count)
        return np.empty(0, self._record)


def _check(key: bytes, vector: "NDArray[np.float32]") -> int:
    return zlib.crc32(vector.tobytes(), zlib.crc32(key))


class Vectors:
    """The vectors of an index, as a part of it keeps them.

    Args:
        files: `vectors` `(m, d)`, `numbers` (u32 a row): which of them a row has; and `graph` where
            they are too many to compare all.
        dimension: d.
        rows: So many rows the index has.

    Raises:
        BadIndex: The sizes of the files do not agree.
    """

    def __init__(self, files: "Mapping[str, memoryview]", dimension: int, rows: int) -> None:
        import numpy as np

        self.numbers: NDArray[np.uint32] = np.frombuffer(files["numbers"], "<u4")
        whole, torn = divmod(len(files["vectors"]), 4 * dimension)
        if torn or len(self.numbers) != rows or self.numbers.max(initial=0) >= max(1, whole):
            raise BadIndex(f"the index's vectors have other sizes than they should; {REBUILD}")
        self._vectors = np.frombuffer(files["vectors"], "<f4").reshape(-1, dimension)
        self._graph = None
        if len(files["graph"]):
            self._graph = faiss().deserialize_index(np.frombuffer(files["graph"], np.uint8))

    def nearest(self, vector: "NDArray[np.float32]", limit: int) -> "NDArray[np.int64]":
        """The rows whose vectors are nearest, ascending: those of `limit` vectors at most."""
        import numpy as np

        limit = min(limit, len(self._vectors))
        if self._graph is None:
            library = faiss()
            _, found = library.knn(
                vector[None], self._vectors, limit, metric=library.METRIC_INNER_PRODUCT
            )
        else:
            _, found = self._graph.search(vector[None], limit)
        is_near = np.zeros(len(self._vectors), bool)
        is_near[found[found >= 0]] = True
        return np.flatnonzero(is_near[self.numbers])

    def cosines(
        self, vector: "NDArray[np.float32]", rows: "NDArray[np.int64]"
    ) -> "NDArray[np.float64]":
        """Of a vector of length 1 and those of the rows, from 0, in ten thousandths.

        The last bits of a product differ from one processor to the next; a score does not.
        """
        import numpy as np

        found = self._vectors[self.numbers[rows]] @ vector
        return np.maximum(0, np.round(found.astype(np.float64), _DIGITS))


def graph(vectors: "NDArray[np.float32]", asked: str) -> "Buffer":
    """What FAISS needs to find the nearest without comparing all; empty where it compares all.

    Args:
        vectors: `(m, d)`, of length 1.
        asked: The setting `semantic_vectors`.
    """
    kind = kind_of(len(vectors), asked)
    if kind == "flat" or not len(vectors):
        return b""
    library = faiss()
    dimension = vectors.shape[1]
    inner = library.METRIC_INNER_PRODUCT
    if kind == "hnsw":
        index = library.IndexHNSWFlat(dimension, _LINKS, inner)
    else:
        eight_bits = library.ScalarQuantizer.QT_8bit
        index = library.IndexHNSWSQ(dimension, eight_bits, _LINKS, inner)
        index.train(vectors)
    index.hnsw.efSearch = _WIDTH
    index.add(vectors)
    return memoryview(library.serialize_index(index))


def kind_of(count: int, asked: str) -> str:
    """How so many vectors are looked through, by the setting `semantic_vectors`."""
    if asked != "auto":
        return asked
    return "flat" if count <= _FLAT else "hnsw" if count <= _HNSW else "sq8"


def faiss() -> Any:
    """The library, with one thread: several wait for each other, and give other graphs.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import faiss
    except ImportError as error:
        raise MissingExtra("faiss-cpu", "semantic") from error
    faiss.omp_set_num_threads(1)
    return faiss
