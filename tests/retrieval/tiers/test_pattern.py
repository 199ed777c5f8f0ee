"""The same message in another wording, or about another name."""

import pytest
from memories import entry

from indexing.entry import Lesson
from retrieval import Query

OLD = "TypeError: Cannot read property 'email' of null"
CHECK = Lesson(
    fix="Add null check before property access", template="if ({{variable}} == null) return"
)


@pytest.mark.parametrize(
    "line",
    [
        "TypeError: Cannot read properties of null (reading 'email')",
        "Uncaught TypeError: Cannot read properties of null (reading 'email')",
    ],
)
def test_a_newer_wording_finds_what_the_older_one_taught(memory, line):
    [hit] = memory(entry("old", OLD, OLD, tool="node", lesson=CHECK)).lookup(Query(line))
    assert (hit.entry.id, hit.tier, hit.score) == ("old", "pattern", 88)
    assert hit.why.note == "the same message in another wording"


def test_another_name_finds_a_general_fix_and_is_told(memory):
    known = memory(entry("old", OLD, OLD, tool="node", lesson=CHECK))
    [hit] = known.lookup(Query("TypeError: Cannot read properties of null (reading 'phone')"))
    assert (hit.tier, hit.score) == ("pattern", 70)
    assert "'email'" in hit.why.note


@pytest.mark.parametrize(
    "lesson",
    [
        Lesson(fix="Load the email before it is read", template="if ({{variable}}) return"),
        Lesson(fix="Add null check before property access"),
        Lesson(fix="", template="{{x}}"),
    ],
)
def test_a_fix_of_one_name_is_not_shown_for_another(memory, lesson):
    known = memory(entry("old", OLD, OLD, tool="node", lesson=lesson))
    hits = known.lookup(Query("TypeError: Cannot read properties of null (reading 'phone')"))
    assert [hit for hit in hits if hit.tier == "pattern"] == []


def test_another_message_about_the_same_name_is_not_found(memory):
    known = memory(entry("old", OLD, OLD, tool="node", lesson=CHECK))
    hits = known.lookup(Query("TypeError: Cannot read properties of undefined (reading 'email')"))
    assert [hit for hit in hits if hit.tier == "pattern"] == []


def test_the_very_failure_is_the_exact_tiers(memory):
    [hit] = memory(entry("old", OLD, OLD, tool="node", lesson=CHECK)).lookup(
        Query(OLD, tool="node")
    )
    assert hit.tier == "exact"
