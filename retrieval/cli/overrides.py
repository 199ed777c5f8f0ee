"""`mem sig alias`, `split`, `overrides`, `unalias`, `unsplit`: what people decide of signatures."""

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from indexing import overrides
from indexing.errors import BadIndex, BadQuery
from indexing.overrides import ALIAS, FILE, SPLIT, TEXT, Decision
from indexing.settings import INDEX, OVERRIDES, find_mem_dir
from indexing.signature import Signature, extract
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND, NOTHING, STDIN

_PREFIX = re.compile(r"[0-9a-fA-F]{8,64}")
_SHOWN = 100


class _Failure(NamedTuple):
    """What was named; `log` is None when it was named by its hash."""

    name: str
    signature: Signature
    log: bytes | None


def _named_arguments(parser: ArgumentParser) -> None:
    what = "a failing log (- is stdin), or 8 or more hex digits of the sig_sha of a memory"
    parser.add_argument("a", metavar="A", help=what)
    parser.add_argument("--tool", help="the tool that failed in the logs (default: detected)")
    parser.add_argument("--note", default="", help="why, for people")


def _alias_arguments(parser: ArgumentParser) -> None:
    _named_arguments(parser)
    parser.add_argument("b", metavar="B", help="another")


def _split_arguments(parser: ArgumentParser) -> None:
    _named_arguments(parser)
    parser.add_argument("b", metavar="B", nargs="?", help="the other of the two")
    by = parser.add_mutually_exclusive_group(required=True)
    by.add_argument("--by", metavar="TEXT", help="one holds this text, the other does not")
    by.add_argument("--file", metavar="NAME", help="one names this file, the other does not")


def _revoke_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the decision's id, or what it begins with")
    parser.add_argument("--note", default="", help="why, for people")


def _none(parser: ArgumentParser) -> None:
    """No arguments."""


def _alias(args: Namespace) -> int:
    path = find_mem_dir() / OVERRIDES
    a, b = _failure(args.a, args.tool), _failure(args.b, args.tool)
    known = overrides.read(path)
    if known.key(a.signature, a.log) == known.key(b.signature, b.log):
        streams.say("mem sig alias: they are one failure already")
        return _answer(args, None, path)
    if known.key(a.signature) == known.key(b.signature):
        raise BadQuery("they are told apart by a split; see `mem sig overrides`, then unsplit it")
    id = overrides.alias(path, a.signature, b.signature, args.note, who())
    streams.say(f"mem sig alias: one failure: {_line(a.signature)} = {_line(b.signature)}")
    return _answer(args, id, path)


def _split(args: Namespace) -> int:
    path = find_mem_dir() / OVERRIDES
    by = TEXT if args.file is None else FILE
    literal = args.by if args.file is None else re.split(r"[/\\]", args.file)[-1]
    overrides.checked(literal)
    failures = [_failure(name, args.tool) for name in (args.a, args.b) if name is not None]
    known = overrides.read(path)
    if len({known.key(failure.signature) for failure in failures}) > 1:
        raise BadQuery("they are two failures already; see `mem sig diff`")
    tried = Decision(SPLIT, "", "", "", "", (), by, literal)
    held = [overrides.holds(tried, each.signature, each.log) for each in failures]
    if len(failures) > 1 and len(set(held)) == 1:
        raise BadQuery(f"'{literal}' is in {'both' if held[0] else 'neither'}; it parts them not")
    id = overrides.split(path, failures[0].signature, by, literal, args.note, who())
    if not any(held):
        streams.say(f"mem sig split: {args.a} does not hold it; those that do are another failure")
    streams.say(f"mem sig split: two failures, by '{literal}': {_line(failures[0].signature)}")
    return _answer(args, id, path)


def _overrides(args: Namespace) -> int:
    known = overrides.read(find_mem_dir() / OVERRIDES)
    for problem in known.problems:
        streams.say(f"mem: {problem}")
    for decision in known.decisions:
        if args.json:
            streams.write_json(decision.as_dict())
        else:
            streams.write("\n".join([*_told(decision), ""]))
    return FOUND if known.decisions else NOTHING


def _unalias(args: Namespace) -> int:
    return _revoke(args, ALIAS)


def _unsplit(args: Namespace) -> int:
    return _revoke(args, SPLIT)


def _revoke(args: Namespace, op: str) -> int:
    path = find_mem_dir() / OVERRIDES
    decision = overrides.read(path).find(args.id, op)
    return _answer(args, overrides.revoke(path, decision, args.note, who()), path)


def _answer(args: Namespace, id: str | None, path: Path) -> int:
    if args.json:
        streams.write_json({"id": id, "overrides": str(path)})
    elif id is not None:
        streams.write(f"{id}\n")
    return FOUND


def _failure(name: str, tool: str | None) -> _Failure:
    """The failure of a log, or of a memory whose hash begins so.

    Raises:
        BadQuery: It is neither, holds no failure, or means several.
    """
    if name != STDIN and not Path(name).exists() and _PREFIX.fullmatch(name):
        return _Failure(name, _remembered(name.lower()), None)
    log = streams.read_log(name).bytes()
    signature = extract(log, tool)
    if signature is None:
        raise BadQuery(f"{name}: holds no failure; see `mem sig explain`")
    return _Failure(name, signature, log)


def _remembered(prefix: str) -> Signature:
    from indexing.stores.local import LocalStore

    try:
        store = LocalStore.open(find_mem_dir() / INDEX)
    except BadIndex as error:
        raise BadQuery(f"{prefix}: its memory cannot be looked up; {error}") from error
    found = dict(reversed(store.beginning(prefix)))
    if len(found) != 1:
        many = f"{len(found)} signatures begin so" if found else "no memory has such a signature"
        raise BadQuery(f"{prefix}: {many}; name more of it, or the log")
    signature = store.entry(*found.values()).signature
    assert signature is not None
    return signature


def who() -> str:
    """The name that git knows, as it stands on commits; empty when it knows none."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", "config", "user.name"], capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def _told(decision: Decision) -> Iterator[str]:
    who = f" by {decision.who}" if decision.who else ""
    revoked = f", revoked {decision.revoked}" if decision.revoked else ""
    yield _clean(f"{decision.id}  {decision.op}  decided {decision.at}{who}{revoked}")
    for sign, side in zip(" =", decision.sides, strict=False):
        yield f"  {sign} {_line(side.signature)}"
    if decision.by:
        yield _clean(f"    by {decision.by} '{decision.literal}'")
    if decision.note:
        yield _clean(f"    {decision.note}")


def _line(signature: Signature) -> str:
    from retrieval.budget import shorten

    sha = signature.sig_sha[:12]
    return f"{sha} {_clean(signature.tool)}: {shorten(_clean(signature.raw), _SHOWN)}"


def _clean(text: str) -> str:
    from retrieval.untrusted import clean

    return " ".join(clean(text).split("\n"))


COMMANDS = {
    "sig alias": Command(_alias_arguments, _alias, "mem sig alias monday.log tuesday.log"),
    "sig split": Command(
        _split_arguments, _split, 'mem sig split a.log b.log --by "Connection refused"'
    ),
    "sig overrides": Command(_none, _overrides, "mem sig overrides --json"),
    "sig unalias": Command(_revoke_arguments, _unalias, "mem sig unalias 01JQ3V"),
    "sig unsplit": Command(_revoke_arguments, _unsplit, "mem sig unsplit 01JQ3V"),
}
