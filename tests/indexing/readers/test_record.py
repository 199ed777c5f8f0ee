import pytest

from indexing.entry import Source
from indexing.readers.record import (
    DEEPEST,
    Ids,
    Record,
    RecordError,
    headline,
    quarantined,
    utc,
)


@pytest.mark.parametrize(
    ("stated", "time"),
    [
        ("2026-03-04T10:22:31Z", "2026-03-04T10:22:31Z"),
        ("2026-03-04T12:22:31+02:00", "2026-03-04T10:22:31Z"),
        ("2026-03-04T10:22:31.999999999Z", "2026-03-04T10:22:31Z"),
        ("2026-03-04 10:22:31", "2026-03-04T10:22:31Z"),
        (" 2026-03-04T10:22Z ", "2026-03-04T10:22:00Z"),
        ("2026-03-04", "2026-03-04T00:00:00Z"),
        (1772619751, "2026-03-04T10:22:31Z"),
        (1772619751.9, "2026-03-04T10:22:31Z"),
        (1772619751000, "2026-03-04T10:22:31Z"),
        ("1772619751", "2026-03-04T10:22:31Z"),
        ("1772619751000", "2026-03-04T10:22:31Z"),
    ],
)
def test_every_spelling_of_a_time_becomes_one(stated, time):
    record = Record({"at": stated})

    assert record.time("at") == time
    assert record.rest() == {}


@pytest.mark.parametrize(
    "stated",
    ["yesterday", "2026-13-01", "0001-01-01T00:00:00Z", "2026-02-30", 1e300, -5, "NaN", "9" * 40],
)
def test_what_is_no_time_is_unknown_and_kept(stated):
    record = Record({"at": stated})

    assert record.time("at") == ""
    assert record.rest() == {"at": stated}


def test_a_time_at_the_end_of_days_is_no_time():
    assert utc("9999-12-31T23:59:59-05:00") == ""


@pytest.mark.parametrize(
    ("stated", "share"),
    [
        (0, 0.0),
        (0.8, 0.8),
        (1, 1.0),
        (1.0, 1.0),
        (66.66666666666667, 0.6666666666666667),
        (100, 1.0),
        (101, None),
        (-1, None),
        (None, None),
    ],
)
def test_rates_are_shares_whether_stated_as_shares_or_in_percent(stated, share):
    record = Record({"rate": stated})

    assert record.rate("rate") == share
    assert record.rest() == {"rate": stated}


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("src/a.ts", ("src/a.ts",)),
        ("src/a.ts, src/b.ts", ("src/a.ts", "src/b.ts")),
        ("a.ts;b.ts\nc.ts,", ("a.ts", "b.ts", "c.ts")),
        ("a.ts b.ts", ("a.ts", "b.ts")),
        ("my file.ts, b.ts", ("my file.ts", "b.ts")),
        (["a.ts", " ", "a.ts"], ("a.ts",)),
        ([], ()),
        ("", None),
        (" ", None),
        (None, None),
    ],
)
def test_files_are_split_and_unknown_is_not_none_at_all(value, files):
    assert Record({"files": value}).files("files", "file") == files


def test_files_of_two_keys_are_one_set():
    record = Record({"files": "a.ts,b.ts", "file": "a.ts"})

    assert record.files("files", "file") == ("a.ts", "b.ts")
    assert record.rest() == {}


