"""What made two signatures of one failure differ when the rules changed between them."""

import re
from collections.abc import Iterator

from indexing.signature.interface import Signature
from indexing.signature.normalise import STEPS, changes, normalise

GONE = "a step that is gone"
_MASK = re.compile(r"<[A-Z_]{1,20}>")


def what_moved(then: Signature, now: Signature) -> Iterator[str]:
    """`rule: a → b`, `tool`, `root line`, `joined`, and the steps that act otherwise, by name.

    `then` was signed with other rules, of which only its result is known.
    """
    if then.rule and now.rule and then.rule != now.rule:
        yield f"rule: {then.rule} → {now.rule}"
    if then.tool != now.tool:
        yield "tool"
    if then.raw != now.raw:
        yield "root line"
    elif then.joined != now.joined:
        yield "joined"
    elif then.normalised != now.normalised:
        yield from _steps(then.normalised, now)


def _steps(then: str, now: Signature) -> Iterator[str]:
    """The steps that made another normal form of the same lines, in their order.

    A step that masks more than before finds it in the old form. One that masks less, or otherwise,
    left a mask there that is none any more, or now leaves words that were not there.
    """
    found = {change.name for change in changes(then)}
    if normalise(then) != now.normalised:
        old, new = set(then.split()), set(now.normalised.split())
        lost = set(_MASK.findall(then)) - set(_MASK.findall(now.normalised))
        found |= {step.name for step in STEPS if any(mask in step.after for mask in lost)}
        for change in changes("\n".join((now.raw, *now.joined))):
            made = set(change.after.split()) - set(change.before.split())
            if made & (new - old):
                found.add(change.name)
    named = [step.name for step in STEPS if step.name in found]
    yield from named or [GONE]
