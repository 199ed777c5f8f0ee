"""`mem run -- CMD…`: runs it untouched; shows what is known of its failure, credits what helped.

Whatever goes wrong on our side is one line on stderr: the command's exit code is ours.
"""

import os
import sys
import time
from argparse import REMAINDER, ArgumentParser, Namespace
from typing import TYPE_CHECKING

from indexing.errors import BadQuery, NoMemory
from indexing.settings import INDEX, JOURNAL, OVERRIDES, find_mem_dir, here, load
from retrieval.cli import relay, streams
from retrieval.cli.interface import Command
from retrieval.cli.runs import Failure, Runs, checkout, named, now, states

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexing.signature import Signature
    from retrieval.hit import Hit
    from retrieval.query import Query

_HOW_TO_RECORD = 'when you know the fix: mem record --last --fix "…"'

_TOLD_BEFORE = "what is known about this was told to this loop before"
_OF_CONTROL = "this loop is shown nothing, so that help can be measured (control)"


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--loop", metavar="ID", help="the loop that runs it (MEM_LOOP)")
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
        loop = args.loop or os.environ.get("MEM_LOOP", "")
        if ran.code == 0:
            _passed(command, ran, loop)
        elif not ran.stopped:
            _failed(command, ran, args.json, loop)
    except (Exception, KeyboardInterrupt) as error:
        streams.say(" ".join(f"mem run: {str(error) or type(error).__name__}".split()))
    return ran.code


def _failed(command: "Sequence[str]", ran: relay.Ran, as_json: bool, loop: str) -> None:
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
        if load(mem_dir).inject:
            hits, why_none = _hits(mem_dir, query, loop)
            took_ms = 1000 * (time.perf_counter() - began)
            _tell(hits, query, took_ms, as_json, _HOW_TO_RECORD, why_none)
    finally:
        # also when the index cannot be asked
        _remember(command, ran, mem_dir, query, hits, loop)


def _hits(mem_dir: "Path", query: "Query", loop: str) -> "tuple[list[Hit], str]":
    """What is shown; of what is known and not shown, why."""
    from indexing.stores.generations import POINTER
    from retrieval.memory import Memory

    if not os.path.lexists(mem_dir / INDEX / POINTER):
        return [], ""  # a memory that has nothing to tell yet
    if query.signature is None:
        return [], ""
    memory = Memory.open(mem_dir)
    hits = memory.lookup(query)
    if memory.unwatched:
        streams.say(f"mem run: {memory.unwatched}")
    if loop:
        from retrieval.cli.told import news
        from retrieval.looped import in_control

        if not news(memory, loop, query, hits, "|".join(hit.entry.id for hit in hits)) and hits:
            is_control = in_control(loop, memory.settings.control)
            return [], _OF_CONTROL if is_control else _TOLD_BEFORE
    return hits, ""


def _tell(
    hits: "list[Hit]",
    query: "Query",
    took_ms: float,
    as_json: bool,
    hint: str,
    why_none: str = "",
) -> None:
    """Say what is known on stderr; stdout is the command's."""
    if as_json:
        from retrieval.renderers.json import hits as as_line

        streams.say(as_line(hits, query.signature, took_ms).rstrip("\n"))
    elif query.signature is None:
        streams.say("mem run: its output shows no failure that could be looked up")
    elif why_none:
        streams.say(f"mem run: {why_none}")
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
    command: "Sequence[str]",
    ran: relay.Ran,
    mem_dir: "Path",
    query: "Query",
    hits: "list[Hit]",
    loop: str,
) -> None:
    import shlex
    from datetime import UTC, datetime

    from indexing.journal import Outcome, append_outcome, ulid
    from indexing.overrides import read

    root = checkout(mem_dir)
    name = named(command, here(), mem_dir.absolute().parent)
    signature = query.signature
    if signature is not None:
        ending = {"command": shlex.join(command), "exit_code": ran.code}
        signature = signature._replace(context={**signature.context, **ending})
        signature = read(mem_dir / OVERRIDES).marked(signature, ran.output)
    shown = {hit.entry.id: states(hit.entry.files or (), root) for hit in hits}
    runs = Runs(mem_dir)
    before = runs.pending(name)
    steps = {hit.entry.id: tuple(hit.entry.lesson.steps) for hit in hits if hit.entry.lesson.steps}
    made = Failure(name, now(), loop or ulid(datetime.now(UTC)), signature, shown, steps)
    failure = runs.failed(made)
    for hit in hits:
        append_outcome(mem_dir / JOURNAL, Outcome(hit.entry.id, "shown", loop=failure.loop))
    from retrieval.cli import history

    if before is not None and signature is not None and _is_same(before.signature, signature):
        for id in history.tried(mem_dir, before, root):
            append_outcome(mem_dir / JOURNAL, Outcome(id, "harmed", loop=failure.loop))
    history.failed(mem_dir, command, ran, failure, len(hits))


def _is_same(one: "Signature | None", other: "Signature") -> bool:
    return one is not None and one.sig_sha == other.sig_sha


def _passed(command: "Sequence[str]", ran: relay.Ran, loop: str) -> None:
    """Credit what was shown since the command failed, and learn from what was changed.

    An entry helped when its files changed or its steps were run, else it was not used.
    """
    try:
        mem_dir = find_mem_dir()
    except NoMemory:
        return
    runs = Runs(mem_dir)
    waiting = runs.waiting()
    failure = runs.passed(named(command, here(), mem_dir.absolute().parent))
    if waiting is None:
        return  # nothing is to be mended, so that nothing is to be learnt
    from retrieval.cli import history

    history.passed(mem_dir, command, ran, failure or waiting, is_mended=failure is not None)
    if failure is None:
        return
    if failure.shown:
        from indexing.journal import Outcome, append_outcome

        tried = history.tried(mem_dir, failure, checkout(mem_dir))
        for id in failure.shown:
            outcome = "helped" if id in tried else "unused"
            append_outcome(mem_dir / JOURNAL, Outcome(id, outcome, loop=failure.loop))
    learnt = history.learn(mem_dir, failure)
    if not failure.shown and not learnt and failure.signature is not None:
        streams.say('mem run: it passes now; mem record --last --fix "…" would store the fix')


COMMANDS = {"run": Command(_arguments, _run, "mem run -- npm ci")}
