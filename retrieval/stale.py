"""Hits that time has overtaken: superseded by a correction, or citing what is no longer there."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from indexing.settings import JOURNAL, MEM_DIR
from retrieval.hit import Hit
from retrieval.tokens import names

_CALL = re.compile(r"\b([A-Za-z_]\w{2,60})\(\)")
# Of a fix in our words: code that is gone because it was applied.
_TAKEN_AWAY = re.compile(r"\b(?:replace|remove) `[^`]*`")
_LARGEST = 1 << 20
_OURS = f"{MEM_DIR}/{JOURNAL}"


def judged(hits: Sequence[Hit], root: Path | None) -> list[Hit]:
    """The hits; of each tier those that are superseded or whose files are all gone come last.

    Only what our own journal recorded is held against the files of `root`: another memory speaks
    of another checkout.
    """
    newer = {
        str(hit.entry.extra["supersedes"]): hit.entry.id
        for hit in hits
        if hit.entry.extra.get("supersedes")
    }
    told: list[tuple[bool, Hit]] = []
    for hit in hits:
        notes = [f"superseded by {newer[hit.entry.id]}"] if hit.entry.id in newer else []
        is_old = bool(notes)
        if root is not None and hit.entry.source.file == _OURS and hit.entry.files:
            gone = list(_gone(hit, root))
            notes += [f"verify first: {', '.join(gone[:3])} gone"] if gone else []
            is_old = is_old or len(gone) >= len(hit.entry.files)
        if notes:
            note = "; ".join(filter(None, (hit.why.note, *notes)))
            hit = hit._replace(why=hit.why._replace(note=note))
        told.append((is_old, hit))
    if not any(is_old for is_old, _ in told):
        return [hit for _, hit in told]
    places = {hit.tier: at for at, (_, hit) in reversed(list(enumerate(told)))}
    told.sort(key=lambda each: (places[each[1].tier], each[0]))
    return [hit for _, hit in told]


def _gone(hit: Hit, root: Path) -> Iterator[str]:
    """The files that are not there, and the functions that their files do not hold any more."""
    files = hit.entry.files or ()
    texts = []
    for name in files:
        path = root / names(name)[-1]
        if not _is_inside(path, root):
            continue
        if not path.exists():
            yield name
        elif path.is_file() and path.stat().st_size <= _LARGEST:
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
    if texts:
        said = _TAKEN_AWAY.sub("", hit.entry.lesson.fix)
        for called in dict.fromkeys(_CALL.findall(said)):
            if not any(re.search(rf"\b{called}\b", text) for text in texts):
                yield f"{called}()"


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # the latter for a link that leads to itself
        return False
