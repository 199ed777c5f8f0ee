"""AIWG's registry and Shipwright's files, in and out without loss."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.entry import Entry
from indexing.journal import Outcome, add_record, append_missing, append_outcome
from indexing.learning.exchange import aiwg_record, files_of, imported, metrics
from indexing.learning.extract import found_in
from indexing.learning.loops import read_loops
from indexing.learning.store import Learned, store
from indexing.readers.journal import Journal

ROOT = Path(__file__).parent.parent.parent.parent
AIWG = ROOT / "fixtures" / "memory" / "aiwg"
SHIPWRIGHT = ROOT / "fixtures" / "memory" / "shipwright" / "3f2a9c01d7be"

WORDS = st.text(st.sampled_from("abcdefg hiä.,:"), min_size=3, max_size=40).filter(
    lambda text: len(text.strip()) > 2
)
# what nobody here knows; a key that is a word of theirs would be theirs
UNKNOWN = st.dictionaries(
    st.text(st.sampled_from("xyz"), min_size=4, max_size=8),
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)
COUNTS = st.integers(0, 50)
TIMES = st.just("2026-02-02T15:00:00Z")


@st.composite
def error_patterns(draw):
    return {
        "pattern_id": f"pat-error-{draw(st.integers(0, 10**6))}-001",
        "error_signature": {"error_type": "TypeError", "error_pattern": draw(WORDS)},
        "fix_approach": {"description": draw(WORDS), "fix_category": "other", **draw(UNKNOWN)},
        "source_loops": draw(st.lists(WORDS, max_size=3)),
        "usage_count": draw(COUNTS),
        "last_used": draw(TIMES),
        "tags": draw(st.lists(WORDS, max_size=2)),
        **draw(UNKNOWN),
    }


@st.composite
def failures(draw):
    return {
        "stage": "build",
        "pattern": "Error: " + draw(WORDS),
        "root_cause": draw(WORDS),
        "fix": draw(WORDS),
        "seen_count": draw(COUNTS),
        "last_seen": draw(TIMES),
        **draw(UNKNOWN),
    }


def through_the_journal(journal, path):
    """The entries of a file, recorded in a journal and read again."""
    journal.write_bytes(b"")
    found = [each for each in imported(path) if isinstance(each, Entry)]
    append_missing(journal, [add_record(entry, entry.captured_at) for entry in found])
    return [each for each in Journal().read(journal, "journal.jsonl") if isinstance(each, Entry)]


def in_any_order(records):
    return sorted(json.dumps(record, sort_keys=True) for record in records)


@given(
    st.lists(error_patterns(), min_size=1, max_size=4, unique_by=lambda each: each["pattern_id"])
)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
def test_a_registry_goes_in_and_out_without_loss(tmp_path, patterns):
    path = tmp_path / "error-patterns.json"
    path.write_text(json.dumps({"patterns": patterns}), encoding="utf-8")
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json.loads(files_of("aiwg", entries)["registry.json"])
    assert in_any_order(made["pattern_registry"]["error_patterns"]) == in_any_order(patterns)


@given(st.lists(failures(), min_size=1, max_size=4, unique_by=lambda each: each["pattern"].strip()))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
def test_failures_of_shipwright_go_in_and_out_without_loss(tmp_path, records):
    path = tmp_path / "failures.json"
    path.write_text(json.dumps({"failures": records}), encoding="utf-8")
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json.loads(files_of("shipwright", entries)["failures.json"])
    assert in_any_order(made["failures"]) == in_any_order(records)


@pytest.mark.parametrize(
    "name", ["error_pattern", "success_pattern", "anti_pattern", "code_template"]
)
def test_every_list_of_the_fixtures_goes_in_and_out(tmp_path, name):
    document = json.loads((AIWG / "registry.json").read_text(encoding="utf-8"))
    wanted = document["pattern_registry"][f"{name}s"]
    entries = through_the_journal(tmp_path / "journal.jsonl", AIWG / "registry.json")
    made = json.loads(files_of("aiwg", entries)["registry.json"])["pattern_registry"]
    assert in_any_order(made[f"{name}s"]) == in_any_order(wanted)


def test_the_success_patterns_of_the_fixtures_go_in_and_out(tmp_path):
    wanted = json.loads((SHIPWRIGHT / "success-patterns.json").read_text(encoding="utf-8"))
    entries = through_the_journal(tmp_path / "journal.jsonl", SHIPWRIGHT / "success-patterns.json")
    made = json.loads(files_of("shipwright", entries)["success-patterns.json"])
    assert in_any_order(made["patterns"]) == in_any_order(wanted["patterns"])


def test_what_happened_since_is_written_over_the_counters_only(tmp_path):
    journal = tmp_path / "journal.jsonl"
    document = json.loads((AIWG / "registry.json").read_text(encoding="utf-8"))
    before = document["pattern_registry"]["error_patterns"][0]
    [first, *_] = through_the_journal(journal, AIWG / "registry.json")
    append_outcome(journal, Outcome(first.id, "helped", "2026-12-01T00:00:00Z", "l9"))
    entry = next(
        each for each in Journal().read(journal, "j") if getattr(each, "id", "") == first.id
    )
    made = aiwg_record(entry)
    assert made["usage_count"] == before["usage_count"] + 1
    assert made["last_used"] == "2026-12-01T00:00:00Z"
    counters = ("usage_count", "success_rate", "last_used", "successful_applications")
    assert {k: v for k, v in made.items() if k not in counters} == {
        k: v for k, v in before.items() if k not in counters
    }


def test_the_seeds_example_goes_out_as_the_seed_has_it(tmp_path):
    folder = ROOT / "fixtures" / "loops" / "aiwg" / "ralph-fix-auth-a1b2c3d4"
    [loop] = read_loops(folder, ROOT)
    journal = tmp_path / "journal.jsonl"
    store(journal, [Learned(loop, tuple(found_in(loop, ["error"])))])
    made = json.loads(files_of("aiwg", Journal().read(journal, "journal.jsonl"))["registry.json"])
    [record] = made["pattern_registry"]["error_patterns"]
    assert record == json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_the_metrics_are_those_of_the_upstreams_example():
    loops = [{"loop": f"w{n}", "iterations": count} for n, count in enumerate((3, 3, 4, 3, 3))]
    loops += [{"loop": f"o{n}", "iterations": count} for n, count in enumerate((5, 5, 5, 5, 5.5))]
    loops[-1]["iterations"] = 6
    made = metrics([], loops, [f"w{n}" for n in range(5)])["cross_loop_benefit"]
    assert made == {
        "loops_with_pattern_injection": 5,
        "loops_without_pattern_injection": 5,
        "average_iterations_with": 3.2,
        "average_iterations_without": 5.2,
        "improvement_percentage": 38.5,
    }


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    [why] = imported(tmp_path / "notes.json")
    assert "neither a registry" in why
