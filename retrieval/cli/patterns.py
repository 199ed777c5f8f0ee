"""`mem patterns`: the registry; every decision about it is in the journal and can be undone."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.errors import BadQuery
from indexing.settings import INDEX, JOURNAL, find_mem_dir, load
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND, NOTHING

if TYPE_CHECKING:
    from indexing.entry import Entry
    from indexing.learning.registry import Use

_TYPES = {
    "error": "error_pattern",
    "success": "success_pattern",
    "anti": "anti_pattern",
    "template": "code_template",
}


def _list_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--type", choices=_TYPES, help="one kind only")
    parser.add_argument("--min-success-rate", type=float, metavar="R", help="from this rate, 0..1")
    parser.add_argument("--max-success-rate", type=float, metavar="R", help="up to this rate")
    parser.add_argument("--tag", action="append", default=[], help="with this tag; repeatable")
    parser.add_argument("--from-loop", metavar="ID", help="found or used by this loop")


def _list(args: Namespace) -> int:
    from indexing.learning.evidence import abstains, rate, uses
    from retrieval.untrusted import line

    policy = load(find_mem_dir()).policy
    found = [entry for entry in patterns() if _wanted(entry, args)]
    for entry in found:
        evidence = entry.evidence
        if args.json:
            known = {"rate": rate(evidence), "uses": uses(evidence)}
            why = abstains(evidence, policy)
            told = {"id": entry.id, "kind": entry.kind, "title": entry.title, **known}
            streams.write_json({**told, "labels": list(entry.labels), "abstains": why or None})
        else:
            counted = f"{evidence.helped} of {uses(evidence)}"
            mark = "  abstains" if abstains(evidence, policy) else ""
            title = line(entry.title)[:80]
            streams.write(f"{entry.kind:<16} {counted:>9}  {entry.id}{mark}\n    {title}\n")
    if not found:
        streams.say("mem patterns: there is none of this kind")
    return FOUND if found else NOTHING


def _wanted(entry: "Entry", args: Namespace) -> bool:
    from indexing.learning.evidence import rate

    share = rate(entry.evidence)
    if args.type and entry.kind != _TYPES[args.type]:
        return False
    if args.min_success_rate is not None and (share is None or share < args.min_success_rate):
        return False
    if args.max_success_rate is not None and (share is None or share > args.max_success_rate):
        return False
    loops = [loop for loop in entry.extra.get("source_loops", ()) if loop]
    names = {loop if isinstance(loop, str) else str(loop.get("loop_id")) for loop in loops}
    return set(args.tag) <= set(entry.labels) and args.from_loop in (None, *names)


def patterns() -> "Iterator[Entry]":
    """The patterns of the index, each once, in its order."""
    from indexing.learning.merge import MERGED_INTO
    from indexing.learning.registry import PATTERNS
    from indexing.stores.local import LocalStore

    store = LocalStore.open(find_mem_dir() / INDEX)
    for row in range(len(store)):
        entry = store.entry(row)
        mined = entry.kind in PATTERNS or entry.extra.get("learned")
        if mined and MERGED_INTO not in entry.extra:
            yield entry


def _show_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the pattern's id, or the beginning of one")


def _show(args: Namespace) -> int:
    from indexing.learning.registry import lineage
    from retrieval.cli.outcome import the_entry

    mem_dir = find_mem_dir()
    entry = the_entry(args.id)
    ids = (entry.id, *entry.extra.get("merged", ()))
    uses = lineage(mem_dir / JOURNAL, ids)
    if args.json:
        streams.write_json({**entry.as_dict(), "lineage": [use._asdict() for use in uses]})
    else:
        streams.write("\n".join([*_shown(entry, uses, mem_dir), ""]))
    return FOUND


def _shown(entry: "Entry", uses: "list[Use]", mem_dir: Path) -> Iterator[str]:
    from indexing.learning.evidence import abstains, interval, is_unproven, trend
    from indexing.learning.evidence import uses as tries_of
    from retrieval import wording
    from retrieval.untrusted import line

    evidence = entry.evidence
    yield f"{entry.id}  {wording.kind(entry)}"
    yield f"  title      {line(entry.title)}"
    for label, texts in wording.told(entry):
        for text in texts:
            yield f"  {label:<10} {line(text)}"
    if entry.labels:
        yield f"  tags       {line(', '.join(entry.labels))}"
    low, high = interval(evidence.helped, tries_of(evidence))
    told = wording.evidence(entry) or "none yet"
    yield f"  evidence   {told} (95 % interval {low:.2f} to {high:.2f})"
    if why := abstains(evidence, load(mem_dir).policy):
        yield f"  abstains   {why}"
    elif is_unproven(entry):
        yield "  unproven   it was found once and has not helped since"
    snapshots = trend(entry.extra.get("source_loops", ()))
    if len(snapshots) > 1:
        yield "  trend      " + ", ".join(f"{s.rate:.2f} (n={s.sample_size})" for s in snapshots)
    yield f"  from       {line(wording.origin(entry))}"
    if merged := entry.extra.get("merged"):
        yield f"  merged     {line(', '.join(map(str, merged)))}"
    yield from ("lineage", *map(_use, uses)) if uses else ()
    for loop in entry.extra.get("source_loops", ()):
        if isinstance(loop, dict) and loop.get("diff"):
            yield f"diff of {line(str(loop.get('loop_id')))}"
            yield from (f"  {line(each)}" for each in str(loop["diff"]).splitlines()[:20])


def _use(use: "Use") -> str:
    from retrieval.untrusted import line

    mark = {True: " ✓", False: " ✗", None: ""}[use.went]
    more = ", ".join(filter(None, (f"by {use.who}" if use.who else "", use.place)))
    old = " (superseded)" if use.superseded else ""
    loop = line(use.loop or "no loop")
    return f"  {use.at or 'at no known time'}  {loop}  {use.what}{mark}{old}" + (
        f"  ({line(more)})" if more else ""
    )


def _merge_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="the pattern that stays, and another")
    parser.add_argument("--threshold", type=float, metavar="S", help="propose from (similarity)")
    parser.add_argument("--note", default="", help="why")


def _merge(args: Namespace) -> int:
    from indexing.learning.merge import compared
    from indexing.learning.registry import decide
    from retrieval.cli.outcome import the_entry

    mem_dir = find_mem_dir()
    if not args.ids:
        return _propose(args, mem_dir)
    if len(args.ids) != 2:
        raise BadQuery("merge takes two ids: the one that stays, and the one that goes into it")
    into, other = (the_entry(id) for id in args.ids)
    if into.id == other.id:
        raise BadQuery(f"{into.id}: it is one already")
    alike = compared(into, other)
    if alike.forbidden:
        streams.say(f"mem patterns merge: mind that {alike.forbidden}")
    id = decide(
        mem_dir / JOURNAL, "merge", _who(), args.note, **{"into": into.id, "from": other.id}
    )
    return _decided(id, f"{other.id} is in {into.id}", args)


def _propose(args: Namespace, mem_dir: Path) -> int:
    from indexing.learning.merge import proposals
    from indexing.learning.registry import decisions
    from retrieval.untrusted import line

    threshold = load(mem_dir).similarity if args.threshold is None else args.threshold
    apart = decisions(mem_dir / JOURNAL)[0].splits
    found = proposals(list(patterns()), threshold, apart)
    for alike in found:
        one, other = alike.one, alike.other
        if args.json:
            score = round(alike.similarity, 4)
            streams.write_json({"into": one.id, "from": other.id, "similarity": score})
        else:
            titles = f"    {line(one.title)[:90]}\n    {line(other.title)[:90]}\n"
            streams.write(f"{alike.similarity:.2f}  {one.id}  {other.id}\n{titles}")
    if not found:
        streams.say("mem patterns merge: no two patterns are so alike")
    return FOUND if found else NOTHING


def _split_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs=2, metavar="ID", help="two patterns that are not one")
    parser.add_argument("--note", default="", help="why")


def _split(args: Namespace) -> int:
    from indexing.learning.registry import decide

    a, b = args.ids
    id = decide(find_mem_dir() / JOURNAL, "split", _who(), args.note, a=a, b=b)
    return _decided(id, f"{a} and {b} are two, and not proposed again", args)


def _undo_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", help="the decision's id (mem patterns log), or the beginning of one"
    )
    parser.add_argument("--note", default="", help="why")


def _undo(args: Namespace) -> int:
    from indexing.learning.registry import undo

    decision = undo(find_mem_dir() / JOURNAL, args.id, _who(), args.note)
    return _decided(decision.id, f"the {decision.op} of {decision.at} is taken back", args)


def _log_arguments(parser: ArgumentParser) -> None:
    """Nothing but what every verb has."""


def _log(args: Namespace) -> int:
    from indexing.learning.registry import decisions

    _, made = decisions(find_mem_dir() / JOURNAL)
    undone = {str(each.values.get("undoes")) for each in made if each.op == "undo"}
    for each in made:
        values = {key: value for key, value in each.values.items() if key not in ("v", "who")}
        who = str(each.values.get("who") or "")
        if args.json:
            told = {"id": each.id, "op": each.op, "at": each.at, "who": who, **values}
            streams.write_json({**told, "undone": each.id in undone})
        else:
            said = "  ".join(str(value) for value in values.values() if value)
            taken = "  (taken back)" if each.id in undone else ""
            streams.write(f"{each.id}  {each.at}  {each.op:<8} {said}  by {who or '?'}{taken}\n")
    return FOUND if made else NOTHING


def _prune_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would go, no more")
    parser.add_argument("--min-success-rate", type=float, metavar="R", help="(prune_below)")
    parser.add_argument("--max-age-days", type=int, metavar="N", help="(prune_unused_days)")


def _prune(args: Namespace) -> int:
    from indexing.learning.evidence import to_prune
    from indexing.learning.registry import archive
    from retrieval.untrusted import line

    mem_dir = find_mem_dir()
    policy = load(mem_dir).policy
    if args.min_success_rate is not None:
        policy = policy._replace(prune_below=args.min_success_rate)
    if args.max_age_days is not None:
        policy = policy._replace(prune_unused_days=args.max_age_days)
    today = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    mined = [entry for entry in patterns() if entry.source.system == "journal"]
    found = to_prune(mined, today, policy)
    for entry, why in found:
        if not args.dry_run:
            archive(mem_dir, mem_dir / JOURNAL, entry, why, _who())
        if args.json:
            streams.write_json({"id": entry.id, "why": why, "archived": not args.dry_run})
        else:
            streams.write(f"{entry.id}: {why}\n    {line(entry.title)[:100]}\n")
    if not found:
        streams.say("mem patterns prune: nothing is to go")
    elif not args.dry_run:
        _indexed()
    return FOUND if found else NOTHING


def _archive_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", help="memories that are to be forgotten")
    parser.add_argument("--note", default="", help="why")


def _archive(args: Namespace) -> int:
    from indexing.learning.registry import archive
    from retrieval.cli.outcome import the_entry

    mem_dir = find_mem_dir()
    entries = [the_entry(id) for id in args.ids]
    for entry in entries:
        archive(mem_dir, mem_dir / JOURNAL, entry, args.note or "by hand", _who())
        if args.json:
            streams.write_json({"id": entry.id, "archived": True})
        else:
            streams.write(f"{entry.id}: in the archive; mem patterns restore {entry.id}\n")
    _indexed()
    return FOUND


def _restore(args: Namespace) -> int:
    from indexing.learning.registry import decide, decisions

    journal = find_mem_dir() / JOURNAL
    archived = decisions(journal)[0].archived
    found = [id for id in archived if args.id and id.startswith(args.id)]
    if len(found) != 1:
        raise BadQuery(f"{args.id}: {len(found)} archived patterns have an id that begins so")
    id = decide(journal, "restore", _who(), entry_id=found[0])
    return _decided(id, f"{found[0]} is back", args)


def _decided(id: str, says: str, args: Namespace) -> int:
    is_indexed = _indexed()
    if args.json:
        streams.write_json({"id": id, "indexed": is_indexed})
    else:
        streams.write(f"{says}\n  mem patterns undo {id}\n")
    return FOUND


def _indexed() -> bool:
    from retrieval.cli.record import indexed

    return indexed("mem patterns")


def _who() -> str:
    from retrieval.cli.overrides import who

    return who()


def _out_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--format", choices=("aiwg", "shipwright"), default="aiwg", help="whose")
    parser.add_argument("--output", type=Path, required=True, metavar="PATH", help="file or folder")
    parser.add_argument("--dry-run", action="store_true", help="say what would be written")


def _export(args: Namespace) -> int:
    from indexing.learning.exchange import files_of

    written = files_of(args.format, all_entries())
    if not written:
        streams.say("mem patterns export: there is nothing of this format")
        return NOTHING
    for path, text in _places(args.output, args.format, written):
        if not args.dry_run:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
            except OSError as error:
                raise BadQuery(f"{path}: cannot be written ({error.strerror})") from error
        if args.json:
            streams.write_json({"file": str(path), "bytes": len(text.encode())})
        else:
            streams.write(f"{path}\n")
    return FOUND


def _places(output: Path, format: str, written: "dict[str, str]") -> Iterable[tuple[Path, str]]:
    """A registry is one file; Shipwright's memory is a folder."""
    if format == "aiwg":
        yield output, next(iter(written.values()))
        return
    for name, text in written.items():
        yield output / name, text


