#!/usr/bin/env python3
"""How fast a log is signed, beside a loop of expressions per line, in one run.

    scripts/bench/signature_speed.py [--runs 9] [--json FILE]

Each row is the median of `runs` and its spread, and the ratio to the loop that tries 60 compiled
expressions on every line (what most log parsers do). All logs are made here, so that nothing but
Python is needed; the answers are checked in the same run.
"""

import argparse
import json
import random
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from indexing.signature import extract  # noqa: E402
from indexing.signature.tools import TOOLS  # noqa: E402

NOISE = (
    "2026-08-21T10:02:11.482Z [worker 3] step {n} of 40 finished, nothing to report here",
    "   Compiling shop-core v0.{n}.1 (/home/ann/src/shop/crates/core)",
    "[INFO] Downloading from central: https://repo.maven.example/org/slf4j/slf4j-api/{n}.pom",
    "added {n} packages, and audited 1204 packages in 14s",
    "tests/unit/test_cart.py::test_total_of_{n}_lines PASSED                        [ 47%]",
    "ok  \tacme.example/stockd/stock\t0.{n}s",
    " => [4/9] RUN apt-get install -y --no-install-recommends curl={n}            12.3s",
    "  ✓ renders the list with {n} rows (12 ms)",
)
ROOT_LINE = "src/cart.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."


def log_of(size: int, failing: bool) -> str:
    """A log of about `size` characters; the failure stands at 85 %."""
    draw = random.Random(7)
    lines: list[str] = []
    length = 0
    planted = not failing
    while length < size:
        line = draw.choice(NOISE).format(n=draw.randrange(10_000))
        if not planted and length > 0.85 * size:
            line, planted = ROOT_LINE, True
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def loop_of(count: int) -> Callable[[str], str | None]:
    """The peer: `count` expressions searched on each line; the first that is found answers."""
    words = [need for rules in TOOLS for rule in rules.rules for need in rule.needs[:1]]
    distinct = sorted(set(words), key=lambda word: (-len(word), word))[:count]
    patterns = [re.compile(re.escape(word) + r"\W{0,3}(?P<message>.{1,200})") for word in distinct]

    def loop(text: str) -> str | None:
        for line in text.split("\n"):
            for pattern in patterns:
                if pattern.search(line):
                    return line
        return None

    return loop


def timed(work: Callable[[], object], runs: int) -> tuple[float, float, float]:
    """Minimum, median and maximum, in milliseconds."""
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    return min(took), statistics.median(took), max(took)


def main() -> int:
    """Prints one row per log and way, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", type=Path, help="write the rows here too")
    args = parser.parse_args()

    loop = loop_of(60)
    rows = []
    print(f"{'log':22} {'way':22} {'min':>8} {'median':>8} {'max':>8}  {'MB/s':>6}  {'x loop':>6}")
    for name, size, failing in (
        ("50 KB, failing", 50_000, True),
        ("50 KB, no failure", 50_000, False),
        ("1 MB, no failure", 1_000_000, False),
        ("5 MB, failing", 5_000_000, True),
    ):
        text = log_of(size, failing)
        found = extract(text)
        assert (found is not None and found.raw == ROOT_LINE) == failing, found
        runs = args.runs if size < 500_000 else max(3, args.runs // 3)
        peer = timed(lambda text=text: loop(text), runs)
        ours = timed(lambda text=text: extract(text), runs)
        for way, (low, middle, high) in (("60 expressions a line", peer), ("extract", ours)):
            rate = len(text) / middle / 1000
            ratio = peer[1] / middle
            rows.append(
                {"log": name, "way": way, "min": low, "median": middle, "max": high, "ratio": ratio}
            )
            print(
                f"{name:22} {way:22} {low:8.2f} {middle:8.2f} {high:8.2f}"
                f"  {rate:6.1f}  {ratio:6.1f}"
            )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
