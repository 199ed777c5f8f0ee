from hypothesis import given
from hypothesis import strategies as st

from retrieval.cli.excerpt import Excerpt


def filled(text: bytes, limit: int, piece: int) -> Excerpt:
    excerpt = Excerpt(limit)
    for at in range(0, len(text), piece):
        excerpt.add(text[at : at + piece])
    return excerpt


def test_what_is_short_enough_stays_whole():
    excerpt = filled(b"a\nb\n", 100, 1)
    assert excerpt.bytes() == b"a\nb\n"
    assert excerpt.dropped == 0
    assert excerpt.line(2) == 2


def test_of_a_long_output_head_and_tail_stay_in_whole_lines():
    lines = [f"line {number}" for number in range(1, 1001)]
    excerpt = filled("".join(f"{line}\n" for line in lines).encode(), 400, 33)
    kept = excerpt.bytes().decode().splitlines()
    assert kept[0] == "line 1"
    assert kept[-1] == "line 1000"
    assert set(kept) < set(lines)
    assert excerpt.dropped > 0


@given(st.lists(st.integers(0, 30), max_size=200), st.integers(16, 400), st.integers(1, 97))
def test_a_kept_line_is_found_by_its_number(lengths, limit, piece):
    lines = [f"{number}:{'x' * length}" for number, length in enumerate(lengths, start=1)]
    excerpt = filled("".join(f"{line}\n" for line in lines).encode(), limit, piece)
    kept = excerpt.bytes().decode().splitlines()
    if excerpt.dropped and not all(line in lines for line in kept):
        return  # a single line was longer than what is kept
    for number, line in enumerate(kept, start=1):
        assert lines[excerpt.line(number) - 1] == line


class All:
    """Keeps the whole middle."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, bytes]] = []

    def add(self, data: bytes, first: int) -> None:
        self.kept += enumerate(data.split(b"\n")[:-1], start=first)


@given(st.lists(st.integers(0, 30), max_size=200), st.integers(160, 400), st.integers(1, 97))
def test_each_line_of_the_middle_passes_once_under_its_number(lengths, limit, piece):
    lines = [f"{number}:{'x' * length}" for number, length in enumerate(lengths, start=1)]
    excerpt = Excerpt(limit, All())
    text = "".join(f"{line}\n" for line in lines).encode()
    for at in range(0, len(text), piece):
        excerpt.add(text[at : at + piece])
    kept = excerpt.bytes().decode().splitlines()
    assert [lines[excerpt.line(number) - 1] for number in range(1, len(kept) + 1)] == kept
    assert len(lines) - len(kept) in (0, 1)  # the line that the tail begins within


@given(st.binary(max_size=3000), st.integers(16, 400), st.integers(1, 97))
def test_never_more_is_kept_than_allowed(text, limit, piece):
    excerpt = filled(text, limit, piece)
    kept = excerpt.bytes()
    assert len(kept) <= max(limit, len(text) if not excerpt.dropped else 0)
    if not excerpt.dropped:
        assert kept == text


def test_two_byte_characters_are_not_cut_in_half():
    text = "\n".join(f"zeile {number} ü" for number in range(2000)).encode("utf-16")
    excerpt = filled(text, 1000, 77)
    assert excerpt.dropped > 0
    assert "zeile 1999 ü" in excerpt.bytes().decode("utf-16")
