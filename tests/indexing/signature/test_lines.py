import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.signature.lines import LONGEST, Log, clean, decode


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("naïve ✓".encode(), "naïve ✓"),
        ("a\nb".encode("utf-16"), "a\nb"),
        ("error: é\n".encode("utf-16-be", "strict").join([b"\xfe\xff", b""]), "error: é\n"),
        ("error: no mark\n".encode("utf-16-le"), "error: no mark\n"),
        (b"caf\xe9 \x93quoted\x94", "café “quoted”"),
        ("mixed ✓ ".encode() + b"\xe9", "mixed ✓ é"),
        (b"", ""),
        ("as text ✓", "as text ✓"),
    ],
)
def test_bytes_become_text_in_every_encoding_that_logs_come_in(output, text):
    assert decode(output).lstrip("\ufeff") == text


def test_what_python_could_not_decode_is_decoded_as_the_bytes_would_be():
    raw = b"build failed: caf\xe9 \x9d"
    assert decode(raw.decode("utf-8", "surrogateescape")) == decode(raw)


@given(st.binary(max_size=300))
def test_any_bytes_become_text(output):
    assert isinstance(decode(output), str)
    assert decode(output) == decode(output)


@given(st.text(max_size=300))
def test_any_text_stays_text_that_can_be_encoded(output):
    decode(output).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[1;31merror\x1b[0m: no", "error: no"),
        ("^[[1;31merror^[[0m: no", "error: no"),
        ("\x9b31merror: no", "error: no"),
        ("\x1b]8;;https://docs.example/E1\x07error\x1b]8;;\x07: no", "error: no"),
        ("\x1b]8;;https://docs.example/E1\x1b\\error\x1b]8;;\x1b\\: no", "error: no"),
        ("\x1b[7merror: no\x1b[27m", "error: no"),
        ("\x1b(B\x1b[merror: no", "error: no"),
        ("⠹\x1b[1G\x1b[0Kerror: no", "error: no"),
        ("  4% (1/24)\r 71% (17/24)\rfatal: early EOF", "fatal: early EOF"),
        ("\x1b[2K\x1b[1Gerror: no", "error: no"),
        ("error: no\r", "error: no"),
        ("\ufefferror: no", "error: no"),
        ("error: no\x00", "error: no"),
    ],
)
def test_what_a_terminal_would_show_is_what_counts(written, shown):
    assert Log(f"first\n{written}\nlast")[1] == shown


@pytest.mark.parametrize(
    "prefix",
    [
        "2022-04-12T20:08:27.3633511Z ",
        "\ufeff2022-04-12T20:08:27.3633511Z ",
        "2022-04-12T20:08:27.3633511Z ##[error]",
        "[2021-08-21T10:02:11.482Z] ",
        "2024-05-01T10:00:00.123456Z 01E ",
        "2020-07-13 17:57:10,221 ",
        "[10:02:11] ",
        "10:02:11 ",
        "#7 23.36 ",
        "2022-04-12T20:08:27.3633511Z #12 9.870 ",
        "build\tRun npm ci\t2022-04-12T20:08:27.3633511Z ",
        "web_1  | ",
        "##[error]",
        "::error file=src/a.ts,line=3::",
        "_bk;t=1700000000000\x07",
        "packages/api test: ",
        "module.db.terraform_data.migrate (local-exec): ",
    ],
)
def test_a_prefix_of_a_runner_is_no_part_of_the_line(prefix):
    assert Log(f"first\n{prefix}error: no\n")[1] == "error: no"


@pytest.mark.parametrize(
    "line",
    [
        "10:02 is early",
        "#include <stdio.h>",
        "3:5 error no-undef",
        "2021 was a year",
        "src/a.ts(3,5): error TS1: no",
        "go test: no such tool",
        "12 | let x = 3;",
    ],
)
def test_a_line_that_only_begins_like_a_prefix_is_kept(line):
    assert clean(line) == line


def test_indent_is_kept_and_blanks_at_the_end_are_not():
    assert clean("2022-04-12T20:08:27.3633511Z     --- FAIL: TestX (0.00s)  ") == (
        "    --- FAIL: TestX (0.00s)"
    )


def test_lines_are_numbered_as_an_editor_does():
    log = Log("a\r\nb\rc\r\n\r\nd")
    assert [log[at] for at in range(len(log))] == ["a", "c", "", "d"]


def test_a_log_of_an_old_mac_has_lines_too():
    assert [Log("a\rb\rc")[at] for at in range(3)] == ["a", "b", "c"]


def test_an_index_out_of_range_is_an_empty_line():
    assert (Log("a")[-1], Log("a")[7]) == ("", "")


def test_a_line_is_cut_before_any_expression_sees_it():
    assert len(Log("x" * (LONGEST * 3))[0]) == LONGEST


def test_what_cleaning_leaves_is_the_end_of_the_line():
    line = "2022-04-12T20:08:27.3633511Z ##[error]undefined: Foo"
    assert clean(line) == "undefined: Foo"
