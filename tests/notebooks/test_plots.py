"""A plot shows what is to be mended, and says what it leaves out."""

import plots
from figures import Contribution, Judged, Score, Speed

FULL = Score("npm", logs=4, root=4)
SHORT = Score("tsc", logs=4, root=3, same=1, same_pairs=2)
TOTAL = Score("all", logs=8, root=7, same=1, same_pairs=2)


def names(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_tools_with_a_full_score_are_counted_but_not_drawn():
    [axes] = plots.plot_scores([FULL, SHORT, TOTAL], "fixtures").axes
    assert names(axes) == ["all (8)", "tsc (4)"]
    assert "1 of 2 tools" in axes.get_title()


def test_a_share_of_nothing_has_no_point():
    [axes] = plots.plot_scores([SHORT, TOTAL], "fixtures").axes
    drawn = {line.get_label(): list(line.get_xdata()) for line in axes.get_lines()[:3]}
    assert drawn == {"root": [87.5, 75.0], "same": [50.0, 50.0], "apart": []}


def test_only_steps_that_hold_a_pair_together_have_a_bar():
    found = [
        Contribution(name, 9, split, 0, ("", ""))
        for name, split in (("all of them", 8), ("path", 5), ("uuid", 0))
    ]
    [axes] = plots.plot_contributions(found, "fixtures").axes
    assert names(axes) == ["path"]
    assert "1 of 2 steps" in axes.get_title()


def test_nothing_to_draw_is_no_error():
    assert plots.plot_ranks(list[Judged](), "fixtures").axes
    assert plots.plot_contributions([Contribution("all of them", 0, 0, 0, ("", ""))], "x").axes


def test_speed_is_drawn_apart_for_logs_that_fail_and_that_do_not():
    found = [
        Speed(way, failing, 1000, 1.0, 2.0, 4.0)
        for failing in (True, False)
        for way in ("extract", "60 expressions a line")
    ]
    left, right = plots.plot_speeds(found).axes
    assert [len(axes.get_lines()) for axes in (left, right)] == [2, 2]
    assert list(left.get_lines()[0].get_ydata()) == [0.5]
