#!/usr/bin/env python3
"""What it costs until one more record is found: a delta beside a rebuild, each a whole process.

    scripts/bench/update.py [--sizes 20000 100000] [--runs 5] [--json FILE]

The memory is made up (`corpus.py`). In turn a record is appended to a journal, `mem index update`
lays it over the index, and `python -c "import numpy"` starts; the record is looked for in the same
run, and in the end the answers are held to be those of a rebuild. Medians, and ratios to the start
of numpy.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import corpus  # noqa: E402

MEM = "import sys; from retrieval.cli import main; sys.exit(main())"


def seconds(*words: str) -> float:
    """How long a process of python takes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, env=environment, capture_output=True)
    return time.perf_counter() - start


def answers(index: Path, queries: Sequence[dict[str, Any]]) -> list[Any]:
    """What the default scorer answers."""
    from indexing.settings import Settings
    from retrieval import Memory, Query

    memory = Memory(index, Settings(min_score=1))
    asked = [Query(title=q["title"], body=q["body"], files=q["files"]) for q in queries]
    return [[(hit.entry.id, hit.score, hit.why) for hit in memory.lookup(q, 10)] for q in asked]


def measured(size: int, runs: int, folder: Path) -> Iterator[dict[str, Any]]:
    """The figures of one size."""
    made = corpus.made(folder / "memory", size, 20)
    index = folder / "index"
    own = ("--memory", str(folder / "memory"), "--index")
    rebuild = seconds("-c", MEM, "index", "rebuild", *own, str(index))
    took: dict[str, list[float]] = {"update": [], "import numpy": []}
    for run in range(runs):
        record = corpus.record_of(size + run, made.draw.entry(size + run))
        with made.files[-1].open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        took["import numpy"].append(seconds("-c", "import numpy"))
        took["update"].append(seconds("-c", MEM, "index", "update", *own, str(index)))
        [best, *_] = answers(index, [record["entry"]])[0]
        assert best[0] == record["id"], best
    again = folder / "again"
    seconds("-c", MEM, "index", "rebuild", *own, str(again))
    assert answers(index, made.queries) == answers(again, made.queries)
    numpy = statistics.median(took["import numpy"])
    for way, times in (*took.items(), ("rebuild", [rebuild])):
        median = statistics.median(times)
        print(f"{size:>9,} {way:14} {median:9.3f} s {median / numpy:8.1f} x", flush=True)
        yield {"size": size, "way": way, "s": median, "worst_s": max(times), "x": median / numpy}


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a row for each size and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the rows here too")
    args = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as name:
            rows += measured(size, args.runs, Path(name))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
