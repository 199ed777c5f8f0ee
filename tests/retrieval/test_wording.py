"""A hit in words: what is known, and nothing that is not."""

import pytest
from hits import exact, hit

from indexing.entry import Entry, Lesson
from retrieval import wording


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, ""),
        ({"seen": 1}, "seen once"),
        ({"seen": 5}, "seen 5 times"),
        ({"seen": 5, "last": "2026-02-02T08:11:00Z"}, "seen 5 times, last 2026-02-02"),
        ({"applied": 4, "helped": 3}, "fixed it 3 of 4 times"),
        (
            {"applied": 4, "helped": 3, "seen": 5, "last": "2026-02-02"},
            "fixed it 3 of 4 times, last 2026-02-02; seen 5 times",
        ),
        ({"helped": 1}, "fixed it 1 of 1 time"),
        ({"helped": 1, "harmed": 2}, "fixed it 1 of 3 times; made it worse 2 times"),
        ({"captured_at": "2026-01-05T00:00:00Z"}, "recorded 2026-01-05"),
        ({"shown": 7}, ""),
        ({"last": "2026-02-02"}, ""),
        ({"seen": 2, "last": "yesterday"}, "seen 2 times"),
        ({"seen": -3, "helped": -1}, ""),
        ({"seen": 10**5000}, "seen 1000000 times"),
    ],
)
def test_evidence_is_counted_and_dated(known, words):
    assert wording.evidence(hit(**known).entry) == words


def test_a_hit_gives_its_score_in_parts():
    assert wording.reasons(hit(cosine=0.714, jaccard=1 / 3)) == "text 0.71, files 0.33"
    assert wording.reasons(hit(cosine=0.5)) == "text 0.50"
    assert wording.reasons(exact(note="same root line")) == "same signature, same root line"


def test_empty_fields_are_not_told():
    assert wording.told(hit(fix=" \n", worked=("", "a")).entry) == [("worked", ("a",))]


def test_the_body_is_told_where_nothing_else_says_what_happened():
    assert wording.told(hit(body="b").entry) == [("about", ("b",))]
    assert wording.told(hit(body="b", raw="r").entry) == [("happened", ("r",))]
    assert wording.told(hit(body="b", root_cause="c").entry) == [("cause", ("c",))]


def test_a_body_that_repeats_the_lesson_is_not_told_twice():
    lesson = Lesson(worked=("Refresh under a lock.",))
    entry = Entry("1", "success", "Token refresh", "Refresh under a lock. npm test", lesson=lesson)
    assert dict(wording.told(entry)) == {
        "about": ("npm test",),
        "worked": ("Refresh under a lock.",),
    }
