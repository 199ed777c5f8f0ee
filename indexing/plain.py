"""Plain files, opened without waiting: a pipe that lies where a file should is an error at once."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


def open_plain(path: Path) -> BufferedReader:
    """The file, to be read.

    Raises:
        OSError: It cannot be opened, or is a folder, a pipe, a socket or a device.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, kind_of(mode), str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_plain(path: Path) -> bytes:
    """All that the file holds; errors are those of `open_plain`."""
    with open_plain(path) as file:
        return file.read()


def odd(path: Path) -> str:
    """What is odd about a path that is to be a plain file or a folder; empty when it is one.

    Nothing is opened.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "is a link to nothing" if path.is_symlink() else "is not there"
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "is a link in a loop of links"
        return f"cannot be looked at ({error.strerror})"
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else kind_of(mode)


def kind_of(mode: int) -> str:
    """What a file of this mode is, when it is no plain one."""
    return next((says for holds, says in _KINDS if holds(mode)), "is no plain file")
