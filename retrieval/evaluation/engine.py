"""The engine's answers to a dataset's questions, each from what was known when it was asked."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from indexing.build import write_index
from indexing.settings import Settings
from indexing.stores import generations
from indexing.stores.local import LocalStore
from retrieval.evaluation.dataset import Dataset, Question
from retrieval.hit import Hit, Why
from retrieval.segments import split
from retrieval.tiers import SEMANTIC, asked_last, parts
from retrieval.tiers.exact import Exact
from retrieval.tiers.lexical import Lexical
from retrieval.tiers.pattern import Pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.entry import Entry
    from retrieval.tiers.interface import Scored

TIERS = ("exact", "pattern", "lexical")
DEPTH = 100
SHOWN = 3


class Answer(NamedTuple):
    """An entry's id, the tier that found it, its score 0..100, and its points before rounding."""

    id: str
    tier: str
    score: int
    points: float


class Engine:
    """An index of a dataset, to be asked as of the time of each question.

    How rare a word is is counted over all entries, later ones too; which entries may answer, how
    old they are, and whether their files were known, is as it was then.
    """

    def __init__(self, dataset: Dataset, store: LocalStore, without_files: LocalStore | None):
        import numpy as np

        self.store = store
        self._without_files = without_files
        self._ids = [store.entry(row).id for row in range(len(store))]
        self._row = {id: row for row, id in enumerate(self._ids)}
        self._place = dataset.seq
        self._seq: NDArray[np.int64] = np.array([dataset.seq[id] for id in self._ids], np.int64)
        self._files_at = np.array([dataset.files_at.get(id, "") for id in self._ids])

    def answers(
        self,
        question: Question,
        settings: Settings,
        tiers: Sequence[str] = TIERS,
        depth: int = DEPTH,
    ) -> list[Answer]:
        """At most `depth` answers, best first, each entry once."""
        found: dict[str, Answer] = {}
        for tier in (Exact(), Pattern()):
            if tier.name in tiers:
                for hit in tier.search(question.query, self.store, len(self.store)):
                    if len(found) < depth and self._place[hit.entry.id] < question.seq:
                        answer = Answer(hit.entry.id, hit.tier, hit.score, hit.score / 100)
                        found.setdefault(answer.id, answer)
        if {Lexical.name, SEMANTIC} & set(tiers):
            asked = settings._replace(semantic=int(SEMANTIC in tiers))
            for row, score, points in self._lexical(question, asked, depth):
                if len(found) < depth:
                    answer = Answer(self._ids[row], Lexical.name, score, points)
                    found.setdefault(answer.id, answer)
        return list(found.values())

    def points(self, question: Question, settings: Settings) -> "NDArray[np.float64]":
        """Every row's points in the lexical tier, before rounding; the newest row first."""
        [points] = self._scored(question, settings).points.whole()
        return points[: len(self._ids)]

    def rows(self, ids: Collection[str]) -> list[int]:
        """The rows of these entries."""
        return [self._row[id] for id in ids]

    def hits(
        self,
        question: Question,
        settings: Settings,
        limit: int = SHOWN,
        without: Collection[str] = (),
    ) -> list[Hit]:
        """At most `limit` hits of the lexical tier, with their certainty.

        Args:
            question: What is asked.
            settings: The scorer counts here.
            limit: From 1.
            without: Entries that are taken out of the memory.
        """
        if not self._ids:
            return []
        scored = self._scored(question, settings)
        scored.points.leave_out(self.rows(without))
        return Lexical(settings).hits(scored, self.store, limit)

    def _lexical(
        self, question: Question, settings: Settings, depth: int
    ) -> Iterator[tuple[int, int, float]]:
        if not self._ids:
            return
        scored = self._scored(question, settings)
        best = scored.best(depth)
        points = scored.points.of(split(self.store, [row for row, _ in best]))
        for (row, score), its_points in zip(best, points.tolist(), strict=True):
            yield row, score, its_points

    def _scored(self, question: Question, settings: Settings) -> "Scored":
        """The points of all rows as of the time of the question."""
        rows = len(self._ids)
        scored: Scored = asked_last(settings).scored(question.query, self.store, rows)
        if self._without_files is not None:
            unknown = self._files_at > question.query.at
            bare = asked_last(settings).scored(question.query, self._without_files, rows)
            scored = _Partly(scored, bare, unknown)
        scored.points.leave_out(self._seq >= question.seq)
        return scored


class _Partly:
    """The points of `scored`, and those of `bare` for the rows that are `unknown`."""

    def __init__(self, scored: "Scored", bare: "Scored", unknown: "NDArray[np.bool_]") -> None:
        self._scored, self._bare, self._unknown = scored, bare, unknown
        self.points = scored.points
        self.points.take(bare.points, unknown)
        self.best = scored.best

    def whys(self, rows: Sequence[int]) -> list[Why]:
        pairs = zip(rows, self._bare.whys(rows), self._scored.whys(rows), strict=True)
        return [bare if self._unknown[row] else known for row, bare, known in pairs]


@contextmanager
def opened(
    dataset: Dataset,
    settings: Settings,
    on_progress: Callable[[str], None] = lambda stage: None,
    kept: Path | None = None,
) -> Iterator[Engine]:
    """An index of the dataset in a folder of its own, for as long as it is used.

    Args:
        dataset: What is indexed.
        settings: Of the tiers; vectors are there to be compared when they ask for them.
        on_progress: Called with what is done next.
        kept: Where the vectors of texts are kept from one time to the next.
    """
    with TemporaryDirectory(prefix="oncebitten-") as folder:
        on_progress("index")
        store = _indexed(dataset.entries, Path(folder) / "whole", settings, kept)
        without = None
        if dataset.files_at:
            bare = [entry._replace(files=None) for entry in dataset.entries]
            without = _indexed(bare, Path(folder) / "bare", settings, kept)
        yield Engine(dataset, store, without)


def _indexed(
    entries: "Sequence[Entry]", index: Path, settings: Settings, kept: Path | None
) -> LocalStore:
    with generations.alone(index, 0):
        generations.clean(index)
        write_index(entries, index, parts(settings, kept))
    return LocalStore.open(index)
