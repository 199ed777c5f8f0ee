#!/usr/bin/env python3
"""Ten thousand records from eight processes at once: is any lost or torn, and how fast is it?

    scripts/bench/journal.py [--records 10000] [--writers 8] [--kills 8] [--json FILE]

Each record is on the disk before it is acknowledged. So many times a writer is killed at work, and
another goes on. What was acknowledged is then looked for in the journal. Beside it stands a
plain `write` and `fsync` of the same lines by one process, without a lock.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

WRITER = """
import sys
from pathlib import Path
from indexing.entry import Entry
from indexing.journal import append
path, name, first, last = sys.argv[1:]
for number in range(int(first), int(last)):
    id = append(Path(path), Entry(f"{name}-{number}", "note", f"title {number}"), 120)
    sys.stdout.write(f"{id}\\n")
    sys.stdout.flush()
"""


def writer(journal: Path, told: Path, name: str, first: int, last: int) -> subprocess.Popen[bytes]:
    """A process that records these; what is acknowledged is written to `told`."""
    words = [str(journal), name, str(first), str(last)]
    with told.open("ab") as file:
        return subprocess.Popen([sys.executable, "-c", WRITER, *words], cwd=ROOT, stdout=file)


def acknowledged(told: Path) -> list[str]:
    """The ids in a writer's output; a last line that was cut by a kill counts if it is whole."""
    return [line for line in told.read_text().split("\n")[:-1] if line]


def bare(folder: Path, lines: list[bytes]) -> float:
    """Seconds that a lone process takes to write and flush the lines, one after another."""
    start = time.perf_counter()
    descriptor = os.open(folder / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for line in lines:
        os.write(descriptor, line)
        os.fsync(descriptor)
    os.close(descriptor)
    return time.perf_counter() - start


def main() -> int:
    """Prints how many records a second, and fails when one is missing."""
    from indexing.readers.interface import Quarantined
    from indexing.readers.journal import Journal

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    draw = random.Random(7)
    each = args.records // args.writers
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal = folder / "journal.jsonl"
        start = time.perf_counter()
        told = [folder / f"told-{number}" for number in range(args.writers)]
        running = {
            number: writer(journal, told[number], str(number), 0, each)
            for number in range(args.writers)
        }
        for _ in range(args.kills):
            time.sleep(0.3)
            number = draw.choice(sorted(running))
            running[number].kill()
            running[number].wait()
            done = len(acknowledged(told[number]))
            running[number] = writer(journal, told[number], str(number), done, each)
        assert all(process.wait() == 0 for process in running.values())
        seconds = time.perf_counter() - start
        records = list(Journal().read(journal, "journal.jsonl"))
        torn = sum(isinstance(record, Quarantined) for record in records)
        found = {record.id for record in records if not isinstance(record, Quarantined)}
        wanted = {id for file in told for id in acknowledged(file)}
        lines = journal.read_bytes().splitlines(keepends=True)
        alone = bare(folder, lines)
    assert len(wanted) == each * args.writers
    assert wanted <= found, f"{len(wanted - found)} records are lost"
    row = {
        "records": len(wanted),
        "writers": args.writers,
        "kills": args.kills,
        "lost": len(wanted - found),
        "set_aside": torn,
        "per_s": len(wanted) / seconds,
        "bare_per_s": len(lines) / alone,
    }
    print("\n".join(f"{key:12} {value:,.0f}" for key, value in row.items()))
    if args.json:
        args.json.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
