"""Query: what is known of the failure or of the issue at hand."""

from collections.abc import Iterable

from indexing.signature import Signature, extract


class Query:
    """A failing log, an issue's words, the files at hand: any of them may be missing.

    Args:
        log: The whole output of the command that failed.
        title: The issue's title, or one sentence about the task.
        body: Its description.
        files: Changed files; None when they are not known, which is not the same as none.
        labels: The issue's labels.
        tool: Taken as given; it is part of the signature's identity. None: detected.
        signature: Given instead of a log when it is known already.
        at: When it is asked, UTC, as `captured_at` of an entry; "": when the newest entry was made.
    """

    __slots__ = ("_signature", "at", "body", "files", "labels", "log", "title", "tool")

    def __init__(
        self,
        log: str | bytes | None = None,
        *,
        title: str = "",
        body: str = "",
        files: Iterable[str] | None = None,
        labels: Iterable[str] = (),
        tool: str | None = None,
        signature: Signature | None = None,
        at: str = "",
    ) -> None:
        self.at = at
        self.log = log
        self.title = title
        self.body = body
        self.files = None if files is None else tuple(files)
        self.labels = tuple(labels)
        self.tool = tool
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
