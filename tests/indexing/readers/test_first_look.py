import json
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.readers import json_values
from indexing.readers.first_look import (
    id_of_addition,
    joined,
    key_of,
    keys_of_additions,
    survey,
)
from indexing.readers.json_values import WHOLE, Block, Span


def addition(id, **entry):
    record = {"v": 1, "op": "add", "id": id, "at": "2026-01-01T00:00:00Z", "entry": entry}
    return json.dumps(record, ensure_ascii=False)


ADDITIONS = st.builds(
    addition,
    st.sampled_from(
        ["a", "b-1", "01K6W8HP003Q2TWPV82X493DNA", "", " a", "a b", "\u00fc", "\\", 'a"b']
    ),
    title=st.sampled_from(["plain", '"id"', '"op":', "\\u0069d", "\\u007", "\u00fc"]),
    extra=st.sampled_from([{}, {"id": "c"}, {"op": "x"}, {"entry_id": "d"}]),
)
LINES = st.lists(
    ADDITIONS
    | ADDITIONS.map(lambda line: line.replace(": ", ":").replace(", ", ","))
    | st.just(addition("a"))
    | st.sampled_from(["", "no json", addition("a") + " ", addition("a") + "\r", "\ufeff"]),
    max_size=5,
)


@given(LINES)
def test_keys_of_lines_are_those_of_each_or_none(lines):
    data = "".join(f"{line}\n" for line in lines).encode()

    keys = keys_of_additions(Block(WHOLE, data))

    ids = [id_of_addition(json_values.text_of_line(line)) for line in data.splitlines(True)]
    assert keys is None or list(keys) == [key_of(id) for id in ids if id]
    assert keys is None or all(ids)


def test_additions_as_mem_writes_them_are_known_together():
    lines = [addition(id, title="it failed: 1") for id in ("a", "01K6W8HP003Q2TWPV82X493DNA")]

    keys = keys_of_additions(Block(WHOLE, "".join(f"{line}\n" for line in lines).encode()))

    assert keys == array("I", [key_of("a"), key_of("01K6W8HP003Q2TWPV82X493DNA")])


@given(LINES, st.integers(1, 300))
def test_parts_tell_together_what_the_whole_tells(tmp_path_factory, lines, size):
    path = tmp_path_factory.mktemp("journal") / "j"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    whole = survey(path)

    parts = [survey(path, span) for span in json_values.spans(path, size)]

    assert joined(parts) == whole.spoken
    assert sum(part.lines for part in parts) == whole.lines == len(lines)


@pytest.mark.parametrize(
    "data",
    ["{}\n".encode("utf-16"), b'{"v":1}', b"x" * (5 << 20) + b"\n"],
    ids=["utf-16", "torn", "long"],
)
def test_lines_that_bytes_do_not_tell_apart_are_not_spoken_of(tmp_path, data):
    (tmp_path / "j").write_bytes(data)

    assert survey(tmp_path / "j").spoken is None


def test_what_stands_behind_the_part_is_not_looked_at(tmp_path):
    (tmp_path / "j").write_bytes(b"{}\n" * 3)

    assert survey(tmp_path / "j", Span(0, 6)).spoken == (2, 6, array("I"), array("Q"), array("I"))
    assert survey(tmp_path / "j", Span(0, 5)).spoken is None
