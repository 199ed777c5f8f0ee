"""Runs: what `mem run` remembers of failed commands until they pass, in `.mem/runs.json`.

It is state of this machine and may be deleted at any time; the journal holds what matters.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from indexing.errors import MemError
from indexing.plain import read_plain
from indexing.redact import redact
from indexing.settings import here
from indexing.signature import Signature

FILE = "runs.json"
_KEPT = 200
_WAIT_S = 5.0

States = Mapping[str, str]
"""Files and the digest of what they held; `""` for one that is not there."""


class Failure(NamedTuple):
    """A command that failed and has not passed since.

    `loop` names all that happens until it passes; `shown` holds the entries that were shown, and
    how each one's files looked then; `steps` their commands.
    """

    command: str
    at: str
    loop: str
    signature: Signature | None
    shown: Mapping[str, States]
    steps: Mapping[str, Sequence[str]] = {}


def now() -> str:
    """The time in UTC, `2026-03-04T10:22:31Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def named(command: Sequence[str], cwd: Path, root: Path) -> str:
    """A command by which it is known again: its words without secrets, and where it ran."""
    import shlex

    there = cwd.relative_to(root).as_posix() if cwd.is_relative_to(root) else cwd.as_posix()
    return redact(f"{'' if there == '.' else there}$ {shlex.join(command)}")


def checkout(mem_dir: Path) -> Path:
    """The folder that the files of a command stand in: the memory's, or another where we are.

    `MEM_DIR` may name a memory that stands elsewhere.
    """
    root, where = mem_dir.absolute().parent, here()
    if where.is_relative_to(root):
        return root
    return next((up for up in (where, *where.parents) if (up / ".git").exists()), where)


def states(files: Sequence[str], root: Path) -> dict[str, str]:
    """How the files, named relative to `root`, look now."""
    return {file: _digest(root / file) for file in files}


class Runs:
    """The failures of one `.mem`; safe to use from several processes at once."""

    def __init__(self, mem_dir: Path) -> None:
        self._path = mem_dir / FILE

    def last(self) -> Failure | None:
        """The last failure that has a signature, passed since or not; None when there is none."""
        last = self._read()["last"]
        return None if last is None else _failure(last)

    def pending(self, command: str) -> Failure | None:
        """The failure of a command that has not passed since; None when there is none."""
        known = self._read()["failed"].get(command)
        return None if known is None else _failure(known)

    def waiting(self) -> Failure | None:
        """The latest failure of any command that has not passed since; None when there is none."""
        known = list(self._read()["failed"].values())
        return _failure(known[-1]) if known else None

    def recorded(self, failure: Failure) -> None:
        """Note that its lesson is stored: nothing is left to say of it when it passes."""
        with self._changed() as known:
            pending = known["failed"].get(failure.command)
            if pending is not None and not pending["shown"]:
                del known["failed"][failure.command]

    def failed(self, failure: Failure) -> Failure:
        """Remember a failure; what was shown at its earlier ones is still to be judged."""
        with self._changed() as known:
            earlier = known["failed"].pop(failure.command, None)
            if earlier is not None:
                before = _failure(earlier)
                shown = {**failure.shown, **before.shown}
                steps = {**failure.steps, **before.steps}
                failure = failure._replace(loop=before.loop, shown=shown, steps=steps)
            known["failed"][failure.command] = _as_dict(failure)
            known["failed"] = dict(list(known["failed"].items())[-_KEPT:])
            if failure.signature is not None:
                known["last"] = _as_dict(failure)
        return failure

    def passed(self, command: str) -> Failure | None:
        """Forget the failure of a command, which is what this gives; None when there is none."""
        if command not in self._read()["failed"]:
            return None
        with self._changed() as known:
            earlier = known["failed"].pop(command, None)
        return None if earlier is None else _failure(earlier)

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads(read_plain(self._path))
            for failure in [*known["failed"].values(), known["last"]]:
                if failure is not None:
                    _failure(failure)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {"failed": {}, "last": None}  # none yet, or nothing that we wrote
        return dict(known)

    @contextmanager
    def _changed(self) -> Iterator[dict[str, Any]]:
        """What is known, written back at the end; nobody else changes it meanwhile."""
        from filelock import FileLock, Timeout

        try:
            with FileLock(self._path.with_name(f"{FILE}.lock"), timeout=_WAIT_S):
                known = self._read()
                yield known
                text = json.dumps(known, indent=1) + "\n"
                new = self._path.with_name(f"{FILE}.new")
                with new.open("wb") as file:
                    file.write(text.encode("ascii"))
                    file.flush()
                    os.fsync(file.fileno())
                new.replace(self._path)
        except Timeout as error:
            raise MemError(f"{self._path}: another process holds its lock; try again") from error
        except OSError as error:
            raise MemError(f"{self._path}: cannot be written ({error.strerror})") from error


def _as_dict(failure: Failure) -> dict[str, Any]:
    signature = failure.signature
    return {
        "command": failure.command,
        "at": failure.at,
        "loop": failure.loop,
        "signature": None if signature is None else without_secrets(signature.as_dict()),
        "shown": {id: dict(files) for id, files in failure.shown.items()},
        "steps": {id: list(steps) for id, steps in failure.steps.items()},
    }


def _failure(values: Mapping[str, Any]) -> Failure:
    signature = values["signature"]
    return Failure(
        str(values["command"]),
        str(values["at"]),
        str(values["loop"]),
        None if signature is None else Signature.from_dict(signature),
        {str(id): dict(files) for id, files in values["shown"].items()},
        {str(id): tuple(map(str, steps)) for id, steps in values.get("steps", {}).items()},
    )


def without_secrets(value: Any) -> Any:
    """The value, each text in it redacted."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: without_secrets(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(each) for each in value]
    return value


def _digest(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
