import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.entry import Entry, Evidence, Lesson
from indexing.errors import UnreadableMemory
from indexing.journal import add_record
from indexing.readers import journal as module
from indexing.readers.interface import Credit, Quarantined
from indexing.readers.journal import Journal
from indexing.signature import sign

AT = "2026-03-04T10:22:31Z"


def add(id, **entry):
    told = {"kind": "failure", "title": f"title {id}"} | entry
    return {"v": 1, "op": "add", "id": id, "at": AT, "entry": told}


def outcome(id, entry_id, outcome="helped", at="2026-04-01T00:00:00Z", loop="l1"):
    told = {"entry_id": entry_id, "outcome": outcome, "loop": loop}
    return {"v": 1, "op": "outcome", "id": id, "at": at} | told


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture
def read(tmp_path):
    def of(*lines, end="\n"):
        path = tmp_path / "journal.jsonl"
        told = [each if isinstance(each, str) else line(each) for each in lines]
        path.write_text("\n".join(told) + end, encoding="utf-8", newline="\n")
        return list(Journal().read(path, ".mem/journal.jsonl"))

    return of


def ids(found):
    return [each.id for each in found if isinstance(each, Entry)]


def reasons(found):
    return [(each.source.locator, each.reason) for each in found if isinstance(each, Quarantined)]


def test_every_field_is_read(read):
    lesson = {
        "worked": ["w"],
        "failed": ["f"],
        "gotchas": ["g"],
        "root_cause": "r",
        "fix": "x",
        "steps": ["s"],
        "template": "t",
    }
    [entry] = read(
        add(
            "a",
            title="npm ci fails",
            body="b",
            labels=["ci"],
            files=["package.json"],
            raw="npm error Missing: kleur@4.1.5 from lock file",
            tool="npm",
            joined=["second line"],
            command="npm ci",
            exit_code=1,
            lesson=lesson,
            captured_at="2026-03-01T12:00:00+02:00",
            extra={"k": 1},
        )
    )

    assert (entry.id, entry.kind, entry.title, entry.body) == ("a", "failure", "npm ci fails", "b")
    assert (entry.labels, entry.files) == (("ci",), ("package.json",))
    signed = sign("npm error Missing: kleur@4.1.5 from lock file", "npm", ("second line",))
    assert entry.signature.sig_sha == signed.sig_sha
    assert entry.signature.context == {"command": "npm ci", "exit_code": 1}
    assert entry.lesson._asdict() == {
        key: tuple(value) if isinstance(value, list) else value for key, value in lesson.items()
    }
    assert entry.captured_at == "2026-03-01T10:00:00Z"
    assert entry.source == ("journal", ".mem/journal.jsonl", "line 1")
    assert entry.extra == {"k": 1}
    assert entry.trust == "clean"


def test_nulls_are_unknown(read):
    [entry] = read(
        add(
            "a",
            files=None,
            raw=None,
            tool=None,
            command=None,
            exit_code=None,
            lesson=None,
            body=None,
        )
    )

    assert (entry.files, entry.signature, entry.body, entry.captured_at) == (None, None, "", AT)


def test_a_torn_tail_and_a_line_of_garbage_cost_only_themselves(read):
    found = read(add("a"), "<<<<<<< HEAD", "", add("b"), line(add("c"))[:-20], end="")

    assert ids(found) == ["a", "b"]
    assert reasons(found) == [
        ("line 2", "is not JSON (expecting value, column 1)"),
        ("line 5", "ends in the middle of a value"),
    ]


def test_records_glued_on_one_line_are_all_read(read):
    found = read(
        line(add("a")) + line(add("b")),
        line(add("c")) + " " + line(add("d")) + '{"v":1,"op":"a',
        line(add("e"))[:-25] + line(add("f")),
    )

    assert ids(found) == ["a", "b", "c", "d", "f"]
    assert [locator for locator, _ in reasons(found)] == ["line 2", "line 3"]


def test_a_record_that_stands_twice_counts_once(read):
    found = read(add("a"), outcome("o", "a"), add("b"), add("a"), outcome("o", "a"))

    assert ids(found) == ["a", "b"]
    assert reasons(found) == []
    assert found[0].evidence.helped == 1


def test_the_later_of_two_different_records_of_one_id_counts_and_the_other_is_told(read):
    found = read(add("a", title="old"), add("a", title="new"))

    assert [each.title for each in found if isinstance(each, Entry)] == ["new"]
    assert reasons(found) == [("line 1", "is recorded again, corrected, in line 2")]


