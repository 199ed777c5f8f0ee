"""A command run as if nobody stood between: its output passes byte by byte, and is copied.

A process that the command leaves behind may go on writing: what it writes is passed on for as long
as it lives, by a process that we leave behind.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from types import FrameType
from typing import Any, NamedTuple

from retrieval.cli.excerpt import Excerpt

COPY_LIMIT = 8 << 20
"""Of a longer output the head and the tail are kept, in bytes."""

NOT_FOUND, NOT_RUN = 127, 126
"""What shells answer for a command that is not there, or cannot be run."""

_CHUNK = 1 << 16
_QUIET_S = 0.1
_LATE_READS = 32
"""So many pieces are copied after the end; a full pipe is in them, and an endless writer is not."""
_FROM_KEYBOARD = ("SIGINT", "SIGQUIT")
_DESCRIPTORS = 4096
"""What we were given open lies below; the system's own limit may be a thousand million."""
_ENDING = (*_FROM_KEYBOARD, "SIGTERM", "SIGHUP")
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
        _hand_over([relay for relay in relays if relay.is_open])
    return Ran(code if code >= 0 else 128 - code, copy.bytes(), bool(signals.came))


def _resolved(command: Sequence[str]) -> Sequence[str]:
    """On Windows `npm` is `npm.cmd`, which only a shell finds by itself."""
    if os.name != "nt":
        return command
    import shutil

    return [shutil.which(command[0]) or command[0], *command[1:]]


class _Relay(threading.Thread):
    """Passes on and copies what comes from one descriptor; `is_open` while more may come."""

    def __init__(self, source: int, to: int, copy: Excerpt, lock: threading.Lock) -> None:
        super().__init__(daemon=True)
        self.source = source
        self.to = to
        self.is_open = True
        self._copy = copy
        self._lock = lock
        self._ended = threading.Event()

    def run(self) -> None:
        late = 0
        while late < _LATE_READS:
            ended = self._ended.is_set()
            if not _is_readable(self.source):
                if ended:
                    return
                continue
            late += ended and os.name != "nt"  # where nobody could take it over
            data = _read(self.source)
            with self._lock:
                self._copy.add(data)
            if not data or not _write(self.to, data):
                self.close()
                return

    def close(self) -> None:
        """A command that still writes is told, by a signal of its own, that nobody reads."""
        os.close(self.source)
        self.is_open = False

    def finish(self) -> None:
        """Wait for what the command wrote, and no longer for what it left behind."""
        self._ended.set()
        self.join()


def _hand_over(relays: Sequence[_Relay]) -> None:
    """Leave it to a process of its own to pass on what is still to come, until the last byte."""
    if not relays:
        return
    try:
        if os.fork():
            for relay in relays:
                relay.close()
            return
    except OSError:
        _pass_on(relays)  # nobody can take it over: it is for us to stay
        return
    try:
        _stand_alone(relays)
        _pass_on(relays)
    finally:
        os._exit(0)


def _stand_alone(relays: Sequence[_Relay]) -> None:
    """Outlive what ends us, and hold nothing open that others wait for the end of."""
    for name in _ENDING:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    kept = sorted({descriptor for relay in relays for descriptor in (relay.source, relay.to)})
    for below, above in pairwise((-1, *kept, _DESCRIPTORS)):
        os.closerange(below + 1, above)


def _pass_on(relays: Sequence[_Relay]) -> None:
    import select

    to = {relay.source: relay.to for relay in relays}
    while to:
        for source in select.select([*to], [], [])[0]:
            data = _read(source)
            if not data or not _write(to[source], data):
                os.close(source)
                del to[source]


def _is_readable(source: int) -> bool:
    """Whether a read would not wait; asks for a moment. On Windows only a read can tell."""
    if os.name == "nt":
        return True
    import select

    return bool(select.select([source], [], [], _QUIET_S)[0])


def _read(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:  # how a terminal ends
        return b""


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
