"""Is the index whole, and does it answer as its rows say?"""

import heapq
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from indexing.entry import Entry
from indexing.errors import BadIndex
from indexing.recipe import REBUILD, refuse_other, today
from indexing.settings import Settings
from indexing.stores import local
from indexing.stores.interface import Store
from indexing.stores.local import LocalStore
from retrieval.query import Query
from retrieval.tiers import parts
from retrieval.tiers.lexical import Lexical, idf, score_of, text_of
from retrieval.tokens import file_keys, words

_SAMPLE = 3
_BEST = 10


def verify(index: Path, settings: Settings = Settings()) -> list[str]:
    """What is wrong with the index, a line each; empty when it is whole.

    Reads all of it: checksums, counts, every row, and a sample of the lexical tier's answers
    against those of a scorer that looks at every row and uses no index.
    """
    problems = local.verify(index)
    if problems:
        return problems
    store = LocalStore.open(index)
    try:
        refuse_other(store.recipe, today(parts(settings)), str(index))
    except BadIndex as error:
        return [str(error)]
    cosine = settings._replace(scorer="cosine", max_entries=0)
    step = max(1, len(store) // _SAMPLE)
    queries = [_query_of(store.entry(row)) for row in range(0, len(store), step)][:_SAMPLE]
    expected = _by_definition(queries, store, cosine)
    for query, best in zip(queries, expected, strict=True):
        found = Lexical(cosine).search(query, store, _BEST)
        if [(hit.score, hit.entry.id) for hit in found] != best:
            problems.append(f"{index}: answers wrongly to '{query.title[:60]}'; {REBUILD}")
    return problems


def _query_of(entry: Entry) -> Query:
    return Query(
        title=entry.title,
        body=entry.body,
        files=entry.files,
        labels=entry.labels,
        signature=entry.signature,
    )


def _by_definition(
    queries: Sequence[Query], store: Store, settings: Settings
) -> list[list[tuple[int, str]]]:
    """Scores and ids of each query's best rows, best first."""
    plain = settings.tokens == "plain"
    holding: Counter[str] = Counter()
    for row in range(len(store)):
        holding.update(set(words(text_of(store.entry(row)), plain)))
    idfs = {word: idf(len(store), rows) for word, rows in holding.items()}
    rarest = idf(len(store), 0)
    vectors = [_vector(text_of(query), plain, idfs, rarest) for query in queries]
    scored: list[list[tuple[int, int, str]]] = [[] for _ in queries]
    for row in range(len(store)):
        entry = store.entry(row)
        theirs = _vector(text_of(entry), plain, idfs, rarest)
        for query, ours, ranked in zip(queries, vectors, scored, strict=True):
            cosine = math.fsum(weight * theirs.get(word, 0.0) for word, weight in ours.items())
            score = score_of(_share(cosine, query, entry, settings))
            if score >= 1:
                ranked.append((-score, row, entry.id))
    return [[(-score, id) for score, _, id in heapq.nsmallest(_BEST, ranked)] for ranked in scored]


def _vector(text: str, plain: bool, idfs: Mapping[str, float], rarest: float) -> dict[str, float]:
    weights = {
        word: times * idfs.get(word, rarest)
        for word, times in Counter(words(text, plain)).items()
        if word in idfs or not plain
    }
    length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()}


def _share(cosine: float, query: Query, entry: Entry, settings: Settings) -> float:
    ours, theirs = file_keys(query.files), file_keys(entry.files)
    if ours is None or theirs is None:
        return cosine
    union = len(ours.keys() | theirs.keys())
    jaccard = len(ours.keys() & theirs.keys()) / union if union else 0.0
    return settings.weight_text * cosine + settings.weight_files * jaccard
