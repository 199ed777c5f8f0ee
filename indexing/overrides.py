"""What people decided about signatures: two are one failure (alias), or one is two (split).

`.mem/overrides.jsonl` is append-only JSON lines, one decision each, meant to be committed:

    {"op":"alias","v":1,"id","at","who","note","a":SIDE,"b":SIDE}      these are one failure
    {"op":"split","v":1,"id","at","who","note","of":SIDE,"text":TEXT}  told apart by this text
    {"op":"split","v":1,"id","at","who","note","of":SIDE,"file":NAME}  … or by this file's name
    {"op":"revoke","v":1,"id","at","who","note","revokes":ID}          that decision is no more

SIDE is `{"tool","raw","joined","sig_sha"}`. Its raw lines are signed with today's rules when they
are read; the hash only says what it was that day. An index knows nothing of decisions, so that they
hold at once, outlive a rebuild, and cost nothing where there are none. Lines may stand in any order
and twice, as git leaves them; what is no decision is noted and passed over.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import Entry
from indexing.errors import BadQuery
from indexing.lazily import sha256
from indexing.plain import read_plain
from indexing.signature import Signature, keys, sign
from indexing.signature.lines import Log

VERSION = 1
ALIAS, SPLIT, REVOKE = "alias", "split", "revoke"
TEXT, FILE = "text", "file"
HOLDS = "holds"
"""In a signature's context: what its log holds of that by which signatures are split."""

_LARGEST = 16 << 20  # bytes; a decision has some hundreds
_LONGEST_LITERAL = 500


class Side(NamedTuple):
    """A failure that a decision is about; `sig_sha` is its hash on that day."""

    tool: str
    raw: str
    joined: tuple[str, ...]
    sig_sha: str

    @property
    def signature(self) -> Signature:
        """By today's rules."""
        return _signed(self.tool, self.raw, self.joined)


