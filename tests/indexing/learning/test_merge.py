"""What is the same pattern, what is only alike, and decisions that can be undone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.learning.merge import (
    Decisions,
    compared,
    decided,
    merged,
    proposals,
    similarity,
    told_apart,
)
from indexing.readers.interface import Decided
from indexing.signature import sign


def pattern(id, raw, fix="restart the broker", **fields):
    return Entry(
        id, "error_pattern", raw, signature=sign(raw, "npm"), lesson=Lesson(fix=fix), **fields
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error TS2322: not assignable", "error TS2345: not assignable"),
        ("exit status 1 of the build", "exit status 137 of the build"),
        ("cannot resolve @scope/pkg-a in the shop", "cannot resolve @other/pkg-a in the shop"),
        ("Cart.total is not a function here", "Menu.total is not a function here"),
        ("No module named 'yaml' in the toolbox", "No module named 'toml' in the toolbox"),
        ("connect to port 5432 of the shop", "connect to port 5433 of the shop"),
        ("needs react 17 in the shop", "needs react 18 in the shop"),
        ("my favourite colour is purple", "my favourite colour is cyan"),
    ],
)
def test_what_differs_in_a_name_a_number_or_one_word_is_no_proposal(one, other):
    assert told_apart(one, other) != ""
    assert proposals([pattern("a", one), pattern("b", other)], 0.0) == []


def test_the_same_words_in_another_order_are_proposed():
    one = pattern("a", "the broker refused the lease of the queue", "restart the broker")
    other = pattern("b", "the lease of the queue the broker refused", "the broker: restart")
    [alike] = proposals([one, other])
    assert alike.similarity > 0.8


@pytest.mark.parametrize("threshold", [0.80, 0.88, 0.95, 0.98])
def test_the_threshold_is_exclusive_as_the_seed_has_it(threshold):
    alike = compared(pattern("a", "queue is full now"), pattern("b", "now the queue is full"))
    assert bool(proposals([alike.one, alike.other], threshold)) == (alike.similarity > threshold)


def test_patterns_of_two_kinds_are_never_one():
    one = pattern("a", "queue is full")
    other = one._replace(id="b", kind="anti_pattern")
    assert proposals([one, other], 0.0) == []
    assert "kinds differ" in compared(one, other).forbidden


def test_what_people_told_apart_is_not_proposed_again():
    one, other = pattern("a", "queue is full now"), pattern("b", "now the queue is full")
    assert proposals([one, other], 0.5, [frozenset(("a", "b"))]) == []


def decision(id, op, at="2026-01-01T00:00:00Z", **values):
    return Decided(Source("journal", "journal.jsonl"), id, op, at, values)


MERGE = decision("m1", "merge", **{"into": "a", "from": "b"})
UNDO = decision("u1", "undo", "2026-01-02T00:00:00Z", undoes="m1")


def two():
    one = pattern("a", "queue is full", evidence=Evidence(seen=2, applied=2, helped=2))
    other = pattern(
        "b",
        "the queue overflowed",
        "make it longer",
        evidence=Evidence(seen=1, applied=3, helped=1, harmed=2, last="2026-05-01T00:00:00Z"),
    )
    return {"a": one, "b": other}


def test_a_merge_adds_evidence_and_keeps_what_both_advise():
    kept = decided(two(), [MERGE])
    assert kept["a"].evidence[:5] == (3, 0, 5, 3, 2)
    assert kept["a"].evidence.last == "2026-05-01T00:00:00Z"
    assert kept["a"].lesson.fix == "restart the broker"
    assert kept["a"].lesson.worked == ("make it longer",)


def test_what_was_merged_is_still_found_by_its_own_signature():
    kept = decided(two(), [MERGE])
    assert kept["b"].signature == two()["b"].signature
    assert kept["b"].lesson == kept["a"].lesson
    assert kept["b"].extra["merged_into"] == "a"


def test_an_undo_gives_back_both_as_they_were():
    assert decided(two(), [MERGE, UNDO]) == two()


def test_a_chain_of_merges_ends_in_one():
    three = two() | {"c": pattern("c", "no room in the queue")}
    kept = decided(
        three, [MERGE, decision("m2", "merge", "2026-01-03", **{"into": "b", "from": "c"})]
    )
    assert kept["a"].extra["merged"] == ["b", "c"]
    assert kept["c"].extra["merged_into"] == "a"


ORDERS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=8)


@given(ORDERS)
def test_merges_in_any_order_and_in_circles_count_nothing_twice(orders):
    known = {
        id: pattern(id, f"queue {id}{id} is full", evidence=Evidence(seen=count, helped=count))
        for id, count in zip("abcd", (1, 10, 100, 1000), strict=True)
    }
    records = [
        decision(f"m{at}", "merge", f"2026-01-01T00:00:{at:02d}Z", **{"into": one, "from": other})
        for at, (one, other) in enumerate(orders)
    ]
    kept = decided(known, records)
    own = [entry for entry in kept.values() if "merged_into" not in entry.extra]
    assert sum(entry.evidence.seen for entry in own) == 1111
    assert set(kept) == set(known)
    for id, entry in kept.items():
        at = kept[entry.extra.get("merged_into", id)]
        assert "merged_into" not in at.extra
        assert entry.lesson == at.lesson
        assert entry.signature == known[id].signature


def test_an_archived_entry_is_left_out_until_it_is_restored():
    archive = decision("x", "archive", entry_id="b")
    restore = decision("y", "restore", "2026-02-01T00:00:00Z", entry_id="b")
    assert list(decided(two(), [archive])) == ["a"]
    assert list(decided(two(), [archive, restore])) == ["a", "b"]


def test_a_split_ends_a_merge_and_the_order_of_lines_does_not_matter():
    split = decision("s", "split", "2026-01-05T00:00:00Z", a="b", b="a")
    for records in ([MERGE, split], [split, MERGE]):
        assert Decisions.of(records).merges == ()
        assert Decisions.of(records).splits == (frozenset("ab"),)


def test_a_merge_of_what_is_not_there_changes_nothing():
    lost = decision("m", "merge", **{"into": "gone", "from": "b"})
    assert decided(two(), [lost]) == two()


def test_both_sources_stay_in_the_merged_one():
    loops = [{"loop_id": "l1"}], [{"loop_id": "l2"}]
    one, other = (
        entry._replace(extra={"source_loops": each})
        for entry, each in zip(two().values(), loops, strict=True)
    )
    assert merged(one, other).extra["source_loops"] == [{"loop_id": "l1"}, {"loop_id": "l2"}]


# --- field reports


def test_b076_one_sentence_about_two_choices_is_no_duplicate():
    one = "chose SQLite over Postgres for deployment"
    other = "chose fastembed over OpenAI for local embeddings"
    assert told_apart(one, other) or similarity(one, other) <= 0.8
    notes = [Entry(id, "decision", text) for id, text in (("a", one), ("b", other))]
    assert proposals(notes) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("my favourite colour is purple", "my favourite colour is cyan"),
        ("the gateway listens on port 8080", "the gateway listens on port 9090"),
        ("the shop needs node 18", "the shop needs node 20"),
    ],
)
def test_b077_what_contradicts_is_never_merged_and_says_so(one, other):
    why = told_apart(one, other)
    assert why.startswith(("possible contradiction", "names differ"))
    assert proposals([Entry("a", "note", one), Entry("b", "note", other)], 0.0) == []


def test_b080_paraphrases_of_one_claim_are_proposed_and_a_distinct_pair_is_not():
    one, other = "pin numpy below 2", "numpy must be < 2, otherwise import fails"
    control = "pin numpy below 3"
    notes = [Entry(id, "note", text) for id, text in (("a", one), ("b", other), ("c", control))]
    assert [(each.one.id, each.other.id) for each in proposals(notes)] == [("a", "b")]
    assert similarity(one, other) == 0.9
    assert similarity(one, control) < 0.8
