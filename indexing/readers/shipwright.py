"""Shipwright's memory folder: failures, successes, decisions, project facts, fleet patterns."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.errors import UnreadableMemory
from indexing.readers import json_values
from indexing.readers.interface import Quarantined
from indexing.readers.json_values import Damage
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
    plain,
    quarantined,
)
from indexing.signature import Signature, extract, sign

# Other programs have files of these names too: one of the keys must stand in the head, or a
# file that only Shipwright has must lie beside it.
_COMMON_NAMES = {
    "patterns.json": ('"known_issues"', '"conventions"', '"project_type"', '"test_runner"'),
    "decisions.json": ('"decisions"',),
    "metrics.json": ('"baselines"',),
    "global.json": ('"common_patterns"', '"cross_repo_learnings"'),
}
_OWN_NAMES = ("failures.json", "fleet-patterns.json", "error-log.jsonl")
_OF_AIWG = ('"pattern_id"', '"task_category"', '"success_patterns"', '"pattern_registry"')


class Shipwright:
    """One entry per failure, success, decision, known issue, promoted pattern and logged error."""

    name = "shipwright"
    signs = True

    def accepts(self, path: Path) -> bool:
        """By name; files whose name says little also by a key in their head."""
        if path.is_dir():
            return False
        if path.name in _OWN_NAMES:
            return True
        if path.name == "success-patterns.json":
            head = json_values.head(path)
            return not any(key in head for key in _OF_AIWG)
        if path.name in _COMMON_NAMES:
            head = json_values.head(path)
            if any(key in head for key in _COMMON_NAMES[path.name]):
                return True
            return any((path.parent / name).is_file() for name in _OWN_NAMES)
        return path.suffix == ".json" and _is_export(json_values.head(path))

    def read(self, path: Path, source: str) -> Iterator[Entry | Quarantined]:
        """The file's records in its order."""
        file = _File(source)
        if path.name == "error-log.jsonl":
            yield from file.error_log(json_values.text_of(path))
            return
        document = json_values.document(path)
        if path.name == "failures.json" and isinstance(document, list):
            document = {"failures": document}
        if not isinstance(document, dict):
            raise UnreadableMemory(f"{path}: is no object; restore it as Shipwright wrote it")
        key = _KEYS.get(path.name)
        if document and key is not None and key not in document:
            raise UnreadableMemory(f"{path}: has no '{key}'; restore it or move it away")
        parts = _PARTS.get(path.name, _EXPORT)
        for part in parts:
            yield from part(file, document)
        yield from file.twice(document)


def _is_export(head: str) -> bool:
    return '"repo_hash"' in head and ('"exported_at"' in head or '"failures"' in head)