def test_outcomes_count_in_whatever_order_git_left_them(read):
    [entry] = read(
        outcome("o2", "a", "harmed", "2026-05-02T00:00:00Z", "l2"),
        add("a"),
        outcome("o1", "a", "helped"),
        outcome("o3", "a", "shown", "2026-09-01T00:00:00Z"),
    )

    evidence = entry.evidence
    assert (evidence.seen, evidence.shown, evidence.applied) == (1, 1, 2)
    assert (evidence.helped, evidence.harmed) == (1, 1)
    assert (evidence.first, evidence.last) == (AT, "2026-05-02T00:00:00Z")


def test_an_outcome_of_another_files_entry_is_handed_on(read):
    [entry, credit] = read(add("a"), outcome("o", "0123456789abcdef", "applied"))

    assert entry.evidence.applied == 0
    assert isinstance(credit, Credit)
    assert credit.source.locator == "line 2"
    assert credit.outcome == ("0123456789abcdef", "applied", "2026-04-01T00:00:00Z", "l1", "")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"v": 2, "op": "add", "id": "x"}, "is of version 2, this program reads 1; upgrade it"),
        ({"op": "add", "id": "x"}, "has no version 'v', so is no record of a journal"),
        ({"v": "1", "op": "add", "id": "x"}, "'v' is the text '1'; it must be a number"),
        ({"v": 1, "op": "add"}, "has no 'id'"),
        (
            {"v": 1, "op": "rewrite", "id": "x"},
            "has the unknown op 'rewrite'; kept in the file, not used",
        ),
        ({"v": 1, "op": "add", "id": "x"}, "has the unknown kind ''"),
        (add("x", kind="omen"), "has the unknown kind 'omen'"),
        (add("x", title=7), "'title' is the number 7; it must be text"),
        (add("x", labels={"a": 1}), "'labels' is an object; it must be a list of texts"),
        (add("x", lesson={"fix": []}), "'fix' is a list; it must be text"),
        (add("x", title=""), "holds no title, no body and no raw line"),
        ([1], "the record is a list; it must be an object"),
        ({"v": float("nan")}, "'v' is the text 'NaN'; it must be a number"),
        (outcome("o", "a", "great"), "has the unknown outcome 'great'"),
        (outcome("o", ""), "has no 'entry_id'"),
    ],
)
def test_a_record_that_cannot_be_used_costs_only_itself(read, record, reason):
    found = read(add("a"), record, add("b"))

    assert ids(found) == ["a", "b"]
    [(locator, told)] = reasons(found)
    assert locator == "line 2"
    assert told.startswith(reason)


def test_unknown_keys_survive(read):
    record = add("a", severity="high", lesson={"fix": "x", "cost": 3}, extra={"k": [1]})

    [entry] = read(record | {"host": "ci-7"})

    assert entry.extra == {"k": [1], "severity": "high", "lesson": {"cost": 3}, "host": "ci-7"}


def test_unknown_keys_of_one_name_all_survive(read):
    [entry] = read(add("a", owner="entry", extra={"owner": "extra"}) | {"owner": "record"})

    assert sorted(map(str, entry.extra.values())) == ["entry", "extra", "record"]


def test_a_raw_line_alone_is_its_own_title(read):
    [entry] = read(add("a", title="", raw="Error: one thing"))
    assert entry.title == "Error: one thing"


def test_an_empty_journal_is_none_to_complain_about(read):
    assert read(end="") == []


def test_a_journal_of_lines_that_end_as_on_windows_is_read(read):
    assert ids(read(line(add("a")) + "\r", line(add("b")) + "\r")) == ["a", "b"]


def test_journals_are_known_by_name_or_by_their_first_record(tmp_path):
    def named(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    assert Journal().accepts(named("journal.jsonl", "garbage"))
    assert Journal().accepts(named("team.jsonl", "\n" + line(add("a")) + "\n"))
    assert not Journal().accepts(named("other.jsonl", '{"id":1,"title":"op"}\n'))
    assert not Journal().accepts(named("events.jsonl", '{"v":1,"event":"x"}\n{"v":1,"op":"add"}\n'))
    assert not Journal().accepts(named("team.json", line(add("a"))))
    assert not Journal().accepts(tmp_path)
    assert not Journal().accepts(tmp_path / "gone.jsonl")


def test_a_journal_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UnreadableMemory, match=r"journal\.jsonl: cannot be read"):
        list(Journal().read(tmp_path / "journal.jsonl", "journal.jsonl"))


