"""Plain files, opened without waiting: a pipe that lies where a file should is an error at once.

And Place, by which a lookup names them.
"""

import errno
import os
import stat
from io import BufferedReader

from indexing.typed import Path

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP)
_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


class Place(str):
    """A file or folder, with what a lookup needs of `Path`.

    To import `pathlib` takes a third of the time in which Python starts.
    """

    __slots__ = ()

    def __new__(cls, path: str | os.PathLike[str] = "") -> "Place":
        """The place of that name; "" is the current folder."""
        return super().__new__(cls, _spelled(os.fspath(path)))

    def __truediv__(self, name: str) -> "Place":
        return Place(os.path.join(self, name))

    @property
    def name(self) -> str:
        """Its last part."""
        return os.path.basename(self)

    @property
    def parent(self) -> "Place":
        """The folder that holds it; of the topmost, itself."""
        return Place(os.path.dirname(self))

    def absolute(self) -> "Place":
        """The same, seen from wherever."""
        return Place(os.path.join(os.getcwd(), self))

    def stat(self) -> os.stat_result:
        """What the system knows of it."""
        return os.stat(self)

    def exists(self) -> bool:
        """Whether it is there; not to be let in to look is an error, as for `Path`."""
        return self._mode() is not None

    def is_dir(self) -> bool:
        """Whether it is a folder; errors are those of `exists`."""
        mode = self._mode()
        return mode is not None and stat.S_ISDIR(mode)

    def _mode(self) -> int | None:
        try:
            return os.stat(self).st_mode
        except ValueError:
            return None
        except OSError as error:
            if error.errno in _NOT_THERE:
                return None
            raise


def _spelled(path: str) -> str:
    """As `Path` spells it."""
    if os.sep != "/":
        from pathlib import Path

        return str(Path(path))
    names = "/".join(name for name in path.split("/") if name not in ("", "."))
    return f"/{names}" if path.startswith("/") else names or "."


AnyPath = Path | Place
"""What names a file on the way of a lookup."""


def open_plain(path: "AnyPath") -> BufferedReader:
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


def read_plain(path: "AnyPath") -> bytes:
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