class _File:
    """The records of one file."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._ids = Ids("shipwright")

    def failures(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._listed(document, "failures", self._failure)

    def exported_failures(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._exported(document, "failures", self.failures)

    def decisions(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._listed(document, "decisions", self._decision)

    def exported_decisions(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._exported(document, "decisions", self.decisions)

    def successes(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._listed(document, "patterns", self._success)

    def common_patterns(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._listed(document, "common_patterns", self._common)

    def learnings(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._listed(document, "cross_repo_learnings", self._learning)

    def fleet(self, document: Any) -> Iterator[Entry | Quarantined]:
        patterns = document.get("patterns") or {}
        if not isinstance(patterns, dict):
            yield self._put_aside("patterns", "'patterns' must be an object", patterns)
            return
        records = ((f"patterns[{key}]", value) for key, value in patterns.items())
        yield from each(records, "shipwright", self._source, self._fleet)

    def project(self, document: Any) -> Iterator[Entry | Quarantined]:
        """Facts about the project are one note; each known issue is another."""
        yield from (
            entry
            for entry in each([("project", document)], "shipwright", self._source, self._facts)
            if isinstance(entry, Quarantined) or entry.title
        )
        time = document.get("captured_at")
        try:
            issues = list(items(document.get("known_issues"), "known_issues"))
        except RecordError as error:
            yield self._put_aside("known_issues", str(error), document)
            return
        records = (
            (at, {"issue": text, "captured_at": time} if isinstance(text, str) else text)
            for at, text in issues
        )
        yield from each(records, "shipwright", self._source, self._known_issue)

    def exported_project(self, document: Any) -> Iterator[Entry | Quarantined]:
        yield from self._exported(document, "patterns", self.project)

    def nothing(self, document: Any) -> Iterator[Entry | Quarantined]:
        """Baselines are numbers of a day, no lesson."""
        return iter(())

    def error_log(self, text: str) -> Iterator[Entry | Quarantined]:
        """Objects one after another, each over many lines, whatever the file's name says."""
        for found in json_values.values(text, "\n{"):
            where = f"line {found.line}"
            if isinstance(found, Damage):
                yield self._put_aside(where, found.reason, found.text)
                continue
            records = [(where, found.value)]
            if isinstance(found.value, list):  # somebody made an array of them
                records = [(f"{where}[{at}]", value) for at, value in enumerate(found.value)]
            yield from each(records, "shipwright", self._source, self._logged)

    def twice(self, document: dict[str, Any]) -> Iterator[Quarantined]:
        """Lists that lost their place to a later one of the same name."""
        for key, values in document.get(json_values.GIVEN_TWICE, {}).items():
            for value in values:
                reason = f"'{key}' stands more than once; the last one was used"
                yield self._put_aside(key, reason, value)

    def _listed(
        self, document: Any, key: str, make: Callable[[Record, Source], Entry | Quarantined]
    ) -> Iterator[Entry | Quarantined]:
        try:
            records = items(document.get(key), key)
        except RecordError as error:
            yield self._put_aside(key, str(error), document.get(key))
            return
        yield from each(records, "shipwright", self._source, make)

    def _exported(
        self, document: Any, key: str, read: Callable[[Any], Iterator[Entry | Quarantined]]
    ) -> Iterator[Entry | Quarantined]:
        part = document.get(key) or {}
        if isinstance(part, list):
            part = {key: part}
        if isinstance(part, dict):
            yield from read(part)
        else:
            yield self._put_aside(key, f"'{key}' must be an object", part)

    def _put_aside(self, locator: str, reason: str, value: object) -> Quarantined:
        return quarantined(Source("shipwright", self._source, locator), reason, value)

    def _failure(self, record: Record, where: Source) -> Entry:
        pattern, stage = record.text("pattern"), record.text("stage")
        line = _failing_line(pattern)
        title = headline(pattern)
        root_cause, fix = record.text("root_cause"), record.text("fix")
        summary, category = record.text("summary"), record.text("category")
        captured_at, exit_code = record.time("last_seen"), record.code("exit_code")
        return Entry(
            id=self._ids.of("failure", stage, pattern),
            kind="failure",
            title=title,
            body=body(plain(pattern), summary, root_cause, fix, title=title),
            labels=_labels(stage, category),
            files=record.files("files", "file"),
            signature=sign(line)._replace(context=_context("", exit_code)),
            lesson=Lesson(root_cause=root_cause, fix=fix),
            evidence=_fix_evidence(
                record, captured_at, "times_fix_applied", "times_fix_resolved"
            )._replace(shown=record.count("times_fix_suggested") or 0),
            captured_at=captured_at,
            source=where,
            extra=record.rest(),
        )

    def _success(self, record: Record, where: Source) -> Entry:
        goal, approach = record.text("goal"), plain(record.text("approach"))
        given, kind = record.text("id"), record.text("issue_type")
        if not goal:
            raise RecordError("has no 'goal'")
        tested, captured_at = record.text("test_strategy"), record.time("captured_at")
        return Entry(
            id=self._ids.of("success", *([given] if given else [goal, kind, approach])),
            kind="success",
            title=headline(goal),
            body=body(plain(goal), approach, tested, title=headline(goal)),
            labels=_labels(kind, record.text("template")),
            files=record.files("files_changed"),
            lesson=Lesson(worked=(approach,) if approach else ()),
            # That a loop ended well after it was shown the pattern is no proof that this helped.
            evidence=Evidence(
                seen=record.count("seen_count") or 0,
                shown=record.count("injection_count") or 0,
                first=captured_at,
                last=captured_at,
            ),
            captured_at=captured_at,
            source=where,
            extra=record.rest() | _filled(id=given),
        )

    def _decision(self, record: Record, where: Source) -> Entry:
        kind, summary, detail = (record.text(key) for key in ("type", "summary", "detail"))
        if not (summary or detail):
            raise RecordError("has neither 'summary' nor 'detail'")
        title = headline(summary or detail)
        return Entry(
            id=self._ids.of("decision", kind, summary, detail),
            kind="decision",
            title=title,
            body=body(summary, detail, title=title),
            labels=_labels(kind),
            captured_at=record.time("recorded_at"),
            source=where,
            extra=record.rest(),
        )

    def _facts(self, record: Record, where: Source) -> Entry:
        facts = []
        for key in ("project", "conventions"):
            part = record.part(key)
            facts += [
                f"{name.replace('_', ' ')}: {value}"
                for name, value in part.rest().items()
                if isinstance(value, str) and value not in ("", "unknown")
            ]
        kind = record.text("project_type")
        facts += [f"type: {kind}"] if kind and kind != "unknown" else []
        repo = record.text("repo")
        time = record.time("captured_at") or record.time("detected_at")
        extra = record.rest()
        extra.pop("known_issues", None)
        return Entry(
            id=self._ids.of("note", "project", repo),
            kind="note",
            title=f"Project facts{f' of {repo}' if repo else ''}" if facts else "",
            body="\n".join(facts),
            labels=("project",),
            captured_at=time,
            source=where,
            extra=extra | _filled(project_type=kind),
        )

    def _known_issue(self, record: Record, where: Source) -> Entry:
        text = plain(record.text("issue"))
        if not text:
            raise RecordError("a known issue must be a text that says something")
        title = headline(text)
        return Entry(
            id=self._ids.of("note", "known issue", text),
            kind="note",
            title=title,
            body=body(text, title=title),
            labels=("known issue",),
            captured_at=record.time("captured_at"),
            source=where,
            extra=record.rest(),
        )

    def _common(self, record: Record, where: Source) -> Entry:
        pattern = record.text("pattern")
        line, title = _failing_line(pattern), headline(pattern)
        note, category = record.text("note"), record.text("category")
        return Entry(
            id=self._ids.of("error_pattern", pattern),
            kind="error_pattern",
            title=title,
            body=body(plain(pattern), note, title=title),
            labels=_labels(category if category != "general" else ""),
            signature=sign(line),
            lesson=Lesson(gotchas=(note,) if note else ()),
            captured_at=record.time("promoted_at"),
            source=where,
            extra=record.rest(),
        )

    def _learning(self, record: Record, where: Source) -> Entry:
        repo, kind = record.text("repo"), record.text("type")
        bugs, warnings = record.count("bugs"), record.count("warnings")
        time = record.time("captured_at")
        counted = [
            f"{count} {name}"
            for count, name in ((bugs, "bugs"), (warnings, "warnings"))
            if count is not None
        ]
        if not (repo or kind):
            raise RecordError("has neither 'repo' nor 'type'")
        return Entry(
            id=self._ids.of("note", "learning", repo, kind, time),
            kind="note",
            title=f"{kind.replace('_', ' ') or 'learning'} in {repo or 'an unnamed repository'}",
            body=", ".join(counted),
            labels=_labels(kind),
            captured_at=time,
            source=where,
            extra=record.rest(),
        )

    def _fleet(self, record: Record, where: Source) -> Entry:
        sample = record.text("sample") or record.text("fingerprint")
        if not sample:
            raise RecordError("has neither 'sample' nor 'fingerprint'")
        fingerprint, given = record.text("fingerprint"), record.text("signature")
        root_cause, fix = record.text("root_cause"), record.text("fix")
        error_type, stage, category = (
            record.text(name) for name in ("error_type", "stage", "category")
        )
        first, last = record.time("first_seen"), record.time("last_seen")
        title = headline(sample)
        return Entry(
            id=self._ids.of("error_pattern", given or f"{error_type}:{fingerprint or sample}"),
            kind="error_pattern",
            title=title,
            body=body(sample, root_cause, fix, title=title),
            labels=_labels(error_type, stage, category),
            # Fingerprint and sample went through Shipwright's masks, which take codes and package
            # names too: signed, they would answer for failures that they are not.
            signature=None,
            lesson=Lesson(root_cause=root_cause, fix=fix),
            evidence=_fix_evidence(record, last, "fix_applied", "fix_resolved")._replace(
                first=first or last
            ),
            captured_at=last or first,
            source=where,
            extra=record.rest() | _filled(signature=given, fingerprint=fingerprint),
        )

    def _logged(self, record: Record, where: Source) -> Entry:
        error, command = plain(record.text("error")), record.text("command")
        exit_code, kind = record.code("exit_code"), record.text("type")
        if not error:
            raise RecordError("has no 'error'")
        signature = _signed(error, command)
        time = record.time("timestamp")
        return Entry(
            id=self._ids.of("failure", "error log", time, command, error),
            kind="failure",
            title=headline(signature.raw),
            body=body(error, command, title=headline(signature.raw)),
            labels=_labels(kind),
            signature=signature._replace(context=_context(command, exit_code)),
            evidence=Evidence(seen=1, first=time, last=time),
            captured_at=time,
            source=where,
            extra=record.rest(),
        )


