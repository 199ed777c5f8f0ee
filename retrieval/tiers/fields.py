"""Fields: words weighed by where they stand, files by how rare they are, both by age and size.

The scorer that is taken by default. A score is 100 times the points, a half counts up, 100 at most;
of equal hundredths of a score the newer entry comes first.

    points = (text + files) * recency * size

    text     BM25F (Robertson, Zaragoza, Taylor 2004). A term's frequency in an entry is
             tf = sum over fields of w * n / (1 - b + b * length / mean length), saturated
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

from indexing.entry import Entry
from indexing.settings import Settings
from indexing.signature import Signature
from indexing.typed import TYPE_CHECKING, NamedTuple
from retrieval import tokens
from retrieval.hit import Why
from retrieval.postings import (
    Block,
    Counted,
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
from retrieval.tiers.best import best_rows, no_points
from retrieval.tiers.files import SHOWN, Files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Rows
    from indexing.stores.generations import Buffer

_K1 = 1.2
_K3 = 8.0
_MORE_ROWS = 1000
_PROVEN = 8.0
_FILES = 1.2
_FILES_ALONE = 0.4
_STEPS = 10_000  # of equal hundredths of a score the newer comes first
_LEAST = 50
_MOST_FILES = 1000
_SIZES = 60
_MANY = 1000
_NO_AGE = 0xFFFF
_NO_SIZE = _SIZES + 1


class _Field(NamedTuple):
    """A field's weight in an entry, how much its length counts, and its weight in a query."""

    weight: float
    length: float
    asked: float


_FIELDS = {
    "title": _Field(3.0, 0.5, 3.0),
    "body": _Field(1.0, 0.75, 1.0),
    "labels": _Field(1.0, 0.5, 1.0),
    "root": _Field(2.0, 0.5, 2.0),
    "paths": _Field(1.0, 0.5, 0.5),
}
TITLE, ROOT = 0, 3
TEXTS = 4  # the fields before `paths`
_TRAITS = {"p": 1.0, "b": 0.7, "s": 0.5, "d": 0.3}


def made_with() -> str:
    """All constants that are folded into the files."""
    return repr((_K1, _FIELDS, _TRAITS, _MORE_ROWS, _MOST_FILES, _SIZES, _MANY))


class Gathered:
    """The words and traits of entries as they come, their days and their numbers of files."""

    def __init__(self) -> None:
        self._terms, self._traits = Runs(_terms_of, _path_terms_of), Runs(_traits_of, once=True)
        self._days, self._sizes = array("i"), array("i")

    def add(self, entry: Entry, keys: Sequence[str] | None) -> None:
        """Take in the next entry, but for its words."""
        self._days.append(_day(entry.captured_at))
        self._sizes.append(_NO_SIZE if keys is None else min(len(keys), _SIZES))

    def take(self, texts: Block, keys: Block) -> None:
        """Take in the words of the next entries: a list for each of `texts_of`, and their files."""
        import numpy as np

        entry, field = np.divmod(texts.lists, TEXTS)
        before = np.searchsorted(keys.lists, keys.lists)
        compared = keys.where(np.arange(len(keys.lists)) - before < _MOST_FILES)
        count, size = len(_FIELDS), keys.size * len(_FIELDS)
        self._terms.take(
            texts._replace(lists=entry * count + field, size=size),
            compared._replace(lists=compared.lists * count + TEXTS, size=size),
        )
        self._traits.take(compared)

    def done(self) -> dict[str, bytes]:
        """All that was added, as files by name; nothing is to be added any more."""
        return {
            **self._terms.done("terms"),
            **self._traits.done("traits"),
            "days": self._days.tobytes(),
            "sizes": self._sizes.tobytes(),
        }


