"""`mem lookup` and `mem context`: what is known of a failing log or of an issue."""

import os
import sys
import time

from indexing.errors import BadIndex, BadQuery, MemError
from indexing.settings import SCORERS
from indexing.typed import TYPE_CHECKING
from retrieval.cli import streams
from retrieval.cli.interface import Command, whole_number
from retrieval.cli.streams import FOUND, NOTHING, STDIN
from retrieval.memory import Memory
from retrieval.query import Query

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from typing import IO

    from indexing.signature import Signature
    from retrieval.hit import Hit


def _query_arguments(parser: "ArgumentParser") -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="a failing log; - is stdin")
    parser.add_argument("--tool", help="the tool that failed (default: detected)")
    parser.add_argument("--title", default="", help="the issue's title, or the task in a sentence")
    parser.add_argument("--body", default="", help="the issue's description; - is stdin")
    parser.add_argument("--files", action="append", metavar="A,B", help="the files at hand")
    parser.add_argument("--label", action="append", default=[], help="one of the issue's labels")
    parser.add_argument(
        "-k", type=whole_number, metavar="N", help="so many hits at most (default: top_k)"
    )
    parser.add_argument("--scorer", choices=SCORERS, help="how titles and texts are compared")
    parser.add_argument("--index", metavar="DIR", help="another index than .mem/index")
    parser.add_argument(
        "--loop", metavar="ID", help="the loop that asks: it is told nothing twice (MEM_LOOP)"
    )


def _context_arguments(parser: "ArgumentParser") -> None:
    _query_arguments(parser)
    parser.add_argument("--max-tokens", type=whole_number, metavar="N", help="the block's budget")
    parser.add_argument(
        "--format",
        choices=("issues", "patterns"),
        default="issues",
        help="similar issues, or the patterns of earlier loops",
    )
    parser.add_argument("--strict", action="store_true", help="answer 2 when something is wrong")


def _lookup(args: "Namespace") -> int:
    began = time.perf_counter()
    query = _query(args)
    try:
        memory = _opened(args)
        hits = memory.lookup(query, args.k, args.scorer)
        _tell_unwatched(memory)
    except BadIndex as error:
        hits, memory = _slowly(query, args, error), None
    if memory is not None and (loop := _loop(args)):
        from retrieval.cli.told import news

        if not news(memory, loop, query, hits, "|".join(hit.entry.id for hit in hits)):
            streams.say(f"mem lookup: nothing that loop {loop} was not told")
            return NOTHING
    took_ms = 1000 * (time.perf_counter() - began)
    if args.json:
        from retrieval.renderers.json import hits as as_json

        streams.write(as_json(hits, query.signature, took_ms))
    elif hits:
        streams.write(for_people(hits, query.signature, took_ms, sys.stdout))
    else:
        # there is no result, so that these are words about it
        streams.say(for_people(hits, query.signature, took_ms, sys.stderr).rstrip("\n"))
    return FOUND if hits else NOTHING


def _slowly(query: Query, args: "Namespace", error: BadIndex) -> "list[Hit]":
    """The same failure as the memory files know it; the error itself when they do not.

    What is only alike cannot be found in this way, so that no hit is no answer.
    """
    from retrieval import slowly
    from retrieval.cli.index import place

    if query.signature is None or args.index is not None:
        raise error  # what another index was made from is not known
    try:
        where = place()
        decided = Memory(where.folder, where.settings, where.folder.parent).overrides
        limit = where.settings.top_k if args.k is None else args.k
        hits = slowly.lookup(query, where.memory, limit, where.settings, decided, where.root)
    except MemError:
        raise error from None
    if not hits:
        raise error
    streams.say(f"mem: {error}. Until then the same failure is looked for in the memory files")
    return hits


def _context(args: "Namespace") -> int:
    query = _query(args)
    memory = _opened(args)
    if not memory.settings.inject:
        return FOUND
    budget = memory.settings.max_tokens if args.max_tokens is None else args.max_tokens
    hits: Sequence[Hit]
    if args.format == "patterns":
        hits, text = memory.patterns(query, args.k, budget, args.scorer)
    else:
        hits, text = memory.lookup(query, args.k, args.scorer), ""
    _tell_unwatched(memory)
    if hits:
        if args.format != "patterns":
            from retrieval.context import block

            text = block(hits, budget)
        if loop := _loop(args):
            from retrieval.cli.told import news

            text = text if news(memory, loop, query, hits, text) else ""
        if text and args.json:
            streams.write_json({"block": text})
        else:
            streams.write(text)
    return FOUND


def _loop(args: "Namespace") -> str:
    return args.loop or os.environ.get("MEM_LOOP", "")


def _opened(args: "Namespace") -> Memory:
    memory = Memory.open(index=args.index, asks_once=True)
    for problem in memory.overrides.problems if memory.overrides else ():
        streams.say(f"mem: {problem}")
    return memory


def _tell_unwatched(memory: Memory) -> None:
    if memory.unwatched:
        streams.say(f"mem: {memory.unwatched}")


def _query(args: "Namespace") -> Query:
    name = args.file
    told = args.title or args.body or args.label or args.files is not None
    if name is None and not told:
        if sys.stdin is None or sys.stdin.isatty():
            raise BadQuery("nothing is asked; name a log, pipe one in, or give --title")
        name = STDIN
    return Query(
        None if name is None else streams.read_log(name).bytes(),
        title=args.title,
        body=streams.read_text(STDIN) if args.body == STDIN else args.body,
        files=file_list(args.files),
        labels=args.label,
        tool=args.tool,
    )


def file_list(given: "Sequence[str] | None") -> tuple[str, ...] | None:
    """The paths of `--files a,b`; None when they were not given, which is not the same as none."""
    if given is None:
        return None
    return tuple(path.strip() for each in given for path in each.split(",") if path.strip())


def for_people(
    hits: "Sequence[Hit]", signature: "Signature | None", took_ms: float, stream: "IO[str] | None"
) -> str:
    """The hits as text; wrapped, and in colours, when the stream is a terminal."""
    from retrieval.renderers.text import hits as as_text

    return as_text(hits, signature, took_ms, streams.width_of(stream), streams.in_colour())


COMMANDS = {
    "lookup": Command(_query_arguments, _lookup, "mem lookup build.log --files src/auth.py"),
    "context": Command(
        _context_arguments,
        _context,
        'mem context --title "Token refresh fails after logout" --files src/auth.py',
    ),
}
