"""AIWG's pattern registry: error patterns, success patterns, anti-patterns, code templates."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.errors import UnreadableMemory
from indexing.readers import json_values
from indexing.readers.interface import Quarantined
from indexing.readers.passing import passing
from indexing.readers.record import (
    Ids,
    Record,
    RecordError,
    body,
    each,
    first_line,
    headline,
    items,
    quarantined,
    utc,
)
from indexing.signature import Signature, sign

_NAMES = {
    "error-patterns.json": "error_pattern",
    "success-patterns.json": "success_pattern",
    "anti-patterns.json": "anti_pattern",
    "code-templates.json": "code_template",
}
_LISTS = {
    "error_patterns": "error_pattern",
    "success_patterns": "success_pattern",
    "anti_patterns": "anti_pattern",
    "code_templates": "code_template",
}
_METRICS = "effectiveness-metrics.json"
# What a record of a kind has and one of another has not.
_MARKS = {
    "error_signature": "error_pattern",
    "task_category": "success_pattern",
    "approach": "success_pattern",
    "approach_description": "anti_pattern",
    "failure_mode": "anti_pattern",
    "template_code": "code_template",
    "template_id": "code_template",
}
# What only an expression has; brackets, dots and question marks stand in messages as well.
_EXPRESSION = re.compile(
    r"\\[wdsbWDSBAZ.()\[\]{}+*?^$|/]|\.[*+?]|\(\?|\[\^|[\])][*+?{]|^\^|\$$|\w\|\w|\)\|\("
    r"|\[[^\]]{0,40}\w-\w[^\]]{0,40}\]|\w\{\d{1,4},?\d{0,4}\}"
)


class Aiwg:
    """One entry per pattern. A pattern's expression is kept as text and never compiled."""

    name = "aiwg"
    signs = True

    def accepts(self, path: Path) -> bool:
        """By name, or a registry by its head."""
        if path.is_dir():
            return False
        if path.name in _NAMES or path.name == _METRICS:
            return True
        return path.suffix == ".json" and '"pattern_registry"' in json_values.head(path)

    def read(self, path: Path, source: str) -> Iterator[Entry | Quarantined]:
        """The patterns in the file's order; metrics hold none."""
        document = json_values.document(path)
        if path.name == _METRICS:
            return
        if not isinstance(document, dict | list):
            raise UnreadableMemory(f"{path}: is neither an object nor a list of patterns")
        if not _has_lists(document):
            raise UnreadableMemory(f"{path}: holds no list of patterns; restore it or move it away")
        ids = Ids("aiwg")
        for kind, locator, values in _lists(document, _NAMES.get(path.name, "")):
            makers = _Makers(ids, kind)
            try:
                records = items(values, locator)
            except RecordError as error:
                yield quarantined(Source(self.name, source, locator), str(error), values)
                continue
            yield from each(records, self.name, source, makers.entry)


def _lists(document: Any, kind: str) -> Iterator[tuple[str, str, Any]]:
    """Each list with the kind of its records (`""` unknown) and its key."""
    if isinstance(document, list):
        yield kind, "patterns", document
        return
    registry = document.get("pattern_registry")
    holders = [document, registry] if isinstance(registry, dict) else [document]
    for holder in holders:
        if "patterns" in holder:
            yield kind, "patterns", holder["patterns"]
        for key, its_kind in _LISTS.items():
            if key in holder:
                yield its_kind, key, holder[key]
        for key, earlier in holder.get(json_values.GIVEN_TWICE, {}).items():
            for values in earlier:
                yield _LISTS.get(key, kind), key, values
    if registry is not None and not isinstance(registry, dict):
        yield kind, "pattern_registry", registry


def _has_lists(document: Any) -> bool:
    keys = ("pattern_registry", "patterns", *_LISTS)
    return isinstance(document, list) or not document or any(key in document for key in keys)


class _Use(NamedTuple):
    """What a pattern's loops and counters say; `stated` is what the counters contradict."""

    evidence: Evidence
    captured_at: str
    stated: dict[str, Any]


