"""`mem learn`: from finished loops to patterns in our journal."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.errors import BadQuery
from indexing.settings import JOURNAL, Settings, find_mem_dir, load
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND, NOTHING

if TYPE_CHECKING:
    from indexing.learning.loop import Loop
    from indexing.learning.loops import Unread
    from indexing.learning.store import Learned, Stored

_TYPES = ("error", "success", "anti", "template")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="loops, or their folders"
    )
    parser.add_argument("--all", action="store_true", help="every loop history that is found here")
    parser.add_argument(
        "--types", metavar="A,B", help=f"of {','.join(_TYPES)} (default: all of them)"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be learnt, no more")


def _learn(args: Namespace) -> int:
    from indexing.learning.loops import homes

    mem_dir = find_mem_dir()
    root = mem_dir.absolute().parent
    settings = load(mem_dir)
    types = _types(args.types, settings)
    paths = [*args.paths, *(homes(root, mem_dir) if args.all else ())]
    if not paths:
        if args.all:
            streams.say("mem learn: no loop history was found here")
            return NOTHING
        raise BadQuery("nothing is named; give loops, or --all for those that are found here")
    unread: list[Unread] = []
    learned = list(_read(paths, root, types, settings, unread))
    for each in unread:
        line = f":{each.line}" if each.line else ""
        streams.say(f"mem learn: {each.file}{line}: {each.reason}")
    stored = None
    if not args.dry_run:
        from indexing.learning.store import store

        stored = store(mem_dir / JOURNAL, learned)
        if stored.patterns or stored.findings:
            from retrieval.cli.record import indexed

            indexed("mem learn")
    return _tell(learned, stored, args)


def taught(loop: "Loop", settings: Settings, types: tuple[str, ...] | None = None) -> "Learned":
    """What a loop teaches, as far as the settings let it; None takes the types they want."""
    from indexing.learning.extract import found_in
    from indexing.learning.loop import SUCCESS
    from indexing.learning.store import Learned

    if loop.result != SUCCESS and not settings.learn_failed:
        return Learned(loop, ())
    return Learned(loop, tuple(found_in(loop, types or _types(None, settings))))


def _types(given: str | None, settings: Settings) -> tuple[str, ...]:
    if given is None:
        return tuple(each for each in _TYPES if each != "template" or settings.learn_templates)
    types = tuple(each.strip() for each in given.split(",") if each.strip())
    for each in types:
        if each not in _TYPES:
            raise BadQuery(f"--types: there is no '{each}'; take of {', '.join(_TYPES)}")
    return types


def _read(
    paths: list[Path],
    root: Path,
    types: tuple[str, ...],
    settings: Settings,
    unread: "list[Unread]",
) -> "Iterator[Learned]":
    from indexing.learning.loops import Unread, read_loops

    for path in dict.fromkeys(paths):
        for loop in read_loops(path, root):
            if isinstance(loop, Unread):
                unread.append(loop)
            else:
                yield taught(loop, settings, types)


def _tell(learned: "list[Learned]", stored: "Stored | None", args: Namespace) -> int:
    from retrieval.cli.runs import without_secrets

    found = [each for loop in learned for each in loop.found]
    if args.json:
        for each in found:
            entry = each.entry
            told = {
                "id": entry.id,
                "kind": entry.kind,
                "title": entry.title,
                "lesson": entry.lesson._asdict(),
                "loop": each.finding.loop,
                "outcome": each.finding.outcome,
                "stored": not args.dry_run,
            }
            streams.write_json({key: without_secrets(value) for key, value in told.items()})
        return FOUND if found else NOTHING
    from retrieval.untrusted import line

    for loop, its in learned:
        runs = "1 run" if loop.iterations == 1 else f"{loop.iterations} runs"
        streams.write(f"{line(loop.id)}: {loop.result or 'no outcome'}, {runs}\n")
        for each in its:
            said = each.entry.lesson.fix or each.entry.title
            streams.write(f"  {each.entry.kind:<16} {each.entry.id}\n    {line(said)[:120]}\n")
    if not found:
        streams.say("mem learn: nothing was learnt; a fix counts once its command passed again")
    elif stored is None:
        streams.say(f"mem learn: {len(found)} would be recorded (--dry-run)")
    else:
        streams.say(
            f"mem learn: {stored.patterns} new, {stored.findings} findings,"
            f" {stored.loops} loops recorded"
        )
    return FOUND if found else NOTHING


COMMANDS = {"learn": Command(_arguments, _learn, "mem learn .aiwg/ralph")}
