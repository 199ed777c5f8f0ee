#!/usr/bin/env python3
"""What a lookup costs in a long-lived process, beside the peers on the same texts, in one run.

    scripts/bench/lookup_warm.py [--sizes 1000 10000 100000] [--queries 50] [--json FILE]
    scripts/bench/lookup_warm.py --sizes 1000000 --memory FOLDER --index FOLDER

The memory and the queries are made up (`corpus.py`): 30 words and some paths each; a memory that
was made before can be given with its index. The ways take turns, five times all queries each, so
that a machine that changes its speed changes all; p50, p95, and the ratio of the p50s to ours.
Checked in the same run: the answers of tier 2 are those of a scorer that knows no index of ours
(every row, by definition, with scipy), ids and scores and their order; sixteen threads on one
`Memory` give the answers of one; an exact lookup finds every key that SQLite has.
"""

import argparse
import ctypes
import json
import math
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import corpus  # noqa: E402
import peers  # noqa: E402

BEST = 10
THREADS = 16
ROUNDS = 5
SLOW = {"loop": 20_000, "fts5": 2_000_000, "sklearn": 2_000_000}
"""Above this many rows a way is left out."""


def query_of(told: dict[str, Any]) -> Any:
    from retrieval import Query

    return Query(title=told["title"], body=told["body"], files=told["files"])


class Yardstick:
    """Every row by definition: TF-IDF over our words and Jaccard of files, without our index."""

    def __init__(self, index: Path) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix

        from indexing.stores.local import LocalStore
        from retrieval.tiers.lexical import text_of
        from retrieval.tokens import file_keys, words

        store = LocalStore.open(index)
        self.size = len(store)
        self.ids = []
        self.number: dict[str, int] = {}
        starts, columns, times = [0], [], []
        self.files: list[frozenset[str] | None] = []
        for row in range(self.size):
            entry = store.entry(row)
            self.ids.append(entry.id)
            counts = Counter(words(text_of(entry)))
            columns += [self.number.setdefault(word, len(self.number)) for word in counts]
            times += counts.values()
            starts.append(len(columns))
            keys = file_keys(entry.files)
            self.files.append(None if keys is None else frozenset(keys))
        holding = np.bincount(columns, minlength=len(self.number))
        self.idf = np.log((1 + self.size) / (1 + holding)) + 1
        matrix = csr_matrix((np.array(times, float), columns, starts))
        matrix.data *= self.idf[matrix.indices]
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
        self.matrix = matrix

    def best(self, query: Any) -> list[tuple[str, int]]:
        """Ids and scores of the best rows, best first; of equal scores the smaller row."""
        import numpy as np

        from retrieval.tiers.lexical import score_of, text_of
        from retrieval.tokens import file_keys, words

        counts = Counter(words(text_of(query)))
        rarest = math.log(1 + self.size) + 1
        asked = np.zeros(len(self.number))
        length = 0.0
        for word, times in counts.items():
            number = self.number.get(word)
            weight = times * (rarest if number is None else self.idf[number])
            length += weight * weight
            if number is not None:
                asked[number] = weight
        cosines = self.matrix @ (asked / math.sqrt(length))
        ours = frozenset(file_keys(query.files) or ())
        scores = np.empty(self.size, np.int64)
        for row, (cosine, theirs) in enumerate(zip(cosines.tolist(), self.files, strict=True)):
            share = cosine
            if theirs is not None:
                both = len(ours | theirs)
                share = 0.6 * cosine + 0.4 * (len(ours & theirs) / both if both else 0.0)
            scores[row] = score_of(share)
        rows = np.lexsort((np.arange(self.size), -scores))[:BEST]
        return [(self.ids[row], int(scores[row])) for row in rows if scores[row] >= 1]


