"""Query: what is known of the failure or of the issue at hand."""

import os
from collections.abc import Iterable

from indexing.entry import path_of
from indexing.errors import BadQuery
from indexing.signature import Signature, extract


class Query:
    """A failing log, an issue's words, the files at hand: any of them may be missing.

    Args:
        log: The whole output of the command that failed: text or bytes, and not the file's name.
        title: The issue's title, or one sentence about the task.
        body: Its description.
        files: Changed files; None when they are not known, which is not the same as none.
        labels: The issue's labels.
        tool: Taken as given; it is part of the signature's identity. None: detected.
        signature: Given instead of a log when it is known already.
        at: When it is asked, UTC, as `captured_at` of an entry; "": when the newest entry was made.

    Raises:
        BadQuery: One of them is none of this, such as one text where several belong.
    """

    __slots__ = ("_signature", "at", "body", "files", "labels", "log", "title", "tool")

    def __init__(
        self,
        log: str | bytes | bytearray | memoryview | None = None,
        *,
        title: str | None = "",
        body: str | None = "",
        files: Iterable[str | os.PathLike[str]] | None = None,
        labels: Iterable[str] | None = (),
        tool: str | None = None,
        signature: Signature | None = None,
        at: str = "",
    ) -> None:
        self.at = _text("at", at)
        self.log = _log(log)
        self.title = _text("title", title)
        self.body = _text("body", body)
        self.files = None if files is None else _files(files)
        self.labels = _texts("labels", () if labels is None else labels)
        self.tool = None if tool is None else _text("tool", tool)
        self._signature: Signature | bool | None = signature if signature is not None else False

    @property
    def only_log(self) -> bool:
        """Whether a failing log is all that is known."""
        return self.log is not None and not (self.title or self.body or self.files or self.labels)

    @property
    def signature(self) -> Signature | None:
        """The log's signature, taken when it is first asked for; None when it shows no failure."""
        if isinstance(self._signature, bool):
            self._signature = None if self.log is None else extract(self.log, self.tool)
        return self._signature


def _log(given: object) -> str | bytes | None:
    if given is None or isinstance(given, str | bytes):
        return given
    if isinstance(given, bytearray | memoryview):
        return bytes(given)
    if isinstance(given, os.PathLike):
        raise BadQuery(f"log: {given} is a path; give what the file holds, path.read_bytes()")
    raise BadQuery(f"log: expected text or bytes, found {type(given).__name__}")


def _text(name: str, given: object) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        raise BadQuery(f"{name}: expected text, found {type(given).__name__}")
    return given


def _files(given: object) -> tuple[str, ...]:
    """The paths in the spelling of the index, each once."""
    paths = map(path_of, _texts("files", given, paths=True))
    return tuple(dict.fromkeys(path for path in paths if path))


def _texts(name: str, given: object, paths: bool = False) -> tuple[str, ...]:
    if isinstance(given, str | bytes | os.PathLike):
        raise BadQuery(f"{name}: {given!r} is one; give a list of them, [{given!r}]")
    if not isinstance(given, Iterable):
        raise BadQuery(f"{name}: expected a list of texts, found {type(given).__name__}")
    texts = []
    for each in given:
        text = os.fspath(each) if paths and isinstance(each, os.PathLike) else each
        if not isinstance(text, str):
            raise BadQuery(f"{name}: expected texts, found {type(each).__name__} among them")
        texts.append(text)
    return tuple(texts)
