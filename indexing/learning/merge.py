"""What is the same pattern and what is only alike: proposals, and decisions that can be undone.

Equal signatures and equal fixes have one id and are one entry from the start. What is only alike is
proposed and never merged by itself. Names, numbers and codes that differ forbid even the proposal:
in a public report an unattended merge at 0.75 to 0.92 gave 27 % of all records foreign text.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from indexing.entry import Entry, Evidence, Lesson
from indexing.readers.interface import Decided

THRESHOLD = 0.80
MERGED_INTO = "merged_into"

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_STOP = frozenset(
    [
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its"),
        *("my", "of", "on", "or", "our", "that", "the", "this", "to", "was", "with"),
    ]
)
_NAME = re.compile(
    r"['\"`‘](?P<quoted>[^'\"`’\n]{1,120})['\"`’]"
    r"|(?P<name>[\w@./\\:+-]*(?:[a-z][A-Z]|\d|[_@/\\.]|\w-\w)[\w@./\\:+-]*)|\b(?P<code>[A-Z]{3,})\b"
)
# `numpy must be < 2`, `pin numpy below 2`: the same claim in two wordings.
_CLAIM = re.compile(
    r"(?P<what>[a-z][\w.-]*)\s+(?:(?:must|has to|should) be |needs |has to stay |stays? )?(?P<how>"
    r"<=|>=|==|<|>|below|under|less than|at least|at most|exactly)\s*v?(?P<number>\d[\w.]*)",
    re.I,
)
_HOW = {"below": "<", "under": "<", "less than": "<", "at least": ">=", "at most": "<="}


class Alike(NamedTuple):
    """How alike two patterns are, 0..1; `forbidden` says what tells them apart, `""` if nothing."""

    one: Entry
    other: Entry
    similarity: float
    forbidden: str


def similarity(one: str, other: str) -> float:
    """How alike two texts are, 0..1: cosine of their words; equal claims in other words are 0.9."""
    a, b = _counted(one), _counted(other)
    shared = sum(count * b[word] for word, count in a.items())
    length = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    cosine = shared / length if length else 0.0
    claims = _claims(one)
    return max(cosine, 0.9) if claims and claims == _claims(other) else cosine


def told_apart(one: str, other: str) -> str:
    """What forbids two texts to be one: names, numbers or codes that differ, or one word that does.

    Two sentences that differ in a single word are a possible contradiction: `purple`, `cyan`.
    """
    if _claims(one) and _claims(one) == _claims(other):
        return ""
    a, b = _names(one), _names(other)
    if a != b:
        only = [", ".join(sorted(each)[:3]) or "none" for each in (a - b, b - a)]
        return f"names differ: {only[0]} / {only[1]}"
    words, others = set(_counted(one)), set(_counted(other))
    here, there = words - others, others - words
    if here and there and len(here) <= 2 and len(there) <= 2 and words & others:
        return f"possible contradiction: {' '.join(sorted(here))} / {' '.join(sorted(there))}"
    return ""


def compared(one: Entry, other: Entry) -> Alike:
    """How alike two patterns are, by what failed and by what is advised."""
    failures, advice = (_failed(one), _failed(other)), (_advised(one), _advised(other))
    parts = [similarity(*pair) for pair in (failures, advice) if any(pair)]
    score = sum(parts) / len(parts) if parts else 0.0
    forbidden = next(filter(None, (told_apart(*pair) for pair in (failures, advice))), "")
    if one.kind != other.kind:
        forbidden = f"kinds differ: {one.kind} / {other.kind}"
    return Alike(one, other, score, forbidden)


def proposals(
    entries: Sequence[Entry],
    threshold: float = THRESHOLD,
    apart: Iterable[frozenset[str]] = (),
) -> list[Alike]:
    """The pairs that may be one pattern, the most alike first; none that a name forbids.

    Args:
        entries: The patterns; of different kinds none are alike.
        threshold: Pairs that are less alike are left out.
        apart: Pairs of ids that people told apart.
    """
    told = set(apart)
    found = []
    for at, one in enumerate(entries):
        for other in entries[at + 1 :]:
            if one.kind != other.kind or frozenset((one.id, other.id)) in told:
                continue
            alike = compared(one, other)
            if alike.similarity > threshold and not alike.forbidden:
                found.append(alike)
    return sorted(found, key=lambda each: (-each.similarity, each.one.id, each.other.id))


class Decisions(NamedTuple):
    """What people decided of patterns and did not take back, in order of time."""

    merges: tuple[Decided, ...]
    splits: tuple[frozenset[str], ...]
    archived: Mapping[str, Decided]

    @staticmethod
    def of(records: Iterable[Decided]) -> "Decisions":
        """Sort what was recorded; a later restore ends an archiving, an undo ends anything."""
        ordered = sorted(records, key=lambda each: (each.at, each.id))
        undone = {str(each.values.get("undoes")) for each in ordered if each.op == "undo"}
        merges: list[Decided] = []
        splits: list[frozenset[str]] = []
        archived: dict[str, Decided] = {}
        for each in ordered:
            if each.id in undone:
                continue
            if each.op == "merge":
                merges.append(each)
            elif each.op == "split":
                pair = frozenset((str(each.values.get("a")), str(each.values.get("b"))))
                splits.append(pair)
                merges = [merge for merge in merges if _pair(merge) != pair]
            elif each.op == "archive":
                archived[str(each.values.get("entry_id"))] = each
            elif each.op == "restore":
                archived.pop(str(each.values.get("entry_id")), None)
        return Decisions(tuple(merges), tuple(splits), archived)


def _pair(merge: Decided) -> frozenset[str]:
    return frozenset((str(merge.values.get("into")), str(merge.values.get("from"))))


def decided(entries: Mapping[str, Entry], records: Iterable[Decided]) -> dict[str, Entry]:
    """The entries after the decisions: merged, archived ones left out. The originals stay in files.

    What is merged is still found by its own signature: it says the same under its old id.
    """
    decisions = Decisions.of(records)
    kept = {id: entry for id, entry in entries.items() if id not in decisions.archived}
    gone: dict[str, Entry] = {}
    went: dict[str, str] = {}
    for merge in decisions.merges:
        into, source = (_end(went, str(merge.values.get(key))) for key in ("into", "from"))
        if into in kept and source in kept and into != source:
            gone[source] = kept.pop(source)
            went[source] = into
            kept[into] = merged(kept[into], gone[source])
    for id, other in gone.items():
        into = _end(went, id)
        if other.signature and other.signature != kept[into].signature:
            extra = {**kept[into].extra, MERGED_INTO: into}
            kept[id] = kept[into]._replace(id=id, signature=other.signature, extra=extra)
    return kept


def _end(went: Mapping[str, str], id: str) -> str:
    """Where an entry is now, which may have been merged, and what it was merged into too."""
    while id in went:
        id = went[id]
    return id


def merged(one: Entry, other: Entry) -> Entry:
    """One entry of two: the first one's words, what the second adds, and the evidence of both."""
    lesson, more = one.lesson, other.lesson
    fixes = (more.fix,) if more.fix and more.fix != lesson.fix else ()
    loops = [*one.extra.get("source_loops", ()), *other.extra.get("source_loops", ())]
    extra: dict[str, Any] = {**other.extra, **one.extra}
    extra["merged"] = [*one.extra.get("merged", ()), other.id]
    if loops:
        extra["source_loops"] = loops
    return one._replace(
        labels=_once(one.labels, other.labels),
        files=one.files if other.files is None else _once(one.files or (), other.files),
        lesson=Lesson(
            worked=_once(lesson.worked, fixes, more.worked),
            failed=_once(lesson.failed, more.failed),
            gotchas=_once(lesson.gotchas, more.gotchas),
            root_cause=lesson.root_cause or more.root_cause,
            fix=lesson.fix or more.fix,
            steps=lesson.steps or more.steps,
            template=lesson.template or more.template,
        ),
        evidence=_sum(one.evidence, other.evidence),
        extra=extra,
    )


def _sum(one: Evidence, other: Evidence) -> Evidence:
    return Evidence(
        seen=one.seen + other.seen,
        shown=one.shown + other.shown,
        applied=one.applied + other.applied,
        helped=one.helped + other.helped,
        harmed=one.harmed + other.harmed,
        first=min(filter(None, (one.first, other.first)), default=""),
        last=max(one.last, other.last),
    )


def _once(*lists: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for texts in lists for text in texts))


def _failed(entry: Entry) -> str:
    return entry.signature.raw if entry.signature else entry.title


def _advised(entry: Entry) -> str:
    lesson = entry.lesson
    texts = (lesson.fix, *lesson.worked, *lesson.steps, lesson.template)
    return " ".join(filter(None, texts))


def _counted(text: str) -> Counter[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return Counter(word for word in words if word not in _STOP)


def _names(text: str) -> set[str]:
    found = (next(filter(None, match.groups())) for match in _NAME.finditer(text))
    return {name.strip(".:,()").lower() for name in found} - {""}


def _claims(text: str) -> set[tuple[str, str, str]]:
    return {
        (
            found["what"].lower(),
            _HOW.get(found["how"].lower(), found["how"]),
            found["number"],
        )
        for found in _CLAIM.finditer(text)
    }
