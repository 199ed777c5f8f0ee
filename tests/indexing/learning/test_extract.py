"""From a loop to patterns."""

from pathlib import Path

import pytest

from indexing.learning.extract import found_in, is_creep
from indexing.learning.loop import Attempt, Loop
from indexing.learning.loops import Unread, read_loops

ROOT = Path(__file__).parent.parent.parent.parent
LOOPS = ROOT / "fixtures" / "loops"
FAILS = "Error: Cannot find module './total'\n"


def loop(*attempts, **fields):
    numbered = [attempt._replace(number=at) for at, attempt in enumerate(attempts, 1)]
    return Loop("l1", "attempts", "loops.jsonl", attempts=tuple(numbered), **fields)


def red(output=FAILS, **fields):
    return Attempt(0, "npm test", exit_code=1, output=output, **fields)


def green(**fields):
    return Attempt(0, "npm test", exit_code=0, **fields)


def kinds(made):
    return [found.entry.kind for found in made]


def test_the_example_of_the_seed_becomes_the_pattern_of_the_seed():
    [example] = read_loops(LOOPS / "aiwg" / "ralph-fix-auth-a1b2c3d4", ROOT)
    entry, finding = next(iter(found_in(example, ["error"])))

    assert entry.kind == "error_pattern"
    assert entry.id.startswith("pat-error-null-check-")
    assert entry.extra["error_signature"] == {
        "error_type": "TypeError",
        "error_pattern": "Cannot read property '.*' of null",
        "error_location_hints": ["*.ts:validate*"],
    }
    assert entry.lesson.fix == "Add null check before property access"
    assert entry.lesson.template == (
        'if ({{variable}} == null) {\n  throw new ValidationError("{{message}}");\n}'
    )
    assert entry.extra["fix_approach"]["fix_category"] == "add_null_check"
    assert entry.extra["fix_approach"]["code_template_language"] == "typescript"
    assert entry.labels == ("typescript", "null-safety", "validation")
    assert entry.captured_at == finding.at == "2026-02-02T15:00:00Z"
    assert (finding.loop, finding.by) == ("ralph-fix-auth-a1b2c3d4", "software-implementer")
    assert (finding.outcome, finding.iteration) == ("helped", 3)
    assert "user == null" in finding.diff
    assert finding.line == "TypeError: Cannot read property 'email' of null"


def test_equal_failures_and_equal_fixes_have_one_id_whoever_finds_them():
    one = loop(red(), green(note="restore total.js", files=("total.js",)))
    other = one._replace(id="l2", file="elsewhere.jsonl", by="nora")
    [first], [second] = (list(found_in(each, ["error"])) for each in (one, other))
    assert first.entry.id == second.entry.id
    assert first.finding.loop != second.finding.loop


def test_another_fix_of_the_same_failure_is_another_pattern():
    one = loop(red(), green(note="restore total.js"))
    other = loop(red(), green(note="require ./sums in its place"))
    [first], [second] = (list(found_in(each, ["error"])) for each in (one, other))
    assert first.entry.signature.sig_sha == second.entry.signature.sig_sha
    assert first.entry.id != second.entry.id


def test_a_failed_loop_teaches_what_did_not_help():
    made = list(found_in(loop(red(), red(note="reinstall everything"), red(note="clear caches"))))
    assert kinds(made) == ["anti_pattern"]
    entry = made[0].entry
    assert entry.extra["failure_mode"] == "repeated_same_error"
    assert "reinstall everything; clear caches" in entry.lesson.failed[0]
    assert entry.signature.raw == FAILS.strip()
    assert entry.lesson.worked == ()


def test_what_failed_first_names_the_better_way_that_was_found_later():
    made = list(found_in(loop(red(), red(note="reinstall"), green(note="restore total.js"))))
    error, anti = (
        next(f.entry for f in made if f.entry.kind == kind)
        for kind in (
            "error_pattern",
            "anti_pattern",
        )
    )
    assert anti.lesson.worked == ("restore total.js",)
    assert anti.extra["better_alternative"] == {"success_pattern_id": error.id}
    assert error.lesson.failed == ("reinstall",)


def test_a_change_that_broke_what_passed_is_an_anti_pattern():
    made = list(
        found_in(loop(green(), red(note="move total.js to lib"), green(note="move it back")))
    )
    anti = next(found.entry for found in made if found.entry.kind == "anti_pattern")
    assert anti.extra["failure_mode"] == "breaking_change"
    assert anti.lesson.worked == ("move it back",)


def test_files_that_grow_with_the_red_runs_are_scope_creep():
    files = [("a",), ("a", "b"), ("c", "d"), ("e", "f", "g")]
    runs = [
        red(f"Error: step {at} of the build is broken\n", files=each)
        for at, each in enumerate(files)
    ]
    made = list(found_in(loop(*runs), ["anti"]))
    assert made[-1].entry.extra["failure_mode"] == "scope_creep"
    assert made[-1].entry.extra["failure_symptoms"] == [
        "files touched, attempt by attempt: 1, 2, 4, 7"
    ]


@pytest.mark.parametrize("sizes", [[1, 2, 3], [4, 5, 6, 7], [1, 1, 1, 9], [], [5]])
def test_a_set_of_files_that_grows_a_little_is_no_creep(sizes):
    assert not is_creep(sizes)


def test_a_loop_of_several_steps_becomes_an_approach_without_what_was_in_vain():
    made = list(
        found_in(
            loop(
                red(),
                red(note="reinstall"),
                red("ReferenceError: rate is not defined\n", note="restore total.js"),
                green(note="declare rate"),
                task="Fix the failing tests of the cart",
                outcome="success",
            ),
            ["success"],
        )
    )
    [found] = made
    assert found.entry.extra["task_category"] == "debugging"
    assert found.entry.lesson.steps == ("Run `npm test`", "restore total.js", "declare rate")
    assert found.finding.outcome == "helped"
    assert found.finding.iterations == 4


def test_a_template_is_kept_for_itself_only_when_another_case_can_use_it():
    general = loop(red(), green(diff="+if (total == null) return 0\n", files=("a.ts",)))
    special = loop(red(), green(diff="+x = 1\n", files=("a.ts",)))
    assert kinds(found_in(general, ["template"])) == ["code_template"]
    assert kinds(found_in(special, ["template"])) == []


def test_only_the_wanted_types_are_given():
    both = loop(red(), red(note="one"), green(note="two"))
    assert kinds(found_in(both, ["error"])) == ["error_pattern"]
    assert kinds(found_in(both, ["anti"])) == ["anti_pattern"]


def test_every_history_of_the_fixtures_is_read_without_a_complaint():
    read = list(read_loops(LOOPS, ROOT))
    assert [each for each in read if isinstance(each, Unread)] == []
    assert {each.system for each in read} == {"aiwg", "attempts", "claude-code", "shipwright"}


def test_b094_a_loop_that_claims_a_fix_and_never_ran_again_teaches_none():
    claims = next(each for each in read_loops(LOOPS / "attempts", ROOT) if each.id == "claims")
    assert list(found_in(claims)) == []
