"""Lexical: the same words and the same files, weighed by how rare they are.

Score, 0..100, a half counts up:

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
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from indexing.entry import Entry
from indexing.settings import Settings
from indexing.signature import Signature
from retrieval import tokens
from retrieval.hit import Hit, Why
from retrieval.postings import (
    Counted,
    Postings,
    Runs,
    data_of,
    first_from,
    merged,
    numbers,
    runs_of,
)
from retrieval.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Rows
    from indexing.recipe import MadeWith
    from indexing.stores.generations import Buffer
    from indexing.stores.interface import Store

SHOWN = 8
_UNKNOWN = -1
_BLOCK = 512
_STEP = 1 << 21  # postings that are weighed at once
# Weights are kept as float32. A half that they miss by less than this still counts up, so that
# scores do not hang on the last bit.
_HALF = 0.5 + 1e-5


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
        """Postings of `text` with `weights` (f32), of `titles` and of `paths`.

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
            "titles.sizes": _by_row(
                ((files["titles.sizes"], rows) for files, rows in gathered), size
            ),
            **paths.files("paths"),
            "paths.sizes": _by_row(
                ((files["paths.sizes"], rows) for files, rows in gathered), size
            ),
        }

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits with a score of 1 or more; of equal scores the newer first."""
        rows = len(store)
        if self._settings.max_entries:
            rows = min(rows, self._settings.max_entries)
        if not rows or limit < 1:
            return []
        scorer = _Tokens if self._settings.scorer == "tokens" else _Cosine
        scored = scorer(query, store, rows, self._settings)
        return [
            Hit(store.entry(row), self.name, score, scored.why(row))
            for row, score in best_rows(scored.points, limit)
        ]


def text_of(it: Entry | Query) -> str:
    """Title, body and labels; where there is no body, the root line of the failure is it."""
    body = it.body
    if not body and it.signature is not None:
        body = root_of(it.signature)
    return "\n".join((it.title, body, *it.labels))


def root_of(signature: Signature) -> str:
    """The root line and those that belong to it."""
    return "\n".join((signature.raw, *signature.joined))


def best_rows(points: "NDArray[np.float64]", limit: int) -> list[tuple[int, int]]:
    """The best rows and their scores, best first; of equal scores the smaller row; none below 1.

    Exact. Only the blocks that can hold one of the best are looked at row by row: most rows have
    no points at all, and partitioning them all costs a hundred times as much.

    Args:
        points: `(n,)`, 0..1, n a multiple of the block.
        limit: So many rows at most, from 1.
    """
    import numpy as np

    peaks = _scores(points.reshape(-1, _BLOCK).max(axis=1))
    bar = 1
    if len(peaks) > limit:
        bar = max(1, int(np.partition(peaks, -limit)[-limit]))
    # `limit` blocks reach the bar; among rows at the bar itself the smallest ones win, and the
    # first `limit` blocks that have no more than it hold enough of them
    level = np.flatnonzero(peaks == bar)[:limit]
    blocks = np.sort(np.concatenate([np.flatnonzero(peaks > bar), level]))
    rows = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    scores = _scores(points[rows])
    best = np.lexsort((rows, -scores))[:limit]
    return [(int(rows[at]), int(scores[at])) for at in best if scores[at] >= bar]


class _Cosine:
    """Every row's points by TF-IDF and Jaccard."""

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:
        import numpy as np

        files = store.part(Lexical.name)
        self._text = Postings(files, "text")
        self._weights = files["text.weights"]
        self._terms = self._weighed(text_of(query), len(store), settings.tokens == "plain")
        self._files = _Files(query, files, rows)
        self.points = _no_points(rows)
        for _, number, weight in self._terms:
            holding = self._text.rows(number)
            inside = first_from(holding, rows)
            weights = self._weights_of(number)[:inside]
            gained = np.multiply(weights, weight, dtype=np.float64)
            np.add.at(self.points, holding[:inside].astype(np.intp), gained)
        if self._files.known:
            share = settings.weight_text
            self.points[:rows] *= np.where(self._files.sizes == _UNKNOWN, 1.0, share)
            self.points[self._files.rows] += settings.weight_files * self._files.jaccards

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

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:
        import numpy as np

        files = store.part(Lexical.name)
        title = query.title
        if not title and query.signature is not None:
            title = root_of(query.signature)
        self._titles = Postings(files, "titles")
        self._sizes = numbers(files["titles.sizes"], "<i4", 0, rows)
        self._asked = sorted(tokens.title_words(title))
        found = ((word, self._titles.find(word)) for word in self._asked)
        self._known = [(word, number) for word, number in found if number is not None]
        self._files = _Files(query, files, rows)
        self.points = _no_points(rows)
        for _, number in self._known:
            holding = self._titles.rows(number)
            inside = first_from(holding, rows)
            np.add.at(self.points, holding[:inside].astype(np.intp), 1.0)
        both = np.sqrt(np.maximum(1, self._sizes) * float(max(1, len(self._asked))))
        self.points[:rows] *= 0.6 / both
        self.points[self._files.rows] += 0.4 * self._files.per_cents / 100

    def why(self, row: int) -> Why:
        """What speaks for `row`; the rarest words first."""
        shared = _shared(self._titles, self._known, row)
        cosine = len(shared) / math.sqrt(max(1, int(self._sizes[row]) * len(self._asked)))
        return Why(
            cosine=round(cosine, 6),
            jaccard=self._files.jaccard(row),
            words=shared[:SHOWN],
            files=self._files.shared_with(row)[:SHOWN],
        )


