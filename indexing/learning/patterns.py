"""Found: a pattern as an entry, and the loop that it was found in."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from indexing.entry import Entry, Lesson
from indexing.learning import categories, diffs
from indexing.learning.loop import Attempt, Loop, failure_of, plain_command
from indexing.learning.message import Message, message_of
from indexing.learning.pairs import Broken, Change, Pair, Unmended, mending
from indexing.learning.templates import Template, template_of
from indexing.readers.record import body, headline
from indexing.signature import Signature

HELPED, HARMED, SEEN = "helped", "harmed", "seen"
_LONGEST_DIFF = 8_000
_SHOWN_LINES = 3
_SLUG = 24
_FEWEST_STEPS = 3  # fewer say no more than the pair does


class Finding(NamedTuple):
    """That a loop found a pattern again: where, when, what came of it, and the change itself.

    `outcome` is `helped` (it mended a failure, or the loop went well with it), `harmed` (it did
    not) or `seen` (neither can be said).
    """

    loop: str
    outcome: str
    at: str = ""
    by: str = ""
    file: str = ""
    place: str = ""
    iteration: int = 0
    iterations: int = 0
    diff: str = ""
    note: str = ""
    line: str = ""


class Found(NamedTuple):
    """A pattern, without evidence of its own, and the finding that speaks for it."""

    entry: Entry
    finding: Finding


def error_pattern(loop: Loop, pair: Pair) -> Found:
    """What mended a failure."""
    signature, change = pair.signature, pair.change
    message = message_of(signature.raw)
    files = change.touched
    category = categories.fix_of(change, signature.raw)
    template = template_of(diffs.parsed(change.diff), message)
    language = diffs.language_of(files or ())
    fix = description(change, category)
    is_said = template is not None and not template.is_general and template.code in fix
    code = template.code if template and not is_said else ""
    hints = _hints(pair.red, files)
    parts = _identity(change, template)
    named = categories.tags_of(language, category, files or ())
    title = headline(signature.raw)
    entry = Entry(
        id=_id("pat-error", _slug(category, message, signature), signature.sig_sha, *parts),
        kind="error_pattern",
        title=title,
        body=body(loop.task, message.pattern, fix, change.note, *change.steps, title=title),
        labels=named,
        files=files,
        signature=signature,
        lesson=Lesson(
            worked=(change.note,) if change.note and change.note != fix else (),
            failed=_tried(pair.tried),
            fix=fix,
            steps=change.steps,
            template=code,
        ),
        captured_at=pair.green.at,
        extra={
            "error_signature": _filled(
                error_type=message.type,
                error_pattern=message.pattern,
                error_location_hints=list(hints),
            ),
            "fix_approach": _filled(
                fix_category=category,
                code_template_language=language if code else "",
                placeholders=dict(template.placeholders) if template else {},
            ),
            "learned": True,
        },
    )
    return Found(entry, _finding(loop, HELPED, pair.red, pair.green, change))


def code_template(loop: Loop, pair: Pair) -> Found | None:
    """The code of a fix, when it has a placeholder and so serves another case."""
    change = pair.change
    message = message_of(pair.signature.raw)
    template = template_of(diffs.parsed(change.diff), message)
    if template is None or not template.is_general:
        return None
    category = categories.fix_of(change, pair.signature.raw)
    language = diffs.language_of(change.touched or ())
    title = categories.FIXES[category] or f"What mended: {headline(message.pattern)}"
    entry = Entry(
        id=_id("tmpl", _slug(category, message, pair.signature), language, _code(template.code)),
        kind="code_template",
        title=title,
        body=body(message.pattern, title=title),
        labels=categories.tags_of(language, category, change.touched or ()),
        lesson=Lesson(template=template.code),
        captured_at=pair.green.at,
        extra={
            "language": language,
            "use_case": message.pattern,
            "placeholders": dict(template.placeholders),
            "learned": True,
        },
    )
    return Found(entry, _finding(loop, HELPED, pair.red, pair.green, change))


def approach(loop: Loop, pairs: Sequence[Pair]) -> Found | None:
    """How the loop went about its task, whatever came of it; None when it says too little."""
    steps = _steps(loop, pairs)
    if not loop.task or len(steps) < _FEWEST_STEPS:
        return None
    debugs = any(attempt.outcome is False for attempt in loop.attempts[:1])
    category = categories.task_of(loop.task, debugs)
    tools = tuple(dict.fromkeys(tool for each in loop.attempts for tool in each.tools))
    tools = tools or tuple(dict.fromkeys(_program(each.command) for each in loop.attempts))
    needs = [f"{_program(each.command)} runs here" for each in loop.attempts if each.command][:1]
    title = headline(loop.task)
    entry = Entry(
        id=_id("pat-success", _words(loop.task), category, loop.task, *steps),
        kind="success_pattern",
        title=title,
        body=body(loop.task, *steps, *loop.learnings, title=title),
        labels=(category,),
        files=_all_files(loop),
        lesson=Lesson(
            worked=(f"{title}: {len(steps)} steps",) if loop.result == "success" else (),
            gotchas=loop.learnings,
            steps=steps,
        ),
        captured_at=loop.ended,
        extra={
            "task_category": category,
            "task_description_pattern": loop.task,
            "approach": _filled(tools_used=[tool for tool in tools if tool]),
            "preconditions": needs,
            "learned": True,
        },
    )
    outcome = {"success": HELPED, "failure": HARMED}.get(loop.result, SEEN)
    last = loop.attempts[-1]
    return Found(entry, _finding(loop, outcome, last, last, Change()))


def repeated(loop: Loop, unmended: Unmended) -> Found:
    """A failure that came again after each change that should have mended it."""
    tried = _tried(unmended.tried)
    mode = categories.REPEATED if len(tried) > 1 else "incorrect_fix"
    what = "; ".join(text.rstrip(".") for text in tried)
    raw = headline(unmended.signature.raw)
    return _anti(
        loop,
        approach=f"{what}, against: {raw}",
        mode=mode,
        why=f"The same failure came again after {_times(len(unmended.tried))}.",
        symptoms=(raw,),
        change=unmended.tried[-1],
        last=unmended.last,
        pair=unmended.pair,
        # where a fix is known, its own entry says what did not help
        signature=None if unmended.pair else unmended.signature,
        identity=(unmended.signature.sig_sha, *tried),
    )


def broke(loop: Loop, broken: Broken) -> Found:
    """A change that broke what had passed."""
    what = description(broken.change, "other").rstrip(".") or "A change"
    raw = headline(broken.signature.raw) if broken.signature else plain_command(broken.red.command)
    return _anti(
        loop,
        approach=f"{what}, which broke: {raw}",
        mode=categories.BREAKING,
        why="The same command passed before this change and failed after it.",
        symptoms=(raw,),
        change=broken.change,
        last=broken.red,
        pair=broken.pair,
        signature=None if broken.pair else broken.signature,
        identity=(broken.signature.sig_sha if broken.signature else broken.red.key, what),
    )


def crept(loop: Loop, sizes: Sequence[int], pair: Pair | None) -> Found:
    """A loop whose set of touched files grew while its command stayed red."""
    counts = ", ".join(map(str, sizes))
    last = loop.attempts[-1]
    task = headline(loop.task or loop.id)
    return _anti(
        loop,
        approach=f"Touching more and more files while the failure stayed, on: {task}",
        mode=categories.CREEP,
        why="The change grew past its cause and nothing told which part of it mattered.",
        symptoms=(f"files touched, attempt by attempt: {counts}",),
        change=Change(),
        last=last,
        pair=pair,
        signature=None,
        identity=(task,),
    )


def _anti(
    loop: Loop,
    *,
    approach: str,
    mode: str,
    why: str,
    symptoms: tuple[str, ...],
    change: Change,
    last: Attempt,
    pair: Pair | None,
    signature: Signature | None,
    identity: tuple[str, ...],
) -> Found:
    better = error_pattern(loop, pair).entry if pair else None
    instead = (better.lesson.fix or better.title) if better else ""
    title = headline(approach)
    entry = Entry(
        id=_id("pat-anti", mode.replace("_", "-"), *identity),
        kind="anti_pattern",
        title=title,
        body=body(approach, *symptoms, why, instead, title=title),
        labels=(mode,),
        files=change.touched,
        signature=signature,
        lesson=Lesson(worked=(instead,) if instead else (), failed=(approach,), root_cause=why),
        captured_at=last.at or loop.ended,
        extra={
            "failure_mode": mode,
            "failure_symptoms": list(symptoms),
            "better_alternative": _filled(success_pattern_id=better.id if better else ""),
            "learned": True,
        },
    )
    return Found(entry, _finding(loop, SEEN, last, last, change))


def description(change: Change, category: str) -> str:
    """What was done, in a sentence: of its category where that says it, else as told or as seen."""
    if category == categories.NULL_CHECK:
        return categories.FIXES[category]
    if change.note:
        return change.note
    said = [f"Run `{step}`" for step in change.steps[:_SHOWN_LINES]]
    diff = diffs.parsed(change.diff)
    files = change.touched or ()
    added = [line.strip() for line in diff.added if re.search(r"\w", line)][:_SHOWN_LINES]
    removed = [line.strip() for line in diff.removed if re.search(r"\w", line)][:_SHOWN_LINES]
    where = f"In {', '.join(files[:_SHOWN_LINES])}" if files else "Change"
    if removed and added:
        said.append(f"{where}: replace `{' '.join(removed)}` by `{' '.join(added)}`")
    elif added:
        said.append(f"{where}: add `{' '.join(added)}`")
    elif removed:
        said.append(f"{where}: remove `{' '.join(removed)}`")
    elif files and not change.steps:
        said.append(f"Change {', '.join(files[:_SHOWN_LINES])}")
    return "; ".join(said)


def _tried(tried: Sequence[Change]) -> tuple[str, ...]:
    told = (description(change, "other") for change in tried)
    return tuple(dict.fromkeys(text for text in told if text))


def _steps(loop: Loop, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """What led to the end, in order, each once: no change that did not help; ends of a long one."""
    vain = {number for pair in pairs for tried in pair.tried for number in tried.attempts}
    steps: list[str] = []
    for attempt in loop.attempts:
        change = Change(attempt.files, attempt.diff, attempt.note, attempt.steps)
        if change and attempt.number not in vain:
            steps.append(headline(description(change, "other")))
        is_change = attempt.outcome and mending(attempt.command)
        if attempt.command and not (is_change and attempt.number in vain):
            steps.append(f"Run `{headline(plain_command(attempt.command))}`")
    steps = list(dict.fromkeys(step for step in steps if step))
    if len(steps) > 12:
        steps = [*steps[:6], *steps[-6:]]
    return tuple(steps)


def _finding(loop: Loop, outcome: str, red: Attempt, green: Attempt, change: Change) -> Finding:
    signature = failure_of(red)
    return Finding(
        loop=loop.id,
        outcome=outcome,
        at=green.at or loop.ended,
        by=loop.by,
        file=loop.file,
        place=", ".join(dict.fromkeys(filter(None, (red.place, *change.places, green.place)))),
        iteration=green.number,
        iterations=loop.iterations,
        diff=change.diff[:_LONGEST_DIFF],
        note=change.note,
        line=signature.raw if signature else "",
    )


def _identity(change: Change, template: Template | None) -> tuple[str, ...]:
    """Equal for equal fixes: the code with its placeholders, the steps, else what is told of it."""
    diff = diffs.parsed(change.diff)
    lines = [*(f"+{_code(line)}" for line in diff.added), *(f"-{_code(x)}" for x in diff.removed)]
    steps = [" ".join(step.split()) for step in change.steps]
    told = [] if lines or steps else [" ".join(change.note.split()), *(change.files or ())]
    code = _code(template.code) if template and template.is_general else "\n".join(lines)
    return code, *steps, *told


def _code(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def _hints(red: Attempt, files: tuple[str, ...] | None) -> tuple[str, ...]:
    """Where it happens: `*.ts:validate*`."""
    place = re.sub(r"(?::\d+){1,2}$", "", red.location) or next(iter(files or ()), "")
    name = place.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = name.partition(".")
    suffix = suffix.rpartition(".")[2]
    return (f"*.{suffix}:{stem}*",) if dot and stem else ()


def _slug(category: str, message: Message, signature: Signature) -> str:
    if category == categories.NULL_CHECK:
        return "null-check"
    return _words(message.type or message.pattern or signature.raw) or signature.tool


def _words(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower())
    slug = "-".join(words)
    return slug if len(slug) <= _SLUG else slug[:_SLUG].rpartition("-")[0] or slug[:_SLUG]


def _id(kind: str, slug: str, *identity: str) -> str:
    """The same for the same pattern, whoever finds it: `pat-error-null-check-3f9a2c71`."""
    told = json.dumps([kind, *identity], ensure_ascii=True)
    digest = hashlib.sha256(told.encode()).hexdigest()[:8]
    return "-".join(filter(None, (kind, slug, digest)))


def _all_files(loop: Loop) -> tuple[str, ...] | None:
    known = [attempt.files for attempt in loop.attempts if attempt.files is not None]
    known += [named for each in loop.attempts if (named := diffs.files_of(each.diff))]
    return tuple(dict.fromkeys(name for files in known for name in files)) if known else None


def _program(command: str) -> str:
    words = plain_command(command).split()
    return words[0] if words else ""


def _times(count: int) -> str:
    return "one change" if count == 1 else f"{count} changes"


def _filled(**values: Any) -> Mapping[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", [], {})}
