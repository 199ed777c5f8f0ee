"""`mem run -- CMD…`: runs it untouched; shows what is known of its failure, credits what helped.

Whatever goes wrong on our side is one line on stderr: the command's exit code is ours.
"""

import os
import sys
import time
from argparse import REMAINDER, ArgumentParser, Namespace
from typing import TYPE_CHECKING

from indexing.errors import BadQuery, NoMemory
from indexing.settings import INDEX, JOURNAL, OVERRIDES, find_mem_dir, here
from retrieval.cli import relay, streams
from retrieval.cli.interface import Command
from retrieval.cli.runs import Failure, Runs, named, now, states

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.hit import Hit
    from retrieval.query import Query

_HOW_TO_RECORD = 'when you know the fix: mem record --last --fix "…"'


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("command", nargs=REMAINDER, metavar="-- CMD…", help="the command")


def _run(args: Namespace) -> int:
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise BadQuery("no command is given; name it behind --, as in mem run -- npm ci")
    try:
        ran = relay.run(command)
    except OSError as error:
        streams.say(f"mem run: {command[0]}: {error.strerror}")
        return relay.NOT_FOUND if isinstance(error, FileNotFoundError) else relay.NOT_RUN
    try:
        if ran.code == 0:
            _passed(command)
        elif not ran.stopped:
            _failed(command, ran, args.json)
    except (Exception, KeyboardInterrupt) as error:
        streams.say(" ".join(f"mem run: {str(error) or type(error).__name__}".split()))
    return ran.code


def _failed(command: "Sequence[str]", ran: relay.Ran, as_json: bool) -> None:
    from retrieval.query import Query

    query = Query(ran.output)
    try:
        mem_dir = find_mem_dir()
    except NoMemory:
        _tell([], query, 0.0, as_json, "`mem init` starts a memory")
        return
    hits: list[Hit] = []
    began = time.perf_counter()
    try:
        hits = _hits(mem_dir, query)
        took_ms = 1000 * (time.perf_counter() - began)
        _tell(hits, query, took_ms, as_json, _HOW_TO_RECORD)
    finally:
        # also when the index cannot be asked
        _remember(command, ran, mem_dir, query, hits)


def _hits(mem_dir: "Path", query: "Query") -> "list[Hit]":
    from indexing.stores.generations import POINTER
    from retrieval.memory import Memory

    if not os.path.lexists(mem_dir / INDEX / POINTER):
        return []  # a memory that has nothing to tell yet
    if query.signature is None:
        return []
    memory = Memory.open(mem_dir)
    hits = memory.lookup(query)
    if memory.unwatched:
        streams.say(f"mem run: {memory.unwatched}")
    return hits


def _tell(hits: "list[Hit]", query: "Query", took_ms: float, as_json: bool, hint: str) -> None:
    """Say what is known on stderr; stdout is the command's."""
    if as_json:
        from retrieval.renderers.json import hits as as_line

        streams.say(as_line(hits, query.signature, took_ms).rstrip("\n"))
    elif query.signature is None:
        streams.say("mem run: its output shows no failure that could be looked up")
    elif not hits:
        streams.say(f"mem run: nothing is known about this; {hint}")
    elif streams.width_of(sys.stderr) is not None:
        from retrieval.cli.ask import for_people

        streams.say("\n" + for_people(hits, query.signature, took_ms, sys.stderr).rstrip("\n"))
    else:
        # an agent may read it, so that it is fenced and short
        from retrieval.context import block

        streams.say("\n" + block(hits).rstrip("\n"))


def _remember(
    command: "Sequence[str]", ran: relay.Ran, mem_dir: "Path", query: "Query", hits: "list[Hit]"
) -> None:
    import shlex
    from datetime import UTC, datetime

    from indexing.journal import Outcome, append_outcome, ulid
    from indexing.overrides import read

    root = mem_dir.absolute().parent
    name = named(command, here(), root)
    signature = query.signature
    if signature is not None:
        ending = {"command": shlex.join(command), "exit_code": ran.code}
        signature = signature._replace(context={**signature.context, **ending})
        signature = read(mem_dir / OVERRIDES).marked(signature, ran.output)
    shown = {hit.entry.id: states(hit.entry.files or (), root) for hit in hits}
    loop = ulid(datetime.now(UTC))
    failure = Runs(mem_dir).failed(Failure(name, now(), loop, signature, shown))
    for hit in hits:
        append_outcome(mem_dir / JOURNAL, Outcome(hit.entry.id, "shown", loop=failure.loop))


def _passed(command: "Sequence[str]") -> None:
    """Credit what was shown since the command failed: an entry helped when its files changed."""
    try:
        mem_dir = find_mem_dir()
    except NoMemory:
        return
    root = mem_dir.absolute().parent
    failure = Runs(mem_dir).passed(named(command, here(), root))
    if failure is None:
        return
    if not failure.shown:
        if failure.signature is not None:
            streams.say('mem run: it passes now; mem record --last --fix "…" would store the fix')
        return
    from indexing.journal import Outcome, append_outcome

    for id, files in failure.shown.items():
        outcome = "unused" if states(tuple(files), root) == files else "helped"
        append_outcome(mem_dir / JOURNAL, Outcome(id, outcome, loop=failure.loop))


COMMANDS = {"run": Command(_arguments, _run, "mem run -- npm ci")}