def all_entries() -> "list[Entry]":
    """Every entry of the index, in its order."""
    from indexing.stores.local import LocalStore

    store = LocalStore.open(find_mem_dir() / INDEX)
    return [store.entry(row) for row in range(len(store))]


def _in_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files or folders")
    parser.add_argument("--dry-run", action="store_true", help="say what would be recorded")


def _import(args: Namespace) -> int:
    from indexing.journal import add_record, append_missing
    from indexing.learning.exchange import imported

    mem_dir = find_mem_dir()
    entries = []
    for path in args.paths:
        for found in imported(path):
            if isinstance(found, str):
                streams.say(f"mem patterns import: {found}")
            else:
                entries.append(found)
    records = [add_record(entry, entry.captured_at) for entry in entries]
    new = records if args.dry_run else append_missing(mem_dir / JOURNAL, records)
    if new and not args.dry_run:
        _indexed()
    if args.json:
        streams.write_json({"read": len(records), "new": len(new), "stored": not args.dry_run})
    else:
        how = "would be recorded" if args.dry_run else "recorded"
        streams.write(f"{len(records)} read, {len(new)} {how}\n")
    return FOUND if entries else NOTHING


COMMANDS = {
    "patterns list": Command(_list_arguments, _list, "mem patterns list --type error --tag python"),
    "patterns show": Command(_show_arguments, _show, "mem patterns show pat-error-null-check"),
    "patterns merge": Command(_merge_arguments, _merge, "mem patterns merge      # proposes"),
    "patterns split": Command(_split_arguments, _split, "mem patterns split pat-a pat-b"),
    "patterns undo": Command(_undo_arguments, _undo, "mem patterns undo 01KBZ3"),
    "patterns log": Command(_log_arguments, _log, "mem patterns log --json"),
    "patterns prune": Command(_prune_arguments, _prune, "mem patterns prune --dry-run"),
    "patterns archive": Command(
        _archive_arguments, _archive, "mem patterns archive 01KBZ3W --note 'wrong advice'"
    ),
    "patterns restore": Command(_show_arguments, _restore, "mem patterns restore pat-error-x"),
    "patterns export": Command(
        _out_arguments, _export, "mem patterns export --output patterns.json"
    ),
    "patterns import": Command(_in_arguments, _import, "mem patterns import registry.json"),
}
