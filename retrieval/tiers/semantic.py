"""Semantic: what says the same in other words, by vectors of a model.

It takes in the lexical tier. The best 100 entries of that and those of the 100 nearest texts are
scored by both; all others keep the points of their words and files.

    points = lexical + 0.3 * cosine * prior * (1 - lexical)

    cosine   of the vectors of both texts, 0 where it is negative
    prior    the lexical tier's factor for age and size

so that points stay below 1, and what words and files are sure of is hardly overtaken. What these
alone would not show gains nothing below a cosine of 0.4: texts that have nothing to do with each
other have up to 0.3.

Where the question's files are known, vectors count only when words and files find nothing to be
shown: elsewhere they mislead (in `dpdk` they cost .05 of R@3).

Entries that came since the last full build have no vectors yet; they rank by words and files.

The weight was chosen on the older questions of `hadoop` and `curl`, where 0.2 to 0.4 are alike. R@3
of the newer ones, by words and files, with vectors of all-MiniLM-L6-v2 too, and the interval of the
difference:

    hadoop                   .621   .653   +.010 to +.054
    curl, without files      .493   .509   -.003 to +.036
    gitbugs-hadoop           .758   .864   +.045 to +.182
    gitbugs-seamonkey        .804   .870    .000 to +.152
    dpdk, without files      .356   .346   -.043 to +.020   (a fifth of the questions)
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.build import Progress
from indexing.entry import Entry
from indexing.errors import NoVectors, StaleRecipe
from indexing.recipe import refuse_other, today
from indexing.settings import Settings
from retrieval.encoder import Model, encoder_of, in_batches, model_of
from retrieval.hit import Hit, Why
from retrieval.postings import data_of
from retrieval.query import Query
from retrieval.segments import split
from retrieval.tiers import SEMANTIC
from retrieval.tiers.best import HALF
from retrieval.tiers.lexical import Last, Lexical, text_of
from retrieval.vectors import KEY, Kept, Vectors, graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.build import Gathered, Rows
    from indexing.recipe import MadeWith
    from indexing.stores.generations import Buffer
    from indexing.stores.interface import Store
    from retrieval.tiers.interface import ByWords

REBUILD_WITH = "run `mem index rebuild --semantic`"
_BASE = 0  # the segment that has vectors
_DEPTH = 100
_WEIGHT = 0.3
_NEAR = 0.4


class Semantic:
    """Entries that say the same in these words or in others.

    Args:
        settings: Those of the lexical tier, and the model.
        kept: Where the vectors of texts lie that were encoded before; None: nowhere.
        on_progress: Called with every batch of texts that is encoded.
    """

    name = SEMANTIC
    sure = False

    def __init__(
        self,
        settings: Settings,
        kept: Path | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._settings = settings
        self._lexical = Lexical(settings)
        self._last = Last()
        self._kept = kept
        self._tell = on_progress or (lambda progress: None)

    def __reduce__(self) -> "tuple[type[Semantic], tuple[Settings]]":
        """What a process needs that only reads memory files."""
        return Semantic, (self._settings,)

    def made_with(self) -> "MadeWith":
        """The model, and how its vectors are looked through."""
        return self._made_with(self._model)

    def _made_with(self, model: Model) -> "MadeWith":
        return {**model.made_with(), "look": self._settings.semantic_vectors}

    @property
    def _model(self) -> Model:
        return model_of(self._settings, may_download=self._kept is not None)

    def gather(self) -> "_Keys":
        """The checksums of texts."""
        return _Keys()

    def merge(self, gathered: "Gathered", entries: Sequence[Entry]) -> "Mapping[str, Buffer]":
        """`vectors` (f32) of every text once, `numbers` (u32 a row), and `graph` of many."""
        import numpy as np

        by_row = np.zeros((len(entries), KEY), np.uint8)
        for files, rows in gathered:
            keys = np.frombuffer(files["keys"], np.uint8).reshape(-1, KEY)
            by_row[rows[rows >= 0]] = keys[rows >= 0]
        whole = by_row.view(f"V{KEY}").ravel()
        texts, first, numbers = np.unique(whole, return_index=True, return_inverse=True)
        vectors = self._encoded([key.tobytes() for key in texts], first.tolist(), entries)
        return {
            "vectors": data_of(vectors, "<f4"),
            "numbers": data_of(numbers, "<u4"),
            "graph": graph(vectors, self._settings.semantic_vectors),
        }

    def extend(
        self,
        base: "Mapping[str, Buffer]",
        gone: "Gathered",
        added: "Gathered",
        dead: "Rows",
        size: int,
    ) -> "Mapping[str, Buffer]":
        """No file: what came since the last full build is encoded by the next."""
        return {}

    def _encoded(
        self, keys: Sequence[bytes], rows: Sequence[int], entries: Sequence[Entry]
    ) -> "NDArray[np.float32]":
        """The vector of each text, of which a key and a row are given."""
        import numpy as np

        model = self._model
        kept = Kept(self._kept, _digest(model.made_with()), model.dimension)
        vectors = np.zeros((len(keys), model.dimension), np.float32)
        missing = []
        for at, key in enumerate(keys):
            known = kept.find(key)
            if known is None:
                missing.append(at)
            else:
                vectors[at] = known
        texts = [text_of(entries[rows[at]]) for at in missing]
        done = 0
        for batch in in_batches(texts):
            places = [missing[at] for at in batch]
            encoder = encoder_of(model, self._settings.semantic_device)
            vectors[places] = encoder.encode([texts[at] for at in batch])
            kept.add([keys[at] for at in places], vectors[places])
            done += len(batch)
            self._tell(Progress(self.name, done, len(missing)))
        kept.tidy(keys, vectors)
        return vectors

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits; `lexical` are those that would be shown without vectors too.

        Raises:
            NoVectors: The index holds none.
            StaleRecipe: Its vectors are of another model.
            MissingExtra: What encodes the query is not installed.
        """
        rows = self._lexical.rows_of(store)
        if not rows or limit < 1:
            return []
        scored: _Joined = self._last.of(query, store, lambda: self.scored(query, store, rows))
        hits = self._lexical.hits(scored, store, limit)
        return [
            hit._replace(tier=self.name) if row in scored.hidden else hit
            for hit, (row, _) in zip(hits, scored.best(limit), strict=True)
        ]

    def scored(self, query: Query, store: "Store", rows: int) -> "_Joined":
        """The points of the newest `rows` rows; errors are those of `search`."""
        import numpy as np

        refuse_other(store.recipe, today((self._lexical,)), "the index")
        model = self._model
        _refuse_other(store.recipe.parts.get(self.name), self._made_with(model))
        scored = self._lexical.scored(query, store, rows)
        best = scored.best(_DEPTH)
        if query.files is not None and best and best[0][1] >= self._floor:
            return _Joined(scored, store, [], np.empty(0), self._floor)
        vectors = _vectors_of(store, model.dimension)
        encoder = encoder_of(model, self._settings.semantic_device)
        [vector] = encoder.encode([text_of(query)])
        near = (store.row(_BASE, place) for place in vectors.nearest(vector, _DEPTH).tolist())
        both = {row for row in near if row is not None and row < rows}
        both.update(row for row, _ in best if store.place(row)[0] == _BASE)
        compared = sorted(both)
        places = np.array([store.place(row)[1] for row in compared], np.int64)
        cosines = vectors.cosines(vector, places)
        return _Joined(scored, store, compared, cosines, self._floor)

    @property
    def _floor(self) -> int:
        return max(1, self._settings.min_score)