def limit_in_c(index: Path, folder: Path) -> Callable[[Any], object] | None:
    """Postings added up and ranked in C over our own files; None where there is no compiler."""
    import numpy as np

    from indexing.stores.local import LocalStore
    from retrieval.postings import Postings
    from retrieval.tiers.lexical import text_of
    from retrieval.tokens import words

    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = folder / "limit.so"
    source = Path(__file__).with_name("lexical_limit.c")
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    c = ctypes.CDLL(str(library))
    store = LocalStore.open(index)
    [segment] = store.segments
    files = segment.part("lexical")
    postings = Postings(files, "text")
    rows = np.frombuffer(files["text.rows"], "<u4")
    weights = np.frombuffer(files["text.times"], "<f4")
    size = len(store)

    def pointer(array: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def run(query: Any) -> object:
        numbers = postings.find(sorted(set(words(text_of(query)))))
        spans = [postings.span(number) for number in numbers if number is not None]
        begin, end = (np.array(side, np.int64) for side in zip(*spans, strict=True))
        asked = np.ones(len(spans), np.float32)
        scores = np.zeros(size, np.float32)
        found, top = np.empty(BEST, np.int32), np.empty(BEST, np.float32)
        c.accumulate(
            pointer(rows),
            pointer(weights),
            pointer(begin),
            pointer(end),
            pointer(asked),
            len(spans),
            pointer(scores),
        )
        count = c.best(pointer(scores), ctypes.c_int64(size), BEST, pointer(found), pointer(top))
        return found[:count]

    return run


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def row_of(size: int, way: str, took: Sequence[float], ours: float) -> dict[str, Any]:
    """The figures of one way, which are printed as well."""
    p50 = statistics.median(took)
    p95 = sorted(took)[math.ceil(0.95 * len(took)) - 1]
    ratio = p50 / ours
    print(f"{size:>9,} {way:18} {p50:9.3f} {p95:9.3f} {p95 / p50:7.1f} {ratio:9.2f}", flush=True)
    return {"size": size, "way": way, "p50_ms": p50, "p95_ms": p95, "ratio": ratio}


def exact(store: Any, folder: Path) -> dict[str, list[float]]:
    """A row by its signature: ours beside SQLite's primary key."""
    keys = [
        (entry.signature.sig_sha, row)
        for row in range(0, len(store), max(1, len(store) // 2000))
        if (entry := store.entry(row)).signature
    ]
    whole = ((bytes.fromhex(sha), row, bytes(8)) for sha, row in store.beginning(""))
    base = sqlite3.connect(folder / "exact.sqlite")
    base.execute("CREATE TABLE t(sha BLOB, row INT, x BLOB, PRIMARY KEY(sha, row)) WITHOUT ROWID")
    with base:
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", whole)
    took: dict[str, list[float]] = {"exact": [], "exact, sqlite": []}
    for sha, row in keys:
        start = time.perf_counter()
        found = store.signed(sha)
        took["exact"].append(1000 * (time.perf_counter() - start))
        start = time.perf_counter()
        theirs = base.execute(
            "SELECT row FROM t WHERE sha = ? ORDER BY row", (bytes.fromhex(sha),)
        ).fetchall()
        took["exact, sqlite"].append(1000 * (time.perf_counter() - start))
        assert row in found
        assert [each for (each,) in theirs] == list(found)
    return took


def shared(memory: Any, queries: Sequence[Any], expected: Sequence[Any]) -> tuple[float, float]:
    """Queries a second of one thread and of sixteen in turn, all of whose answers are checked."""
    wrong = []

    def ask() -> None:
        for query, hits in zip(queries, expected, strict=True):
            if [(hit.entry.id, hit.score) for hit in memory.lookup(query, BEST)] != hits:
                wrong.append(query)

    def all_of_them() -> None:
        threads = [threading.Thread(target=ask) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    alone, together = [], []
    for _ in range(ROUNDS):
        alone.append(timed(ask))
        together.append(timed(all_of_them) / THREADS)
    assert not wrong, f"{len(wrong)} wrong answers"
    count = 1000 * len(queries)
    return count / statistics.median(alone), count / statistics.median(together)


def compared(size: int, folder: Path, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All ways at one size."""
    from indexing.build import build_index
    from indexing.settings import Settings
    from retrieval import Memory
    from retrieval.tiers import tiers

    settings = Settings(scorer="cosine", min_score=1)
    if args.index:
        made, index = corpus.of(args.memory, size, args.queries), args.index
    else:
        made, index = corpus.made(folder / "memory", size, args.queries), folder / "index"
        build_index([folder / "memory"], index, tiers(settings), root=folder, workers=args.workers)
    memory = Memory(index, settings)
    assert len(memory.store) == size  # what opening takes is imported now
    opened = timed(lambda: Memory(index, settings).store)
    queries = [query_of(told) for told in made.queries]
    texts_asked = [f"{told['title']} {told['body']}" for told in made.queries]
    texts = [f"{each['title']} {each['body']}" for each in corpus.entries(made.files)]
    ways: dict[str, Callable[[int], object]] = {"ours": lambda at: memory.lookup(queries[at], BEST)}
    in_c = limit_in_c(index, folder)
    if in_c is not None:
        ways["C, accumulate"] = lambda at: in_c(queries[at])
    for name, peer in peers.PEERS.items():
        if peers.installed(name) and size <= SLOW.get(name, size):
            search = peer(texts, folder)
            assert size // 2 in search(texts[size // 2], BEST), name
            ways[name] = lambda at, search=search: search(texts_asked[at], BEST)
    took: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, work in ways.items():
            work(0)  # what the others left in the processor's caches is of no use to it
            took[way] += (timed(lambda work=work, at=at: work(at)) for at in range(len(queries)))
    ours = statistics.median(took["ours"])
    for way, times in took.items():
        yield row_of(size, way, times, ours)
    times = exact(memory.store, folder)
    for way, each in times.items():
        yield row_of(size, way, each, statistics.median(times["exact"]))
    answers = [
        [(hit.entry.id, hit.score) for hit in memory.lookup(query, BEST)] for query in queries
    ]
    yardstick = Yardstick(index)
    for query, hits in zip(queries, answers, strict=True):
        assert hits == yardstick.best(query), (query.title, hits, yardstick.best(query))
    one, sixteen = shared(memory, queries, answers)
    print(
        f"{size:>9,} opened in {opened:.1f} ms; {one:.0f} queries/s by one thread, {sixteen:.0f}"
        f" by {THREADS}; {len(queries)} answers equal to brute force",
        flush=True,
    )
    yield {"size": size, "way": "open", "p50_ms": opened}
    yield {"size": size, "way": "threads", "one_per_s": one, "sixteen_per_s": sixteen}


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a row for each size and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", type=Path, help="made before by corpus.py, of the one size")
    parser.add_argument("--index", type=Path, help="of that memory")
    parser.add_argument("--json", type=Path, help="write the rows here too")
    args = parser.parse_args(argv)
    if bool(args.memory) != bool(args.index) or (args.index and len(args.sizes) > 1):
        parser.error("--memory and --index go together, with one size")
    print(f"{'entries':>9} {'way':18} {'p50 ms':>9} {'p95 ms':>9} {'p95/p50':>7} {'x ours':>9}")
    rows: list[dict[str, Any]] = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as name:
            rows += compared(size, Path(name), args)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
