"""Of a large log lines are read from its bytes when they are asked for; nothing else changes."""

import random

import pytest
from failures import failing
from hypothesis import given
from hypothesis import strategies as st

from indexing.signature import explain, extract, lines
from indexing.signature.lines import LargeLog, Log, log_of

CASES = failing()


@pytest.fixture
def all_are_large(monkeypatch):
    monkeypatch.setattr(lines, "_LARGE", 0)


@pytest.mark.parametrize("case", CASES[::3], ids=lambda case: case.id)
@pytest.mark.parametrize("block", [1 << 16, 200])
def test_a_large_log_is_explained_as_any_other(case, block, monkeypatch):
    expected = explain(case.log())
    monkeypatch.setattr(lines, "_LARGE", 0)
    monkeypatch.setattr(lines, "_BLOCK", block)
    assert explain(case.log()) == expected


@pytest.mark.usefixtures("all_are_large")
def test_most_captured_logs_can_be_read_so():
    large = [case for case in CASES if isinstance(log_of(case.log()), LargeLog)]
    assert len(large) > len(CASES) // 2


@pytest.mark.usefixtures("all_are_large")
@given(
    st.lists(st.one_of(st.binary(max_size=9), st.text(max_size=9).map(str.encode)), max_size=30),
    st.integers(1, 40),
)
def test_any_bytes_have_the_same_lines(parts, block):
    data = b"\n".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        log, expected = log_of(data), Log(data)
        assert len(log) == len(expected)
        assert list(log.lines) == list(expected.lines)
        assert log.text == expected.text
        assert b"".join(log.blocks()) == b"".join(expected.blocks())
        assert [log[at] for at in range(-1, len(log) + 1)] == [
            expected[at] for at in range(-1, len(log) + 1)
        ]


@pytest.mark.parametrize(
    "output",
    [
        b"\x1b[31merror\x1b[2K: a",
        b"\x1b]0;title\x1b\\error: a",
        b"\x1b[31merror\x1b[0m: caf\xe9",
        "\x9b31merror: a".encode(),
        b"^[[31merror: a",
        b"_bk;t=1\x07error: a",
        b"10%\r20%\rerror: a",
        b"\xff\xfee\0r\0r\0o\0r\0",
        b"a\0b",
        b'{"Action":"output","Output":"error: a"}',
        b"<testsuite>",
        "error: \udc80",
    ],
)
@pytest.mark.usefixtures("all_are_large")
def test_what_must_be_prepared_as_a_whole_is(output):
    assert not isinstance(log_of(output), LargeLog)


def test_lines_that_end_as_on_windows_change_nothing(all_are_large):
    for case in CASES[::20]:
        unix = case.log().replace(b"\r\n", b"\n")
        windows = unix.replace(b"\n", b"\r\n")
        assert extract(windows) == extract(unix), case.id


@pytest.mark.usefixtures("all_are_large")
@given(
    st.lists(
        st.sampled_from(
            ["a", "\u00e9", "m", "\n", "\x1b[31m", "\x1b[0;1m", "\x1b[36;1m", "\x1b[", "31", "\x1b"]
        )
    )
)
def test_colours_leave_the_same_lines(parts):
    data = "".join(parts).encode()
    log, expected = log_of(data), Log(data)
    assert list(log.lines) == list(expected.lines)


@pytest.mark.usefixtures("all_are_large")
def test_a_log_in_colours_is_read_so_too():
    assert isinstance(log_of(b"\x1b[31merror\x1b[0m: a\n"), LargeLog)


def test_lines_are_the_same_in_whatever_order_they_are_asked_for():
    data = b"".join(b"line %d \xe2\x9c\x93\n" % number for number in range(20_000))
    log, expected = LargeLog(data), Log(data)
    for at in random.Random(3).sample(range(20_001), 500):
        assert log[at] == expected[at]


def test_which_tool_ran_is_looked_for_at_both_ends():
    data = b"npm ERR! code\n" + "\u2713 fine\n".encode() * 100_000 + b"mypy src\n"
    log, expected = LargeLog(data), Log(data)
    for pattern in ("^npm ERR!", r"\bmypy\b", "^\u2713", "^none"):
        assert log.holds(pattern) == expected.holds(pattern)
