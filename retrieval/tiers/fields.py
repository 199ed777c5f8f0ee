"""Fields: words weighed by where they stand, files by how rare they are, both by age and size.

The scorer that is taken by default. A score is 100 times the points, a half counts up, 100 at most;
of equal hundredths of a score the newer entry comes first.

    points = (text + files) * recency * size

    text     BM25F (Robertson, Zaragoza, Taylor 2004). A term's frequency in an entry is
             tf = sum over fields of w * n / (1 - b + b * length / mean length), the mean to two
             digits (so that one more entry seldom moves what all others have), saturated
             tf / (tf + 1.2), times idf = ln(1 + (N + 1000 - df + 0.5) / (df + 0.5)); the thousand,
             so that a memory of a few entries does not take its every word for a common one. A term
             of the query has u = sum over fields of v * n, saturated 9 * u / (u + 8).
                          title   body   labels   root line   words of the paths
                  w, b    3 .5    1 .75  1 .5     2 .5        1 .5
                  v       3       1      1        2           0.5
             The sum over all terms is divided by what the query itself would get as an entry of
             mean lengths (a term that no entry holds counts in that as the rarest there is), plus 8
             times the greatest idf: that a short query agrees proves little. So one query's scores
             compare with another's, and what is mostly about something else has little. Terms are
             the words of `tokens.words`, names whole and in parts, each by its `stem`. One that
             only the query's paths hold says nothing when more than a thousand entries and a
             twentieth of all hold it.
    files    Cosine of the files' traits: the path (1), the base name (0.7), its stem (0.5), and
             every folder above (0.3), each times idf as above. A rare file that both have counts
             most, a folder is what is left to compare, what everything touches counts next to
             nothing; nothing at all when more than a thousand entries and a tenth of all touch it.
             The cosine weighs 1.2 times the greatest idf, over the divisor above; 0.4 where the
             query has no words. Where either side's files are unknown there is nothing to compare,
             and nothing is added.
    recency  (1 + a * r(365) + b * r(3)) / (1 + (a + b) / 2), r(s) = 1 / (1 + log2(1 + age / s)),
             the age in days before the query's `at`, else before the newest entry: no clock is
             read. 1 where the age is unknown.
    size     (1 + c * ln(1 + n)) / (1 + c * mean of ln(1 + n)) for an entry of n files, 60 at most:
             a large change is more often the cause of what comes after. 1 where n is unknown.

a, b and c are the settings `prior_recency`, `prior_fresh` and `prior_size`. The other constants
were chosen on the older halves of the sets `hadoop` and `curl`, and confirmed on the newer halves,
on `dpdk`, and on two small sets; `prior_fresh` had seen `dpdk` before. The weights of labels
and root lines could not be (the sets have few of the first and none of the second); a root line
stands between title and body.
"""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise

from indexing.entry import Entry
from indexing.settings import Settings
from indexing.signature import Signature
from indexing.typed import TYPE_CHECKING, NamedTuple
from retrieval import tokens
from retrieval.hit import Why
from retrieval.pieces import Block, Spelling, foremost
from retrieval.postings import (
    Counted,
    Postings,
    Runs,
    by_row,
    data_of,
    merged,
    merged_family,
    of_each,
    runs_of,
)
from retrieval.postings import whole as numbers
from retrieval.query import Query
from retrieval.segments import Asked, Family, Split, holding, of_all, of_rows, shifted, split
from retrieval.tiers.best import Factors, Points, Words
from retrieval.tiers.files import SHOWN, Files
from retrieval.tiers.lengths import scales

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Gathered as AllGathered
    from indexing.build import Rows
    from indexing.stores.interface import Store

_PART = "lexical"
_STEP = 1 << 20  # postings that are weighed at once
K1 = 1.2
K3 = 8.0
_MORE_ROWS = 1000
PROVEN = 8.0
FILES_WEIGH = 1.2
FILES_ALONE = 0.4
STEPS = 10_000  # of equal hundredths of a score the newer comes first
LEAST = 50
_MOST_FILES = 1000
SIZES = 60
MANY = 1000
_OLDEST = 0xFFFF  # days; what is older counts as so old
_NO_SIZE = SIZES + 1


class _Field(NamedTuple):
    """A field's weight in an entry, how much its length counts, and its weight in a query."""

    weight: float
    length: float
    asked: float


