"""The patterns of a journal: decisions about them, their lineage, and the archive."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import Entry
from indexing.errors import BadQuery, MemError
from indexing.journal import VERSION, append_record, ulid
from indexing.learning.merge import Decisions
from indexing.readers.interface import Decided
from indexing.readers.journal import Journal

PATTERNS = ("error_pattern", "success_pattern", "anti_pattern", "code_template")
ARCHIVE = "archive"


class Use(NamedTuple):
    """That a loop found or used a pattern; `what` is `discovered`, `applied` or `shown`.

    `went` is True or False, None when nobody can tell; `superseded` says that a later word of the
    same loop counts in its place.
    """

    at: str
    loop: str
    what: str
    went: bool | None
    who: str = ""
    place: str = ""
    superseded: bool = False


def records(journal: Path) -> list[dict[str, Any]]:
    """The journal's records that are objects; what is none is the reader's to complain of."""
    found = []
    try:
        text = journal.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise MemError(f"{journal}: cannot be read ({error.strerror})") from error
    for line in text.split("\n"):  # in a text may stand what else ends a line
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def lineage(journal: Path, ids: Iterable[str]) -> list[Use]:
    """What loops did with a pattern that has these ids, in the order of time."""
    wanted = set(ids)
    uses: list[Use] = []
    first = True
    told = sorted(
        (each for each in records(journal) if each.get("entry_id") in wanted),
        key=lambda each: str(each.get("at") or ""),
    )
    verdicts: dict[str, int] = {}
    for record in told:
        op, outcome = record.get("op"), record.get("outcome")
        at, loop = str(record.get("at") or ""), str(record.get("loop") or "")
        if op == "found":
            what = "discovered" if first else "applied"
            went = {"helped": True, "harmed": False}.get(str(outcome))
            place = ", ".join(str(record[key]) for key in ("file", "place") if record.get(key))
            uses.append(Use(at, loop, what, went, str(record.get("contributed_by") or ""), place))
            first = False
        elif op == "outcome" and outcome in ("helped", "harmed", "unused", "applied"):
            went = {"helped": True, "harmed": False}.get(str(outcome))
            what = "unused" if outcome == "unused" else "applied"
            use = Use(at, loop, what, went, str(record.get("who") or ""))
            if loop and loop in verdicts and outcome != "applied":
                before = verdicts[loop]
                if uses[before].who and not use.who:
                    use = use._replace(superseded=True)
                else:
                    uses[before] = uses[before]._replace(superseded=True)
            if outcome != "applied" and not use.superseded:
                verdicts[loop] = len(uses)
            uses.append(use)
        elif op == "outcome" and outcome == "shown":
            uses.append(Use(at, loop, "shown", None))
    return uses


def decisions(journal: Path) -> tuple[Decisions, list[Decided]]:
    """What holds, and everything that was ever decided, in order of time."""
    made = []
    if journal.exists():
        read = Journal().read(journal, journal.name)
        made = [record for record in read if isinstance(record, Decided)]
    return Decisions.of(made), sorted(made, key=lambda each: (each.at, each.id))


def decide(journal: Path, op: str, who: str, note: str = "", **values: Any) -> str:
    """Record a decision; its id. Errors are those of `journal.append`.

    It is later than all before it, also where another machine's clock was ahead of ours.
    """
    now = max(datetime.now(UTC), _after(journal))
    id = ulid(now)
    at = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    told = {"v": VERSION, "op": op, "id": id, "at": at, "who": who, "note": note}
    append_record(journal, {**told, **values})
    return id


def _after(journal: Path) -> datetime:
    """A second after the last decision; long ago when there is none whose time can be read."""
    _, made = decisions(journal)
    for each in reversed(made):
        try:
            return datetime.fromisoformat(each.at).astimezone(UTC) + timedelta(seconds=1)
        except (ValueError, OverflowError):
            continue
    return datetime.min.replace(tzinfo=UTC)


def archive(mem_dir: Path, journal: Path, entry: Entry, why: str, who: str) -> str:
    """Move an entry out of sight: a copy in the month's archive, then the decision; its id."""
    month = datetime.now(UTC).strftime("%Y-%m")
    folder = mem_dir / ARCHIVE
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise MemError(f"{folder}: cannot be made ({error.strerror})") from error
    file = f"{ARCHIVE}/{month}-patterns.jsonl"
    append_record(mem_dir / file, {"why": why, "entry": entry.as_dict()})
    return decide(journal, "archive", who, why, entry_id=entry.id, file=file)


def undo(journal: Path, id: str, who: str, note: str = "") -> Decided:
    """Take a decision back; which it was.

    Raises:
        BadQuery: There is none whose id begins so, several, or it was taken back already.
    """
    _, made = decisions(journal)
    undone = {str(each.values.get("undoes")) for each in made if each.op == "undo"}
    found = [each for each in made if id and each.id.startswith(id) and each.op != "undo"]
    if len(found) != 1:
        how = "no decision has" if not found else f"{len(found)} decisions have"
        raise BadQuery(f"{id}: {how} an id that begins so; see mem patterns log")
    if found[0].id in undone:
        raise BadQuery(f"{id}: it was taken back already")
    decide(journal, "undo", who, note, undoes=found[0].id)
    return found[0]


def loops_of(journal: Path) -> tuple[list[Mapping[str, Any]], set[str], set[str]]:
    """How loops ended, the ids of those that were shown something, and of the control group."""
    ended: dict[str, Mapping[str, Any]] = {}
    shown: set[str] = set()
    withheld: set[str] = set()
    for record in records(journal):
        loop = str(record.get("loop") or "")
        if record.get("op") == "loop":
            ended[loop] = record
        elif record.get("op") == "withheld":
            withheld.add(loop)
        elif record.get("op") == "outcome" and record.get("outcome") == "shown" and loop:
            shown.add(loop)
    return list(ended.values()), shown, withheld
