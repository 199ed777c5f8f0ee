import datasets
import pytest
from datasets import document, question
from memories import entry, fixed

from indexing.settings import SCORERS, Settings
from retrieval import Query
from retrieval.evaluation.dataset import Dataset, Question, read
from retrieval.evaluation.engine import opened


@pytest.mark.parametrize("scorer", SCORERS)
def test_only_what_is_older_answers(tmp_path, scorer):
    dataset = read(datasets.small(tmp_path))
    settings = Settings(scorer=scorer)

    with opened(dataset, settings) as engine:
        found = {each.id: engine.answers(each, settings) for each in dataset.questions}

    assert [answer.id for answer in found["q3"]][:2] == ["d0", "d2"]
    assert not {"d3", "d4"} & {answer.id for answer in found["q3"]}
    assert found["q4"][0].id == "d1"
    assert all(answer.tier == "lexical" for answer in found["q3"])


def test_files_are_no_evidence_before_they_were_known(tmp_path):
    late = "2026-01-20T00:00:00Z"
    corpus = [
        document(0, "Unlike", files=["src/auth.py"], files_at=late),
        document(1, "Unlike", files=["src/auth.py"], files_at="2026-01-02T00:00:00Z"),
    ]
    asked = [
        question(seq, "Other words", files=["src/auth.py"], captured_at=at)
        for seq, at in ((10, "2026-01-11T00:00:00Z"), (25, "2026-01-26T00:00:00Z"))
    ]
    dataset = read(datasets.dataset(tmp_path, corpus, asked, {"q10": "d0", "q25": "d0"}))

    with opened(dataset, Settings()) as engine:
        before, after = (engine.answers(each, Settings()) for each in dataset.questions)

    assert [answer.id for answer in before] == ["d1"]
    assert {answer.id for answer in after} == {"d0", "d1"}


def test_age_is_that_of_the_time_of_the_question(tmp_path):
    corpus = [document(seq, "Token refresh fails") for seq in (0, 20)]
    asked = [
        question(seq, "Token refresh fails", captured_at=f"{year}-01-25T00:00:00Z")
        for seq, year in ((25, 2026), (26, 2036))
    ]
    dataset = read(datasets.dataset(tmp_path, corpus, asked, {"q25": "d0", "q26": "d0"}))

    with opened(dataset, Settings()) as engine:
        soon, late = (engine.answers(each, Settings()) for each in dataset.questions)

    assert soon[0].id == late[0].id == "d20"
    assert soon[0].points > late[0].points


def test_a_tier_can_be_left_out(tmp_path):
    dataset = read(datasets.small(tmp_path))

    with opened(dataset, Settings()) as engine:
        assert engine.answers(dataset.questions[0], Settings(), ["exact"]) == []
        assert len(engine.answers(dataset.questions[0], Settings(), depth=1)) == 1


def test_tiers_answer_in_their_order(tmp_path):
    log = "TypeError: {} of {} (reading 'id')"
    old, new = (
        log.format("Cannot read properties", "null"),
        "TypeError: Cannot read property 'id' of null",
    )
    entries = (
        fixed("worded", old, "check it first"),
        fixed("same", new, "check it"),
        fixed("later", new, "check it"),
        entry("alike", "a property of null is read"),
    )
    asks = Question("q", Query(new, tool="npm"), 1, frozenset({"same"}))
    seq = {each.id: int(each.id == "later") for each in entries}
    dataset = Dataset("small", entries, seq, (asks,))

    with opened(dataset, Settings()) as engine:
        found = engine.answers(asks, Settings())
        pattern = engine.answers(asks, Settings(), ["pattern"])

    assert [(each.id, each.tier) for each in found] == [
        ("same", "exact"),
        ("worded", "pattern"),
        ("alike", "lexical"),
    ]
    assert [each.id for each in pattern] == ["worded"]


def test_hits_are_those_that_a_lookup_would_have_shown_then(tmp_path):
    dataset = read(datasets.small(tmp_path))
    first, _ = dataset.questions

    with opened(dataset, Settings()) as engine:
        hits = engine.hits(first, Settings())
        others = engine.hits(first, Settings(), without=first.relevant)

    assert [hit.entry.id for hit in hits] == ["d0", "d2", "d1"]
    assert hits[0].why.files == ("src/auth.py",)
    assert hits[0].certainty > hits[1].certainty > 0
    assert [hit.entry.id for hit in others] == ["d2", "d1"]


def test_why_does_not_count_files_before_they_were_known(tmp_path):
    late = "2026-01-20T00:00:00Z"
    corpus = [document(0, "Token refresh", files=["src/auth.py"], files_at=late)]
    asked = [
        question(seq, "Token refresh", files=["src/auth.py"], captured_at=at)
        for seq, at in ((10, "2026-01-11T00:00:00Z"), (25, "2026-01-26T00:00:00Z"))
    ]
    dataset = read(datasets.dataset(tmp_path, corpus, asked, {"q10": "d0", "q25": "d0"}))

    with opened(dataset, Settings()) as engine:
        [before], [after] = (engine.hits(each, Settings()) for each in dataset.questions)

    assert (before.why.files, after.why.files) == ((), ("src/auth.py",))
    assert before.certainty < after.certainty
