import numpy as np
import pytest

from indexing.errors import BadIndex
from retrieval.vectors import Kept, Vectors, graph, kind_of

SIZE = 32


def made(count, seed=1):
    """Vectors of length 1, some nearer to each other than others."""
    drawn = np.random.default_rng(seed)
    around = drawn.normal(size=(8, SIZE))
    vectors = around[drawn.integers(0, 8, count)] + 0.5 * drawn.normal(size=(count, SIZE))
    return (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)


def opened(vectors, numbers, asked):
    files = {
        "vectors": memoryview(vectors.tobytes()),
        "numbers": memoryview(np.asarray(numbers, "<u4").tobytes()),
        "graph": memoryview(graph(vectors, asked)),
    }
    return Vectors(files, SIZE, len(numbers))


def key(number):
    return bytes([number]) * 32


@pytest.mark.parametrize(
    ("asked", "count", "kind"),
    [
        ("auto", 100_000, "flat"),
        ("auto", 100_001, "hnsw"),
        ("auto", 500_001, "sq8"),
        ("sq8", 3, "sq8"),
        ("flat", 10**7, "flat"),
    ],
)
def test_how_they_are_looked_through_goes_by_their_number(asked, count, kind):
    assert kind_of(count, asked) == kind


@pytest.mark.parametrize("asked", ["flat", "hnsw", "sq8"])
def test_the_nearest_are_found(asked):
    vectors = made(3000)
    known = opened(vectors, range(3000), asked)

    missed = 0
    for vector in made(20, seed=2):
        expected = set(np.argsort(-(vectors @ vector), kind="stable")[:50].tolist())
        missed += len(expected - set(known.nearest(vector, 50).tolist()))
    assert missed <= (0 if asked == "flat" else 0.05 * 20 * 50)


@pytest.mark.parametrize("asked", ["hnsw", "sq8"])
def test_the_same_vectors_give_the_same_graph(asked):
    assert bytes(graph(made(2000), asked)) == bytes(graph(made(2000), asked))


def test_rows_with_one_text_are_found_together():
    vectors = made(3)
    known = opened(vectors, [2, 0, 2, 1], "flat")

    assert known.nearest(vectors[2], 1).tolist() == [0, 2]
    assert known.cosines(vectors[2], np.array([0, 1, 2]))[[0, 2]].tolist() == [1.0, 1.0]


def test_no_vector_is_no_answer():
    for asked in ("flat", "hnsw", "sq8"):
        known = opened(made(0), [], asked)
        assert known.nearest(made(1)[0], 5).tolist() == []


@pytest.mark.parametrize(
    ("numbers", "rows"),
    [([0, 1, 2], 4), ([0, 1, 3], 3)],
    ids=["a row without one", "a vector that is not there"],
)
def test_sizes_that_do_not_agree_are_refused(numbers, rows):
    files = {
        "vectors": memoryview(made(3).tobytes()),
        "numbers": memoryview(np.asarray(numbers, "<u4").tobytes()),
        "graph": memoryview(b""),
    }
    with pytest.raises(BadIndex, match="other sizes"):
        Vectors(files, SIZE, rows)


def test_what_was_encoded_is_kept(tmp_path):
    vectors = made(3)
    Kept(tmp_path, "one", SIZE).add([key(1), key(2)], vectors[:2])
    Kept(tmp_path, "one", SIZE).add([key(3)], vectors[2:])

    kept = Kept(tmp_path, "one", SIZE)
    for number in (1, 2, 3):
        assert (kept.find(key(number)) == vectors[number - 1]).all()
    assert kept.find(key(4)) is None
    assert Kept(tmp_path, "other", SIZE).find(key(1)) is None
    assert Kept(None, "one", SIZE).find(key(1)) is None


def test_what_is_damaged_is_not_taken_for_a_vector(tmp_path):
    vectors = made(3)
    Kept(tmp_path, "one", SIZE).add([key(1), key(2), key(3)], vectors)
    [path] = tmp_path.iterdir()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)

    kept = Kept(tmp_path, "one", SIZE)
    assert kept.find(key(2)) is None
    assert (kept.find(key(1)) == vectors[0]).all()
    assert (kept.find(key(3)) == vectors[2]).all()

    kept.add([key(2)], vectors[1:2])
    assert (Kept(tmp_path, "one", SIZE).find(key(2)) == vectors[1]).all()


@pytest.mark.parametrize("left", [0, 1, 150, 168, 300])
def test_a_file_that_was_cut_is_used_as_far_as_it_goes(tmp_path, left):
    vectors = made(3)
    Kept(tmp_path, "one", SIZE).add([key(1), key(2)], vectors[:2])
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:left])

    Kept(tmp_path, "one", SIZE).add([key(3)], vectors[2:])

    kept = Kept(tmp_path, "one", SIZE)
    assert (kept.find(key(1)) is not None) == (left >= 168)
    assert (kept.find(key(3)) == vectors[2]).all()


def test_what_nobody_uses_is_thrown_away_once_it_is_most(tmp_path):
    vectors = made(9)
    keys = [key(number) for number in range(9)]
    Kept(tmp_path, "old", SIZE).add(keys, vectors)
    kept = Kept(tmp_path, "one", SIZE)
    kept.add(keys, vectors)

    kept.tidy(keys[:5], vectors[:5])
    assert Kept(tmp_path, "one", SIZE).find(keys[8]) is not None
    assert Kept(tmp_path, "old", SIZE).find(keys[0]) is None

    kept.tidy(keys[:2], vectors[:2])
    left = Kept(tmp_path, "one", SIZE)
    assert [left.find(each) is not None for each in keys] == [True] * 2 + [False] * 7


def test_a_disk_that_takes_nothing_is_no_reason_to_fail(tmp_path):
    (tmp_path / "file").write_text("in the way")
    kept = Kept(tmp_path / "file", "one", SIZE)

    kept.add([key(1)], made(1))
    kept.tidy([key(1)], made(1))

    assert kept.find(key(1)) is None
