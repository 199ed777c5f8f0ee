#!/usr/bin/env python3
"""How fast a log is signed, beside what else reads logs, in one run.

    scripts/bench/signature_speed.py [--runs 9] [--large] [--json FILE]

Lines of the first logs differ in numbers only; those of CI logs in names, paths and versions too,
and some have the words of failures though nothing failed.

Each row is the median of `runs` and its spread, and the ratio to the loop that tries 60 compiled
expressions on every line (what most log parsers do). Each is a literal and what follows it, the
fastest kind: expressions that begin with anchors and classes take twice as long. Beside it stand,
as processes, `grep -F -c` of one word and `rg -F -c` of all the literals that our rules need, and
drain3, where they are installed. Logs are given as bytes, as a file holds them. --large adds 100 MB
without a failure (the loop is measured on 5 MB of it), one line of 10 MB and a million short lines.
All logs are made here; the answers are checked in the same run.
"""

import argparse
import atexit
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from indexing.signature import extract  # noqa: E402
from indexing.signature.tools import TOOLS  # noqa: E402

CAPTURED = ROOT / "fixtures" / "failures" / "pytest" / "conn-refused-many.a.txt"
CAPTURED_ROOT = "E               ConnectionRefusedError: [Errno 111] Connection refused"
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
GO = "=== RUN   TestErrorOf{n}IsKept\n--- PASS: TestErrorOf{n}IsKept (0.0{m}s)\n"
MAVEN = (
    "[INFO] Tests run: {m}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.0{m} s"
    " - in org.example.Cart{n}Test\n"
)
PASSED = "tests/unit/test_{name}.py::test_{word}_error_of_{other}_{n} PASSED              [ 47%]\n"
CI = (
    "npm http fetch GET 200 https://registry.example/{name} {n}ms (cache miss)",
    "npm warn deprecated {name}@{version}: no longer supported, use {other}@{version}",
    "   Compiling {name} v{version}",
    "     Running `rustc --crate-name {word} --edition=2021 {path}.rs -C metadata={hash}`",
    "Collecting {name}<{m},>={version}",
    "  Using cached {other}-{version}-cp311-cp311-manylinux_2_17_x86_64.whl ({n} kB)",
    "Requirement already satisfied: {name} in /opt/python/3.11/site-packages ({version})",
    "#{m} 12.{n} Get:{m} http://deb.example/debian bookworm/main amd64 {name} {version} [{n} kB]",
    "#{m} sha256:{hash}{hash} {n}MB / {n}MB 4.{m}s",
    "> Task :{word}:compileKotlin UP-TO-DATE",
    "go: downloading git.example/{word}/{name} v{version}",
    "=== RUN   TestOf{word}/case_{n}",
    "    --- PASS: TestOf{word}/case_{n} (0.{n}s)",
    "tests/{word}/test_{other}.py::test_{word}_{n} PASSED                          [ 47%]",
    "[{n}/1930] Building CXX object {path}.dir/{word}.cpp.o",
    "remote: Counting objects: {m}% ({n}/9310)",
    "HEAD is now at {hash} Merge pull request #{n} from {word}/{name}",
    "INFO  [main] example.{word}.Service - request id={hash} took {n}ms",
    "dist/assets/{word}-{hash}.js   {n}.12 kB | gzip: {m}.25 kB",
    "",
)
DECOYS = (
    "webpack {version} compiled with 0 errors and {m} warnings in {n} ms",
    "tests/api/test_error_handler.py::test_error_{n} PASSED                      [ 47%]",
    "test result: ok. {n} passed; 0 failed; 0 ignored; finished in 0.{n}s",
    "[INFO] Tests run: {m}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.{n} s",
    "  PASS  src/{word}/errors.test.ts (3.{m} s)",
    "{path}.c: warning: unused variable 'error' [-Wunused-variable]",
)
NAMES = (
    *("react", "lodash", "webpack", "typescript", "serde", "tokio", "numpy", "pandas", "requests"),
    *("boto3", "guava", "slf4j-api", "netty-all", "spring-core", "express", "jest", "clap"),
    *("error-stack", "thiserror", "http-errors", "is-error"),
)
FOLDERS = ("src", "lib", "app", "core", "api", "auth", "billing", "search", "index", "queue", "web")
ROOT_LINE = "src/cart.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."


