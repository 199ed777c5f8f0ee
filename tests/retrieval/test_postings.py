import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval import postings as module
from retrieval.pieces import Lists, Spelling
from retrieval.postings import Postings, Runs, count, merged, runs_of

WORDS = st.text(st.characters(exclude_categories=()), min_size=1, max_size=3)


@given(st.lists(st.lists(WORDS, max_size=5), max_size=20))
def test_every_word_is_found_with_its_rows_and_no_other(lists):
    counted = count(lists)
    files = {name: memoryview(data) for name, data in counted.files("x").items()}
    postings = Postings(files, "x")

    for word in {word for words in lists for word in words}:
        [number] = postings.find([word])
        rows = [row for row, words in enumerate(lists) if word in words]
        assert counted.words[number] == word
        assert postings.rows(number).tolist() == rows
        begin = postings.span(number)[0]
        at = [begin + rows.index(row) if row in rows else -1 for row in range(len(lists))]
        every_row = np.arange(len(lists), dtype=np.uint32)
        assert postings.places([postings.span(number)], every_row).tolist() == [at]
        assert counted.times[slice(*postings.span(number))].tolist() == [
            lists[row].count(word) for row in rows
        ]
    assert postings.find(["absent word"]) == [None]
    initials = [word.encode("utf-8", "surrogatepass")[0] for word in counted.words]
    assert postings.initials().tolist() == initials


def test_words_of_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(module, "crc32", len)
    files = {n: memoryview(d) for n, d in count([["aa"], ["b", "c"], ["d"]]).files("x").items()}
    postings = Postings(files, "x")

    assert postings.find(["d", "aa", "b", "cc", "e", "c"]) == [3, 0, 1, None, None, 2]


def test_nothing_counted_is_nothing_found():
    files = {name: memoryview(data) for name, data in count([]).files("x").items()}

    assert Postings(files, "x").find(["a"]) == [None]


def block_of(words):
    lists = Lists()
    lists.add(words)
    return lists.block()


@given(
    st.lists(st.lists(WORDS, max_size=5), max_size=12), st.data(), st.sampled_from([1, 3, 1 << 22])
)
def test_runs_give_the_same_however_they_are_split_and_in_whatever_order(lists, data, at_once):
    kept = data.draw(st.lists(st.booleans(), min_size=len(lists), max_size=len(lists)))
    rows = data.draw(st.permutations(range(sum(kept))))
    cut = data.draw(st.integers(0, len(lists)))
    numbered = iter(rows)
    row_of = np.array([next(numbered) if keep else -1 for keep in kept], np.int64)
    whole = [[] for _ in rows]
    for words, row in zip(lists, row_of.tolist(), strict=True):
        if row >= 0:
            whole[row] = words
    expected = count(whole)
    gathered = []
    for part in (slice(0, cut), slice(cut, None)):
        runs = Runs()
        for words in lists[part]:
            runs.take(block_of([words]))
        gathered.append((runs_of(runs.files("x"), "x"), row_of[part]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        found = merged(gathered, len(rows))

    assert found.words == expected.words
    for ours, theirs in zip(found[1:], expected[1:], strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()


@given(
    st.lists(st.lists(st.text("ab-", min_size=1, max_size=4), max_size=4), max_size=9),
    st.booleans(),
    st.sampled_from([1, 3, 1 << 18]),
)
def test_lists_given_in_blocks_hold_the_words_of_their_pieces(lists, once, most):
    pieces, words, runs = Lists(), Spelling(lambda piece: piece.split("-")), Runs(once=once)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retrieval.pieces._MOST_KNOWN", most)
        for begin in range(0, len(lists), 2):
            pieces.add(lists[begin : begin + 2])
            runs.take(words.of(pieces.block()))
    found = merged([(runs_of(runs.files("x"), "x"), np.arange(len(lists)))], len(lists))

    spelt = [[word for piece in each for word in piece.split("-")] for each in lists]
    expected = count([sorted(set(words)) for words in spelt] if once else spelt)
    assert found.words == expected.words
    for ours, theirs in zip(found[1:], expected[1:], strict=True):
        assert ours.tolist() == theirs.tolist()
    assert np.frombuffer(runs.sizes(), np.int32).tolist() == [len(set(words)) for words in spelt]


def test_blocks_of_the_same_lists_with_other_words_are_one_family():
    runs = Runs()
    runs.take(block_of([["a", "b"], ["a"]]), block_of([["c"], ["d", "d"]]))
    found = merged([(runs_of(runs.files("x"), "x"), np.arange(2))], 2)

    assert found.words == ["a", "b", "c", "d"]
    assert found.all_rows.tolist() == [0, 1, 0, 0, 1]
    assert found.times.tolist() == [1, 1, 1, 1, 2]
    assert np.frombuffer(runs.sizes(), np.int32).tolist() == [3, 2]
