"""The scorer `fields` by definition: every row and word, no index. The yardstick of its tests."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date

import numpy as np

from indexing.entry import Entry
from indexing.settings import Settings
from retrieval import Query
from retrieval.tokens import file_key, path_words, stem, words

# title, body, labels, root line, words of the paths
WEIGHTS = (3.0, 1.0, 1.0, 2.0, 1.0)
LENGTHS = (0.5, 0.75, 0.5, 0.5, 0.5)
ASKED = (3.0, 1.0, 1.0, 2.0, 0.5)
KINDS = {"p": 1.0, "b": 0.7, "s": 0.5, "d": 0.3}


def texts(it: Entry | Query) -> list[list[str]]:
    root = "\n".join((it.signature.raw, *it.signature.joined)) if it.signature else ""
    fields = [words(text) for text in (it.title, it.body, "\n".join(it.labels), root)]
    fields.append([word for key in sorted(keys(it) or ()) for word in path_words(key)])
    return [[stem(word) for word in field] for field in fields]


def keys(it: Entry | Query) -> set[str] | None:
    if it.files is None:
        return None
    return {key for path in it.files if (key := file_key(path))}


def idf(rows: int, holding: int) -> float:
    return math.log(1 + (rows + 1000 - holding + 0.5) / (holding + 0.5))


def single(weight: float) -> float:
    """As it is kept."""
    return float(np.float32(weight))


def traits(files: set[str]) -> set[str]:
    found = set()
    for key in files:
        *folders, base = key.split("/")
        found |= {f"p:{key}", f"b:{base}", f"s:{base.split('.')[0].lower() or base.lower()}"}
        found |= {"d:" + "/".join(folders[:n]) for n in range(1, len(folders) + 1)}
    found.discard("d:")
    return found


class Reference:
    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.texts = [texts(each) for each in entries]
        self.holding = Counter(w for fields in self.texts for w in set().union(*fields))
        self.means = []
        for field in range(5):
            filled = [len(fields[field]) for fields in self.texts if fields[field]]
            mean = sum(filled) / len(filled) if filled else 0
            self.means.append(float(f"{mean:.1e}"))
        self.traits = [None if keys(e) is None else traits(keys(e)) for e in entries]
        self.with_files = sum(bool(found) for found in self.traits)
        self.touched = Counter(trait for found in self.traits for trait in found or ())
        logs = [math.log(1 + min(60, len(keys(e)))) for e in entries if e.files is not None]
        self.mean_log = math.fsum(logs) / len(logs) if logs else 0
        self.newest = max((day(e.captured_at) for e in entries), default=0)

    def points(self, query: Query, settings: Settings) -> list[float]:
        rows = len(self.entries)
        asked: Counter = Counter()
        own: Counter = Counter()
        fields = texts(query)
        in_text = set().union(*fields[:4])
        for field, found in enumerate(fields):
            for word in found:
                if word in in_text or self.holding[word] <= max(1000, rows // 20):
                    asked[word] += ASKED[field]
                    own[word] += WEIGHTS[field]
        asked = {word: u * 9 / (u + 8) for word, u in asked.items()}
        whole = math.fsum(
            q * idf(rows, self.holding[word]) * own[word] / (own[word] + 1.2)
            for word, q in asked.items()
        )
        whole += 8 * idf(rows, 0)
        files_weigh = 1.2 * idf(rows, 0) / whole if asked else 0.4
        return [
            (
                math.fsum(q / whole * self.weight(word, row) for word, q in asked.items())
                + files_weigh * self.cosine(query, row)
            )
            * self.recency(query, row, settings)
            * self.size(row, settings)
            for row in range(rows)
        ]

    def weight(self, word: str, row: int) -> float:
        tf = 0.0
        for field, found in enumerate(self.texts[row]):
            if times := found.count(word):
                share = LENGTHS[field]
                norm = 1 - share + share * len(found) / self.means[field]
                tf += WEIGHTS[field] * times / norm
        return single(tf / (tf + 1.2)) * idf(len(self.entries), self.holding[word])

    def vector(self, found: set[str]) -> tuple[dict[str, float], float]:
        weights = {
            trait: KINDS[trait[0]] * idf(self.with_files, self.touched[trait])
            for trait in found
            if self.touched[trait] <= max(1000, self.with_files // 10)
        }
        return weights, math.sqrt(math.fsum(weight**2 for weight in weights.values()))

    def cosine(self, query: Query, row: int) -> float:
        theirs = self.traits[row]
        if keys(query) is None or theirs is None:
            return 0.0
        kept, length = self.vector(theirs)
        ours, own = self.vector(traits(keys(query)))
        shared = math.fsum(weight / own * kept.get(trait, 0.0) for trait, weight in ours.items())
        return shared * single(1 / length) if length else 0.0

    def recency(self, query: Query, row: int, settings: Settings) -> float:
        then = day(self.entries[row].captured_at)
        if not then:
            return 1.0
        age = max(0, (day(query.at) or self.newest) - then)
        a, b = settings.prior_recency, settings.prior_fresh
        year, fresh = (1 / (1 + math.log2(1 + age / scale)) for scale in (365, 3))
        return (1 + a * year + b * fresh) / (1 + (a + b) / 2)

    def size(self, row: int, settings: Settings) -> float:
        files = keys(self.entries[row])
        if files is None:
            return 1.0
        c = settings.prior_size
        return (1 + c * math.log(1 + min(60, len(files)))) / (1 + c * self.mean_log)


def day(time: str) -> int:
    return date.fromisoformat(time[:10]).toordinal() if time else 0


def best(
    entries: Sequence[Entry], query: Query, settings: Settings, limit: int
) -> list[tuple[str, int]]:
    """Ids and scores, best first; `entries` are in order of their rows."""
    points = Reference(entries).points(query, settings)
    grades = [math.floor(10_000 * each + 0.5 + 1e-5) for each in points]
    newest = settings.max_entries or len(entries)
    ranked = sorted(range(len(entries))[:newest], key=lambda row: (-grades[row], row))[:limit]
    return [(entries[r].id, min(100, (grades[r] + 50) // 100)) for r in ranked if grades[r] >= 50]