def merge(
    gathered: "Sequence[tuple[Mapping[str, Buffer], Rows]]", size: int
) -> "dict[str, memoryview]":
    """Postings of `terms` and of `traits`, each with `weights` (f32), and what the priors take.

    `ages` (u16 a row) are days before the newest entry, `sizes` (u8) numbers of files; the greatest
    of each means unknown. `clock` (i32) is the day of the newest entry, 0 when none has a date;
    `mean` (f64) that of the sizes' logarithms; `known` (i32) counts entries with files.
    """
    import numpy as np

    days = by_row(((files["days"], rows) for files, rows in gathered), size)
    sizes = by_row(((files["sizes"], rows) for files, rows in gathered), size)
    newest = int(days.max(initial=0))
    ages = np.where(days > 0, np.minimum(newest - days, _NO_AGE - 1), _NO_AGE)
    counts = np.bincount(sizes, minlength=_NO_SIZE + 1)[:_NO_SIZE].tolist()
    known = sum(counts[1:])
    logs = math.fsum(count * math.log(1 + files) for files, count in enumerate(counts))
    mean = logs / sum(counts) if any(counts) else 0.0
    in_fields = ((runs_of(files, "terms"), _field_rows(rows)) for files, rows in gathered)
    terms, term_weights = _term_weights(merged(in_fields, size * len(_FIELDS)), size)
    traits = merged(((runs_of(files, "traits"), rows) for files, rows in gathered), size)
    traits, trait_weights = _trait_weights(traits, known)
    return {
        **terms.files("terms"),
        "terms.weights": data_of(term_weights, "<f4"),
        **traits.files("traits"),
        "traits.weights": data_of(trait_weights, "<f4"),
        "ages": data_of(ages, "<u2"),
        "sizes": data_of(sizes, "<u1"),
        "known": data_of(np.array([known]), "<i4"),
        "clock": data_of(np.array([newest]), "<i4"),
        "mean": data_of(np.array([mean]), "<f8"),
    }


def _field_rows(rows: "Rows") -> "Rows":
    """The row of each entry's each field; -1 is left out."""
    import numpy as np

    count = len(_FIELDS)
    return np.where(rows[:, None] < 0, -1, rows[:, None] * count + np.arange(count)).ravel()


def traits_of(keys: Sequence[str] | Mapping[str, str]) -> list[str]:
    """What files are compared by, each once, its kind in front: `d:src`, `b:auth.py`, `s:auth`."""
    return list(
        dict.fromkeys(trait for key in list(keys)[:_MOST_FILES] for trait in _traits_of(key))
    )


def _terms_of(piece: str) -> Iterator[str]:
    return map(tokens.stem, tokens.words(piece))


def _path_terms_of(key: str) -> Iterator[str]:
    return map(tokens.stem, tokens.path_words(key))


def _traits_of(key: str) -> Iterator[str]:
    folders, _, base = key.rpartition("/")
    yield f"p:{key}"
    yield f"b:{base}"
    yield f"s:{base.partition('.')[0].lower() or base.lower()}"
    while folders:
        yield f"d:{folders}"
        folders = folders.rpartition("/")[0]


def root_of(signature: Signature) -> str:
    """The root line and those that belong to it."""
    return "\n".join((signature.raw, *signature.joined))


