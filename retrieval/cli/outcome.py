"""`mem outcome`: what came of a memory, said by whoever saw it."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from indexing.entry import OUTCOMES
from indexing.errors import BadQuery
from indexing.settings import INDEX, JOURNAL, find_mem_dir
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND

if TYPE_CHECKING:
    from indexing.entry import Entry


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of one")
    parser.add_argument("outcome", choices=OUTCOMES, help="what came of it")
    parser.add_argument("--loop", default="", metavar="ID", help="the loop in which; counts once")


def _outcome(args: Namespace) -> int:
    from indexing.journal import Outcome, append_outcome
    from indexing.learning.evidence import abstains, uses
    from indexing.settings import load
    from retrieval.cli.overrides import who
    from retrieval.cli.record import indexed

    mem_dir = find_mem_dir()
    entry = the_entry(args.id)
    told = Outcome(entry.id, args.outcome, loop=args.loop, who=who() or "somebody")
    id = append_outcome(mem_dir / JOURNAL, told)
    is_indexed = indexed("mem outcome")
    known = the_entry(entry.id).evidence if is_indexed else entry.evidence
    why = abstains(known, load(mem_dir).policy)
    if args.json:
        streams.write_json({"id": id, "entry_id": entry.id, "evidence": known._asdict()})
    else:
        streams.write(f"{entry.id}: helped {known.helped} of {uses(known)} times\n")
    if why:
        streams.say(f"mem outcome: {why}")
    return FOUND


def the_entry(id: str) -> "Entry":
    """The one entry of the index with this id, or whose id begins so.

    Raises:
        BadQuery: There is none, or there are several.
    """
    from indexing.stores.local import LocalStore

    store = LocalStore.open(find_mem_dir() / INDEX)
    row = store.with_id(id)
    if row is not None:
        return store.entry(row)
    found = store.named(id) if len(id) >= 4 else []
    if not found:
        raise BadQuery(f"{id}: no memory has this id; mem patterns list, or mem lookup --json")
    if len(found) > 1:
        ids = ", ".join(store.entry(row).id for row in found[:5])
        raise BadQuery(f"{id}: begins {len(found)} ids ({ids}); give more of it")
    return store.entry(found[0])


COMMANDS = {"outcome": Command(_arguments, _outcome, "mem outcome pat-error-null-check helped")}
