"""Patterns in and out: AIWG's registry and Shipwright's files, without loss; one file per system.

An imported record is kept whole in the entry's `extra`, with where it stood and what stood around
it, so that what nobody here knows goes out as it came in. Only what has changed since is written
over it: counters, rates, times, loops.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from indexing.entry import Entry
from indexing.learning.exchange.aiwg import LISTS as AIWG_LISTS
from indexing.learning.exchange.aiwg import aiwg_record, metrics, registry
from indexing.learning.exchange.kept import kept
from indexing.learning.exchange.shipwright import folder
from indexing.readers import json_values, memory_files
from indexing.readers.aiwg import Aiwg
from indexing.readers.interface import Quarantined
from indexing.readers.json_values import Value
from indexing.readers.shipwright import Shipwright

__all__ = ["AIWG_LISTS", "aiwg_record", "files_of", "imported", "metrics"]

# Which part of an export a list or object stands in.
_EXPORTED = {
    "failures": "failures",
    "decisions": "decisions",
    "project": "patterns",
    "known_issues": "patterns",
}
_SYSTEMS = {"aiwg": registry, "shipwright": folder}


def imported(path: Path) -> Iterator[Entry | str]:
    """The records of AIWG or Shipwright files, each with all that it held; or why one is none."""
    for file in memory_files(path):
        reader = next((each for each in (Shipwright(), Aiwg()) if each.accepts(file)), None)
        if reader is None:
            yield f"{file}: neither a registry of AIWG nor a file of Shipwright"
            continue
        name = file.name if file == path else file.relative_to(path).as_posix()
        document = _document(file)
        for found in reader.read(file, file.name):
            if isinstance(found, Quarantined):
                yield f"{file}, {found.source.locator}: {found.reason}"
            elif isinstance(found, Entry):
                yield kept(found, *_home(found, document, name))


def _home(entry: Entry, document: Any, name: str) -> tuple[Any, str]:
    """The document that a record stands in, and its file; Shipwright exports several in one."""
    if not (isinstance(document, Mapping) and "repo_hash" in document):
        return document, name
    part = _EXPORTED.get(entry.source.locator.partition("[")[0], "")
    return document.get(part), f"{part}.json"


def _document(file: Path) -> Any:
    """The file's value; of values one after another an object of them by their lines."""
    if file.suffix == ".json":
        return json_values.document(file)
    found = json_values.values(json_values.text_of(file), "\n{")
    return {f"line {each.line}": each.value for each in found if isinstance(each, Value)}


def files_of(system: str, entries: Iterable[Entry]) -> dict[str, str]:
    """The files of a system by their names, as text; empty when no entry fits in one."""
    return _SYSTEMS[system](entries)
