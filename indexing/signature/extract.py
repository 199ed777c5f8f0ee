"""Finds the tool and the root line, signs it.

One pass for literals picks the lines that can matter; rules are tried on those alone. Each rule
says how much like a root its line is (`interface.py`); the part of the log that the CI says failed
comes first, then the higher rank, then the earlier line, since later ones are its consequences.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from indexing.lazily import compiled, sha256
from indexing.signature import ci, table
from indexing.signature.doubts import doubts
from indexing.signature.interface import (
    ERROR,
    EXCEPTION,
    FATAL,
    SUMMARY,
    TRAILER,
    Explanation,
    Found,
    Lines,
    Rule,
    Signature,
    Skipped,
    ToolRules,
    holds_any,
    may_hold,
)
from indexing.signature.lines import ECHOED, LONGEST, LargeLog, Log, clean, log_of, text_of
from indexing.signature.normalise import STEPS, changes, normalise
from indexing.signature.ruleset import (
    HIGHEST,
    LITERALS,
    are_alike,
    is_skipped,
    kind_of,
    places_for,
    rules_at,
    says_success,
    skip_of,
    why_not,
)
from indexing.signature.tools import GENERIC, TOOLS, rules_of
from indexing.typed import Any, NamedTuple

_MARKS = frozenset(ci.MARKS)
_MOST_SKIPPED = 200
_FEW = 2
"""So few rules are tried sooner than it is looked whether the line is no failure."""


class _Candidate(NamedTuple):
    inside: bool
    rank: int
    found: Found
    rule: Rule
    tool: str


def extract(output: str | bytes, tool: str | None = None) -> Signature | None:
    """The signature of the first failure that is not a consequence of another.

    Args:
        output: The whole output of one command or CI job; any bytes.
        tool: The tool, if it is known: it is taken as given and is part of the identity.

    Returns:
        The signature, or None when the output is empty or holds no failure. Never raises.
    """
    return _explained(output, tool, in_full=False).signature


def explain(output: str | bytes, tool: str | None = None) -> Explanation:
    """The signature with each substitution, the lines passed over and why, and warnings."""
    return _explained(output, tool, in_full=True)


def _explained(output: str | bytes, tool: str | None, in_full: bool) -> Explanation:
    log = log_of(output)
    scan = _Scan(log, in_full)
    given = None if tool is None else rules_of(tool)
    best = scan.best(given)
    warnings = []
    if given is not None and best is None:
        warnings.append(f"no rule of {tool} matches; has its output changed?")
        best = scan.best(None)
        if best is not None:
            best = best._replace(rule=best.rule._replace(name="unmatched"))
    if best is None or best.rank <= TRAILER:
        best = scan.last_said() or best
    if best is not None and _succeeded(scan, best):
        warnings.append("the log ends in success; what only looks like an error is not one")
        return Explanation(None, (), scan.skipped, warnings)
    if best is None:
        best = _last_block(log)
        if best is not None:
            warnings.append("no line is shaped like an error; the last one is taken")
    if best is None:
        return Explanation(None, (), scan.skipped, warnings)
    if tool is None and best.tool == GENERIC.tool and best.rank < ERROR:
        known = next((rules.tool for rules in TOOLS if log.holds(rules.known_by)), None)
        if known and known != GENERIC.tool:
            warnings.append(f"this is output of {known}, but none of its rules match")
    signature = _signed(log, best, tool, scan.region_of(best.found.at))
    warnings.extend(doubts(signature, best.rank))
    for region in scan.regions:
        if region.end + 1 != signature.line:
            scan.skip(region.end, "the runner's trailer: a command failed, not why")
    scan.skipped.sort()
    text = "\n".join((signature.raw, *signature.joined))
    steps = list(changes(text)) if in_full else ()
    return Explanation(signature, steps, scan.skipped, warnings)


def sign(
    raw: str,
    tool: str | None = None,
    joined: Sequence[str] = (),
    command: str = "",
    rule: str = "",
) -> Signature:
    """The signature of a root line that is known already.

    Args:
        raw: The root line, as a memory file keeps it.
        tool: Its tool; None: found from the line and the command, else `generic`.
        joined: Further lines that belong to the identity.
        command: What was run, if it is known.
        rule: The rule that found it in its log, if it is known. It is named again unless the lines
            show another; a rule that is no more is not.
    """
    raw = bare(text_of(raw).strip("\n").split("\n", 1)[0])
    if tool is None:
        best = _Scan(Log(raw)).best(None)
        tool = best.tool if best else GENERIC.tool
        if tool == GENERIC.tool and command:
            tool = _tool_of(command) or tool
    return _sealed(tool, raw, tuple(joined), _rule_of(tool, (raw, *joined), rule), 0, {})


def _rule_of(tool: str, lines: Sequence[str], known: str) -> str:
    """The tool's rule that a stored line shows, else the one known of it if there still is one."""
    for rule in by_rank(tool):
        for line in lines:
            if may_hold(line, rule.needs) and compiled(rule.pattern).match(line):
                return f"{tool}:{rule.name}"
    return unshown(tool, known)


