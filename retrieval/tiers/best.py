"""Points of rows, and the best of all, found exactly and without looking at them all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from indexing.typed import TYPE_CHECKING, Any, NamedTuple
from retrieval.segments import Asked, Split, dead_of, in_families

if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from indexing.stores.interface import Store
    from retrieval.segments import Real

    Number = TypeVar("Number", float, NDArray[np.float64])

# Weights are kept as float32. A half that they miss by less than this still counts up, so that
# scores do not hang on the last bit.
HALF = 0.5 + 1e-5
_COMMON = 1 << 11  # so many rows hold a word before it pays to look for a few of them
_NEAR = 0.6  # of what the best have: with more put off too many rows could be among them
_SOUGHT = 4  # postings are added in the time in which one is looked for
_MANY = 512  # rows of which it pays to see which are left before more is done with them
_SEEDS = 1 << 9  # postings of the rarest words: their best rows tell how good the best of all are
_FEW = 1 << 5  # rows that gain the most besides
_STRETCHES = 16  # of many rows, for each that is sought: the best of each is looked at
_AT_HAND = 1 << 17  # rows, whose points stay in the cache of a core while words are added


class Words(NamedTuple):
    """Words of a query, the rarer first, and by how much some of them raise a row's points."""

    asked: Sequence[Asked]
    most_of: Callable[[Sequence[Asked]], float]

    def parted(self, at: int) -> "tuple[Words, Words]":
        """So many of the rarer words, and the others."""
        return self._replace(asked=self.asked[:at]), self._replace(asked=self.asked[at:])

    def split(self, most: float) -> "tuple[Words, Words]":
        """The words to be added to all rows, and those to be looked for in a few.

        The others are common, and raise no row's points by more than `most`.
        """
        rare = sum(each.found.holding <= _COMMON for each in self.asked)
        at = len(self.asked)
        while at > rare and self.parted(at - 1)[1].most() <= most:
            at -= 1
        return self.parted(at)

    def most(self) -> float:
        """By how much they raise a row's points at most."""
        # a millionth for what is kept as float32
        return (1 + 1e-6) * self.most_of(self.asked) if self.asked else 0.0

    @property
    def holding(self) -> int:
        """How many postings they have."""
        return sum(each.found.holding for each in self.asked)

    def gained(self, segment: int, rows: "NDArray[np.intp]") -> "NDArray[np.float64]":
        """What each word gives to rows of a segment before it is multiplied, `(words, rows)`."""
        import numpy as np

        held = [
            family.held_in(segment, [each.found for each in words], rows)
            for family, words in in_families(self.asked)
        ]
        gained = np.concatenate([np.zeros((0, len(rows))), *held])
        gained *= np.array([each.weight for each in self.asked])[:, None]
        return gained


class Factors(NamedTuple):
    """What the points of each row of a segment are multiplied with, precisely and roughly."""

    precise: "NDArray[np.float64]"
    rough: "NDArray[np.float32]"
    greatest: float

    @staticmethod
    def of(rows: "NDArray[np.float64]") -> "Factors":
        """For these rows."""
        import numpy as np

        return Factors(rows, rows.astype(np.float32), float(rows.max(initial=0)))


class Some(NamedTuple):
    """Rows of a segment, ascending, each once, and a number of points for each."""

    rows: "NDArray[np.intp]"
    points: "NDArray[np.float64]"

    @staticmethod
    def none() -> "Some":
        """No row."""
        import numpy as np

        return Some(np.empty(0, np.intp), np.empty(0))

    def which(self, these: "NDArray[np.bool_] | NDArray[np.intp]") -> "Some":
        """Some of them."""
        return Some(self.rows[these], self.points[these])

    def most(self, limit: int) -> "Some":
        """At most `limit` of them, those with the most points."""
        import numpy as np

        if len(self.rows) <= limit:
            return self
        return self.which(np.sort(self.points.argpartition(-limit)[-limit:]))

    def likely(self, limit: int) -> "Some":
        """As `most`, sooner: of many, some with fewer points may be among them."""
        import numpy as np

        stretch = len(self.rows) // (_STRETCHES * limit)
        if stretch < 2:
            return self.most(limit)
        stretches = self.points[: _STRETCHES * limit * stretch].reshape(-1, stretch)
        firsts = np.arange(0, stretches.size, stretch)
        return self.which(firsts + stretches.argmax(axis=1)).most(limit)

    def of(self, rows: "NDArray[np.intp]") -> "NDArray[np.float64]":
        """The points of these rows; 0 where they are none of them."""
        import numpy as np

        if not len(self.rows):
            return np.zeros(len(rows))
        at = np.minimum(self.rows.searchsorted(rows), len(self.rows) - 1)
        return np.where(self.rows[at] == rows, self.points[at], 0.0)


