import importlib
import re

import pytest

from indexing.signature import sign
from indexing.signature.interface import Step
from indexing.signature.moved import GONE, what_moved
from indexing.signature.normalise import STEPS

MOON = Step("moon", re.compile(r"\bmoon-[a-z]+\b"), "<MOON>", "moon-full", "<MOON>", "moon")
BARE = Step("bare", re.compile(r"\bdirty "), "", "dirty x", "x", "dirt")


@pytest.fixture
def rules(monkeypatch):
    """Makes these the steps everywhere."""

    def use(steps):
        for name in ("normalise", "moved"):
            module = importlib.import_module(f"indexing.signature.{name}")
            monkeypatch.setattr(module, "STEPS", tuple(steps))

    use(STEPS)
    return use


LINE = "error: dirty moon-full at 0x7f3a2c1d"


def moved(rules, before, after):
    rules(before)
    then = sign(LINE, "npm")
    rules(after)
    now = sign(LINE, "npm")
    assert then.sig_sha != now.sig_sha
    return list(what_moved(then, now))


def test_a_new_step_is_named(rules):
    assert moved(rules, STEPS, [*STEPS, MOON]) == ["moon"]
    assert moved(rules, STEPS, [MOON, *STEPS]) == ["moon"]


def test_several_new_steps_are_named_in_their_order(rules):
    assert moved(rules, STEPS, [*STEPS, BARE, MOON]) == ["bare", "moon"]


def test_a_step_that_masks_less_is_named(rules):
    less = MOON._replace(expression=r"\bmoon-new\b")
    assert moved(rules, [*STEPS, MOON], [*STEPS, less]) == ["moon"]


def test_a_step_that_masks_otherwise_is_named(rules):
    other = MOON._replace(put="<SKY>", after="<SKY>")
    assert moved(rules, [*STEPS, MOON], [*STEPS, other]) == ["moon"]


def test_a_step_that_is_gone_is_told(rules):
    assert moved(rules, [*STEPS, MOON], STEPS) == [GONE]
    assert moved(rules, [*STEPS, BARE], STEPS) == [GONE]


def test_one_that_came_and_one_that_went_are_not_confused(rules):
    assert moved(rules, [*STEPS, BARE], [*STEPS, MOON]) == ["moon"]


def test_rule_tool_and_lines_are_told_apart(rules):
    then = sign("error: x", "npm", ("at a",))
    assert list(what_moved(then, sign("error: x", "cargo", ("at a",)))) == [
        f"rule: {then.rule} → {sign('error: x', 'cargo').rule}", "tool",
    ]  # fmt: skip
    assert list(what_moved(then, sign("error: y", "npm", ("at a",)))) == ["root line"]
    assert list(what_moved(then, sign("error: x", "npm", ("at b",)))) == ["joined"]
    assert list(what_moved(then, then)) == []
