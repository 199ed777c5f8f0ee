import math
import sys

import datasets
import pytest

from indexing.errors import MissingExtra
from retrieval.evaluation import measures
from retrieval.evaluation.dataset import read


@pytest.fixture
def dataset(tmp_path):
    return read(datasets.small(tmp_path))


def test_a_run_is_measured_by_its_ranks(dataset):
    values = measures.by_question(dataset, {"q3": ["d2", "d0"], "q4": ["d3"]})

    assert values["R@1"] == {"q3": 0, "q4": 0}
    assert values["R@3"] == {"q3": 1, "q4": 0}
    assert values["MRR@10"] == {"q3": 0.5, "q4": 0}
    assert values["nDCG@10"]["q3"] == pytest.approx(1 / math.log2(3))
    # d2 touched what q3 touches; nothing of q4's file is known
    assert values[measures.FILE_HIT] == {"q3": 1, "q4": 0}


def test_a_question_without_an_answer_has_nothing(dataset):
    values = measures.by_question(dataset, {"q3": ["d0"]})

    figure = measures.figures(values)["R@3"]
    assert (figure.mean, figure.questions) == (0.5, 2)
    assert 0 <= figure.low <= 0.5 <= figure.high <= 1


def test_two_runs_are_compared_question_by_question(dataset):
    good = measures.by_question(dataset, {"q3": ["d0"], "q4": ["d1"]})
    bad = measures.by_question(dataset, {})

    assert measures.differences(good, bad)["R@1"][:3] == (1, 1, 1)
    assert measures.differences(bad, good)["R@1"][:3] == (-1, -1, -1)
    assert measures.differences(good, good)["MRR@10"][:3] == (0, 0, 0)


def test_figures_are_the_same_every_time(dataset):
    values = measures.by_question(dataset, {"q3": ["d0"]})
    assert measures.figures(values) == measures.figures(values)


def test_a_missing_library_is_named_with_what_installs_it(dataset, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)

    with pytest.raises(MissingExtra, match=r"pip install 'oncebitten\[eval\]'"):
        measures.by_question(dataset, {})
