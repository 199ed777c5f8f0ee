"""AIWG's registry: one document of four lists, and the effectiveness metrics."""

import itertools
from collections.abc import Iterable, Mapping, Sequence, Set
from copy import deepcopy
from typing import Any

from indexing.entry import Entry, Evidence
from indexing.learning.evidence import rate, trend, uses
from indexing.learning.exchange.kept import REGISTRY, Kept, as_text, is_as_read, is_own, kept_of

LISTS = {
    "error_pattern": "error_patterns",
    "success_pattern": "success_patterns",
    "anti_pattern": "anti_patterns",
    "code_template": "code_templates",
}
_PREFIX = {
    "error_pattern": "pat-error",
    "success_pattern": "pat-success",
    "anti_pattern": "pat-anti",
    "code_template": "tmpl",
}


def registry(entries: Iterable[Entry]) -> dict[str, str]:
    """`registry.json`, as text; empty without a pattern."""
    known = [entry for entry in entries if entry.kind in LISTS and is_own(entry)]
    known.sort(key=lambda each: (each.evidence.first, each.captured_at, each.id))
    came = [told for entry in known if (told := kept_of(entry, "aiwg"))]
    taken = {id for told in came for id in _ids(told.record)}
    lists: dict[str, list[Any]] = {name: [] for name in LISTS.values()}
    for entry in known:
        record = aiwg_record(entry, taken)
        taken.update(_ids(record))
        lists[LISTS[entry.kind]].append(record)
    if not known:
        return {}
    around: dict[str, Any] = {}
    for told in reversed(came):  # of two that differ the first holds
        around.update(told.around)
    beside = around.pop(REGISTRY, None)
    held = {**(beside if isinstance(beside, Mapping) else {}), **lists}
    document = {"version": "1.0.0", **around, REGISTRY: held}
    return {"registry.json": as_text({**document, "effectiveness_metrics": metrics(known)})}


def _ids(record: Any) -> set[str]:
    told = record if isinstance(record, Mapping) else {}
    return {str(told[key]) for key in ("pattern_id", "template_id") if key in told}


def aiwg_record(entry: Entry, taken: Set[str] = frozenset()) -> dict[str, Any]:
    """The record of an entry in AIWG's shape, under an id that is not taken."""
    told = kept_of(entry, "aiwg")
    if told and isinstance(told.record, Mapping):
        return _brought_up_to_date(entry, told)
    make = {
        "error_pattern": _error,
        "success_pattern": _success,
        "anti_pattern": _anti,
        "code_template": _template,
    }[entry.kind]
    return make(entry, _number(entry, taken))


def _brought_up_to_date(entry: Entry, told: Kept) -> dict[str, Any]:
    """The record as it came, with what has happened since."""
    made = deepcopy(dict(told.record))
    now = entry.evidence
    if is_as_read(entry, told):
        return made
    helped, tried = now.helped - _before(told, "helped"), uses(now) - _before(told, "applied")
    before = made.get("usage_count")
    made["usage_count"] = (before if isinstance(before, int) else 0) + max(tried, 0)
    for key, more in (("successful_applications", helped), ("failed_applications", tried - helped)):
        if isinstance(made.get(key), int):
            made[key] += max(more, 0)
    if (share := rate(now)) is not None and entry.kind != "anti_pattern":
        made["success_rate"] = round(share, 4)
    if now.last:
        made["last_used"] = now.last
    known = made.get("source_loops")
    if isinstance(known, list):
        names = {_name(loop) for loop in known}
        made["source_loops"] = known + [_loop(x) for x in _loops(entry) if _name(x) not in names]
    return made


def _name(loop: Any) -> str:
    return str(loop.get("loop_id") if isinstance(loop, Mapping) else loop)


def _before(told: Kept, counter: str) -> int:
    counted = told.evidence.get(counter)
    return counted if isinstance(counted, int) else 0


def _number(entry: Entry, taken: Set[str]) -> str:
    """`pat-error-null-check-001`: AIWG's ids end in three digits, ours in a hash."""
    stem = entry.id.rpartition("-")[0] if entry.extra.get("learned") else ""
    prefix = _PREFIX[entry.kind]
    if not stem.startswith(prefix):
        stem = prefix
    return next(id for at in itertools.count(1) if (id := f"{stem}-{at:03d}") not in taken)


def _used(entry: Entry) -> dict[str, Any]:
    evidence = entry.evidence
    told = {
        "source_loops": [_loop(each) for each in entry.extra.get("source_loops", ())],
        "success_rate": round(rate(evidence) or 0.0, 4),
        "usage_count": uses(evidence),
        "first_discovered": evidence.first or entry.captured_at,
        "last_used": evidence.last or entry.captured_at,
    }
    snapshots = trend(_loops(entry))
    if len(snapshots) > 1:
        told["effectiveness_trend"] = [
            {
                "timestamp": each.at,
                "success_rate_snapshot": round(each.rate, 4),
                "sample_size": each.sample_size,
                "source_loop": each.loop,
            }
            for each in snapshots
        ]
    return told


