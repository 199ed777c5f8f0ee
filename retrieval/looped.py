"""What a loop was shown: nothing twice for one failure, and nothing at all to the control group.

State of this machine, in `.mem/loops/`: a small file per loop, a line per block. It may be deleted;
then a block may be shown again. What counts as evidence goes into the journal.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from indexing.lazily import sha256
from retrieval.query import Query

FOLDER = "loops"
WITHHELD = "withheld"


class Looped:
    """What is known of one loop.

    Args:
        mem_dir: The `.mem` folder.
        loop: The loop's id, as its runner gives it.
        control: The share of loops that are shown nothing, 0..1.
    """

    def __init__(self, mem_dir: Path, loop: str, control: float = 0.0) -> None:
        self._mem_dir = mem_dir
        self.loop = loop
        self.is_control = in_control(loop, control)
        self._path = mem_dir / FOLDER / f"{_digest(loop)}.jsonl"

    def has_shown(self, query: Query, shown: str) -> bool:
        """Whether this loop was shown the same for the same failure or issue already."""
        return [about(query), _digest(shown)] in self._lines()

    def note(self, query: Query, shown: str, entries: Iterable[str]) -> None:
        """Note what was shown, here and as evidence; errors are those of the journal."""
        self._append([about(query), _digest(shown)])
        self._record(
            {"op": "outcome", "entry_id": id, "outcome": "shown"} for id in dict.fromkeys(entries)
        )

    def withhold(self) -> None:
        """Note that the loop is of the control group, once."""
        if not self._path.exists():
            self._append([WITHHELD, ""])
            self._record([{"op": WITHHELD}])

    def _record(self, records: Iterable[dict[str, str]]) -> None:
        from datetime import UTC, datetime

        from indexing.journal import VERSION, append_missing
        from indexing.settings import JOURNAL

        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        append_missing(
            self._mem_dir / JOURNAL,
            (
                {
                    "v": VERSION,
                    "op": each["op"],
                    "id": _digest(json.dumps([self.loop, *each.values()]))[:26],
                    "at": at,
                    **{key: value for key, value in each.items() if key != "op"},
                    "loop": self.loop,
                }
                for each in records
            ),
        )

    def _lines(self) -> list[list[str]]:
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return []
        lines = []
        for line in text.splitlines():
            try:
                lines.append(json.loads(line))
            except (ValueError, RecursionError):
                continue  # half a line of a run that was ended
        return lines

    def _append(self, line: list[str]) -> None:
        try:
            self._path.parent.mkdir(exist_ok=True)
            with self._path.open("ab") as file:
                file.write((json.dumps(line) + os.linesep).encode())
        except OSError:
            return  # it may be shown again, no more


def in_control(loop: str, share: float) -> bool:
    """Whether a loop is of the control group: by its id, so that it stays in it."""
    return int(_digest(f"control:{loop}")[:13], 16) < share * 16**13


def about(query: Query) -> str:
    """What a query asks: its failure, else its words and files."""
    signature = query.signature
    if signature is not None:
        return signature.sig_sha
    return _digest(json.dumps([query.title, query.body, query.files, query.labels]))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