class _Makers:
    """Makes entries of the records of one list."""

    def __init__(self, ids: Ids, kind: str) -> None:
        self._ids = ids
        self._kind = kind

    def entry(self, record: Record, where: Source) -> Entry:
        """The entry of a record, whose marks say more of its kind than the list it stands in."""
        kind = next((kind for mark, kind in _MARKS.items() if mark in record), self._kind)
        stated = record.text("type")
        make = {
            "error_pattern": self._error,
            "success_pattern": self._success,
            "anti_pattern": self._anti,
            "code_template": self._template,
        }.get(kind or stated)
        if make is None:
            raise RecordError(
                "is of no known kind: it has neither a mark of one nor a known 'type'"
            )
        return make(record, where)

    def _error(self, record: Record, where: Source) -> Entry:
        sign_of, fix = record.part("error_signature"), record.part("fix_approach")
        error_type, pattern = sign_of.text("error_type"), sign_of.text("error_pattern")
        hints = sign_of.texts("error_location_hints")
        description, category = fix.text("description"), fix.text("fix_category")
        if not (pattern or description):
            raise RecordError("has neither 'error_pattern' nor a fix")
        title = headline(pattern or description)
        use = _use(record)
        return Entry(
            id=self._id("error_pattern", record, error_type, pattern, description),
            kind="error_pattern",
            title=title,
            body=body(
                pattern,
                error_type,
                description,
                category.replace("_", " "),
                " ".join(hints),
                title=title,
            ),
            labels=record.texts("tags"),
            signature=_signature(pattern),
            lesson=Lesson(fix=description, template=fix.text("code_template")),
            evidence=use.evidence,
            captured_at=use.captured_at,
            source=where,
            extra=_extra(
                record,
                use,
                error_signature={"error_type": error_type, "error_location_hints": list(hints)},
                fix_approach={"fix_category": category},
            ),
        )

    def _success(self, record: Record, where: Source) -> Entry:
        approach = record.part("approach")
        description, steps = approach.text("description"), approach.texts("steps")
        task, category = record.text("task_description_pattern"), record.text("task_category")
        needs, gains = record.texts("preconditions"), record.texts("benefits")
        tools = approach.texts("tools_used")
        if not (description or steps):
            raise RecordError("has no 'approach'")
        title = headline(description or steps[0])
        use = _use(record)
        return Entry(
            id=self._id("success_pattern", record, category, task, description),
            kind="success_pattern",
            title=title,
            body=body(description, *steps, task, *needs, *gains, " ".join(tools), title=title),
            labels=_unique(category, *record.texts("tags")),
            lesson=Lesson(
                worked=(description,) if description else (),
                gotchas=(*(f"Needs: {need}" for need in needs), *record.texts("limitations")),
                steps=steps,
            ),
            evidence=use.evidence,
            captured_at=use.captured_at,
            source=where,
            extra=_extra(
                record,
                use,
                approach={"tools_used": list(tools)},
                task_description_pattern=task,
                benefits=list(gains),
            ),
        )

    def _anti(self, record: Record, where: Source) -> Entry:
        description, why = record.text("approach_description"), record.text("why_it_fails")
        mode, symptoms = record.text("failure_mode"), record.texts("failure_symptoms")
        better, better_id = _alternative(record)
        if not description:
            raise RecordError("has no 'approach_description'")
        title = headline(description)
        use = _use(record)
        return Entry(
            id=self._id("anti_pattern", record, description),
            kind="anti_pattern",
            title=title,
            body=body(description, *symptoms, why, better, title=title),
            labels=_unique(mode, *record.texts("tags")),
            lesson=Lesson(
                worked=(better,) if better else (), failed=(description,), root_cause=why
            ),
            evidence=use.evidence,
            captured_at=use.captured_at,
            source=where,
            extra=_extra(
                record,
                use,
                better_alternative={"success_pattern_id": better_id},
                failure_symptoms=list(symptoms),
            ),
        )

    def _template(self, record: Record, where: Source) -> Entry:
        description, code = record.text("description"), record.text("template_code")
        case, language = record.text("use_case"), record.text("language")
        if not code:
            raise RecordError("has no 'template_code'")
        title = headline(description or case or code)
        use = _use(record)
        return Entry(
            id=self._id("code_template", record, language, code),
            kind="code_template",
            title=title,
            body=body(description, case, title=title),
            labels=_unique(language, *record.texts("tags")),
            lesson=Lesson(template=code),
            evidence=use.evidence,
            captured_at=use.captured_at,
            source=where,
            extra=_extra(record, use, use_case=case),
        )

    def _id(self, kind: str, record: Record, *content: str) -> str:
        given = record.text("pattern_id") or record.text("template_id")
        return self._ids.of(kind, *([given] if given else content))


