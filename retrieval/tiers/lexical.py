"""Lexical: the same words and the same files, weighed by how rare they are.

Score, 0..100, a half counts up:

    fields   see `fields.py`; it is taken by default

    cosine   100 * (0.6 * cosine + 0.4 * jaccard)
             cosine of TF-IDF vectors over title, body and labels, as scikit-learn's
             `TfidfVectorizer` computes it: idf = ln((1 + n) / (1 + df)) + 1, weights tf * idf, unit
             length. A word of the query that the memory has never seen counts in the length as
             the rarest there is: what is mostly about something else scores low. (Not so with
             `tokens = "plain"`, which is scikit-learn's to the letter.) Jaccard of the sets of
             files. When either side's files are unknown there is nothing to compare, and the
             cosine has the whole weight.
    tokens   the seed's formula taken literally: 0.6 * 100 * |A & B| / sqrt(|A| * |B|) of the sets
             of title words, plus 0.4 * the whole per cent of Jaccard; unknown or empty files are 0.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from indexing.entry import Entry
from indexing.settings import Settings
from retrieval import tokens
from retrieval.hit import Hit, Why, says_the_same
from retrieval.postings import (
    Counted,
    Postings,
    Runs,
    by_row,
    data_of,
    merged,
    of_each,
    runs_of,
    whole,
)
from retrieval.query import Query
from retrieval.segments import Family, Found, holding, of_all, split
from retrieval.tiers import fields
from retrieval.tiers.best import HALF, best_rows, in_all
from retrieval.tiers.certainty import certainties
from retrieval.tiers.fields import Fields, root_of
from retrieval.tiers.files import SHOWN, UNKNOWN, Files, shared_words
from retrieval.tiers.lengths import scales

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Gathered, Rows
    from indexing.recipe import MadeWith
    from indexing.stores.interface import Store


class Lexical:
    """Entries that are about the same words and files.

    Args:
        settings: The scorer, its weights, `tokens` and `max_entries` count here.
    """

    name = "lexical"
    sure = False

    def __init__(self, settings: Settings = Settings()) -> None:
        self._settings = settings

    def made_with(self) -> "MadeWith":
        """The words, and the weights that are folded into the files."""
        return {
            "fields": fields.made_with(),
            "idf": "smooth",
            "norm": "l2",
            "tf": "count",
            "tokens": self._settings.tokens,
            "words": tokens.digest(self._plain),
        }

    @property
    def _plain(self) -> bool:
        return self._settings.tokens == "plain"

    def gather(self) -> "_Words":
        """The words and files of entries."""
        return _Words(self._plain)

    def merge(self, gathered: "Gathered", entries: Sequence[Entry]) -> Mapping[str, memoryview]:
        """Postings of `text` with `times` (f32), of `titles`, of `paths`, and all of `fields`.

        `text.scales` (f32 a row) make vectors of tf * idf as long as 1; `titles.sizes` and
        `paths.sizes` (i32 a row) are the sizes of the sets, -1 when a row's files are unknown.
        """
        import numpy as np

        size = len(entries)
        text = _merged(gathered, "text", size)
        idfs = of_each(np.diff(text.starts), partial(idf, size))
        return {
            **self._files(gathered, size, text),
            "text.scales": scales(text, idfs, size, text.times),
            **fields.merge(gathered, size),
        }

    def extend(
        self,
        base: Mapping[str, memoryview],
        gone: "Gathered",
        added: "Gathered",
        dead: "Rows",
        size: int,
    ) -> "Mapping[str, memoryview] | None":
        """As `merge`, for rows that are added to a base; `base.…` is what is now so of its rows."""
        text = _merged(added, "text", size)
        before = Postings(base, "text")
        holding_now = holding(before, _merged(gone, "text", len(dead)), text)
        rows = len(base["titles.sizes"]) // 4
        of_text = partial(idf, rows - len(dead) + size)
        extended = fields.extend(base, gone, added, dead, size, rows)
        if extended is None:
            return None
        times = whole(base["text.times"], "<f4")
        return {
            **self._files(added, size, text),
            "text.scales": scales(text, of_each(holding_now.added, of_text), size, text.times),
            "base.text.scales": scales(before, of_each(holding_now.base, of_text), rows, times),
            **extended,
        }

    @staticmethod
    def _files(gathered: "Gathered", size: int, text: Counted) -> "dict[str, memoryview]":
        """What hangs on no other row."""
        return {
            **text.files("text"),
            "text.times": data_of(text.times, "<f4"),
            **_merged(gathered, "titles", size).files("titles"),
            "titles.sizes": _sizes(gathered, "titles.sizes", size),
            **_merged(gathered, "paths", size).files("paths"),
            "paths.sizes": _sizes(gathered, "paths.sizes", size),
        }

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits with a score of 1 or more; of equal scores the newer first."""
        rows = len(store)
        if self._settings.max_entries:
            rows = min(rows, self._settings.max_entries)
        if not rows or limit < 1:
            return []
        scored = self.scored(query, store, rows)
        # one more, to know by how much the last one leads
        best = scored.best(limit + 1)
        entries = [store.entry(row) for row, _ in best]
        sure: list[float | None] = [None] * len(best)
        if self._settings.scorer == "fields":
            same = [[says_the_same(one, other) for other in entries] for one in entries]
            sure = [*certainties([float(scored.points[row]) for row, _ in best], same)]
        whys = scored.whys([row for row, _ in best[:limit]])
        return [
            Hit(entry, self.name, score, why, certainty)
            for entry, (_, score), why, certainty in zip(entries, best, whys, sure, strict=False)
        ]

    def scored(self, query: Query, store: "Store", rows: int) -> "Fields | _Cosine | _Tokens":
        """The points of the newest `rows` rows, by the scorer of the settings."""
        return _SCORERS[self._settings.scorer](query, store, rows, self._settings)


