"""Faults that people met elsewhere when they asked a memory, by their id."""

from memories import entry, fixed, journal

from indexing.build import build_index
from indexing.entry import Lesson
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


SURFACES = (
    "TimeoutError: page.waitForSelector: Timeout 30000ms exceeded",
    "Error: expect(locator).toBeVisible() failed",
    "Error: the component could not be built",
)


def test_b052_what_one_label_joins_is_found_together_and_the_cause_is_first(memory):
    failed = [
        entry(
            f"test-{n}",
            SURFACES[n % 3],
            SURFACES[n % 3],
            labels=("google_genai",),
            tool="playwright",
            captured_at=f"2026-01-{n + 1:02}",
        )
        for n in range(17)
    ]
    others = [
        entry(f"other-{n}", f"step {n} failed", f"Error: step {n} failed", labels=("openai",))
        for n in range(50)
    ]
    cause = entry(
        "cause",
        "langchain_google_genai is missing in the container",
        "ImportError: No module named 'langchain_google_genai'",
        labels=("google_genai",),
        tool="python",
        lesson=Lesson(fix="Add langchain-google-genai to the image."),
    )
    asked = memory(*failed, *others, cause)

    issue = asked.lookup(Query(title="all google_genai flows are red", labels=["google_genai"]))
    log = asked.lookup(
        Query(SURFACES[0], tool="playwright", title="flow[google_genai]", labels=["google_genai"])
    )

    assert ids(issue)[0] == "cause"
    assert [(hit.entry.id, hit.tier) for hit in log] == [("test-15", "exact"), ("cause", "lexical")]
    assert log[0].alike == 5


def test_b098_a_common_topic_is_no_likeness(memory):
    typo = entry("typo", "Fix typo in OAuth token docs", "", lesson=Lesson(fix="Spell it right."))

    assert memory(typo).lookup(Query(title="Implement JWT login")) == []


def test_b100_signs_of_expressions_are_text(memory):
    raw = "Error: Cannot find module 'a(b' [x*"
    known = fixed("known", raw, "install it")
    other = fixed("other", "Error: Cannot find module 'c'", "install c")
    asked = memory(known, other)

    assert ids(asked.lookup(Query(raw, tool="npm"))) == ["known"]
    assert "known" in ids(asked.lookup(Query(title="Cannot find module 'a(b' [x*")))
    for signs in ("a(b' [x*", "[", "(?P<", "*", "\\"):
        assert asked.lookup(Query(title=signs)) == []  # too little said, and no error


def test_b104_a_greeting_is_told_nothing(memory):
    stored = [
        fixed(f"n{n}", f"Error: thing {n} is high, hit by this", f"say hi to team {n}")
        for n in range(200)
    ]
    asked = memory(*stored)

    for words in ("hi", "hi there", "thanks, continue", "ok"):
        assert asked.context(Query(title=words)) == ""
