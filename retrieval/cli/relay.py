"""A command run as if nobody stood between: its output passes byte by byte, and is copied."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple

from retrieval.cli.excerpt import Excerpt

COPY_LIMIT = 8 << 20
"""Of a longer output the head and the tail are kept, in bytes."""

NOT_FOUND, NOT_RUN = 127, 126
"""What shells answer for a command that is not there, or cannot be run."""

_CHUNK = 1 << 16
_QUIET_S = 0.1
_FROM_KEYBOARD = ("SIGINT", "SIGQUIT")
_FORWARDED = (*_FROM_KEYBOARD, "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


class Ran(NamedTuple):
    """How a command ended: its exit code (128 + a signal's number) and what it wrote.

    `stopped` says that a signal came from outside, so that the command is not to blame.
    """

    code: int
    output: bytes
    stopped: bool


def run(command: Sequence[str]) -> Ran:
    """Run a command with our stdin, its output to our stdout and stderr.

    Where our stdout is a terminal the command writes to one too, so that colours stay.

    Raises:
        OSError: It cannot be started.
    """
    copy = Excerpt(COPY_LIMIT)
    lock = threading.Lock()
    with _outputs() as (passes, stdout, stderr):
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr)
    relays = [_Relay(source, to, copy, lock) for source, to in passes.items()]
    with _forwarding(process) as stopped:
        for relay in relays:
            relay.start()
        code = process.wait()
        for relay in relays:
            relay.finish()
    return Ran(code if code >= 0 else 128 - code, copy.bytes(), bool(stopped))


class _Relay(threading.Thread):
    """Passes on and copies what comes from one descriptor."""

    def __init__(self, source: int, to: int, copy: Excerpt, lock: threading.Lock) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._to = to
        self._copy = copy
        self._lock = lock
        self._waits = False
        self._pieces = 0

    def run(self) -> None:
        while data := self._read():
            self._pieces += 1
            with self._lock:
                self._copy.add(data)
            if not _write(self._to, data):
                break
        # the command is told, by a signal of its own, that nobody reads any more
        os.close(self._source)

    def finish(self) -> None:
        """Wait for the end of what was written; a process that still holds the pipe may go on."""
        pieces = -1
        while self.is_alive() and not (self._waits and self._pieces == pieces):
            pieces = self._pieces
            self.join(_QUIET_S)

    def _read(self) -> bytes:
        self._waits = True
        try:
            return os.read(self._source, _CHUNK)
        except OSError:  # how a terminal ends
            return b""
        finally:
            self._waits = False


def _write(to: int, data: bytes) -> bool:
    """Whether all of it could be written; waits where the reader is slow."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(to, view) :]
        except BlockingIOError:
            import select

            select.select([], [to], [])
        except OSError:
            return False
    return True


@contextmanager
def _outputs() -> Iterator[tuple[Mapping[int, int], int, int]]:
    """What is read and where it goes, and the two ends for the command, which close at the end."""
    ours = [stream.fileno() for stream in (sys.__stdout__, sys.__stderr__) if stream is not None]
    one = len(ours) == 2 and _same(*ours)
    opened = [_opened(to) for to in (ours[:1] if one else ours)]
    ends = [end for _, end in opened]
    try:
        yield {source: to for (source, _), to in zip(opened, ours, strict=False)}, ends[0], ends[-1]
    finally:
        for end in ends:
            os.close(end)


def _same(left: int, right: int) -> bool:
    """Whether both go to one place: then one pipe keeps what was written in its order."""
    try:
        return os.path.sameopenfile(left, right) or (
            os.isatty(left) and os.isatty(right) and os.ttyname(left) == os.ttyname(right)
        )
    except OSError:
        return False


def _opened(to: int) -> tuple[int, int]:
    """An end to read, and one for the command: of a terminal when `to` is one, else of a pipe."""
    if os.name == "nt" or not os.isatty(to):
        return os.pipe()
    import pty
    import termios

    source, end = pty.openpty()
    modes = termios.tcgetattr(end)
    modes[1] &= ~termios.OPOST  # the terminal that shows it does what is to be done
    termios.tcsetattr(end, termios.TCSANOW, modes)
    with suppress(OSError, termios.error):
        termios.tcsetwinsize(end, termios.tcgetwinsize(to))
    return source, end


@contextmanager
def _forwarding(process: "subprocess.Popen[bytes]") -> Iterator[list[int]]:
    """While it lasts, signals go to the process; the numbers of those that came."""
    came: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if signal.Signals(number).name not in _FROM_KEYBOARD or not _in_foreground():
            process.send_signal(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in _FORWARDED:
            if number := getattr(signal, name, None):
                before[number] = signal.signal(number, forward)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """Whether a terminal sends us what is typed; then it sends it to the command as well."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
