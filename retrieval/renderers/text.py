"""Hits for a terminal, or for whoever reads plain lines."""

from collections.abc import Sequence
from typing import NamedTuple

from indexing.signature import Signature
from retrieval.hit import Hit
from retrieval.renderers import interface

_INDENT = 3
_LABEL = 10
_STYLES = {
    "fix": "green",
    "worked": "green",
    "failed": "red",
    "gotcha": "yellow",
    "why": "dim",
    "words": "dim",
    "files": "dim",
    "evidence": "dim",
    "from": "dim",
}


class _Line(NamedTuple):
    """`lead` stands once, and as blanks where `text` goes on."""

    lead: str
    text: str
    style: str = ""


def hits(
    hits: Sequence[Hit],
    signature: Signature | None,
    took_ms: float,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """Every hit with all it says, one field a line.

    Args:
        hits: Best first.
        signature: The query's, shown above the hits.
        took_ms: Milliseconds, shown below.
        width: Columns to wrap at; None: lines are left whole, and `rich` is not loaded.
        colour: Whether to write colours; only with a width.
    """
    lines = _signed(signature) if signature else []
    for rank, hit in enumerate(hits, start=1):
        lines += [_Line("", ""), *_hit(rank, hit)]
    end = interface.took(len(hits), took_ms) if hits else interface.NOTHING
    lines += [_Line("", ""), _Line("", end, "dim")]
    if width is None:
        return "".join(f"{line.lead}{line.text}".rstrip() + "\n" for line in lines).lstrip("\n")
    return _wrapped(lines, width, colour).lstrip("\n")


def _signed(signature: Signature) -> list[_Line]:
    where = f", line {signature.line}" if signature.line else ""
    rule = f" by {interface.line(signature.rule)}" if signature.rule else ""
    return [
        _Line(f"{interface.line(signature.tool)}: ", interface.line(signature.raw), "bold"),
        _Line(" " * _INDENT, f"{signature.sig_sha[:16]}{rule}{where}", "dim"),
    ]


def _hit(rank: int, hit: Hit) -> list[_Line]:
    lines = [_Line(f"{rank:<{_INDENT}}{interface.place(hit)}  ", interface.heading(hit), "bold")]
    for label, texts in interface.rows(hit):
        for at, text in enumerate(texts):
            lead = f"{'':{_INDENT}}{'' if at else label:<{_LABEL}}"
            lines.append(_Line(lead, text, _STYLES.get(label, "")))
    return lines


def _wrapped(lines: Sequence[_Line], width: int, colour: bool) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        force_jupyter=False,
        color_system="standard" if colour else None,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for line in lines:
        lead = line.lead
        for part in Text(line.text, line.style).wrap(console, max(20, width - len(lead))):
            part.rstrip()
            console.print(Text.assemble((lead, "dim"), part), soft_wrap=True)
            lead = " " * len(lead)
    return out.getvalue()
