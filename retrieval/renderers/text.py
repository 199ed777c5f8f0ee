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


class Line(NamedTuple):
    """A line for a terminal; `lead` stands once, and as blanks where `text` goes on."""

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
        lines += [Line("", ""), *_hit(rank, hit)]
    end = interface.took(len(hits), took_ms) if hits else interface.NOTHING
    lines += [Line("", ""), Line("", end, "dim")]
    return written(lines, width, colour).lstrip("\n")


def written(lines: Sequence[Line], width: int | None = None, colour: bool = False) -> str:
    """The lines wrapped at `width`, in colours or not; left whole when it is None."""
    if width is None:
        return "".join(f"{line.lead}{line.text}".rstrip() + "\n" for line in lines)
    return _wrapped(lines, width, colour)


def _signed(signature: Signature) -> list[Line]:
    where = f", line {signature.line}" if signature.line else ""
    rule = f" by {interface.line(signature.rule)}" if signature.rule else ""
    return [
        Line(f"{interface.line(signature.tool)}: ", interface.line(signature.raw), "bold"),
        Line(" " * _INDENT, f"{signature.sig_sha[:16]}{rule}{where}", "dim"),
    ]


def _hit(rank: int, hit: Hit) -> list[Line]:
    lines = [Line(f"{rank:<{_INDENT}}{interface.place(hit)}  ", interface.heading(hit), "bold")]
    for label, texts in interface.rows(hit):
        for at, text in enumerate(texts):
            lead = f"{'':{_INDENT}}{'' if at else label:<{_LABEL}}"
            lines.append(Line(lead, text, _STYLES.get(label, "")))
    return lines


def _wrapped(lines: Sequence[Line], width: int, colour: bool) -> str:
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