@pytest.mark.parametrize(
    ("method", "value", "told"),
    [
        ("text", 3, "'key' is the number 3; it must be text"),
        ("text", ["a"], "'key' is a list; it must be text"),
        ("texts", [1], "'key' is a list; it must be a list of texts"),
        ("texts", 7, "'key' is the number 7; it must be a list of texts"),
        ("texts", False, "'key' is false; it must be a list of texts"),
        ("texts", 0, "'key' is the number 0; it must be a list of texts"),
        ("files", {"a": 1}, "'key' is an object; it must be a list of files"),
        ("files", 0, "'key' is the number 0; it must be a list of files"),
        ("count", "3", "'key' is the text '3'; it must be a number"),
        ("count", True, "'key' is true; it must be a number"),
        ("count", -1, "'key' is -1; a count is a whole number from 0"),
        ("count", 1.5, "'key' is 1.5; a count is a whole number from 0"),
        ("count", 10**12, "a count is a whole number from 0"),
        ("code", "one", "'key' is the text 'one'; it must be an exit code"),
        ("code", True, "'key' is true; it must be an exit code"),
        ("rate", "high", "'key' is the text 'high'; it must be a number"),
        ("time", ["2026"], "'key' is a list; it must be a time"),
        ("time", True, "'key' is true; it must be a time"),
        ("part", "x", "'key' is the text 'x'; it must be an object"),
        ("part", [], "'key' is a list; it must be an object"),
    ],
)
def test_a_wrong_type_is_told_with_its_key(method, value, told):
    with pytest.raises(RecordError) as caught:
        getattr(Record({"key": value}), method)("key")
    assert told in str(caught.value)


def test_what_nobody_took_stays_unchanged_also_inside():
    record = Record({"a": "x", "odd": {"k": [1, None]}, "in": {"b": "y", "more": 2}, "null": None})
    record.text("a")
    record.part("in").text("b")

    assert record.rest() == {"odd": {"k": [1, None]}, "in": {"more": 2}, "null": None}


@pytest.mark.parametrize("value", [None, 3, "text", [1], True])
def test_a_record_that_is_no_object_is_told(value):
    with pytest.raises(RecordError, match="must be an object"):
        Record(value)


def test_a_record_nested_too_deep_is_told():
    def nested(depth):
        value = "end"
        for _ in range(depth):
            value = [value]
        return value

    Record({"a": nested(DEEPEST - 1)})
    with pytest.raises(RecordError, match="nested deeper than 64"):
        Record({"a": nested(DEEPEST)})


def test_half_a_character_is_replaced():
    assert Record({"a\udfff": "x\ud83d"}).rest() == {"a\ufffd": "x\ufffd"}


def test_an_id_stays_when_the_list_shifts_and_equal_records_are_numbered():
    def ids(*texts):
        made = Ids("shipwright")
        return [made.of("failure", text) for text in texts]

    a, b, c = ids("a", "b", "c")
    assert ids("b", "c") == [b, c]
    first, second = ids("b", "b")
    assert first == b
    assert second not in (a, b, c)
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in (a, b, c, second))
    assert Ids("aiwg").of("failure", "a") != a
    assert Ids("shipwright").of("success", "a") != a
    assert Ids("shipwright").of("failure", "a", "b") != Ids("shipwright").of("failure", "ab")


def test_a_title_is_one_short_line_without_colours():
    assert headline("\n  \x1b[31mError:\x1b[0m   one\tthing \nmore") == "Error: one thing"
    long = headline("word " * 100)
    assert len(long) <= 120
    assert long.endswith("word…")
    assert len(headline("x" * 500)) == 120


def test_a_record_put_aside_is_shown_short_and_without_secrets():
    source = Source("shipwright", "failures.json", "failures[0]")

    shown = quarantined(source, "why", {"pattern": "password=hunter2 " + "x" * 5000})

    assert shown.source == source
    assert shown.record.startswith('{"pattern": "password=<REDACTED:secret> xxx')
    assert len(shown.record) == 400
    assert quarantined(source, "why", "\ud800 as it stands").record == "\ufffd as it stands"


@pytest.mark.parametrize(
    "text",
    [
        "1969-12-31T23:59:59Z",
        "2026-02-30T10:00:00Z",
        "2026-03-04T10:22,31Z",
        "0000-00-00T00:00:00Z",
    ],
)
def test_what_only_looks_like_our_form_is_not_taken_as_it_is(text):
    assert utc(text) != text
