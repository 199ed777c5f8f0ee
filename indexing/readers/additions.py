"""The record of an addition becomes an entry, whatever it looks like."""

from typing import Any

from indexing.entry import KINDS, Entry, Evidence, Lesson, Source
from indexing.readers.record import Record, RecordError, headline
from indexing.signature import Signature, sign


def entry_of(record: Record, id: str, at: str, where: Source) -> Entry:
    """The entry of an addition.

    Args:
        record: All of it, of which `id` and `at` were taken.
        id: Its id.
        at: When it was added; UTC, `""` is unknown.
        where: Where it stands.

    Raises:
        RecordError: It tells none.
    """
    told = record.part("entry")
    kind = told.text("kind")
    if kind not in KINDS:
        raise RecordError(f"has the unknown kind '{kind}'; one of {', '.join(KINDS)}")
    captured_at = told.time("captured_at") or at
    signature = _signature(told)
    body = told.text("body")
    title = told.text("title") or headline(signature.raw if signature else body)
    if not title:
        raise RecordError("holds no title, no body and no raw line")
    return Entry(
        id=id,
        kind=kind,
        title=title,
        body=body,
        labels=told.texts("labels"),
        files=told.files("files"),
        signature=signature,
        lesson=_lesson(told.part("lesson")),
        evidence=evidence_of(told.part("evidence"), captured_at),
        captured_at=captured_at,
        source=where,
        extra=_extra(told, record),
    )


def _signature(told: Record) -> Signature | None:
    raw, tool, command = told.text("raw"), told.text("tool"), told.text("command")
    joined, rule = told.texts("joined"), told.text("rule")
    context = context_of(told, command)
    if not raw:
        return None
    return sign(raw, tool or None, joined, command, rule)._replace(context=context)


def context_of(told: Record, command: str) -> dict[str, Any]:
    """What is known of how it failed; `told` is the `entry` of the record."""
    context = told.part("context").rest()
    if command:
        context["command"] = command
    exit_code = told.code("exit_code")
    if exit_code is not None:
        context["exit_code"] = exit_code
    return context


def _lesson(told: Record) -> Lesson:
    return Lesson(
        worked=told.texts("worked"),
        failed=told.texts("failed"),
        gotchas=told.texts("gotchas"),
        root_cause=told.text("root_cause"),
        fix=told.text("fix"),
        steps=told.texts("steps"),
        template=told.text("template"),
    )


def evidence_of(told: Record, captured_at: str) -> Evidence:
    """The counters; times that are unknown are those of the capture."""
    seen = told.count("seen")
    return Evidence(
        seen=1 if seen is None else seen,
        shown=told.count("shown") or 0,
        applied=told.count("applied") or 0,
        helped=told.count("helped") or 0,
        harmed=told.count("harmed") or 0,
        first=told.time("first") or captured_at,
        last=told.time("last") or captured_at,
    )


def _extra(told: Record, record: Record) -> dict[str, Any]:
    """The record's `extra`, and the keys that nobody here knows, beside it."""
    extra = told.part("extra").rest()
    for place, left in (("entry", told.rest()), ("record", record.rest())):
        for key, value in left.items():
            if key not in ("extra", "context", "entry"):
                extra[key if key not in extra else f"{key} (of the {place})"] = value
    return extra