class Decision(NamedTuple):
    """An alias of two sides, or a split of one `by` a `literal`; `revoked` says when, if it was."""

    op: str
    id: str
    at: str
    who: str
    note: str
    sides: tuple[Side, ...]
    by: str = ""
    literal: str = ""
    revoked: str = ""

    @property
    def mark(self) -> str:
        """What stands in a signature's context when its log holds the literal."""
        return f"{self.by}:{self.literal}"

    def is_in(self, text: str) -> bool:
        """Whether the text holds the literal, letter by letter; a file's name as a whole name."""
        return _names(text, self.literal) if self.by == FILE else self.literal in text

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values; each side with its hash of today and of that day."""
        return {
            "id": self.id,
            "op": self.op,
            "at": self.at,
            "who": self.who,
            "note": self.note,
            "revoked": self.revoked or None,
            "by": {self.by: self.literal} if self.by else None,
            "sides": [
                {
                    "tool": side.tool,
                    "raw": side.raw,
                    "joined": list(side.joined),
                    "sig_sha": side.signature.sig_sha,
                    "sig_sha_then": side.sig_sha,
                }
                for side in self.sides
            ],
        }


class Other(NamedTuple):
    """Another signature of the same failure, and the decision that says so."""

    signature: Signature
    decision: Decision


class Key(NamedTuple):
    """A hash under which a memory may hold the failure; `sure` when it is this very failure."""

    sig_sha: str
    note: str
    sure: bool


class Asked(NamedTuple):
    """What to look for, best first, and which of what is found belongs to it."""

    keys: Sequence[Key]
    splits: Sequence[tuple[Decision, bool]]

    def admits(self, entry: Entry) -> bool:
        """Whether the entry is on the same side of every split."""
        return all(
            _holds(split, _told_by(entry), entry.signature) == held for split, held in self.splits
        )

    @property
    def note(self) -> str:
        """What the splits decided, in words; empty without any."""
        return "; ".join(
            f"split: {'both hold' if held else 'neither holds'} '{split.literal}'"
            for split, held in self.splits
        )


class Applied(NamedTuple):
    """A decision that holds for a failure: with which `other` it is one, or whether it `held`."""

    decision: Decision
    other: Signature | None = None
    held: bool = False

    def as_dict(self, key: str) -> dict[str, Any]:
        """As `mem sig explain --json` prints it; `key` is what `Overrides.key` gave."""
        decision, other = self.decision, self.other
        told: dict[str, Any] = {
            "id": decision.id,
            "op": decision.op,
            "at": decision.at,
            "who": decision.who,
            "note": decision.note,
            "key": key,
        }
        if other is None:
            return {**told, "by": {decision.by: decision.literal}, "found": self.held}
        kept = ("tool", "raw", "joined", "normalised", "sig_sha")
        return {**told, "with": {name: other.as_dict()[name] for name in kept}}


class Overrides:
    """The decisions in order of their time; those that were revoked count for nothing.

    `problems` names the lines that are no decision, one line of text each.
    """

    def __init__(self, decisions: Sequence[Decision], problems: Sequence[str] = ()) -> None:
        self.decisions = decisions
        self.problems = problems
        in_force = [decision for decision in decisions if not decision.revoked]
        self._aliases: dict[str, list[tuple[Side, Side, Decision]]] = {}
        for decision in in_force:
            if decision.op == ALIAS:
                a, b = decision.sides
                self._aliases.setdefault(a.tool, []).append((a, b, decision))
                self._aliases.setdefault(b.tool, []).append((b, a, decision))
        self._splits = [decision for decision in in_force if decision.op == SPLIT]

    def others(self, signature: Signature) -> list[Other]:
        """The other signatures of the same failure, the nearest first; aliases of aliases too."""
        found: dict[str, Other] = {}
        waiting = [signature]
        for each in waiting:
            for ours, theirs, decision in self._aliases.get(each.tool, ()):
                if ours.signature.sig_sha != each.sig_sha:
                    continue
                other = theirs.signature
                if other.sig_sha != signature.sig_sha and other.sig_sha not in found:
                    found[other.sig_sha] = Other(other, decision)
                    waiting.append(other)
        return list(found.values())

    def splits(self, signature: Signature, log: str | bytes | None) -> list[tuple[Decision, bool]]:
        """The splits of this failure, and whether it holds the literal of each.

        Args:
            signature: The failure.
            log: Where the literals are looked for; None: only in the root line and those joined.
        """
        members = [signature, *(other.signature for other in self.others(signature))]
        hashes = {sha for member in members for sha, _ in keys(member)}
        of = [split for split in self._splits if split.sides[0].signature.sig_sha in hashes]
        if not of:
            return []
        text = _text_of(signature, log)
        return [(split, _holds(split, text, signature)) for split in of]

    def key(self, signature: Signature, log: str | bytes | None = None) -> str:
        """What is equal for two failures that are one: `sig_sha`, unless something was decided.

        Of aliases it is the smallest hash; each literal that is held makes another of it.
        """
        hashes = [other.signature.sig_sha for other in self.others(signature)]
        key = min(signature.sig_sha, *hashes) if hashes else signature.sig_sha
        for split, held in self.splits(signature, log):
            if held:
                key = sha256(f"{key}\n{split.mark}".encode()).hexdigest()
        return key

    def asked(self, signature: Signature, log: str | bytes | None) -> Asked:
        """The hashes to try for a failure, as `keys` has them, and those of its aliases."""
        sure: dict[str, Key] = {}
        weaker: dict[str, Key] = {}
        for each, alias in [
            (signature, ""),
            *((other.signature, _said(other.decision)) for other in self.others(signature)),
        ]:
            for sha, note in keys(each):
                key = Key(sha, "; ".join(filter(None, (alias, note))), not note)
                (weaker if note else sure).setdefault(sha, key)
        rest = [key for sha, key in weaker.items() if sha not in sure]
        return Asked([*sure.values(), *rest], self.splits(signature, log))

    def deciding(
        self, a: tuple[Signature, str | bytes | None], b: tuple[Signature, str | bytes | None]
    ) -> Decision | None:
        """What makes one failure of two signatures, or two of one; None when nothing does.

        Each is a signature and its log.
        """
        one = self.key(*a) == self.key(*b)
        if one == (a[0].sig_sha == b[0].sig_sha):
            return None
        if one:
            others = self.others(a[0])
            return next(each.decision for each in others if each.signature.sig_sha == b[0].sig_sha)
        halves = zip(self.splits(*a), self.splits(*b), strict=True)
        return next(split for (split, ours), (_, theirs) in halves if ours != theirs)

    def applied(self, signature: Signature, log: str | bytes | None) -> list[Applied]:
        """The decisions that hold for a failure: its aliases, then its splits."""
        aliases = [Applied(each.decision, each.signature) for each in self.others(signature)]
        splits = [Applied(split, None, held) for split, held in self.splits(signature, log)]
        return aliases + splits

    def marked(self, signature: Signature, log: str | bytes) -> Signature:
        """The signature with what its log holds of the splits, for a memory that keeps no log."""
        held = [split.mark for split, held in self.splits(signature, log) if held]
        if not held:
            return signature
        return signature._replace(context={**signature.context, HOLDS: held})

    def find(self, id: str, op: str) -> Decision:
        """The decision whose id begins so.

        Raises:
            BadQuery: None does, or several do, or it was revoked.
        """
        found = [
            each for each in self.decisions if each.op == op and each.id.startswith(id.upper())
        ]
        if len(found) != 1:
            many = f"{len(found)} begin so" if found else "there is none"
            raise BadQuery(f"{id}: no id of one {op} ({many}); see `mem sig overrides`")
        if found[0].revoked:
            raise BadQuery(f"{found[0].id}: was revoked {found[0].revoked}; nothing to do")
        return found[0]


def read(path: Path) -> Overrides:
    """The decisions of a file; none when it is missing. Never raises."""
    try:
        if path.stat().st_size > _LARGEST:
            return Overrides(
                (), [f"{path}: has more than {_LARGEST >> 20} MB; not read, shorten it"]
            )
        text = read_plain(path).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return Overrides(())
    except OSError as error:
        return Overrides((), [f"{path}: cannot be read ({error.strerror})"])
    decisions: dict[str, Decision] = {}
    revoked: dict[str, str] = {}
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if record["op"] == REVOKE:
                revoked[str(record["revokes"])] = str(record["at"])
            else:
                decision = _decision(record)
                decisions.setdefault(decision.id, decision)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            reason = f"lacks {error}" if isinstance(error, KeyError) else "is no decision"
            problems.append(f"{path}:{number}: {reason}; it is passed over, mend or remove it")
    for id, at in revoked.items():
        if id in decisions:
            decisions[id] = decisions[id]._replace(revoked=at)
    in_order = sorted(decisions.values(), key=lambda decision: (decision.at, decision.id))
    return Overrides(in_order, problems)


def alias(path: Path, a: Signature, b: Signature, note: str = "", who: str = "") -> str:
    """Record that two signatures are one failure; the decision's id. Errors are the journal's."""
    return _record(path, {"op": ALIAS}, {"a": _told(a), "b": _told(b)}, note, who)


def split(path: Path, of: Signature, by: str, literal: str, note: str = "", who: str = "") -> str:
    """Record that a signature is two failures; the decision's id. Errors are the journal's.

    Args:
        path: The file of decisions.
        of: What is to be told apart.
        by: `text`, or `file` for the base name of a file.
        literal: What one of the two holds and the other does not; never an expression.
        note: Why, for people.
        who: Whose decision it is.

    Raises:
        BadQuery: The literal tells nothing apart, or is a secret.
    """
    return _record(path, {"op": SPLIT}, {"of": _told(of), by: checked(literal)}, note, who)


def revoke(path: Path, decision: Decision, note: str = "", who: str = "") -> str:
    """Record that a decision is no more; this record's id. Nothing is erased."""
    return _record(path, {"op": REVOKE}, {"revokes": decision.id}, note, who)


