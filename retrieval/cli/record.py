"""`mem record`: a lesson by hand, into our journal."""

from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path

from indexing.entry import KINDS, Entry, Evidence, Lesson
from indexing.errors import BadQuery, MemError
from indexing.journal import append
from indexing.overrides import read
from indexing.settings import JOURNAL, OVERRIDES, find_mem_dir
from indexing.signature import Signature, extract, sign
from retrieval.cli import streams
from retrieval.cli.ask import file_list
from retrieval.cli.index import entries_of, has_vectors, place, rebuild, unread_of, update
from retrieval.cli.interface import Command
from retrieval.cli.runs import Failure, Runs, now
from retrieval.cli.streams import FOUND

_SMALL = 4 << 20  # bytes of memory that are indexed again in a moment
_TITLE = 200
_SENTENCES = {
    "--worked": "what worked",
    "--failed": "what only looked like a fix",
    "--gotcha": "what to mind",
}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--log", metavar="FILE", help="the failing log; - is stdin")
    parser.add_argument("--last", action="store_true", help="the last failure `mem run` saw")
    parser.add_argument("--tool", help="the tool that failed (default: detected)")
    parser.add_argument("--title", help="what happened (default: the log's root line)")
    parser.add_argument("--fix", default="", help="what fixed it")
    parser.add_argument("--root-cause", default="", metavar="CAUSE", help="why it happened")
    for name, what in _SENTENCES.items():
        parser.add_argument(
            name, action="append", default=[], metavar="TEXT", help=f"{what}; repeatable"
        )
    parser.add_argument("--files", action="append", metavar="A,B", help="the files that it took")
    parser.add_argument("--label", action="append", default=[], help="a label")
    parser.add_argument("--supersedes", metavar="ID", help="the memory that this one corrects")
    parser.add_argument("--kind", choices=KINDS, help="default: failure with a log, else note")


def _record(args: Namespace) -> int:
    mem_dir = find_mem_dir()
    last = _last(args, mem_dir) if args.last else None
    entry = _entry(args, last.signature if last else _signature(args, mem_dir))
    journal = mem_dir / JOURNAL
    id = append(journal, entry)
    is_indexed = False
    try:
        if not args.json:
            streams.write(f"{id}\n")
            streams.flush()  # now: another build may keep us waiting
    finally:
        # whoever asked has left, but the lesson is to be found; or we are stopped while we wait
        try:
            is_indexed = _settled(mem_dir, last)
        finally:
            if args.json:
                streams.write_json({"id": id, "journal": str(journal), "indexed": is_indexed})
    return FOUND


def _last(args: Namespace, mem_dir: Path) -> Failure:
    if args.log is not None:
        raise BadQuery("--last and --log: a lesson is of one failure; give one of them")
    last = Runs(mem_dir).last()
    if last is None or last.signature is None:
        raise BadQuery("--last: `mem run` has seen no failure here; give --log or --title")
    if args.tool is None:
        return last
    signature = sign(last.signature.raw, args.tool, last.signature.joined)
    return last._replace(signature=signature._replace(context=last.signature.context))


def _signature(args: Namespace, mem_dir: Path) -> Signature | None:
    if args.log is None:
        return None
    log = streams.read_log(args.log).bytes()
    found = extract(log, args.tool)
    if found is None:
        streams.say(f"mem record: {args.log}: no failure found, so that no log will find this")
        return None
    return read(mem_dir / OVERRIDES).marked(found, log)


def _entry(args: Namespace, signature: Signature | None) -> Entry:
    title = args.title or (signature.raw[:_TITLE] if signature else "")
    if not title:
        raise BadQuery("nothing says what happened; give --title, --log or --last")
    time = now()
    return Entry(
        id="",
        kind=args.kind or ("failure" if signature else "note"),
        title=title,
        labels=tuple(args.label),
        files=file_list(args.files),
        signature=signature,
        lesson=Lesson(
            worked=tuple(args.worked),
            failed=tuple(args.failed),
            gotchas=tuple(args.gotcha),
            root_cause=args.root_cause,
            fix=args.fix,
        ),
        evidence=Evidence(seen=1, first=time, last=time) if signature else Evidence(),
        captured_at=time,
        extra={"supersedes": args.supersedes} if args.supersedes else {},
    )


def _settled(mem_dir: Path, last: Failure | None) -> bool:
    """Whether a lookup finds it already; the lesson is safe whatever goes wrong here."""
    try:
        if last is not None:
            Runs(mem_dir).recorded(last)
    except Exception as error:
        streams.say(f"mem record: it is recorded, but `mem run` does not know: {_line(error)}")
    return indexed()


def indexed(verb: str = "mem record") -> bool:
    """Whether a lookup finds what was just recorded; it is safe whatever becomes of the index."""
    try:
        where = place()
        # to encode what came would take seconds
        where = where._replace(settings=where.settings._replace(semantic=0))
        at_once = _size(where.memory) <= _SMALL and not has_vectors(where.folder)
        report = rebuild(where) if at_once else update(where)
    except Exception as error:
        streams.say(f"{verb}: it is recorded, but not indexed: {_line(error)}")
        return False
    if report is None:
        streams.say(f"{verb}: run `mem index rebuild`, and lookups will find it")
        return False
    lacking = f"; it lacks {unread_of(report)}" if report.unread else ""
    how = "rebuilt" if at_once else "updated"
    streams.say(f"{verb}: the index was {how}, {entries_of(report)}{lacking}")
    return True


def _line(error: Exception) -> str:
    kind = "" if isinstance(error, MemError) else f"{type(error).__name__}: "
    return " ".join(f"{kind}{error}".split())


def _size(memory: list[Path]) -> int:
    from indexing.readers import memory_files

    total = 0
    for path in memory:
        with suppress(MemError, OSError):  # the report of the build says what cannot be read
            total += sum(file.stat().st_size for file in memory_files(path) if file.is_file())
    return total


COMMANDS = {
    "record": Command(_arguments, _record, 'mem record --log build.log --fix "npm install"'),
}