class Fields:
    """Every row's points for one query.

    Args:
        query: What is asked.
        files: The files that `build` made.
        rows: So many of the newest rows are looked at.
        total: So many rows there are.
        settings: The three priors count here.
    """

    def __init__(
        self,
        query: Query,
        files: Mapping[str, memoryview],
        rows: int,
        total: int,
        settings: Settings,
    ) -> None:
        self._files = Files(query, files, rows)
        self._terms = _Family(files, "terms")
        self._traits = _Family(files, "traits")
        self._spelt: dict[str, str] = {}
        self._files_weigh = _FILES_ALONE
        self._asked_terms = self._weighed_terms(query, total)
        self._asked_traits = self._weighed_traits(query, files)
        self._prior = _Prior(query, files, rows, settings)
        self.points = no_points(rows)
        self._terms.add(self._asked_terms, self.points, rows)
        self._traits.add(self._asked_traits or (), self.points, rows, self._files_weigh)
        self.points[:rows] *= self._prior.factors

    def best(self, limit: int) -> list[tuple[int, int]]:
        """At most `limit` rows and their scores, best first; none below 1."""
        best = best_rows(self.points, limit, _STEPS, _LEAST)
        return [(row, min(100, (grade + 50) // 100)) for row, grade in best]

    def why(self, row: int) -> Why:
        """What speaks for `row`; the words that add most come first."""
        gained = self._terms.gains(self._asked_terms, row)
        best = sorted(gained, key=lambda each: (-each[1], each[0]))
        words = [self._spelt[term] for term, _ in best if term in self._spelt]
        known = self._asked_traits is not None and self._prior.sizes[row] != _NO_SIZE
        shared = self._traits.gains(self._asked_traits or (), row)
        return Why(
            jaccard=self._files.jaccard(row),
            words=tuple(words[:SHOWN]),
            files=self._files.shared_with(row)[:SHOWN],
            text=_six(sum(gain for _, gain in gained)) if self._asked_terms else None,
            paths=_six(self._files_weigh * sum(gain for _, gain in shared)) if known else None,
            prior=_six(float(self._prior.factors[row])),
        )

    def prior(self, rows: "NDArray[np.int64]") -> "NDArray[np.float64]":
        """The factor for age and size of each of `rows`."""
        found: NDArray[np.float64] = self._prior.factors[rows]
        return found

    def _weighed_terms(self, query: Query, total: int) -> "list[_Asked]":
        """The terms that the index knows, with weights that give the query's own text 1."""
        asked: dict[str, float] = {}
        own: dict[str, float] = {}
        for (name, field), words in zip(_FIELDS.items(), _words(query), strict=True):
            for word in words:
                term = tokens.stem(word)
                if name != "paths":
                    self._spelt.setdefault(term, word)
                asked[term] = asked.get(term, 0.0) + field.asked
                own[term] = own.get(term, 0.0) + field.weight
        weighed = []
        whole = 0.0
        for term in sorted(asked):  # so that sums do not hang on the order of the text
            number = self._terms.find(term)
            holding = 0 if number is None else self._terms.holding(number)
            if term not in self._spelt and holding > max(_MANY, total // 20):
                continue  # a folder's name, which the traits compare as well
            weight = asked[term] * (_K3 + 1) / (asked[term] + _K3)
            rarity = idf(total, holding)
            whole += weight * rarity * own[term] / (own[term] + _K1)
            if number is not None:
                weighed.append(_Asked(term, number, weight))
        if not asked:
            return []
        rarest = idf(total, 0)
        whole += _PROVEN * rarest
        self._files_weigh = _FILES * rarest / whole
        return [each._replace(weight=each.weight / whole) for each in weighed]

    def _weighed_traits(
        self, query: Query, files: Mapping[str, memoryview]
    ) -> "list[_Asked] | None":
        """The traits that the index knows, in a vector of length 1; None: no files are known."""
        keys = tokens.file_keys(query.files)
        if keys is None:
            return None
        with_files = int(numbers(files["known"], "<i4", 0, 1)[0])
        weighed = []
        whole = 0.0
        for trait in sorted(traits_of(keys)):
            number = self._traits.find(trait)
            holding = 0 if number is None else self._traits.holding(number)
            if number is not None and not holding:
                continue  # too common to say anything
            weight = _TRAITS[trait[0]] * idf(with_files, holding)
            whole += weight * weight
            if number is not None:
                weighed.append(_Asked(trait, number, weight))
        return [each._replace(weight=each.weight / math.sqrt(whole)) for each in weighed]


class _Asked(NamedTuple):
    """A word of the query that the index knows: its number there, and its weight."""

    word: str
    number: int
    weight: float


class _Family:
    """Postings with a weight each."""

    def __init__(self, files: Mapping[str, memoryview], family: str) -> None:
        self._postings = Postings(files, family)
        self._weights = files[f"{family}.weights"]

    def find(self, word: str) -> int | None:
        """The word's number; None when the index does not know it."""
        return self._postings.find(word)

    def holding(self, number: int) -> int:
        """How many rows hold the word."""
        begin, end = self._postings.span(number)
        return end - begin

    def add(
        self, asked: Sequence[_Asked], points: "NDArray[np.float64]", rows: int, share: float = 1.0
    ) -> None:
        """Add what each row gains to its points."""
        import numpy as np

        for _, number, weight in asked:
            holding = self._postings.rows(number)
            inside = first_from(holding, rows)
            weights = numbers(self._weights, "<f4", *self._postings.span(number))[:inside]
            gained = np.multiply(weights, share * weight, dtype=np.float64)
            np.add.at(points, holding[:inside].astype(np.intp), gained)

    def gains(self, asked: Sequence[_Asked], row: int) -> list[tuple[str, float]]:
        """The words that `row` holds, and what it gains by each."""
        found = []
        for word, number, weight in asked:
            place = self._postings.place(number, row)
            if place is not None:
                weights = numbers(self._weights, "<f4", *self._postings.span(number))
                found.append((word, weight * float(weights[place])))
        return found


class _Prior:
    """What speaks for each row whatever is asked: how new it is, and how large."""

    def __init__(
        self, query: Query, files: Mapping[str, memoryview], rows: int, settings: Settings
    ) -> None:
        import numpy as np

        self.sizes = numbers(files["sizes"], "<u1", 0, rows)
        ages = numbers(files["ages"], "<u2", 0, rows)
        day, newest = _day(query.at), int(numbers(files["clock"], "<i4", 0, 1)[0])
        later = day - newest if day and newest else 0
        oldest = int(ages.max(initial=0, where=ages != _NO_AGE))
        most = 1 << max(0, oldest + later).bit_length()  # few sizes, so that tables are kept
        by_age = _recencies(settings.prior_recency, settings.prior_fresh, most)
        recency = np.ones(_NO_AGE + 1)
        recency[: oldest + 1] = by_age[np.maximum(0, np.arange(oldest + 1) + later)]
        mean = float(numbers(files["mean"], "<f8", 0, 1)[0])
        # not `take`, which is ten times as slow for small integers
        self.factors = recency[ages]
        self.factors *= _by_size(settings.prior_size, mean)[self.sizes]


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


def _words(it: Entry | Query) -> Iterator[list[str]]:
    """The words of each field, in the order of `_FIELDS`."""
    yield from map(tokens.words, texts_of(it))
    keys = list(tokens.file_keys(it.files) or ())[:_MOST_FILES]
    yield [word for key in keys for word in tokens.path_words(key)]


def texts_of(it: Entry | Query) -> tuple[str, str, str, str]:
    """The fields that are text, in the order of `_FIELDS`."""
    root = "" if it.signature is None else root_of(it.signature)
    return it.title, it.body, "\n".join(it.labels), root


def _day(time: str) -> int:
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


def _term_weights(found: Counted, rows: int) -> tuple[Counted, "NDArray[np.float64]"]:
    """The postings of whole entries from those of their fields, and each one's weight."""
    import numpy as np

    entry, field = np.divmod(found.row, len(_FIELDS))
    lengths = np.bincount(found.row, found.times, minlength=rows * len(_FIELDS))
    lengths = lengths.reshape(-1, len(_FIELDS))
    means = lengths.sum(axis=0) / np.maximum(1, (lengths > 0).sum(axis=0))
    shares = np.array([each.length for each in _FIELDS.values()])
    full = np.array([each.weight for each in _FIELDS.values()])
    norms = full / (1 - shares + shares * lengths / np.maximum(means, 1e-9))
    # postings of one word and entry stand together
    words = np.repeat(np.arange(len(found.words)), np.diff(found.starts))
    new = np.ones(len(entry), bool)
    new[1:] = (np.diff(entry) != 0) | (np.diff(words) != 0)
    begins = np.flatnonzero(new)
    if len(begins):
        frequency = np.add.reduceat(found.times * norms[entry, field], begins)
    else:
        frequency = np.zeros(0)
    word = words[begins]
    starts = np.searchsorted(word, np.arange(len(found.words) + 1))
    whole = Counted(found.words, starts, entry[begins], np.ones(len(begins), np.uint32))
    weights = frequency / (frequency + _K1) * of_each(np.diff(starts), partial(idf, rows))[word]
    return whole, weights


def _trait_weights(found: Counted, rows: int) -> tuple[Counted, "NDArray[np.float64]"]:
    """The postings without those that are too common, and weights in vectors of length 1."""
    import numpy as np

    holding = np.diff(found.starts)
    words = np.repeat(np.arange(len(found.words)), holding)
    kept = (holding <= max(_MANY, rows // 10))[words]
    word, row = words[kept], found.row[kept]
    starts = np.searchsorted(word, np.arange(len(found.words) + 1))
    kinds = np.array([_TRAITS[trait[0]] for trait in found.words])
    weights = (kinds * of_each(holding, partial(idf, rows)))[word]
    lengths = np.sqrt(np.bincount(row, weights * weights))
    return Counted(found.words, starts, row, found.times[kept]), weights / lengths[row]
