"""Error→fix pairs: what stood between a failure and the later green run of the same command."""

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from indexing.learning import diffs
from indexing.learning.loop import Attempt, Loop, failure_of, plain_command
from indexing.signature import Signature

# Commands that only look; they mend nothing.
_LOOKS = re.compile(
    r"(?:sudo )?(?:ls|ll|cat|less|head|tail|grep|rg|ag|find|fd|pwd|cd|echo|printf|which|type|whoami"
    r"|env|date|wc|sort|uniq|diff|tree|stat|file|du|df|ps|top|sleep|true|false|test|man|help|history"
    r"|git (?:status|diff|log|show|branch|blame|remote|rev-parse|ls-files|fetch|add|commit|push"
    r"|describe)|npm (?:ls|list|view|outdated|config get|why)|pip (?:show|list|freeze|index)"
    r"|cargo (?:tree|metadata)|go (?:list|env|version)|docker (?:ps|images|logs|inspect)"
    r"|kubectl (?:get|describe|logs)|terraform (?:show|output|state list)|sed -n|awk|jq|node -[ep]"
    r"|\S+ (?:--version|-V|--help|-h)|curl|wget|python3? -c)(?:\s|$)"
)
INSTALLS = re.compile(
    r"^(?:sudo )?(?:(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|update|upgrade|up|dedupe|audit"
    r" fix)\b|yarn$|(?:python3? -m )?(?:pip3?|uv(?: pip)?|poetry|pipenv|conda) (?:install|add|sync"
    r"|update|lock|upgrade)\b|cargo (?:add|update|fetch|install)\b|go (?:get|mod (?:tidy|download"
    r"|vendor))\b"
    r"|bundle(?: install| update)?$|gem install|composer (?:install|require|update)"
    r"|terraform init\b|apt(?:-get)? install|apk add|brew install|rustup \w+)"
)
_PARTS = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")


class Change(NamedTuple):
    """Everything that was changed between two runs.

    `files` is None when nobody recorded them; `attempts` are the numbers of what it comes from.
    """

    files: tuple[str, ...] | None = None
    diff: str = ""
    note: str = ""
    steps: tuple[str, ...] = ()
    attempts: tuple[int, ...] = ()
    places: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.diff or self.note or self.steps)

    @property
    def touched(self) -> tuple[str, ...] | None:
        """The files that were recorded, and those that the diff names; None when neither says."""
        named = diffs.files_of(self.diff)
        if self.files is None:
            return named or None
        return tuple(dict.fromkeys((*self.files, *named)))


class Pair(NamedTuple):
    """A failure and what mended it; `tried` are the changes after which it was the same.

    `red` is the last run with this failure, `green` the run of the same command that passed.
    """

    signature: Signature
    change: Change
    red: Attempt
    green: Attempt
    tried: tuple[Change, ...] = ()


class Unmended(NamedTuple):
    """A failure that came again after each of `tried`; `pair` is what mended it later, if any."""

    signature: Signature
    tried: tuple[Change, ...]
    last: Attempt
    pair: Pair | None = None


class Broken(NamedTuple):
    """A change after which a green command was red; `pair` is what mended it later, if any."""

    change: Change
    green: Attempt
    red: Attempt
    signature: Signature | None
    pair: Pair | None = None


class Story(NamedTuple):
    """What a loop's runs say, in order."""

    pairs: tuple[Pair, ...]
    unmended: tuple[Unmended, ...]
    broken: tuple[Broken, ...]
    flaky: tuple[tuple[Signature, Attempt], ...]


def told_by(loop: Loop) -> Story:
    """What the loop's runs say of each command's failures."""
    story = Story((), (), (), ())
    keys = dict.fromkeys(attempt.key for attempt in loop.attempts if attempt.ran)
    checks = frozenset(attempt.key for attempt in loop.attempts if _is_check(attempt))
    for key in keys:
        of_this = _of_command(loop.attempts, key, checks)
        story = Story._make(a + b for a, b in zip(story, of_this, strict=True))
    return story


def _is_check(attempt: Attempt) -> bool:
    """Whether it failed, so that its green run shows what was mended, and mends nothing."""
    return attempt.outcome is False and not INSTALLS.match(plain_command(attempt.command))


