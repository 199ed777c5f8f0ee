"""Memory: the way in for a program; asks what is known, and notices a new index."""

import time
from _thread import allocate_lock  # `threading` would add a module to each lookup
from collections.abc import Callable, Iterator

from indexing.errors import BadIndex, BadQuery, MemError, MissingExtra, NoMemory, NoVectors
from indexing.plain import AnyPath, Place
from indexing.recipe import refuse_other, today
from indexing.settings import (
    CONFIG,
    INDEX,
    JOURNAL,
    MEM_DIR,
    OVERRIDES,
    SCORERS,
    Settings,
    load,
    nearest,
)
from indexing.stores.generations import POINTER
from indexing.stores.local import LocalStore
from indexing.typed import TYPE_CHECKING, Path
from retrieval import events
from retrieval.hit import Hit
from retrieval.query import Query
from retrieval.search import search
from retrieval.tiers import SEMANTIC, in_turn

if TYPE_CHECKING:
    from indexing.overrides import Overrides
    from retrieval.tiers.interface import Tier

_Stamp = tuple[int, int, int]


class Memory:
    """What is known of failures and issues.

    Safe to share between threads, and may be held for ever: between two queries it notices that
    the index was rebuilt.
    """

    def __init__(self, index: AnyPath, settings: Settings, mem_dir: AnyPath | None = None) -> None:
        self.index = index
        self.settings = settings
        self._lock = allocate_lock()
        self._turn = allocate_lock()
        self._store: LocalStore | None = None
        self._stamp: _Stamp | None = None
        self._fitting: set[tuple[LocalStore, str]] = set()
        self._decided_in = None if mem_dir is None else mem_dir / OVERRIDES
        self._root = None if mem_dir is None else mem_dir.absolute().parent
        self._overrides: Overrides | None = None
        self._decided: _Stamp | None = None
        self.unwatched = ""
        """Why the event of the last lookup could not be written; empty when it was."""
        self.without_vectors = ""
        """Why the last lookup compared no vectors although the settings ask for it; else empty."""

    @staticmethod
    def open(
        path: str | Path | None = None, *, index: str | Path | None = None, asks_once: bool = False
    ) -> "Memory":
        """The memory of a folder, with its settings.

        Args:
            path: A folder that holds `.mem`, a `.mem` folder, or an index. None: `.mem` is looked
                for here and above.
            index: Where its index lies when that is not `.mem/index`.
            asks_once: A tier is looked at when a lookup comes to it, and not now.

        Raises:
            NoMemory: There is none.
            BadSettings: Its settings are wrong.
            BadIndex: Its index is missing, damaged, or made in another way.
        """
        mem_dir, found = _located(path, index)
        memory = Memory(found if asks_once else _real(found), load(mem_dir), mem_dir)
        store = memory.store  # what is wrong with it is said now
        if not asks_once:
            list(memory._tiers(memory.settings, store))
        return memory

    @property
    def store(self) -> LocalStore:
        """The current generation of the index.

        Raises:
            BadIndex: It is missing, damaged, or made in another way.
        """
        with self._lock:
            # the stamp is taken first: what is renamed after it is noticed the next time
            stamp = _stamp_of(self.index / POINTER)
            if self._store is None or stamp != self._stamp:
                store = LocalStore.open(self.index)
                refuse_other(store.recipe, today(()), str(self.index))
                self._store, self._stamp, self._fitting = store, stamp, set()
            return self._store

    def _tiers(self, settings: Settings, store: LocalStore) -> "Iterator[Tier]":
        """The tiers in turn.

        Raises:
            StaleRecipe: The store keeps a tier's part in another way; said when its turn comes.
        """
        for tier in in_turn(settings, self.overrides):
            # the semantic one tells itself which model made the vectors, or that there are none
            if tier.name != SEMANTIC and (store, tier.name) not in self._fitting:
                refuse_other(store.recipe, today((tier,)), str(self.index))
                self._fitting.add((store, tier.name))
            yield tier

    @property
    def overrides(self) -> "Overrides | None":
        """What people decided about signatures; None when nobody ever did."""
        if self._decided_in is None:
            return None
        with self._lock:
            stamp = _stamp_of(self._decided_in)
            if stamp != self._decided:
                self._overrides = None
                if stamp is not None:
                    from indexing.overrides import read

                    self._overrides = read(_real(self._decided_in))
                self._decided = stamp
            return self._overrides

    def lookup(
        self,
        query: Query,
        k: int | None = None,
        scorer: str | None = None,
        semantic: bool | None = None,
    ) -> list[Hit]:
        """At most `k` hits, best first; empty when nothing is known.

        Args:
            query: What is known of the failure or issue at hand.
            k: From 1; None takes the setting `top_k`.
            scorer: `cosine` or `tokens`; None takes the setting.
            semantic: Whether vectors are compared too. None takes the setting, and goes without
                where the index or this machine lacks what it takes; `without_vectors` says so.

        Raises:
            BadQuery: `k` or `scorer` are none of these.
            BadIndex: The index is missing, damaged, or made in another way.
            MissingExtra: `semantic` is asked for, and what encodes the query is not installed.
        """
        _refuse_no_query(query)
        if k is not None:
            _refuse_none("k", k)
        if scorer is not None and scorer not in SCORERS:
            raise BadQuery(f"scorer: there is no '{scorer}'; take one of {', '.join(SCORERS)}")
        settings = self.settings if scorer is None else self.settings._replace(scorer=scorer)
        if semantic is not None:
            settings = settings._replace(semantic=int(semantic))
        limit = settings.top_k if k is None else k
        # threads that search at once wait for each other at every step, and get less done together
        with self._turn:
            return self._looked_up(query, settings, limit, bool(semantic))

    def _looked_up(
        self, query: Query, settings: Settings, limit: int, needs_vectors: bool
    ) -> list[Hit]:
        began = time.perf_counter()
        store = self.store
        self.without_vectors = ""
        try:
            hits = self._searched(query, store, settings, limit)
        except (MissingExtra, NoVectors) as error:
            if needs_vectors:
                raise
            self.without_vectors = str(error)
            hits = self._searched(query, store, _without(settings), limit)
        except Exception as error:
            # of a big index nobody looked at the checksums yet
            if not isinstance(error, MemError) and (altered := store.altered()):
                raise BadIndex(altered[0]) from error
            raise
        if self.overrides is not None:
            hits = list(_told_apart(hits, query, self.overrides))
        if any(hit.entry.files or hit.entry.extra for hit in hits):
            from retrieval.stale import judged

            hits = judged(hits, None if self._root is None else _real(self._root))
        took_ms = 1000 * (time.perf_counter() - began)
        self.unwatched = events.emit(
            "memory.similarity.duration_ms",
            settings.events,
            value=round(took_ms, 3),
            hits=len(hits),
            tier=hits[0].tier if hits else None,
        )
        return hits

    def _searched(
        self, query: Query, store: LocalStore, settings: Settings, limit: int
    ) -> list[Hit]:
        asked = self._tiers(settings, store)
        return search(query, store, asked, limit, settings.min_score, settings.abstain_below)

    def context(
        self,
        query: Query,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] | None = None,
        semantic: bool | None = None,
    ) -> str:
        """The context block of the hits; empty when nothing is known.

        Args:
            query: What is known of the failure or issue at hand.
            max_tokens: None takes the setting, 500 by default.
            count_tokens: How the reader of the block counts; None: four characters are a token.
            semantic: As in `lookup`.

        Raises:
            BadQuery: `max_tokens` is no number from 1.
            BadIndex: The index is missing, damaged, or made in another way.
        """
        from retrieval.context import block

        if max_tokens is not None:
            _refuse_none("max_tokens", max_tokens)

        budget = self.settings.max_tokens if max_tokens is None else max_tokens
        return block(self.lookup(query, semantic=semantic), budget, count_tokens)

    def patterns(
        self,
        query: Query,
        k: int | None = None,
        max_tokens: int | None = None,
        scorer: str | None = None,
        semantic: bool | None = None,
    ) -> tuple[list[Hit], str]:
        """The patterns of earlier loops for a loop that starts, and the block that shows them.

        Args:
            query: What is known of the task or failure at hand.
            k: So many at most; None takes the setting `patterns_shown`. Never more than
                `patterns_most`.
            max_tokens: None takes the setting, 500 by default.
            scorer: As in `lookup`.
            semantic: As in `lookup`.
        """
        from retrieval.patterns import LOOKED_AT, block, chosen

        settings = self.settings
        most = min(settings.patterns_shown if k is None else k, settings.patterns_most)
        hits = self.lookup(query, LOOKED_AT, scorer, semantic)
        ranked = chosen(hits, query, settings.policy, most)
        budget = settings.max_tokens if max_tokens is None else max_tokens
        text, shown = block(ranked, query, budget)
        ids = {entry.id for entry in shown}
        return [each.hit for each in ranked if each.hit.entry.id in ids], text


