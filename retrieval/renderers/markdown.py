"""Hits for an issue or a chat: Markdown in which memory text stays text."""

import re
from collections.abc import Sequence

from indexing.signature import Signature
from retrieval.hit import Hit
from retrieval.renderers import interface
from retrieval.renderers.interface import Row

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&$]")
_LEADING = re.compile(r"^([0-9]{0,9})([-+=.)])")
_TICKS = re.compile("`{3,}")


def hits(hits: Sequence[Hit], signature: Signature | None, took_ms: float) -> str:
    """A heading and a list for each hit; memory text is escaped, templates stand in a fence."""
    parts = [_signed(signature)] if signature else []
    parts += [_hit(rank, hit) for rank, hit in enumerate(hits, start=1)]
    end = interface.took(len(hits), took_ms) if hits else interface.NOTHING
    return "\n\n".join([*parts, end]) + "\n"


def _signed(signature: Signature) -> str:
    tool, raw = _text(interface.line(signature.tool)), _text(interface.line(signature.raw))
    return f"**{tool}:** {raw} (`{signature.sig_sha[:16]}`)"


def _hit(rank: int, hit: Hit) -> str:
    title = f"### {rank}. {_text(interface.heading(hit))}"
    place = f"- **found:** {_text(interface.place(hit))}"
    return "\n".join([title, "", place, *(_row(row) for row in interface.rows(hit))])


def _row(row: Row) -> str:
    if row.label == "template":
        return f"- **template:**\n\n{_fenced(row.texts)}\n"
    if len(row.texts) == 1:
        return f"- **{row.label}:** {_text(row.texts[0])}"
    return "\n".join([f"- **{row.label}:**", *(f"  - {_text(text)}" for text in row.texts)])


def _fenced(lines: Sequence[str]) -> str:
    """The lines in a fence longer than any in them, indented as part of a list's item."""
    longest = max((len(ticks) for line in lines for ticks in _TICKS.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join(f"  {line}" for line in [fence, *lines, fence])


def _text(text: str) -> str:
    return _LEADING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", text))
