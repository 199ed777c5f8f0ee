import json

import pytest

from indexing.entry import Entry, Evidence
from indexing.errors import UnreadableMemory
from indexing.readers.interface import Quarantined
from indexing.readers.shipwright import Shipwright
from indexing.signature import sign

ANSI_PASS = "    \x1b[32m✓\x1b[39m \x1b[2mretries when the feed fails with 503 (41 ms)\x1b[22m"

FAILURE = {
    "stage": "test",
    "pattern": "\x1b[31merror TS2322: Type 'string' is not assignable to type 'number'.\x1b[0m",
    "root_cause": "the API answers text",
    "fix": "parse it",
    "seen_count": 3,
    "last_seen": "2026-02-26T01:02:44Z",
}


@pytest.fixture
def read(tmp_path):
    def of(name, content):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return list(Shipwright().read(path, f"memory/{name}"))

    return of


def failures(read, *records):
    return read("failures.json", {"failures": list(records)})


def test_a_failure_is_read(read):
    [entry] = failures(read, FAILURE | {"category": "build_error", "file": "src/a.ts"})

    line = "error TS2322: Type 'string' is not assignable to type 'number'."
    assert (entry.kind, entry.title) == ("failure", line)
    assert entry.body == "the API answers text\nparse it"
    assert entry.labels == ("test", "build_error")
    assert entry.files == ("src/a.ts",)
    assert entry.signature == sign(line)
    assert (entry.lesson.root_cause, entry.lesson.fix) == ("the API answers text", "parse it")
    assert entry.evidence == Evidence(
        seen=3, first="2026-02-26T01:02:44Z", last="2026-02-26T01:02:44Z"
    )
    assert entry.captured_at == "2026-02-26T01:02:44Z"
    assert entry.source == ("shipwright", "memory/failures.json", "failures[0]")
    assert entry.extra == {}


def test_the_exit_code_that_newer_versions_keep_is_part_of_the_context(read):
    [entry] = failures(read, FAILURE | {"exit_code": 137})

    assert entry.signature.context == {"exit_code": 137}
    assert entry.extra == {}


def test_missing_files_are_unknown_and_an_empty_list_is_none(read):
    missing, blank, empty = failures(
        read, FAILURE, FAILURE | {"files": ""}, FAILURE | {"files": []}
    )
    assert (missing.files, blank.files, empty.files) == (None, None, ())


def test_a_passing_line_stored_as_a_failure_is_quarantined(read):
    first, bad, last = failures(
        read, FAILURE, FAILURE | {"pattern": ANSI_PASS}, FAILURE | {"pattern": "error: x"}
    )

    assert isinstance(first, Entry)
    assert isinstance(last, Entry)
    assert bad.source.locator == "failures[1]"
    assert bad.reason == "is a passing line: its check mark says so"
    assert "retries when the feed" in bad.record


@pytest.mark.parametrize(
    ("counters", "applied", "helped", "harmed"),
    [
        (
            {"times_fix_applied": 2, "times_fix_resolved": 1, "fix_effectiveness_rate": 66.67},
            2,
            1,
            1,
        ),
        ({"times_fix_applied": 4, "times_fix_resolved": 3, "fix_effectiveness_rate": 0.1}, 4, 3, 1),
        ({"times_fix_applied": 4, "fix_effectiveness_rate": 75}, 4, 3, 1),
        ({"times_fix_applied": 4, "fix_effectiveness_rate": 0.75}, 4, 3, 1),
        ({"times_fix_applied": 4}, 4, 0, 0),
        ({"times_fix_applied": 1, "times_fix_resolved": 2}, 2, 2, 0),
        ({"fix_effectiveness_rate": 100}, 0, 0, 0),
        ({"times_fix_applied": 4, "fix_effectiveness_rate": 900}, 4, 0, 0),
    ],
)
def test_success_is_counted_and_the_stated_rate_kept(read, counters, applied, helped, harmed):
    [entry] = failures(read, FAILURE | counters)

    evidence = entry.evidence
    assert (evidence.applied, evidence.helped, evidence.harmed) == (applied, helped, harmed)
    rate = counters.get("fix_effectiveness_rate")
    assert entry.extra == ({} if rate is None else {"fix_effectiveness_rate": rate})


