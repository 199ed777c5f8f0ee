import json

import pytest

from indexing.entry import Entry
from indexing.errors import UnreadableMemory
from indexing.readers.aiwg import Aiwg
from indexing.readers.interface import Quarantined
from indexing.signature import sign

ERROR = {
    "pattern_id": "pat-error-ts-assign-001",
    "error_signature": {
        "error_type": "Other",
        "error_pattern": "error TS2322: Type 'string' is not assignable to type 'Status'.",
        "error_location_hints": ["web/src/api/*.ts"],
    },
    "fix_approach": {
        "description": "Parse the status where the answer arrives.",
        "fix_category": "add_type_validation",
        "code_template": "isStatus(x)",
        "code_template_language": "typescript",
    },
    "source_loops": [{"loop_id": "ralph-x-a1b2c3d4", "timestamp": "2026-01-05T00:00:00Z"}],
    "success_rate": 0.9,
    "usage_count": 10,
    "first_discovered": "2026-01-01T00:00:00Z",
    "last_used": "2026-02-01T00:00:00Z",
    "successful_applications": 8,
    "failed_applications": 2,
    "tags": ["typescript"],
}
SUCCESS = {
    "pattern_id": "pat-success-flaky-001",
    "task_category": "testing",
    "task_description_pattern": "(?i)flaky",
    "approach": {
        "description": "Make the flake frequent first",
        "steps": ["Run it 200 times", "Change one thing"],
        "tools_used": ["pytest --count"],
        "typical_iterations": {"average": 2.5},
    },
    "source_loops": ["ralph-y"],
    "success_rate": 0.88,
    "usage_count": 8,
    "preconditions": ["a fast test"],
    "limitations": ["not for the network"],
    "tags": ["flaky"],
}
ANTI = {
    "pattern_id": "pat-anti-cast-001",
    "approach_description": "Silence the checker with a cast",
    "failure_mode": "incorrect_fix",
    "failure_symptoms": ["throws at run time"],
    "why_it_fails": "The checker was right.",
    "better_alternative": {
        "description": "Decide at the boundary",
        "success_pattern_id": "pat-s-1",
    },
    "failure_rate": 0.85,
    "occurrence_count": 4,
}
TEMPLATE = {
    "template_id": "tmpl-guard-001",
    "language": "typescript",
    "template_code": "function is{{Type}}() {}",
    "description": "Type guard",
    "placeholders": {"Type": "interface"},
    "use_case": "At the boundary",
    "usage_count": 18,
    "success_rate": 0.95,
    "tags": ["guard"],
}


@pytest.fixture
def read(tmp_path):
    def of(content, name="error-patterns.json"):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return list(Aiwg().read(path, f"aiwg/{name}"))

    return of


