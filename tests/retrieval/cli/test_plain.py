"""What is read without `argparse` is what `argparse` reads."""

from pathlib import Path

import pytest

from retrieval.cli.ask import COMMANDS
from retrieval.cli.interface import whole_number
from retrieval.cli.parser import Parser
from retrieval.cli.plain import NotPlain, plainly

PLAIN = [
    [],
    ["a.log"],
    ["-"],
    ["--body", "-"],
    ["a.log", "--title", "two words", "-k", "3"],
    ["--files", "a,b", "a.log", "--files", "c"],
    ["--label", "x", "--label", "y", "--strict"],
    ["--title", "first", "--title", "last"],
    ["--index", "some/where", "--scorer", "cosine", "--loop", "l", "--max-tokens", "90"],
    ["--title", "", "--format", "patterns"],
    ["\u00fc.log", "--tool", "npm"],
]
OTHER = [
    ["--title=x"],
    ["-k3"],
    ["-k", "many"],
    ["-k", "0"],
    ["-k"],
    ["--title", "-x"],
    ["--titel", "x"],
    ["--tit", "x"],
    ["--scorer", "none"],
    ["a.log", "b.log"],
    ["--", "a.log"],
    ["--help"],
]
arguments = COMMANDS["context"].arguments


@pytest.mark.parametrize("words", PLAIN)
def test_plain_words_are_read_as_argparse_reads_them(words):
    parser = Parser(allow_abbrev=False)
    arguments(parser)
    assert vars(plainly(arguments, words)) == vars(parser.parse_args(words))


@pytest.mark.parametrize("words", OTHER)
def test_other_words_are_left_to_argparse(words):
    with pytest.raises(NotPlain):
        plainly(arguments, words)


def test_what_is_appended_is_not_kept_for_the_next_time():
    assert plainly(arguments, ["--label", "x"]).label == ["x"]
    assert plainly(arguments, []).label == []


@pytest.mark.parametrize(
    "add",
    [
        lambda parser: parser.add_argument("a"),
        lambda parser: parser.add_argument("a", nargs="*"),
        lambda parser: parser.add_argument("--a", nargs=2),
        lambda parser: parser.add_argument("--a", required=True),
        lambda parser: parser.add_argument("--a", action="count"),
        lambda parser: parser.add_mutually_exclusive_group(),
    ],
)
def test_other_arguments_are_left_to_argparse(add):
    with pytest.raises(NotPlain):
        plainly(add, [])


def test_a_type_is_applied_to_what_is_given_alone():
    def add(parser):
        parser.add_argument("--n", type=whole_number, default=0)
        parser.add_argument("--at", type=Path)

    assert vars(plainly(add, ["--n", "3", "--at", "x"])) == {"n": 3, "at": Path("x")}
    assert vars(plainly(add, [])) == {"n": 0, "at": None}