def unshown(tool: str, known: str) -> str:
    """The rule known of lines that show none of the tool's, if there still is one.

    `tool:unmatched` when the tool has rules and it is none of them: its output may have changed.
    """
    rules = rules_of(tool)
    owner, _, name = known.partition(":")
    if owner == tool or rules is None:
        own = rules_of(owner)
        if own is GENERIC or (own and any(rule.name == name for rule in own.rules)):
            return known
    return f"{tool}:{'unmatched' if rules and rules is not GENERIC else 'stored'}"


@lru_cache(maxsize=256)
def by_rank(tool: str) -> Sequence[Rule]:
    """The tool's rules, the highest rank first; of an unknown tool none."""
    rules = rules_of(tool)
    return sorted(rules.rules, key=lambda rule: -rule.rank) if rules else ()


def keys(signature: Signature) -> list[tuple[str, str]]:
    """The hashes under which a memory may hold this failure, best first, and what each means."""
    found = [(signature.sig_sha, "")]
    if signature.joined:
        alone = hash_of(signature.tool, _alone(signature.raw))
        found.append((alone, "same root line; the memory does not know where"))
    for line in signature.joined:
        alone = hash_of(signature.tool, _alone(line))
        found.append((alone, "the memory names another line of the same failure"))
    if signature.detected and signature.detected != signature.tool:
        text = signature.normalised
        found.append((hash_of(signature.detected, text), f"same failure of {signature.detected}"))
    if signature.tool != GENERIC.tool:
        text = _alone(signature.raw) if signature.joined else signature.normalised
        found.append((hash_of(GENERIC.tool, text), "same root line; the memory knows no tool"))
    return found


def _alone(line: str) -> str:
    return normalise(_without_secrets(line))


def hash_of(tool: str, normalised: str) -> str:
    """`sig_sha`: sha256 over tool, a line feed and the normalised text, in hex."""
    return sha256(f"{tool}\n{normalised}".encode("utf-8", "surrogatepass")).hexdigest()


_CODE_VERSION = b"4"
"""To be raised when code changes signatures and no rule's or step's text does."""


@lru_cache(maxsize=1)
def ruleset_digest() -> str:
    """Changes whenever a rule or a step changes, so that an index says which rules made it."""
    made = sha256(_CODE_VERSION)
    for step in STEPS:
        made.update(f"{step.name}\0{step.expression}\0{step.put!s:.8}\0".encode())
    made.update(table.DIGEST.encode())
    return made.hexdigest()[:16]


