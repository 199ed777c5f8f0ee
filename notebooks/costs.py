"""The figures and plots of scale.ipynb, from the file that `scripts/bench/scale.py` writes."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from figures import Table
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MEASURED = Path(__file__).with_name("scale.json")
_OURS = "#2f6db0"
_OTHERS = ("#8a8f98", "#2a7f62", "#c8452f", "#b0822f", "#7a4fa3", "#4fa39b", "#3b3b3b")

Rows = Sequence[Mapping[str, Any]]


def measured() -> dict[str, Any]:
    """What the benches wrote: `MEM_SCALE_JSON`, or the figures that are kept with the notebook."""
    path = Path(os.environ.get("MEM_SCALE_JSON") or MEASURED)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def table(rows: Rows, columns: Sequence[str]) -> Table:
    """These columns of the rows; what a row does not have is blank."""
    return Table(
        ("entries", "way", *columns),
        [(f"{row['size']:,}", row["way"], *(row.get(each) for each in columns)) for row in rows],
    )


def only(rows: Rows, *, without: Sequence[str] = ()) -> Rows:
    """The rows that were timed, but those of some ways."""
    return [row for row in rows if row["way"] not in ("open", "threads", *without)]


def plot(rows: Rows, column: str, label: str, *, each: bool = False) -> Figure:
    """A column against the number of entries, a line a way, both axes logarithmic.

    Args:
        rows: Of one bench.
        column: What is drawn.
        label: What it is called, with its unit.
        each: Whether it is divided by the number of entries.
    """
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    ways = list(dict.fromkeys(row["way"] for row in rows))
    for number, way in enumerate(ways):
        ours = way.startswith(("ours", "tier", "exact")) and "sqlite" not in way
        colour = _OURS if ours else _OTHERS[number % len(_OTHERS)]
        _line(axes, [row for row in rows if row["way"] == way], column, way, colour, each)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.set_xlabel("entries")
    axes.set_ylabel(label)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _line(axes: Axes, rows: Rows, column: str, way: str, colour: str, each: bool) -> None:
    sizes = [row["size"] for row in rows]
    values = [row[column] / (row["size"] if each else 1) for row in rows]
    style = "o--" if way == "tier 2" else "o-"
    axes.plot(sizes, values, style, color=colour, label=way, linewidth=2 if colour == _OURS else 1)
