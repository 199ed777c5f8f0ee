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
from indexing.readers import json_values
from indexing.readers.journal import Journal

ROOT = Path(__file__).parents[4]
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
QUIETLY = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
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


@st.composite
def fleets(draw):
    record = {
        "error_type": "dependency",
        "sample": "Error: " + draw(WORDS),
        "fix": draw(WORDS),
        "fix_applied": draw(COUNTS),
        "last_seen": draw(TIMES),
        **draw(UNKNOWN),
    }
    keys = st.text(st.sampled_from("ab:[]3"), max_size=6)
    return draw(keys), record


@st.composite
def global_files(draw):
    common = {"pattern": "Error: " + draw(WORDS), "promoted_at": draw(TIMES), **draw(UNKNOWN)}
    learning = {"repo": "o/n", "type": draw(WORDS), "bugs": draw(COUNTS), **draw(UNKNOWN)}
    lists = {"common_patterns": [common] * 2, "cross_repo_learnings": [learning]}
    return {**draw(UNKNOWN), **lists}


@st.composite
def project_files(draw):
    return {
        "repo": "o/n",
        "captured_at": draw(TIMES),
        "project": {"type": "node", **draw(UNKNOWN)},
        "conventions": draw(UNKNOWN),
        "known_issues": draw(st.lists(WORDS, min_size=1, max_size=3, unique_by=str.strip)),
        **draw(UNKNOWN),
    }


def through_the_journal(journal, path):
    """The entries of a file, recorded in a journal and read again."""
    journal.write_bytes(b"")
    found = [each for each in imported(path) if isinstance(each, Entry)]
    append_missing(journal, [add_record(entry, entry.captured_at) for entry in found])
    return [each for each in Journal().read(journal, "journal.jsonl") if isinstance(each, Entry)]


def in_and_out(tmp_path, name, document):
    """What goes out of a file of Shipwright's that came in."""
    path = tmp_path / name
    path.write_text(json.dumps(document), encoding="utf-8")
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    return json.loads(files_of("shipwright", entries)[name])


def in_any_order(records):
    return sorted(json.dumps(record, sort_keys=True) for record in records)


@given(
    st.lists(error_patterns(), min_size=1, max_size=4, unique_by=lambda each: each["pattern_id"])
)
@QUIETLY
def test_a_registry_goes_in_and_out_without_loss(tmp_path, patterns):
    path = tmp_path / "error-patterns.json"
    path.write_text(json.dumps({"patterns": patterns}), encoding="utf-8")
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json.loads(files_of("aiwg", entries)["registry.json"])
    assert in_any_order(made["pattern_registry"]["error_patterns"]) == in_any_order(patterns)


@given(st.lists(failures(), min_size=1, max_size=4, unique_by=lambda each: each["pattern"].strip()))
@QUIETLY
def test_failures_of_shipwright_go_in_and_out_without_loss(tmp_path, records):
    path = tmp_path / "failures.json"
    path.write_text(json.dumps({"failures": records}), encoding="utf-8")
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json.loads(files_of("shipwright", entries)["failures.json"])
    assert in_any_order(made["failures"]) == in_any_order(records)


@given(st.lists(fleets(), min_size=1, max_size=4), UNKNOWN)
@QUIETLY
def test_a_fleet_goes_in_and_out_without_loss(tmp_path, drawn, around):
    document = {"version": 1, **around, "patterns": dict(drawn)}
    assert in_and_out(tmp_path, "fleet-patterns.json", document) == document


@given(global_files())
@QUIETLY
def test_what_is_global_goes_in_and_out_without_loss(tmp_path, document):
    assert in_and_out(tmp_path, "global.json", document) == document


@given(project_files())
@QUIETLY
def test_a_project_goes_in_and_out_without_loss(tmp_path, document):
    assert in_and_out(tmp_path, "patterns.json", document) == document


