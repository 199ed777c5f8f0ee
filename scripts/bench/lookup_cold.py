#!/usr/bin/env python3
"""How long a whole `mem lookup` takes, from start to exit, beside Python's own start.

    scripts/bench/lookup_cold.py [--runs 21] [--sizes 0 100000] [--json FILE]

The index is made in a temporary folder from fixtures/memory, so many entries more (`corpus.py`),
and one lesson for a planted failure. A log of 50 KB is found in tier 1, an issue of 30 words in
tier 2, which is checked. All programs run in turn, so that a machine that changes its speed changes
all; medians, spread, and ratios taken pair by pair: to `python -c pass`, and of tier 2 to
`python -c "import numpy"`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import corpus  # noqa: E402
from signature_speed import log_of  # noqa: E402

FIX = "Turn the value into a number."
START, NUMPY, EXACT, LEXICAL = "python -c pass", "import numpy", "tier 1", "tier 2"
PEER = {EXACT: START, LEXICAL: NUMPY}


def prepared(folder: Path, size: int) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The words of each program, and their environment; the index stands in `folder`."""
    (folder / "50k.log").write_text(log_of(50_000, True), encoding="utf-8")
    env = {**os.environ, "MEM_DIR": str(folder / ".mem"), "PYTHONPATH": str(ROOT)}
    mem = [sys.executable, "-c", "from retrieval.cli import program; program()"]

    def run(*words: str) -> str:
        done = subprocess.run([*mem, *words], env=env, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"mem {' '.join(words)}: {done.stderr}")
        return done.stdout

    run("init")
    run("record", "--log", "50k.log", "--fix", FIX)
    own = [str(path) for path in sorted((folder / ".mem").glob("*.jsonl"))]
    issue = ["--title", "a title of nobody"]
    if size:
        made = corpus.made(folder / "memory", size, 1)
        own.append(str(folder / "memory"))
        asked = made.queries[0]
        files = ",".join(asked["files"])
        issue = ["--title", asked["title"], "--body", asked["body"], "--files", files]
    run("index", "rebuild", "--memory", str(ROOT / "fixtures" / "memory"), *own)
    found = json.loads(run("lookup", "--json", "50k.log").splitlines()[0])
    assert FIX in json.dumps(found), found
    ways = {
        START: [sys.executable, "-c", "pass"],
        NUMPY: [sys.executable, "-c", "import numpy"],
        EXACT: [*mem, "lookup", "--json", "50k.log"],
    }
    if size:
        found = json.loads(run("lookup", "--json", *issue).splitlines()[0])
        assert found["hits"][0]["tier"] == "lexical", found
        ways[LEXICAL] = [*mem, "lookup", "--json", *issue]
    return ways, env


def measured(size: int, runs: int) -> list[dict[str, Any]]:
    """Prints and gives a row for each program: milliseconds, and the ratio to its peer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways, env = prepared(folder, size)
        took: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(runs + 1):
            for way, command in ways.items():
                start = time.perf_counter()
                subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, check=True)
                if turn:  # the first run fills the caches
                    took[way].append((time.perf_counter() - start) * 1000)
    rows = []
    for way, times in took.items():
        peers = took[PEER.get(way, way)]
        ratio = statistics.median(ours / bare for bare, ours in zip(peers, times, strict=True))
        middle = statistics.median(times)
        row = {"size": size, "way": way, "min_ms": min(times), "ms": middle, "max_ms": max(times)}
        rows.append(row | {"ratio": ratio})
        print(
            f"{size:>9,} {way:16} {min(times):8.1f} {middle:8.1f} {max(times):8.1f} {ratio:8.2f}",
            flush=True,
        )
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--sizes", type=int, nargs="+", default=[0])
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args(argv)
    print(f"{'entries':>9} {'way':16} {'min ms':>8} {'median':>8} {'max':>8} {'ratio':>8}")
    rows = [row for size in args.sizes for row in measured(size, args.runs)]
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
