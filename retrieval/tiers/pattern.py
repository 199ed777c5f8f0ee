"""Pattern: the same message in another wording, or about another name where the fix is general."""

import struct
from collections.abc import Mapping, Sequence

from indexing.entry import Entry
from indexing.lazily import sha256
from indexing.learning.message import VERSION, Message, form_of, message_of
from indexing.typed import TYPE_CHECKING
from retrieval.hit import Hit, Why
from retrieval.query import Query

if TYPE_CHECKING:
    from indexing.build import Rows
    from indexing.recipe import MadeWith
    from indexing.stores.generations import Buffer
    from indexing.stores.interface import Store

SAME = 88
"""The same message about the same names: only the wording differs."""
GENERAL = 70
"""About another name; the fix has a placeholder for it."""

_ROW = struct.Struct(">8sI")
_NO_FORM = bytes(8)


class Pattern:
    """Entries whose root line says the same as the query's, apart from what is quoted in it.

    It is asked when the signature is not known, or known without a fix.
    """

    name = "pattern"
    sure = False

    def made_with(self) -> "MadeWith":
        """The version of the forms."""
        return {"forms": VERSION}

    def gather(self) -> "_Forms":
        """The forms of entries that have a fix."""
        return _Forms()

    def merge(
        self, gathered: "Sequence[tuple[Mapping[str, Buffer], Rows]]", entries: Sequence[Entry]
    ) -> Mapping[str, bytes]:
        """`forms`: 8 bytes of the form's hash and a row (u32), in order of both."""
        import numpy as np

        forms = np.frombuffer(b"".join(files["forms"] for files, _ in gathered), ">u8")
        row_of = np.concatenate([np.empty(0, np.int64), *(rows for _, rows in gathered)])
        kept = np.flatnonzero((row_of >= 0) & (forms != 0))
        found = np.empty(len(kept), [("form", ">u8"), ("row", ">u4")])
        found["form"], found["row"] = forms[kept], row_of[kept]
        return {"forms": found[np.lexsort((found["row"], found["form"]))].tobytes()}

    def search(self, query: Query, store: "Store", limit: int) -> list[Hit]:
        """At most `limit` hits, those about the same names first."""
        signature = query.signature
        message = message_of(signature.raw) if signature else None
        if signature is None or message is None or not message.form:
            return []
        wanted = _hash(message.form)
        found = (
            store.row(number, place)
            for number, segment in enumerate(store.segments)
            for place in _rows(segment.part(self.name)["forms"], wanted)
        )
        rows = sorted(row for row in found if row is not None)
        hits = [_hit(store.entry(row), message) for row in rows]
        others = [hit for hit in hits if hit and not _is_same(hit.entry, signature.sig_sha)]
        return sorted(others, key=lambda hit: -hit.score)[:limit]


class _Forms:
    """The hash of each entry's form, `_NO_FORM` where there is none or no fix."""

    def __init__(self) -> None:
        self._hashes = bytearray()

    def take(self, entries: Sequence[Entry]) -> None:
        self._hashes += b"".join(map(_hash_of, entries))

    def done(self) -> Mapping[str, bytes]:
        return {"forms": bytes(self._hashes)}


def _hash_of(entry: Entry) -> bytes:
    lesson, signature = entry.lesson, entry.signature
    mends = lesson.fix or lesson.worked or lesson.steps
    form = form_of(signature.raw) if signature and mends else ""
    return _hash(form) if form else _NO_FORM


def _is_same(entry: Entry, sig_sha: str) -> bool:
    return entry.signature is not None and entry.signature.sig_sha == sig_sha


def _hash(form: str) -> bytes:
    return sha256(form.encode("utf-8", "surrogatepass")).digest()[:8]


def _rows(forms: memoryview, wanted: bytes) -> list[int]:
    low, high = 0, len(forms) // _ROW.size
    while low < high:
        middle = (low + high) // 2
        if bytes(forms[middle * _ROW.size : middle * _ROW.size + 8]) < wanted:
            low = middle + 1
        else:
            high = middle
    rows = []
    while low < len(forms) // _ROW.size:
        found, row = _ROW.unpack_from(forms, low * _ROW.size)
        if found != wanted:
            break
        rows.append(row)
        low += 1
    return rows


def _hit(entry: Entry, asked: Message) -> Hit | None:
    assert entry.signature is not None
    known = message_of(entry.signature.raw)
    if known.slots == asked.slots:
        return Hit(entry, Pattern.name, SAME, Why(note="the same message in another wording"))
    if not _is_general(entry, known):
        return None
    told = ", ".join(f"'{slot}'" for slot in known.slots if slot not in asked.slots)
    note = f"the same kind of failure; the memory is about {told}"
    return Hit(entry, Pattern.name, GENERAL, Why(note=note))


def _is_general(entry: Entry, message: Message) -> bool:
    """Whether the fix serves another name: it has a placeholder, and names none of this case."""
    lesson = entry.lesson
    told = (lesson.fix, lesson.template, *lesson.steps)
    return "{{" in lesson.template and not any(
        slot and slot in text for slot in message.slots for text in told
    )
