"""With hyperscan, a log is explained to the byte as without it."""

import sys

import pytest
from failures import failing

from indexing.signature import explain, fast, lines
from indexing.signature.lines import LONGEST, LargeLog, Log, log_of
from indexing.signature.ruleset import LITERALS

CASES = failing()


@pytest.fixture
def all_are_worth_it(monkeypatch):
    pytest.importorskip("hyperscan")
    monkeypatch.setattr(lines, "_LARGE", 0)
    monkeypatch.setattr(fast, "_WORTH_IT", 0)


def ordered(found: dict[int, list[str]]) -> list[tuple[int, list[str]]]:
    return [(number, sorted(held)) for number, held in found.items()]


@pytest.mark.usefixtures("all_are_worth_it")
@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.id)
def test_a_log_is_explained_the_same(case, monkeypatch):
    fastly = explain(case.log())
    monkeypatch.setattr(lines, "_LARGE", sys.maxsize)
    assert fastly == explain(case.log())


@pytest.mark.usefixtures("all_are_worth_it")
def test_the_same_literals_are_found_on_the_same_lines():
    compared = 0
    for case in CASES:
        log, plain = log_of(case.log()), Log(case.log())
        if isinstance(log, LargeLog) and log.is_utf8:
            expected = LITERALS.found(plain.blocks(), plain.lines, LONGEST)
            assert ordered(fast.found(log)) == ordered(expected), case.id
            compared += 1
    assert compared > len(CASES) // 2


@pytest.mark.usefixtures("all_are_worth_it")
@pytest.mark.parametrize(
    "wrap", ["\x1b[31m{}\x1b[0m", "2026-08-21T10:02:11.4820000Z {}", "10%\r{}"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_colours_frames_and_prefixes_change_nothing(wrap, end, monkeypatch):
    for case in CASES[::30]:
        text = Log(case.log()).text
        output = end.join(wrap.format(line) for line in text.split("\n")).encode()
        fastly = explain(output)
        with monkeypatch.context() as without:
            without.setattr(lines, "_LARGE", sys.maxsize)
            assert fastly == explain(output), case.id


@pytest.mark.usefixtures("all_are_worth_it")
def test_a_log_in_another_encoding_is_left_to_the_other_search():
    latin = LargeLog("l\u00ednea 3: no existe\n".encode("latin-1"))
    assert fast.found(latin) is None


def test_a_log_that_is_not_large_enough_is_left_to_the_other_search():
    assert fast.found(LargeLog(b"error: a\n")) is None


def test_without_the_library_the_other_search_is_used(monkeypatch):
    monkeypatch.setattr(fast, "_WORTH_IT", 0)
    monkeypatch.setattr(lines, "_LARGE", 0)
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    fast._database.cache_clear()
    try:
        assert fast.found(LargeLog(b"error: a\n")) is None
        assert explain(b"src/a.ts(3,5): error TS2322: no\n").signature is not None
    finally:
        fast._database.cache_clear()