def holds(split: Decision, signature: Signature, log: str | bytes | None) -> bool:
    """Whether a failure holds the split's literal."""
    return _holds(split, _text_of(signature, log), signature)


def checked(literal: str) -> str:
    """The literal, when it can tell failures apart.

    Raises:
        BadQuery: It is empty or next to it, has several lines, is endless, or holds a secret.
    """
    if "\n" in literal or "\r" in literal:
        raise BadQuery("the text to split by has several lines; name what stands in one")
    if sum(map(str.isalnum, literal)) < 2:
        raise BadQuery(f"'{literal}' is in almost any log; split by 2 letters or digits at least")
    if len(literal) > _LONGEST_LITERAL:
        raise BadQuery(f"the text to split by has more than {_LONGEST_LITERAL} characters")
    from indexing.redact import redact

    if redact(literal) != literal:
        raise BadQuery("the text to split by holds a secret, and would be committed; take another")
    return literal


def _record(path: Path, op: Mapping[str, Any], what: Mapping[str, Any], note: str, who: str) -> str:
    from indexing.journal import append_record, ulid

    now = datetime.now(UTC)
    id = ulid(now)
    at = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    append_record(path, {**op, "v": VERSION, "id": id, "at": at, "who": who, "note": note, **what})
    return id


def _told(signature: Signature) -> dict[str, Any]:
    return {
        "tool": signature.tool,
        "raw": signature.raw,
        "joined": list(signature.joined),
        "sig_sha": signature.sig_sha,
    }