ODD = st.sampled_from(
    [None, "", " text ", 5, True, 1.5, [], {}, ["a", " b ", ""], [1], "2026-03-04"]
)
TOLD = st.fixed_dictionaries(
    {"kind": st.sampled_from(["failure", "note", "odd"])},
    optional={
        **dict.fromkeys(["title", "body", "tool", "command", "rule"], ODD | st.text(max_size=3)),
        "raw": ODD | st.sampled_from(["npm ERR! code E404", "a.py:3: no"]),
        **dict.fromkeys(["labels", "files", "joined"], ODD),
        "lesson": ODD | st.dictionaries(st.sampled_from([*Lesson._fields, "more"]), ODD),
        "captured_at": ODD | st.just("2026-01-02T03:04:05Z"),
        "exit_code": ODD,
        "evidence": ODD | st.dictionaries(st.sampled_from([*Evidence._fields, "more"]), ODD),
        "context": ODD | st.dictionaries(st.text(max_size=2), ODD),
        "extra": ODD | st.dictionaries(st.text(max_size=2), ODD),
        "more": ODD,
    },
)
RECORDS = st.fixed_dictionaries(
    {
        "v": st.sampled_from([1, 1, 1, 2, True, 1.0]),
        "op": st.just("add"),
        "id": st.text(max_size=3),
    },
    optional={"at": st.sampled_from([AT, AT, "2026-03-04", "never"]), "entry": TOLD, "more": ODD},
)


# What one encoder writes and another reads in another way, or not at all.
TAMPERED = [
    *[('"title"', other) for other in ('"title":"first","title"', '"title" ', '"ti\\u0074le"')],
    *[
        ('"title"', other)
        for other in ('"x\\\\":1,"title":"first","title"', '"title"  ', '"titel"')
    ],
    *[('"title', other) for other in ('"extra":{"a":1,"a":2},"title', '"extra":{"a" :NaN},"title')],
    *[
        ("failure", other)
        for other in ("\\ud800", "\\ud83d\\ude00", "\ufffd", "f\\/", "\x01", "\x7f")
    ],
    *[
        ('"v": 1', other)
        for other in ('"v": 01', '"v": 1.0', '"v": true', '"v":1,"v":1', '"v":\t1')
    ],
    *[('"at"', other) for other in ('"at":"never","at"', '"host":"ci","at"', '\u2028"at"')],
    *[
        ("}}", other)
        for other in ("}} ", "}}\r", "}},", "}", "}}}", ',"x":[[]]}}', "}}[1]", " } }")
    ],
]


@given(st.lists(RECORDS | RECORDS.map(line), max_size=6), st.lists(st.sampled_from(TAMPERED)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_records_are_read_the_short_way_as_the_long_way_reads_them(read, records, tampered):
    lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
    for number, (old, new) in zip(range(len(lines)), tampered, strict=False):
        lines[number] = lines[number].replace(old, new, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MANY", 1)
        short = read(*lines)
    assert read(*lines) == short


def test_records_as_mem_writes_them_take_the_short_way(read, monkeypatch):
    monkeypatch.setattr(module, "_MANY", 1)
    monkeypatch.setattr(module, "together", None)
    whole = Entry("b", "failure", "title", evidence=Evidence(seen=2), extra={"owner": "web"})

    found = read(
        add("a", raw="npm ERR! code E404", tool="npm", files=["a.py"]), add_record(whole, AT)
    )

    assert ids(found) == ["a", "b"]


@given(
    st.lists(
        st.builds(add, st.sampled_from("abcdef"), title=st.sampled_from(["one", "two"]))
        | st.builds(outcome, st.sampled_from("opqr"), st.sampled_from("abcdx"))
        | st.sampled_from(
            ['{"v":1,"op":"add","id":"torn', "", "garbage", "", '{"v":1,"op":"add"}}']
        ),
        max_size=12,
    ),
    st.integers(1, 400),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_sections_of_a_file_tell_what_the_whole_tells(tmp_path, read, records, size):
    read(*records)
    given_path, name = tmp_path / "journal.jsonl", ".mem/journal.jsonl"
    whole = list(Journal().whole(given_path, name).read())
    sections = Journal().sections(given_path, name, size, map)

    assert sorted(map(repr, (found for each in sections for found in each.read()))) == sorted(
        map(repr, whole)
    )


def test_a_file_that_cannot_be_divided_is_read_whole(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_text(line(add("a")) + "\n", encoding="utf-16")

    assert Journal().sections(path, "journal.jsonl", 1, map) == ()
