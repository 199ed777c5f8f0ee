"""Renderer: hits in, text out; and the rows that those for people share."""

from collections.abc import Sequence

from indexing.signature import Signature
from indexing.typed import NamedTuple, Protocol
from retrieval import untrusted, wording
from retrieval.budget import shorten
from retrieval.hit import Hit

NOTHING = "Nothing is known about this."
_MOST = 2000
_READ = 3 * _MOST


class Renderer(Protocol):
    """Writes what was found; ends in a line end, and is safe where it is meant to be shown."""

    def __call__(self, hits: Sequence[Hit], signature: Signature | None, took_ms: float) -> str:
        """`hits` best first, for a query of this signature that took so many milliseconds."""


class Row(NamedTuple):
    """A label and its texts, one line each; those of a template are the lines of one text."""

    label: str
    texts: tuple[str, ...]


def rows(hit: Hit) -> list[Row]:
    """Why it was found, what it says, what speaks for it and where it lies; empty ones left out."""
    entry = hit.entry
    made = [
        ("why", (wording.reasons(hit),)),
        ("words", (", ".join(hit.why.words),)),
        ("files", (", ".join(hit.why.files),)),
        *wording.told(entry),
        ("evidence", (wording.evidence(entry),)),
        ("from", (wording.origin(entry),)),
    ]
    shown = [
        Row(label, _code(texts) if label == "template" else _lines(texts)) for label, texts in made
    ]
    return [row for row in shown if row.texts]


def heading(hit: Hit) -> str:
    """`npm ci fails (failure)`; the title, else the root line."""
    entry = hit.entry
    raw = entry.signature.raw if entry.signature else ""
    title = line(entry.title) or line(raw) or "untitled"
    doubt = "" if entry.trust == "clean" else f", {line(entry.trust)}"
    return f"{title} ({line(wording.kind(entry))}{doubt})"


def place(hit: Hit) -> str:
    """`exact 100`."""
    return f"{line(hit.tier)} {hit.score}"


def line(text: str) -> str:
    """Memory text on one line, as it is but for what is invisible or secret; marked, and capped."""
    return shorten(untrusted.shown(text), _MOST)


def took(count: int, took_ms: float) -> str:
    """`2 hits in 3.1 ms`."""
    return f"{count} hit{'' if count == 1 else 's'} in {took_ms:.1f} ms"


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(shown for text in texts if (shown := line(text)))


def _code(texts: Sequence[str]) -> tuple[str, ...]:
    text = untrusted.clean("\n".join(texts)[:_READ]).expandtabs(4)
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return tuple(shorten(lines, _MOST).split("\n")) if lines else ()
