"""The search by words finds what a look for each literal would find."""

import re

import pytest
from failures import failing
from hypothesis import given
from hypothesis import strategies as st

from indexing.signature import ci
from indexing.signature.lines import Log, _alternatives
from indexing.signature.literals import Literals, holds, prepared
from indexing.signature.normalise import STEPS, _marks
from indexing.signature.tools import TOOLS

NEEDS = sorted(
    {need for rules in TOOLS for rule in rules.rules for need in rule.needs} | {*ci.MARKS}
)
SEARCH = Literals(prepared(NEEDS))
LONGEST = 4096


def without_names(line: str, end: str) -> str:
    return re.sub(f"(?<=[A-Za-z_]){end}|(?<=[A-Za-z_][-./]){end}", "\0", line)


def one_by_one(lines: list[str], literals: list[str] = NEEDS) -> dict[int, list[str]]:
    found = {}
    for number, line in enumerate(lines):
        line = line[:LONGEST]
        apart = {"rror": without_names(line, "error"), "X ": without_names(line, "X ")}
        apart["error"] = apart["rror"]
        held = [literal for literal in literals if literal in apart.get(literal, line)]
        if held:
            found[number] = held
    return found


def ordered(found: dict[int, list[str]]) -> dict[int, list[str]]:
    return {number: sorted(held) for number, held in found.items()}


@pytest.mark.parametrize("need", NEEDS)
def test_every_literal_is_found_wherever_it_stands(need):
    text = f"one\n{need}\nxx{need}\n{need}yy{need}\n{need[:-1]}\n{need[1:]}"
    lines = text.split("\n")
    assert ordered(SEARCH.found(Log(text).blocks(), lines, LONGEST)) == ordered(one_by_one(lines))


@pytest.mark.parametrize("case", failing()[::8], ids=lambda case: case.id)
def test_a_log_is_searched_as_one_by_one(case):
    log = Log(case.log())
    found = SEARCH.found(log.blocks(), log.lines, LONGEST)
    assert list(found) == sorted(found)
    assert ordered(found) == ordered(one_by_one(log.lines))


@given(
    st.lists(
        st.text(alphabet="aabE*! \u2713\u2714rFAIL\udc80", max_size=12)
        | st.lists(st.sampled_from(["error", "Error", "X ", "a", "-", ".", " "])).map("".join),
        max_size=12,
    )
)
def test_any_lines_are_searched_as_one_by_one(lines):
    literals = ["***", "FAIL", "rror", "error", "X ", "\u2713 ", "E a", "ab", "!!b", "FAILA", "a"]
    text = "\n".join(lines)
    found = Literals(prepared(literals)).found(Log(text).blocks(), text.split("\n"), LONGEST)
    assert ordered(found) == ordered(one_by_one(text.split("\n"), literals))


@pytest.mark.parametrize(
    "line",
    [
        "  Downloaded is-error v2.14",
        "Merge pull request #10 from auth/error-pages",
        "Compiling liberror and thiserror",
        "tests/test_error.py::test_errors_are_raised PASSED",
    ],
)
def test_an_error_that_ends_a_name_is_none(line):
    assert not holds(line, "error") and not holds(line, "rror")


@pytest.mark.parametrize(
    "line",
    ["a.c:3:1: error: no", "is-error: an error", "[error] of x", "--error here", "\u00e9error"],
)
def test_an_error_that_ends_no_name_is_one(line):
    assert holds(line, "error") and holds(line, "rror")


def test_a_literal_without_a_word_is_refused():
    with pytest.raises(ValueError, match="no word"):
        prepared(["error", " | "])


def test_blocks_do_not_hide_a_literal_and_numbers_go_on():
    lines = [("x" * 50_000) + " error: ", "error: ", "y" * 200_000, "fatal: ", "z" * 70_000, "FAIL"]
    found = SEARCH.found(Log("\n".join(lines)).blocks(), lines, LONGEST)
    assert list(found) == [1, 3, 5]


@pytest.mark.parametrize("rules", list(TOOLS), ids=lambda rules: rules.tool)
def test_what_shows_a_tool_is_found_as_by_the_whole_expression(rules):
    known = re.compile(rules.known_by, re.MULTILINE)
    assert len(list(_alternatives(rules.known_by))) >= 1
    for case in failing()[::25]:
        text = Log(case.log()).text
        if len(text) < 200_000 and max(map(len, text.split("\n"))) < LONGEST:
            assert Log(text).holds(rules.known_by) == bool(known.search(text)), case.id


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_where_a_step_matches_the_text_shows_it(step):
    number = STEPS.index(step)
    for line in (
        step.before,
        *(line for case in failing()[::40] for line in Log(case.log()).lines),
    ):
        if step.pattern.sub(step.put, line) != line:
            assert _marks().shown(line) >> number & 1, line
