"""Patterns in and out: AIWG's registry and Shipwright's files, without loss.

An imported record is kept whole in the entry's `extra`, so that what nobody here knows goes out as
it came in. Only what has changed since is written over it: counters, rates, times, loops.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from indexing.entry import Entry, Evidence
from indexing.learning.evidence import rate, trend, uses
from indexing.learning.merge import MERGED_INTO
from indexing.readers import json_values, memory_files
from indexing.readers.aiwg import Aiwg
from indexing.readers.interface import Quarantined
from indexing.readers.shipwright import Shipwright

AIWG_LISTS = {
    "error_pattern": "error_patterns",
    "success_pattern": "success_patterns",
    "anti_pattern": "anti_patterns",
    "code_template": "code_templates",
}
_SHIPWRIGHT_LISTS = {
    "failures.json": "failures",
    "success-patterns.json": "patterns",
    "decisions.json": "decisions",
}
_KEPT = "(imported)"
_COUNTED = Evidence._fields[:5]  # times may be filled in on the way
_PREFIX = {
    "error_pattern": "pat-error",
    "success_pattern": "pat-success",
    "anti_pattern": "pat-anti",
    "code_template": "tmpl",
}


def imported(path: Path) -> Iterator[Entry | str]:
    """The records of AIWG or Shipwright files, each with all that it held; or why one is none."""
    for file in memory_files(path):
        reader = next((each for each in (Shipwright(), Aiwg()) if each.accepts(file)), None)
        if reader is None:
            yield f"{file}: neither a registry of AIWG nor a file of Shipwright"
            continue
        document = json_values.document(file) if file.suffix == ".json" else None
        for found in reader.read(file, file.name):
            if isinstance(found, Quarantined):
                yield f"{file}, {found.source.locator}: {found.reason}"
            elif isinstance(found, Entry):
                record = _at(document, found.source.locator)
                yield found._replace(extra=_kept(found, record, file.name, reader.name))


def _kept(entry: Entry, record: Any, file: str, system: str) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        return dict(entry.extra)
    as_read = entry.evidence._asdict()
    kept = {"system": system, "file": file, "record": deepcopy(dict(record)), "evidence": as_read}
    return {**entry.extra, _KEPT: kept}


def _at(document: Any, locator: str) -> Any:
    """The record at `error_patterns[3]`, in the document or in its registry."""
    name, _, number = locator.rstrip("]").partition("[")
    if not number.isdigit() or document is None:
        return None
    if isinstance(document, list):
        values: Any = document
    else:
        registry = document.get("pattern_registry")
        held = name in document or not isinstance(registry, Mapping)
        values = (document if held else registry).get(name)
    at = int(number)
    return values[at] if isinstance(values, Sequence) and at < len(values) else None


def files_of(system: str, entries: Iterable[Entry]) -> dict[str, str]:
    """The files of a system by their names, as text; empty when no entry fits in one."""
    documents = _aiwg(entries) if system == "aiwg" else _shipwright(entries)
    return {
        name: json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for name, document in documents.items()
    }


def _aiwg(entries: Iterable[Entry]) -> dict[str, Any]:
    lists: dict[str, list[Any]] = {name: [] for name in AIWG_LISTS.values()}
    numbers: dict[str, int] = {}
    known = [entry for entry in entries if entry.kind in AIWG_LISTS and _is_own(entry)]
    for entry in sorted(known, key=lambda each: (each.evidence.first, each.captured_at, each.id)):
        lists[AIWG_LISTS[entry.kind]].append(aiwg_record(entry, numbers))
    if not any(lists.values()):
        return {}
    registry = {"version": "1.0.0", "pattern_registry": lists}
    return {"registry.json": {**registry, "effectiveness_metrics": metrics(known)}}


def _is_own(entry: Entry) -> bool:
    """Whether it is no other name of an entry that it was merged into."""
    return MERGED_INTO not in entry.extra


def aiwg_record(entry: Entry, numbers: dict[str, int] | None = None) -> dict[str, Any]:
    """The record of an entry in AIWG's shape; `numbers` counts the ids given out so far."""
    kept = entry.extra.get(_KEPT)
    if isinstance(kept, Mapping) and kept.get("system") == "aiwg":
        return _brought_up_to_date(kept["record"], entry, kept.get("evidence"))
    make = {
        "error_pattern": _error,
        "success_pattern": _success,
        "anti_pattern": _anti,
        "code_template": _template,
    }[entry.kind]
    return make(entry, _number(entry, {} if numbers is None else numbers))


def _is_as_read(now: Evidence, as_read: Any) -> bool:
    """Whether nothing was counted since the record was read."""
    before = as_read if isinstance(as_read, Mapping) else {}
    return all(before.get(key) == value for key, value in now._asdict().items() if key in _COUNTED)


