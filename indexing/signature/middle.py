"""Middle: of a log that is too long to be held, the lines that may say why it failed."""

from collections import deque

from indexing.signature.extract import Telling

_BEFORE, _AFTER = 8, 40
"""So many lines are kept around one that tells of a failure; rules look no farther, but a few."""


class Middle:
    """Takes the lines between head and tail as they come and keeps what tells of a failure.

    At most `limit` bytes are kept: the first that tell, since later ones are their consequences.
    `kept` holds each line with its number in the whole log, from 1, in order.
    """

    def __init__(self, limit: int) -> None:
        self.kept: list[tuple[int, bytes]] = []
        self._room = limit
        self._telling = Telling()
        self._before: deque[tuple[int, bytes]] = deque(maxlen=_BEFORE)
        self._more = 0

    def add(self, data: bytes, first: int) -> None:
        """Take whole lines, each with its line feed; the first has the number `first`."""
        if self._room <= 0 or not data:
            return
        lines = data.split(b"\n")[:-1]
        telling = set(self._telling.lines(data))
        for index, line in enumerate(lines):
            if index in telling:
                for each in self._before:
                    self._keep(*each)
                self._before.clear()
                self._more = _AFTER + 1
            if self._more:
                self._more -= 1
                self._keep(first + index, line)
            else:
                self._before.append((first + index, line))

    def _keep(self, number: int, line: bytes) -> None:
        self._room -= len(line) + 1
        if self._room >= 0:
            self.kept.append((number, line))
