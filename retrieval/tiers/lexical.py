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
from itertools import pairwise

from indexing.entry import Entry
from indexing.settings import Settings
from indexing.typed import TYPE_CHECKING
from retrieval import tokens
from retrieval.hit import Hit, Why, says_the_same
from retrieval.postings import (
    Counted,
    Pieces,
    Postings,
    Runs,
    by_row,
    data_of,
    first_from,
    merged,
    numbers,
    of_each,
    runs_of,
)
from retrieval.query import Query
from retrieval.tiers import fields
from retrieval.tiers.best import HALF, best_rows, no_points
from retrieval.tiers.certainty import AHEAD, certainties
from retrieval.tiers.fields import Fields, root_of
from retrieval.tiers.files import SHOWN, UNKNOWN, Files, held_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Rows
    from indexing.recipe import MadeWith
    from indexing.stores.generations import Buffer
    from indexing.stores.interface import Store
    from retrieval.tiers.interface import Scored

_MOST_PIECES = 1 << 18  # so many come before their words are looked up
_STEP = 1 << 21  # postings that are weighed at once


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

    def merge(
        self, gathered: "Sequence[tuple[Mapping[str, Buffer], Rows]]", entries: Sequence[Entry]
    ) -> Mapping[str, memoryview]:
        """Postings of `text` with `weights` (f32), of `titles`, of `paths`, and all of `fields`.

        `titles.sizes` and `paths.sizes` (i32 a row) are the sizes of the sets; -1 when a row's
        files are unknown.
        """
        size = len(entries)
        text = merged(((runs_of(files, "text"), rows) for files, rows in gathered), size)
        titles = merged(((runs_of(files, "titles"), rows) for files, rows in gathered), size)
        paths = merged(((runs_of(files, "paths"), rows) for files, rows in gathered), size)
        return {
            **text.files("text"),
            "text.weights": data_of(_weights(text, size), "<f4"),
            **titles.files("titles"),
            "titles.sizes": _sizes(gathered, "titles.sizes", size),
            **paths.files("paths"),
            "paths.sizes": _sizes(gathered, "paths.sizes", size),
            **fields.merge(gathered, size),
        }

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits with a score of 1 or more; of equal scores the newer first."""
        rows = self.rows_of(store)
        if not rows or limit < 1:
            return []
        return self.hits(self.scored(query, store, rows), store, limit)

    def rows_of(self, store: "Store") -> int:
        """So many of the newest rows are looked at."""
        return min(len(store), self._settings.max_entries or len(store))

    def hits(self, scored: "Scored", store: "Store", limit: int) -> list[Hit]:
        """At most `limit` of the best rows, each with how certain it is."""
        # some more, to know by how much the last one leads
        best = [(store.entry(row), row, score) for row, score in scored.best(limit + AHEAD)]
        whys = [scored.why(row) for _, row, _ in best[:limit]]
        sure: list[float | None] = [None] * len(whys)
        if self._settings.scorer == "fields":
            same = [[says_the_same(one, other) for other, *_ in best] for one, *_ in best]
            sure = [*certainties([float(scored.points[row]) for _, row, _ in best], same, whys)]
        return [
            Hit(entry, self.name, score, why, certainty)
            for (entry, _, score), why, certainty in zip(best, whys, sure, strict=False)
        ]

    def scored(self, query: Query, store: "Store", rows: int) -> "Fields | _Cosine | _Tokens":
        """The points of the newest `rows` rows, by the scorer of the settings."""
        files = store.part(self.name)
        return _SCORERS[self._settings.scorer](query, files, rows, len(store), self._settings)


def text_of(it: Entry | Query) -> str:
    """Title, body and labels; where there is no body, the root line of the failure is it."""
    body = it.body
    if not body and it.signature is not None:
        body = root_of(it.signature)
    return "\n".join((it.title, body, *it.labels))


class _Cosine:
    """Every row's points by TF-IDF and Jaccard."""

    def __init__(
        self,
        query: Query,
        files: Mapping[str, memoryview],
        rows: int,
        total: int,
        settings: Settings,
    ) -> None:
        import numpy as np

        self._text = Postings(files, "text")
        self._weights = files["text.weights"]
        self._terms = self._weighed(text_of(query), total, settings.tokens == "plain")
        self._files = Files(query, files, rows)
        self.points = no_points(rows)
        for _, number, weight in self._terms:
            holding = self._text.rows(number)
            inside = first_from(holding, rows)
            weights = self._weights_of(number)[:inside]
            gained = np.multiply(weights, weight, dtype=np.float64)
            np.add.at(self.points, holding[:inside].astype(np.intp), gained)
        if self._files.known:
            share = settings.weight_text
            self.points[:rows] *= np.where(self._files.sizes == UNKNOWN, 1.0, share)
            self.points[self._files.rows] += settings.weight_files * self._files.jaccards

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        return best_rows(self.points, limit)

    def why(self, row: int) -> Why:
        """What speaks for `row`; the words that add most to the cosine first."""
        gained = []
        for word, number, weight in self._terms:
            place = self._text.place(number, row)
            if place is not None:
                gained.append((float(self._weights_of(number)[place]) * weight, word))
        cosine = min(1.0, sum(gain for gain, _ in gained))
        words = [word for _, word in sorted(gained, key=lambda each: (-each[0], each[1]))]
        return Why(
            cosine=round(cosine, 6) if self._terms else None,
            jaccard=self._files.jaccard(row),
            words=tuple(words[:SHOWN]),
            files=self._files.shared_with(row)[:SHOWN],
        )

    def prior(self, rows: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """1 for each of `rows`: age and size do not count."""
        import numpy as np

        return np.ones(len(rows))

    def _weighed(self, text: str, rows: int, plain: bool) -> list[tuple[str, int, float]]:
        """The words that the index knows: word, number, and weight in a vector of length 1."""
        counts = Counter(tokens.words(text, plain))
        weighed = []
        unseen = 0
        for word, times in counts.items():
            number = self._text.find(word)
            if number is not None:
                begin, end = self._text.span(number)
                weighed.append((word, number, times * idf(rows, end - begin)))
            elif not plain:
                unseen += times * times
        # sums are taken in the order of the vocabulary, so that they do not hang on the text's
        weighed.sort(key=lambda each: each[1])
        rest = unseen * idf(rows, 0) ** 2
        length = math.sqrt(sum(weight * weight for _, _, weight in weighed) + rest)
        return [(word, number, weight / length) for word, number, weight in weighed]

    def _weights_of(self, number: int) -> "NDArray[np.float32]":
        return numbers(self._weights, "<f4", *self._text.span(number))


class _Tokens:
    """Every row's points by the seed's formula."""

    def __init__(
        self,
        query: Query,
        files: Mapping[str, memoryview],
        rows: int,
        total: int,
        settings: Settings,
    ) -> None:
        import numpy as np

        title = query.title
        if not title and query.signature is not None:
            title = root_of(query.signature)
        self._titles = Postings(files, "titles")
        self._sizes = numbers(files["titles.sizes"], "<i4", 0, rows)
        self._asked = sorted(tokens.title_words(title))
        found = ((word, self._titles.find(word)) for word in self._asked)
        self._known = [(word, number) for word, number in found if number is not None]
        self._files = Files(query, files, rows)
        self.points = no_points(rows)
        for _, number in self._known:
            holding = self._titles.rows(number)
            inside = first_from(holding, rows)
            np.add.at(self.points, holding[:inside].astype(np.intp), 1.0)
        both = np.sqrt(np.maximum(1, self._sizes) * float(max(1, len(self._asked))))
        self.points[:rows] *= 0.6 / both
        self.points[self._files.rows] += 0.4 * self._files.per_cents / 100

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        return best_rows(self.points, limit)

    def why(self, row: int) -> Why:
        """What speaks for `row`; the rarest words first."""
        shared = held_by(self._titles, self._known, row)
        cosine = len(shared) / math.sqrt(max(1, int(self._sizes[row]) * len(self._asked)))
        return Why(
            cosine=round(cosine, 6),
            jaccard=self._files.jaccard(row),
            words=shared[:SHOWN],
            files=self._files.shared_with(row)[:SHOWN],
        )

    def prior(self, rows: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """1 for each of `rows`: age and size do not count."""
        import numpy as np

        return np.ones(len(rows))


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
        self._texts, self._keys = Pieces(), Pieces()
        self._bodiless = bytearray()
        self._text = Runs(partial(tokens.words, plain=plain))
        self._titles = Runs(tokens.title_words, once=True)
        self._paths = Runs()
        self._path_sizes = array("i")
        self._fields = fields.Gathered()

    def add(self, entry: Entry) -> None:
        self._texts.add(*map(tokens.pieces, fields.texts_of(entry)))
        self._bodiless.append(not entry.body)
        keys = tokens.file_keys(entry.files)
        files = None if keys is None else list(keys)
        self._keys.add(files or ())
        self._path_sizes.append(UNKNOWN if files is None else len(files))
        self._fields.add(entry, files)
        if len(self._texts) >= _MOST_PIECES:
            self._take()

    def _take(self) -> None:
        """The words of the entries that came since."""
        import numpy as np

        texts, keys = self._texts.block(), self._keys.block()
        entry, field = np.divmod(texts.lists, fields.TEXTS)
        whole = texts._replace(lists=entry, size=keys.size)
        # as `text_of` has it
        told = (field != fields.ROOT) | np.frombuffer(self._bodiless, bool)[entry]
        self._text.take(whole.where(told))
        self._titles.take(whole.where(field == fields.TITLE))
        self._paths.take(keys)
        self._fields.take(texts, keys)
        self._bodiless = bytearray()

    def done(self) -> Mapping[str, bytes]:
        self._take()
        return {
            **self._text.done("text"),
            **self._titles.done("titles"),
            **self._paths.done("paths"),
            "titles.sizes": self._titles.sizes(),
            "paths.sizes": self._path_sizes.tobytes(),
            **self._fields.done(),
        }


def _sizes(
    gathered: "Sequence[tuple[Mapping[str, Buffer], Rows]]", name: str, size: int
) -> memoryview:
    """The sizes of a set for each row (i32)."""
    return data_of(by_row(((files[name], rows) for files, rows in gathered), size), "<i4")


def _weights(text: Counted, rows: int) -> "NDArray[np.float32]":
    """The weight of each posting, in vectors of length 1."""
    import numpy as np

    idfs = of_each(np.diff(text.starts), partial(idf, rows))
    lengths = np.zeros(rows)
    weights = np.empty(len(text.row), "<f4")
    # a few words at a time: in double precision all of them would take gigabytes
    steps = np.searchsorted(text.starts, np.arange(0, len(text.row), _STEP))
    for first, last in pairwise(np.unique([*steps, len(text.words)])):
        here, weighed = _weighed(text, idfs, first, last)
        np.add.at(lengths, text.row[here].astype(np.intp), weighed * weighed)
    lengths = np.sqrt(lengths)
    for first, last in pairwise(np.unique([*steps, len(text.words)])):
        here, weighed = _weighed(text, idfs, first, last)
        weights[here] = weighed / lengths[text.row[here]]
    return weights


def _weighed(
    text: Counted, idfs: "NDArray[np.float64]", first: int, last: int
) -> "tuple[slice, NDArray[np.float64]]":
    """Where the postings of words `first` to `last` stand, and times * idf of each."""
    import numpy as np

    here = slice(text.starts[first], text.starts[last])
    holding = np.diff(text.starts[first : last + 1])
    return here, np.repeat(idfs[first:last], holding) * text.times[here]
