"""Loop, Attempt: what a finished loop did, whichever system wrote it down."""

import re
import shlex
from collections.abc import Iterable
from typing import NamedTuple

from indexing.readers.passing import passing
from indexing.signature import Signature, extract, sign

SUCCESS, PARTIAL, FAILED = "success", "partial", "failure"

# What only shows the output of the command before it; its own exit code hides that one's.
_VIEWERS = re.compile(r"\s*\|\s*(?:tail|head|tee|cat|less)\b[^|;&]*$")
_REDIRECT = re.compile(r"\s+(?:2>&1|&>\s*\S+|[12]?>\s*\S+)$")
_INTO = re.compile(r"^cd\s+(?P<dir>'[^']*'|\"[^\"]*\"|[^\s;&|]+)\s*(?:&&|;)\s*")


class Attempt(NamedTuple):
    """What was changed, and the command that was run then to see what came of it.

    `command` is `""` when only something was changed, or when the loop always runs the same one and
    does not name it. `exit_code` is None when it is not known; `passed` is what the loop itself
    says. `files` is None when nobody recorded them. `steps` are commands that were run before this
    one and may have mended something; `note` is what the loop says of its change. `signature` is
    given where the output was not kept. `place` says where in the loop's file it stands.
    """

    number: int
    command: str = ""
    cwd: str = ""
    exit_code: int | None = None
    passed: bool | None = None
    output: str = ""
    error: str = ""
    location: str = ""
    signature: Signature | None = None
    files: tuple[str, ...] | None = None
    diff: str = ""
    note: str = ""
    steps: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    at: str = ""
    place: str = ""

    @property
    def ran(self) -> bool:
        """Whether a command ran, so that it says something of what was changed before it."""
        return bool(self.command or self.output or self.error) or self.outcome is not None

    @property
    def changes(self) -> bool:
        """Whether anything was changed before it ran."""
        return bool(self.diff or self.files or self.steps or self.note)

    @property
    def outcome(self) -> bool | None:
        """Whether it passed; None when nobody can tell.

        The exit code of `npm test | tail` is that of `tail`; there the output has to say it.
        """
        if self.passed is not None:
            return self.passed
        if self.exit_code is None:
            return False if self.error else None
        if self.exit_code:
            return False
        return not (is_piped(self.command) and shows_failure(self.output))

    @property
    def key(self) -> str:
        """By this a later run of the same command in the same folder is known."""
        return same_command(self.command, self.cwd)


class Loop(NamedTuple):
    """A finished loop; `attempts` are in the order of time.

    `id` is unique among all loops; `outcome` is `success`, `partial` or `failure`, `""` unknown;
    `by` is the agent. `shown` and `applied` are the ids of memories that it was given and that it
    says it used. `root` is what stays when a loop is copied under another id, `""` unknown.
    """

    id: str
    system: str
    file: str
    task: str = ""
    outcome: str = ""
    by: str = ""
    attempts: tuple[Attempt, ...] = ()
    learnings: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    root: str = ""

    @property
    def identity(self) -> str:
        """By this a loop that was learnt before is known."""
        return self.root or self.id

    @property
    def ended(self) -> str:
        """The last time that is known, `""` if none is."""
        return max((attempt.at for attempt in self.attempts), default="")

    @property
    def result(self) -> str:
        """How it ended: what it says, else by the last run of each command."""
        return self.outcome or _result(self.attempts)

    @property
    def iterations(self) -> int:
        """How many runs it took."""
        return sum(attempt.ran for attempt in self.attempts)


def failure_of(attempt: Attempt) -> Signature | None:
    """The signature of a run that failed; None when it passed or shows no failure."""
    if attempt.outcome is not False:
        return None
    signature = attempt.signature or (extract(attempt.output) if attempt.output else None)
    if signature is None and attempt.error and not passing(attempt.error):
        signature = sign(attempt.error, None, (), attempt.command)
    if signature is None or passing(signature.raw):
        return None
    context = dict(signature.context)
    if attempt.command:
        context["command"] = plain_command(attempt.command)
    if attempt.exit_code:
        context["exit_code"] = attempt.exit_code
    return signature._replace(context=context)


def shows_failure(output: str) -> bool:
    """Whether a rule finds a failure; a text that merely ends without a word of success is none."""
    found = extract(output)
    return found is not None and found.rule != "generic:last-block"


def plain_command(command: str) -> str:
    """The command without the folder it goes to and the viewers it is piped through."""
    text = command.strip()
    while found := _INTO.match(text):
        text = text[found.end() :]
    before = None
    while before != text:
        before = text
        text = _REDIRECT.sub("", _VIEWERS.sub("", text)).rstrip("; \t\n")
    return text


def same_command(command: str, cwd: str = "") -> str:
    """A command by which its later runs are known: its words, and the folder it ran in."""
    folder = cwd.rstrip("/")
    text = command.strip()
    while found := _INTO.match(text):
        there = found["dir"].strip("'\"").rstrip("/")
        folder = there if there.startswith("/") or not folder else f"{folder}/{there}"
        text = text[found.end() :]
    text = plain_command(text)
    try:
        text = shlex.join(shlex.split(text))
    except ValueError:  # a quote that never ends
        text = " ".join(text.split())
    return f"{folder}$ {text}"


def is_piped(command: str) -> bool:
    """Whether the exit code may be that of a viewer at the end of a pipe."""
    return _VIEWERS.search(command) is not None


def _result(attempts: tuple[Attempt, ...]) -> str:
    last = {each.key: each.outcome for each in attempts if each.outcome is not None}
    if not last:
        return ""
    if all(last.values()):
        return SUCCESS
    return PARTIAL if any(last.values()) else FAILED


def numbered(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """The attempts with the numbers 1, 2, … in their order, where they have none."""
    return tuple(
        each if each.number else each._replace(number=at)
        for at, each in enumerate(attempts, start=1)
    )
