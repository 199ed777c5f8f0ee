"""Runs: how one ended, and which later one is the same command."""

import pytest

from indexing.learning.loop import Attempt, Loop, failure_of, same_command

FAILS = "Error: Cannot find module './total'\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("npm test", "npm  test"),
        ("npm test", "npm test 2>&1 | tail -50"),
        ("cd web && npm test", "cd web; npm test"),
        ("npm test", "npm test | tee out.log"),
        ("pytest -k 'a b'", 'pytest -k "a b"'),
    ],
)
def test_one_command_is_known_in_another_spelling(one, other):
    assert same_command(one) == same_command(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("npm test", "npm test -- --watch=false"),
        ("npm test", "npm run build"),
        ("cd web && npm test", "cd api && npm test"),
        ("FORCE=1 npm test", "npm test"),
        ("npm test", "npm test | grep total"),
        ("pytest tests/test_a.py", "pytest tests/test_b.py"),
    ],
)
def test_another_command_is_another(one, other):
    assert same_command(one) != same_command(other)


def test_the_folder_may_be_in_the_command_or_beside_it():
    assert same_command("cd /w/web && npm test") == same_command("npm test", "/w/web/")


def test_a_quote_that_never_ends_is_still_a_command():
    assert same_command("echo 'a") == same_command("echo  'a")


@pytest.mark.parametrize(
    ("attempt", "outcome"),
    [
        (Attempt(1, "npm test", exit_code=0), True),
        (Attempt(1, "npm test", exit_code=1), False),
        (Attempt(1, "npm test"), None),
        (Attempt(1, "npm test", exit_code=0, passed=False), False),
        # the exit code is tail's: the output has to say it
        (Attempt(1, "npm test | tail -5", exit_code=0, output=FAILS), False),
        (Attempt(1, "npm test | tail -5", exit_code=0, output="ok\n"), True),
        (Attempt(1, "npm test", exit_code=0, output=FAILS), True),
        (Attempt(1, error="TypeError: x is null"), False),
    ],
)
def test_how_a_run_ended(attempt, outcome):
    assert attempt.outcome is outcome


def test_a_failure_keeps_its_command_and_exit_code():
    signature = failure_of(Attempt(1, "cd web && npm test", exit_code=7, output=FAILS))
    assert signature.raw == "Error: Cannot find module './total'"
    assert signature.context["command"] == "npm test"
    assert signature.context["exit_code"] == 7


def test_a_passing_line_that_was_filed_as_an_error_is_no_failure():
    assert failure_of(Attempt(1, error="✓ retries when the feed fails", passed=False)) is None


@pytest.mark.parametrize(
    ("codes", "result"),
    [
        ([("a", 1), ("a", 0)], "success"),
        ([("a", 0), ("b", 1)], "partial"),
        ([("a", 0), ("a", 1)], "failure"),
        ([], ""),
    ],
)
def test_a_loop_ended_as_the_last_run_of_each_command(codes, result):
    attempts = [Attempt(at, name, exit_code=code) for at, (name, code) in enumerate(codes, 1)]
    assert Loop("l", "attempts", "f", attempts=tuple(attempts)).result == result
