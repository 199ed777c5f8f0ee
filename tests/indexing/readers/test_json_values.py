import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.errors import UnreadableMemory
from indexing.readers import json_values
from indexing.readers.json_values import (
    GIVEN_TWICE,
    WHOLE,
    Block,
    Damage,
    Value,
    document,
    lines,
    values,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "failures.json"


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        '{"a": "ü"}',
        "\ufeff" + '{"a": "ü"}\r\n',
        '{"a": "ü"}'.encode("utf-16"),
        '{"a": "ü"}'.encode("cp1252"),
        '\n\n  {"a": "\\u00fc"}  \n',
    ],
    ids=["utf-8", "bom", "utf-16", "cp1252", "blanks"],
)
def test_a_document_is_read_in_any_encoding(path, content):
    assert document(written(path, content)) == {"a": "ü"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", r"failures\.json: is empty"),
        ("\ufeff \n", r"failures\.json: is empty"),
        ('{"failures": [\n{"a": 1},\n{"b": "x', r"failures\.json:3: ends in the middle of a value"),
        ('{"failures": [', r"failures\.json:1: ends in the middle of a value"),
        ('{\n"a": nope}', r"failures\.json:2: is not JSON \(expecting value, column 6\)"),
        ('{"a": 1}\n{"b": 2}', r"failures\.json:2: more text after the end"),
        (b"\0" * 4096, r"failures\.json:1: is not JSON"),
        ("[" * 200_000, r"failures\.json: is nested too deep"),
    ],
)
def test_a_document_that_is_none_is_told_with_its_line(path, content, told):
    with pytest.raises(UnreadableMemory, match=told):
        document(written(path, content))


def test_a_document_that_is_not_there_or_too_big_is_told(path):
    with pytest.raises(UnreadableMemory, match=r"cannot be opened \(No such file"):
        document(path)
    with path.open("wb") as file:
        file.truncate((json_values.LARGEST_MB + 1) << 20)
    with pytest.raises(UnreadableMemory, match="has 257 MB, more than 256"):
        document(path)


def test_what_is_no_number_stays_the_text_it_was(path):
    text = '{"a": NaN, "b": -Infinity, "c": 1e999, "d": ' + "9" * 5000 + ', "e": 1e3}'

    assert document(written(path, text)) == {
        "a": "NaN",
        "b": "-Infinity",
        "c": "1e999",
        "d": "9" * 5000,
        "e": 1000.0,
    }


def test_of_keys_given_twice_no_value_is_lost(path):
    assert document(written(path, '{"a": 1, "a": 1, "b": 2, "b": 3, "b": 4}')) == {
        "a": 1,
        "b": 4,
        GIVEN_TWICE: {"b": [2, 3]},
    }


def test_pretty_printed_values_one_after_another_are_read_with_their_lines():
    text = '{\n  "a": 1\n}\n{\n  "a": 2\n},\n\n\ufeff{"a": 3}{"a": 4}'

    assert list(values(text, "\n{")) == [
        Value(1, {"a": 1}),
        Value(4, {"a": 2}),
        Value(8, {"a": 3}),
        Value(8, {"a": 4}),
    ]


def test_damage_between_values_costs_only_itself():
    text = '{"a": 1}\nnonsense {\n{"a": 2}\n{\n  "a": 3,\n  "b": \n{"a": 4}\n{"a": "torn'

    found = list(values(text, "\n{"))

    assert [each.value for each in found if isinstance(each, Value)] == [
        {"a": 1},
        {"a": 2},
        {"a": 4},
    ]
    assert [(each.line, each.text) for each in found if isinstance(each, Damage)] == [
        (2, "nonsense {"),
        (4, '{\n  "a": 3,\n  "b": '),
        (8, '{"a": "torn'),
    ]
    assert found[-1].reason == "ends in the middle of a value"


@pytest.mark.parametrize("unit", ['{"v":', '{"v":[1,', '{"v"', '{"v":"', "[", '{"v":1}{"v":'])
def test_all_beginnings_and_no_end_are_given_up(unit):
    text = unit * (300_000 // len(unit))

    found = list(values(text, '{"v"'))

    damaged = [each for each in found if isinstance(each, Damage)]
    assert damaged
    assert sum(len(each.text) for each in damaged) <= len(text)


@given(st.text(alphabet='{}[]",: \n1av\\', max_size=60))
def test_any_text_is_read_to_its_end(text):
    for found in values(text, '{"v"'):
        assert found.line >= 1


def test_lines_are_numbered_as_in_an_editor_and_blank_ones_passed_over(path):
    content = "\ufeffone\r\n\n \n" + "tw\u2028o\x85\n" + "\ufeff\nlast"

    assert list(lines(written(path, content))) == [(1, "one"), (4, "tw\u2028o\x85"), (6, "last")]


def test_lines_of_utf16_are_read(path):
    assert list(lines(written(path, "one\n\nzwölf\n".encode("utf-16")))) == [
        (1, "one"),
        (3, "zwölf"),
    ]


def test_an_endless_line_is_passed_over_in_constant_memory(path, monkeypatch):
    monkeypatch.setattr(json_values, "LONGEST_LINE", 1000)
    content = "one\n" + "x" * 5000 + "\n" + "y" * 999 + "\nlast\n" + "z" * 2000

    found = list(lines(written(path, content)))

    assert [each for each in found if not isinstance(each, Damage)] == [
        (1, "one"),
        (3, "y" * 999),
        (4, "last"),
    ]
    assert [(each.line, each.reason) for each in found if isinstance(each, Damage)] == [
        (2, "is longer than 1,000 characters"),
        (5, "is longer than 1,000 characters"),
    ]


@given(
    st.lists(st.sampled_from(["", "\ufeff", "one", "two" * 9, "ü\r", "\u2028"]), max_size=9),
    st.integers(1, 30),
    st.integers(10, 40),
    st.sampled_from(["utf-8", "utf-16"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_blocks_hold_the_lines_as_text_has_them(path, given_lines, block, longest, encoding):
    written(path, "\n".join(given_lines).encode(encoding))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "_BLOCK", block)
        patch.setattr(json_values, "LONGEST_LINE", longest)
        blocks = list(json_values.blocks(path))
        found = list(lines(path))
        assert found == list(json_values.lines_of(path, Block(WHOLE, None)))
    if encoding == "utf-8":
        known = [(each.span.begin, each.data) for each in blocks if each.data is not None]
        data = path.read_bytes()
        assert all(data[begin : begin + len(part)] == part for begin, part in known)


def test_lines_of_a_file_that_is_not_there_are_told(path):
    with pytest.raises(UnreadableMemory, match=r"cannot be read \(No such file"):
        list(lines(path))
