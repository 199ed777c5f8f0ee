"""Messages made general."""

import pytest
from failures import failing, signature
from hypothesis import given
from hypothesis import strategies as st

from indexing.learning.message import WORDINGS, form_of, message_of

PARTS = (
    "TypeError: ",
    "Cannot read properties of null (reading 'email')",
    "null is not an object (evaluating 'user.email')",
    "can't access property email, user is null",
    ". Did you mean: 'x'?",
)
NULL = "TypeError: Cannot read property '.*' of null"


@pytest.mark.parametrize(
    "raw",
    [
        "TypeError: Cannot read property 'email' of null",
        "TypeError: Cannot read properties of null (reading 'email')",
        "Uncaught TypeError: Cannot read properties of null (reading 'email')",
        "TypeError: null is not an object (evaluating 'user.email')",
        'TypeError: can\'t access property "email", user is null',
    ],
)
def test_the_wordings_of_one_error_have_one_form(raw):
    message = message_of(raw)
    assert (message.form, message.slots) == (NULL, ("email",))


@pytest.mark.parametrize(
    ("raw", "kind", "pattern", "slots"),
    [
        (
            "E   ModuleNotFoundError: No module named 'shop.pricing'",
            "ModuleNotFoundError",
            "No module named '.*'",
            ("shop.pricing",),
        ),
        (
            "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
            "TS2322",
            "src/a.ts(3,5): error TS2322: Type '.*' is not assignable to type '.*'.",
            ("string", "number"),
        ),
        ("error[E0425]: cannot find value `x` in this scope", "E0425", None, ("x",)),
        ("java.lang.IllegalStateException: closed", "IllegalStateException", "closed", ()),
    ],
)
def test_a_root_line_is_taken_apart(raw, kind, pattern, slots):
    message = message_of(raw)
    assert (message.type, message.slots) == (kind, slots)
    assert pattern is None or message.pattern == pattern


@pytest.mark.parametrize("raw", ["KeyError: 'tax'", "Killed", "Error: 'a' 'b'", ""])
def test_what_says_too_little_has_no_form(raw):
    assert message_of(raw).form == ""


def test_null_and_undefined_are_told_apart():
    one = message_of("TypeError: Cannot read properties of null (reading 'email')")
    other = message_of("TypeError: Cannot read properties of undefined (reading 'email')")
    assert one.form != other.form


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording.holds)
def test_a_wording_holds_what_it_says(wording):
    assert wording.holds in wording.expression.replace("\\", "")


@pytest.mark.parametrize("case", failing(), ids=lambda case: case.id)
def test_a_line_that_quotes_nothing_has_no_form(case):
    raw = signature(case.id).raw
    assert form_of(raw) == message_of(raw).form


@given(
    st.lists(st.sampled_from([*PARTS, "'", '"', "`", "‘", "’", " the user name is "])).map("".join)
)
def test_nor_in_any_wording(raw):
    assert form_of(raw) == message_of(raw).form
