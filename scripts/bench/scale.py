#!/usr/bin/env python3
"""Cost against the number of entries: all benches of the index at the same sizes, in one file.

    scripts/bench/scale.py [--sizes 1000 10000 100000] [--json notebooks/scale.json]

Builds, lookups in a long-lived process and lookups in a fresh one, beside their peers; each checks
its answers. `notebooks/scale.ipynb` plots the file. A million takes the better part of an hour.
"""

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import build
import lookup_cold
import lookup_warm

BENCHES: dict[str, Callable[[Sequence[str]], int]] = {
    "build": build.main,
    "warm": lookup_warm.main,
    "cold": lookup_cold.main,
}


def main() -> int:
    """Runs all benches and writes one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=["1000", "10000", "100000"])
    parser.add_argument("--only", choices=BENCHES, nargs="+", default=list(BENCHES))
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    found = {"machine": f"{platform.machine()}, Python {platform.python_version()}"}
    if args.json and args.json.exists():
        found = json.loads(args.json.read_text("utf-8"))
    for name in args.only:
        print(name)
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "rows.json"
            BENCHES[name](["--sizes", *args.sizes, "--json", str(told)])
            rows = json.loads(told.read_text("utf-8"))
        sizes = set(map(int, args.sizes))
        kept = [row for row in found.get(name, []) if row["size"] not in sizes]
        found[name] = sorted(kept + rows, key=lambda row: row["size"])
        if args.json:
            args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