def _loops(entry: Entry) -> list[Mapping[str, Any]]:
    return [each for each in entry.extra.get("source_loops", ()) if isinstance(each, Mapping)]


def _loop(loop: Any) -> Any:
    if not isinstance(loop, Mapping):
        return loop
    told = {key: loop.get(key) for key in ("loop_id", "timestamp", "contributed_by")}
    return {key: value for key, value in told.items() if value}


def _error(entry: Entry, id: str) -> dict[str, Any]:
    signed, fix = entry.extra.get("error_signature", {}), entry.extra.get("fix_approach", {})
    raw = entry.signature.raw if entry.signature else entry.title
    approach = {
        "description": entry.lesson.fix,
        "fix_category": fix.get("fix_category", "other"),
        "code_template": entry.lesson.template,
        "code_template_language": fix.get("code_template_language", ""),
    }
    return {
        "pattern_id": id,
        "type": "error_pattern",
        "error_signature": {
            "error_type": signed.get("error_type") or "Other",
            "error_pattern": signed.get("error_pattern") or raw,
            "error_location_hints": list(signed.get("error_location_hints", ())),
        },
        "fix_approach": {key: value for key, value in approach.items() if value},
        **_used(entry),
        "tags": list(entry.labels),
    }


def _success(entry: Entry, id: str) -> dict[str, Any]:
    counts = [
        each["iterations"] for each in _loops(entry) if isinstance(each.get("iterations"), int)
    ]
    average = round(sum(counts) / len(counts), 2) if counts else 0
    return {
        "pattern_id": id,
        "task_category": entry.extra.get("task_category", "implementation"),
        "task_description_pattern": entry.extra.get("task_description_pattern", entry.title),
        "approach": {
            "description": entry.title,
            "steps": list(entry.lesson.steps),
            "tools_used": list(entry.extra.get("approach", {}).get("tools_used", ())),
            "typical_iterations": {
                "average": average,
                "minimum": min(counts, default=0),
                "maximum": max(counts, default=0),
            },
        },
        **_used(entry),
        "average_iterations": average,
        "preconditions": list(entry.extra.get("preconditions", ())),
        "tags": list(entry.labels),
    }


def _anti(entry: Entry, id: str) -> dict[str, Any]:
    lesson, better = entry.lesson, entry.extra.get("better_alternative", {})
    alternative = {
        "description": next(iter(lesson.worked), ""),
        "success_pattern_id": better.get("success_pattern_id", ""),
    }
    used = _used(entry)
    return {
        "pattern_id": id,
        "approach_description": next(iter(lesson.failed), entry.title),
        "failure_mode": entry.extra.get("failure_mode", "incorrect_fix"),
        "failure_symptoms": list(entry.extra.get("failure_symptoms", ())),
        "why_it_fails": lesson.root_cause,
        "better_alternative": {key: value for key, value in alternative.items() if value},
        "source_loops": used["source_loops"],
        "failure_rate": round(1 - (rate(entry.evidence) or 0.0), 4),
        "occurrence_count": entry.evidence.seen,
        "tags": list(entry.labels),
    }


def _template(entry: Entry, id: str) -> dict[str, Any]:
    return {
        "template_id": id,
        "language": entry.extra.get("language", ""),
        "template_code": entry.lesson.template,
        "description": entry.title,
        "placeholders": dict(entry.extra.get("placeholders", {})),
        "use_case": entry.extra.get("use_case", ""),
        **_used(entry),
        "tags": list(entry.labels),
    }


def metrics(
    entries: Sequence[Entry],
    loops: Sequence[Mapping[str, Any]] = (),
    shown: Iterable[str] = (),
) -> dict[str, Any]:
    """AIWG's effectiveness metrics: totals, applications, iterations with and without patterns."""
    kinds = [entry.kind for entry in entries]
    known: Sequence[Evidence] = [
        entry.evidence for entry in entries if entry.kind in LISTS and entry.kind != "anti_pattern"
    ]
    applied, helped = sum(map(uses, known)), sum(each.helped for each in known)
    told = set(shown)
    counts = [(each.get("loop") in told, each.get("iterations")) for each in loops]
    have = [count for is_told, count in counts if is_told and isinstance(count, int)]
    lack = [count for is_told, count in counts if not is_told and isinstance(count, int)]
    averages = [round(sum(each) / len(each), 2) if each else 0.0 for each in (have, lack)]
    better = (averages[1] - averages[0]) / averages[1] * 100 if have and averages[1] else 0.0
    return {
        "total_patterns": sum(kind in LISTS for kind in kinds),
        "patterns_by_type": {name: kinds.count(kind) for kind, name in LISTS.items()},
        "pattern_usage_stats": {
            "total_applications": applied,
            "successful_applications": helped,
            "failed_applications": applied - helped,
            "overall_success_rate": round(helped / applied, 4) if applied else 0.0,
        },
        "cross_loop_benefit": {
            "loops_with_pattern_injection": len(have),
            "loops_without_pattern_injection": len(lack),
            "average_iterations_with": averages[0],
            "average_iterations_without": averages[1],
            "improvement_percentage": round(better, 1),
        },
    }