NEEDS = sorted({need for rules in TOOLS for rule in rules.rules for need in rule.needs})


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


def ci_log(size: int, decoys: bool) -> str:
    """A log of a CI run in which nothing failed, each line with its time.

    Without decoys no line has a word of a failure.
    """
    draw = random.Random(11)
    lines: list[str] = []
    length = 0
    while length < size:
        drawn = {
            "n": draw.randrange(1000),
            "m": draw.randrange(1, 60),
            "name": draw.choice(NAMES),
            "other": draw.choice(NAMES),
            "word": draw.choice(FOLDERS),
            "path": "/".join(draw.choices(FOLDERS, k=draw.randint(2, 4))),
            "version": f"{draw.randrange(20)}.{draw.randrange(40)}.{draw.randrange(20)}",
            "hash": f"{draw.getrandbits(64):016x}",
        }
        line = draw.choice(DECOYS if decoys and draw.random() < 0.03 else CI).format_map(drawn)
        if decoys or "rror" not in line:
            second, part = divmod(len(lines) * 10**7 // 37, 10**7)
            line = f"2026-08-21T10:{second // 60 % 60:02}:{second % 60:02}.{part:07}Z {line}"
            lines.append(line)
            length += len(line) + 1
    return "\n".join((*lines, "Status: OK", ""))


def passing_tests(size: int) -> str:
    """Tests of errors, all of which passed."""
    draw = random.Random(13)
    count = size // len(PASSED)
    lines = (
        PASSED.format(
            name=draw.choice(FOLDERS), word=draw.choice(FOLDERS), other=draw.choice(FOLDERS), n=n
        )
        for n in range(count)
    )
    return "".join(lines) + f"===== {count} passed in 9.12s =====\n"


def log_like(line: str, size: int) -> str:
    """A log of such lines, each with other numbers."""
    count = size // len(line)
    return "".join(line.format(n=number, m=1 + number % 9) for number in range(count))


def loop_of(count: int) -> Callable[[str], list[str]]:
    """The peer: `count` expressions, one of each tool, searched on each line; what was found."""
    best = (max(rules.rules, key=lambda rule: rule.rank) for rules in TOOLS if rules.rules)
    words = [need for rule in best for need in rule.needs[:1]][:count]
    patterns = [re.compile(re.escape(word) + r"\W{0,3}(?P<message>.{1,200})") for word in words]

    def loop(text: str) -> list[str]:
        found = []
        for line in text.split("\n"):
            for pattern in patterns:
                if pattern.search(line):
                    found.append(line)
                    break
        return found

    return loop


def file_of(text: str) -> str:
    """The name of a file with the text, which is gone when the program ends."""
    with tempfile.NamedTemporaryFile("w", suffix=".log", delete=False, encoding="utf-8") as file:
        file.write(text)
    atexit.register(Path(file.name).unlink)
    return file.name


def counted(command: list[str], words: Sequence[str], text: str) -> Callable[[], object] | None:
    """The command, which prints how many lines hold one of the words; None where it is missing."""
    if shutil.which(command[0]) is None:
        return None
    lines = int(subprocess.run(command, capture_output=True, text=True).stdout or 0)
    part = text.split("\n") if len(text) < 500_000 else []
    assert not part or lines == sum(any(word in line for word in words) for line in part)
    return lambda: subprocess.run(command, capture_output=True)


def drain(text: str) -> Callable[[], object] | None:
    """drain3 over every line; None where it is not installed."""
    try:
        from drain3 import TemplateMiner
        from drain3.template_miner_config import TemplateMinerConfig
    except ImportError:
        return None

    def run() -> object:
        miner = TemplateMiner(config=TemplateMinerConfig())
        for line in text.split("\n"):
            miner.add_log_message(line)
        assert 0 < len(miner.drain.clusters) <= len(text)
        return miner

    return run


def timed(work: Callable[[], object], runs: int) -> tuple[float, float, float]:
    """Minimum, median and maximum, in milliseconds."""
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    return min(took), statistics.median(took), max(took)


def logs(large: bool) -> Iterator[tuple[str, str, str | None]]:
    """Each log with its name and its root line."""
    yield "50 KB, failing", log_of(50_000, True), ROOT_LINE
    yield "113 KB of pytest", CAPTURED.read_text("utf-8"), CAPTURED_ROOT
    yield "50 KB, no failure", log_of(50_000, False), None
    yield "1 MB, no failure", log_of(1_000_000, False), None
    yield "50 KB of CI", ci_log(50_000, True), None
    yield "50 KB, no error word", ci_log(50_000, False), None
    yield "1 MB of CI", ci_log(1_000_000, True), None
    # every line has words that failures have
    yield "1 MB, Go, all pass", log_like(GO, 1_000_000) + "PASS\nok  \tacme.example/a\t9.1s\n", None
    yield "1 MB, Maven, all pass", log_like(MAVEN, 1_000_000) + "[INFO] BUILD SUCCESS\n", None
    yield "1 MB, pytest, all pass", passing_tests(1_000_000), None
    yield "5 MB, failing", log_of(5_000_000, True), ROOT_LINE
    if large:
        yield "100 MB, no failure", "\n".join([log_of(5_000_000, False)] * 20), None
        yield "10 MB, one line", f"{'warm and dry; ' * 714_000}\n{ROOT_LINE}", ROOT_LINE
        yield "1 M short lines", "step done\n" * 1_000_000 + ROOT_LINE, ROOT_LINE


def main() -> int:
    """Prints one row per log and way, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--large", action="store_true", help="100 MB and awkward logs too")
    parser.add_argument("--json", type=Path, help="write the rows here too")
    args = parser.parse_args()

    loop, ripgrep = loop_of(60), ["rg", "-F", "-c", "-f", file_of("\n".join(NEEDS))]
    rows = []
    print(f"{'log':20} {'way':22} {'min':>9} {'median':>9} {'max':>9}  {'MB/s':>6}  {'x loop':>6}")
    for name, text, root in logs(args.large):
        found = extract(text.encode())
        assert (found and found.raw) == root, (name, found)
        runs = args.runs if len(text) < 500_000 else max(3, args.runs // 3)
        part = text[:5_000_000]
        assert root is None or root not in part or root in loop(part)
        data, file = text.encode(), file_of(text)
        ways: list[tuple[str, str, Callable[[], object] | None]] = [
            ("60 expressions a line", part, lambda part=part: loop(part)),
            ("extract", text, lambda data=data: extract(data)),
            ("grep -F error", text, counted(["grep", "-F", "-c", "error", file], ["error"], text)),
            ("rg -F, our literals", text, counted([*ripgrep, file], NEEDS, text)),
            ("drain3", part, drain(part) if len(text) <= 1_000_000 else None),
        ]
        peer = 0.0
        for way, of, work in ways:
            if work is None:
                continue
            low, middle, high = timed(work, runs)
            rate = len(of) / middle / 1000
            peer = peer or rate
            row = {"log": name, "way": way, "min": low, "median": middle, "max": high}
            rows.append(row | {"mb_per_s": rate, "ratio": rate / peer})
            print(
                f"{name:20} {way:22} {low:9.2f} {middle:9.2f} {high:9.2f}"
                f"  {rate:6.1f}  {rate / peer:6.1f}"
            )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
