"""The engine's answers to a dataset's questions, each from what was known when it was asked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from indexing.build import write_index
from indexing.settings import Settings
from indexing.stores import generations
from indexing.stores.local import LocalStore
from retrieval.evaluation.dataset import Dataset, Question
from retrieval.segments import split
from retrieval.tiers.exact import Exact
from retrieval.tiers.lexical import Lexical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexing.entry import Entry

TIERS = ("exact", "lexical")
DEPTH = 100


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
        if "exact" in tiers:
            for hit in Exact().search(question.query, self.store, len(self.store)):
                if len(found) < depth and self._place[hit.entry.id] < question.seq:
                    found[hit.entry.id] = Answer(hit.entry.id, hit.tier, hit.score, hit.score / 100)
        if "lexical" in tiers:
            for row, score, points in self._lexical(question, settings, depth):
                if len(found) < depth:
                    answer = Answer(self._ids[row], Lexical.name, score, points)
                    found.setdefault(answer.id, answer)
        return list(found.values())

    def _lexical(
        self, question: Question, settings: Settings, depth: int
    ) -> Iterator[tuple[int, int, float]]:
        rows = len(self.store)
        if not rows:
            return
        scored = Lexical(settings).scored(question.query, self.store, rows)
        if self._without_files is not None:
            unknown = self._files_at > question.query.at
            bare = Lexical(settings).scored(question.query, self._without_files, rows)
            scored.points.take(bare.points, unknown)
        scored.points.leave_out(self._seq >= question.seq)
        best = scored.best(depth)
        points = scored.points.of(split(self.store, [row for row, _ in best]))
        for (row, score), its_points in zip(best, points.tolist(), strict=True):
            yield row, score, its_points


@contextmanager
def opened(
    dataset: Dataset, settings: Settings, on_progress: Callable[[str], None] = lambda stage: None
) -> Iterator[Engine]:
    """An index of the dataset in a folder of its own, for as long as it is used."""
    with TemporaryDirectory(prefix="oncebitten-") as folder:
        on_progress("index")
        store = _indexed(dataset.entries, Path(folder) / "whole", settings)
        without = None
        if dataset.files_at:
            bare = [entry._replace(files=None) for entry in dataset.entries]
            without = _indexed(bare, Path(folder) / "bare", settings)
        yield Engine(dataset, store, without)


def _indexed(entries: "Sequence[Entry]", index: Path, settings: Settings) -> LocalStore:
    from retrieval.tiers import tiers

    with generations.alone(index, 0):
        generations.clean(index)
        write_index(entries, index, tiers(settings))
    return LocalStore.open(index)
