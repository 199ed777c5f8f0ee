"""The lexical tier by definition: every row, every word, no index. The yardstick of its tests."""

import math
from collections import Counter
from collections.abc import Sequence

import fields_reference

from indexing.entry import Entry
from indexing.settings import Settings
from retrieval import Query
from retrieval.tokens import file_key, title_words, words


def text_of(it: Entry | Query) -> str:
    body = it.body
    if not body and it.signature is not None:
        body = "\n".join((it.signature.raw, *it.signature.joined))
    return "\n".join((it.title, body, *it.labels))


def vector(text: str, plain: bool, idfs: dict[str, float], rows: int) -> dict[str, float]:
    """A word that no entry has is dropped when plain, as by scikit-learn, and else the rarest."""
    counts = Counter(word for word in words(text, plain) if word in idfs or not plain)
    rarest = math.log(1 + rows) + 1
    weights = {word: times * idfs.get(word, rarest) for word, times in counts.items()}
    length = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()}


def jaccard(ours, theirs) -> float | None:
    if ours is None or theirs is None:
        return None
    ours, theirs = {file_key(path) for path in ours}, {file_key(path) for path in theirs}
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def rounded(points: float) -> int:
    return math.floor(points + 0.5 + 1e-5)


def by_cosine(entries: Sequence[Entry], query: Query, settings: Settings) -> list[int]:
    plain = settings.tokens == "plain"
    holding = Counter(word for e in entries for word in set(words(text_of(e), plain)))
    idfs = {w: math.log((1 + len(entries)) / (1 + df)) + 1 for w, df in holding.items()}
    asked = vector(text_of(query), plain, idfs, len(entries))
    scores = []
    for each in entries:
        theirs = vector(text_of(each), plain, idfs, len(entries))
        cosine = math.fsum(weight * theirs.get(word, 0.0) for word, weight in asked.items())
        same_files = jaccard(query.files, each.files)
        if same_files is None:
            scores.append(rounded(100 * cosine))
        else:
            both = settings.weight_text * cosine + settings.weight_files * same_files
            scores.append(rounded(100 * both))
    return scores


def by_tokens(entries: Sequence[Entry], query: Query) -> list[int]:
    title = query.title or (text_of(query) if query.signature else "")
    asked = title_words(title)
    scores = []
    for each in entries:
        theirs = title_words(each.title)
        cosine = len(asked & theirs) / math.sqrt(max(1, len(asked) * len(theirs)))
        same_files = jaccard(query.files, each.files) or 0.0
        scores.append(rounded(60 * cosine + 0.4 * math.floor(100 * same_files + 1e-9)))
    return scores


def best(
    entries: Sequence[Entry], query: Query, settings: Settings, limit: int
) -> list[tuple[str, int]]:
    """Ids and scores, best first; `entries` are in order of their rows."""
    if settings.scorer == "fields":
        return fields_reference.best(entries, query, settings, limit)
    if settings.scorer == "tokens":
        scores = by_tokens(entries, query)
    else:
        scores = by_cosine(entries, query, settings)
    newest = len(entries) if not settings.max_entries else settings.max_entries
    ranked = sorted(range(len(entries))[:newest], key=lambda row: (-scores[row], row))
    return [(entries[row].id, scores[row]) for row in ranked[:limit] if scores[row] >= 1]