class _Scan:
    """One look at a log: the lines that can matter, and the best of them.

    Args:
        log: The log.
        in_full: Lines are noted as passed over that no rule takes for a failure, too.
    """

    def __init__(self, log: Log, in_full: bool = False) -> None:
        self.log = log
        self._in_full = in_full
        self.held = _held(log)
        self.marked = list(self.held)
        of_runners = [index for index, held in self.held.items() if not _MARKS.isdisjoint(held)]
        self.regions = ci.failing_regions(log, of_runners)
        self.echoed = ci.echoed(log, of_runners)
        self.skipped: list[Skipped] = []
        self.looked = False
        """Whether a rule looked around the line that was tried last."""
        self.dull = False
        """Whether no rule took a line of that one's kind, and with the same floor none would."""
        self._skips: list[tuple[str, str, str]] = []
        """What held for lines of this log: for most of the others it is one of these."""
        self.told = -1
        """The last line of which a tool's own rule says that something failed."""

    def best(self, only: ToolRules | None) -> _Candidate | None:
        """The root, by the rules of all tools or of one."""
        best: _Candidate | None = None
        self.skipped.clear()
        seen: set[str] = set()
        dull: dict[bytes, int] = {}  # kinds of lines, and the floor at which no rule took them
        for index in self._lines():
            if best and best.inside and best.rank >= HIGHEST:
                break
            line = self.log[index]
            if self._in_full and (why := why_not(line)):
                self.skip(index, why)
                continue
            if line in seen and not self.regions:
                continue
            if self.regions and self._over(index):
                continue
            inside = not self.regions or self.region_of(index) is not None
            if best and best.inside and not inside:
                continue
            floor = best.rank if best and best.inside == inside else 0
            kind = kind_of(line)
            if floor >= dull.get(kind, HIGHEST + 1):
                continue
            self.looked = False
            made, why = self._match(index, line, floor, only)
            if self.dull and len(dull) < _MOST_DULL:
                dull[kind] = floor
            if why:
                self.skip(index, why)
                continue
            if not self.looked:
                seen.add(line)  # its like cannot be better
            if made is not None and made.rank > ONLY_RELAYED and _relays(self.log[made.found.at]):
                made = None if floor >= ONLY_RELAYED else made._replace(rank=ONLY_RELAYED)
            if made is not None:
                candidate = made._replace(inside=inside and made.rank > SUMMARY)
                if best is None or candidate[:2] > best[:2]:
                    best = candidate
        return best

    def _over(self, index: int) -> bool:
        """Whether the line stands after the last failed step: what follows did not cause it."""
        last = self.regions[-1] if self.regions else None
        return bool(last and last.context.get("ci") == "github-actions" and index > last.end)

    def region_of(self, index: int) -> ci.Region | None:
        """The failed part of the log to which a line belongs."""
        return next((one for one in self.regions if one.holds(self.log, index)), None)

    def last_said(self) -> _Candidate | None:
        """The last line of the first failed part, for a failure of no known shape."""
        for region in self.regions[:1]:
            for index in range(region.end - 1, max(region.start - 1, region.end - 200), -1):
                line = self.log[index].strip()
                if line.startswith("##[") or ci.is_echo(self.log, index):
                    continue
                if any(start <= index < end for start, end in self.echoed):
                    break
                if line and region.holds(self.log, index) and not why_not(line):
                    return _Candidate(True, TRAILER, Found(index), _LAST_SAID, GENERIC.tool)
        return None

    def _lines(self) -> Iterable[int]:
        """The marked lines but those that a runner echoes."""
        return self._not_echoed() if self.echoed or self.log.is_odd else self.marked

    def _not_echoed(self) -> Iterator[int]:
        ranges = iter(self.echoed)
        start, end = next(ranges, (-1, -1))
        for index in self.marked:
            while end != -1 and index >= end:
                start, end = next(ranges, (-1, -1))
            if start <= index < end or (self.log.is_odd and ci.is_echo(self.log, index)):
                self.skip(index, "source of a script, echoed before it runs")
            else:
                yield index

    def _match(
        self, index: int, line: str, floor: int, only: ToolRules | None
    ) -> tuple[_Candidate | None, str]:
        """What the first rule that matches the line makes of it; or why it is no failure."""
        self.dull = True
        if why := next((skip[0] for skip in self._skips if is_skipped(line, skip)), ""):
            return None, why
        places = places_for(line, self._literals(index) if self.log.is_odd else self.held[index])
        if len(places) > _FEW and (why := self._why_not(line)):
            return None, why
        self.dull = are_alike(places)
        trailer: bool | None = None
        for rule, rules in rules_at(places, line):
            if rule.rank <= floor and rules is GENERIC:
                break
            if only is not None and rules is not only:
                continue
            match = compiled(rule.pattern).match(line)
            if match is None or (rule.if_known and not self.log.holds(rules.known_by)):
                continue
            if trailer is None:
                if len(places) <= _FEW and (why := self._why_not(line)):
                    return None, why
                self.dull = False
                trailer = _is_trailer(line)
            if trailer and rule.rank > TRAILER:
                continue
            if rules is not GENERIC:
                self.told = index
            if rule.rank <= floor:
                break
            self.looked = self.looked or rule.locate is not None
            found = Found(index) if rule.locate is None else rule.locate(self.log, index, match)
            if found is not None:
                return _Candidate(True, rule.rank, found, rule, rules.tool), ""
        return None, ""

    def _why_not(self, line: str) -> str:
        skip = skip_of(line)
        if skip is None:
            return ""
        self._skips.append(skip)
        return skip[0]

    def _literals(self, index: int) -> Iterable[str]:
        """What the line may hold; all, if cleaning joined what stood apart."""
        line = self.log.lines[index]
        return table.NEEDS if "\0" in line or ECHOED in line else self.held[index]

    def skip(self, index: int, why: str) -> None:
        """Note that a line (index from 0) was passed over, and why."""
        if len(self.skipped) < _MOST_SKIPPED:
            self.skipped.append(Skipped(index + 1, why))


