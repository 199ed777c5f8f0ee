"""Faults that people met elsewhere when they asked a memory, by their id."""

from memories import entry, fixed, journal

from indexing.build import build_index
from indexing.settings import Settings
from retrieval import Memory, Query
from retrieval.cli.excerpt import Excerpt
from retrieval.tiers import tiers

FRAMES = "at Queue.pop at Worker.run at Pool.join at Shop.serve at Main.start in shop core"


def ids(hits):
    return [hit.entry.id for hit in hits]


def test_b044_what_is_only_alike_is_proposed_and_stays_apart(memory):
    one = entry("one", f"crash in Cart.total {FRAMES}", f"Error: crash in Cart.total {FRAMES}")
    other = entry("other", f"crash in Menu.draw {FRAMES}", f"Error: crash in Menu.draw {FRAMES}")
    hits = memory(one, other).lookup(Query(f"Error: crash in Menu.draw {FRAMES}", tool="npm"))

    assert one.signature.sig_sha != other.signature.sig_sha
    assert [(hit.entry.id, hit.tier) for hit in hits] == [("other", "exact"), ("one", "lexical")]
    assert hits[0].score > hits[1].score > 0


def test_b050_what_no_hash_joins_is_found_by_its_words(memory):
    stored = entry("boris", "", "Invalid user boris zhang from 203.0.113.9", tool="sshd")
    unlike = entry("disk", "", "No space left on device while writing the journal", tool="sshd")
    hits = memory(stored, unlike).lookup(
        Query("Invalid user test9 from 203.0.113.5", tool="sshd", title="Invalid user from")
    )

    assert ids(hits) == ["boris"]
    assert hits[0].tier == "lexical"
    assert hits[0].score >= 30


def test_b049_failures_that_alternate_are_counted_apart(tmp_path):
    seen = [
        fixed(f"{name}{time}", f"Error: {text}", "restart it", seen=1)
        for time in range(3)
        for name, text in (("a", "queue is full"), ("b", "disk is gone"))
    ]
    journal(tmp_path / "memory.jsonl", seen)
    build_index([tmp_path / "memory.jsonl"], tmp_path / "index", tiers(Settings()), Settings())
    found = Memory.open(index=tmp_path / "index")

    for text in ("queue is full", "disk is gone"):
        exact = [h for h in found.lookup(Query(f"Error: {text}", tool="npm")) if h.tier == "exact"]
        assert [(hit.entry.evidence.seen, hit.alike) for hit in exact] == [(1, 2)]


def test_b101_the_oldest_of_many_is_not_dropped(memory):
    first = fixed("first", "Error: queue is full", "restart it", seen=500)
    later = [
        entry(f"n{n}", f"widget {n} is bent", f"Error: widget {n} is bent") for n in range(100)
    ]
    hits = memory(first, *later).lookup(Query("Error: queue is full", tool="npm"))

    assert ids(hits)[0] == "first"


def test_b074_of_a_log_of_any_length_so_much_is_held(tmp_path):
    kept = Excerpt(64_000)
    for number in range(2_000):
        kept.add(b"line %d of a log that never ends and says nothing\n" % number * 20)
    kept.add(b"error: no such table\n")

    assert len(kept.bytes()) <= 64_100
    assert kept.bytes().endswith(b"error: no such table\n")
    assert kept.dropped > 1_000_000