def text_of(it: Entry | Query) -> str:
    """Title, body and labels; where there is no body, the root line of the failure is it."""
    body = it.body
    if not body and it.signature is not None:
        body = root_of(it.signature)
    return "\n".join((it.title, body, *it.labels))


class _Cosine:
    """Every row's points by TF-IDF and Jaccard."""

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:
        self._store = store
        self._text = Family(store, Lexical.name, "text", "times")
        self._terms = self._weighed(text_of(query), len(store), settings.tokens == "plain")
        self._files = Files(query, store, Lexical.name)
        self._scales = of_all(store, Lexical.name, "text.scales", "<f4")
        self._share = settings.weight_text if self._files.known else 1.0
        asked = [(found, weight) for _, found, weight in self._terms]

        def points(segment: int, points: "NDArray[np.float64]") -> None:
            self._text.add(asked, segment, points)
            points *= self._factors(segment)[: len(points)]
            if self._files.known:
                sharing, jaccards = self._files.jaccards(segment, len(points))
                points[sharing] += settings.weight_files * jaccards

        self.points = in_all(store, rows, points)

    def _factors(self, segment: int) -> "NDArray[np.float64]":
        """What the text of each row is to be multiplied with."""
        import numpy as np

        sizes, share = self._files.sizes[segment], self._share

        def made() -> "NDArray[np.float64]":
            return self._scales[segment] * np.where(sizes == UNKNOWN, 1.0, share)

        return self._store.segments[segment].kept(f"{Lexical.name} cosine", share, made)

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        return best_rows(self.points, limit)

    def whys(self, rows: Sequence[int]) -> list[Why]:
        """What speaks for each row; the words that add most to the cosine first."""
        import numpy as np

        places = split(self._store, rows)
        scales = np.zeros(len(rows))
        for segment, (which, of_segment) in enumerate(places):
            scales[which] = self._scales[segment][of_segment]
        gains = [weight * self._text.held(found, places) for _, found, weight in self._terms]
        told = []
        for at, (jaccard, files) in enumerate(self._files.told(places)):
            gained = [
                (float(gain[at] * scales[at]), word)
                for gain, (word, _, _) in zip(gains, self._terms, strict=True)
                if gain[at]
            ]
            cosine = min(1.0, sum(gain for gain, _ in gained))
            words = [word for _, word in sorted(gained, key=lambda each: (-each[0], each[1]))]
            told.append(
                Why(
                    cosine=round(cosine, 6) if self._terms else None,
                    jaccard=jaccard,
                    words=tuple(words[:SHOWN]),
                    files=files,
                )
            )
        return told

    def _weighed(self, text: str, rows: int, plain: bool) -> list[tuple[str, Found, float]]:
        """The words that rows hold: word, where, and what a row of length 1 gains by one of it."""
        counts = Counter(tokens.words(text, plain))
        found = self._text.find(sorted(counts))  # sums do not hang on the order of the text
        idfs = {word: idf(rows, each.holding) for word, each in found.items()}
        unseen = 0 if plain else sum(n * n for word, n in counts.items() if word not in found)
        squares = sum((counts[word] * rarity) ** 2 for word, rarity in idfs.items())
        length = math.sqrt(squares + unseen * idf(rows, 0) ** 2)
        return [
            (word, each, counts[word] * idfs[word] ** 2 / length) for word, each in found.items()
        ]