def _held(log: Log) -> dict[int, list[str]]:
    """The literals that each line holds, by its number from 0, in order."""
    if isinstance(log, LargeLog):
        from indexing.signature import fast

        held = fast.found(log)
        if held is not None:
            return held
    return LITERALS.found(log.blocks(), log.lines, LONGEST)


class Telling:
    """Finds the lines that tell of a failure in a log that comes in pieces."""

    def __init__(self) -> None:
        self._dull: set[bytes] = set()

    def lines(self, output: bytes) -> Iterator[int]:
        """The lines, from 0, that a rule takes for a failure, and a runner's marks."""
        log = Log(output)
        if len(self._dull) > _MOST_DULL:
            self._dull.clear()
        for index, literals in LITERALS.found(log.blocks(), log.lines, LONGEST).items():
            line = log[index]
            kind = kind_of(line)
            if "##[" in log.lines[index]:
                yield index
            elif kind not in self._dull:
                places = places_for(line, literals)
                if _tells(line, places):
                    yield index
                elif are_alike(places):
                    self._dull.add(kind)


_MOST_DULL = 50_000
"""So many kinds of lines that say nothing are remembered."""


def _tells(line: str, places: Sequence[int]) -> bool:
    return not why_not(line) and any(
        rule.rank >= FATAL and compiled(rule.pattern).match(line)
        for rule, _ in rules_at(places, line)
    )


def _signed(log: Log, best: _Candidate, tool: str | None, region: ci.Region | None) -> Signature:
    raw = bare(log[best.found.at])
    more = best.found.joined
    if not more and raw.endswith(":"):  # it announces what the next line says
        more = _next_line(log, best.found.at)
    wrapped = log.continued(best.found.at)
    more = (*wrapped, *(at for index in more for at in (index, *log.continued(index))))
    joined = tuple(log[index].strip() for index in more)
    context = dict(region.context) if region else {}
    named = tool or best.tool
    rule = f"{named if best.rule.name == 'unmatched' else best.tool}:{best.rule.name}"
    made = _sealed(named, raw, joined, rule, best.found.at + 1, context)
    return made._replace(detected=best.tool)


def bare(line: str) -> str:
    """The line as it is kept; once more cleaned it stays as it is."""
    while (cleaned := clean(line.strip())) != line:
        line = cleaned
    return line


def _without_secrets(text: str) -> str:
    """As the journal would keep it, so that a stored root line and its log sign alike."""
    if not may_hold_secret(text):
        return text
    from indexing.redact import redact

    return redact(text)


def may_hold_secret(text: str) -> bool:
    """Whether `redact` might change it, whatever its digits are."""
    return any(map(_is_suspect, text.split(" ")))


