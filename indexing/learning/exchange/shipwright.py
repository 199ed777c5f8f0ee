"""Shipwright's memory folder: failures, successes, decisions, project facts, global and fleet."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any

from indexing.entry import Entry
from indexing.learning.evidence import rate, uses
from indexing.learning.exchange.kept import Kept, as_text, is_as_read, is_own, kept_of

_SYSTEM = "shipwright"
_FAILURES, _SUCCESSES, _FLEET = "failures.json", "success-patterns.json", "fleet-patterns.json"
_ERRORS = "error-log.jsonl"
_LISTS = {
    _FAILURES: ("failures",),
    _SUCCESSES: ("patterns",),
    "decisions.json": ("decisions",),
    "patterns.json": ("known_issues",),
    "global.json": ("common_patterns", "cross_repo_learnings"),
}
_NAMES = frozenset((*_LISTS, _FLEET, _ERRORS))


def folder(entries: Iterable[Entry]) -> dict[str, str]:
    """The files by their names in the folder, as text; what is none of Shipwright's is left out."""
    came: dict[str, list[tuple[Kept, Entry]]] = {}
    ours: dict[str, list[dict[str, Any]]] = {}
    for entry in filter(is_own, entries):
        told = kept_of(entry, _SYSTEM)
        if told is None:
            name, record = _record(entry)
            if name:
                ours.setdefault(name, []).append(record)
        elif _is_known(told.file):
            came.setdefault(told.file, []).append((told, entry))
    texts = {}
    for name in sorted({*came, *ours}):
        known = sorted(came.get(name, ()), key=lambda each: each[0].order)
        texts[name] = _text(name, known, ours.get(name, []))
    return texts


def _is_known(file: str) -> bool:
    """Whether a file is Shipwright's, in the folder or below; a journal may come from anywhere."""
    path = PurePosixPath(file)
    inside = not path.is_absolute() and ".." not in path.parts and ":" not in file
    return path.name in _NAMES and inside and "\\" not in file


def _text(name: str, came: list[tuple[Kept, Entry]], ours: list[dict[str, Any]]) -> str:
    base = PurePosixPath(name).name
    records = [(told, _up_to_date(base, entry, told)) for told, entry in came]
    if base == _ERRORS:  # objects one after another, whatever its name says
        return "".join(as_text(record) for _, record in records)
    document: dict[str, Any] = {}
    for told, _ in records:
        document = {**told.around, **document}
    if base == _FLEET:
        return as_text({**document, "patterns": {told.place: each for told, each in records}})
    for part in _LISTS[base]:
        held = [record for told, record in records if told.part == part]
        if held or ours:
            document[part] = [*held, *ours]
    return as_text(document)


def _up_to_date(name: str, entry: Entry, told: Kept) -> Any:
    """The record as it came, with what was counted since where its file counts that."""
    made = deepcopy(told.record)
    counts = _COUNTS.get(name)
    if counts is None or is_as_read(entry, told) or not isinstance(made, Mapping):
        return made
    return {**made, **counts(entry)}


def _of_failure(entry: Entry) -> dict[str, Any]:
    evidence = entry.evidence
    return {
        "times_fix_suggested": evidence.shown,
        "times_fix_applied": uses(evidence),
        "times_fix_resolved": evidence.helped,
        "fix_effectiveness_rate": round(100 * (rate(evidence) or 0.0), 2),
    }


def _of_success(entry: Entry) -> dict[str, Any]:
    evidence = entry.evidence
    return {"injection_count": evidence.shown, "success_after_injection": evidence.helped}


def _of_fleet(entry: Entry) -> dict[str, Any]:
    return {"fix_applied": uses(entry.evidence), "fix_resolved": entry.evidence.helped}


_COUNTS: Mapping[str, Callable[[Entry], dict[str, Any]]] = {
    _FAILURES: lambda entry: {**_of_failure(entry), "last_outcome_at": entry.evidence.last},
    _SUCCESSES: _of_success,
    _FLEET: _of_fleet,
}


def _record(entry: Entry) -> tuple[str, dict[str, Any]]:
    """The file that an entry of ours belongs into, and its record; `""` when there is none."""
    evidence = entry.evidence
    if entry.kind in ("failure", "error_pattern") and entry.signature:
        return _FAILURES, {
            "stage": "build",
            "pattern": entry.signature.raw[:200],
            "root_cause": entry.lesson.root_cause,
            "fix": entry.lesson.fix,
            "seen_count": max(evidence.seen, 1),
            "last_seen": evidence.last or entry.captured_at,
            **_of_failure(entry),
            "files": ",".join(entry.files or ()),
        }
    if entry.kind in ("success", "success_pattern"):
        return _SUCCESSES, {
            "id": entry.id,
            "goal": entry.title,
            "issue_type": next(iter(entry.labels), ""),
            "approach": "\n".join((*entry.lesson.worked, *entry.lesson.steps))[:1000],
            "files_changed": list(entry.files or ()),
            "captured_at": entry.captured_at,
            "seen_count": max(evidence.seen, 1),
            **_of_success(entry),
        }
    return "", {}
