import json

import datasets
import pytest
from datasets import CORPUS, QRELS, QUERIES, document, question

from indexing.errors import UnreadableMemory
from retrieval.evaluation.dataset import read


@pytest.mark.parametrize("zipped", [True, False])
def test_a_folder_is_read(tmp_path, zipped):
    folder = datasets.dataset(tmp_path / "small", CORPUS, QUERIES, QRELS, zipped)

    found = read(folder)

    assert found.name == "small"
    assert [entry.id for entry in found.entries] == ["d0", "d1", "d2", "d3", "d4"]
    assert found.entries[0].files == ("src/auth.py",)
    first, second = found.questions
    assert (first.id, first.seq, first.relevant) == ("q3", 3, {"d0"})
    assert (first.query.files, first.fixed) == (("src/auth.py",), {"src/auth.py"})
    assert first.query.at == "2026-01-04T00:00:00Z"
    assert second.id == "q4"


def test_a_split_or_all_questions_can_be_chosen(tmp_path):
    folder = datasets.small(tmp_path)

    assert [each.id for each in read(folder, "train").questions] == ["q2"]
    assert len(read(folder, "").questions) == 3


def test_questions_can_be_asked_without_their_files_and_are_judged_by_them(tmp_path):
    first, _ = read(datasets.small(tmp_path), with_files=False).questions

    assert first.query.files is None
    assert first.fixed == {"src/auth.py"}


def test_files_that_became_known_later_are_noted(tmp_path):
    late = document(0, "late", files=["a"], files_at="2026-02-01T00:00:00Z")
    never = document(1, "never", files_at=None)
    folder = datasets.dataset(tmp_path, [late, never], [question(2, "late")], {"q2": "d0"})

    found = read(folder)

    assert found.files_at == {"d0": "2026-02-01T00:00:00Z"}
    assert [entry.files for entry in found.entries] == [("a",), None]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("corpus.jsonl", "{", "corpus.jsonl:1: is not JSON"),
        ("corpus.jsonl", "[" * 100_000, "corpus.jsonl:1: is not JSON"),
        ("corpus.jsonl", "[]", "corpus.jsonl:1: is no JSON object"),
        ("corpus.jsonl", '{"id": 1}', "'id' is not text"),
        (
            "corpus.jsonl",
            "\n".join(2 * [json.dumps(document(0, "login"))]),
            "corpus.jsonl, line 2: 'd0' was given before",
        ),
        ("queries.jsonl", '{"id": "q3", "files": "a"}', "'files' is not a list of texts"),
        ("qrels.tsv", "q3 d0 1", "qrels.tsv:1: expected question, entry, 1 between tabs"),
        ("qrels.tsv", "q3\td0\t²", "qrels.tsv:1: expected question, entry, 1 between tabs"),
        ("qrels.tsv", "q3\tnone\t1", "qrels.tsv:1: the corpus holds no entry 'none'"),
        ("qrels.tsv", "other\td0\t1", "holds no judged question of split 'test'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, name, text, said):
    folder = datasets.dataset(tmp_path, CORPUS, QUERIES, QRELS, zipped=False)
    (folder / name).write_text(text + "\n", encoding="utf-8")

    with pytest.raises(UnreadableMemory) as raised:
        read(folder)

    assert said in str(raised.value)


def test_a_file_whose_compressed_bytes_are_damaged_is_refused(tmp_path):
    folder = datasets.dataset(tmp_path, CORPUS, QUERIES, QRELS)
    corpus = folder / "corpus.jsonl.gz"
    corpus.write_bytes(corpus.read_bytes()[:10] + b"\xff" * 90)

    with pytest.raises(UnreadableMemory, match=r"corpus\.jsonl\.gz: cannot be read"):
        read(folder)


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(UnreadableMemory, match="cannot be read"):
        read(tmp_path / "none")
