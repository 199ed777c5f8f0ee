#!/usr/bin/env python3
"""What it costs to build an index, beside the peers on the same texts, in one run.

    scripts/bench/build.py [--sizes 1000 10000 100000] [--runs 3] [--workers 2] [--json FILE]

The memory is made up (`corpus.py`). Each way runs in a process of its own, in turn: wall time,
processor time with that of its own processes, and the most memory that all of them held together
(what they share counts once; looked at five times a second). Ours reads journals, checks and signs
every record, takes secrets out, writes rows, keys and postings, and reads them back; a peer is
given the texts that we index, title, body and root line. Every answer is checked: ours against a
scorer that uses no index (`--verify` entries at most: it takes long), a peer by finding texts by
their own words.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import corpus  # noqa: E402
import peers  # noqa: E402


def ours(memory: Path, index: Path, workers: int) -> None:
    """Build; the number of entries is checked here, the answers when the clock has stopped."""
    from indexing.build import build_index
    from indexing.settings import Settings
    from retrieval.tiers import tiers

    report = build_index([memory], index, tiers(Settings()), root=memory, workers=workers)
    assert not report.skipped
    assert not report.quarantined


def measured(way: str, memory: Path, workers: int) -> dict[str, float]:
    """Runs one way in this process."""
    files = sorted(memory.glob("*.jsonl"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = []
        loaded(way, folder)
        if way != "ours":
            texts = [
                f"{each['title']} {each['body']} {each['raw']}" for each in corpus.entries(files)
            ]
        index = memory.parent / f"index-{memory.name}"
        if way == "ours":
            shutil.rmtree(index, ignore_errors=True)  # else what was read before would be kept
        wall, cpu = time.perf_counter(), cpu_s()
        if way == "ours":
            ours(memory, index, workers)
        else:
            search = peers.PEERS[way](texts, folder)
        row = {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_s() - cpu}
        if way != "ours":
            for at in range(0, len(texts), -(-len(texts) // 5)):
                assert at in search(texts[at], 10), (way, at)
    return row


def loaded(way: str, folder: Path) -> None:
    """Imports what the way needs: it is no part of the build."""
    if way == "ours":
        import numpy  # noqa: F401

        import indexing.build  # noqa: F401
        import retrieval.tiers  # noqa: F401
    else:
        small = folder / "small"
        small.mkdir()
        peers.PEERS[way]([f"one two{number}" for number in range(12)], small)


def cpu_s() -> float:
    """Processor time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def run(words: Sequence[str]) -> tuple[dict[str, float], int]:
    """What the program prints when it is given these words, and the most kB that it held."""
    pipe = subprocess.PIPE
    command = [sys.executable, __file__, *words]
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        most = 0
        while process.poll() is None:
            most = max(most, sum(map(held_kb, family(process.pid))))
            time.sleep(0.2)
        told, complaint = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(words)}: {complaint}")
    return json.loads(told.splitlines()[-1]), most


def family(pid: int) -> list[int]:
    """The process and all that it started, as far as the system tells (Linux does)."""
    children = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            children += map(int, file.read_text().split())
    return [pid, *(each for child in children for each in family(child))]


def held_kb(pid: int) -> int:
    """The process's memory; of what it shares with others its part."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def verified(memory: Path) -> None:
    """Holds our index to answer as a scorer without an index."""
    from retrieval.verify import verify

    problems = verify(memory.parent / f"index-{memory.name}")
    assert problems == [], problems


def compared(memory: Path, args: argparse.Namespace, size: int) -> list[dict[str, object]]:
    """All ways in turn; medians, spread, and the ratio to sklearn's median."""
    ways = ["ours", *(way for way in peers.PEERS if way != "loop" and peers.installed(way))]
    took: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for _ in range(args.runs):
        for way in ways:
            words = ["--way", way, "--memory", str(memory), "--workers", str(args.workers)]
            row, most = run(words)
            took[way].append({**row, "peak_mb": most / 1024})
    if size <= args.verify:
        verified(memory)
    rows: list[dict[str, object]] = []
    bar = statistics.median(run["cpu_s"] for run in took.get("sklearn", took["ours"]))
    wall_bar = statistics.median(run["wall_s"] for run in took.get("sklearn", took["ours"]))
    for way, runs in took.items():
        walls, cpus = [run["wall_s"] for run in runs], [run["cpu_s"] for run in runs]
        wall, cpu = statistics.median(walls), statistics.median(cpus)
        peak = max(run["peak_mb"] for run in runs)
        print(
            f"{size:>9,} {way:8} {min(walls):8.2f} {wall:8.2f} {max(walls):8.2f} {cpu:8.2f}"
            f" {peak:8.0f} {wall / wall_bar:8.2f} {cpu / bar:8.2f}",
            flush=True,
        )
        rows.append(
            {
                "size": size,
                "way": way,
                "min_s": min(walls),
                "wall_s": wall,
                "max_s": max(walls),
                "cpu_s": cpu,
                "peak_mb": peak,
                "wall_ratio": wall / wall_bar,
                "cpu_ratio": cpu / bar,
            }
        )
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a row for each size and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--verify", type=int, default=20_000, metavar="ENTRIES")
    parser.add_argument("--json", type=Path, help="write the rows here too")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.way:
        print(json.dumps(measured(args.way, args.memory, args.workers)))
        return 0
    print(
        f"{'entries':>9} {'way':8} {'min s':>8} {'median':>8} {'max':>8} {'cpu s':>8}"
        f" {'peak MB':>8} {'x wall':>8} {'x cpu':>8}   (x: sklearn)"
    )
    rows = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as name:
            memory = Path(name) / "memory"
            corpus.made(memory, size)
            rows += compared(memory, args, size)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
