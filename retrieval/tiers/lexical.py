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
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from indexing.entry import Entry
from indexing.settings import Settings
from indexing.typed import TYPE_CHECKING, Any
from retrieval import tokens
from retrieval.hit import Hit, Why, says_the_same
from retrieval.pieces import Block, Lists, Spelling, Texts, once
from retrieval.postings import (
    Counted,
    Postings,
    Runs,
    by_row,
    data_of,
    merged_family,
    of_each,
    whole,
)
from retrieval.query import Query
from retrieval.segments import Asked, Family, Split, holding, shifted, split
from retrieval.tiers import fields
from retrieval.tiers.best import HALF, Factors, Points, Some, Words
from retrieval.tiers.certainty import AHEAD, certainties
from retrieval.tiers.fields import Fields, root_of
from retrieval.tiers.files import SHOWN, UNKNOWN, Files, shared_words
from retrieval.tiers.lengths import scales

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Gathered, Rows
    from indexing.recipe import MadeWith
    from indexing.stores.interface import Segment, Store
    from retrieval.tiers.interface import Scored

_MOST_TEXT = 1 << 22  # bytes that come before their words are looked up


class Last:
    """What was scored last: who asks deeper asks the same again."""

    def __init__(self) -> None:
        self._last: tuple[Query, Store, Any] | None = None

    def of(self, query: Query, store: "Store", score: Callable[[], Any]) -> Any:
        """What `score` gives, or gave for the same query and store."""
        last = self._last
        if last is None or last[0] is not query or last[1] is not store:
            last = self._last = (query, store, score())
        return last[2]