FIELDS = {
    "title": _Field(3.0, 0.5, 3.0),
    "body": _Field(1.0, 0.75, 1.0),
    "labels": _Field(1.0, 0.5, 1.0),
    "root": _Field(2.0, 0.5, 2.0),
    "paths": _Field(1.0, 0.5, 0.5),
}
ROOT = 3  # its place among the fields
TEXTS = 4  # the fields before `paths`
_TRAITS = {"p": 1.0, "b": 0.7, "s": 0.5, "d": 0.3}


def made_with() -> str:
    """All constants that are folded into the files."""
    return repr((K1, FIELDS, _TRAITS, _MORE_ROWS, _MOST_FILES, SIZES, MANY, "two digits"))


class Gathered:
    """The words and traits of entries as they come, their days and their numbers of files."""

    def __init__(self) -> None:
        self._stems = Spelling(_stems_of)
        self._path_parts, self._path_stems = Spelling(tokens.path_parts), Spelling(_part_stems_of)
        self._traits_of = Spelling(_traits_of)
        self._terms, self._traits = Runs(), Runs(once=True)
        self._days, self._sizes = array("i"), array("i")

    def add(self, entries: Sequence[Entry]) -> None:
        """Take in the next entries, but for their words and files."""
        self._days.extend([day_of(entry.captured_at) for entry in entries])

    def take(self, words: Block, keys: Block, sizes: "NDArray[np.int64]") -> None:
        """Take in what goes with the next entries.

        Args:
            words: A list for each of `texts_of`.
            keys: Those of their files, each once.
            sizes: How many these are; below 0 when they are not known.
        """
        import numpy as np

        compared = foremost(keys, _MOST_FILES)
        count, size = len(FIELDS), keys.size * len(FIELDS)
        in_paths = compared._replace(lists=compared.lists * count + TEXTS, size=size)
        in_texts = words.lists + words.lists // TEXTS * (count - TEXTS)
        self._terms.take(
            self._stems.of(words._replace(lists=in_texts, size=size)),
            self._path_stems.of(self._path_parts.of(in_paths)),
        )
        self._traits.take(self._traits_of.of(compared))
        known = np.where(sizes < 0, _NO_SIZE, np.minimum(sizes, SIZES))
        self._sizes.frombytes(known.astype(np.int32).tobytes())

    def done(self) -> dict[str, bytes]:
        """All that was added, as files by name; nothing is to be added any more."""
        return {
            **self._terms.files("terms"),
            **self._traits.files("traits"),
            "days": self._days.tobytes(),
            "sizes": self._sizes.tobytes(),
        }


class Totals(NamedTuple):
    """What is counted of all entries together.

    `filled` are the entries that have words in a field, `words` how many these are, in the order of
    `FIELDS`; `sizes` counts entries by their number of files, the last those of an unknown one;
    `newest` is the day of the newest entry, 0 when none has a date.
    """

    filled: "NDArray[np.int64]"
    words: "NDArray[np.int64]"
    sizes: "NDArray[np.int64]"
    newest: int

    @staticmethod
    def of(files: Mapping[str, memoryview]) -> "Totals":
        """What `data` gave."""
        told = numbers(files["totals"], "<i8")
        count = len(FIELDS)
        return Totals(told[:count], told[count : 2 * count], told[2 * count : -1], int(told[-1]))

    def data(self) -> memoryview:
        """As a file (i64)."""
        import numpy as np

        return data_of(np.concatenate([self.filled, self.words, self.sizes, [self.newest]]), "<i8")

    def means(self) -> "NDArray[np.float64]":
        """The mean length of each field, to two digits."""
        import numpy as np

        means = self.words / np.maximum(1, self.filled)
        return np.array([float(f"{mean:.1e}") for mean in means.tolist()])

    @property
    def known(self) -> int:
        """How many entries have files."""
        return int(self.sizes[1:_NO_SIZE].sum())

    @property
    def mean_size(self) -> float:
        """The mean of ln(1 + files) where they are known."""
        counts = self.sizes[:_NO_SIZE].tolist()
        logs = math.fsum(count * math.log(1 + files) for files, count in enumerate(counts))
        return logs / sum(counts) if any(counts) else 0.0


