import pytest
from memories import entry

from indexing.entry import Lesson
from retrieval.evaluation.own import own


def dated(id, day, title="", raw="", **said):
    return entry(id, title or f"title of {id}", raw, captured_at=f"2026-01-{day:02}", **said)


def judged(entries):
    newest_first = sorted(entries, key=lambda each: each.captured_at, reverse=True)
    return {each.id: each.relevant for each in own(newest_first).questions}


def test_entries_of_one_signature_belong_together_the_older_to_the_newer():
    entries = [dated("a", 1, raw="Error: x"), dated("b", 2, raw="Error: x"), dated("c", 3)]
    assert judged(entries) == {"b": {"a"}}


def test_entries_of_one_fix_belong_together():
    entries = [
        dated("a", 1, lesson=Lesson(fix="Pin  the version")),
        dated("b", 2, lesson=Lesson(fix="pin the version")),
        dated("c", 3, lesson=Lesson(fix="Another")),
    ]
    assert judged(entries) == {"b": {"a"}}


@pytest.mark.parametrize(
    "body", ["Fixes: a1", "duplicate of a1.", "A regression from a1", 'Follow-up to "a1"']
)
def test_a_link_joins_two_and_is_not_asked_with(body):
    entries = [dated("b", 2, body=f"{body}\nwords"), dated("a1", 1)]

    [question] = own(entries).questions

    assert question.relevant == {"a1"}
    assert "a1" not in question.query.body
    assert "words" in question.query.body


def test_a_link_to_a_later_entry_or_to_itself_is_none():
    entries = [dated("b", 2, body="fixes b"), dated("a", 1, body="fixes b")]
    assert judged(entries) == {}


def test_entries_of_one_time_do_not_answer_each_other():
    entries = [dated("b", 1, raw="Error: x"), dated("a", 1, raw="Error: x")]
    assert judged(entries) == {}


def test_what_nearly_everything_would_answer_is_no_test():
    entries = [dated(f"e{day}", day, raw="Error: x") for day in range(1, 10)]
    assert max(map(len, judged(entries).values())) == 5
