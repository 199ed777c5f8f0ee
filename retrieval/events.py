"""Events: one JSON line each, for whoever wants to watch; off unless MEM_EVENTS names a file."""

import os


def emit(name: str, to: str = "", /, **fields: object) -> str:
    """Append `{"event": name, …fields}` to the file `to` or that of `MEM_EVENTS`; never raises.

    An event that cannot be written is dropped: watching must not break what is watched. The line
    is one write to a file opened for appending, so that events of several processes do not mix.

    Returns:
        Why it was dropped, in one line; empty when it was not, or nobody watches.
    """
    path = to or os.environ.get("MEM_EVENTS")
    if not path:
        return ""
    try:
        _append(path, {"event": name} | fields | {"event": name})
    except Exception as error:
        reason = getattr(error, "strerror", None) or error
        return " ".join(f"{path}: events cannot be written ({reason})".split())
    return ""


def _append(path: str, event: dict[str, object]) -> None:
    import json

    line = json.dumps(event, default=str, allow_nan=False) + "\n"
    # Not blocking: a pipe that nobody reads is an error at once instead of a wait for ever.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
    try:
        os.write(handle, line.encode("ascii"))
    finally:
        os.close(handle)