def test_unknown_keys_survive_unchanged(read):
    odd = {"weight": 2.25, "owner": {"team": ["a", None]}, "resolved": False, "nothing": None}

    [entry] = failures(read, FAILURE | odd | {"last_outcome_at": "2026-02-27T00:00:00Z"})

    assert entry.extra == odd | {"last_outcome_at": "2026-02-27T00:00:00Z"}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"pattern": 7}, "'pattern' is the number 7; it must be text"),
        ({"pattern": " \x1b[0m\n"}, "holds no line that could have failed"),
        ({"stage": ["test"]}, "'stage' is a list; it must be text"),
        ({"fix": {"a": 1}}, "'fix' is an object; it must be text"),
        ({"seen_count": "3"}, "'seen_count' is the text '3'; it must be a number"),
        ({"seen_count": float("nan")}, "'seen_count' is the text 'NaN'; it must be a number"),
        ({"times_fix_applied": -1}, "'times_fix_applied' is -1; a count is"),
        ({"last_seen": {}}, "'last_seen' is an object; it must be a time"),
        ({"files": 3}, "'files' is the number 3; it must be a list of files"),
        ({"fix_effectiveness_rate": "high"}, "'fix_effectiveness_rate' is the text 'high'"),
    ],
)
def test_a_wrong_type_costs_its_record_only(read, wrong, reason):
    good, bad, other = failures(
        read, FAILURE, FAILURE | wrong, FAILURE | {"pattern": "error: other"}
    )

    assert isinstance(good, Entry)
    assert isinstance(other, Entry)
    assert isinstance(bad, Quarantined)
    assert bad.source.locator == "failures[1]"
    assert bad.reason.startswith(reason)


@pytest.mark.parametrize("record", [None, 3, "text", []])
def test_a_record_that_is_no_object_costs_itself_only(read, record):
    bad, good = failures(read, record, FAILURE)

    assert "must be an object" in bad.reason
    assert isinstance(good, Entry)


def test_failures_of_one_signature_are_not_merged(read):
    runs = [
        FAILURE | {"pattern": f"error: cannot write /tmp/pytest-{n}/a.csv at 10:0{n}:11"}
        for n in (1, 2)
    ]

    first, second = failures(read, *runs)

    assert first.signature.sig_sha == second.signature.sig_sha
    assert first.id != second.id


def test_an_id_stays_when_the_list_shifts_and_when_a_fix_is_found(read):
    other = FAILURE | {"pattern": "error: other"}
    _, before = failures(read, other, FAILURE)

    [after] = failures(read, FAILURE | {"fix": "another one", "seen_count": 9})

    assert after.id == before.id
    twice = failures(read, FAILURE, FAILURE)
    assert len({entry.id for entry in twice}) == 2


def test_an_impossible_time_is_unknown_and_kept(read):
    [entry] = failures(read, FAILURE | {"last_seen": "last tuesday"})

    assert entry.captured_at == ""
    assert entry.extra == {"last_seen": "last tuesday"}


def test_a_pattern_of_many_lines_is_signed_by_its_first(read):
    [entry] = failures(read, FAILURE | {"pattern": "\nerror: one\n  at two", "fix": ""})

    assert entry.signature == sign("error: one")
    assert entry.title == "error: one"
    assert entry.body.startswith("error: one\n  at two")


@pytest.mark.parametrize("content", ["{}", '{"failures": []}', '{"failures": null}', "[]"])
def test_an_empty_store_is_a_clean_nothing(read, content):
    assert read("failures.json", content) == []


def test_a_bare_list_of_failures_is_read(read):
    assert [entry.title for entry in read("failures.json", [FAILURE])] == [
        "error TS2322: Type 'string' is not assignable to type 'number'."
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ('{"failures": [{"stage"', "ends in the middle of a value"),
        ('"failures"', "is no object"),
        ('{"tests": []}', "has no 'failures'"),
    ],
)
def test_a_file_that_is_no_store_is_told(read, content, told):
    with pytest.raises(UnreadableMemory, match=told):
        read("failures.json", content)


def test_a_list_that_is_none_and_a_list_that_stands_twice_are_told(read):
    [bad] = read("failures.json", '{"failures": 3}')
    assert bad.reason == "'failures' is the number 3; it must be a list"

    listed = json.dumps([FAILURE])
    entry, lost = read("failures.json", f'{{"failures": [{{}}], "failures": {listed}}}')
    assert isinstance(entry, Entry)
    assert lost.reason == "'failures' stands more than once; the last one was used"


