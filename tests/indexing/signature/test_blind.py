"""Whether digits are alike to an expression is told by its parts."""

import re

import pytest

from indexing.signature.blind import tells_digits_apart


@pytest.mark.parametrize(
    ("expression", "one", "other"),
    [
        ("50[234]", "502", "505"),
        ("[^5]x", "4x", "5x"),
        (r"[^\W5]", "4", "5"),
        ("[A-Z0-4]", "0", "5"),
        (r"^(?!127)\d+ up", "128 up", "127 up"),
        ("(?<=1)a", "1a", "2a"),
        (r"(\w)-\1$", "1-1", "1-2"),
        ("(?:a|b7)c", "b7c", "b8c"),
        ("a(?:[1-9])?b", "a1b", "a0b"),
        ("(?>9)", "9", "8"),
        ("(?i:x2)", "X2", "X3"),
        (r"\x31", "1", "2"),
    ],
)
def test_one_that_tells_digits_apart(expression, one, other):
    assert [bool(re.search(expression, text)) for text in (one, other)] == [True, False]
    assert tells_digits_apart(expression)


@pytest.mark.parametrize(
    "expression",
    [
        r"^\d{1,7}:\d{2,}(?=\s|$)",
        r"(?<![\w.])[0-9a-f]{7,128}(?!\w)",
        r"[^\s'\"]{1,20}\D\W\S",
        r"(?P<name>.*?)\b(?:error|[A-Z/-]+)\.",
        r"[!-Z]",
        r"a{3,5}",
        "\u2500",
    ],
)
def test_one_to_which_they_are_alike(expression):
    assert not tells_digits_apart(expression)


@pytest.mark.parametrize(
    ("expression", "apart"),
    [("[1-9]", False), (": 0$", False), (r"[^0]\d", False), ("[2-9]", True), ("[01]", True)],
)
def test_some_digits_may_be_alike_where_all_are_not(expression, apart):
    assert tells_digits_apart(expression)
    assert tells_digits_apart(expression, digits="123456789") == apart