class _Open(NamedTuple):
    """A failure that is not mended yet."""

    signature: Signature
    red: Attempt
    tried: tuple[Change, ...] = ()
    mended: Change | None = None


def _of_command(attempts: Sequence[Attempt], key: str, checks: Set[str]) -> Story:
    pairs: list[Pair] = []
    unmended: list[Unmended] = []
    broken: list[Broken] = []
    flaky: list[tuple[Signature, Attempt]] = []
    open_: dict[str, _Open] = {}
    last: Attempt | None = None  # the run before of this command, if it can be told how it ended
    waiting: Broken | None = None
    since: list[Attempt] = []
    for attempt in attempts:
        since.append(attempt)
        if attempt.key != key or not attempt.ran or attempt.outcome is None:
            continue
        change = _between(since, checks | {key})
        since = []
        if attempt.outcome:
            found = list(_mended(open_, change, attempt))
            pairs += [pair for pair in found if pair.change]
            flaky += [(pair.signature, attempt) for pair in found if not pair.change]
            by_hash = {pair.signature.sig_sha: pair for pair in found if pair.change}
            unmended += [
                Unmended(each.signature, each.tried, each.red, by_hash.get(sha))
                for sha, each in open_.items()
                if each.tried
            ]
            if waiting is not None:
                sha = waiting.signature.sig_sha if waiting.signature else ""
                broken.append(waiting._replace(pair=by_hash.get(sha)))
            open_, waiting = {}, None
        else:
            signature = failure_of(attempt)
            if last is not None and last.outcome and change:
                waiting = Broken(change, last, attempt, signature)
            _failed(open_, signature, change, attempt)
        last = attempt
    unmended += [
        Unmended(each.signature, each.tried, each.red) for each in open_.values() if each.tried
    ]
    if waiting is not None:
        broken.append(waiting)
    return Story(tuple(pairs), tuple(unmended), tuple(broken), tuple(flaky))


def _failed(
    open_: dict[str, _Open], signature: Signature | None, change: Change, attempt: Attempt
) -> None:
    """Take in a red run: its failure is open, and the others may have gone."""
    now = signature.sig_sha if signature else ""
    for sha, each in open_.items():
        if sha == now:
            # what it had gone after did not mend it either
            what = change if each.mended is None else _joined(each.mended, change)
            tried = (*each.tried, what) if what else each.tried
            open_[sha] = each._replace(red=attempt, tried=tried, mended=None)
        elif signature is not None and each.mended is None:
            open_[sha] = each._replace(mended=change)
    if signature is not None and now not in open_:
        open_[now] = _Open(signature, attempt)


def _mended(open_: dict[str, _Open], change: Change, green: Attempt) -> Iterator[Pair]:
    """What was open is mended: by this change, or by the earlier one after which it had gone."""
    for each in open_.values():
        mending = change if each.mended is None else each.mended
        yield Pair(each.signature, mending, each.red, green, each.tried)


def _between(attempts: Sequence[Attempt], checks: Set[str]) -> Change:
    """All that the attempts changed; a run of `checks` only shows what came of it."""
    change = Change()
    for attempt in attempts:
        is_run = attempt.key in checks and attempt.ran
        steps = attempt.steps
        if attempt.command and not is_run and attempt.outcome:
            steps = (*steps, *mending(attempt.command))
        change = _joined(
            change,
            Change(
                attempt.files,
                attempt.diff,
                attempt.note,
                steps,
                (attempt.number,) if attempt.changes or steps else (),
                (attempt.place,) if (attempt.changes or steps) and attempt.place else (),
            ),
        )
    return change


def mending(command: str) -> tuple[str, ...]:
    """The parts of a command that may change something."""
    parts = (plain_command(part) for part in _PARTS.split(plain_command(command)))
    return tuple(part for part in parts if part and not _LOOKS.match(part))


def _joined(one: Change, other: Change) -> Change:
    files = one.files if other.files is None else (*(one.files or ()), *other.files)
    return Change(
        None if files is None else tuple(dict.fromkeys(files)),
        "\n".join(filter(None, (one.diff, other.diff))),
        "; ".join(dict.fromkeys(filter(None, (one.note, other.note)))),
        tuple(dict.fromkeys((*one.steps, *other.steps))),
        (*one.attempts, *other.attempts),
        (*one.places, *other.places),
    )