class Points:
    """The points of the newest rows of a store: what words give, times a factor, and what else.

    Nothing is added up before it is asked for.

    Args:
        store: The rows.
        rows: So many of the newest are looked at.
        words: Those of the query.
        factors: What the words give is multiplied with, for each row of each segment.
        further: What rows of each segment gain besides; it is not multiplied.
    """

    def __init__(
        self,
        store: "Store",
        rows: int,
        words: Words,
        factors: Sequence[Factors],
        further: Sequence[Some] = (),
    ) -> None:
        self._store = store
        self._counts = store.before(rows)
        asked = sorted(words.asked, key=lambda each: each.found.holding)
        self._words = words._replace(asked=asked)
        self._factors = factors
        self._further = list(further) or [Some.none()] * len(self._counts)
        self._negative = 0.0  # no row gains less than the negative of this besides
        self._whole: list[NDArray[np.float64]] | None = None
        self._best_gains: dict[int, tuple[NDArray[np.intp], NDArray[np.float64]]] = {}

    def of(self, rows: Split) -> "NDArray[np.float64]":
        """The points of these rows."""
        import numpy as np

        points = np.zeros(sum(len(which) for which, _ in rows))
        for segment, (which, places) in enumerate(rows):
            points[which] = self._of(segment, places.astype(np.intp))
        return points

    def _of(self, segment: int, rows: "NDArray[np.intp]") -> "NDArray[np.float64]":
        import numpy as np

        if self._whole is not None:
            return self._whole[segment][rows]
        points = np.zeros(len(rows))
        for gained in self._gains(segment, rows):
            points += gained
        return points * self._factors[segment].precise[rows] + self._further[segment].of(rows)

    def gains(self, rows: Split) -> "tuple[Sequence[Asked], NDArray[np.float64]]":
        """The words, and what each gives to each of the rows before it is multiplied."""
        import numpy as np

        asked = self._words.asked
        gains = np.zeros((len(asked), sum(len(which) for which, _ in rows)))
        for segment, (which, places) in enumerate(rows):
            gains[:, which] = self._gains(segment, places.astype(np.intp))
        return asked, gains

    def _gains(self, segment: int, rows: "NDArray[np.intp]") -> "NDArray[np.float64]":
        """What each word gives to each of the rows; that of the best is not looked for again."""
        import numpy as np

        best, known = self._best_gains.get(segment, (rows[:0], None))
        if known is not None and len(best):
            at = np.minimum(best.searchsorted(rows), len(best) - 1)
            if (best[at] == rows).all():
                return known[:, at]
        return self._words.gained(segment, rows)

    def add(self, rows: Split, gained: "NDArray[np.float64]") -> None:
        """Add to the points of these rows; none is named twice."""
        import numpy as np

        for segment, (which, places) in enumerate(rows):
            if self._whole is not None:
                self._whole[segment][places] += gained[which]
                continue
            before = self._further[segment]
            both = np.concatenate([before.rows, places.astype(np.intp)])
            union, at = np.unique(both, return_inverse=True)
            points = np.zeros(len(union))
            np.add.at(points, at, np.concatenate([before.points, gained[which]]))
            self._further[segment] = Some(union, points)
            self._negative = max(self._negative, -float(points.min(initial=0)))

    def whole(self) -> "list[NDArray[np.float64]]":
        """The points of each segment's rows."""
        import numpy as np

        if self._whole is None:
            whole = [np.zeros(count) for count in self._counts]
            for segment, points in enumerate(whole):
                for begin, some in self._added(segment, self._words, np.float64):
                    points[begin : begin + len(some)] = some
                dead = dead_of(self._store.segments[segment])
                points[dead[: dead.searchsorted(len(points))]] = 0
            self._whole = whole
        return self._whole

    def leave_out(self, rows: "NDArray[np.bool_] | Sequence[int]") -> None:
        """Take their points from some rows of a store that is one segment."""
        [points] = self.whole()
        points[rows] = 0

    def take(self, other: "Points", rows: "NDArray[np.bool_]") -> None:
        """Give some rows the points that they have in another store; both are one segment."""
        [points], [theirs] = self.whole(), other.whole()
        points[rows] = theirs[rows]

    def best(self, limit: int, steps: int = 100, least: int = 1) -> list[tuple[int, int]]:
        """The best rows and their grades, best first; of equal grades the smaller row.

        Args:
            limit: So many rows at most, from 1.
            steps: A grade is so many times the points, a half counts up.
            least: Rows of a lower grade are left out, from 1.
        """
        found: list[tuple[int, int]] = []
        for segment, count in enumerate(self._counts):
            if count:
                bar = _Bar(limit, steps, least)
                for place, grade in self._best_of(segment, bar):
                    row = self._store.row(segment, place)
                    assert row is not None  # the dead have no points
                    found.append((-grade, row))
                found = sorted(found)[:limit]
                if len(found) == limit:
                    least = max(least, -found[-1][0])
        return [(row, -grade) for grade, row in found]

    def _best_of(self, segment: int, bar: "_Bar") -> list[tuple[int, int]]:
        """As `best`, of one segment.

        Exact (MaxScore; Turtle and Flood 1995). A few rows that hold the rarest words tell how good
        the best are at least. With that known, the common words need not be added to all rows: they
        are looked for in those rows alone that can reach the bar with them. Points are added up
        roughly, as float32; those of rows that can be among the best are then taken precisely.
        """
        added, rest = self._words.parted(len(self._words.asked))
        if self._whole is None:
            seeds, others = self._seeds(segment)
            self._raise(bar, segment, seeds, others)
            added, rest = self._words.split(_NEAR * bar.points)
        some = self._reaching(segment, added, self._needed(bar, rest))
        if len(some.rows) > _MANY:
            self._raise(bar, segment, some, rest)
            some = some.which(some.points >= self._needed(bar, rest))
        if _SOUGHT * len(some.rows) * len(rest.asked) > rest.holding:
            added, rest = self._words.parted(len(self._words.asked))
            some = self._reaching(segment, added, self._needed(bar, rest))
        some = self._completed(segment, some, rest, bar)
        self._best_gains[segment] = (some.rows, self._gains(segment, some.rows))
        return bar.best(Some(some.rows, self._of(segment, some.rows)))

    def _needed(self, bar: "_Bar", rest: Words) -> float:
        """The points that a row that can reach the bar has at least as they are added up."""
        return self._less_what_is_lost(bar.points - rest.most())

    def _less_what_is_lost(self, points: "Number") -> "Number":
        """The fewest points that can come out roughly where these are right, or the reverse.

        A gain is rounded three times, a sum for each word once, and four times what comes after:
        each takes half of the last of 24 bits at most, of the positive part of the points. That is
        at most `points` and what is taken from it. The double of all that is allowed for.
        """
        lost = (len(self._words.asked) + 8) * 2.0**-23
        return points - lost * (points + 2 * self._negative)

    def _seeds(self, segment: int) -> "tuple[Some, Words]":
        """Rows with the rarest words or the most besides, and their points; and the other words."""
        import numpy as np

        spans = (each.found.spans[segment] for each in self._words.asked)
        enough = np.cumsum([end - begin for begin, end in spans]).searchsorted(_SEEDS)
        first, others = self._words.parted(int(enough) + 1)
        further = self._further[segment]
        most = further.likely(_FEW)
        places, gained = [most.rows], [np.zeros(len(most.rows))]
        for family, words in in_families(first.asked):
            begins, ends = family.cuts(words, segment, [0, self._counts[segment]])
            ends = [min(end, begin + _SEEDS) for begin, end in zip(begins, ends, strict=True)]
            its, points = family.gains(words, segment, begins, ends, np.float64)
            places.append(its)
            gained.append(points)
        rows, at = np.unique(np.concatenate(places), return_inverse=True)
        sums = np.zeros(len(rows))
        np.add.at(sums, at, np.concatenate(gained))
        points = sums * self._factors[segment].precise[rows] + further.of(rows)
        return self._alive(segment, Some(rows, points)), others

    def _raise(self, bar: "_Bar", segment: int, some: Some, rest: Words) -> None:
        """Raise the bar to what so many rows reach as are to be found."""
        if len(some.rows) >= bar.limit:
            likely = self._with(segment, some.likely(bar.limit), rest)
            surely = self._less_what_is_lost(likely.points)
            bar.least = max(bar.least, int(bar.grades(surely).min()))

    def _with(self, segment: int, some: Some, words: Words) -> Some:
        """The rows with what these words give."""
        if not words.asked:
            return some
        gained = words.gained(segment, some.rows).sum(axis=0)
        return Some(some.rows, some.points + gained * self._factors[segment].precise[some.rows])

    def _completed(self, segment: int, some: Some, rest: Words, bar: "_Bar") -> Some:
        """Those of the rows that reach the bar with the other words."""
        while rest.asked:
            added, rest = rest.parted(1 if len(some.rows) > _MANY else len(rest.asked))
            some = self._with(segment, some, added)
            some = some.which(some.points >= self._needed(bar, rest))
        self._raise(bar, segment, some, rest)
        return some.which(some.points >= self._needed(bar, rest))

    def _reaching(self, segment: int, words: Words, needed: float) -> Some:
        """The rows that have as many points as needed with these words."""
        import numpy as np

        parts: Iterable[tuple[int, NDArray[np.floating[Any]]]]
        if self._whole is None:
            parts = self._added(segment, words, np.float32)
        else:
            parts = [(0, self._whole[segment])]
        rows, points = [], []
        for begin, some in parts:
            at = np.flatnonzero(some >= some.dtype.type(needed))
            rows.append(begin + at)
            points.append(some[at])
        found = Some(np.concatenate(rows), np.concatenate(points, dtype=np.float64))
        return self._alive(segment, found)

    def _added(
        self, segment: int, words: Words, kind: "type[Real]"
    ) -> "Iterator[tuple[int, NDArray[Real]]]":
        """The points of all rows with these words: where some begin, and theirs.

        They are so many as the processor keeps at hand. The array is used again for the next.
        """
        import numpy as np

        count: int = self._counts[segment]
        of_segment = self._factors[segment]
        factors = of_segment.rough if kind is np.float32 else of_segment.precise
        rows, further = self._further[segment]
        gained_further = further.astype(kind)
        bounds = [*range(0, count, _AT_HAND), count]
        by_family = [
            (family, asked, family.cuts(asked, segment, bounds))
            for family, asked in in_families(words.asked)
        ]
        room = np.empty(min(count, _AT_HAND), kind)
        for at, (begin, end) in enumerate(pairwise(bounds)):
            points = room[: end - begin]
            points.fill(0)
            for family, asked, cuts in by_family:
                holding, gained = family.gains(asked, segment, cuts[at], cuts[at + 1], kind)
                holding -= begin
                np.add.at(points, holding, gained)
            points *= factors[begin:end]
            these = slice(*rows.searchsorted((begin, end)))
            points[rows[these] - begin] += gained_further[these]
            yield begin, points

    def _alive(self, segment: int, some: Some) -> Some:
        """The rows that are not dead."""
        dead = dead_of(self._store.segments[segment])
        if not len(dead):
            return some
        at = dead.searchsorted(some.rows.astype(dead.dtype))
        return some.which(dead.take(at, mode="clip") != some.rows)


