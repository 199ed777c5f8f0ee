"""The literals of a rule stand in every line that its expression matches; in the others it is never
tried. Lines are drawn from the expressions themselves, always the same ones."""

import random
import re
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from failures import failing

from indexing.lazily import compiled
from indexing.signature.blind import tells_digits_apart
from indexing.signature.interface import Rule, Step
from indexing.signature.lines import LONGEST
from indexing.signature.normalise import STEPS
from indexing.signature.ruleset import LITERALS, places_for, rules_at, says_success
from indexing.signature.tools import TOOLS
from indexing.signature.tools.generic import SUCCESS

extract = import_module("indexing.signature.extract")
doubts = import_module("indexing.signature.doubts")
lines = import_module("indexing.signature.lines")
RULES = [(f"{rules.tool}:{rule.name}", rule) for rules in TOOLS for rule in rules.rules]
SKIPS = [
    (f"{rules.tool}: {why}", literal, pattern)
    for rules in TOOLS
    for why, literal, pattern in rules.skip
]
_CLASSES = {
    op.CATEGORY_DIGIT: "0137",
    op.CATEGORY_NOT_DIGIT: "aZ- ",
    op.CATEGORY_SPACE: " \t",
    op.CATEGORY_NOT_SPACE: "aZ3.-/_",
    op.CATEGORY_WORD: "aZ3_",
    op.CATEGORY_NOT_WORD: " -./:",
}
_ANY = " aZ3.-/:_'\"()[]"
_ALL = [chr(code) for code in range(32, 127)]


def drawn(tree: Iterable[tuple[Any, Any]], chance: random.Random) -> str:
    """One text that the parsed expression may match; what it looks around for is left out."""
    return "".join(_part(kind, value, chance) for kind, value in tree)


def _part(kind: Any, value: Any, chance: random.Random) -> str:
    match kind, value:
        case op.LITERAL, int(code):
            return chr(code)
        case op.NOT_LITERAL, int(code):
            return chance.choice([one for one in _ANY if one != chr(code)])
        case op.ANY, _:
            return chance.choice(_ANY)
        case op.IN, list(members):
            return chance.choice(_members(members))
        case op.BRANCH, (_, list(branches)):
            return drawn(chance.choice(branches), chance)
        case op.SUBPATTERN, (_, _, _, inner):
            return drawn(inner, chance)
        case op.ATOMIC_GROUP, inner:
            return drawn(inner, chance)
        case ((op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT), (int(low), most, inner)):
            often = chance.randint(low, min(low + 3, int(most)))
            return "".join(drawn(inner, chance) for _ in range(often))
        case _:
            return ""


def _members(members: list[tuple[Any, Any]]) -> list[str]:
    wanted: list[str] = []
    for kind, value in members:
        match kind, value:
            case op.LITERAL, int(code):
                wanted.append(chr(code))
            case op.RANGE, (int(low), int(high)):
                wanted.extend(chr(code) for code in range(low, high + 1))
            case op.CATEGORY, _:
                wanted.extend(_CLASSES[value])
    if members[0][0] is op.NEGATE:
        return [one for one in _ALL if one not in wanted]
    return wanted


def matching(pattern: str, find: bool = False) -> Iterator[str]:
    """Texts that the expression matches, drawn from it."""
    chance = random.Random(pattern)
    tree = parser.parse(pattern)
    tried = compiled(pattern).search if find else compiled(pattern).match
    for _ in range(400):
        text = drawn(tree, chance)
        if "\n" not in text and tried(text):
            yield text


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[name for name, _ in RULES])
def test_every_matching_line_holds_a_literal_of_the_rule(name: str, rule: Rule) -> None:
    for line in islice(matching(rule.pattern), 150):
        assert any(literal in line for literal in rule.needs), (name, line)
        held = LITERALS.found([line.encode()], [line], LONGEST).get(0, [])
        assert rule in [given for given, _ in rules_at(places_for(line, held), line)], (name, line)


@pytest.mark.parametrize(("why", "literal", "pattern"), SKIPS, ids=[why for why, *_ in SKIPS])
def test_every_line_to_be_skipped_holds_the_literal_or_is_another_rows(
    why: str, literal: str, pattern: str
) -> None:
    others = [other for of, other, same in SKIPS if same == pattern]
    for line in islice(matching(pattern, find=True), 80):
        assert any(other in line for other in others), (why, line)


@pytest.mark.parametrize("pattern", SUCCESS)
def test_every_line_of_success_is_one(pattern: str) -> None:
    found = [*islice(matching(pattern), 50)]
    assert found and [line for line in found if not says_success(line)] == []


@pytest.mark.parametrize("unit", ["a", "a ", "a.", "/a", ": ", "1:", "a@b:", "Error: "])
def test_no_expression_costs_more_than_its_line_is_long(unit: str) -> None:
    """Ten times the line may cost ten times as much, and some for noise; not a hundred times."""
    for name, find, pattern in [
        *((name, False, rule.pattern) for name, rule in RULES),
        *((why, True, pattern) for why, _, pattern in SKIPS),
    ]:
        tried = compiled(pattern).search if find else compiled(pattern).match
        begun = next(matching(pattern, find), "")
        begun = begun[: len(begun) * 3 // 4]

        def cost(length: int) -> float:
            start = time.process_time()
            tried((begun + unit * length)[:length])  # noqa: B023
            return time.process_time() - start

        large = min(cost(LONGEST), cost(LONGEST))
        assert large < 0.02 or large < 45 * cost(LONGEST // 10) + 0.02, name


def test_most_expressions_can_be_drawn_from() -> None:
    dumb = [
        name
        for name, rule in RULES
        if not re.search(r"\(\?!\)", rule.pattern) and next(matching(rule.pattern), None) is None
    ]
    assert len(dumb) < len(RULES) // 50, dumb


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (extract._TRAILER, extract._TRAILER_NEEDS),
        (extract._RELAYED, extract._RELAYED_NEEDS),
        (doubts._EXIT, doubts._EXIT_NEEDS),
        (doubts._FOREIGN, doubts._FOREIGN_NEEDS),
    ],
)
def test_whatever_a_guarded_expression_finds_holds_what_guards_it(pattern, literals):
    found = list(islice(matching(pattern, find=True), 150))
    assert len(found) > 50
    assert [line for line in found if not any(literal in line for literal in literals)] == []


LOOSE = [step for step in STEPS if step.loose]


@pytest.mark.parametrize("step", LOOSE, ids=lambda step: step.name)
def test_where_a_step_changes_a_line_its_loose_expression_finds_something(step: Step) -> None:
    chance, tree = random.Random(step.name), parser.parse(step.expression)
    texts = [begin + drawn(tree, chance) for _ in range(400) for begin in ("", "from ")]
    found = [text for text in texts if step.pattern.search(text)]
    assert len(found) > 50
    assert [text for text in found if not compiled(step.loose, step.flags).search(text)] == []
    assert not tells_digits_apart(step.loose, step.flags)


def test_a_line_that_begins_with_a_prefix_is_one_that_may():
    found = list(islice(matching(lines._PREFIX), 300))
    assert len(found) > 100
    assert [line for line in found if not lines._may_have_prefix(line)] == []


@pytest.mark.parametrize("case", failing()[::4], ids=lambda case: case.id)
def test_no_captured_line_hides_its_prefix(case):
    for line in lines.Log(case.log()).lines:
        found = compiled(lines._PREFIX).match(line)
        assert lines._may_have_prefix(line) or not found or not found.end(), line
