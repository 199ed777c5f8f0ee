"""Hits for a notebook or a page: one fragment of HTML that needs nothing else."""

from collections.abc import Sequence
from html import escape

from indexing.signature import Signature
from retrieval.hit import Hit
from retrieval.renderers import interface
from retrieval.renderers.interface import Row

_DIM = "color:#666"


def hits(hits: Sequence[Hit], signature: Signature | None, took_ms: float) -> str:
    """A section with an article for each hit; all text is escaped, no script, no outside file."""
    parts = [_signed(signature)] if signature else []
    parts += [_hit(rank, hit) for rank, hit in enumerate(hits, start=1)]
    end = interface.took(len(hits), took_ms) if hits else interface.NOTHING
    body = "\n".join([*parts, f'<p style="{_DIM}">{end}</p>'])
    return f'<section class="oncebitten">\n{body}\n</section>\n'


def _signed(signature: Signature) -> str:
    tool, raw = escape(interface.line(signature.tool)), escape(interface.line(signature.raw))
    sha = escape(signature.sig_sha[:16])
    return f'<p><b>{tool}:</b> {raw} <code style="{_DIM}">{sha}</code></p>'


def _hit(rank: int, hit: Hit) -> str:
    title = f"{rank}. {escape(interface.heading(hit))}"
    place = f'<span style="{_DIM}">{escape(interface.place(hit))}</span>'
    rows = "\n".join(_row(row) for row in interface.rows(hit))
    return f"<article>\n<p><b>{title}</b> {place}</p>\n<dl>\n{rows}\n</dl>\n</article>"


def _row(row: Row) -> str:
    texts = [escape(text) for text in row.texts]
    if row.label == "template":
        texts = ["<pre>" + "\n".join(texts) + "</pre>"]
    return f'<dt style="{_DIM}">{row.label}</dt>' + "".join(f"<dd>{text}</dd>" for text in texts)
