"""`mem stats`: how much the memory helps, with and without, as far as that was counted."""

import json
import math
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from indexing.errors import BadQuery
from indexing.settings import JOURNAL, find_mem_dir, load
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND

_HISTORY = "history.jsonl"


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="write AIWG's effectiveness-metrics.json"
    )


def _stats(args: Namespace) -> int:
    figures = _figures()
    if args.export is not None:
        text = json.dumps(figures["aiwg"], indent=2) + "\n"
        try:
            args.export.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise BadQuery(f"{args.export}: cannot be written ({error.strerror})") from error
        streams.say(f"mem stats: {args.export} written")
    if args.json:
        streams.write_json(figures)
    else:
        streams.write("\n".join([*_told(figures), ""]))
    return FOUND


def _figures() -> dict[str, Any]:
    from indexing.learning.evidence import abstains, interval, uses
    from indexing.learning.exchange import metrics
    from indexing.learning.merge import MERGED_INTO
    from indexing.learning.registry import loops_of
    from retrieval.cli.patterns import all_entries

    mem_dir = find_mem_dir()
    entries = [entry for entry in all_entries() if MERGED_INTO not in entry.extra]
    ended, shown, withheld = loops_of(mem_dir / JOURNAL)
    policy = load(mem_dir).policy
    known = [entry.evidence for entry in entries if entry.kind != "anti_pattern"]
    tried, helped = sum(map(uses, known)), sum(each.helped for each in known)
    failures = _failures(mem_dir / _HISTORY, withheld)
    hit = sum(failures.values())
    return {
        "entries": len(entries),
        "shown": sum(entry.evidence.shown for entry in entries),
        "applied": tried,
        "helped": helped,
        "harmed": sum(each.harmed for each in known),
        "success_interval": [round(bound, 4) for bound in interval(helped, tried)],
        "abstaining": sum(bool(abstains(each, policy)) for each in known),
        "failures": len(failures),
        "failures_with_a_hit": hit,
        "coverage": round(hit / len(failures), 4) if failures else None,
        "coverage_interval": [round(bound, 4) for bound in interval(hit, len(failures))],
        "iterations": {
            "with": _mean(ended, shown - withheld),
            "without": _mean(ended, _ids(ended) - shown - withheld),
            "control": _mean(ended, withheld),
        },
        "aiwg": metrics(entries, ended, shown),
    }


def _failures(history: Path, withheld: set[str]) -> dict[tuple[str, ...], bool]:
    """Each failure that `mem run` met, once a loop, and whether anything was shown for it.

    Loops of the control group are left out.
    """
    from indexing.learning.registry import records

    met: dict[tuple[str, ...], bool] = {}
    for each in records(history):
        signature = each.get("signature")
        loop = str(each.get("loop"))
        if each.get("exit_code") in (0, None) or loop in withheld:
            continue
        raw = signature.get("raw") if isinstance(signature, dict) else ""
        key = (loop, str(each.get("cwd")), str(each.get("command")), str(raw))
        met[key] = met.get(key, False) or bool(each.get("hits"))
    return met


def _ids(loops: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(loop.get("loop")) for loop in loops}


def _mean(loops: Sequence[Mapping[str, Any]], ids: set[str]) -> dict[str, Any]:
    """How many loops, their mean iterations, and its 95 % interval (normal; None below two)."""
    counts = [
        loop["iterations"]
        for loop in loops
        if str(loop.get("loop")) in ids and isinstance(loop.get("iterations"), int)
    ]
    if not counts:
        return {"loops": 0, "mean": None, "interval": None}
    mean = sum(counts) / len(counts)
    if len(counts) < 2:
        return {"loops": 1, "mean": mean, "interval": None}
    spread = math.sqrt(sum((count - mean) ** 2 for count in counts) / (len(counts) - 1))
    error = 1.96 * spread / math.sqrt(len(counts))
    bounds = [round(mean - error, 2), round(mean + error, 2)]
    return {"loops": len(counts), "mean": round(mean, 2), "interval": bounds}


def _told(figures: Mapping[str, Any]) -> Iterator[str]:
    metrics = figures["aiwg"]
    kinds = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in metrics["patterns_by_type"].items()
    )
    yield f"entries      {figures['entries']:,}"
    yield f"patterns     {metrics['total_patterns']:,}: {kinds}"
    yield f"shown        {figures['shown']:,} times"
    about = _interval(*figures["success_interval"])
    used = f"{figures['helped']:,} of {figures['applied']:,} times"
    yield f"helped       {used} {about}"
    yield f"harmed       {figures['harmed']:,} times; {figures['abstaining']:,} abstain"
    if figures["coverage"] is not None:
        about = _interval(*figures["coverage_interval"])
        share = f"{figures['failures_with_a_hit']} of {figures['failures']}"
        yield f"coverage     {share} failures had a hit {about}"
    for name, each in figures["iterations"].items():
        if each["loops"]:
            bounds = each["interval"]
            about = f" (95 % interval {bounds[0]:g} to {bounds[1]:g})" if bounds else ""
            yield f"iterations   {name}: {each['mean']:g} in {each['loops']} loops{about}"
    benefit = metrics["cross_loop_benefit"]
    if benefit["average_iterations_with"] and benefit["average_iterations_without"]:
        better = benefit["improvement_percentage"]
        yield f"improvement  {abs(better)} % {'fewer' if better >= 0 else 'more'} iterations"


def _interval(low: float, high: float) -> str:
    return f"(95 % interval {100 * low:.0f} to {100 * high:.0f} %)"


COMMANDS = {
    "stats": Command(_arguments, _stats, "mem stats --export effectiveness-metrics.json"),
}