def _decision(record: Mapping[str, Any]) -> Decision:
    """The decision that a line holds; KeyError, TypeError or ValueError when it holds none."""
    op = record["op"]
    if op not in (ALIAS, SPLIT) or record["v"] > VERSION:
        raise ValueError(op)
    told = (record["a"], record["b"]) if op == ALIAS else (record["of"],)
    by = "" if op == ALIAS else FILE if FILE in record else TEXT
    literal = record[by] if by else ""
    texts = [record["id"], record["at"], record.get("who", ""), record.get("note", ""), literal]
    if not all(isinstance(text, str) for text in texts) or (by and not literal):
        raise ValueError(op)
    id, at, who, note, _ = texts
    return Decision(op, id, at, who, note, tuple(map(_side, told)), by, literal)


def _side(told: Mapping[str, Any]) -> Side:
    joined = told.get("joined", ())
    texts = [told["tool"], told["raw"], told.get("sig_sha", ""), *joined]
    if not isinstance(joined, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise ValueError("side")
    return Side(told["tool"], told["raw"], tuple(joined), texts[2])


@lru_cache(maxsize=4096)
def _signed(tool: str, raw: str, joined: tuple[str, ...]) -> Signature:
    return sign(raw, tool, joined)


def _said(decision: Decision) -> str:
    return f"alias: one failure, decided {decision.at[:10]}"


def _holds(split: Decision, text: str, signature: Signature | None) -> bool:
    marks = signature.context.get(HOLDS) if signature is not None else None
    return split.is_in(text) or (isinstance(marks, list | tuple) and split.mark in marks)


def _text_of(signature: Signature, log: str | bytes | None) -> str:
    """Where literals are looked for: the root line, those joined, and the log when it is there."""
    lines = "\n".join((signature.raw, *signature.joined))
    return lines if log is None else f"{lines}\n{Log(log).text}"


def _told_by(entry: Entry) -> str:
    """What an entry keeps of its failure; it has no log any more."""
    signature = entry.signature
    lines = (signature.raw, *signature.joined) if signature else ()
    return "\n".join((entry.title, entry.body, *lines))


def _names(text: str, name: str) -> bool:
    """Whether the name stands in the text as a file's whole last name."""
    for at in _places(text, name):
        before, after = text[max(0, at - 1) : at], text[at + len(name) : at + len(name) + 2]
        if before and (before.isalnum() or before in "_-."):
            continue
        if after[:1].isalnum() or after[:1] in ("_", "-"):
            continue
        if after[:1] == "." and after[1:].isalnum():
            continue  # another ending
        return True
    return False


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at != -1:
        yield at
        at = text.find(part, at + 1)
