#!/usr/bin/env python3
"""How long a whole `mem lookup` takes, from start to exit, beside `python -c pass`.

    scripts/bench/lookup_cold.py [--runs 21] [--json FILE]

The index is made in a temporary folder from fixtures/memory and one lesson for a planted failure;
the log has 50 KB and is found in tier 1, which is checked. Both programs run in turn, so that a
machine that changes its speed changes both; medians, spread, and the ratio taken pair by pair.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from signature_speed import log_of  # noqa: E402

FIX = "Turn the value into a number."


def prepared(folder: Path) -> tuple[list[str], dict[str, str]]:
    """The lookup's words and environment; the index stands in `folder`."""
    (folder / "50k.log").write_text(log_of(50_000, True), encoding="utf-8")
    env = {**os.environ, "MEM_DIR": str(folder / ".mem"), "PYTHONPATH": str(ROOT)}
    mem = [sys.executable, "-c", "import sys; from retrieval.cli import main; sys.exit(main())"]

    def run(*words: str) -> str:
        done = subprocess.run([*mem, *words], env=env, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"mem {' '.join(words)}: {done.stderr}")
        return done.stdout

    run("init")
    run("record", "--log", "50k.log", "--fix", FIX)
    own = [str(path) for path in sorted((folder / ".mem").glob("*.jsonl"))]
    run("index", "rebuild", "--memory", str(ROOT / "fixtures" / "memory"), *own)
    found = json.loads(run("lookup", "--json", "50k.log").splitlines()[0])
    assert FIX in json.dumps(found), found
    return [*mem, "lookup", "--json", "50k.log"], env


def main() -> int:
    """Prints the two medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lookup, env = prepared(folder)
        ways = {"python -c pass": [sys.executable, "-c", "pass"], "mem lookup": lookup}
        took: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(args.runs + 1):
            for way, command in ways.items():
                start = time.perf_counter()
                subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, check=True)
                if turn:  # the first run fills the caches
                    took[way].append((time.perf_counter() - start) * 1000)
    rows = {}
    print(f"{'ms':16} {'min':>8} {'median':>8} {'max':>8}")
    for way, times in took.items():
        row = rows[way] = (min(times), statistics.median(times), max(times))
        print(f"{way:16} " + " ".join(f"{value:8.1f}" for value in row))
    pairs = [ours / bare for bare, ours in zip(*took.values(), strict=True)]
    ratio = statistics.median(pairs)
    print(f"{'ratio':16} {min(pairs):8.2f} {ratio:8.2f} {max(pairs):8.2f}")
    if args.json:
        args.json.write_text(json.dumps({**rows, "ratio": ratio}, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
