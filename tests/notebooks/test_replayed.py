"""What learning.ipynb counts."""

import pytest
import replayed
from replayed import Answer, Forecast, Likeness, Scenario

from scripts.bench import replay


def scenario(name, hard=False):
    return Scenario(name, "captured", name, (), "", "", hard)


def answer(name, right, hard=False):
    return Answer(scenario(name, hard), right, right, 100, "" if right else "exact 100 another")


FOUND = [answer("npm/a", True), answer("npm/b", False), answer("go/a", True, hard=True)]


def test_shares_count_pairs_that_the_tool_words_otherwise_apart():
    rows = replayed.first_table(FOUND, [("npm/a", "x")]).rows
    assert [row[:3] for row in rows] == [
        ("all", 3, 2),
        ("same wording", 2, 1),
        ("the tool words it otherwise", 1, 1),
        ("unrelated, shown anything", 3, 1),
    ]


def test_over_time_half_of_all_failures_were_met_before():
    last = replayed.over_time(FOUND)[-1]
    assert last == (6, 3, 2)


def test_a_merge_is_false_when_two_failures_are_joined_and_guarded_when_a_name_differs():
    pairs = [Likeness(0.99, True, False), Likeness(0.9, False, True), Likeness(0.85, False, False)]
    rows = replayed.merge_table(pairs).rows
    assert rows == [
        ("0.80", 1, 2, 1, 1),
        ("0.88", 1, 1, 1, 0),
        ("0.95", 1, 0, 1, 0),
        ("0.98", 1, 0, 1, 0),
    ]


def test_the_brier_score_is_the_mean_square_error():
    said = [Forecast(1, "raw rate", 1.0, True), Forecast(1, "raw rate", 1.0, False)]
    [row] = [row for row in replayed.calibration_table(said).rows if row[0] == "raw rate"]
    assert row[1] == "0.500"


def test_the_forecasts_are_the_same_every_time():
    assert list(replayed.forecasts(FOUND)) == list(replayed.forecasts(FOUND))


def test_seventeen_of_eighteen_is_ranked_before_one_of_one():
    ranked = [row[0] for row in replayed.order_table().rows]
    assert ranked.index("17 of 18") < ranked.index("1 of 1") < ranked.index("0 of 1")


@pytest.fixture(scope="module")
def quick():
    return replayed.scenarios(quick=True)


def test_the_replay_has_forty_scenarios_and_more(quick):
    assert len(replay.captured()) >= 40
    assert len({each.name for each in quick}) == len(quick)


def test_the_right_fix_is_first_and_what_is_unrelated_stays_silent(quick):
    found = replayed.answers(quick)
    same = [each for each in found if not each.scenario.hard]
    assert sum(each.right for each in same) >= 0.95 * len(same)
    assert len(replayed.shown_unrelated(quick)) <= 0.05 * len(quick)
