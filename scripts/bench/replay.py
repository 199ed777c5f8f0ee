#!/usr/bin/env python3
"""Learn from a failure that was mended, meet it again elsewhere: is the right fix first?

    scripts/bench/replay.py [--unrelated N] [--only captured|run|shared] [--json FILE] [--misses]

Scenarios:

    captured   every pair of fixtures/failures: a loop whose red run is log `a`, whose change is
               that of replay_fixes.jsonl (a marked line where none is written there), and whose
               green run is the same command; then log `b`, of another run, is met.
    run        projects that are made, broken, mended and broken again in another folder, by
               really running npm, cargo, go, pytest, terraform, make and gcc, where installed.

    shared     (with --only) pairs of ../shared/data/failures, on which nothing was tuned.

Each loop is learnt by `mem learn`; each later failure is asked by `mem lookup` and `mem context`.
Figures: how often the right fix is first, alone and among unrelated entries; how often a failure
that no scenario is about shows anything at all, and how often one that was made to look like a
scenario's does (`x.other.txt`: the same tool and project, another failure); tokens of the blocks.
"""

import argparse
import hashlib
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from indexing.build import build_index  # noqa: E402
from indexing.entry import Entry, Lesson  # noqa: E402
from indexing.journal import add_record, append_missing  # noqa: E402
from indexing.learning.extract import found_in  # noqa: E402
from indexing.learning.loops import read_loops  # noqa: E402
from indexing.learning.store import Learned, store  # noqa: E402
from indexing.settings import JOURNAL, Settings  # noqa: E402
from indexing.signature import sign  # noqa: E402
from indexing.signature.lines import decode  # noqa: E402
from retrieval import Memory, Query  # noqa: E402
from retrieval.budget import estimate_tokens  # noqa: E402
from retrieval.hit import Hit  # noqa: E402
from retrieval.tiers import tiers  # noqa: E402

FAILURES = ROOT / "fixtures" / "failures"
FIXES = Path(__file__).with_name("replay_fixes.jsonl")


# The same failure of the same code, seen through two tools or by two drivers of one: one group.
TWINS = (
    ("ant/javac", "gradle/compile", "javac/cannot-find-symbol", "maven/compile"),
    ("nox/session-failed", "tox/test-env-failed", "unittest/assertion-rate"),
    ("python/valueerror", "python/chained-from"),
    ("pip/no-match", "docker/build-pip-missing"),
    ("ninja/compile", "make/parallel-compile"),
    ("terraform/undeclared", "terraform/undeclared-trace"),
    ("flake8/undefined-name", "ruff/check-undefined-name"),
    ("next/build-type-error", "webpack/ts-loader-type-error"),
    ("apt/unmet", "dpkg/dependency"),
    ("make/recipe-killed", "docker/build-oom"),
    ("gcc/link-undefined", "clang/link-undefined"),
    ("gcc/template-no-less", "clang/template-no-less"),
)


class Scenario(NamedTuple):
    """A failure that was mended, and the same one met later.

    `fix` is what the answer's fix must hold; `group` is the failure's name, equal for logs of one
    failure, `failure` its name in the manifest; `hard` says that the tool itself words it otherwise
    the second time.
    """

    name: str
    kind: str
    group: str
    attempts: tuple[dict[str, Any], ...]
    later: str
    fix: str
    hard: bool = False
    failure: str = ""


class Later(NamedTuple):
    """A captured log; `is_near` says that it was made to look like a scenario's and is another."""

    name: str
    group: str
    log: str
    is_near: bool


class Use(NamedTuple):
    """That an entry was shown first, and whether it was about the failure."""

    entry_id: str
    helped: bool


class Answer(NamedTuple):
    """What was shown first for a scenario's later log, and whether it is right."""

    scenario: Scenario
    right: bool
    in_block: bool
    tokens: int
    shown: str


_TWIN_OF = {name: twins[0] for twins in TWINS for name in twins}


def captured() -> list[Scenario]:
    """A scenario for each pair of captured logs."""
    fixes = {}
    for line in FIXES.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        fixes[record["case"]] = record
    made = []
    for manifest in sorted(FAILURES.glob("*/manifest.jsonl")):
        records = [json.loads(line) for line in manifest.read_text("utf-8").splitlines()]
        by_file = {record["file"]: record for record in records}
        for record in records:
            case, mark, _ = record["file"].rpartition(".a.txt")
            later = by_file.get(f"{case}.b.txt")
            if not mark or later is None or later["group"] != record["group"]:
                continue
            tool = manifest.parent.name
            name = _TWIN_OF.get(f"{tool}/{case}", f"{tool}/{case}")
            number = int(hashlib.sha256(name.encode()).hexdigest()[:6], 16)
            fix = fixes.get(name, {"note": f"Apply remedy {number}."})
            made.append(_of_logs(tool, case, record, later, fix)._replace(group=name))
    return made


