import pytest
from memories import entry, indexed

from indexing.entry import Lesson
from retrieval import Query
from retrieval.tiers.certainty import certainties, certainty
from retrieval.tiers.lexical import Lexical


def test_the_formula_is_that_of_the_docstring():
    # 1 / (1 + exp(5.633 - 0.710 * ln 0.5 - 6.278 * 0.5 - 4.744))
    assert certainty(0.5, 0.25, 0.5) == pytest.approx(0.853, abs=1e-3)


def test_more_points_and_a_longer_lead_are_surer():
    assert certainty(0.6, 0.2, 0.6) > certainty(0.3, 0.1, 0.3) > certainty(0.3, 0.29, 0.3)
    assert certainty(0.2, 0.1, 0.2) > certainty(0.2, 0.1, 0.9)
    assert certainty(0.1, 0.0, 0.1) == certainty(0.1, 0.1, 0.1)  # a lead over chance is none
    assert 0 <= certainty(0.005, 0.005, 2.0) < certainty(2.0, 0.0, 2.0) <= 1


def test_what_says_the_same_takes_nothing_from_the_lead():
    same = [[True, True, False], [True, True, False], [False, False, True]]
    alone = [[at == other for other in range(3)] for at in range(3)]

    doubled, apart = (certainties([0.5, 0.5, 0.1], each) for each in (same, alone))

    assert doubled[0] == certainty(0.5, 0.1, 0.5)
    assert apart[0] == certainty(0.5, 0.5, 0.5) < doubled[0]


def test_hits_of_the_default_scorer_say_how_certain_they_are(tmp_path):
    entries = [
        entry("a", "Token refresh fails after logout", lesson=Lesson(fix="lock it")),
        entry("b", "Token list is empty", lesson=Lesson(fix="fill it")),
        entry("c", "Unlike anything"),
    ]
    store = indexed(entries, tmp_path / "index")

    sure, unsure = Lexical().search(Query(title="Token refresh fails after logout"), store, 3)
    [alone] = Lexical().search(Query(title="Token refresh fails after logout"), store, 1)

    assert sure.certainty > 0.9 > 0.1 > unsure.certainty
    assert alone == sure  # the hit that is not shown counts for the lead
