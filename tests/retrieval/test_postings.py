from hypothesis import given
from hypothesis import strategies as st

from retrieval.postings import Postings, count

WORDS = st.text(st.characters(exclude_categories=()), min_size=1, max_size=3)


@given(st.lists(st.lists(WORDS, max_size=5), max_size=20))
def test_every_word_is_found_with_its_rows_and_no_other(lists):
    counted = count(lists)
    files = {name: memoryview(data) for name, data in counted.files("x").items()}
    postings = Postings(files, "x")

    for word in {word for words in lists for word in words}:
        number = postings.find(word)
        rows = [row for row, words in enumerate(lists) if word in words]
        assert counted.words[number] == word
        assert postings.rows(number).tolist() == rows
        assert [postings.place(number, row) for row in rows] == list(range(len(rows)))
        assert counted.times[slice(*postings.span(number))].tolist() == [
            lists[row].count(word) for row in rows
        ]
    assert postings.find("absent word") is None


def test_a_row_without_the_word_has_no_place():
    files = {n: memoryview(d) for n, d in count([["a"], ["b"], ["a"]]).files("x").items()}
    postings = Postings(files, "x")

    assert postings.place(postings.find("a"), 1) is None
    assert postings.place(postings.find("a"), 3) is None


def test_nothing_counted_is_nothing_found():
    files = {name: memoryview(data) for name, data in count([]).files("x").items()}

    assert Postings(files, "x").find("a") is None