class _Terms(NamedTuple):
    """The terms that were gathered of some entries, by their rows, and what weighs them."""

    postings: Counted
    days: "NDArray[np.int32]"
    sizes: "NDArray[np.int32]"
    lengths: "NDArray[np.int64]"
    totals: Totals

    @staticmethod
    def of(gathered: "AllGathered", size: int) -> "_Terms":
        import numpy as np

        days, sizes = _by_row(gathered, "days", size), _by_row(gathered, "sizes", size)
        in_fields = ((runs_of(files, "terms"), _field_rows(rows)) for files, rows in gathered)
        postings = merged(in_fields, size * len(FIELDS))
        lengths = _lengths(postings, size)
        totals = Totals(
            (lengths > 0).sum(axis=0),
            lengths.sum(axis=0),
            np.bincount(sizes, minlength=_NO_SIZE + 1),
            int(days.max(initial=0)),
        )
        return _Terms(postings, days, sizes, lengths, totals)

    def files(self, totals: Totals) -> "dict[str, memoryview]":
        """What is kept of them when all entries have these totals; they are used up by it."""
        terms, weights = _term_weights(self.postings, self.lengths, totals.means())
        return {
            **terms.files("terms"),
            "terms.weights": data_of(weights, "<f4"),
            "days": data_of(self.days, "<i4"),
            "sizes": data_of(self.sizes, "<u1"),
            "totals": totals.data(),
        }


def merged_terms(gathered: "AllGathered", size: int) -> "dict[str, memoryview]":
    """Postings of `terms` with `weights` (f32), and what the priors take.

    A weight is a saturated frequency. `days` (i32 a row) are those of the calendar, 0 unknown;
    `sizes` (u8) numbers of files, the greatest unknown; `totals` are `Totals`.
    """
    terms = _Terms.of(gathered, size)
    return terms.files(terms.totals)


def merged_traits(gathered: "AllGathered", size: int) -> "dict[str, memoryview]":
    """Postings of `traits`; `traits.scales` (f32 a row) make vectors of traits as long as 1."""
    import numpy as np

    traits = merged_family(gathered, "traits", size)
    sizes = _by_row(gathered, "sizes", size)
    known = int(((sizes > 0) & (sizes < _NO_SIZE)).sum())
    return _trait_files(traits, np.diff(traits.starts), known, size)


def _trait_files(
    traits: Counted, touched: "NDArray[np.int64]", known: int, size: int
) -> "dict[str, memoryview]":
    weights = _trait_weights(_initials(traits), touched, known)
    return {**traits.files("traits"), "traits.scales": scales(traits, weights, size)}


def extend(
    base: Mapping[str, memoryview],
    gone: "AllGathered",
    added: "AllGathered",
    dead: "Rows",
    size: int,
    rows: int,
) -> "dict[str, memoryview] | None":
    """As what is merged, for `size` rows that are added to the `rows` of a base.

    `base.traits.scales` are what is now so of its rows. None when the base's weights would be
    others.
    """
    import numpy as np

    before = Totals.of(base)
    lost, terms = _Terms.of(gone, len(dead)), _Terms.of(added, size)
    days = numbers(base["days"], "<i4")
    totals = Totals(
        before.filled - lost.totals.filled + terms.totals.filled,
        before.words - lost.totals.words + terms.totals.words,
        before.sizes - lost.totals.sizes + terms.totals.sizes,
        max(int(np.delete(days, dead).max(initial=0)), terms.totals.newest),
    )
    if (totals.means() != before.means()).any():
        return None
    of_base, traits = Postings(base, "traits"), merged_family(added, "traits", size)
    shift = shifted(of_base, merged_family(gone, "traits", len(dead)), traits)
    weights = _trait_weights(of_base.initials(), holding(of_base, shift.base), totals.known)
    return {
        **terms.files(totals),
        **_trait_files(traits, shift.added, totals.known, size),
        "base.traits.scales": scales(of_base, weights, rows),
    }


def _by_row(gathered: "AllGathered", name: str, size: int) -> "NDArray[np.int32]":
    return by_row(((files[name], rows) for files, rows in gathered), size)


def _field_rows(rows: "Rows") -> "Rows":
    """The row of each entry's each field; -1 is left out."""
    import numpy as np

    count = len(FIELDS)
    return np.where(rows[:, None] < 0, -1, rows[:, None] * count + np.arange(count)).ravel()


def traits_of(keys: Sequence[str] | Mapping[str, str]) -> list[str]:
    """What files are compared by, each once, its kind in front: `d:src`, `b:auth.py`, `s:auth`."""
    return list(
        dict.fromkeys(trait for key in list(keys)[:_MOST_FILES] for trait in _traits_of(key))
    )


