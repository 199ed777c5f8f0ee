"""The text of `table.py`: what the rules' files say, as `ruleset.py` reads it."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from indexing.lazily import sha256
from indexing.signature import ci
from indexing.signature.blind import tells_digits_apart
from indexing.signature.interface import Rule, Step
from indexing.signature.literals import prepared
from indexing.signature.normalise import STEPS
from indexing.signature.tools import GENERIC, TOOLS
from indexing.signature.tools.generic import SUCCESS

_HEAD = """\
\"\"\"What the files of the tools say, as `ruleset.py` reads it; `scripts/accept` writes it.\"\"\"

# fmt: off
# ruff: noqa: E501"""


def tabulated() -> str:
    """The table of the rules as they are now."""
    rules = _in_order()
    needs: dict[str, tuple[int, ...]] = {}
    for place, (tool, number) in enumerate(rules):
        for literal in TOOLS[tool].rules[number].needs:
            needs[literal] = (*needs.get(literal, ()), place)
    skips: dict[str, tuple[tuple[int, int], ...]] = {}
    for tool, of in enumerate(TOOLS):
        for number, (_, literal, _) in enumerate(of.skip):
            skips[literal] = (*skips.get(literal, ()), (tool, number))
    successes: dict[str, tuple[int, ...]] = {}
    for place, pattern in enumerate(SUCCESS):
        for text in necessary(pattern) or ("",):
            successes[text] = (*successes.get(text, ()), place)
    lines = [
        _HEAD,
        f'DIGEST = "{_digest()}"',
        f"HIGHEST = {max(rule.rank for of in TOOLS for rule in of.rules)}",
        "RULES: tuple[tuple[int, int], ...] = (",
        *_rows(rules),
        ")",
        "HELD: tuple[tuple[str, ...], ...] = (",
        *_rows(_held(TOOLS[tool].rules[number]) for tool, number in rules),
        ")",
        "NEEDS: dict[str, tuple[int, ...]] = {",
        *_pairs(needs.items()),
        "}",
        "SKIPS: dict[str, tuple[tuple[int, int], ...]] = {",
        *_pairs(skips.items()),
        "}",
        f"UNLIKE = frozenset({_unlike(rules)})",
        "SUCCESS: dict[str, tuple[int, ...]] = {",
        *_pairs(successes.items()),
        "}",
        "DIGITS = frozenset((",
        *(f"    {name!a}," for name in _with_digits()),
        "))",
    ]
    for name, table in prepared([*needs, *ci.MARKS])._asdict().items():
        lines.append(f"{name.upper()}: dict[bytes, dict[bytes, tuple[str, ...]]] = {{")
        lines += [*_pairs(table.items()), "}"]
    return "\n".join(lines) + "\n"


def _held(rule: Rule) -> tuple[str, ...]:
    """What is necessary for the rule to match, unless one of it stands in each of its needs."""
    texts = necessary(rule.pattern)
    return () if all(any(text in need for text in texts) for need in rule.needs) else texts


def necessary(pattern: str) -> tuple[str, ...]:
    """Texts of which one stands in whatever the expression matches; none where that is not known.

    Those that are the longest, and one sooner than several.
    """
    parsed = _parser.parse(pattern)
    return () if parsed.state.flags & re.IGNORECASE else _best_of(parsed)


def _best_of(parsed: Iterable[Any]) -> tuple[str, ...]:
    found: list[tuple[str, ...]] = [()]
    run = ""
    for each in _necessary(parsed):
        if isinstance(each, str):
            run += each
        else:
            found += ((run,), each)
            run = ""
    found.append((run,))

    def tells(texts: tuple[str, ...]) -> int:
        return min(map(len, texts), default=0) - 2 * (len(texts) > 1)

    best = max(found, key=tells)
    return best if tells(best) > 0 else ()


def _necessary(parsed: Iterable[Any]) -> Iterator[str | tuple[str, ...]]:
    """What must stand there, in order: texts, and of some one; () where anything may stand."""
    for what, of in parsed:
        if what is _parser.LITERAL:
            yield chr(of)
        elif what is _parser.SUBPATTERN:
            yield from [()] if of[1] & re.IGNORECASE else _necessary(of[3])
        elif what is _parser.ATOMIC_GROUP:
            yield from _necessary(of)
        elif what is _parser.BRANCH:
            alternatives = [*map(_best_of, of[1])]
            yield tuple(dict.fromkeys(chain(*alternatives))) if all(alternatives) else ()
        elif what in (_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT) and of[0]:
            yield ()
            yield from _necessary(of[2])
            yield ()
        elif what not in (_parser.AT, _parser.ASSERT, _parser.ASSERT_NOT):  # they take no room
            yield ()


def _in_order() -> list[tuple[int, int]]:
    """Each rule as the place of its tool and its number there, in the order they are tried.

    Highest rank first, then by the tools' order; the generic ones come last.
    """
    places = [(tool, number) for tool, of in enumerate(TOOLS) for number in range(len(of.rules))]
    return sorted(places, key=lambda at: (TOOLS[at[0]] is GENERIC, -TOOLS[at[0]].rules[at[1]].rank))


def _with_digits() -> Iterator[str]:
    """The steps, and the rules as `tool:name`, to which it matters which digits a line holds."""
    yield from (step.name for step in STEPS if not is_blind(step))
    for rules in TOOLS:
        for rule in rules.rules:
            if tells_digits_apart(rule.pattern):
                yield f"{rules.tool}:{rule.name}"


def _unlike(rules: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The places of the rules that tell digits apart of which none is a 0."""
    patterns = (TOOLS[tool].rules[number].pattern for tool, number in rules)
    return tuple(
        place
        for place, pattern in enumerate(patterns)
        if tells_digits_apart(pattern, digits="123456789")
    )


def is_blind(step: Step) -> bool:
    """Whether a step does the same with a text whatever its digits are."""
    put = step.blind if callable(step.put) else not re.search(r"(?<!\\)\d", step.put)
    return put and not tells_digits_apart(step.expression, step.flags)


def _digest() -> str:
    made = sha256()
    for rules in TOOLS:
        made.update(f"{rules.tool}\0{rules.known_by}\0{rules.skip}\0".encode())
        for rule in rules.rules:
            made.update(f"{rule.name}\0{rule.pattern}\0{rule.rank}\0".encode())
    return made.hexdigest()


def _rows(rows: Iterable[object]) -> Iterator[str]:
    return (f"    {row!a}," for row in rows)


def _pairs(pairs: Iterable[tuple[object, object]]) -> Iterator[str]:
    return (f"    {key!a}: {values!a}," for key, values in pairs)
