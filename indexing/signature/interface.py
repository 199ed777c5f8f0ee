"""Signature, Step, Rule, ToolRules: what a rule set says, and what comes of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from re import Match, Pattern

from indexing.lazily import compiled
from indexing.typed import Any, NamedTuple, Protocol

# How much like a root a matched line is. The highest rank wins, and of equals the first line:
# later ones are its consequences.
DIAGNOSTIC = 90
"""Says what is wrong and where: a compiler's error, the message of a failing test."""
EXCEPTION = 80
"""Nobody caught it: an exception's or a panic's own line."""
FATAL = 70
"""A tool gives up and says why."""
ERROR = 50
"""An error by its shape; another may have led to it."""
WARNING = 40
"""Only a warning, yet sometimes the cause that is left."""
SUMMARY = 30
"""Names what failed, not why."""
WRAPPER = 20
"""Says that a command failed which ran inside this tool."""
TRAILER = 10
"""The same after every failure: an exit code and nothing else."""


class Signature(NamedTuple):
    """One failure, reduced to what is the same the next time.

    `raw` is the root line as seen, without colours and CI prefix; `line` is its number in the log,
    from 1 (0: signed from a stored line). Where one line cannot tell two failures apart, `joined`
    holds the further lines that do. `sig_sha` is the sha256 of tool, a line feed and `normalised`,
    in hex.
    `rule` is `tool:name` of the rule that fired; `context` holds what is known of `job`, `step`,
    `command` and `exit_code`. `detected` is the tool that was found where the caller named another.
    """

    tool: str
    raw: str
    normalised: str
    sig_sha: str
    rule: str = ""
    line: int = 0
    joined: tuple[str, ...] = ()
    context: Mapping[str, Any] = {}
    detected: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, keys in the order of the fields."""
        return self._asdict() | {"joined": list(self.joined), "context": dict(self.context)}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Signature":
        """The signature that `as_dict` wrote."""
        return Signature(**{**values, "joined": tuple(values["joined"])})


class Step(NamedTuple):
    r"""One named substitution.

    `before` and `after` explain it and test it; `stays` only looks like it and must not change.
    `shows` are what a text holds one of that `expression` can match (any, if there are none):
    in lower case, a digit written `0`, a line's start `\n`; and one of `also`, if there are any.
    Where none is, nothing is compiled. `blind` says of a `put` that is a function that all digits
    are alike to it. Where the expression tells digits apart, `loose` may be one that does not, and
    that finds something wherever the other may, whatever the digits are.
    """

    name: str
    expression: str
    put: str | Callable[[Match[str]], str]
    before: str
    after: str
    stays: str
    flags: int = 0
    shows: Sequence[str] = ()
    also: Sequence[str] = ()
    blind: bool = False
    loose: str = ""

    @property
    def pattern(self) -> Pattern[str]:
        """The expression, compiled on first use."""
        return compiled(self.expression, self.flags)


class Lines(Protocol):
    """The log as clean lines; an index out of range is `""`."""

    def __getitem__(self, index: int) -> str:
        """Line `index`, from 0, without colours and CI prefix."""

    def __len__(self) -> int:
        """How many lines there are."""

    def holds(self, pattern: str) -> bool:
        """Whether the expression is found near the log's start or end (remembered)."""


class Found(NamedTuple):
    """Where the root line is, and the lines to join where it cannot tell two failures apart."""

    at: int
    joined: tuple[int, ...] = ()


class Rule(NamedTuple):
    """One shape of line that a tool prints when it fails.

    `needs` are literals, one of which every matching line holds: the log is scanned for literals
    first, and `pattern` (compiled on first use; 300 of them would cost more than the lookup) is
    tried on those lines alone, by `match` at the start of the clean line. `error`, `rror` and `X `
    count only where they do not end a name, as in `is-error`.
    `locate` goes from the matched line to the root line; it answers None for "not this one".
    `if_known` asks that the log shows the tool, for shapes that others print too.
    """

    name: str
    needs: Sequence[str]
    pattern: str
    rank: int
    locate: Callable[[Lines, int, Match[str]], Found | None] | None = None
    if_known: bool = False


class ToolRules(NamedTuple):
    """All that is known of how one tool fails.

    `known_by` is what shows that the tool ran at all; `command` is matched against a command line
    (`npm ci`). `skip` are lines that are never a root while anything better exists, by what they
    are: (why, literal they hold, pattern).
    """

    tool: str
    known_by: str
    rules: Sequence[Rule]
    command: str = ""
    skip: Sequence[tuple[str, str, str]] = ()


class Skipped(NamedTuple):
    """A line that looks like a failure and was passed over; `line` counts from 1."""

    line: int
    why: str


class Change(NamedTuple):
    """What one step made of the line."""

    name: str
    before: str
    after: str


class Explanation(NamedTuple):
    """A signature and how it came about."""

    signature: Signature | None
    steps: Sequence[Change] = ()
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()


def numbered(begin: str = "", end: str = "") -> tuple[str, ...]:
    """The literals that have a digit between these, for `Rule.needs`."""
    return tuple(f"{begin}{digit}{end}" for digit in range(10))


def holds_any(line: str, literals: Iterable[str]) -> bool:
    """Whether the line holds one of the literals: a hundredth of the time that to compile takes."""
    return any(map(line.__contains__, literals))


def may_hold(line: str, literals: Sequence[str]) -> bool:
    """Whether the line holds one of the literals, where there are any."""
    return not literals or holds_any(line, literals)