def _brought_up_to_date(record: Mapping[str, Any], entry: Entry, as_read: Any) -> dict[str, Any]:
    """The record as it came, with what has happened since."""
    made = deepcopy(dict(record))
    now = entry.evidence
    if _is_as_read(now, as_read):
        return made
    before = as_read if isinstance(as_read, Mapping) else {}
    helped = now.helped - int(before.get("helped") or 0)
    tried = uses(now) - max(int(before.get("applied") or 0), 0)
    count = made.get("usage_count")
    made["usage_count"] = (count if isinstance(count, int) else 0) + max(tried, 0)
    for key, more in (("successful_applications", helped), ("failed_applications", tried - helped)):
        if isinstance(made.get(key), int):
            made[key] += max(more, 0)
    if (share := rate(now)) is not None and entry.kind != "anti_pattern":
        made["success_rate"] = round(share, 4)
    if now.last:
        made["last_used"] = now.last
    return made


def _number(entry: Entry, numbers: dict[str, int]) -> str:
    """`pat-error-null-check-001`: AIWG's ids end in three digits, ours in a hash."""
    stem = entry.id.rpartition("-")[0] if entry.extra.get("learned") else ""
    prefix = _PREFIX[entry.kind]
    if not stem.startswith(prefix):
        stem = prefix
    numbers[stem] = number = numbers.get(stem, 0) + 1
    return f"{stem}-{number:03d}"


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
        entry.evidence
        for entry in entries
        if entry.kind in AIWG_LISTS and entry.kind != "anti_pattern"
    ]
    applied, helped = sum(map(uses, known)), sum(each.helped for each in known)
    told = set(shown)
    counts = [(each.get("loop") in told, each.get("iterations")) for each in loops]
    have = [count for is_told, count in counts if is_told and isinstance(count, int)]
    lack = [count for is_told, count in counts if not is_told and isinstance(count, int)]
    averages = [round(sum(each) / len(each), 2) if each else 0.0 for each in (have, lack)]
    better = (averages[1] - averages[0]) / averages[1] * 100 if have and averages[1] else 0.0
    return {
        "total_patterns": sum(kind in AIWG_LISTS for kind in kinds),
        "patterns_by_type": {name: kinds.count(kind) for kind, name in AIWG_LISTS.items()},
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


def _shipwright(entries: Iterable[Entry]) -> dict[str, Any]:
    documents: dict[str, dict[str, list[Any]]] = {}
    for entry in filter(_is_own, entries):
        name, record = _shipwright_record(entry)
        if name:
            documents.setdefault(name, {_SHIPWRIGHT_LISTS[name]: []})
            documents[name][_SHIPWRIGHT_LISTS[name]].append(record)
    return documents


def _shipwright_record(entry: Entry) -> tuple[str, dict[str, Any]]:
    """The file that an entry belongs into, and its record; `""` when Shipwright has none."""
    kept = entry.extra.get(_KEPT)
    if isinstance(kept, Mapping) and kept.get("system") == "shipwright":
        name = str(kept.get("file"))
        if name not in _SHIPWRIGHT_LISTS:
            return "", {}
        return name, _shipwright_up_to_date(kept["record"], entry, kept.get("evidence"))
    evidence = entry.evidence
    if entry.kind in ("failure", "error_pattern") and entry.signature:
        return "failures.json", {
            "stage": "build",
            "pattern": entry.signature.raw[:200],
            "root_cause": entry.lesson.root_cause,
            "fix": entry.lesson.fix,
            "seen_count": max(evidence.seen, 1),
            "last_seen": evidence.last or entry.captured_at,
            "times_fix_suggested": evidence.shown,
            "times_fix_applied": uses(evidence),
            "times_fix_resolved": evidence.helped,
            "fix_effectiveness_rate": round(100 * (rate(evidence) or 0.0), 2),
            "files": ",".join(entry.files or ()),
        }
    if entry.kind in ("success", "success_pattern"):
        return "success-patterns.json", {
            "id": entry.id,
            "goal": entry.title,
            "issue_type": next(iter(entry.labels), ""),
            "approach": "\n".join((*entry.lesson.worked, *entry.lesson.steps))[:1000],
            "files_changed": list(entry.files or ()),
            "captured_at": entry.captured_at,
            "seen_count": max(evidence.seen, 1),
            "injection_count": evidence.shown,
            "success_after_injection": evidence.helped,
        }
    return "", {}


def _shipwright_up_to_date(record: Mapping[str, Any], entry: Entry, as_read: Any) -> dict[str, Any]:
    made = deepcopy(dict(record))
    now = entry.evidence
    if _is_as_read(now, as_read):
        return made
    if "failure" in entry.kind or "pattern" in made:
        made["times_fix_suggested"] = now.shown
        made["times_fix_applied"] = uses(now)
        made["times_fix_resolved"] = now.helped
        made["fix_effectiveness_rate"] = round(100 * (rate(now) or 0.0), 2)
        made["last_outcome_at"] = now.last
    return made