@pytest.mark.parametrize(
    "name",
    [
        *("3f2a9c01d7be/decisions.json", "3f2a9c01d7be/patterns.json", "patterns.json"),
        *("3f2a9c01d7be/success-patterns.json", "global.json", "fleet-patterns.json"),
    ],
)
def test_each_file_of_a_shipwright_folder_goes_out_where_it_was(tmp_path, name):
    entries = through_the_journal(tmp_path / "journal.jsonl", SHIPWRIGHT.parent)
    made = files_of("shipwright", entries)
    wanted = json.loads((SHIPWRIGHT.parent / name).read_text(encoding="utf-8"))
    assert json.loads(made[name]) == wanted


def test_a_log_of_errors_goes_out_as_objects_one_after_another(tmp_path):
    path = SHIPWRIGHT.parent / "error-log.jsonl"
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json_values.values(files_of("shipwright", entries)["error-log.jsonl"], "\n{")
    wanted = json_values.values(path.read_text(encoding="utf-8"), "\n{")
    assert [each.value for each in made] == [each.value for each in wanted]


def test_an_export_of_shipwrights_goes_out_as_the_files_it_was_made_of(tmp_path):
    parts = {
        "patterns": {"repo": "o/n", "project": {"type": "node"}, "known_issues": ["slow tests"]},
        "failures": {"failures": [{"stage": "test", "pattern": "Error: no disk", "x": [1]}]},
        "decisions": {"decisions": [{"type": "adr", "summary": "use locks", "y": None}]},
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"exported_at": "", "repo_hash": "ab", **parts}), encoding="utf-8")
    made = files_of("shipwright", through_the_journal(tmp_path / "journal.jsonl", path))
    assert {name.removesuffix(".json"): json.loads(text) for name, text in made.items()} == parts


def test_a_journal_from_elsewhere_writes_no_file_elsewhere(tmp_path):
    [entry, *_] = through_the_journal(tmp_path / "journal.jsonl", SHIPWRIGHT / "failures.json")
    kept = dict(entry.extra["(imported)"])
    for file in ("../failures.json", "/etc/failures.json", "a/../../failures.json", ".bashrc"):
        moved = entry._replace(extra={**entry.extra, "(imported)": {**kept, "file": file}})
        assert files_of("shipwright", [moved]) == {}


def test_what_stands_around_a_registrys_lists_goes_out_too(tmp_path):
    document = json.loads((AIWG / "registry.json").read_text(encoding="utf-8"))
    document |= {"version": "1.7.0", "pruning_policy": {"max_age_days": 30}}
    document["pattern_registry"]["owner"] = "payments"
    path = tmp_path / "registry.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    entries = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json.loads(files_of("aiwg", entries)["registry.json"])
    assert (made["version"], made["pruning_policy"]) == ("1.7.0", {"max_age_days": 30})
    assert made["pattern_registry"]["owner"] == "payments"


def test_an_id_that_came_in_is_given_to_nothing_else(tmp_path):
    folder = ROOT / "fixtures" / "loops" / "aiwg" / "ralph-fix-auth-a1b2c3d4"
    [loop] = read_loops(folder, ROOT)
    found = [each.entry for each in found_in(loop, ["error"])]
    record = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    record["error_signature"]["error_pattern"] = "Cannot find the disk"
    path = tmp_path / "error-patterns.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    came = through_the_journal(tmp_path / "journal.jsonl", path)
    made = json.loads(files_of("aiwg", [*found, *came])["registry.json"])
    ids = [each["pattern_id"] for each in made["pattern_registry"]["error_patterns"]]
    assert sorted(ids) == [record["pattern_id"], record["pattern_id"][:-1] + "2"]


@pytest.mark.parametrize(
    "name", ["error_pattern", "success_pattern", "anti_pattern", "code_template"]
)
def test_every_list_of_the_fixtures_goes_in_and_out(tmp_path, name):
    document = json.loads((AIWG / "registry.json").read_text(encoding="utf-8"))
    wanted = document["pattern_registry"][f"{name}s"]
    entries = through_the_journal(tmp_path / "journal.jsonl", AIWG / "registry.json")
    made = json.loads(files_of("aiwg", entries)["registry.json"])["pattern_registry"]
    assert in_any_order(made[f"{name}s"]) == in_any_order(wanted)


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