def _failing_line(pattern: str) -> str:
    line = first_line(pattern)
    if not line:
        raise RecordError("holds no line that could have failed")
    why = passing(line)
    if why:
        raise RecordError(why)
    return line


def _signed(error: str, command: str) -> Signature:
    """The signature of the last lines of a command's output."""
    found = extract(error)
    if found is None:
        return sign(_failing_line(error), None, (), command)
    _failing_line(found.raw)
    tool = None if found.tool == "generic" else found.tool
    return sign(found.raw, tool, found.joined, command, found.rule)


def _context(command: str, exit_code: int | None) -> dict[str, Any]:
    context: dict[str, Any] = {"command": command} if command else {}
    return context if exit_code is None else context | {"exit_code": exit_code}


def _fix_evidence(record: Record, last: str, applied_key: str, resolved_key: str) -> Evidence:
    """The fix by its counters; the stated rate, which counts events twice, only without them."""
    applied, resolved = record.count(applied_key) or 0, record.count(resolved_key)
    rate = record.rate("fix_effectiveness_rate")
    if resolved is None:
        helped = round(applied * rate) if rate is not None else 0
        harmed = applied - helped if rate is not None else 0
    else:
        applied = max(applied, resolved)
        helped, harmed = resolved, applied - resolved
    return Evidence(
        seen=record.count("seen_count") or 0,
        applied=applied,
        helped=helped,
        harmed=harmed,
        first=record.time("first_seen") or last,
        last=last,
    )


def _filled(**texts: str) -> dict[str, str]:
    return {key: text for key, text in texts.items() if text}


def _labels(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name and name != "unknown"))


_KEYS = {
    "failures.json": "failures",
    "success-patterns.json": "patterns",
    "decisions.json": "decisions",
    "fleet-patterns.json": "patterns",
}
_Part = Callable[[_File, Any], Iterator[Entry | Quarantined]]
_EXPORT: tuple[_Part, ...] = (
    _File.exported_project,
    _File.exported_failures,
    _File.exported_decisions,
)
_PARTS: dict[str, tuple[_Part, ...]] = {
    "failures.json": (_File.failures,),
    "success-patterns.json": (_File.successes,),
    "patterns.json": (_File.project,),
    "decisions.json": (_File.decisions,),
    "metrics.json": (_File.nothing,),
    "global.json": (_File.common_patterns, _File.learnings),
    "fleet-patterns.json": (_File.fleet,),
}