def _without(settings: Settings) -> Settings:
    """The same, and no vectors."""
    return settings._replace(semantic=0)


def _refuse_no_query(given: object) -> None:
    if not isinstance(given, Query):
        raise BadQuery(f"query: a {type(given).__name__} is none; ask with Query(log=…)")


def _refuse_none(name: str, given: object) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise BadQuery(f"{name}: expected a whole number from 1, found {given!r}")


def _told_apart(hits: list[Hit], query: Query, overrides: "Overrides") -> Iterator[Hit]:
    """The hits; of what is only alike it is noted when people decided that it is another."""
    signature = query.signature
    asked = None if signature is None else overrides.asked(signature, query.log)
    hashes = {key.sig_sha for key in asked.keys} if asked else set()
    for hit in hits:
        theirs = hit.entry.signature
        if asked and theirs and theirs.sig_sha in hashes and not asked.admits(hit.entry):
            hit = hit._replace(why=hit.why._replace(note="split: decided to be another failure"))
        yield hit


def _real(path: AnyPath) -> Path:
    from pathlib import Path

    return Path(path)


def _stamp_of(path: AnyPath) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def _located(path: str | Path | None, index: str | Path | None) -> tuple[Place | None, Place]:
    """The `.mem` folder when there is one, and the index."""
    if path is not None:
        mem_dir = _mem_dir(Place(path))
        if mem_dir is None and index is None:
            return None, Place(path)
    else:
        try:
            mem_dir = nearest()
        except NoMemory:
            if index is None:
                raise
            mem_dir = None
    if index is not None:
        return mem_dir, Place(index)
    assert mem_dir is not None
    return mem_dir, mem_dir / INDEX


def _mem_dir(path: Place) -> Place | None:
    """The `.mem` folder that `path` is or holds; None when it is an index."""
    if (path / MEM_DIR).is_dir():
        return path / MEM_DIR
    if path.name == MEM_DIR or any((path / name).exists() for name in (CONFIG, JOURNAL, INDEX)):
        return path
    if (path / POINTER).exists():
        return None
    raise NoMemory(f"{path}: holds no {MEM_DIR} and is no index; run `mem init` there")
