"""What is kept of an imported record, so that it can go out as it came in."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from indexing.entry import Entry, Evidence
from indexing.learning.merge import MERGED_INTO
from indexing.readers.json_values import GIVEN_TWICE

KEPT = "(imported)"
REGISTRY = "pattern_registry"
_COUNTED = Evidence._fields[:5]  # times may be filled in on the way
_LISTS = frozenset(
    [
        *("failures", "patterns", "decisions", "known_issues", "common_patterns"),
        *("cross_repo_learnings", "error_patterns", "success_patterns", "anti_patterns"),
        *("code_templates", "effectiveness_metrics", GIVEN_TWICE),
    ]
)


class Kept(NamedTuple):
    """A record as it was read.

    `file` is relative to what was imported; `part` is the list or object of it that the record
    stood in, and `place` its number or key there; `around` is what the file held beside its lists;
    `evidence` was the entry's when it was read.
    """

    system: str
    file: str
    part: str
    place: str
    record: Any
    around: Mapping[str, Any]
    evidence: Mapping[str, Any]

    @property
    def order(self) -> tuple[int, str, int, str]:
        """By this records stand as they stood: `line 9` before `line 10`, `failures[9]` too."""
        return len(self.part), self.part, len(self.place), self.place


def kept(entry: Entry, document: Any, file: str) -> Entry:
    """The entry with its record and what stood around it in the document."""
    part, bracket, rest = entry.source.locator.partition("[")
    place = rest.removesuffix("]")
    record = deepcopy(_at(document, part, place if bracket else None))
    if record is None:
        return entry
    around = deepcopy(_around(document))
    as_read = entry.evidence._asdict()
    told = Kept(entry.source.system, file, part, place, record, around, as_read)
    return entry._replace(extra={**entry.extra, KEPT: told._asdict()})


def kept_of(entry: Entry, system: str) -> Kept | None:
    """What was kept of an entry that came from this system; None when it came from elsewhere."""
    told = entry.extra.get(KEPT)
    if not isinstance(told, Mapping) or told.get("system") != system:
        return None
    around, counted = told.get("around"), told.get("evidence")
    return Kept(
        system,
        str(told.get("file") or ""),
        str(told.get("part") or ""),
        str(told.get("place") or ""),
        told.get("record"),
        around if isinstance(around, Mapping) else {},
        counted if isinstance(counted, Mapping) else {},
    )


def is_as_read(entry: Entry, told: Kept) -> bool:
    """Whether nothing was counted since the record was read."""
    now = entry.evidence._asdict()
    return all(told.evidence.get(key) == now[key] for key in _COUNTED)


def is_own(entry: Entry) -> bool:
    """Whether it is no other name of an entry that it was merged into."""
    return MERGED_INTO not in entry.extra


def as_text(document: Any) -> str:
    """A document as the systems write it: JSON over many lines."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _at(document: Any, part: str, place: str | None) -> Any:
    """The record; a registry's lists stand one deeper. Without a place it is the part itself."""
    if isinstance(document, list):
        return _item(document, place or "")
    if not isinstance(document, Mapping):
        return None
    if place is None and part not in document:
        return {key: value for key, value in document.items() if key not in _LISTS}
    registry = document.get(REGISTRY)
    held = registry if isinstance(registry, Mapping) and part not in document else document
    return held.get(part) if place is None else _item(held.get(part), place)


def _item(values: Any, place: str) -> Any:
    if isinstance(values, Mapping):
        return values.get(place)
    if isinstance(values, Sequence) and place.isdecimal() and int(place) < len(values):
        return values[int(place)]
    return None


def _around(document: Any) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        return {}
    lines = {key for key in document if key.startswith("line ")}  # values one after another
    beside = {key: value for key, value in document.items() if key not in _LISTS | lines}
    registry = beside.get(REGISTRY)
    if isinstance(registry, Mapping):
        beside[REGISTRY] = {key: value for key, value in registry.items() if key not in _LISTS}
    return beside
