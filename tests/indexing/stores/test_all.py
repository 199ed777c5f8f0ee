"""What every store promises (`stores/interface.py`); a new one is added to STORES."""

import threading

import pytest
from memories import entry, fixed, indexed, laid_over

from indexing.entry import Evidence, Lesson
from indexing.recipe import today
from indexing.settings import Settings
from indexing.stores.interface import Store
from retrieval.tiers import tiers

STORES = {"local": indexed, "delta": laid_over}
ENTRIES = [
    fixed("b", "Error: two")._replace(captured_at="2026-01-02T00:00:00Z"),
    fixed("c", "Error: one")._replace(captured_at="2026-01-03T00:00:00Z"),
    fixed("a", "Error: one", "do this", seen=3)._replace(captured_at="2026-01-02T00:00:00Z"),
    entry("old", "no signature, no time", files=()),
    entry(
        "all",
        "ü \u2028 \ud800 \x00",
        "Error: three",
        body='"quoted"\n\\n',
        labels=("x", ""),
        files=("src/ä.py",),
        lesson=Lesson(("w",), ("f",), ("g",), "r", "x", ("s",), "t"),
        evidence=Evidence(5, 4, 3, 2, 1, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        captured_at="2026-01-02T00:00:00Z",
        extra={"k": [1, None, {"x": 0.5}], "": True},
    ),
]
IN_ORDER = ["c", "a", "all", "b", "old"]


@pytest.fixture(params=STORES)
def make(request, tmp_path):
    return lambda entries: STORES[request.param](entries, tmp_path / "index")


@pytest.fixture
def store(make) -> Store:
    return make(ENTRIES)


def test_rows_are_newest_first_then_by_id(store):
    assert len(store) == len(ENTRIES)
    assert [store.entry(row).id for row in range(len(store))] == IN_ORDER


def test_entries_come_back_as_they_were(store):
    assert sorted(store.entry(row) for row in range(len(store))) == sorted(ENTRIES)


@pytest.mark.parametrize("row", [-1, len(ENTRIES), 1 << 40])
def test_there_are_no_other_rows(store, row):
    with pytest.raises(IndexError):
        store.entry(row)


def test_rows_are_found_by_signature_smallest_first(store):
    for each in ENTRIES:
        if each.signature:
            sha = each.signature.sig_sha
            same = [
                row
                for row in range(len(store))
                if (theirs := store.entry(row).signature) and theirs.sig_sha == sha
            ]
            assert list(store.signed(sha)) == same
            assert same


@pytest.mark.parametrize("sha", ["00" * 32, "ff" * 32, "", "not hex", "00", "a"])
def test_an_unknown_signature_has_no_rows(store, sha):
    assert list(store.signed(sha)) == []


def test_parts_hold_what_their_tiers_built(store):
    for segment in store.segments:
        for tier in tiers(Settings()):
            files = segment.part(tier.name)
            assert files
            assert all(isinstance(view, memoryview) for view in files.values())
        assert segment.part("absent") == {}


def test_rows_lie_in_the_segments_and_no_other_do(store):
    found = {
        store.row(number, at): (number, at)
        for number, of in enumerate(store.segments)
        for at in range(len(of))
        if at not in of.dead
    }

    assert sorted(found) == list(range(len(store)))
    assert all(store.place(row) == place for row, place in found.items())
    for number, segment in enumerate(store.segments):
        assert [store.row(number, at) for at in segment.dead] == [None] * len(segment.dead)


def test_what_comes_before_a_row_is_counted_in_each_segment(store):
    for row in range(len(store) + 1):
        counts = store.before(row)
        before = [
            store.row(number, at)
            for number, (segment, count) in enumerate(zip(store.segments, counts, strict=True))
            for at in range(count)
            if at not in segment.dead
        ]
        assert sorted(before) == list(range(row))


def test_what_was_derived_is_kept_until_it_is_of_something_else(store):
    made = []
    for of in (1, 1, 2, 2, 1):
        store.segments[0].kept("x", of, lambda of=of: made.append(of))

    assert made == [1, 2, 1]


def test_its_recipe_is_that_of_its_parts(store):
    assert store.recipe == today(tiers(Settings()))


def test_an_empty_memory_is_a_store(make):
    store = make([])

    assert len(store) == 0
    assert list(store.signed("00" * 32)) == []
    with pytest.raises(IndexError):
        store.entry(0)


def test_the_order_of_arrival_changes_nothing(make):
    one, other = make(ENTRIES), make(ENTRIES[::-1])

    assert list(map(one.entry, range(len(one)))) == list(map(other.entry, range(len(other))))
    for tier in tiers(Settings()):
        theirs = [each.part(tier.name) for each in other.segments]
        assert [each.part(tier.name) for each in one.segments] == theirs


def test_threads_share_a_store(store):
    expected = [store.entry(row) for row in range(len(store))]
    shas = {
        each.signature.sig_sha: list(store.signed(each.signature.sig_sha)) for each in expected[:4]
    }
    wrong = []

    def ask():
        for turn in range(50):
            row = turn % len(expected)
            if store.entry(row) != expected[row]:
                wrong.append(row)
            wrong.extend(sha for sha, rows in shas.items() if list(store.signed(sha)) != rows)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