class _Keys:
    """The checksum of each entry's text."""

    def __init__(self) -> None:
        self._keys = bytearray()

    def take(self, entries: Sequence[Entry]) -> None:
        texts = (text_of(entry).encode("utf-8", "surrogatepass") for entry in entries)
        self._keys += b"".join(hashlib.sha256(text).digest() for text in texts)

    def done(self) -> Mapping[str, bytes]:
        return {"keys": bytes(self._keys)}


class _Joined:
    """The points of the lexical tier, and what the vectors add to them.

    Args:
        scored: By words and files; its points are changed.
        store: What it scored.
        rows: Those that are compared by vectors too, ascending.
        cosines: Theirs.
        floor: A lower score of words and files alone would not be shown.

    Attributes:
        hidden: Those of `rows` that have such a score.
    """

    def __init__(
        self,
        scored: "ByWords",
        store: "Store",
        rows: Sequence[int],
        cosines: "NDArray[np.float64]",
        floor: int,
    ) -> None:
        import numpy as np

        self._scored = scored
        self._cosines = dict(zip(rows, cosines.tolist(), strict=True))
        places = split(store, rows)
        alone = scored.points.of(places)
        is_hidden = 100 * alone + HALF < floor
        self.hidden = {row for row, hidden in zip(rows, is_hidden, strict=True) if hidden}
        gained = _WEIGHT * cosines * scored.prior(places) * (1 - np.minimum(1, alone))
        scored.points.add(places, np.where(is_hidden & (cosines < _NEAR), 0, gained))
        self.points = scored.points
        self.best = scored.best

    def whys(self, rows: Sequence[int]) -> list[Why]:
        """What speaks for each row."""
        return [
            why._replace(vectors=self._cosines.get(row))
            for row, why in zip(rows, self._scored.whys(rows), strict=True)
        ]


def _vectors_of(store: "Store", dimension: int) -> Vectors:
    """The vectors of the base's rows; they are opened once."""
    base = store.segments[_BASE]
    return base.kept(
        "vectors", dimension, lambda: Vectors(base.part(Semantic.name), dimension, len(base))
    )


def _refuse_other(found: "MadeWith | None", wanted: "MadeWith") -> None:
    """Nothing, when vectors made with `found` may be compared with one made with `wanted`.

    Raises:
        NoVectors: There are none.
        StaleRecipe: Naming what differs and the command that mends it.
    """
    if found is None:
        raise NoVectors(f"the index was made without vectors; {REBUILD_WITH}")
    for key, value in wanted.items():
        if found.get(key) != value:
            raise StaleRecipe(
                f"the index holds vectors made with {key} {found.get(key)}, today's is {value};"
                f" {REBUILD_WITH}"
            )


def _digest(made_with: "MadeWith") -> str:
    """A name for what made vectors."""
    return hashlib.sha256(json.dumps(made_with, sort_keys=True).encode()).hexdigest()[:32]
