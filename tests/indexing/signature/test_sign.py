from pathlib import Path

import pytest

from indexing.signature import explain, sign

FAILURES = sorted((Path(__file__).parents[3] / "fixtures" / "failures").rglob("*.txt"))


def test_a_stored_line_names_the_rule_that_it_shows():
    line = "npm ERR! 404 Not Found - GET https://registry.example/a"
    assert sign(line, "npm").rule == "npm:not-found"
    assert sign(line).rule == "npm:not-found"


def test_a_joined_line_may_show_it():
    assert sign("GET https://registry.example/a", "npm", ("npm ERR! 404 Not Found",)).rule == (
        "npm:not-found"
    )


@pytest.mark.parametrize("rule", ["", "npm:unmatched", "npm:stored", "npm:no-such-rule", "x", ":"])
def test_a_tool_whose_rules_match_nothing_is_unmatched(rule):
    assert sign("the moon is down", "npm", rule=rule).rule == "npm:unmatched"


def test_a_command_s_tool_is_unmatched_too():
    assert sign("the moon is down", command="npm ci").rule == "npm:unmatched"


def test_what_has_no_rules_of_its_own_is_not_unmatched():
    assert sign("the moon is down", "our-tool").rule == "our-tool:stored"
    assert sign("the moon is down").rule == "generic:stored"
    assert sign("the moon is down", "our-tool", rule="npm:code").rule == "npm:code"


def test_a_rule_that_found_the_line_elsewhere_stays_while_it_is_one():
    assert sign("the moon is down", "npm", rule="npm:code").rule == "npm:code"
    assert sign("the moon is down", "npm", rule="cargo:code").rule == "npm:unmatched"


def test_the_rule_is_no_part_of_the_hash():
    assert sign("x y", "npm", rule="npm:code").sig_sha == sign("x y", "npm").sig_sha


def test_no_failure_we_know_is_unmatched_once_it_is_stored():
    signed = [(path, explain(path.read_bytes()).signature) for path in FAILURES]
    lost = [
        path.name
        for path, each in signed
        if each is not None
        and sign(each.raw, each.tool, each.joined, rule=each.rule).rule.endswith(":unmatched")
    ]
    assert len(signed) > 500
    assert lost == []


@pytest.mark.parametrize(
    "line",
    [
        "    #4 0x7f3995845304 in __libc_start_main_impl ../csu/libc-start.c:360",
        "#0 #1 main /src/orders.c:5 (orders+0x1254)",
        "  2026-01-02T03:04:05Z   12:13:14  error: lost",
    ],
)
def test_a_root_line_that_was_kept_is_signed_as_its_log(line):
    once = sign(line)
    assert sign(once.raw) == once
