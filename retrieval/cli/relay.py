"""A command run as if nobody stood between: its output passes byte by byte, and is copied."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, NamedTuple

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
    with _Signals() as signals:
        relays, process = _started(_resolved(command), copy)
        signals.to(process)
        for relay in relays:
            relay.start()
        code = process.wait()
        for relay in relays:
            relay.finish()
    return Ran(code if code >= 0 else 128 - code, copy.bytes(), bool(signals.came))


def _resolved(command: Sequence[str]) -> Sequence[str]:
    """On Windows `npm` is `npm.cmd`, which only a shell finds by itself."""
    if os.name != "nt":
        return command
    import shutil

    return [shutil.which(command[0]) or command[0], *command[1:]]


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


def _started(
    command: Sequence[str], copy: Excerpt
) -> "tuple[list[_Relay], subprocess.Popen[bytes]]":
    """The command, and what passes on its output; what is closed for us is closed for it."""
    ours = [to for to in (1, 2) if _is_open(to)]
    if ours == [1, 2] and _same(1, 2):
        source, end = _opened(1)
        pipes, ends = [(source, 1)], {1: end, 2: end}
    else:
        opened = {to: _opened(to) for to in ours}
        pipes = [(source, to) for to, (source, _) in opened.items()]
        ends = {to: end for to, (_, end) in opened.items()}
    try:
        process = subprocess.Popen(command, stdout=ends.get(1), stderr=ends.get(2))
    except OSError:
        for source, _ in pipes:
            os.close(source)
        raise
    finally:
        for end in set(ends.values()):
            os.close(end)
    lock = threading.Lock()
    return [_Relay(source, to, copy, lock) for source, to in pipes], process


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


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


class _Signals:
    """While it lasts, signals go to the process; `came` holds the numbers of those that came.

    What the caller ignores stays ignored, as for a command under `nohup`.
    """

    def __init__(self) -> None:
        self.came: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "_Signals":
        numbers = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)]
        for number in numbers:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def to(self, process: "subprocess.Popen[bytes]") -> None:
        """Name the process; what came while it started goes to it now."""
        self._process = process
        for number in self.came:
            process.send_signal(number)

    def _forward(self, number: int, frame: FrameType | None) -> None:
        self.came.append(number)
        typed = signal.Signals(number).name in _FROM_KEYBOARD and _in_foreground()
        if self._process is not None and not typed:
            self._process.send_signal(number)


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
