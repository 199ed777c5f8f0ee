"""`mem index rebuild`, `update`, `status`, `verify`: from memory files to an index, its health."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from indexing.errors import BadIndex, NoMemory
from indexing.settings import INDEX, Settings, find_mem_dir, load, memory_paths
from retrieval.cli import streams
from retrieval.cli.interface import Command, semantic_argument, semantic_of
from retrieval.cli.streams import FAILED, FOUND, NOTHING

if TYPE_CHECKING:
    from indexing.build import Progress, Report
    from indexing.entry import Source
    from indexing.stores.local import LocalStore

_SHOWN = 20
_BIG_FILE = 64 << 20  # its size alone tells whether it changed


class Place(NamedTuple):
    """The index, what it is made from, and the folder below which files are named."""

    folder: Path
    memory: list[Path]
    settings: Settings
    root: Path | None


def place(index: Path | None = None, memory: Sequence[Path] | None = None) -> Place:
    """The index of the `.mem` here or above, or the one that is named.

    Raises:
        NoMemory: There is no `.mem`, and not all that it would say was given.
        BadSettings: Its settings are wrong.
    """
    try:
        mem_dir = find_mem_dir()
    except NoMemory:
        if index is None:
            raise
        return Place(index, list(memory or ()), load(None), None)
    settings = load(mem_dir)
    listed = memory_paths(mem_dir, settings) if memory is None else list(memory)
    return Place(index or mem_dir / INDEX, listed, settings, mem_dir.absolute().parent)


def rebuild(
    place: Place, on_progress: "Callable[[Progress], None] | None" = None, workers: int = 1
) -> "Report":
    """Make the index anew; errors are those of `build_index`."""
    from indexing.build import build_index
    from retrieval.tiers import VECTORS, parts

    return build_index(
        place.memory,
        place.folder,
        parts(place.settings, place.folder / VECTORS, on_progress),
        place.settings,
        on_progress,
        root=place.root,
        workers=workers,
    )


def update(
    place: Place, on_progress: "Callable[[Progress], None] | None" = None
) -> "Report | None":
    """Lay over the index what came since it was built; None when it has to be rebuilt.

    An index that has vectors keeps them, whatever the setting is.
    """
    from indexing.delta import lay_over
    from retrieval.tiers import parts

    settings = place.settings._replace(semantic=int(has_vectors(place.folder)))
    return lay_over(
        place.memory,
        place.folder,
        parts(settings),
        settings,
        on_progress,
        root=place.root,
    )


def has_vectors(index: Path) -> bool:
    """Whether vectors of texts are in the index; not when there is none that can be opened."""
    from indexing.stores.local import LocalStore
    from retrieval.tiers import SEMANTIC

    try:
        return SEMANTIC in LocalStore.open(index).recipe.parts
    except BadIndex:
        return False


def _index_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--index", type=Path, metavar="DIR", help="another index than .mem/index")


def _memory_arguments(parser: ArgumentParser) -> None:
    _index_arguments(parser)
    parser.add_argument(
        "--memory",
        type=Path,
        nargs="+",
        action="extend",
        metavar="PATH",
        help="memory files and folders, this once instead of our journal and the settings'",
    )


def _build_arguments(parser: ArgumentParser) -> None:
    _memory_arguments(parser)
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count(),
        metavar="N",
        help="processes that read when there is much to read (default: one a processor)",
    )
    semantic_argument(parser, "keep vectors of the texts too (default: the setting)")


def _rebuild(args: Namespace) -> int:
    where = _place_of(args)
    with _progress() as on_progress:
        report = rebuild(where, on_progress, args.workers)
    return _tell(report, where, args.json, "mem index rebuild")


def _update(args: Namespace) -> int:
    where = _place_of(args)
    asked = semantic_of(args)
    fits = asked is None or asked == has_vectors(where.folder)
    with _progress() as on_progress:
        report = update(where, on_progress) if fits else None
        if report is None:
            streams.say("mem index update: what came since is no delta; the index is rebuilt")
            report = rebuild(where, on_progress, args.workers)
    return _tell(report, where, args.json, "mem index update")


def _place_of(args: Namespace) -> Place:
    where = place(args.index, args.memory)
    if (semantic := semantic_of(args)) is not None:
        where = where._replace(settings=where.settings._replace(semantic=int(semantic)))
    if args.memory is None and where.root is None:
        raise NoMemory("there is no .mem here or above; name memory files with --memory")
    return where


def _tell(report: "Report", where: Place, as_json: bool, verb: str) -> int:
    if as_json:
        streams.write_json(report.as_dict())
    else:
        streams.write("\n".join([*_told(report, where.folder), ""]))
    streams.flush()
    if not where.memory:
        streams.say(f"{verb}: there is no memory yet; `mem record` adds a lesson")
    if not report.unread:
        return FOUND
    streams.say(f"{verb}: the index lacks {unread_of(report)}; see 'skipped'")
    return FAILED


@contextmanager
def _progress() -> "Iterator[Callable[[Progress], None] | None]":
    """Shows how far a build is, on a terminal; elsewhere nothing."""
    if streams.width_of(sys.stderr) is None:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(progress: "Progress") -> None:
            if progress.stage not in tasks:
                tasks[progress.stage] = bars.add_task(progress.stage)
            bars.update(tasks[progress.stage], completed=progress.done, total=progress.total)

        yield show


def entries_of(report: "Report") -> str:
    """`1 entry`, `61 entries`."""
    return "1 entry" if report.entries == 1 else f"{report.entries:,} entries"


def unread_of(report: "Report") -> str:
    """The memory that was asked for by name and could not be read, in words."""
    first, *more = report.unread
    return f"{first} and {len(more)} more" if more else first


def _told(report: "Report", index: Path) -> Iterator[str]:
    read = f" from {_count(len(report.files), 'file')}" if report.files else ""
    yield f"{entries_of(report)}{read}: {index}, {report.generation}"
    yield from _listed(
        "read", (f"{file.file}: {file.entries:,} ({file.reader})" for file in report.files)
    )
    yield from _listed(
        "skipped",
        (
            f"{each.file}{f':{each.line}' if each.line else ''}: {each.reason}"
            for each in report.skipped
        ),
    )
    yield from _listed(
        "quarantined", (f"{_where(each.source)}: {each.reason}" for each in report.quarantined)
    )
    yield from _listed(
        "duplicates",
        (
            f"{each.id}: {_where(each.kept)} is kept, not {_where(each.dropped)}"
            for each in report.duplicates
        ),
    )
    yield from _listed(
        "hashes moved by today's rules",
        (
            f"{each.id}: {each.before[:16]} → {each.after[:16]} ({', '.join(each.why)})"
            for each in report.moved
        ),
    )
    yield from _listed(
        "what moved them", (f"{why}: {times:,}" for why, times in report.moved_by.items())
    )
    yield from _listed("no rule of the tool matches", _unmatched(report.unmatched))


def _listed(what: str, lines: Iterable[str]) -> Iterator[str]:
    """A heading and its lines, of which the first are shown; nothing when there is none."""
    from retrieval.untrusted import clean

    listed = list(lines)
    if not listed:
        return
    yield f"{what}: {len(listed):,}"
    yield from (f"  {' '.join(clean(line).split())}" for line in listed[:_SHOWN])
    if len(listed) > _SHOWN:
        yield f"  … and {len(listed) - _SHOWN:,} more; --json lists them all"


def _where(source: "Source") -> str:
    return ", ".join(part for part in (source.file, source.locator) if part)


def _unmatched(tools: Iterable[tuple[str, int]]) -> Iterator[str]:
    return (f"{tool}: {_count(times, 'time')}; has its output changed?" for tool, times in tools)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _status(args: Namespace) -> int:
    from indexing.stores.local import LocalStore

    where = place(args.index, args.memory)
    try:
        store = LocalStore.open(where.folder)
    except BadIndex as error:
        return _no_index(where.folder, error, args.json)
    base = store.segments[0].folder.name if len(store.segments) > 1 else None
    stale, unread = _stale(store, where, args)
    tools = _tools_unmatched(store)
    if args.json:
        streams.write_json(
            {
                "index": str(where.folder),
                "generation": store.folder.name,
                "base": base,
                "entries": len(store),
                "signatures": store.signatures,
                "unmatched": tools,
                "stale": stale,
                "unread": unread,
            }
        )
    else:
        lines = [
            f"index       {where.folder}",
            f"generation  {store.folder.name}{f', a delta over {base}' if base else ''}",
            f"entries     {len(store):,}",
            f"signatures  {store.signatures:,}",
            f"stale       {'yes; run `mem index rebuild`' if stale else 'no'}",
            *_listed("why it is stale", stale),
            *_listed("memory that cannot be read", unread),
            *_listed("no rule of the tool matches", _unmatched(tools.items())),
        ]
        streams.write("\n".join([*lines, ""]))
    return NOTHING if stale or unread else FOUND


def _tools_unmatched(store: "LocalStore") -> dict[str, int]:
    """The tools that have rules of which none fired, and how often."""
    entries = map(store.entry, store.holding(b':unmatched"'))
    rules = (entry.signature.rule for entry in entries if entry.signature is not None)
    tools = [rule.partition(":")[0] for rule in rules if rule.endswith(":unmatched")]
    return {tool: tools.count(tool) for tool in sorted(set(tools))}


def _no_index(index: Path, error: BadIndex, as_json: bool) -> int:
    if not as_json:
        raise error
    streams.write_json(
        {
            "index": str(index),
            "generation": None,
            "base": None,
            "entries": 0,
            "signatures": 0,
            "unmatched": {},
            "stale": [str(error)],
            "unread": [],
        }
    )
    return FAILED


def _stale(store: "LocalStore", where: Place, args: Namespace) -> tuple[list[str], list[str]]:
    """Why a rebuild would give another index, and what memory it could not read, a line each."""
    from indexing.build import survey
    from indexing.recipe import refuse_other, today
    from retrieval.tiers import parts

    stale = []
    try:
        refuse_other(store.recipe, today(parts(where.settings)), str(where.folder))
    except BadIndex as error:
        stale.append(str(error))
    if args.memory is None and args.index is not None:
        return stale, []  # what it was made from is not known
    files, skipped = survey(where.memory, where.settings, where.root)
    stale += _changed(store, files)
    return stale, [f"{each.file}: {each.reason}" for each in skipped]


def _changed(store: "LocalStore", files: Iterable[tuple[str, Path]]) -> Iterator[str]:
    noted = {source["file"]: source for source in store.sources()}
    for name, path in files:
        source = noted.pop(name, None)
        if source is None:
            yield f"{name}: is not in the index"
        elif not _is_as(path, [source, *([source["grown"]] if "grown" in source else [])]):
            yield f"{name}: has changed"
    yield from (f"{name}: is gone, or cannot be read" for name in noted)


def _is_as(path: Path, pieces: "Sequence[Mapping[str, Any]]") -> bool:
    """Whether the file is made of pieces of these sizes and checksums."""
    import hashlib

    size = sum(piece["size"] for piece in pieces)
    try:
        if path.stat().st_size != size:
            return False
        if size > _BIG_FILE:
            return True
        with path.open("rb") as file:
            return all(
                hashlib.sha256(file.read(piece["size"])).hexdigest() == piece["sha256"]
                for piece in pieces
            )
    except OSError:
        return False


def _verify(args: Namespace) -> int:
    from retrieval.verify import verify

    where = place(args.index)
    problems = verify(where.folder, where.settings)
    if args.json:
        streams.write_json({"index": str(where.folder), "problems": problems})
    elif problems:
        streams.write("\n".join([*problems, ""]))
    else:
        streams.write(f"{where.folder}: whole\n")
    return FAILED if problems else FOUND


COMMANDS = {
    "index rebuild": Command(_build_arguments, _rebuild, "mem index rebuild --memory docs/memory"),
    "index update": Command(_build_arguments, _update, "mem index update"),
    "index status": Command(_memory_arguments, _status, "mem index status --json"),
    "index verify": Command(_index_arguments, _verify, "mem index verify"),
}
