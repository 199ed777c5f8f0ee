"""A dataset of a memory's own: entries that turned out to belong together."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from indexing.entry import Entry
from indexing.lazily import expression
from retrieval.evaluation.dataset import Dataset, Question
from retrieval.query import Query

_LINK = expression(
    r"\b(?:fix(?:es|ed)?|duplicates?(?: of)?|duplicated by|follow-up to|regression from|reverts?)"
    r"[:\s]+[\"'(\[]?([\w.:#/-]+)",
    re.IGNORECASE,
)
_MOST = 5


def own(entries: Sequence[Entry], name: str = "own") -> Dataset:
    """Each entry asks for the older ones that it shares a signature, a fix or a link with.

    A link is `fixes`, `duplicate of`, `follow-up to` or `regression from` before another entry's id
    in title or body; it is taken out of the question. A question that more than five older entries
    would answer is left out: it is no test. Entries of one time may not answer each other.

    Args:
        entries: In order of their rows, the newest first.
        name: What the dataset is called.

    Returns:
        A dataset without questions where no entry belongs to an older one.
    """
    oldest_first = list(reversed(entries))
    times = sorted({entry.captured_at for entry in entries})
    place = {time: number for number, time in enumerate(times)}
    seq = {entry.id: place[entry.captured_at] for entry in entries}
    related: dict[str, list[str]] = defaultdict(list)
    questions = []
    for entry in oldest_first:
        links = [id for id in _linked(entry) if id in seq and id != entry.id]
        groups = list(_groups(entry))
        older = {id for group in groups for id in related[group]} | set(links)
        relevant = frozenset(id for id in older if seq[id] < seq[entry.id])
        if entry.captured_at and 1 <= len(relevant) <= _MOST:
            files = frozenset(entry.files or ())
            questions.append(Question(entry.id, _query(entry), seq[entry.id], relevant, files))
        for group in groups:
            related[group].append(entry.id)
    return Dataset(name, tuple(entries), seq, tuple(questions))


def _groups(entry: Entry) -> Iterator[str]:
    if entry.signature is not None:
        yield f"signature {entry.signature.sig_sha}"
    fix = " ".join(entry.lesson.fix.casefold().split())
    if fix:
        yield f"fix {fix}"


def _linked(entry: Entry) -> list[str]:
    found = _LINK.findall(f"{entry.title}\n{entry.body}")
    return [id.rstrip(".:#/-") for id in found]


def _query(entry: Entry) -> Query:
    return Query(
        title=_LINK.sub(" ", entry.title),
        body=_LINK.sub(" ", entry.body),
        files=entry.files,
        labels=entry.labels,
        signature=entry.signature,
        at=entry.captured_at,
    )