class Lexical:
    """Entries that are about the same words and files.

    Args:
        settings: The scorer, its weights, `tokens` and `max_entries` count here.
    """

    name = "lexical"
    sure = False
    shares = ("terms", "text", "traits", "titles", "paths")

    def __init__(self, settings: Settings = Settings()) -> None:
        self._settings = settings
        self._last = Last()

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
        shares = (self.merge_share(share, gathered, len(entries)) for share in self.shares)
        return dict(chain.from_iterable(share.items() for share in shares))

    def merge_share(self, share: str, gathered: "Gathered", size: int) -> Mapping[str, memoryview]:
        """The files of `merge` that hang together."""
        return _SHARES[share](gathered, size)

    def extend(
        self,
        base: Mapping[str, memoryview],
        gone: "Gathered",
        added: "Gathered",
        dead: "Rows",
        size: int,
    ) -> "Mapping[str, memoryview] | None":
        """As `merge`, for rows that are added to a base; `base.…` is what is now so of its rows.

        `base.text.shift` (i64, 2) has the words (their numbers) that more rows hold, and how many
        more: by it the lengths of the base's rows are taken when the scorer `cosine` first asks.
        """
        text = merged_family(added, "text", size)
        shift = shifted(Postings(base, "text"), merged_family(gone, "text", len(dead)), text)
        rows = len(base["titles.sizes"]) // 4
        idfs = of_each(shift.added, partial(idf, rows - len(dead) + size))
        extended = fields.extend(base, gone, added, dead, size, rows)
        if extended is None:
            return None
        return {
            **_text_files(text, idfs, size),
            **_merged_set(added, size, "titles"),
            **_merged_set(added, size, "paths"),
            "base.text.shift": data_of(shift.base, "<i8"),
            **extended,
        }

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits with a score of 1 or more; of equal scores the newer first."""
        rows = self.rows_of(store)
        if not rows or limit < 1:
            return []
        scored = self._last.of(query, store, lambda: self.scored(query, store, rows))
        return self.hits(scored, store, limit)

    def rows_of(self, store: "Store") -> int:
        """So many of the newest rows are looked at."""
        return min(len(store), self._settings.max_entries or len(store))

    def hits(self, scored: "Scored", store: "Store", limit: int) -> list[Hit]:
        """At most `limit` of the best rows, each with how certain it is."""
        has_certainty = self._settings.scorer == "fields"
        # some more, to know by how much the last one leads
        best = scored.best(limit + AHEAD * has_certainty)
        entries = [store.entry(row) for row, _ in best]
        whys = scored.whys([row for row, _ in best[:limit]])
        sure: list[float | None] = [None] * len(whys)
        if has_certainty:
            same = [
                [says_the_same(one, other) for other in entries[at + 1 :]]
                for at, one in enumerate(entries[:limit])
            ]
            points = scored.points.of(split(store, [row for row, _ in best]))
            sure = [*certainties(points.tolist(), same, whys)]
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


class _Ageless:
    """A scorer for which age and size do not count."""

    def prior(self, rows: Split) -> "NDArray[np.float64]":
        """1 for each of `rows`."""
        import numpy as np

        return np.ones(sum(len(which) for which, _ in rows))


class _Cosine(_Ageless):
    """Every row's points by TF-IDF and Jaccard."""

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:
        self._store = store
        self._files = Files(query, store, Lexical.name)
        self._share = settings.weight_text if self._files.known else 1.0
        all_known = all(map(self._all_known, store.segments, self._files.sizes))
        greatest_share = self._share if all_known else 1.0
        self._scales = _text_scales(store)
        self._text = Family(store, Lexical.name, "text", "times")
        self._terms = self._weighed(text_of(query), len(store), settings.tokens == "plain")

        def most_of(asked: Sequence[Asked]) -> float:
            # no vector is longer than 1
            return greatest_share * math.hypot(*(each.most for each in asked))

        factors = list(map(self._factors, range(len(store.segments))))
        further = [
            Some(sharing, settings.weight_files * jaccards)
            for sharing, jaccards in map(
                self._files.jaccards, range(len(factors)), store.before(rows)
            )
        ]
        self.points = Points(store, rows, Words(self._terms, most_of), factors, further)

    @staticmethod
    def _all_known(segment: "Segment", sizes: "NDArray[np.int32]") -> bool:
        return segment.kept("files known", None, lambda: bool((sizes != UNKNOWN).all()))

    def _factors(self, segment: int) -> Factors:
        """What the text of each row is to be multiplied with."""
        import numpy as np

        sizes, share = self._files.sizes[segment], self._share

        def made() -> Factors:
            of_text = self._scales[segment].astype(np.float64)
            of_text[sizes != UNKNOWN] *= share
            return Factors.of(of_text)

        return self._store.segments[segment].kept(f"{Lexical.name} cosine", share, made)

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        return self.points.best(limit)

    def whys(self, rows: Sequence[int]) -> list[Why]:
        """What speaks for each row; the words that add most to the cosine first."""
        import numpy as np

        places = split(self._store, rows)
        scales = np.zeros(len(rows))
        for segment, (which, of_segment) in enumerate(places):
            scales[which] = self._scales[segment][of_segment]
        asked, gains = self.points.gains(places)
        told = []
        for gains_of_row, (jaccard, files) in zip(
            (gains * scales).T.tolist(), self._files.told(places), strict=True
        ):
            gained = [
                (-gain, each.word) for gain, each in zip(gains_of_row, asked, strict=True) if gain
            ]
            cosine = min(1.0, -sum(gain for gain, _ in gained))
            words = [word for _, word in sorted(gained)]
            told.append(
                Why(
                    cosine=round(cosine, 6) if self._terms else None,
                    jaccard=jaccard,
                    words=tuple(words[:SHOWN]),
                    files=files,
                )
            )
        return told

    def _weighed(self, text: str, rows: int, plain: bool) -> list[Asked]:
        """The words that rows hold; a row of length 1 gains the weight by one of it."""
        counts = Counter(tokens.words(text, plain))
        found = self._text.find(sorted(counts))  # sums do not hang on the order of the text
        idfs = {word: idf(rows, each.holding) for word, each in found.items()}
        unseen = 0 if plain else sum(n * n for word, n in counts.items() if word not in found)
        squares = sum((counts[word] * rarity) ** 2 for word, rarity in idfs.items())
        length = math.sqrt(squares + unseen * idf(rows, 0) ** 2)
        return [
            Asked(
                word,
                self._text,
                each,
                weight=counts[word] * idfs[word] ** 2 / length,
                most=counts[word] * idfs[word] / length,
            )
            for word, each in found.items()
        ]


def _text_scales(store: "Store") -> "list[NDArray[np.float32]]":
    """What makes the vectors of each segment's rows as long as 1."""
    own = [whole(each.part(Lexical.name)["text.scales"], "<f4") for each in store.segments]
    if len(own) > 1:
        own[0] = store.segments[1].kept("base.text.scales", None, partial(_base_scales, store))
    return own


def _base_scales(store: "Store") -> "NDArray[np.float32]":
    """Those of the base's rows, as what came since has it."""
    base, delta = (each.part(Lexical.name) for each in store.segments)
    text = Postings(base, "text")
    shift = whole(delta["base.text.shift"], "<i8").reshape(-1, 2)
    idfs = of_each(holding(text, shift), partial(idf, len(store)))
    times = whole(base["text.times"], "<f4")
    return whole(scales(text, idfs, len(store.segments[0]), times), "<f4")


