"""`mem sig explain` and `mem sig diff`: why a log has the signature it has."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any, NamedTuple

from indexing.errors import MemError, NoMemory
from indexing.settings import OVERRIDES, find_mem_dir
from indexing.signature import Explanation, explain
from retrieval.cli import streams
from retrieval.cli.excerpt import Excerpt
from retrieval.cli.interface import Command
from retrieval.cli.streams import FAILED, FOUND, NOTHING, STDIN

if TYPE_CHECKING:
    from indexing.overrides import Applied, Decision, Overrides

_PAGE = 100  # columns of what is coloured for no terminal


class _Explained(NamedTuple):
    """A log's explanation, its lines counted as in the whole log."""

    name: str
    explanation: Explanation
    skipped_lines: list[int]
    overrides: "list[Applied]"
    key: str


def _explain_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="failing logs; -, or none: stdin")
    parser.add_argument("--tool", help="the tool that failed (default: detected)")
    parser.add_argument("--color", action="store_true", help="in colours, terminal or not")


def _diff_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help="a failing log; - is stdin")
    parser.add_argument("b", metavar="B", help="another")
    parser.add_argument("--tool", help="the tool that failed in both (default: detected)")


def _explain(args: Namespace) -> int:
    code = FOUND
    decided = _decided()
    for number, name in enumerate(args.files or [STDIN]):
        try:
            log = streams.read_log(name)
        except MemError as error:
            streams.say(f"mem: {error}")
            code = FAILED
            continue
        made = _explained(name, log, args.tool, decided)
        if made.explanation.signature is None:
            code = max(code, NOTHING)
        if args.json:
            streams.write_json(_as_json(made))
        else:
            streams.write(("\n" if number else "") + _as_text(made, args.color))
        streams.flush()
    return code


def _decided() -> "Overrides | None":
    """What people decided of signatures; None when nobody did, or there is no memory here."""
    try:
        path = find_mem_dir() / OVERRIDES
    except NoMemory:
        return None
    if not path.exists():
        return None
    from indexing.overrides import read

    decided = read(path)
    for problem in decided.problems:
        streams.say(f"mem: {problem}")
    return decided


def _explained(
    name: str, log: Excerpt, tool: str | None, decided: "Overrides | None"
) -> _Explained:
    found = explain(log.bytes(), tool)
    signature = found.signature
    overrides: list[Applied] = []
    key = ""
    if signature is not None and decided is not None:
        overrides = decided.applied(signature, log.bytes())
        key = decided.key(signature, log.bytes())
    if signature is not None:
        found = found._replace(signature=signature._replace(line=log.line(signature.line)))
    if log.dropped:
        cut = f"the log is long: {log.dropped:,} bytes of its middle were scanned only"
        found = found._replace(warnings=[*found.warnings, cut])
    skipped_lines = [log.line(skipped.line) for skipped in found.skipped]
    return _Explained(name, found, skipped_lines, overrides, key)


def _as_text(made: _Explained, coloured: bool) -> str:
    from retrieval.cli.explained import explained

    width = streams.width_of(sys.stdout)
    if coloured and width is None:
        width = _PAGE
    colour = coloured or streams.in_colour()
    return explained(made.name, made.explanation, made.skipped_lines, made.overrides, width, colour)


def _as_json(made: _Explained) -> dict[str, Any]:
    """Exactly what was found, so that the hash can be taken again; secrets are not removed."""
    signature = made.explanation.signature
    return {
        "file": made.name,
        "tool": signature.tool if signature else None,
        "rule": signature.rule if signature else None,
        "line": signature.line if signature else None,
        "raw": signature.raw if signature else None,
        "joined": list(signature.joined) if signature else [],
        "normalised": signature.normalised if signature else None,
        "sig_sha": signature.sig_sha if signature else None,
        "steps": [change._asdict() for change in made.explanation.steps],
        "skipped": [
            {"line": line, "why": skipped.why}
            for line, skipped in zip(made.skipped_lines, made.explanation.skipped, strict=True)
        ],
        "context": dict(signature.context) if signature else {},
        "warnings": list(made.explanation.warnings),
        "overrides": [each.as_dict(made.key) for each in made.overrides],
    }


def _diff(args: Namespace) -> int:
    from retrieval.cli.parting import Parting, parting

    logs = [streams.read_log(name).bytes() for name in (args.a, args.b)]
    a, b = (explain(log, args.tool) for log in logs)
    parts = parting(a, b)
    ours, theirs = a.signature, b.signature
    decided = _decided()
    decision = None
    if decided and ours and theirs:
        decision = decided.deciding((ours, logs[0]), (theirs, logs[1]))
    same = parts is None and ours is not None
    if decision is not None:
        same = not same
        parts = None if same else Parting(f"split {decision.id}", _halves(decision, a, b, logs))
    if args.json:
        streams.write_json(
            {
                "files": [args.a, args.b],
                "same": same,
                "sig_sha": [each.sig_sha if each else None for each in (ours, theirs)],
                "parts_at": parts.at if parts else None,
                "values": list(parts.values) if parts else [],
                "override": decision.as_dict() if decision else None,
            }
        )
    elif parts is not None:
        from retrieval.untrusted import clean

        names = ("A", args.a), ("B", args.b)
        values = zip(names, parts.values, strict=True)
        lines = [f"  {letter}  {clean(name)}: {clean(value)}" for (letter, name), value in values]
        streams.write("\n".join([f"not the same; they part at {parts.at}", *lines, ""]))
    elif ours is not None:
        by = f"  alias {decision.id}, decided {decision.at}" if decision else ""
        streams.write(f"same  {ours.sig_sha}  {ours.tool}{by}\n")
    else:
        streams.say("mem sig diff: neither holds a failure")
    return FOUND if same else NOTHING


def _halves(
    decision: "Decision", a: Explanation, b: Explanation, logs: list[bytes]
) -> tuple[str, str]:
    """On which side of a split two logs stand, in words."""
    from indexing.overrides import holds

    def told(found: Explanation, log: bytes) -> str:
        held = found.signature is not None and holds(decision, found.signature, log)
        return f"{'holds' if held else 'does not hold'} {decision.by} '{decision.literal}'"

    return told(a, logs[0]), told(b, logs[1])


COMMANDS = {
    "sig explain": Command(
        _explain_arguments, _explain, "npm ci 2>&1 | mem sig explain --tool npm"
    ),
    "sig diff": Command(_diff_arguments, _diff, "mem sig diff monday.log tuesday.log"),
}