def test_a_success_is_read(read):
    record = {
        "id": "81fd99",
        "goal": "Retry the feed",
        "issue_type": "bug",
        "complexity": 35,
        "approach": "Wrote the test first.",
        "iterations": 3,
        "files_changed": ["a.py", "b.py"],
        "file_patterns": "src/ tests/",
        "test_strategy": "pytest -q",
        "template": "standard",
        "cost_usd": "2.50",
        "captured_at": "2026-01-02T03:04:05Z",
        "seen_count": 2,
        "injection_count": 5,
        "success_after_injection": 4,
    }
    [entry] = read("success-patterns.json", {"patterns": [record]})

    assert (entry.kind, entry.title) == ("success", "Retry the feed")
    assert entry.body == "Wrote the test first.\npytest -q"
    assert entry.labels == ("bug", "standard")
    assert entry.files == ("a.py", "b.py")
    assert entry.lesson.worked == ("Wrote the test first.",)
    assert entry.signature is None
    assert entry.captured_at == "2026-01-02T03:04:05Z"
    # being shown in a loop that ended well is no proof of help
    assert entry.evidence[:5] == (2, 5, 0, 0, 0)
    kept = (
        "id",
        "complexity",
        "iterations",
        "file_patterns",
        "cost_usd",
        "success_after_injection",
    )
    assert entry.extra == {key: record[key] for key in kept}


def test_a_decision_is_read(read):
    [entry] = read(
        "decisions.json",
        {
            "decisions": [
                {
                    "type": "adr",
                    "summary": "One image",
                    "detail": "why",
                    "recorded_at": "2026-01-02",
                }
            ]
        },
    )

    assert (entry.kind, entry.title, entry.body) == ("decision", "One image", "why")
    assert (entry.labels, entry.captured_at) == (("adr",), "2026-01-02T00:00:00Z")


def test_project_facts_are_a_note_and_each_known_issue_is_another(read):
    facts, issue, bad = read(
        "patterns.json",
        {
            "repo": "o/n",
            "captured_at": "2026-01-02T03:04:05Z",
            "project": {"type": "node", "framework": "", "test_runner": "jest"},
            "conventions": {"source_dir": "src/"},
            "known_issues": ["jsdom has no fetch", 7],
        },
    )

    assert (facts.kind, facts.title) == ("note", "Project facts of o/n")
    assert facts.body == "type: node\ntest runner: jest\nsource dir: src/"
    assert (issue.kind, issue.title) == ("note", "jsdom has no fetch")
    assert issue.captured_at == "2026-01-02T03:04:05Z"
    assert bad.source.locator == "known_issues[1]"


def test_the_other_shape_of_patterns_is_read_too(read):
    [entry] = read(
        "patterns.json",
        {"project_type": "nodejs", "detected_at": "2025-10-01T06:12:40Z", "source": "bootstrap"},
    )

    assert (entry.kind, entry.body) == ("note", "type: nodejs")
    assert entry.captured_at == "2025-10-01T06:12:40Z"
    assert entry.extra == {"project_type": "nodejs", "source": "bootstrap"}


@pytest.mark.parametrize("content", ["{}", '{"project": {"type": "unknown", "framework": ""}}'])
def test_a_fresh_project_has_no_facts(read, content):
    assert read("patterns.json", content) == []


def test_global_memory_is_read(read):
    pattern, passed, learning = read(
        "global.json",
        {
            "common_patterns": [
                {
                    "pattern": "npm error code ENOSPC",
                    "promoted_at": "2026-02-14T04:00:00Z",
                    "category": "general",
                    "source": "aggregate",
                },
                {"pattern": "✓ handles errors", "promoted_at": "2026-02-14T04:00:00Z"},
            ],
            "cross_repo_learnings": [
                {
                    "repo": "o/n",
                    "type": "review_feedback",
                    "bugs": 0,
                    "warnings": 3,
                    "captured_at": "2026-01-30T18:00:00Z",
                }
            ],
        },
    )

    assert (pattern.kind, pattern.title) == ("error_pattern", "npm error code ENOSPC")
    assert pattern.signature == sign("npm error code ENOSPC")
    assert (pattern.captured_at, pattern.labels) == ("2026-02-14T04:00:00Z", ())
    assert pattern.extra == {"source": "aggregate"}
    assert isinstance(passed, Quarantined)
    assert (learning.kind, learning.title) == ("note", "review feedback in o/n")
    assert learning.body == "0 bugs, 3 warnings"


FLEET = {
    "signature": "dependency:0123456789abcdef",
    "error_type": "dependency",
    "fingerprint": "npm err code N",
    "sample": "npm err code N",
    "stage": "build",
    "root_cause": "r",
    "fix": "f",
    "category": "",
    "repos": ["o/n"],
    "seen_count": 5,
    "fix_applied": 4,
    "fix_resolved": 3,
    "first_seen": "2025-11-03T10:20:00Z",
    "last_seen": "2026-01-03T10:20:00Z",
}


