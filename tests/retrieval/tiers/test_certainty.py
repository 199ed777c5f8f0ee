import pytest
from memories import entry, indexed

from indexing.entry import Lesson
from retrieval import Query
from retrieval.hit import Why
from retrieval.tiers.certainty import certainties, certainty
from retrieval.tiers.lexical import Lexical

ALIKE = Why(text=0.5, prior=1.0)


def alone(count):
    """No hit says the same as another."""
    return [[False] * after for after in reversed(range(count))]


def test_the_formula_is_that_of_the_docstring():
    # 1 / (1 + exp(6.44 - 3.21 * 0.5 - 3.06 * 0.6 - 4.16))
    assert certainty(0.5, 0.25, 0.2, 0.5, ALIKE) == pytest.approx(0.762, abs=1e-3)
    # and with a shared file, where files give 0.1 * 1.25 of 0.5 points
    both = Why(text=0.3, paths=0.1, prior=1.25, files=("a.py",))
    assert certainty(0.5, 0.25, 0.2, 0.5, both) == pytest.approx(0.780, abs=1e-3)


def test_a_longer_lead_is_surer_over_the_next_and_over_those_after_it():
    near, far = certainty(0.5, 0.45, 0.4, 0.5, ALIKE), certainty(0.5, 0.25, 0.2, 0.5, ALIKE)
    assert near < certainty(0.5, 0.45, 0.2, 0.5, ALIKE) < far
    assert certainty(0.5, 0.45, 0.4, 0.9, ALIKE) < near
    # a lead over chance is none
    assert certainty(0.1, 0.0, 0.0, 0.1, ALIKE) == certainty(0.1, 0.1, 0.1, 0.1, ALIKE)


def test_a_file_in_common_is_surer_and_files_without_words_are_less_so():
    shares = ALIKE._replace(paths=0.0, files=("a.py",))
    only_files = Why(text=0.0, paths=0.5, prior=1.0, files=("a.py",))
    sure = [certainty(0.5, 0.3, 0.2, 0.5, why) for why in (shares, ALIKE, only_files)]
    assert sure == sorted(sure, reverse=True)
    assert len(set(sure)) == 3


def test_what_says_the_same_takes_nothing_from_the_lead():
    same = [[True, False], [False], []]

    doubled, apart = (
        certainties([0.5, 0.5, 0.1], each, [ALIKE, ALIKE]) for each in (same, alone(3))
    )

    assert doubled[0] == doubled[1] == round(certainty(0.5, 0.1, 0.0, 0.5, ALIKE), 3)
    assert apart[0] < doubled[0]


def test_no_hit_is_surer_than_the_one_before_it():
    equal = certainties([0.5, 0.5, 0.1, 0.1, 0.1], alone(5), [ALIKE] * 2)
    assert equal[0] == equal[1] < 0.5


def test_hits_of_the_default_scorer_say_how_certain_they_are(tmp_path):
    entries = [
        entry("a", "Token refresh fails after logout", lesson=Lesson(fix="lock it")),
        entry("b", "Token list is empty", lesson=Lesson(fix="fill it")),
        entry("c", "Unlike anything"),
    ]
    store = indexed(entries, tmp_path / "index")

    sure, unsure = Lexical().search(Query(title="Token refresh fails after logout"), store, 3)
    [alone] = Lexical().search(Query(title="Token refresh fails after logout"), store, 1)

    assert sure.certainty > 0.8 > 0.1 > unsure.certainty
    assert alone == sure  # the hit that is not shown counts for the lead