def test_an_error_pattern_is_read(read):
    [entry] = read([ERROR])

    text = "error TS2322: Type 'string' is not assignable to type 'Status'."
    assert (entry.kind, entry.title) == ("error_pattern", text)
    assert entry.signature == sign(text)
    assert entry.lesson.fix == "Parse the status where the answer arrives."
    assert entry.lesson.template == "isStatus(x)"
    assert entry.labels == ("typescript",)
    assert entry.files is None
    assert "web/src/api/*.ts" in entry.body
    assert "add type validation" in entry.body
    assert entry.evidence == (1, 0, 10, 8, 2, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
    assert entry.captured_at == "2026-02-01T00:00:00Z"
    assert entry.source == ("aiwg", "aiwg/error-patterns.json", "patterns[0]")
    assert entry.extra == {
        "success_rate": 0.9,
        "source_loops": ERROR["source_loops"],
        "error_signature": {"error_type": "Other", "error_location_hints": ["web/src/api/*.ts"]},
        "fix_approach": {
            "fix_category": "add_type_validation",
            "code_template_language": "typescript",
        },
    }


def test_a_success_pattern_is_read(read):
    [entry] = read([SUCCESS], "success-patterns.json")

    assert (entry.kind, entry.title) == ("success_pattern", "Make the flake frequent first")
    assert entry.lesson.worked == ("Make the flake frequent first",)
    assert entry.lesson.steps == ("Run it 200 times", "Change one thing")
    assert entry.lesson.gotchas == ("Needs: a fast test", "not for the network")
    assert entry.labels == ("testing", "flaky")
    assert entry.evidence[:5] == (1, 0, 8, 7, 1)
    assert entry.extra["approach"] == {
        "tools_used": ["pytest --count"],
        "typical_iterations": {"average": 2.5},
    }
    assert entry.extra["task_description_pattern"] == "(?i)flaky"


def test_an_anti_pattern_is_read(read):
    [entry] = read([ANTI], "anti-patterns.json")

    assert (entry.kind, entry.title) == ("anti_pattern", "Silence the checker with a cast")
    assert entry.lesson.failed == ("Silence the checker with a cast",)
    assert entry.lesson.worked == ("Decide at the boundary",)
    assert entry.lesson.root_cause == "The checker was right."
    assert entry.evidence[:5] == (4, 0, 0, 0, 0)
    assert entry.labels == ("incorrect_fix",)
    assert entry.extra["better_alternative"] == {"success_pattern_id": "pat-s-1"}
    assert entry.extra["failure_rate"] == 0.85


@pytest.mark.parametrize(
    ("better", "worked", "kept"),
    [
        ("pat-success-x-001", (), {"success_pattern_id": "pat-success-x-001"}),
        ("Ask first", ("Ask first",), None),
        (None, (), None),
    ],
)
def test_a_better_alternative_may_be_a_bare_id_or_text(read, better, worked, kept):
    [entry] = read([ANTI | {"better_alternative": better}], "anti-patterns.json")

    assert entry.lesson.worked == worked
    assert entry.extra.get("better_alternative") == kept


def test_a_code_template_is_read(read):
    [entry] = read([TEMPLATE], "code-templates.json")

    assert (entry.kind, entry.title, entry.body) == (
        "code_template",
        "Type guard",
        "At the boundary",
    )
    assert entry.lesson.template == "function is{{Type}}() {}"
    assert entry.labels == ("typescript", "guard")
    assert entry.evidence[:5] == (0, 0, 18, 17, 1)
    assert entry.extra["placeholders"] == {"Type": "interface"}


REGISTRY = {
    "error_patterns": [ERROR],
    "success_patterns": [SUCCESS],
    "anti_patterns": [ANTI],
    "code_templates": [TEMPLATE],
}


@pytest.mark.parametrize(
    "content",
    [
        [ERROR],
        {"patterns": [ERROR]},
        {"error_patterns": [ERROR]},
        {"version": "1.0.0", "pattern_registry": {"error_patterns": [ERROR]}},
        {"pattern_registry": {"patterns": [ERROR]}},
    ],
)
def test_every_wrapper_gives_the_same_entry(read, content):
    [entry] = read(content)
    [bare] = read([ERROR])

    assert entry._replace(source=bare.source) == bare


def test_a_full_registry_holds_all_kinds(read):
    found = read(
        {"version": "1.0.0", "pattern_registry": REGISTRY, "effectiveness_metrics": {"x": 1}},
        "registry.json",
    )

    assert [entry.kind for entry in found] == [
        "error_pattern",
        "success_pattern",
        "anti_pattern",
        "code_template",
    ]
    assert found[2].source.locator == "anti_patterns[0]"


def test_a_record_in_the_wrong_list_keeps_its_own_kind(read):
    assert [entry.kind for entry in read([SUCCESS, ERROR])] == ["success_pattern", "error_pattern"]


EXPRESSIONS = [
    "Cannot read propert(y|ies)( '.*')? of (null|undefined)",
    "error\\[E0382\\]: borrow of moved value: `.*`",
    "codec can't decode byte 0x[0-9a-f]{2} in position \\d+",
    "(?i)timed out",
    "^Error: one",
    "Error: one$",
    "[^ ]+ is not defined",
    "(a+)+$",
    "x{2,3} found",
]

LITERALS = [
    "TypeError: Cannot read properties of undefined (reading 'x')",
    "error[E0277]: `?` couldn't convert the error to `LabelError`",
    "fatal error: all goroutines are asleep - deadlock!",
    "src/convert.ts(8,23): error TS2307: Cannot find module './rates.js'",
    "    db_test.go:24: dial tcp 127.0.0.1:55432: connect: connection refused",
    "Type 'string | undefined' is not assignable to type 'string'.",
    "ERROR: No matching distribution found for acme==4.2.0",
    "unexpected token '{' in {} + [x*",
]


def with_pattern(text):
    return ERROR | {"error_signature": {"error_type": "Other", "error_pattern": text}}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_is_kept_as_text_and_signs_nothing(read, text):
    [entry] = read([with_pattern(text)])

    assert entry.signature is None
    assert entry.title == text


@pytest.mark.parametrize("text", LITERALS)
def test_a_literal_message_is_signed(read, text):
    [entry] = read([with_pattern(text)])

    assert entry.signature == sign(text)


def test_an_expression_that_would_never_end_is_not_run(read):
    evil = "(a|aa)+$" + "(x+x+)+y" * 200

    [entry] = read([with_pattern(evil)])

    assert entry.signature is None
    assert evil[:60] in entry.title


@pytest.mark.parametrize(
    ("counters", "applied", "helped", "harmed", "stated"),
    [
        (
            {"successful_applications": 8, "failed_applications": 2, "usage_count": 10},
            10,
            8,
            2,
            None,
        ),
        ({"successful_applications": 8, "failed_applications": 2, "usage_count": 17}, 10, 8, 2, 17),
        ({"successful_applications": 8, "usage_count": 10}, 10, 8, 2, None),
        ({"failed_applications": 2, "usage_count": 10}, 10, 8, 2, None),
        ({"success_rate": 0.88, "usage_count": 8}, 8, 7, 1, None),
        ({"success_rate": 88, "usage_count": 8}, 8, 7, 1, None),
        ({"usage_count": 8}, 8, 0, 0, None),
        ({"success_rate": 1.0}, 0, 0, 0, None),
    ],
)
def test_success_is_counted_where_counters_are(read, counters, applied, helped, harmed, stated):
    plain = {
        key: value
        for key, value in ERROR.items()
        if key not in ("usage_count", "success_rate") and not key.endswith("_applications")
    }

    [entry] = read([plain | counters])

    evidence = entry.evidence
    assert (evidence.applied, evidence.helped, evidence.harmed) == (applied, helped, harmed)
    assert entry.extra.get("success_rate") == counters.get("success_rate")
    assert entry.extra.get("usage_count") == stated


def test_unknown_keys_survive_unchanged(read):
    record = ERROR | {"reviewed_by": {"who": [1, None]}, "related_patterns": ["pat-x"]}
    record["error_signature"] = ERROR["error_signature"] | {"language": "ts"}

    [entry] = read([record])

    assert entry.extra["reviewed_by"] == {"who": [1, None]}
    assert entry.extra["related_patterns"] == ["pat-x"]
    assert entry.extra["error_signature"]["language"] == "ts"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"pattern_id": 7, "error_signature": {}}, "has neither 'error_pattern' nor a fix"),
        (ERROR | {"pattern_id": 7}, "'pattern_id' is the number 7; it must be text"),
        (ERROR | {"tags": [1]}, "'tags' is a list; it must be a list of texts"),
        (ERROR | {"error_signature": "text"}, "'error_signature' is the text 'text'"),
        (ERROR | {"source_loops": 3}, "'source_loops' must be a list of loops"),
        (ERROR | {"usage_count": "many"}, "'usage_count' is the text 'many'"),
        (ERROR | {"last_used": []}, "'last_used' is a list; it must be a time"),
        (with_pattern("✓ handles the error"), "is a passing line"),
        ("text", "the record is the text 'text'; it must be an object"),
    ],
)
def test_a_bad_record_costs_only_itself(read, bad, reason):
    found = read([ERROR, bad, SUCCESS])

    assert [type(each) for each in found] == [Entry, Quarantined, Entry]
    assert found[1].source.locator == "patterns[1]"
    assert found[1].reason.startswith(reason)