def beside() -> list[Scenario]:
    """A scenario for each group of ../shared/data/failures, where that is: its first two logs."""
    folder = ROOT.parent / "shared" / "data" / "failures"
    groups: dict[str, list[dict[str, Any]]] = {}
    for manifest in sorted(folder.glob("manifest-*.jsonl")):
        for line in manifest.read_text("utf-8").splitlines():
            record = json.loads(line)
            if record.get("pair_strength") != "weak" and record.get("root_line"):
                groups.setdefault(record["group"], []).append(record)
    made = []
    for group, records in groups.items():
        if len(records) > 1:
            number = int(hashlib.sha256(group.encode()).hexdigest()[:6], 16)
            one, other = records[:2]
            fix = {"note": f"Apply remedy {number}."}
            scenario = _of_logs("shared", group, one, other, fix, folder)
            made.append(scenario._replace(kind="shared"))
    return made


def _of_logs(
    tool: str,
    case: str,
    record: dict[str, Any],
    later: dict[str, Any],
    fix: dict[str, Any],
    folder: Path | None = None,
) -> Scenario:
    command = record.get("command") or tool
    folder = folder or FAILURES / tool
    red = {
        "loop": f"{tool}-{case}",
        "command": command,
        "exit_code": record.get("exit_code") or 1,
        "output": decode((folder / record["file"]).read_bytes()),
        "at": "2026-03-01T10:00:00Z",
    }
    change = {key: fix[key] for key in ("note", "diff", "files", "steps") if key in fix}
    green = {"command": command, "exit_code": 0, "at": "2026-03-01T10:10:00Z", **change}
    said = fix.get("note") or fix["steps"][0]
    return Scenario(
        name=f"{tool}/{case}",
        kind="captured",
        group=record["group"],
        failure=record["group"],
        attempts=(red, {"loop": red["loop"], **green}),
        later=decode((folder / later["file"]).read_bytes()),
        fix=said,
        hard=later.get("relation") == "same-hard" or record.get("relation") == "same-hard",
    )


def learnt(scenarios: Sequence[Scenario], folder: Path, more: Iterable[Entry] = ()) -> Memory:
    """A memory that has learnt each scenario's first loop, and holds `more` entries."""
    mem_dir = folder / ".mem"
    mem_dir.mkdir(parents=True)
    journal = mem_dir / JOURNAL
    journal.touch()
    loops = folder / "attempts.jsonl"
    lines = (json.dumps(attempt) for each in scenarios for attempt in each.attempts)
    loops.write_text("\n".join(lines) + "\n", encoding="utf-8")
    read = list(read_loops(loops, folder))
    store(journal, [Learned(loop, tuple(found_in(loop))) for loop in read])
    append_missing(journal, (add_record(entry) for entry in more))
    settings = Settings()
    build_index([journal], mem_dir / "index", tiers(settings), settings, root=folder)
    return Memory.open(mem_dir)


def asked(memory: Memory, scenarios: Sequence[Scenario]) -> list[Answer]:
    """What is first for each scenario's later log."""
    answers = []
    for scenario in scenarios:
        query = Query(scenario.later)
        hits = memory.lookup(query)
        block = memory.context(query)
        first = hits[0].entry if hits else None
        said = " ".join(_said(first)) if first else ""
        right = _plain(scenario.fix) in _plain(said)
        # the first match of the block ends where the second begins
        head = block.partition("\n2. ")[0]
        in_block = _plain(scenario.fix)[:60] in _plain(head)
        shown = _about(hits[0]) if hits else ""
        answers.append(Answer(scenario, right, in_block, estimate_tokens(block), shown))
    return answers


def _said(entry: Entry) -> tuple[str, ...]:
    return entry.lesson.fix, *entry.lesson.worked, *entry.lesson.steps


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "'").split())


def unrelated_shown(scenarios: Sequence[Scenario], folder: Path) -> list[tuple[str, str]]:
    """For each scenario, asked of a memory that never saw its failure: what was shown all the same.

    The scenarios go into five parts by their group; each part is asked of a memory of the others.
    """
    groups = sorted({scenario.group for scenario in scenarios})
    part_of = {group: at % 5 for at, group in enumerate(groups)}
    shown = []
    for part in range(5):
        known = [each for each in scenarios if part_of[each.group] != part]
        memory = learnt(known, folder / f"part{part}")
        for scenario in scenarios:
            if part_of[scenario.group] == part:
                hits = memory.lookup(Query(scenario.later))
                if hits:
                    shown.append((scenario.name, _about(hits[0])))
    return shown


def later() -> list[Later]:
    """Every captured log of a failure, but those that the scenarios learn from."""
    found = []
    for manifest in sorted(FAILURES.glob("*/manifest.jsonl")):
        for line in manifest.read_text("utf-8").splitlines():
            record = json.loads(line)
            if record["group"] and not record["file"].endswith(".a.txt"):
                log = decode((manifest.parent / record["file"]).read_bytes())
                name = f"{manifest.parent.name}/{record['file']}"
                is_near = record["file"].endswith(".other.txt")
                found.append(Later(name, record["group"], log, is_near))
    return found


