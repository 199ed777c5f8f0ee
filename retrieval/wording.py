"""A hit in words: the labels and sentences that the block and the renderers share."""

from indexing.entry import Entry, Lesson
from indexing.lazily import expression
from retrieval.hit import Hit

_DAY = expression(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST = 1_000_000


def told(entry: Entry) -> list[tuple[str, tuple[str, ...]]]:
    """What the memory says: label and texts as stored, empty ones left out, the fix early."""
    lesson = entry.lesson
    line = entry.signature.raw if entry.signature else ""
    about = "" if line or lesson.root_cause else _beyond(entry.body, lesson)
    fields = (
        ("happened", (line,)),
        ("about", (about,)),
        ("cause", (lesson.root_cause,)),
        ("fix", (lesson.fix,)),
        ("worked", lesson.worked),
        ("failed", lesson.failed),
        ("gotcha", lesson.gotchas),
        ("steps", lesson.steps),
        ("template", (lesson.template,)),
    )
    full = ((label, tuple(text for text in texts if text.strip())) for label, texts in fields)
    return [(label, texts) for label, texts in full if texts]


def _beyond(body: str, lesson: Lesson) -> str:
    """What the body says that the lesson does not; readers put the lesson there to be found."""
    texts = (*lesson.worked, *lesson.failed, *lesson.gotchas, lesson.fix, *lesson.steps)
    for text in sorted(filter(None, texts), key=len, reverse=True):
        body = body.replace(text, " ")
    return " ".join(body.split())


def kind(entry: Entry) -> str:
    """`error pattern`."""
    return entry.kind.replace("_", " ")


def evidence(entry: Entry) -> str:
    """`fixed it 3 of 4 times, last 2026-02-02; seen 5 times`; dates, no ages: no clock is read."""
    known = entry.evidence
    tries = max(known.applied, known.helped + known.harmed)
    parts = []
    if tries > 0:
        parts.append(f"fixed it {_capped(known.helped)} of {_times(tries)}")
    if known.seen > 0:
        parts.append("seen once" if known.seen == 1 else f"seen {_times(known.seen)}")
    if known.helped <= 1 and entry.extra.get("learned"):
        parts.append("learnt from one loop, unproven")
    if known.harmed > 0:
        parts.append(f"made it worse {_times(known.harmed)}")
    if parts and (last := _day(known.last)):
        parts[0] += f", last {last}"
    elif not parts and (captured := _day(entry.captured_at)):
        parts.append(f"recorded {captured}")
    return "; ".join(parts)


def origin(entry: Entry) -> str:
    """`memory/failures.json, failures[3]`."""
    return ", ".join(part for part in (entry.source.file, entry.source.locator) if part)


def reasons(hit: Hit) -> str:
    """`same signature`, or the score in parts: `text 0.71, files 0.33`."""
    why = hit.why
    parts = ["same signature"] if why.same_signature else []
    for part, value in (
        ("text", why.cosine if why.text is None else why.text),
        ("files", why.jaccard if why.paths is None else why.paths),
        ("age and size ×", why.prior),
    ):
        if value is not None:
            parts.append(f"{part} {value:.2f}")
    return ", ".join(parts + ([why.note] if why.note else []))


def _day(time: str) -> str:
    found = _DAY.match(time)
    return found[0] if found else ""


def _times(count: int) -> str:
    return f"{_capped(count)} time{'' if count == 1 else 's'}"


def _capped(count: int) -> int:
    """A counter as it can be printed: a file may hold any number of digits."""
    return max(0, min(count, _MOST))
