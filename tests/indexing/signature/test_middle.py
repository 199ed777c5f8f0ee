"""What is kept of the middle of a log that is too long to be held."""

from indexing.signature.middle import Middle

DULL = [f"[{number}] linked module-{number}.o" for number in range(500)]
ERROR = "src/cart.c:12:8: error: 'totl' undeclared"


def kept_of(lines: list[str], limit: int = 100_000, piece: int = 70) -> list[tuple[int, str]]:
    middle = Middle(limit)
    for at in range(0, len(lines), piece):
        data = "".join(f"{line}\n" for line in lines[at : at + piece])
        middle.add(data.encode(), at + 101)
    return [(number, line.decode()) for number, line in middle.kept]


def test_nothing_is_kept_of_what_tells_nothing():
    assert kept_of([*DULL, "  \u2713 throws Error: boom (3ms)", "0 errors"]) == []


def test_what_tells_is_kept_with_what_stands_around_under_its_number():
    kept = kept_of([*DULL, ERROR, *DULL])
    assert (601, ERROR) in kept
    assert [number for number, _ in kept] == list(range(593, 642))


def test_around_goes_over_the_ends_of_the_pieces():
    lines = [*DULL[:69], ERROR, *DULL]
    assert kept_of(lines, piece=70) == kept_of(lines, piece=1) == kept_of(lines, piece=10_000)


def test_of_too_much_that_tells_the_first_is_kept():
    kept = kept_of([ERROR] * 5_000, limit=1_000)
    assert kept[0] == (101, ERROR)
    assert sum(len(line) + 1 for _, line in kept) <= 1_000


def test_a_number_that_is_no_0_tells_what_a_0_did_not():
    lines = [*DULL, "  0 failing", *DULL, "  3 failing", *DULL]
    assert (1102, "  3 failing") in kept_of(lines)


def test_where_a_runner_says_that_a_step_begins_and_ends_is_kept():
    lines = [*DULL, "##[group]Run make", *DULL, "##[error]Process completed with exit code 2."]
    kept = [line for _, line in kept_of(lines)]
    assert lines[500] in kept and lines[-1] in kept


def test_a_runners_mark_is_kept_whatever_was_said_before_without_it():
    lines = [*DULL, "handled an error_code", *DULL, "##[error]handled an error_code"]
    assert lines[-1] in [line for _, line in kept_of(lines)]