class _Tokens(_Ageless):
    """Every row's points by the seed's formula."""

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:

        title = query.title
        if not title and query.signature is not None:
            title = root_of(query.signature)
        self._store = store
        self._sizes = [
            whole(each.part(Lexical.name)["titles.sizes"], "<i4") for each in store.segments
        ]
        self._asked = sorted(tokens.title_words(title))
        self._titles = Family(store, Lexical.name, "titles")
        self._known = self._titles.find(self._asked)
        self._files = Files(query, store, Lexical.name)
        asked = [
            Asked(word, self._titles, found, weight=1.0, most=1.0)
            for word, found in self._known.items()
        ]
        factors = list(map(self._factors, range(len(store.segments))))
        further = [
            Some(sharing, 0.4 * per_cents / 100)
            for sharing, per_cents in map(
                self._files.per_cents, range(len(factors)), store.before(rows)
            )
        ]
        words = Words(asked, lambda asked: math.inf)
        self.points = Points(store, rows, words, factors, further)

    def _factors(self, segment: int) -> Factors:
        """What the words of each row's title are to be multiplied with."""
        import numpy as np

        sizes, asked = self._sizes[segment], max(1, len(self._asked))

        def made() -> Factors:
            return Factors.of(0.6 / np.sqrt(np.maximum(1, sizes) * float(asked)))

        return self._store.segments[segment].kept(f"{Lexical.name} tokens", asked, made)

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        return self.points.best(limit)

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
        self._texts, self._whole, self._title = Texts(), Texts(), Texts()
        self._words = Spelling(tokens.words)
        self._plain_words = Spelling(partial(tokens.words, plain=True))
        self._title_words = Spelling(tokens.title_words)
        self._files, self._keys = Lists(), Spelling(tokens.keys_of)
        self._bodiless, self._known = bytearray(), bytearray()
        self._text, self._titles, self._paths = Runs(), Runs(once=True), Runs()
        self._path_sizes = array("i")
        self._fields = fields.Gathered()

    def take(self, entries: Sequence[Entry]) -> None:
        self._texts.add(list(chain.from_iterable(map(fields.texts_of, entries))))
        # in lower case before they are cut: how a letter is written may hang on its neighbours
        self._title.add([entry.title.lower() for entry in entries])
        if self._plain:
            self._whole.add([text_of(entry).lower() for entry in entries])
        self._files.add(entry.files or () for entry in entries)
        self._bodiless.extend(not entry.body for entry in entries)
        self._known.extend(entry.files is not None for entry in entries)
        self._fields.add(entries)
        if len(self._texts) >= _MOST_TEXT:
            self._count()

    def _count(self) -> None:
        """Count the words of the entries that came since."""
        import numpy as np

        words = self._words.of(self._texts.block())
        keys = once(self._keys.of(self._files.block()))
        sizes = np.bincount(keys.lists, minlength=keys.size)
        sizes[~np.frombuffer(self._known, bool)] = UNKNOWN
        self._path_sizes.frombytes(sizes.astype(np.int32).tobytes())
        whole = self._plain_words.of(self._whole.block()) if self._plain else self._told(words)
        self._text.take(whole)
        self._titles.take(self._title_words.of(self._title.block()))
        self._paths.take(keys)
        self._fields.take(words, keys, sizes)
        self._bodiless, self._known = bytearray(), bytearray()

    def _told(self, words: Block) -> Block:
        """Those of `text_of` among the words of all fields."""
        import numpy as np

        told = np.ones((len(self._bodiless), fields.TEXTS), bool)
        told[:, fields.ROOT] = np.frombuffer(self._bodiless, bool)
        some = words.where(told.ravel()[words.lists])
        return some._replace(lists=some.lists // fields.TEXTS, size=len(told))

    def done(self) -> Mapping[str, bytes]:
        self._count()
        return {
            **self._text.files("text"),
            **self._titles.files("titles"),
            **self._paths.files("paths"),
            "titles.sizes": self._titles.sizes(),
            "paths.sizes": self._path_sizes.tobytes(),
            **self._fields.done(),
        }


def _merged_text(gathered: "Gathered", size: int) -> "dict[str, memoryview]":
    import numpy as np

    text = merged_family(gathered, "text", size)
    return _text_files(text, of_each(np.diff(text.starts), partial(idf, size)), size)


def _text_files(text: Counted, idfs: "NDArray[np.float64]", size: int) -> "dict[str, memoryview]":
    return {
        **text.files("text"),
        "text.times": data_of(text.times, "<f4"),
        "text.scales": scales(text, idfs, size, text.times),
    }


def _merged_set(gathered: "Gathered", size: int, family: str) -> "dict[str, memoryview]":
    sizes = by_row(((files[f"{family}.sizes"], rows) for files, rows in gathered), size)
    return {
        **merged_family(gathered, family, size).files(family),
        f"{family}.sizes": data_of(sizes, "<i4"),
    }


# What takes longest comes first: the others are merged meanwhile.
_SHARES: "Mapping[str, Callable[[Gathered, int], dict[str, memoryview]]]" = {
    "terms": fields.merged_terms,
    "text": _merged_text,
    "traits": fields.merged_traits,
    "titles": partial(_merged_set, family="titles"),
    "paths": partial(_merged_set, family="paths"),
}
