import json

from hypothesis import given
from hypothesis import strategies as st

from indexing.lines import Line, Lines, files_of
from indexing.readers.first_look import DECIDED, ids_in, survey

IDS = st.sampled_from(["a", "b", " a ", "ü", 'q"', "\\", "", 7, None])
RECORDS = st.builds(
    lambda op, id, entry_id, more: {
        "v": 1,
        "op": op,
        "id": id,
        "at": "2026-01-01T00:00:00Z",
        **({"entry_id": entry_id} if op != "add" else {"entry": more}),
        **(more if op == "found" else {}),
    },
    st.sampled_from(["add", "outcome", "found", "merge", "archive", "loop", " add", 3]),
    IDS,
    IDS,
    st.sampled_from([{}, {"id": "c"}, {"op": "outcome", "id": "d"}, {"entry_id": "e"}]),
)
LINES = st.lists(
    st.lists(RECORDS, min_size=0, max_size=2).map(
        lambda records: " ".join(json.dumps(each) for each in records)
    )
    | st.sampled_from(["no json", '{"v":1,"op":"add","id":"a"', "\ufeff", "[1]"])
    | RECORDS.map(lambda each: json.dumps(each, ensure_ascii=False, separators=(",", ":"))),
    max_size=6,
)


def noted(tmp_path, **journals):
    given = []
    for name, text in journals.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        given.append((name, survey(path).spoken))
    return Lines({name: memoryview(b"".join(pieces)) for name, pieces in files_of(given)})


@given(LINES, LINES)
def test_every_line_is_found_by_all_ids_that_it_speaks_of(tmp_path_factory, one, other):
    from indexing.readers import json_values

    texts = {"one": "".join(f"{line}\n" for line in one), "two": "".join(f"{x}\n" for x in other)}
    lines = noted(tmp_path_factory.mktemp("lines"), **texts)

    assert lines.journals == {"one": len(one), "two": len(other)}
    for name, of_file in (("one", one), ("two", other)):
        offset = 0
        for number, line in enumerate(of_file, 1):
            for found in json_values.values(line.lstrip("\ufeff"), '{"v"'):
                for id in ids_in(getattr(found, "value", None)):
                    assert Line(offset, number) in lines.speaking_of([id])[name]
            offset += len(line.encode()) + 1


def test_an_id_finds_no_lines_but_its_own(tmp_path):
    records = [
        {"v": 1, "op": "add", "id": "a", "at": "", "entry": {}},
        {"v": 1, "op": "outcome", "id": "o", "at": "", "entry_id": "a"},
        {"v": 1, "op": "archive", "id": "d", "at": "", "entry_id": "a"},
        {"v": 1, "op": "loop", "id": "l", "at": "", "loop": "a"},
    ]
    lines = [json.dumps(record) + "\n" for record in records]
    noted_lines = noted(tmp_path, journal="".join(lines))

    def numbers(id):
        return [line.number for line in noted_lines.speaking_of([id])["journal"]]

    assert {id: numbers(id) for id in ("a", "o", "d", DECIDED, "x")} == {
        "a": [1, 2],
        "o": [2],
        "d": [3],
        DECIDED: [3],
        "x": [],
    }


def test_no_journal_is_no_line(tmp_path):
    assert noted(tmp_path).speaking_of(["a"]) == {}
