"""`mem journal compact`: what our journal says twice is said once."""

from argparse import ArgumentParser, Namespace

from indexing.settings import JOURNAL, find_mem_dir
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND, NOTHING


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be dropped")


def _compact(args: Namespace) -> int:
    from indexing.compact import compact

    done = compact(find_mem_dir() / JOURNAL, dry_run=args.dry_run)
    if args.json:
        streams.write_json({**done._asdict(), "stored": not args.dry_run})
    else:
        how = "would be dropped" if args.dry_run else "dropped"
        streams.write(
            f"{done.dropped:,} of {done.lines:,} lines {how};"
            f" {done.size:,} of {done.size_before:,} bytes are left\n"
        )
    if done.dropped and not args.dry_run:
        from retrieval.cli.record import indexed

        indexed("mem journal compact")
    return FOUND if done.dropped else NOTHING


COMMANDS = {"journal compact": Command(_arguments, _compact, "mem journal compact --dry-run")}
