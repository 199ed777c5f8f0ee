"""Shapes sign as `sign` does: that is the definition, here they are compared."""

import re

import pytest
from failures import failing, signature
from hypothesis import given
from hypothesis import strategies as st

from indexing.signature import lines, shapes, sign
from indexing.signature.blind import tells_digits_apart
from indexing.signature.normalise import STEPS
from indexing.signature.shapes import Shapes
from indexing.signature.tools import NAMES, TOOLS

KNOWN = [signature(case.id) for case in failing()]
LINES = [(each.raw, each.tool) for each in KNOWN]
LINES += [(text, "generic") for step in STEPS for text in (step.before, step.after, step.stays)]
# what a step or a rule somewhere tells from other numbers
TELLING = (
    "0",
    "1",
    "127",
    "404",
    "50",
    "502",
    "504",
    "4058",
    "2026",
    "32768",
    "65535",
    "00",
    "6789",
)
numbers = st.one_of(st.sampled_from(TELLING), st.from_regex("[0-9]{1,6}", fullmatch=True))


@st.composite
def redrawn(draw):
    """A root line that we know, twice: with two drawings of its numbers."""
    raw, tool = draw(st.sampled_from(LINES))

    def with_others():
        return re.sub("[0-9]+", lambda _: draw(numbers), raw)

    one = with_others()
    same_shape = re.sub("[0-9]", lambda _: draw(st.sampled_from("0123456789")), one)
    return tool, one, same_shape


@given(redrawn())
def test_lines_with_other_digits_are_signed_as_if_they_were_alone(drawn):
    tool, *both = drawn
    known = Shapes()
    for raw in (*both, *both):
        assert known.sign(raw, tool) == sign(raw, tool)


@given(
    st.sampled_from([rules.tool for rules in TOOLS] + ["no-such-tool"]),
    st.text(st.sampled_from("0123456789.:/-_ abcdefxT[]()'\"\t\n\x1béſ"), max_size=60),
    st.sampled_from(["", "npm:code", "generic:error-in", "x"]),
)
def test_any_text_is_signed_as_if_it_were_alone(tool, text, rule):
    known = Shapes()
    for raw in (text, text.replace("1", "2"), text.replace("1", "2")):
        assert known.sign(raw, tool, rule=rule) == sign(raw, tool, rule=rule)


@pytest.mark.parametrize("tool", [None, "npm"])
def test_what_else_is_known_of_a_line_counts_as_it_does_alone(tool):
    known, told = Shapes(), ("npm ERR! 404 Not Found - GET https://a.example/b", tool)
    assert known.sign(*told) == sign(*told)
    assert known.sign(*told, ("and more",)) == sign(*told, ("and more",))
    assert known.sign(*told, (), "npm ci") == sign(*told, (), "npm ci")


def test_a_secret_goes_though_the_shape_is_known():
    line = "error: no user for token=abcdEFGH{}abcdEFGH in 12 ms"
    known = Shapes()
    for raw in (line.format(1234), line.format(9876), "error: ya29.abcdefghijklmnopqrstuvwxyz"):
        known.sign(raw.replace("29", "11"), "generic")
        signed = known.sign(raw, "generic")
        assert signed == sign(raw, "generic")
        assert "REDACTED" in signed.normalised


def test_most_root_lines_are_filled_in(monkeypatch):
    alone = []

    def noted(raw, *more):
        alone.append(raw)
        return sign(raw, *more)

    monkeypatch.setattr(shapes, "sign", noted)
    known = Shapes()
    for each in KNOWN:
        known.sign(each.raw, each.tool)
    assert len(alone) < len(KNOWN) / 4


def test_shapes_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(shapes, "_MOST", 5)
    known = Shapes()
    for name in NAMES:
        raw = f"error: {name} is lost at line 12"
        assert known.sign(raw, "generic") == sign(raw, "generic")
        assert known._form_of.cache_info().currsize <= 5


def test_what_is_cut_off_a_line_s_start_does_not_hang_on_its_digits():
    assert not tells_digits_apart(lines._PREFIX)