class _Files:
    """The rows that share files with the query, ascending, and how much."""

    def __init__(self, query: Query, files: Mapping[str, memoryview], rows: int) -> None:
        import numpy as np

        asked = tokens.file_keys(query.files)
        self.known = asked is not None
        self.sizes = numbers(files["paths.sizes"], "<i4", 0, rows)
        self._paths = Postings(files, "paths")
        found = ((key, self._paths.find(key)) for key in asked or ())
        self._found = [(key, number) for key, number in found if number is not None]
        holding = [self._paths.rows(number) for _, number in self._found]
        all_rows = np.concatenate([np.empty(0, np.uint32), *holding])
        self.rows, shared = np.unique(all_rows[all_rows < rows], return_counts=True)
        union = len(asked or ()) + self.sizes[self.rows] - shared
        self.jaccards = shared / union
        self.per_cents = 100 * shared // union

    def jaccard(self, row: int) -> float | None:
        """Of the row's files and the query's; None when either are not known."""
        if not self.known or self.sizes[row] == _UNKNOWN:
            return None
        at = first_from(self.rows, row)
        shares = at < len(self.rows) and self.rows[at] == row
        return round(float(self.jaccards[at]), 6) if shares else 0.0

    def shared_with(self, row: int) -> tuple[str, ...]:
        """The files that the row shares with the query, the rarest first."""
        return _shared(self._paths, self._found, row)


def _shared(postings: Postings, asked: Sequence[tuple[str, int]], row: int) -> tuple[str, ...]:
    """Those of the words asked for that `row` holds, the rarest first."""
    held = [
        (len(postings.rows(number)), word)
        for word, number in asked
        if postings.place(number, row) is not None
    ]
    return tuple(word for _, word in sorted(held))


def idf(rows: int, holding: int) -> float:
    """Inverse document frequency, smoothed as scikit-learn does by default."""
    return math.log((1 + rows) / (1 + holding)) + 1


def score_of(points: float) -> int:
    """The score of points in 0..1: per cent, a half counts up."""
    return math.floor(100 * points + _HALF)


class _Words:
    """The words and files of entries as they come; sizes of sets are those of `Lexical.merge`."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._text, self._titles, self._paths = Runs(), Runs(), Runs()
        self._title_sizes, self._path_sizes = array("i"), array("i")

    def add(self, entry: Entry) -> None:
        self._text.add(tokens.words(text_of(entry), self._plain))
        title = tokens.title_words(entry.title)
        self._titles.add(title)
        self._title_sizes.append(len(title))
        files = tokens.file_keys(entry.files)
        self._paths.add(files or ())
        self._path_sizes.append(_UNKNOWN if files is None else len(files))

    def done(self) -> Mapping[str, bytes]:
        return {
            **self._text.done("text"),
            **self._titles.done("titles"),
            **self._paths.done("paths"),
            "titles.sizes": self._title_sizes.tobytes(),
            "paths.sizes": self._path_sizes.tobytes(),
        }


def _by_row(gathered: "Iterable[tuple[Buffer, Rows]]", size: int) -> memoryview:
    """A number (i32) for each row."""
    import numpy as np

    by_row = np.zeros(size, np.int32)
    for sizes, rows in gathered:
        kept = rows >= 0
        by_row[rows[kept]] = np.frombuffer(sizes, np.int32)[kept]
    return data_of(by_row, "<i4")


def _weights(text: Counted, rows: int) -> "NDArray[np.float32]":
    """The weight of each posting, in vectors of length 1."""
    import numpy as np

    holding = np.diff(text.starts)
    # `math.log`, because numpy's differs in the last bit from one processor to the next
    frequencies, which = np.unique(holding, return_inverse=True)
    idfs = np.array([idf(rows, int(each)) for each in frequencies])[which]
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


def _no_points(rows: int) -> "NDArray[np.float64]":
    import numpy as np

    return np.zeros(-(-rows // _BLOCK) * _BLOCK)


def _scores(points: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """`score_of` each."""
    import numpy as np

    return np.floor(100 * points + _HALF).astype(np.int64)
