import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval import pieces as module
from retrieval.pieces import Cuts, Known, Lists, Spelling, Texts, foremost, once
from retrieval.tokens import title_words, words

ANY = st.text(st.characters(exclude_categories=()))
LIKE_CODE = st.text("abAB12_.-/ \0Σσ'é\udce9")


def lists_of(block):
    found = [[] for _ in range(block.size)]
    for piece, number in zip(block.pieces.tolist(), block.lists.tolist(), strict=True):
        found[number].append(block.names[piece])
    return found


def blocks_of(texts, size):
    came = Texts()
    for begin in range(0, len(texts), size):
        came.add(texts[begin : begin + size])
        yield came.block()


@given(st.lists(ANY | LIKE_CODE), st.integers(1, 4), st.sampled_from([0, 3, 1 << 19]))
def test_the_words_of_texts_are_those_of_the_pieces_they_are_cut_into(texts, size, most):
    spelling = Spelling(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_KNOWN", most)
        found = [each for block in blocks_of(texts, size) for each in lists_of(spelling.of(block))]

    assert found == [words(text) for text in texts]


@given(st.lists(ANY | LIKE_CODE), st.booleans())
def test_words_in_lower_case_are_those_of_the_pieces_of_the_text_in_lower_case(texts, plain):
    lowered = [text.lower() for text in texts]
    words_of = (lambda text: words(text, plain=True)) if plain else title_words
    found = [
        each for block in blocks_of(lowered, 2) for each in lists_of(Spelling(words_of).of(block))
    ]

    assert list(map(sorted, map(set, found))) == [sorted(set(words_of(text))) for text in texts]


@pytest.mark.parametrize("length", [1, 6, 7, 8, 9, 300])
def test_pieces_of_any_length_are_told_apart(length):
    texts = [first + "x" * (length - 1) + last for first in "ab" for last in ("", "c", "é")]
    [block] = blocks_of(texts * 2, len(texts) * 2)

    assert lists_of(block) == [[text] for text in texts * 2]
    assert len(block.names) == len(texts)


def test_no_texts_have_no_pieces():
    [block] = blocks_of(["", " ", "(!)"], 3)

    assert lists_of(block) == [[], [], []]


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=6), st.integers(1, 4))
def test_the_foremost_pieces_are_the_first_by_name_each_once(lists, most):
    came = Lists()
    came.add(lists)
    block = once(came.block())

    assert [sorted(each) for each in lists_of(block)] == [sorted(set(each)) for each in lists]
    few = lists_of(foremost(block, most))
    assert [sorted(each) for each in few] == [sorted(set(each))[:most] for each in lists]
    assert np.all(np.diff(foremost(block, most).lists) >= 0)


@given(
    st.lists(st.lists(st.text("a\0é\udce9", max_size=9), max_size=9), max_size=3),
    st.sampled_from([1, 2, 18]),
)
def test_what_is_known_has_one_number_whatever_is_in_it_and_how_many_have_its_place(came, bits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PLACES", bits)
        _each_has_one_number(came)


def _each_has_one_number(came):
    known = Known()
    for names in came:
        encoded = [name.encode("utf-8", "surrogatepass") for name in names]
        ends = np.cumsum([0, *map(len, encoded)])
        numbers = known.of(Cuts(b"".join(encoded), ends[:-1], ends[1:]))

        assert [known.names[number] for number in numbers.tolist()] == names
    assert len(known.names) == len(set(known.names))
