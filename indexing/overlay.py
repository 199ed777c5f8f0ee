"""Writes a delta: entries that are laid over a base, and the base's rows that are no more."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from indexing.build import Part, Sheet
from indexing.chapters import chapter_of_prepared
from indexing.recipe import today
from indexing.stores import local
from indexing.stores.generations import Buffer
from indexing.stores.local import Over
from indexing.stores.segment import Segment

if TYPE_CHECKING:
    from indexing.build import Extends, Gathered

_Age = tuple[str, str]
"""When an entry was captured, and its id."""


def write(
    index: Path,
    base: Segment,
    dead: Sequence[int],
    sheet: Sheet,
    parts: Sequence[Part],
    spool: Path,
    sources: Iterable[Mapping[str, Any]] = (),
) -> str | None:
    """The name of the delta, which is now current; None when only a rebuild answers as it has to.

    Args:
        index: The index's folder; the caller holds its lock.
        base: What it is laid over.
        dead: The rows of the base that are no more, ascending.
        sheet: The entries that are laid over it.
        parts: Those of the base.
        spool: A folder for what has to be put down.
        sources: The memory files, in order of their names.
    """

    @cache  # of many entries most are looked for among the same rows
    def age_of(row: int) -> _Age:
        entry = base.entry(row)
        return entry.captured_at, entry.id

    before = [_before(age_of, len(base), age) for age in sheet.ages]
    over = Over(base.folder.name, dead, before)
    built = _built(base, dead, sheet, parts, spool)
    try:
        return local.write(index, sheet.files(), sources, built, today(parts), over=over)
    except _BaseMovedError:
        return None


class _BaseMovedError(Exception):
    """What the base keeps of its rows would be something else, whatever is laid over it."""


def _before(age_of: Callable[[int], _Age], rows: int, age: _Age) -> int:
    """How many of the rows are newer than an entry of that age."""
    time, id = age

    def is_behind(row: int) -> bool:
        its_time, its_id = age_of(row)
        return its_time < time or (its_time == time and its_id >= id)

    return bisect_left(range(rows), True, key=is_behind)


def _built(
    base: Segment, dead: Sequence[int], sheet: Sheet, parts: Sequence[Part], spool: Path
) -> Iterator[tuple[str, Mapping[str, Buffer]]]:
    """What each part keeps."""
    import numpy as np

    [pages] = chapter_of_prepared(map(base.entry, dead), spool / "gone", parts).pages
    for which, part in enumerate(parts):
        added = sheet.gathered(which)
        if not hasattr(part, "extend"):
            yield part.name, part.merge(added, sheet.entries)
            continue
        gone: Gathered = [(pages.gathered[which], np.arange(len(dead)))]
        rows = np.array(dead, np.int64)
        extended = cast("Extends", part).extend(base.part(part.name), gone, added, rows, len(sheet))
        if extended is None:
            raise _BaseMovedError
        yield part.name, extended
