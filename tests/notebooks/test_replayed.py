"""What learning.ipynb counts."""

import pytest
import replayed
from replayed import Answer, Forecast, Likeness, Met, Scenario, Use

from scripts.bench import replay


def scenario(name, hard=False):
    return Scenario(name, "captured", name, (), "", "", hard)


def answer(name, right, hard=False):
    return Answer(scenario(name, hard), right, right, 100, "" if right else "exact 100 another")


FOUND = [answer("npm/a", True), answer("npm/b", False), answer("go/a", True, hard=True)]


def test_shares_count_pairs_that_the_tool_words_otherwise_apart():
    rows = replayed.first_table(Met(FOUND, [], 4, 1), [("npm/a", "x")]).rows
    assert [row[:3] for row in rows] == [
        ("all", 3, 2),
        ("same wording", 2, 1),
        ("the tool words it otherwise", 1, 1),
        ("unrelated, shown anything", 3, 1),
        ("only looks like one, shown anything", 4, 1),
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


USES = [Use("a", True), Use("a", False), Use("b", True), Use("a", True)]


def test_the_forecasts_are_the_same_every_time():
    assert list(replayed.forecasts(USES)) == list(replayed.forecasts(USES))


def test_a_forecast_knows_the_uses_before_it_and_no_other():
    said = [each for each in replayed.forecasts(USES, orders=1) if each.name == "raw rate"]
    assert [each.n for each in said] == [1, 2]  # of `b` there was no use before the first
    assert said[0].said in (0.0, 1.0)
    assert sum(each.came for each in said) + said[0].said == 2


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
    found = replayed.met(quick)
    same = [each for each in found.answers if not each.scenario.hard]
    assert sum(each.right for each in same) >= 0.95 * len(same)
    assert len(replayed.shown_unrelated(quick)) <= 0.02 * len(quick)
    assert found.near_shown <= 0.12 * found.near
    assert {use.helped for use in found.uses} == {True, False}
