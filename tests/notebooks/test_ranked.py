"""What ranking_quality.ipynb counts and draws."""

import datasets
import pytest
import ranked
from commands import remembering
from datasets import CORPUS, question
from memories import entry, fixed
from models import MINILM

from retrieval.evaluation.dataset import read
from scripts.bench import ranking
from scripts.bench.ranking import DEPTHS, Way


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    return ranked.compared(read(datasets.small(tmp_path_factory.mktemp("sets") / "small")))


def rows(table, name):
    return [row for row in table.rows if row[1] == name]


def test_every_way_is_measured_and_the_interval_holds_the_mean(compared):
    lines = compared.measured.lines
    assert [one.way for one in lines["scorers"]] == ["tokens", "cosine", "fields"]
    assert lines["tiers"][0].way == "exact"
    for one in (one for each in lines.values() for one in each):
        assert list(one.recall) == sorted(one.recall)
        assert one.r3.low <= one.r3.mean == one.recall[DEPTHS.index(3)] <= one.r3.high


def test_recall_is_that_of_the_runs(compared):
    [(_, _, n, first, *_)] = rows(ranked.recall_table([compared.measured], "scorers"), "fields")
    [fields] = [each for each in compared.asked["scorers"] if each.way.name == "fields"]
    right = sum(fields.run[each.id][0] in each.relevant for each in compared.questions)
    assert (n, first) == (2, 100 * right / 2)


def test_without_signatures_the_first_tier_finds_nothing(compared):
    exact, *_, whole = ranked.recall_table([compared.measured], "tiers").rows
    assert exact[3] == 0 < whole[3]


def test_with_a_model_the_last_of_the_tiers_has_vectors(tmp_path):
    asks = question(4, "Sums come out wrong")
    folder = datasets.dataset(tmp_path, CORPUS, [asks], {"q4": "d3"})
    found = ranked.compared(read(folder), model=str(MINILM))

    *_, without, with_vectors = found.asked["tiers"]
    assert without.run["q4"] == []
    assert with_vectors.run["q4"] == ["d3"]


def test_text_alone_is_asked_without_files(tmp_path):
    asks = question(3, "Other words", files=["src/scan.py"])
    found = ranked.compared(read(datasets.dataset(tmp_path, CORPUS, [asks], {"q3": "d1"})))

    text, files, *_ = found.asked["parts"]
    assert text.run["q3"] == []
    assert files.run["q3"][0] == "d1"


def test_what_moved_is_ranked_by_the_gain(compared):
    found = compared._replace(
        asked={
            "scorers": [
                ranking.Asked(Way("ours"), {"q3": ["d0"], "q4": ["d2", "d1"]}, {}),
                ranking.Asked(Way("theirs"), {"q3": ["d1", "d0"], "q4": ["d1"]}, {}),
            ]
        }
    )
    moved = ranked.changes(found, "ours", "theirs")

    assert [(each.question.id, each.gain) for each in moved] == [("q3", 0.5), ("q4", -0.5)]
    asked, helps, *ranks = ranked.changes_table(found, moved).rows[0]
    assert asked == "Token refresh fails in another tab"
    assert helps == "Token refresh fails after logout"
    assert ranks == [1, 2]


def test_figures_are_kept_without_times(compared, tmp_path):
    ranking.written(tmp_path / "kept.json", [compared.measured])
    [again] = ranking.kept(tmp_path / "kept.json")

    assert again.name == compared.measured.name
    for about, lines in compared.measured.lines.items():
        for one, other in zip(lines, again.lines[about], strict=True):
            assert one.recall == pytest.approx(other.recall, abs=1e-4)
            assert one.r3.mean == pytest.approx(other.r3.mean, abs=1e-4)
            assert other.ms == 0
    assert [each.hits for each in again.bins] == [each.hits for each in compared.measured.bins]
    assert (tmp_path / "kept.json").read_bytes() == _written_again(tmp_path, again)


def _written_again(folder, measured):
    ranking.written(folder / "again.json", [measured])
    return (folder / "again.json").read_bytes()


def test_what_was_measured_just_now_is_not_taken_from_the_file(compared):
    names = [each.name for each in ranked.kept(but=())]
    assert set(names) == {"hadoop", "curl", "dpdk"}
    but = compared.measured._replace(name="curl")
    assert [each.name for each in ranked.kept(but=[but])] == [
        name for name in names if name != "curl"
    ]


def test_the_kept_figures_are_those_of_the_large_sets_whole():
    found = {each.name: each.questions for each in ranked.kept(but=())}
    assert found == {"hadoop": 558, "curl": 1000, "dpdk": 1000}


def test_a_captured_failure_is_asked_with_the_log_of_another_run():
    found = ranking.captured()
    by_id = {each.id: each for each in found.entries}
    assert len(found.questions) >= 200
    for asks in found.questions:
        [helpful] = asks.relevant
        assert helpful in by_id and asks.id not in by_id


def test_a_memory_is_asked_about_its_own_links(tmp_path):
    raw = "Error: cannot find module left-pad"
    times = [f"2026-01-0{day}T00:00:00Z" for day in (1, 2)]
    entries = [fixed(id, raw)._replace(captured_at=at) for id, at in zip("ab", times, strict=True)]
    remembering(tmp_path, [*entries, entry("c", "another")])

    found = ranking.read(tmp_path)

    assert [(each.id, each.relevant) for each in found.questions] == [("b", {"a"})]


def test_plots_draw_a_panel_a_set(compared):
    found = [compared.measured, compared.measured._replace(name="other")]
    for figure in (
        ranked.plot_recall(found),
        ranked.plot_added(found, "parts"),
        ranked.plot_reliability(found),
    ):
        assert [axes.get_title() for axes in figure.axes] == ["small (2)", "other (2)"]
    assert len(ranked.plot_latency([compared]).axes) == 1
