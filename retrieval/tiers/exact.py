"""Exact: the same signature, so the same failure."""

import struct
from collections.abc import Mapping, Sequence

from indexing.entry import Entry
from indexing.signature import Signature, keys
from indexing.typed import TYPE_CHECKING
from retrieval.hit import Hit, Why
from retrieval.query import Query

if TYPE_CHECKING:
    from indexing.build import Rows
    from indexing.overrides import Overrides
    from indexing.recipe import MadeWith
    from indexing.stores.generations import Buffer
    from indexing.stores.interface import Store

SURE = 100
ALMOST_SURE = 90
_RANK = struct.Struct("<d").unpack_from


class Exact:
    """Entries whose signature is the query's; those with a fix first, then the most reliable.

    The store finds rows by signature. What the tier keeps is what orders those of one signature, so
    that of ten thousand equal failures only the best are read.

    Args:
        overrides: What people decided: which signatures are one failure, and which are two.
    """

    name = "exact"
    sure = True

    def __init__(self, overrides: "Overrides | None" = None) -> None:
        self._overrides = overrides

    def made_with(self) -> "MadeWith":
        """The version of the order."""
        return {"order": 3}

    def gather(self) -> "_Ranks":
        """What orders entries of one signature."""
        return _Ranks()

    def merge(
        self, gathered: "Sequence[tuple[Mapping[str, Buffer], Rows]]", entries: Sequence[Entry]
    ) -> Mapping[str, memoryview]:
        """`ranks`: f64 a row, smaller is better."""
        import numpy as np

        from retrieval.postings import data_of

        ranks = np.zeros(len(entries))
        for files, rows in gathered:
            kept = rows >= 0
            ranks[rows[kept]] = np.frombuffer(files["ranks"], np.float64)[kept]
        return {"ranks": data_of(ranks, "<f8")}

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits: 100 for the same failure, 90 for a weaker key, which is noted."""
        signature = query.signature
        if signature is None:
            return []
        ranks = [segment.part(self.name)["ranks"] for segment in store.segments]

        def rank(row: int) -> float:
            segment, place = store.place(row)
            return float(_RANK(ranks[segment], 8 * place)[0])

        hits: list[Hit] = []
        seen: set[int] = set()
        asked = None if self._overrides is None else self._overrides.asked(signature, query.log)
        for sha, note, sure in asked.keys if asked else _keys(signature):
            rows = [row for row in store.signed(sha) if row not in seen]
            seen.update(rows)
            rows.sort(key=rank)
            for row in rows:
                if len(hits) >= limit:
                    return hits
                entry = store.entry(row)
                if asked is None:
                    hits.append(_hit(entry, query, note, sure))
                elif asked.admits(entry):
                    told = "; ".join(filter(None, (note, asked.note)))
                    hits.append(_hit(entry, query, told, sure))
        return hits


def _keys(signature: Signature) -> list[tuple[str, str, bool]]:
    return [(sha, note, not note) for sha, note in keys(signature)]


class _Ranks:
    """What orders entries: those that mend, before those that were only mined; then the rate.

    A whole number, smaller is better, less the rate that can be relied upon, which is below 1.
    """

    def __init__(self) -> None:
        from array import array

        self._ranks = array("d")

    def take(self, entries: Sequence[Entry]) -> None:
        from indexing.learning.evidence import is_unproven, lower, uses

        for entry in entries:
            lesson, evidence = entry.lesson, entry.evidence
            mends = bool(lesson.fix or lesson.worked or lesson.steps)
            doubtful = evidence.harmed > evidence.helped or is_unproven(entry)
            rate = lower(evidence) if uses(evidence) else 0.0
            self._ranks.append(2 * (not mends) + doubtful - rate)

    def done(self) -> Mapping[str, bytes]:
        return {"ranks": self._ranks.tobytes()}


def _hit(entry: Entry, query: Query, note: str, sure: bool) -> Hit:
    shared = _shared(entry.files, query.files) if entry.files and query.files else ()
    ours, known = query.signature, entry.signature
    same = ours is not None and known is not None and ours.sig_sha == known.sig_sha
    why = Why(files=shared[:8], same_signature=same, note=note)
    return Hit(entry, Exact.name, SURE if sure else ALMOST_SURE, why)


def _shared(theirs: tuple[str, ...], ours: tuple[str, ...]) -> tuple[str, ...]:
    """The files that both name, in the query's order and the entry's spelling."""
    from retrieval.tokens import file_keys

    known = file_keys(theirs) or {}
    return tuple(known[key] for key in file_keys(ours) or {} if key in known)
