import datasets
import pytest

from indexing.settings import Settings
from retrieval.evaluation.dataset import read
from retrieval.evaluation.engine import opened
from retrieval.evaluation.reliability import Judged, bins, judged, separation, surest

FOUND = [
    Judged("a", ((0.95, True), (0.35, False)), 0.1),
    Judged("b", ((0.9, True), (0.1, True)), 0.9),
    Judged("c", ((0.15, False),), 0.15),
    Judged("d", (), 0.0),
]


def test_hits_are_counted_by_what_was_said_of_them():
    low, middle, high = bins(FOUND)
    assert (low.low, low.high, low.hits, low.helped) == (0.1, 0.2, 2, 0.5)
    assert low.said == pytest.approx(0.125)
    assert (middle.low, middle.hits, middle.helped) == (0.3, 1, 0.0)
    assert (high.low, high.hits, high.helped) == (0.7, 2, 1.0)


def test_what_is_certain_for_sure_is_in_the_last_bin():
    assert [each.hits for each in bins([Judged("a", ((1.0, True),), 0.0)])] == [1]


def test_separation_is_the_chance_that_what_is_there_is_surer_than_what_is_gone():
    pairs = [(one.certainty, other.elsewhere) for one in FOUND for other in FOUND]
    by_hand = sum((one > other) + 0.5 * (one == other) for one, other in pairs) / len(pairs)
    assert separation(FOUND) == pytest.approx(by_hand)
    assert separation([Judged("a", ((0.9, True),), 0.1)]) == 1.0
    assert separation([Judged("a", ((0.1, True),), 0.1)]) == 0.5


def test_the_surest_questions_are_those_whose_first_hit_is():
    assert surest(FOUND, 0.5) == 1.0
    assert surest(FOUND, 0.75) == pytest.approx(2 / 3)


@pytest.mark.parametrize("scorer", ["fields", "cosine"])
def test_a_question_is_judged_with_and_without_what_helps(tmp_path, scorer):
    dataset = read(datasets.small(tmp_path))
    settings = Settings(scorer=scorer)

    with opened(dataset, settings) as engine:
        first, second = judged(dataset.questions, engine, settings)

    assert (first.id, second.id) == ("q3", "q4")
    assert [helped for _, helped in first.hits] == [True, False, False]
    assert second.is_right
    assert second.certainty > second.elsewhere
