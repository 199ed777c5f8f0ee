"""Where two signatures part: the first thing that made them two."""

from collections.abc import Sequence
from typing import NamedTuple

from indexing.signature import Explanation, Signature
from indexing.signature.normalise import STEPS, normalise
from retrieval.cli.explained import differing


class Parting(NamedTuple):
    """`at` is what differs, `values` are the two sides of it."""

    at: str
    values: tuple[str, str]


def parting(a: Explanation, b: Explanation) -> Parting | None:
    """The first step where two logs part; None when they have one signature, or both none.

    In order: `failure` (only one holds one), `tool`, `rule`, `step <name>` (of two lines that are
    much alike, a substitution found something in one only, and left them no more alike),
    `root line`, `joined lines`.
    """
    ours, theirs = a.signature, b.signature
    if ours is None or theirs is None:
        if ours is theirs:
            return None
        return Parting("failure", (_raw(ours), _raw(theirs)))
    if ours.sig_sha == theirs.sig_sha:
        return None
    if ours.tool != theirs.tool:
        return Parting("tool", (ours.tool, theirs.tool))
    if ours.rule != theirs.rule:
        return Parting("rule", (f"{ours.rule}: {ours.raw}", f"{theirs.rule}: {theirs.raw}"))
    if normalise(ours.raw) != normalise(theirs.raw):
        return _in_line("root line", ours.raw, theirs.raw)
    for left, right in zip(ours.joined, theirs.joined, strict=False):
        if normalise(left) != normalise(right):
            return _in_line("joined lines", left, right)
    return Parting("joined lines", (_lines(ours.joined), _lines(theirs.joined)))


def _in_line(what: str, left: str, right: str) -> Parting:
    """The step that parts two lines, or that they are two from the start."""
    ends = normalise(left), normalise(right)
    if 2 * _unlike(*ends) > min(len(end.split()) for end in ends):
        return Parting(what, differing(*ends))
    for step in STEPS:
        before = left, right
        left, right = (step.pattern.sub(step.put, text) for text in before)
        one_sided = (left == before[0]) != (right == before[1])
        if one_sided and _unlike(left, right) >= _unlike(*before):
            return Parting(f"step {step.name}", differing(left, right))
    return Parting(what, differing(*ends))


def _unlike(left: str, right: str) -> int:
    """How many words would have to change to make one of the other."""
    from difflib import SequenceMatcher

    ours, theirs = left.split(), right.split()
    alike = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return max(len(ours), len(theirs)) - sum(block.size for block in alike)


def _raw(signature: Signature | None) -> str:
    return "no failure found" if signature is None else signature.raw


def _lines(lines: Sequence[str]) -> str:
    return " | ".join(lines) or "(none)"