class _Bar:
    """What the best rows of a segment have at least, as far as it is known.

    Args:
        limit: So many rows are looked for.
        steps: A grade is so many times the points.
        least: The lowest grade that counts.
    """

    def __init__(self, limit: int, steps: int, least: int) -> None:
        self.limit = limit
        self.least = least
        self._steps = steps

    @property
    def points(self) -> float:
        """The points that a row needs at least."""
        # the millionth is for what is lost in rounding
        return (1 - 1e-6) * (self.least - HALF) / self._steps

    def grades(self, points: "NDArray[np.float64]") -> "NDArray[np.int64]":
        import numpy as np

        return np.floor(self._steps * points + HALF).astype(np.int64)

    def best(self, some: Some) -> list[tuple[int, int]]:
        """The best of the rows, with their grades; of equal ones the smaller row is the better."""
        import numpy as np

        grades = self.grades(some.points)
        reach = np.flatnonzero(grades >= self.least)
        best = reach[_first(grades[reach], self.limit)]
        return list(zip(some.rows[best].tolist(), grades[best].tolist(), strict=True))


def _first(grades: "NDArray[np.int64]", limit: int) -> "NDArray[np.intp]":
    """Which are the greatest, in that order; of equal ones the first."""
    import numpy as np

    kept = np.arange(len(grades))
    if len(grades) > limit:
        bar = np.partition(grades, -limit)[-limit]
        # rows at the bar itself may be many; the smallest of them win
        level = np.flatnonzero(grades == bar)[:limit]
        kept = np.concatenate([np.flatnonzero(grades > bar), level])
    return kept[np.lexsort((kept, -grades[kept]))][:limit]