def test_fleet_patterns_are_read_and_not_signed_since_they_are_masked(read):
    entry, bad = read(
        "fleet-patterns.json", {"version": 1, "patterns": {"dependency:01": FLEET, "x": {}}}
    )

    assert (entry.kind, entry.title, entry.signature) == ("error_pattern", "npm err code N", None)
    assert entry.labels == ("dependency", "build")
    assert entry.lesson.fix == "f"
    assert entry.evidence[:5] == (5, 0, 4, 3, 1)
    assert (entry.evidence.first, entry.evidence.last) == (FLEET["first_seen"], FLEET["last_seen"])
    assert entry.source.locator == "patterns[dependency:01]"
    assert entry.extra == {key: FLEET[key] for key in ("repos", "signature", "fingerprint")}
    assert bad.reason == "has neither 'sample' nor 'fingerprint'"


def logged(error, **fields):
    told = {
        "timestamp": "2026-04-27T09:12:44Z",
        "command": "npm run typecheck",
        "error": error,
        "type": "syntax",
        "exit_code": "2",
    }
    return json.dumps(told | fields, indent=2)


def test_an_error_log_is_read_although_its_lines_are_no_records(read):
    error = (
        "> tsc --noEmit\n\nsrc/a.ts(8,7): error TS2322: Type 'A' is not assignable to type 'B'.\n"
    )

    first, damaged, second = read(
        "error-log.jsonl", f"{logged(error)}\n{{ torn\n{logged('Error: two', exit_code=1)}\n"
    )

    assert first.kind == "failure"
    assert first.title == "src/a.ts(8,7): error TS2322: Type 'A' is not assignable to type 'B'."
    assert first.signature.context == {"command": "npm run typecheck", "exit_code": 2}
    assert first.captured_at == "2026-04-27T09:12:44Z"
    assert (first.files, first.labels) == (None, ("syntax",))
    assert first.source.locator == "line 1"
    assert damaged.source.locator == "line 8"
    assert second.source.locator == "line 9"
    assert second.signature.context["exit_code"] == 1


def test_an_error_log_as_lines_or_as_an_array_is_read_too(read):
    one, two = (json.dumps(json.loads(logged(f"Error: {n}"))) for n in "12")

    assert len(read("error-log.jsonl", f"{one}\n{two}\n")) == 2
    assert len(read("error-log.jsonl", f"[{one},\n{two}]")) == 2
    assert read("error-log.jsonl", "") == []


def test_an_error_log_of_a_passing_run_is_quarantined(read):
    [bad] = read("error-log.jsonl", logged("✓ fails well (3 ms)"))
    assert bad.reason.startswith("is a passing line")


def test_an_export_holds_all_of_them(read):
    found = read(
        "shipwright-export.json",
        {
            "exported_at": "2026-01-01T00:00:00Z",
            "repo": "o/n",
            "repo_hash": "db2d5f2c7eaf",
            "patterns": {"known_issues": ["slow"]},
            "failures": {"failures": [FAILURE]},
            "decisions": {"decisions": [{"type": "adr", "summary": "s"}]},
            "metrics": {"baselines": {}},
        },
    )

    assert [entry.kind for entry in found] == ["note", "failure", "decision"]
    [alone] = failures(read, FAILURE)
    assert found[1].id == alone.id


def test_metrics_are_known_and_hold_nothing(read, tmp_path):
    assert read("metrics.json", {"baselines": {"test_duration_s": 371}}) == []
    assert Shipwright().accepts(tmp_path / "metrics.json")


def test_files_of_common_names_are_taken_only_when_they_are_shipwrights(tmp_path):
    def accepted(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return Shipwright().accepts(path)

    assert not accepted("metrics.json", '{"cpu": 3}')
    assert not accepted("patterns.json", '{"a": 1}')
    assert not accepted("global.json", '{"sdk": {"version": "8.0.100"}}')
    assert not accepted("package.json", '{"name": "x"}')
    assert not accepted("success-patterns.json", '{"patterns": [{"pattern_id": "pat-success-x-001"')
    assert accepted("success-patterns.json", '{"patterns": [{"goal": "x"')
    assert accepted("patterns.json", '{"project_type": "nodejs"}')
    assert accepted("any.json", '{"exported_at": "", "repo": "o/n", "repo_hash": "db2d"')
    assert accepted("failures.json", "half")
    assert accepted("decisions.json", "half")  # it lies beside failures.json
    assert not Shipwright().accepts(tmp_path)
    assert not Shipwright().accepts(tmp_path / "gone.json")
