"""A tool's file is imported when a line holds one of its literals: the table says which."""

import re
from pathlib import Path

import pytest
from commands import printed_by
from failures import failing

from indexing.signature import table
from indexing.signature.blind import tells_digits_apart
from indexing.signature.interface import Step
from indexing.signature.lines import Log
from indexing.signature.ruleset import (
    HIGHEST,
    _rule_at,
    kind_of,
    places_for,
    rules_at,
    says_success,
    why_not,
)
from indexing.signature.tabulate import is_blind, tabulated
from indexing.signature.tools import GENERIC, NAMES, TOOLS, rules_of
from indexing.signature.tools.generic import SUCCESS

CASES = failing()[::8]


def matches(rule, line):
    return re.match(rule.pattern, line) is not None


def test_the_table_is_what_the_rules_say():
    """`scripts/accept` writes it anew."""
    assert Path(table.__file__).read_text("utf-8") == tabulated()


def test_every_tool_is_found_by_its_name():
    assert [rules_of(rules.tool) for rules in TOOLS] == list(TOOLS)
    assert rules_of("no-such-tool") is None
    assert rules_of("github_actions") is None


def test_every_file_of_a_tool_is_in_the_list():
    folder = Path(table.__file__).parent / "tools"
    assert sorted(NAMES) == sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_line_gets_the_rules_that_may_match_it_in_order(case):
    rules = [(rule, of) for of in TOOLS for rule in of.rules]
    rules.sort(key=lambda pair: (pair[1] is GENERIC, -pair[0].rank))
    for line in Log(case.log()).lines:
        needing = [pair for pair in rules if any(need in line for need in pair[0].needs)]
        places = places_for(line)
        assert [*map(_rule_at, places)] == needing
        given = [*rules_at(places, line)]
        assert not [rule for rule, of in needing if (rule, of) not in given and matches(rule, line)]
    assert max(rule.rank for rule, _ in rules) == HIGHEST


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_line_is_passed_over_for_the_first_reason_that_holds(case):
    skips = [skip for rules in TOOLS for skip in rules.skip]
    for line in Log(case.log()).lines:
        said = (why for why, held, shape in skips if held in line and re.search(shape, line))
        assert why_not(line) == next(said, "")


def test_lines_of_a_kind_differ_in_no_0():
    assert kind_of("12 of 305, caf\u00e9 \udc80") == kind_of("47 of 801, caf\u00e9 \udc80")
    assert len({kind_of(f"Failures: {count}") for count in ("0", "3", "10", "31")}) == 4


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_holds_for_a_line_holds_for_its_kind(case):
    for line in Log(case.log()).lines:
        other = line.translate(str.maketrans("123456789", "794861325"))
        assert kind_of(other) == kind_of(line)
        assert why_not(other) == why_not(line)
        for place in {*places_for(line), *places_for(other)} - table.UNLIKE:
            rule, _ = _rule_at(place)
            assert matches(rule, other) == matches(rule, line), (rule.name, line)


def test_no_reason_to_pass_over_a_line_tells_such_lines_apart():
    skips = [pattern for rules in TOOLS for _, _, pattern in rules.skip]
    assert [one for one in skips if tells_digits_apart(one, digits="123456789")] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_that_nothing_failed_is_told_as_by_all_expressions(case):
    for line in Log(case.log()).lines:
        said = any(re.match(rf"(?:\[(?:INFO|info|success)\] )?{one}", line) for one in SUCCESS)
        assert says_success(line) == said


def test_a_log_imports_the_files_of_few_tools():
    script = (
        "import sys; from indexing import extract;"
        "print(extract('src/a.ts(3,5): error TS2322: no').tool,"
        "sum(name.startswith('indexing.signature.tools.') for name in sys.modules))"
    )
    tool, files = printed_by(script).split()
    assert tool == "tsc"
    assert int(files) < 10


def test_the_table_names_what_tells_digits_apart():
    assert {"ip", "port", "go-map", "npm:not-found"} <= table.DIGITS
    assert table.DIGITS.isdisjoint({"path", "line-column", "sha", "duration", "npm:code"})


@pytest.mark.parametrize(
    "other", [{"put": r"\1<0>"}, {"put": str.upper}, {"expression": "a1"}, {"expression": "(.)\\1"}]
)
def test_a_step_is_blind_to_digits_when_all_of_it_is(other):
    step = Step("word", r"(\w)\d", r"\1<N>", "", "", "")
    assert is_blind(step)
    assert not is_blind(step._replace(**other))
