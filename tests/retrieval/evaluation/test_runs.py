import datasets
import pytest

from indexing.errors import BadQuery, UnreadableMemory
from retrieval.evaluation import runs
from retrieval.evaluation.dataset import read
from retrieval.evaluation.engine import Answer

FOUND = {"q3": [Answer("d0", "lexical", 40, 0.4), Answer("d2", "lexical", 40, 0.3999)]}


@pytest.mark.parametrize("name", ["a.trec", "a.trec.gz"])
def test_a_run_is_read_as_it_was_written(tmp_path, name):
    dataset = read(datasets.small(tmp_path))

    runs.write(tmp_path / name, FOUND, "fields")
    first = (tmp_path / name).read_bytes()
    runs.write(tmp_path / name, FOUND, "fields")

    assert (tmp_path / name).read_bytes() == first
    assert runs.read(tmp_path / name, dataset) == {"q3": ["d0", "d2"]}


def test_ranks_count_whatever_the_order_of_the_lines(tmp_path):
    path = tmp_path / "a.trec"
    lines = ["q3 Q0 d2 2 9 x", "", "q3 Q0 d0 1 1 x", "q3 Q0 d0 3 0 x", "elsewhere Q0 no 1 1 x"]
    path.write_text("\n".join(lines), encoding="utf-8")

    assert runs.read(path, read(datasets.small(tmp_path))) == {"q3": ["d0", "d2"]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q3 d0 1", ":1: expected question Q0 entry rank score tag"),
        ("q3 Q0 d0 first 1 x", ":1: expected question"),
        ("q3 Q0 d0 ² 1 x", ":1: expected question"),
        ("q3 Q0 none 1 1 x", "holds no entry 'none'"),
        ("q3 Q0 d4 1 1 x", "'d4' is not older than 'q3'"),
        ("q3 Q0 d3 1 1 x", "'d3' is not older than 'q3'"),
    ],
)
def test_a_run_that_breaks_the_rules_is_refused(tmp_path, line, said):
    path = tmp_path / "a.trec"
    path.write_text(line, encoding="utf-8")

    with pytest.raises(UnreadableMemory) as raised:
        runs.read(path, read(datasets.small(tmp_path)))

    assert said in str(raised.value)


def test_a_run_whose_compressed_bytes_are_damaged_is_refused(tmp_path):
    path = tmp_path / "a.trec.gz"
    runs.write(path, FOUND, "fields")
    path.write_bytes(path.read_bytes()[:10] + b"\xff" * 90)

    with pytest.raises(UnreadableMemory, match="cannot be read"):
        runs.read(path, read(datasets.small(tmp_path)))


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(UnreadableMemory, match="cannot be read"):
        runs.read(tmp_path / "none", read(datasets.small(tmp_path)))
    with pytest.raises(BadQuery, match="cannot be written"):
        runs.write(tmp_path / "no" / "folder", FOUND, "fields")