def near_shown(memory: Memory, misses: Iterable[Later]) -> list[tuple[str, str]]:
    """What is shown first for failures that only look like one that the memory knows."""
    found = ((each.name, memory.lookup(Query(each.log), 1)) for each in misses)
    return [(name, _about(hits[0])) for name, hits in found if hits]


def used(memory: Memory, logs: Iterable[Later], scenarios: Sequence[Scenario]) -> list[Use]:
    """What is first for each log, as a use of it; a log for which nothing is shown is none."""
    fixes: dict[str, set[str]] = {}
    for scenario in scenarios:
        fixes.setdefault(scenario.failure, set()).add(_plain(scenario.fix))
    uses = []
    for each in logs:
        for hit in memory.lookup(Query(each.log), 1):
            said = _plain(" ".join(_said(hit.entry)))
            helped = any(fix in said for fix in fixes.get(each.group, ()))
            uses.append(Use(hit.entry.id, helped))
    return uses


def _about(hit: Hit) -> str:
    return f"{hit.tier} {hit.score} {hit.entry.title}"


_THINGS = ("widget", "ledger", "parcel", "invoice", "queue", "shard", "session", "carrier", "depot")
_FAULTS = ("cannot be opened", "is out of range", "was closed twice", "has no owner", "is stale")
_ERRORS = ("ValueError", "RuntimeError", "KeyError", "TypeError", "OSError", "ParseError")


def noise(count: int) -> list[Entry]:
    """Entries of failures that nobody asks for, the same ones every time."""
    random_ = random.Random(7)
    made = []
    for number in range(count):
        thing, other = random_.choice(_THINGS), random_.choice(_THINGS)
        name = f"{thing}{random_.randrange(16**6):06x}"
        raw = f"{random_.choice(_ERRORS)}: {name}: {thing} {random_.choice(_FAULTS)} by {other}"
        tool = random_.choice(("pytest", "npm", "cargo", "go", "node", "generic"))
        made.append(
            Entry(
                id=f"noise-{number:05d}",
                kind="failure",
                title=raw,
                files=(f"src/{thing}/{name}.py",),
                signature=sign(raw, tool),
                lesson=Lesson(fix=f"Give {name} its own {other}."),
                captured_at="2026-02-01T00:00:00Z",
            )
        )
    return made


def main() -> int:
    """Prints the figures; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unrelated", type=int, default=10_000, help="so many entries of noise")
    parser.add_argument("--only", choices=("captured", "run", "shared"))
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--misses", action="store_true", help="list what went wrong")
    args = parser.parse_args()
    scenarios = captured() if args.only in (None, "captured") else []
    if args.only == "shared":
        scenarios = beside()
    if args.only in (None, "run"):
        from replay_run import scenarios as really_run

        made, missing = really_run()
        scenarios += [Scenario(**each) for each in made]
        if missing:
            print(f"not installed, so not run: {', '.join(missing)}")
    folder = Path(tempfile.mkdtemp(prefix="replay-"))
    try:
        return _measured(scenarios, folder, args)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(scenarios: list[Scenario], folder: Path, args: argparse.Namespace) -> int:
    memory = learnt(scenarios, folder / "alone")
    alone = asked(memory, scenarios)
    misses = [each for each in later() if each.is_near]
    near = near_shown(memory, misses)
    among = asked(learnt(scenarios, folder / "among", noise(args.unrelated)), scenarios)
    shown = unrelated_shown(scenarios, folder / "unrelated")
    figures = {
        "scenarios": dict(Counter(each.kind for each in scenarios)),
        "hard": sum(each.hard for each in scenarios),
        "right_first": _share(each.right for each in alone),
        "right_first_in_block": _share(each.in_block for each in alone),
        f"right_first_among_{args.unrelated}": _share(each.right for each in among),
        "unrelated_shown": len(shown) / len(scenarios),
        "near_misses": len(misses),
        "near_misses_shown": len(near) / len(misses),
        "tokens_mean": round(sum(each.tokens for each in alone) / len(alone), 1),
        "tokens_most": max(each.tokens for each in alone),
    }
    for kind in figures["scenarios"]:
        share = _share(each.right for each in alone if each.scenario.kind == kind)
        figures[f"right_first_{kind}"] = share
    for name, value in figures.items():
        print(f"{name:28} {value if not isinstance(value, float) else round(value, 4)}")
    if args.misses:
        for title, answers in (("alone", alone), ("among", among)):
            for each in answers:
                if not each.right:
                    hard = " (hard)" if each.scenario.hard else ""
                    print(f"missed {title}: {each.scenario.name}{hard}: shown: {each.shown or '-'}")
        for name, about in shown:
            print(f"shown, unrelated: {name}: {about}")
        for name, about in near:
            print(f"shown, only near: {name}: {about}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    good = figures["right_first"] >= 0.95 and figures["unrelated_shown"] <= 0.02
    return 0 if good and figures[f"right_first_among_{args.unrelated}"] >= 0.9 else 1


def _share(rights: Iterable[bool]) -> float:
    listed = list(rights)
    return sum(listed) / len(listed) if listed else 0.0


if __name__ == "__main__":
    sys.exit(main())
