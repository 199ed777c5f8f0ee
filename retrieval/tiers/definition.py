"""The scorers by definition: every row and every word, and no index. By it `verify` judges one."""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from indexing.entry import Entry
from indexing.settings import Settings
from indexing.stores.interface import Store
from retrieval.query import Query
from retrieval.tiers import fields
from retrieval.tiers.best import HALF
from retrieval.tiers.fields import FIELDS, K1, K3, trait_weight, traits_of
from retrieval.tiers.lexical import idf, score_of, text_of
from retrieval.tokens import file_keys, stem, words

Best = list[tuple[int, str]]
"""Scores and ids, best first; of equal ones the smaller row."""


def by_cosine(queries: Sequence[Query], store: Store, settings: Settings, limit: int) -> list[Best]:
    """Each query's best rows by TF-IDF and Jaccard."""
    plain = settings.tokens == "plain"
    holding: Counter[str] = Counter()
    for entry in _entries(store):
        holding.update(set(words(text_of(entry), plain)))
    idfs = {word: idf(len(store), rows) for word, rows in holding.items()}
    rarest = idf(len(store), 0)
    vectors = [_vector(text_of(query), plain, idfs, rarest) for query in queries]
    ranked: list[list[tuple[int, int, str]]] = [[] for _ in queries]
    for row, entry in enumerate(_entries(store)):
        theirs = _vector(text_of(entry), plain, idfs, rarest)
        for query, ours, its in zip(queries, vectors, ranked, strict=True):
            cosine = math.fsum(weight * theirs.get(word, 0.0) for word, weight in ours.items())
            score = score_of(_share(cosine, query, entry, settings))
            if score >= 1:
                its.append((-score, row, entry.id))
    return [[(-score, id) for score, _, id in heapq.nsmallest(limit, its)] for its in ranked]


def _entries(store: Store) -> Iterator[Entry]:
    return map(store.entry, range(len(store)))


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


def by_fields(queries: Sequence[Query], store: Store, settings: Settings, limit: int) -> list[Best]:
    """Each query's best rows by the formula of `fields.py`."""
    memory = _Memory.of(store)
    asked = [_Asked.of(query, memory) for query in queries]
    ranked: list[list[tuple[int, int, str]]] = [[] for _ in queries]
    for row, entry in enumerate(_entries(store)):
        terms = _frequencies(entry, memory)
        traits = _traits(entry, memory)
        for query, its, best in zip(queries, asked, ranked, strict=True):
            text = math.fsum(weight * terms.get(term, 0.0) for term, weight in its.terms.items())
            paths = math.fsum(
                weight * traits.get(trait, 0.0) for trait, weight in its.traits.items()
            )
            prior = _recency(query, entry, memory, settings) * _size(entry, memory, settings)
            points = (text + its.files_weigh * paths) * prior
            grade = math.floor(fields.STEPS * points + HALF)
            if grade >= fields.LEAST:
                best.append((-grade, row, entry.id))
    return [
        [(min(100, (50 - grade) // 100), id) for grade, _, id in heapq.nsmallest(limit, best)]
        for best in ranked
    ]


class _Memory(NamedTuple):
    """What is counted of all rows."""

    rows: int
    means: list[float]
    holding: Counter[str]
    known: int
    touched: Counter[str]
    newest: int
    mean_size: float

    @staticmethod
    def of(store: Store) -> "_Memory":
        filled, lengths = [0] * len(FIELDS), [0] * len(FIELDS)
        holding: Counter[str] = Counter()
        touched: Counter[str] = Counter()
        sizes: list[float] = []
        known = newest = 0
        for entry in _entries(store):
            of_fields = list(fields.words_of(entry))
            for field, found in enumerate(of_fields):
                filled[field] += bool(found)
                lengths[field] += len(found)
            holding.update({stem(word) for found in of_fields for word in found})
            newest = max(newest, fields.day_of(entry.captured_at))
            keys = file_keys(entry.files)
            if keys is not None:
                sizes.append(math.log(1 + min(len(keys), fields.SIZES)))
                known += bool(keys)
                touched.update(traits_of(keys))
        means = [
            float(f"{length / max(1, count):.1e}")
            for length, count in zip(lengths, filled, strict=True)
        ]
        mean_size = math.fsum(sizes) / len(sizes) if sizes else 0.0
        return _Memory(len(store), means, holding, known, touched, newest, mean_size)


class _Asked(NamedTuple):
    """What a row gains for each term and trait that the query has, and what its files weigh."""

    terms: dict[str, float]
    traits: dict[str, float]
    files_weigh: float

    @staticmethod
    def of(query: Query, memory: _Memory) -> "_Asked":
        asked: dict[str, float] = {}
        own: dict[str, float] = {}
        in_text: set[str] = set()
        for (name, field), found in zip(FIELDS.items(), fields.words_of(query), strict=True):
            for term in map(stem, found):
                asked[term] = asked.get(term, 0.0) + field.asked
                own[term] = own.get(term, 0.0) + field.weight
                if name != "paths":
                    in_text.add(term)
        many = max(fields.MANY, memory.rows // 20)
        terms = {
            term: times * (K3 + 1) / (times + K3) * fields.idf(memory.rows, memory.holding[term])
            for term, times in asked.items()
            if term in in_text or memory.holding[term] <= many
        }
        rarest = fields.idf(memory.rows, 0)
        whole = math.fsum(weight * own[term] / (own[term] + K1) for term, weight in terms.items())
        whole += fields.PROVEN * rarest
        traits = _vector_of(traits_of(file_keys(query.files) or ()), memory)
        files_weigh = fields.FILES_WEIGH * rarest / whole if asked else fields.FILES_ALONE
        return _Asked({term: each / whole for term, each in terms.items()}, traits, files_weigh)


def _frequencies(entry: Entry, memory: _Memory) -> dict[str, float]:
    """The saturated frequency of each term."""
    found: dict[str, float] = {}
    for field, mean, its in zip(FIELDS.values(), memory.means, fields.words_of(entry), strict=True):
        norm = 1 - field.length + field.length * len(its) / max(mean, 1e-9)
        for term in map(stem, its):
            found[term] = found.get(term, 0.0) + field.weight / norm
    return {term: frequency / (frequency + K1) for term, frequency in found.items()}


def _traits(entry: Entry, memory: _Memory) -> dict[str, float]:
    return _vector_of(traits_of(file_keys(entry.files) or ()), memory)


def _vector_of(traits: Sequence[str], memory: _Memory) -> dict[str, float]:
    weights = {trait: trait_weight(trait, memory.touched[trait], memory.known) for trait in traits}
    length = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
    return {trait: weight / length for trait, weight in weights.items() if length}


def _recency(query: Query, entry: Entry, memory: _Memory, settings: Settings) -> float:
    then = fields.day_of(entry.captured_at)
    if not then:
        return 1.0
    age = max(0, (fields.day_of(query.at) or memory.newest) - then)
    a, b = settings.prior_recency, settings.prior_fresh
    year, fresh = (1 / (1 + math.log2(1 + age / scale)) for scale in (365, 3))
    return (1 + a * year + b * fresh) / (1 + (a + b) / 2)


def _size(entry: Entry, memory: _Memory, settings: Settings) -> float:
    keys = file_keys(entry.files)
    if keys is None:
        return 1.0
    share = settings.prior_size
    files = min(len(keys), fields.SIZES)
    return (1 + share * math.log(1 + files)) / (1 + share * memory.mean_size)


DEFINITIONS: Mapping[str, Callable[[Sequence[Query], Store, Settings, int], list[Best]]] = {
    "fields": by_fields,
    "cosine": by_cosine,
}
