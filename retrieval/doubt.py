"""Whether what is only alike may be shown for a failing log of which nothing sure is known.

A log has many words that another failure of the same tool has too, so that the lexical tier finds
something for nearly every log. What tells two failures apart are names, codes and numbers: a hit is
shown when those of its root line stand in the log, and most of its words in the log's root line,
or when both root lines complain of one thing that can be no other. Where each of the two root lines
names what the other does not hold, they are two failures, however alike their words are.
The bounds were chosen on one half of the groups of fixtures/failures, and hold on the other
(`scripts/bench/replay.py`): of failures that no memory was about, 93 of 100 were shown something
without them, and fewer than 1 with them; of those made to look like a known one, 11.
"""

import re
from typing import NamedTuple

from indexing.entry import Entry
from indexing.lazily import expression
from indexing.signature import Signature
from indexing.signature.normalise import normalise
from retrieval.hit import Hit
from retrieval.query import Query

LOWEST = 30
"""A hit with a lower score is not shown, whatever its words are."""

_MOST_SAID = 0.6
_NEARLY_ALL = 0.9
_BOTH_WAYS = 0.8
_NOBODYS = 40
_GENERIC = "generic"

_NAME = expression(
    r"['\"`‘“](?P<quoted>[^\s'\"`’”]{1,120})['\"`’”]"
    r"|(?P<name>[\w@./\\:+-]*(?:[a-z][A-Z]|\d|[_@/\\.+]|\w-\w)[\w@./\\:+-]*)"
    r"|\b(?P<code>[A-Z]{3,})\b"
)
# Long, and put together: what a person called something.
_THING = expression(r"^(?=.{6})(?=.*[a-z].*[_./-]|.*[_./-].*[a-z]|\^)[^\s\\]+$")
_FILE = expression(
    r"\.(?:[cm]?[jt]sx?|py|c|cc|cpp|go|rs|rb|java|php|tf|sh|ya?ml|json|toml|txt|build|csv|lock)$"
)
_WORD = expression(r"[A-Za-z]\w\w+")
_PLACEHOLDER = expression(r"<[A-Z][A-Z0-9_]*>")
# What a machine happens to have: a version in full, an address with its port.
_OF_MACHINE = expression(r"^v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?$|^[\w.]+:\d+$")


class _Said(NamedTuple):
    """What a root line says: what it names, and its words; both in lower case.

    `things` are the names that can be meant by nothing else: `ledger_checksum`, `shop-errors`; no
    file and line, no code of an error. `raw` is the whole line.
    """

    raw: str
    names: frozenset[str]
    words: frozenset[str]
    things: frozenset[str]


def may_be_shown(hit: Hit, query: Query) -> bool:
    """Whether a hit that is only alike names nothing that the log does not hold.

    Of another tool's failure both sides have to say nearly the same.
    """
    signature = query.signature
    if signature is None:
        return True
    if hit.score < LOWEST:
        return False
    theirs, ours = _said_by(_root_of(hit.entry)), _said_by(_lines(signature))
    if not theirs.words or not ours.words:
        return False
    log = _text(query.log).lower()
    if _differs(theirs, ours) and _differs(ours, theirs):
        return False
    missing = [name for name in theirs.names if not _stands_in(name, log)]
    shared = len(theirs.words & ours.words)
    of_theirs, of_ours = shared / len(theirs.words), shared / len(ours.words)
    known = hit.entry.signature
    is_tools = known is not None and known.tool == signature.tool
    is_nobodys = known is not None and _GENERIC in (known.tool, signature.tool)
    needed = LOWEST if is_tools else _NOBODYS if is_nobodys else 101
    if hit.score >= needed and theirs.things & ours.things and not theirs.things & {*missing}:
        return True
    if not is_tools:
        return not missing and min(of_theirs, of_ours) >= _BOTH_WAYS
    if len(missing) == 1:
        # where nothing else is named, the words have to agree both ways
        other = of_ours if len(theirs.names) == 1 else 1.0
        return min(of_theirs, other) >= _NEARLY_ALL
    return not missing and max(of_theirs, of_ours) >= _MOST_SAID


def _differs(one: _Said, other: _Said) -> bool:
    """Whether the one names something that the other does not hold."""
    return any(
        not _OF_MACHINE.search(name)
        and (not _is_place(name, one.raw) or _is_quoted(name, one.raw))
        and not _stands_in(name, other.raw)
        for name in one.names
    )


def _is_quoted(name: str, raw: str) -> bool:
    """Whether a file is what the line is about: `'./rates.js'`, no place in a folder."""
    return re.search(rf"['\"`](?:\./)?{re.escape(name)}['\"`]", raw) is not None


def _stands_in(name: str, log: str) -> bool:
    """Whether the log holds the name, and not only as a part of another."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", log) is not None


def _root_of(entry: Entry) -> str:
    return _lines(entry.signature) if entry.signature else entry.title


def _lines(signature: Signature) -> str:
    return "\n".join((signature.raw, *signature.joined))


def _said_by(root: str) -> _Said:
    text = _PLACEHOLDER.sub(" ", normalise(root))
    names = (next(filter(None, found.groups())) for found in _NAME.finditer(text))
    bare = {part.strip(".:,()").lower() for name in names for part in _parts(name)}
    named = frozenset(name for name in bare if name and not name.startswith("<"))
    return _Said(
        root.lower(),
        named,
        frozenset(word.lower() for word in _WORD.findall(text)),
        frozenset(name for name in named if _THING.search(name) and not _is_place(name, text)),
    )


def _parts(name: str) -> list[str]:
    """Of a path its last name, since folders differ from run to run; of an address all of it.

    An image or a package (`coreos/apache`) stays whole.
    """
    if "://" in name:
        return re.split(r"/+", name)
    is_whole = re.fullmatch(r"@?[\w.-]+/[\w.-]+(?::[\w.-]*)?", name) and not _FILE.search(name)
    return [name] if is_whole else [name.rpartition("/")[2]]


def _is_place(name: str, text: str) -> bool:
    """Whether it only says where: a file with a line, or a file that every project has."""
    if _FILE.search(name):
        return True
    return re.search(rf"{re.escape(name)}\W{{0,2}}(?::|\(|,? line )[<\d]", text, re.I) is not None


def _text(log: str | bytes | None) -> str:
    return log.decode("utf-8", "replace") if isinstance(log, bytes) else log or ""