@lru_cache(maxsize=1 << 14)
def _is_suspect(word: str) -> bool:
    return compiled(_MAY_HOLD_SECRET).search(word.lower()) is not None


# Whatever is a secret by its shape is long or has such a word before it.
_MAY_HOLD_SECRET = r"[\w+/=-]{16}|://[^\s/]{1,200}@|(?:key|token|secret|passw|pwd|auth|credential)"


def _next_line(log: Lines, index: int) -> tuple[int, ...]:
    return next(((at,) for at in (index + 1, index + 2) if log[at].strip()), ())


def _sealed(
    tool: str, raw: str, joined: tuple[str, ...], rule: str, line: int, context: Mapping[str, Any]
) -> Signature:
    normalised = normalise(_without_secrets("\n".join((raw, *joined))))
    return Signature(tool, raw, normalised, hash_of(tool, normalised), rule, line, joined, context)


def _tool_of(command: str) -> str | None:
    return next(
        (
            rules.tool
            for rules in TOOLS
            if rules.command and re.match(rf"(?:{rules.command})(?:\s|$)", command.strip())
        ),
        None,
    )


def _succeeded(scan: _Scan, best: _Candidate) -> bool:
    """Whether one of the last lines says that all went well, and none after it that it did not.

    What a tool's own rules found stands all the same: tools go on after a failure.
    """
    if scan.regions:
        return False
    weak = best.rule.if_known and best.rank < EXCEPTION
    if best.tool != GENERIC.tool and best.rank >= ERROR and not weak:
        return False
    return any(
        says_success(scan.log[at].lstrip())
        for at in _last_lines(scan.log, 12)
        if at > scan.told and at >= best.found.at
    )


def _last_lines(log: Log, count: int) -> list[int]:
    """The last lines that are not blank, latest first."""
    found: list[int] = []
    for index in range(len(log) - 1, max(-1, len(log) - 200), -1):
        if len(found) == count:
            break
        if log[index].strip():
            found.append(index)
    return found


def _last_block(log: Log) -> _Candidate | None:
    """The last line that is not blank, unless it speaks of success."""
    last = _last_lines(log, 12)
    if not last or any(says_success(log[at].lstrip()) for at in last):
        return None
    return _Candidate(True, TRAILER, Found(last[0]), _LAST_BLOCK, GENERIC.tool)


_LAST_BLOCK = Rule("last-block", (), "", TRAILER)
_LAST_SAID = Rule("last-said", (), "", TRAILER)


def _is_trailer(line: str) -> bool:
    return holds_any(line, _TRAILER_NEEDS) and compiled(_TRAILER).match(line) is not None


def _relays(line: str) -> bool:
    """Whether the line only passes on that another process failed; that one said why."""
    return (
        holds_any(line, _RELAYED_NEEDS)
        and compiled(_RELAYED).search(line) is not None
        and compiled(_KILLED).search(line) is None
    )


# A runner's own last word, which no tool's rule for lines of that shape may claim.
_TRAILER = (
    r"\W{0,3}(?:E(?:rror|RROR): )?"
    r"(?:script returned exit code \d|Process completed with exit code -?\d"
    r"|Job failed: exit (?:code|status) \d|The command exited with status -?\d)"
)
_TRAILER_NEEDS = ("exit code ", "exit status ", "exited with status ")
ONLY_RELAYED = SUMMARY + 4
_RELAYED = (
    r"CalledProcessError|returned non-zero exit status|finished with non-zero exit value"
    r"|\b\d{1,6} (?:[\w-]{1,20} ){0,2}(?:tests?|test\(s\)|specs?|suites?|checks?)\b"
    r".{0,20}\bfail(?:ed|ing)"
    r"|\bCommand failed with (?:status|(?:exit )?code)|\bfailed \(exit code \d+\)"
    r"|\bfailed with exit (?:code|status) \d+\b"
    r"|\bexited with (?:code|status|exit code) \d+|\b(?:Process|Command"
    r"|Script) .{0,200}exit (?:code|status)"
)
_RELAYED_NEEDS = ("CalledProcessError", "exit", "fail")
_KILLED = r"\b(?:137|139|134)\b"  # by a signal: nobody else will say why
