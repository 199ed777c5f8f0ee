"""`mem`: one file per group of verbs, imported when its verb is asked for."""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from indexing.errors import MemError
from indexing.lazily import module
from indexing.typed import TYPE_CHECKING, NamedTuple, NoReturn
from retrieval.cli import streams
from retrieval.cli.plain import NotPlain, plainly
from retrieval.cli.streams import CLOSED, FAILED, FOUND, INTERRUPTED

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from retrieval.cli.interface import Command


class Verb(NamedTuple):
    """Where a verb stands.

    A `harmless` one prints nothing and answers 0 whatever goes wrong. A `brief` one leaves nothing
    behind that has to be ended.
    """

    module: str
    says: str
    harmless: bool = False
    brief: bool = False


VERBS: Mapping[str, Verb] = {
    "init": Verb("init", "make .mem here, and list the memory files that are found"),
    "lookup": Verb("ask", "what is known of a failing log or of an issue", brief=True),
    "context": Verb(
        "ask", "the same as a block for a prompt; nothing when nothing is known", True, brief=True
    ),
    "run": Verb("run", "run a command; when it fails, show what is known"),
    "record": Verb("record", "add a lesson by hand"),
    "learn": Verb("learn", "learn patterns from finished loops"),
    "outcome": Verb("outcome", "say what came of a memory"),
    "patterns list": Verb("patterns", "the patterns, with how often each helped"),
    "patterns show": Verb(
        "patterns", "one pattern, its evidence, and which loops found and used it"
    ),
    "patterns merge": Verb("patterns", "make two patterns one; without ids, propose which"),
    "patterns split": Verb("patterns", "decide that two patterns are not one"),
    "patterns undo": Verb("patterns", "take a merge, a split or an archiving back"),
    "patterns log": Verb("patterns", "what was decided of patterns, by whom and when"),
    "patterns prune": Verb("patterns", "move into the archive what does not help, or nobody uses"),
    "patterns archive": Verb("patterns", "forget a memory: out of every tier, into the archive"),
    "patterns restore": Verb("patterns", "take a pattern out of the archive"),
    "patterns export": Verb("patterns", "write AIWG's registry, or Shipwright's files"),
    "patterns import": Verb("patterns", "record what AIWG or Shipwright keep, without loss"),
    "stats": Verb("stats", "how much the memory helps, with and without"),
    "sig explain": Verb("sig", "the signature of a log, and how it came about"),
    "sig diff": Verb("sig", "whether two logs show the same failure, and where they part"),
    "sig alias": Verb("overrides", "decide that two signatures are one failure"),
    "sig split": Verb("overrides", "decide that one signature is two failures"),
    "sig overrides": Verb("overrides", "what was decided of signatures, by whom and when"),
    "sig unalias": Verb("overrides", "take an alias back"),
    "sig unsplit": Verb("overrides", "take a split back"),
    "eval": Verb("eval", "how good the ranking is, on a dataset or on the memory's own links"),
    "tune": Verb("tune", "pick the scorer's priors on the memory's own older links"),
    "index rebuild": Verb("index", "make the index anew from memory files"),
    "index update": Verb("index", "lay over the index what came since, or else make it anew"),
    "index status": Verb("index", "what the index holds, and whether it is stale"),
    "index verify": Verb("index", "whether the index is whole"),
    "journal compact": Verb("journal", "drop what our journal says twice"),
}


def program() -> NoReturn:
    """`mem` as a process of its own, which ends with it.

    After a brief verb it ends at once: to collect garbage, and to take the interpreter down in
    order, takes a third as long as all that the verb does.
    """
    name, _ = _verb_of(sys.argv[1:])
    if name is None or not VERBS[name].brief:
        sys.exit(main())
    import gc

    gc.disable()
    code = main()
    streams.leave(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mem` with these words (default: those of the process); the exit code.

    0 found, 1 nothing, 2 failed. What went wrong is one line on stderr, also when it is our
    mistake; that one shows its traceback when the environment has `MEM_DEBUG`.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    name, rest = _verb_of(words)
    try:
        if name is None:
            return _overview(words)
        return _harmless(name, rest) if VERBS[name].harmless else _run(name, rest)
    except MemError as error:
        streams.say(f"mem: {_told(error)}")
        return FAILED
    except BrokenPipeError:
        return CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("MEM_DEBUG"):
            raise
        streams.say(f"mem: {_told(error)}")
        return FAILED


def _told(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, MemError):
        text = str(error)
    elif isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    else:
        text = f"{type(error).__name__}: {error}; this is our mistake, MEM_DEBUG=1 shows where"
    return " ".join(text.split())


def _verb_of(words: Sequence[str]) -> tuple[str | None, list[str]]:
    for count in (1, 2):
        name = " ".join(words[:count])
        if name in VERBS:
            return name, list(words[count:])
    return None, []


def _run(name: str, words: Sequence[str]) -> int:
    command: Command = module(f"retrieval.cli.{VERBS[name].module}").COMMANDS[name]
    args: Namespace | int
    try:
        args = plainly(partial(_add_arguments, command), words)
    except NotPlain:
        args = _parsed(name, command, words)
    code = args if isinstance(args, int) else command.run(args)
    streams.flush()
    return code


def _harmless(name: str, words: Sequence[str]) -> int:
    """The verb's answer; after any error 0 and an empty stdout, or 2 when `--strict` is given."""
    failed = FAILED if "--strict" in words else FOUND
    try:
        code = _run(name, words)
    except BrokenPipeError:
        return FOUND  # whoever asked has left, and lacks nothing
    except Exception as error:
        if os.environ.get("MEM_DEBUG") and not isinstance(error, MemError):
            raise
        streams.say(f"mem {name}: {_told(error)}")
        return failed
    return failed if code == FAILED else FOUND


def _add_arguments(command: "Command", parser: "ArgumentParser") -> None:
    command.arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line, for programs")


def _parsed(name: str, command: "Command", words: Sequence[str]) -> "Namespace | int":
    """The arguments; an exit code when the parser said all that there was to say."""
    from retrieval.cli.parser import Help, Parser

    parser = Parser(
        prog=f"mem {name}",
        description=f"{VERBS[name].says[0].upper()}{VERBS[name].says[1:]}.",
        epilog=f"example:\n  {command.example}",
        formatter_class=Help,
        allow_abbrev=False,
    )
    _add_arguments(command, parser)
    try:
        return parser.parse_args(words)
    except SystemExit as end:
        return int(end.code or FOUND)


def _overview(words: Sequence[str]) -> int:
    """What there is, on stdout when it was asked for; else what is wrong, on stderr."""
    first = words[0] if words else ""
    if first in ("--version", "-V"):
        from indexing import __version__

        streams.write(f"mem {__version__}\n")
        return FOUND
    group = {name: verb for name, verb in VERBS.items() if name.split()[0] == first} or VERBS
    asked = any(word in ("-h", "--help", "help") for word in words[:2])
    if words and not asked and group is VERBS:
        streams.say(f"mem: there is no verb '{' '.join(words[:2])}'; see mem --help")
        return FAILED
    lines = [f"  mem {name:<18}{verb.says}" for name, verb in group.items()]
    text = "\n".join(["A failure memory: what broke before, and what fixed it.", "", *lines])
    text += "\n\nEach verb has --help with an example. Exit code: 0 found, 1 nothing, 2 failed."
    if asked:
        streams.write(f"{text}\n")
        streams.flush()
        return FOUND
    streams.say(text)
    return FAILED


__all__ = ["VERBS", "Verb", "main", "program"]
