"""What was found goes into the journal: patterns, what speaks for them, how loops ended."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from indexing.journal import VERSION, add_record, append_missing
from indexing.learning.loop import Loop
from indexing.learning.patterns import HARMED, HELPED, SEEN, Finding, Found


class Learned(NamedTuple):
    """A loop and what was found in it."""

    loop: Loop
    found: tuple[Found, ...]


class Stored(NamedTuple):
    """How many patterns are new, how many findings of known ones, and how many loops."""

    patterns: int
    findings: int
    loops: int


def store(journal: Path, learned: Sequence[Learned]) -> Stored:
    """Record what the journal does not hold yet; learning a loop twice records nothing.

    Errors are those of `journal.append`.
    """
    written = append_missing(journal, records_of(learned))
    ops = [record["op"] for record in written]
    return Stored(ops.count("add"), ops.count("found"), ops.count("loop"))


def records_of(learned: Iterable[Learned]) -> Iterator[Mapping[str, Any]]:
    """The records, each pattern before what speaks for it."""
    for loop, found in learned:
        for entry, finding in found:
            yield add_record(entry, finding.at)
            yield _found(entry.id, finding, loop)
        yield from _used(loop)
        yield _ended(loop)


def _found(entry_id: str, finding: Finding, loop: Loop) -> dict[str, Any]:
    told = {
        "contributed_by": finding.by,
        "file": finding.file,
        "place": finding.place,
        "iteration": finding.iteration,
        "iterations": finding.iterations,
        "line": finding.line,
        "note": finding.note,
        "diff": finding.diff,
    }
    return {
        "v": VERSION,
        "op": "found",
        "id": _id("found", entry_id, loop.identity),
        "at": finding.at,
        "entry_id": entry_id,
        "loop": finding.loop,
        "outcome": finding.outcome,
        **{key: value for key, value in told.items() if value},
    }


def _used(loop: Loop) -> Iterator[dict[str, Any]]:
    """What came of memories that the loop was given and says it used; of others nothing is said."""
    outcome = {"success": HELPED, "failure": HARMED}.get(loop.result, SEEN)
    for id in loop.shown:
        yield _outcome(id, "shown", loop)
    for id in loop.applied:
        yield _outcome(id, "applied", loop)
        if outcome != SEEN:
            yield _outcome(id, outcome, loop)
    if loop.applied:
        for id in loop.shown:
            if id not in loop.applied:
                yield _outcome(id, "unused", loop)


def _outcome(entry_id: str, outcome: str, loop: Loop) -> dict[str, Any]:
    return {
        "v": VERSION,
        "op": "outcome",
        "id": _id("outcome", entry_id, outcome, loop.identity),
        "at": loop.ended,
        "entry_id": entry_id,
        "outcome": outcome,
        "loop": loop.id,
    }


def _ended(loop: Loop) -> dict[str, Any]:
    return {
        "v": VERSION,
        "op": "loop",
        "id": _id("loop", loop.identity),
        "at": loop.ended,
        "loop": loop.id,
        "system": loop.system,
        "file": loop.file,
        "task": loop.task[:400],
        "outcome": loop.result,
        "iterations": loop.iterations,
    }


def _id(*what: str) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:26]
