"""Rates that know their sample size; what abstains; what is pruned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.entry import Entry, Evidence
from indexing.learning.evidence import (
    Policy,
    abstains,
    interval,
    is_injected,
    is_unproven,
    lower,
    posterior_mean,
    rate,
    to_prune,
    trend,
    uses,
)


def used(helped, tries, **fields):
    return Evidence(applied=tries, helped=helped, harmed=tries - helped, **fields)


# Wilson's interval at 95 %, by Newcombe (Statistics in Medicine 17, 1998, table I, method 3)
@pytest.mark.parametrize(
    ("helped", "tries", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_that_of_the_literature(helped, tries, low, high):
    assert interval(helped, tries) == pytest.approx((low, high), abs=5e-4)


def test_one_of_one_does_not_outrank_seventeen_of_eighteen():
    assert lower(used(1, 1)) < lower(used(17, 18))
    assert posterior_mean(used(1, 1)) < posterior_mean(used(17, 18))
    assert rate(used(1, 1)) > rate(used(17, 18))


@given(st.integers(0, 500), st.integers(0, 500))
def test_a_rate_lies_in_its_interval_and_more_evidence_narrows_it(helped, harmed):
    tries = helped + harmed
    low, high = interval(helped, tries)
    assert 0 <= low <= high <= 1
    if tries:
        assert low - 1e-9 <= helped / tries <= high + 1e-9
        wider = interval(helped * 4, tries * 4)
        assert wider[1] - wider[0] <= high - low + 1e-9


@pytest.mark.parametrize(
    ("helped", "tries", "does"),
    [(0, 0, False), (0, 1, False), (0, 2, True), (1, 3, False), (1, 5, True), (17, 18, False)],
)
def test_harm_beyond_a_bound_makes_a_memory_abstain(helped, tries, does):
    assert bool(abstains(used(helped, tries))) is does


def test_it_says_why_it_abstains():
    assert abstains(used(0, 4)) == "it helped 0 of 4 times; it is not shown any more"


@pytest.mark.parametrize(
    ("helped", "tries", "is_shown"), [(0, 1, True), (1, 2, True), (1, 3, False), (3, 5, True)]
)
def test_at_a_loops_start_a_low_rate_counts_after_three_uses(helped, tries, is_shown):
    assert is_injected(used(helped, tries)) is is_shown


def test_applied_without_help_is_a_use_without_success():
    assert rate(Evidence(applied=2, helped=1)) == 0.5
    assert uses(Evidence(helped=2, harmed=1)) == 3


def pattern(id, evidence, **fields):
    return Entry(id, "error_pattern", "t", evidence=evidence, extra={"learned": True} | fields)


def test_what_was_found_once_is_unproven_until_it_helps_again():
    assert is_unproven(pattern("a", used(1, 1)))
    assert not is_unproven(pattern("a", used(2, 2)))
    assert not is_unproven(Entry("a", "failure", "t", evidence=used(1, 1)))


TODAY = "2026-06-30T00:00:00Z"


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        (used(1, 3, last="2026-06-01T00:00:00Z"), "helped 1 of 3 times"),
        (used(1, 2, last="2026-06-01T00:00:00Z"), None),
        (used(3, 3, last="2026-03-31T00:00:00Z"), "not used for 91 days"),
        (used(3, 3, last="2026-04-01T00:00:00Z"), None),
        (used(3, 3), None),
    ],
)
def test_the_seeds_rules_say_what_is_pruned(evidence, why):
    found = to_prune([pattern("a", evidence)], TODAY)
    assert [reason for _, reason in found] == ([] if why is None else [why])


def test_what_is_superseded_is_pruned():
    entries = [pattern("old", used(3, 3)), pattern("new", used(1, 1), supersedes="old")]
    assert [(e.id, why) for e, why in to_prune(entries, TODAY)] == [("old", "superseded by new")]


def test_every_bound_is_a_setting():
    policy = Policy(prune_below=0.9, prune_after=1, prune_unused_days=5)
    found = to_prune([pattern("a", used(4, 5, last=TODAY))], TODAY, policy)
    assert len(found) == 1


def test_the_trend_tells_the_rate_after_each_use():
    loops = [
        {"loop_id": "b", "timestamp": "2026-02-02", "outcome": "harmed"},
        {"loop_id": "a", "timestamp": "2026-02-01", "outcome": "helped"},
        {"loop_id": "c", "timestamp": "2026-02-03", "outcome": "seen"},
    ]
    assert [(s.loop, s.rate, s.sample_size) for s in trend(loops)] == [("a", 1.0, 1), ("b", 0.5, 2)]