def _signature(pattern: str) -> Signature | None:
    """The signature of a literal message; what may be an expression matches no line of a log."""
    line = first_line(pattern)
    if not line or _EXPRESSION.search(pattern):
        return None
    why = passing(line)
    if why:
        raise RecordError(why)
    return sign(line)


def _alternative(record: Record) -> tuple[str, str]:
    """What to do instead, and the id of its pattern; some write the bare id."""
    if isinstance(record.peek("better_alternative"), dict):
        part = record.part("better_alternative")
        return part.text("description"), part.text("success_pattern_id")
    given = record.text("better_alternative")
    return ("", given) if re.fullmatch(r"pat-[\w-]+", given) else (given, "")


def _use(record: Record) -> _Use:
    loops = _loops(record)
    times = [record.time(key) for key in ("first_discovered", "last_used")]
    times += [utc(loop["timestamp"]) for loop in loops if _is_timed(loop)]
    times = sorted(time for time in times if time)
    count, occurred = record.count("usage_count"), record.count("occurrence_count")
    good, bad = record.count("successful_applications"), record.count("failed_applications")
    applied, helped, harmed = _applied(count, good, bad, record.rate("success_rate"))
    first, last = (times[0], times[-1]) if times else ("", "")
    seen = len(loops) if occurred is None else occurred
    return _Use(
        Evidence(seen=seen, applied=applied, helped=helped, harmed=harmed, first=first, last=last),
        last,
        {"usage_count": count} if count not in (None, applied) else {},
    )


def _loops(record: Record) -> list[Any]:
    """The loops that found or used the pattern: objects, or bare ids; they stay in `rest`."""
    loops = record.peek("source_loops")
    loops = [loops] if isinstance(loops, str) else loops or []
    if not isinstance(loops, list) or not all(isinstance(loop, str | dict) for loop in loops):
        raise RecordError("'source_loops' must be a list of loops")
    return loops


def _is_timed(loop: Any) -> bool:
    return isinstance(loop, dict) and isinstance(loop.get("timestamp"), str | int | float)


def _applied(
    count: int | None, good: int | None, bad: int | None, rate: float | None
) -> tuple[int, int, int]:
    """Applied, helped, harmed: from the counters, and only without them from the stated rate."""
    if good is not None and bad is not None:
        return good + bad, good, bad
    if good is not None:
        return max(count or 0, good), good, max((count or 0) - good, 0)
    if bad is not None:
        return max(count or 0, bad), max((count or 0) - bad, 0), bad
    applied = count or 0
    if rate is None:
        return applied, 0, 0
    helped = round(applied * rate)
    return applied, helped, applied - helped


def _extra(record: Record, use: _Use, **taken: Any) -> dict[str, Any]:
    """What was not taken, and what was taken for searching but stands in no field of its own."""
    extra = record.rest() | use.stated
    for key, value in taken.items():
        if isinstance(value, dict):
            value = {name: each for name, each in value.items() if each} | extra.get(key, {})
        if value:
            extra[key] = value
    return extra


def _unique(*labels: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for label in labels if label))
