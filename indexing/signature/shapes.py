"""Root lines that differ in their digits alone: one is signed, and the others are filled in.

A failure comes back with other numbers, and what is made of them hangs on which digits they have in
few steps and rules (`table.DIGITS`). Where none of those has a say, a line is signed with its
digits numbered from 0 to 9: it shows where the digits go.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import add, itemgetter

from indexing.lazily import compiled, expression
from indexing.redact import suspect
from indexing.signature import normalise, table
from indexing.signature.extract import bare, by_rank, hash_of, may_hold_secret, sign, unshown
from indexing.signature.interface import Rule, Signature, Step, may_hold
from indexing.signature.lines import is_plain
from indexing.signature.normalise import cut, tried
from indexing.typed import NamedTuple

_MOST = 1 << 17
"""So many shapes are remembered, in about a hundred megabytes."""
_LONGEST = 512
"""A longer line is signed alone."""
_NUMBERS = "0123456789"
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_DIGITS = expression("([0-9]+)")


class _Form(NamedTuple):
    """What is the same of all lines of a shape.

    `start` and `end` are of the bare line; `normalised` is the normal form with `%s` where `digits`
    of the line are put, and signed if there are none. `rule` is empty when the line shows none.
    """

    start: int
    end: int
    normalised: str
    digits: Callable[[str], object] | None
    sig_sha: str
    rule: str
    may_hold_secret: bool


def shapes() -> "Shapes":
    """Those that this process has met."""
    return _shapes_under(normalise.STEPS)


@lru_cache(maxsize=1)
def _shapes_under(steps: Sequence[Step]) -> "Shapes":
    return Shapes()


class Shapes:
    """Signs many stored lines, as `sign` does."""

    def __init__(self) -> None:
        self._form_of = lru_cache(maxsize=_MOST)(_form_of)

    def sign(
        self,
        raw: str,
        tool: str | None = None,
        joined: Sequence[str] = (),
        command: str = "",
        rule: str = "",
    ) -> Signature:
        """As the function of that name."""
        if tool is None or joined or not raw.isascii() or len(raw) > _LONGEST:
            return sign(raw, tool, joined, command, rule)
        form = self._form_of(tool, raw.encode("ascii").translate(_ZEROS))
        if form is None or (form.may_hold_secret and suspect(raw)):
            return sign(raw, tool, joined, command, rule)
        normalised, sig_sha = form.normalised, form.sig_sha
        if form.digits is not None:
            normalised %= form.digits(raw)
            sig_sha = hash_of(tool, normalised)
        shown = form.rule or unshown(tool, rule)
        return Signature(tool, raw[form.start : form.end], normalised, sig_sha, shown)


def _form_of(tool: str, shape: bytes) -> _Form | None:
    """The form of the shape's lines; None when they are to be signed one by one."""
    kept = shape.decode("ascii")
    if not is_plain(kept):
        return None
    zeros = bare(kept)
    end = len(kept.rstrip())
    start = end - len(zeros)
    *parts, last = zeros.split("0")
    if len(parts) > len(_NUMBERS):
        return None
    line = "".join(map(add, parts, _NUMBERS)) + last
    rule, text = _rule_of(tool, zeros, line), _normalised(line)
    if rule is None or text is None:
        return None
    secret = may_hold_secret(line)
    *parts, last = _DIGITS.split(text.replace("%", "%%"))
    if not parts:
        return _Form(start, end, text, None, hash_of(tool, text), rule, secret)
    runs = []
    for run in parts[1::2]:
        at = line.find(run)
        if at < 0:
            return None  # what stood apart was put together
        runs.append(slice(start + at, start + at + len(run)))
    return _Form(start, end, "%s".join((*parts[::2], last)), itemgetter(*runs), "", rule, secret)


def _rule_of(tool: str, zeros: str, line: str) -> str | None:
    """The rule that a line shows, empty for none; None: that hangs on its digits."""
    for rule, name, needs in _rules_of(tool):
        if may_hold(zeros, needs):
            if name in table.DIGITS:
                return None
            if compiled(rule.pattern).match(line):
                return name
    return ""


@lru_cache(maxsize=256)
def _rules_of(tool: str) -> Sequence[tuple[Rule, str, Sequence[str]]]:
    """The tool's rules as they are tried, their names, and their `needs` with zeros for digits."""
    return [
        (rule, f"{tool}:{rule.name}", [re.sub("[1-9]", "0", need) for need in rule.needs])
        for rule in by_rank(tool)
    ]


def _normalised(line: str) -> str | None:
    """The normal form of a bare line; None when more hangs on its digits than they themselves."""
    text = line
    for step, after in tried(line):
        if step.name in table.DIGITS and _may_change(step, text):
            return None
        text = after
    return cut(text)


def _may_change(step: Step, text: str) -> bool:
    """Whether a step that tells digits apart might change a text with these or other digits."""
    return not step.loose or compiled(step.loose, step.flags).search(text) is not None
