"""Excerpt: the head and the tail of an output of any length, and what tells between them."""

import codecs
from collections.abc import Sequence

from indexing.typed import Protocol

Data = bytes
Kept = Sequence[tuple[int, Data]]
"""Lines, each with its number in the whole output."""


class Between(Protocol):
    """What is kept of the middle; `indexing.signature.middle.Middle` is one."""

    @property
    def kept(self) -> Kept:
        """The lines, in order."""

    def add(self, data: bytes, first: int) -> None:
        """Take whole lines, each with its line feed; the first has the number `first`, from 1."""


class Excerpt:
    """Takes an output piece by piece and keeps at most `limit` bytes of it.

    `dropped` counts the bytes between head and tail. With a `middle` these pass through it, and the
    lines that it keeps stand between head and tail.
    """

    def __init__(self, limit: int, middle: Between | None = None) -> None:
        self.dropped = 0
        self._half = limit // 4 * 2  # even, as UTF-16 wants it
        self._head = bytearray()
        self._tail = bytearray()
        self._middle = middle
        self._begun = bytearray()
        self._dropped_lines = 0
        self._cut_a_line = False

    def add(self, data: bytes) -> None:
        """Take the next piece."""
        room = max(0, self._half - len(self._head))
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._half:
            self._drop(len(self._tail) - self._half)

    def bytes(self) -> bytes:
        """The output, or its head, what tells of its middle and its tail, in whole lines only."""
        if len(self._tail) > self._half:
            self._drop(len(self._tail) - self._half)
        if not self.dropped:
            return bytes(self._head + self._tail)
        if self._wide():
            return bytes(self._head + self._tail)
        head = self._head[: self._head.rfind(b"\n") + 1]
        between = b"".join(line + b"\n" for _, line in self._kept())
        return bytes(head + between + self._tail[self._whole_from() :])

    def line(self, number: int) -> int:
        """The number in the whole output of line `number` of `bytes()`; both count from 1."""
        heads = self._head.count(b"\n")
        if not self.dropped or number <= heads:
            return number
        kept = self._kept()
        if number <= heads + len(kept):
            return kept[number - heads - 1][0]
        return number - len(kept) + self._dropped_lines + (self._whole_from() > 0)

    def _kept(self) -> Kept:
        return self._middle.kept if self._middle is not None else ()

    def _wide(self) -> bool:
        return self._head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))

    def _whole_from(self) -> int:
        """Where the tail's first whole line begins; 0 when it has none."""
        begin = self._tail.find(b"\n") + 1 if self._cut_a_line else 0
        return begin if begin < len(self._tail) else 0

    def _drop(self, count: int) -> None:
        count -= count % 2
        if not count:
            return
        if self._middle is not None and not self._wide():
            self._pass_on(Data(self._tail[:count]), self._middle)
        self._dropped_lines += self._tail.count(b"\n", 0, count)
        self._cut_a_line = self._tail[count - 1] != ord("\n")
        self.dropped += count
        del self._tail[:count]

    def _pass_on(self, data: Data, middle: Between) -> None:
        """Whole lines go to the middle; the last waits for its end, cut where it has none."""
        first = self._head.count(b"\n") + self._dropped_lines + 1
        if not self._dropped_lines and not self._begun and not self._head.endswith(b"\n"):
            begin = self._head.rfind(b"\n") + 1  # the head's last line ends here
            self._begun += self._head[begin:]
        end = data.rfind(b"\n") + 1
        if end:
            middle.add(Data(self._begun) + data[:end], first)
            self._begun.clear()
        self._begun += data[end : end + self._half - len(self._begun)]