def _stems_of(word: str) -> tuple[str]:
    return (tokens.stem(word),)


def _part_stems_of(part: str) -> list[str]:
    return list(map(tokens.stem, tokens.part_words(part)))


def _traits_of(key: str) -> list[str]:
    folders, _, base = key.rpartition("/")
    traits = [f"p:{key}", f"b:{base}", f"s:{base.partition('.')[0].lower() or base.lower()}"]
    while folders:
        traits.append(f"d:{folders}")
        folders = folders.rpartition("/")[0]
    return traits


def root_of(signature: Signature) -> str:
    """The root line and those that belong to it."""
    return "\n".join((signature.raw, *signature.joined))


class Fields:
    """Every row's points for one query.

    Args:
        query: What is asked.
        store: The rows.
        rows: So many of the newest rows are looked at.
        settings: The three priors count here.
    """

    def __init__(self, query: Query, store: "Store", rows: int, settings: Settings) -> None:
        self._store = store
        self._files = Files(query, store, _PART)
        self._totals = Totals.of(store.segments[-1].part(_PART))
        prior = _Prior(query, store, self._totals, settings)
        self._priors = list(map(prior.factors, range(len(store.segments))))
        self._terms = Family(store, _PART, "terms", "weights")
        scales = of_all(store, _PART, "traits.scales", "<f4")
        self._traits = Family(store, _PART, "traits", scales=scales)
        self._spelt: dict[str, str] = {}
        self._files_weigh = FILES_ALONE
        self._asked_terms = self._weighed_terms(query, len(store))
        self._asked_traits = self._weighed_traits(query)
        greatest = max(each.greatest for each in self._priors)
        asked = [*self._asked_terms, *(self._asked_traits or ())]
        words = Words(asked, partial(_most_of, greatest, self._terms))
        self.points = Points(store, rows, words, self._priors)

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        best = self.points.best(limit, STEPS, LEAST)
        return [(row, min(100, (grade + 50) // 100)) for row, grade in best]

    def whys(self, rows: Sequence[int]) -> list[Why]:
        """What speaks for each row; the words that add most come first."""
        import numpy as np

        places = split(self._store, rows)
        asked, gains = self.points.gains(places)
        is_term = [each.family is self._terms for each in asked]
        terms = [each.word for each in asked if each.family is self._terms]
        told = []
        for row, of_terms, of_traits, (jaccard, files) in zip(
            rows,
            gains[is_term].T.tolist(),
            gains[np.logical_not(is_term)].T.tolist(),
            self._files.told(places),
            strict=True,
        ):
            segment, place = self._store.place(row)
            sizes = numbers(self._store.segments[segment].part(_PART)["sizes"], "<u1")
            gained = [(-gain, term) for gain, term in zip(of_terms, terms, strict=True) if gain]
            words = [self._spelt[word] for _, word in sorted(gained) if word in self._spelt]
            known = self._asked_traits is not None and sizes[place] != _NO_SIZE
            told.append(
                Why(
                    jaccard=jaccard,
                    words=tuple(words[:SHOWN]),
                    files=files,
                    text=_six(-sum(gain for gain, _ in gained)) if self._asked_terms else None,
                    paths=_six(sum(of_traits)) if known else None,
                    prior=_six(float(self._priors[segment].precise[place])),
                )
            )
        return told

    def prior(self, rows: Split) -> "NDArray[np.float64]":
        """The factor for age and size that is in the points of each of `rows`."""
        return of_rows([each.precise for each in self._priors], rows)

    def _weighed_terms(self, query: Query, total: int) -> list[Asked]:
        """The terms that the index knows, with weights that give the query's own text 1."""
        asked: dict[str, float] = {}
        own: dict[str, float] = {}
        for (name, field), words in zip(FIELDS.items(), words_of(query), strict=True):
            for word in words:
                term = tokens.stem(word)
                if name != "paths":
                    self._spelt.setdefault(term, word)
                asked[term] = asked.get(term, 0.0) + field.asked
                own[term] = own.get(term, 0.0) + field.weight
        weighed = []
        whole = 0.0
        found = self._terms.find(sorted(asked))  # sums do not hang on the order of the text
        for term in sorted(asked):
            each = found.get(term)
            holding = each.holding if each else 0
            if term not in self._spelt and holding > max(MANY, total // 20):
                continue  # a folder's name, which the traits compare as well
            weight = asked[term] * (K3 + 1) / (asked[term] + K3)
            rarity = idf(total, holding)
            whole += weight * rarity * own[term] / (own[term] + K1)
            if each:
                weighed.append((term, each, weight * rarity))
        if not asked:
            return []
        rarest = idf(total, 0)
        whole += PROVEN * rarest
        self._files_weigh = FILES_WEIGH * rarest / whole
        # a saturated frequency is 1 at most
        return [
            Asked(term, self._terms, each, weight=weight / whole, most=weight / whole)
            for term, each, weight in weighed
        ]

    def _weighed_traits(self, query: Query) -> "list[Asked] | None":
        """The traits that rows have, with what a row of length 1 gains by each.

        None when no files are known.
        """
        keys = tokens.file_keys(query.files)
        if keys is None:
            return None
        traits = sorted(traits_of(keys))
        found = self._traits.find(traits)
        weighed = []
        whole = 0.0
        for trait in traits:
            each = found.get(trait)
            weight = trait_weight(trait, each.holding if each else 0, self._totals.known)
            whole += weight * weight
            if each and weight:
                weighed.append((trait, each, weight))
        of_one = self._files_weigh / math.sqrt(whole) if weighed else 0.0
        return [
            Asked(trait, self._traits, each, weight=of_one * weight * weight, most=of_one * weight)
            for trait, each, weight in weighed
        ]


def _most_of(prior: float, terms: Family, asked: Sequence[Asked]) -> float:
    """By how much some terms and traits raise a row's points at most.

    Args:
        prior: The greatest there is.
        terms: The family that all are of that are no traits.
        asked: Terms and traits.
    """
    by_terms = sum(each.most for each in asked if each.family is terms)
    # no vector is longer than 1
    by_traits = math.hypot(*(each.most for each in asked if each.family is not terms))
    return prior * (by_terms + by_traits)


class _Prior:
    """What speaks for each row whatever is asked: how new it is, and how large."""

    def __init__(self, query: Query, store: "Store", totals: Totals, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._mean = totals.mean_size
        self.day_of = (day_of(query.at) or totals.newest) if totals.newest else 0
        priors = (settings.prior_recency, settings.prior_fresh, settings.prior_size)
        self._key = (self.day_of, self._mean, priors)

    def factors(self, segment: int) -> Factors:
        """The factor of each row of a segment; the same array until the day is another."""
        its = self._store.segments[segment]

        def made() -> Factors:
            files = its.part(_PART)
            days, sizes = numbers(files["days"], "<i4"), numbers(files["sizes"], "<u1")
            return Factors.of(self._made(days, sizes))

        return its.kept(f"{_PART} prior", self._key, made)

    def _made(self, days: "NDArray[np.int32]", sizes: "NDArray[np.uint8]") -> "NDArray[np.float64]":
        import numpy as np

        ages = np.clip(self.day_of - days, 0, _OLDEST)
        ages[days == 0] = _OLDEST + 1
        oldest = int(ages.max(initial=0, where=days > 0))
        most = 1 << oldest.bit_length()  # few sizes, so that tables are kept
        recency = np.ones(_OLDEST + 2)
        of = self._settings
        recency[: oldest + 1] = _recencies(of.prior_recency, of.prior_fresh, most)[: oldest + 1]
        # not `take`, which is ten times as slow for small integers
        factors = recency[ages]
        factors *= _by_size(of.prior_size, self._mean)[sizes]
        return factors


@lru_cache(maxsize=16)
def _recencies(year: float, fresh: float, most: int) -> "NDArray[np.float64]":
    """`recency` for each age in days below `most`."""
    import numpy as np

    # `math.log2`, because numpy's differs in the last bit from one processor to the next
    log2 = math.log2
    values = [
        1 + year / (1 + log2(1 + age / 365)) + fresh / (1 + log2(1 + age / 3))
        for age in range(most)
    ]
    return np.array(values) / (1 + (year + fresh) / 2)


def _by_size(share: float, mean: float) -> "NDArray[np.float64]":
    """`size` for each number of files; the last is that of an unknown number."""
    import numpy as np

    usual = 1 + share * mean
    known = [(1 + share * math.log(1 + size)) / usual for size in range(_NO_SIZE)]
    return np.array([*known, 1.0])


def words_of(it: Entry | Query) -> Iterator[list[str]]:
    """The words of each field, in the order of `FIELDS`."""
    yield from map(tokens.words, texts_of(it))
    keys = list(tokens.file_keys(it.files) or ())[:_MOST_FILES]
    yield [word for key in keys for word in tokens.path_words(key)]


def texts_of(it: Entry | Query) -> tuple[str, str, str, str]:
    """The fields that are text, in the order of `FIELDS`."""
    root = "" if it.signature is None else root_of(it.signature)
    return it.title, it.body, "\n".join(it.labels), root


def day_of(time: str) -> int:
    """The number of the day of `2026-03-04T10:22:31Z`; 0 when it is none."""
    return _ordinal(time[:10])


@lru_cache(maxsize=1 << 12)
def _ordinal(day: str) -> int:
    from datetime import date

    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0


def _six(value: float) -> float:
    return round(value, 6)


def idf(rows: int, holding: int) -> float:
    """Inverse document frequency as BM25 has it, with a thousand more rows that hold nothing."""
    return math.log(1 + (rows + _MORE_ROWS - holding + 0.5) / (holding + 0.5))


def _lengths(terms: Counted, size: int) -> "NDArray[np.int64]":
    """How many words each row has in each field, `(size, fields)`."""
    import numpy as np

    lengths = np.zeros(size * len(FIELDS), np.int64)
    for begin in range(0, len(terms.all_rows), _STEP):
        here = slice(begin, begin + _STEP)
        np.add.at(lengths, terms.all_rows[here].astype(np.intp), terms.times[here].astype(np.int64))
    return lengths.reshape(-1, len(FIELDS))


def _term_weights(
    found: Counted, lengths: "NDArray[np.int64]", means: "NDArray[np.float64]"
) -> tuple[Counted, "NDArray[np.float32]"]:
    """The postings of whole entries from those of their fields, and each one's weight.

    They are put in the place of those of the fields: there are hundreds of megabytes of them.
    """
    import numpy as np

    shares = np.array([each.length for each in FIELDS.values()])
    full = np.array([each.weight for each in FIELDS.values()])
    norms = (full / (1 - shares + shares * lengths / np.maximum(means, 1e-9))).ravel()
    rows, weights = found.all_rows, found.times.view(np.float32)
    counts = np.zeros(len(found.words), np.int64)
    done = 0
    # some words at a time: in double precision all of them would take gigabytes
    steps = np.searchsorted(found.starts, np.arange(0, found.starts[-1], _STEP))
    for first, last in pairwise(np.unique([*steps, len(found.words)])):
        here = slice(found.starts[first], found.starts[last])
        in_fields = found.all_rows[here]
        entry = in_fields // len(FIELDS)
        bounds = found.starts[first : last + 1] - found.starts[first]
        # postings of one word and entry stand together
        new = np.ones(len(entry), bool)
        new[1:] = entry[1:] != entry[:-1]
        new[bounds[:-1]] = True
        begins = np.flatnonzero(new)
        frequency = np.add.reduceat(found.times[here] * norms[in_fields], begins)
        counts[first:last] = np.diff(np.searchsorted(begins, bounds))
        these = slice(done, done + len(begins))
        rows[these] = entry[begins]
        weights[these] = frequency / (frequency + K1)
        done += len(begins)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Counted(found.words, starts, rows[:done], np.empty(0, np.uint32)), weights[:done]


def _initials(traits: Counted) -> "NDArray[np.uint8]":
    import numpy as np

    return np.frombuffer("".join(trait[0] for trait in traits.words).encode("ascii"), np.uint8)


def _trait_weights(
    initials: "NDArray[np.uint8]", touched: "NDArray[np.int64]", known: int
) -> "NDArray[np.float64]":
    """The weight of each trait that so many of the entries with files have."""
    import numpy as np

    kinds = np.zeros(128)
    for kind, weight in _TRAITS.items():
        kinds[ord(kind)] = weight
    return kinds[initials] * of_each(touched, lambda holding: _rarity(holding, known))


def trait_weight(trait: str, holding: int, known: int) -> float:
    """The weight of a trait that so many of the entries with files have."""
    return _TRAITS[trait[0]] * _rarity(holding, known)


def _rarity(holding: int, known: int) -> float:
    """0 for what is too common to say anything."""
    return 0.0 if holding > max(MANY, known // 10) else idf(known, holding)