def test_a_record_of_no_known_kind_is_told(read):
    [bad] = read({"pattern_registry": {"patterns": [{"name": "x"}]}}, "registry.json")
    assert bad.reason.startswith("is of no known kind")


def test_ids_are_those_of_the_patterns_and_do_not_move(read):
    _, before = read([SUCCESS, ERROR])

    [after] = read([ERROR | {"usage_count": 99}])

    assert after.id == before.id
    assert len(after.id) == 16
    assert len({entry.id for entry in read([ERROR, ERROR])}) == 2


def test_metrics_are_known_and_hold_nothing(read):
    assert read({"total_patterns": 47}, "effectiveness-metrics.json") == []


@pytest.mark.parametrize("content", ["[]", "{}", '{"patterns": []}', '{"patterns": null}'])
def test_an_empty_registry_is_a_clean_nothing(read, content):
    assert read(content) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("3", "neither an object nor a list"),
        ('{"a": 1}', "holds no list of patterns"),
        ("[{", "ends"),
    ],
)
def test_a_file_that_is_no_registry_is_told(read, content, told):
    with pytest.raises(UnreadableMemory, match=told):
        read(content)


def test_a_list_that_is_none_and_a_list_that_stands_twice_are_read_or_told(read):
    [bad] = read({"patterns": {"a": 1}})
    assert bad.reason == "'patterns' is an object; it must be a list"

    found = read(f'{{"patterns": [{json.dumps(ERROR)}], "patterns": [{json.dumps(SUCCESS)}]}}')
    assert [entry.kind for entry in found] == ["success_pattern", "error_pattern"]


def test_registries_are_known_by_name_or_by_their_head(tmp_path):
    def accepted(name, text="{}"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return Aiwg().accepts(tmp_path / name)

    assert accepted("error-patterns.json")
    assert accepted("effectiveness-metrics.json")
    assert accepted("team.json", '{"version": "1", "pattern_registry": {')
    assert not accepted("team.json", '{"version": "1"}')
    assert not accepted("patterns.json")
    assert not Aiwg().accepts(tmp_path)