class _Tokens:
    """Every row's points by the seed's formula."""

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:
        import numpy as np

        title = query.title
        if not title and query.signature is not None:
            title = root_of(query.signature)
        self._store = store
        self._titles = Family(store, Lexical.name, "titles")
        self._sizes = [
            whole(each.part(Lexical.name)["titles.sizes"], "<i4") for each in store.segments
        ]
        self._asked = sorted(tokens.title_words(title))
        self._known = self._titles.find(self._asked)
        self._files = Files(query, store, Lexical.name)
        asked = [(found, 1.0) for found in self._known.values()]

        def points(segment: int, points: "NDArray[np.float64]") -> None:
            self._titles.add(asked, segment, points)
            sizes = np.maximum(1, self._sizes[segment][: len(points)])
            points *= 0.6 / np.sqrt(sizes * float(max(1, len(self._asked))))
            sharing, per_cents = self._files.per_cents(segment, len(points))
            points[sharing] += 0.4 * per_cents / 100

        self.points = in_all(store, rows, points)

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        return best_rows(self.points, limit)

    def whys(self, rows: Sequence[int]) -> list[Why]:
        """What speaks for each row; the rarest words first."""
        places = split(self._store, rows)
        told = []
        for (segment, place), shared, (jaccard, files) in zip(
            map(self._store.place, rows),
            shared_words(self._titles, self._known, places),
            self._files.told(places),
            strict=True,
        ):
            size = int(self._sizes[segment][place])
            cosine = len(shared) / math.sqrt(max(1, size * len(self._asked)))
            told.append(
                Why(
                    cosine=round(cosine, 6),
                    jaccard=jaccard,
                    words=shared[:SHOWN],
                    files=files,
                )
            )
        return told


_SCORERS: "Mapping[str, type[Fields | _Cosine | _Tokens]]" = {
    "fields": Fields,
    "cosine": _Cosine,
    "tokens": _Tokens,
}


def idf(rows: int, holding: int) -> float:
    """Inverse document frequency, smoothed as scikit-learn does by default."""
    return math.log((1 + rows) / (1 + holding)) + 1


def score_of(points: float) -> int:
    """The score of points in 0..1: per cent, a half counts up."""
    return math.floor(100 * points + HALF)


class _Words:
    """The words and files of entries as they come; sizes of sets are those of `Lexical.merge`."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._text, self._titles, self._paths = Runs(), Runs(), Runs()
        self._title_sizes, self._path_sizes = array("i"), array("i")
        self._fields = fields.Gathered()

    def add(self, entry: Entry) -> None:
        self._text.add(tokens.words(text_of(entry), self._plain))
        title = tokens.title_words(entry.title)
        self._titles.add(title)
        self._title_sizes.append(len(title))
        files = tokens.file_keys(entry.files)
        self._paths.add(files or ())
        self._path_sizes.append(UNKNOWN if files is None else len(files))
        self._fields.add(entry)

    def done(self) -> Mapping[str, bytes]:
        return {
            **self._text.done("text"),
            **self._titles.done("titles"),
            **self._paths.done("paths"),
            "titles.sizes": self._title_sizes.tobytes(),
            "paths.sizes": self._path_sizes.tobytes(),
            **self._fields.done(),
        }


def _merged(gathered: "Gathered", family: str, size: int) -> Counted:
    """The postings of all that was gathered of a family."""
    return merged(((runs_of(files, family), rows) for files, rows in gathered), size)


def _sizes(gathered: "Gathered", name: str, size: int) -> memoryview:
    """The sizes of a set for each row (i32)."""
    return data_of(by_row(((files[name], rows) for files, rows in gathered), size), "<i4")
