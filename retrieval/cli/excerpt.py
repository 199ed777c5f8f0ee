"""Excerpt: the head and the tail of an output of any length."""

import codecs


class Excerpt:
    """Takes an output piece by piece and keeps at most `limit` bytes of it.

    `dropped` counts the bytes between head and tail.
    """

    def __init__(self, limit: int) -> None:
        self.dropped = 0
        self._half = limit // 4 * 2  # even, as UTF-16 wants it
        self._head = bytearray()
        self._tail = bytearray()
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
        """The output, or its head and its tail, each with whole lines only."""
        if len(self._tail) > self._half:
            self._drop(len(self._tail) - self._half)
        if not self.dropped:
            return bytes(self._head + self._tail)
        if self._head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return bytes(self._head + self._tail)
        head = self._head[: self._head.rfind(b"\n") + 1]
        return bytes(head + self._tail[self._whole_from() :])

    def line(self, number: int) -> int:
        """The number in the whole output of line `number` of `bytes()`; both count from 1."""
        if not self.dropped or number <= self._head.count(b"\n"):
            return number
        return number + self._dropped_lines + (self._whole_from() > 0)

    def _whole_from(self) -> int:
        """Where the tail's first whole line begins; 0 when it has none."""
        begin = self._tail.find(b"\n") + 1 if self._cut_a_line else 0
        return begin if begin < len(self._tail) else 0

    def _drop(self, count: int) -> None:
        count -= count % 2
        if not count:
            return
        self._dropped_lines += self._tail.count(b"\n", 0, count)
        self._cut_a_line = self._tail[count - 1] != ord("\n")
        self.dropped += count
        del self._tail[:count]
