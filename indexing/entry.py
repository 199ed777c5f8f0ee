"""Entry, Lesson, Evidence, Source: the one record all memory becomes.

The records are named tuples: `dataclasses` imports `inspect`, and a frozen slotted dataclass takes
about a millisecond to make; `mem lookup` starts a fresh process on every failing command.
"""

import posixpath
from collections.abc import Mapping, Sequence

from indexing.signature.interface import Signature
from indexing.typed import Any, NamedTuple

KINDS = (
    "failure",
    "success",
    "error_pattern",
    "success_pattern",
    "anti_pattern",
    "code_template",
    "decision",
    "note",
)
OUTCOMES = ("shown", "applied", "helped", "harmed", "unused")


LONGEST_TEXT = 32_768
"""Of a longer text the head and the tail are kept, in characters."""


class Source(NamedTuple):
    """Where an entry was read.

    `file` is the path as the rebuild was given it, with forward slashes; `locator` says where in
    it: `line 12`, `failures[3]`.
    """

    system: str
    file: str
    locator: str = ""


class Lesson(NamedTuple):
    """What is to be learnt; `worked`, `failed`, `gotchas` and `steps` are lists of sentences."""

    worked: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    gotchas: tuple[str, ...] = ()
    root_cause: str = ""
    fix: str = ""
    steps: tuple[str, ...] = ()
    template: str = ""


class Evidence(NamedTuple):
    """How often it happened and what came of using it; times are UTC, `""` is unknown."""

    seen: int = 0
    shown: int = 0
    applied: int = 0
    helped: int = 0
    harmed: int = 0
    first: str = ""
    last: str = ""


class Entry(NamedTuple):
    """One memory.

    `files` is None when nobody recorded which files were touched, and empty when none were: the
    first is no evidence, the second is. `captured_at` is UTC, `2026-03-04T10:22:31Z`, so that its
    text sorts by time; `""` is unknown and oldest. `trust` is `clean`, or `quarantined: why`.
    `extra` holds the keys that the format's reader did not know, unchanged.
    """

    id: str
    kind: str
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] | None = None
    signature: Signature | None = None
    lesson: Lesson = Lesson()
    evidence: Evidence = Evidence()
    captured_at: str = ""
    source: Source = Source("", "")
    trust: str = "clean"
    extra: Mapping[str, Any] = {}

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, keys in the order of the fields."""
        made = self._asdict()
        made["signature"] = self.signature.as_dict() if self.signature else None
        made["lesson"] = self.lesson._asdict()
        made["evidence"] = self.evidence._asdict()
        made["source"] = self.source._asdict()
        made["extra"] = dict(self.extra)
        return made

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Entry":
        """The entry that `as_dict` wrote; the values are trusted to have its shape."""
        given = dict(values)
        given["labels"] = tuple(given["labels"])
        given["files"] = None if given["files"] is None else tuple(given["files"])
        if given["signature"]:
            given["signature"] = Signature.from_dict(given["signature"])
        given["lesson"] = Lesson(**{k: _frozen(v) for k, v in given["lesson"].items()})
        given["evidence"] = Evidence(**given["evidence"])
        given["source"] = Source(**given["source"])
        return Entry(**given)


def _frozen(value: str | Sequence[str]) -> Any:
    return value if isinstance(value, str) else tuple(value)


def path_of(text: str) -> str:
    """A file's path in one spelling: `/` between names, no `.`, and `..` only at its beginning.

    Empty when it names no file.
    """
    path = posixpath.normpath(text.strip().replace("\\", "/"))
    if path == ".":
        return ""
    return f"/{path.lstrip('/')}" if path.startswith("/") else path


def shortened(text: str) -> str:
    """The text, or its head and tail with a mark between them where it is endless."""
    left_out = len(text) - LONGEST_TEXT
    if left_out <= 0:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}\n[… {left_out:,} characters left out …]\n{text[-half:]}"
