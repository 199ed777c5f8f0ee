"""What goes out and comes in: results to stdout, words about them to stderr, logs from a file."""

import json
import os
import sys
from collections.abc import Mapping

from indexing.errors import BadQuery, MemError
from indexing.typed import TYPE_CHECKING, Any, NoReturn
from retrieval.cli.excerpt import Between, Excerpt

if TYPE_CHECKING:
    from typing import IO

FOUND, NOTHING, FAILED = 0, 1, 2
INTERRUPTED, CLOSED = 130, 141
"""What a shell sees of a program that SIGINT or SIGPIPE ended."""

STDIN = "-"
LOG_LIMIT = 32 << 20
"""Of a bigger log the head and the tail are looked at, in bytes, and what tells between them."""

_CHUNK = 1 << 20


def write(text: str) -> None:
    """Write a result to stdout, in UTF-8 whatever the locale; half a character is escaped."""
    stdout = sys.stdout
    with _WRITTEN:
        if buffer := getattr(stdout, "buffer", None):
            stdout.flush()
            buffer.write(text.encode("utf-8", "backslashreplace"))
        elif stdout is not None:
            stdout.write(text)


def write_json(values: Mapping[str, Any]) -> None:
    """Write a result as one line of JSON, in ASCII."""
    write(json.dumps(values, separators=(",", ":")) + "\n")


def say(words: str) -> None:
    """Write words about the result to stderr; what cannot be said is not."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{words}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _silence(sys.stderr)


def flush() -> None:
    """Send out what was written, so that a closed or full stdout is met here, not at the exit.

    Raises:
        BrokenPipeError: Nobody reads it any more.
        MemError: It cannot be written.
    """
    with _WRITTEN:
        if sys.stdout is not None:
            sys.stdout.flush()


def leave(code: int) -> NoReturn:
    """End the process at once, once all that was written is out."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except _CANNOT:
            continue
    os._exit(code)


_CANNOT = (OSError, ValueError, AttributeError)


class _Written:
    """What cannot be written to stdout is dropped, and an error."""

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, OSError):
            _silence(sys.stdout)
            if not isinstance(error, BrokenPipeError):
                raise MemError(f"stdout: cannot be written ({error.strerror})") from error


_WRITTEN = _Written()


def _silence(stream: "IO[str] | None") -> None:
    """Drop what the stream still holds: Python would fail on it when it exits."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)
    except _CANNOT:
        return


def read_log(name: str) -> Excerpt:
    """The bytes of a file, or of stdin when `name` is `-`.

    Raises:
        BadQuery: It cannot be read.
    """
    log = Excerpt(LOG_LIMIT, _middle())
    try:
        if name == STDIN:
            if sys.stdin is None:
                raise BadQuery("stdin: it is closed; name a file")
            _read_all(sys.stdin.buffer, log)
        else:
            with open(name, "rb") as file:  # noqa: PTH123 - a lookup imports no pathlib
                _read_all(file, log)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadQuery(f"{name}: cannot be read ({reason})") from error
    if log.dropped:
        say(
            f"mem: {name}: it has more than {LOG_LIMIT >> 20} MB; of the {log.dropped:,} bytes in"
            " its middle only the lines that tell of a failure, and those around, were looked at"
        )
    return log


def _middle() -> Between:
    from indexing.signature.middle import Middle

    return Middle(LOG_LIMIT // 8)


def read_text(name: str) -> str:
    """The text of a file, or of stdin; errors are those of `read_log`."""
    return read_log(name).bytes().decode("utf-8", "replace")


def width_of(stream: "IO[str] | None") -> int | None:
    """The columns of the terminal that the stream is; None when it is none."""
    try:
        if stream is None or not stream.isatty():
            return None
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return None


def in_colour() -> bool:
    """Whether a terminal is to have colours; see https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _read_all(file: "IO[bytes]", log: Excerpt) -> None:
    while chunk := file.read(_CHUNK):
        log.add(chunk)
