"""Hits for tests, in a few words."""

from typing import Any

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.signature.interface import Signature
from retrieval.hit import Hit, Why

TEXTS = ("worked", "failed", "gotchas", "steps")


def hit(title: str = "npm ci fails", tier: str = "lexical", score: int = 50, **said: Any) -> Hit:
    """A hit; fields of the lesson, the evidence, the entry and the reasons go where they belong."""
    made = {name: said.pop(name) for name in list(said) if name in Lesson._fields}
    for name in TEXTS:
        if isinstance(made.get(name), str):
            made[name] = (made[name],)
    counted = {name: said.pop(name) for name in list(said) if name in Evidence._fields}
    why = {name: said.pop(name) for name in list(said) if name in Why._fields and name != "files"}
    if raw := said.pop("raw", ""):
        said["signature"] = Signature("npm", raw, raw, "ab" * 32, "npm:error")
    given = {
        "id": "one",
        "kind": "failure",
        "source": Source("shipwright", "memory/failures.json", "failures[3]"),
    }
    entry = Entry(title=title, lesson=Lesson(**made), evidence=Evidence(**counted), **given | said)
    return Hit(entry, tier, score, Why(**why))


def exact(title: str = "npm ci fails", **said: Any) -> Hit:
    """A hit of the first tier."""
    return hit(title, "exact", 100, same_signature=True, **said)
