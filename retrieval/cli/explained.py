"""An explanation written for people: the signature, what was masked, what was passed over."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from indexing.signature import Explanation, Signature
from retrieval.budget import shorten
from retrieval.renderers.text import Line, written
from retrieval.untrusted import clean

if TYPE_CHECKING:
    from indexing.overrides import Applied

_LABEL = 13
_SKIPPED = 20
_SPAN = 300
_JOINED = "one line cannot tell such failures apart, so that these belong to it"


def explained(
    name: str,
    explanation: Explanation,
    numbers: Sequence[int],
    overrides: "Sequence[Applied]" = (),
    width: int | None = None,
    colour: bool = False,
) -> str:
    """The explanation of the log of that name, one thing a line.

    Args:
        name: The log's.
        explanation: What `explain` found.
        numbers: The lines passed over, as they are counted in the whole log.
        overrides: What people decided of this signature.
        width: Columns to wrap at; None: lines are left whole, and `rich` is not loaded.
        colour: Whether to write colours; only with a width.
    """
    lines = [Line("", clean(name), "bold")]
    if explanation.signature is None:
        lines.append(_line("", "no failure found"))
    else:
        lines += _signature(explanation.signature)
    lines += [line for each in overrides for line in _override(each)]
    for change in explanation.steps:
        before, after = differing(change.before, change.after)
        how = f"{before} → {after}" if before != after else "only blanks differ"
        lines.append(_line("step", f"{change.name}: {how}", "cyan"))
    shown = list(zip(numbers, explanation.skipped, strict=True))
    lines += [
        _line("skipped", f"line {number}: {clean(skipped.why)}", "dim")
        for number, skipped in shown[:_SKIPPED]
    ]
    if len(shown) > _SKIPPED:
        lines.append(_line("", f"… and {len(shown) - _SKIPPED} more", "dim"))
    lines += [_line("warning", clean(warning), "yellow") for warning in explanation.warnings]
    return written(list(_once_labelled(lines)), width, colour)


def differing(before: str, after: str) -> tuple[str, str]:
    """The words in which two texts differ, from the first to the last, fit for a terminal."""
    ours, theirs = before.split(), after.split()
    start = _shared(ours, theirs)
    ours, theirs = ours[start:], theirs[start:]
    end = _shared(ours[::-1], theirs[::-1])
    return _words(ours[: len(ours) - end]), _words(theirs[: len(theirs) - end])


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """How many words both begin with."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _words(words: Sequence[str]) -> str:
    return shorten(clean(" ".join(words)), _SPAN) or "(nothing)"


def _signature(signature: Signature) -> list[Line]:
    context = ", ".join(f"{key} {value}" for key, value in signature.context.items())
    lines = [
        _line("tool", signature.tool),
        _line("rule", signature.rule),
        _line("line", str(signature.line)),
        _line("root line", signature.raw, "red"),
        *(_line("joined", text, "red") for text in signature.joined),
        *([_line("", f"({_JOINED})", "dim")] if signature.joined else ()),
        *(_line("normalised", text, "green") for text in signature.normalised.split("\n")),
        _line("sig_sha", signature.sig_sha, "bold"),
    ]
    if signature.detected and signature.detected != signature.tool:
        lines.insert(1, _line("detected", signature.detected))
    return [*lines, _line("context", context)] if context else lines


def _override(applied: "Applied") -> Iterator[Line]:
    decision, other = applied.decision, applied.other
    who = f" by {decision.who}" if decision.who else ""
    when = f"decided {decision.at}{who} ({decision.id})"
    if other is None:
        held = "holds" if applied.held else "does not hold"
        what = f"this one {held} {decision.by} '{decision.literal}'"
        yield _line("split", f"{when}: those that hold it are another failure; {what}", "magenta")
    else:
        yield _line("alias", f"{when}: one failure with {other.sig_sha}", "magenta")
        yield _line("alias", f"{other.tool}: {' | '.join((other.raw, *other.joined))}", "magenta")
        form = " | ".join(other.normalised.split("\n"))
        yield _line("alias", f"normalised there: {form}", "magenta")
    if decision.note:
        yield _line("alias" if other else "split", decision.note, "magenta")


def _line(label: str, text: str, style: str = "") -> Line:
    return Line(f"   {label:<{_LABEL}}", clean(text), style)


def _once_labelled(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines; a label that stands right above is not repeated."""
    above = ""
    for line in lines:
        yield line._replace(lead=" " * len(line.lead)) if line.lead == above else line
        above = line.lead
