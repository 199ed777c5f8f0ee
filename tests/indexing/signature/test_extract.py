"""What holds for any log; faults that people met elsewhere are in `test_field_reports.py`."""

import random
from importlib import import_module

import pytest
from failures import failing, signature
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.signature import explain, extract, keys, sign
from indexing.signature.extract import ruleset_digest
from indexing.signature.lines import Log
from indexing.signature.tools import TOOLS


@pytest.mark.parametrize("nothing", ["", b"", "\n\n", "   \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_log_has_no_signature(nothing):
    assert extract(nothing) is None


@pytest.mark.parametrize(
    "passing",
    [
        "ok 1 - handles error\nok 2 - fails gracefully\n# fail 0\n",
        "tests/test_a.py ..... [100%]\n===== 5 passed in 0.12s =====\n",
        "src/error_handler.py PASSED\n0 errors\nOK\n",
        "Build succeeded.\n    0 Error(s)\n",
    ],
)
def test_a_log_without_a_failure_has_no_signature(passing):
    assert extract(passing) is None


@pytest.mark.parametrize(
    "line",
    [
        "Collecting error-stack<4,>=12.31.15",
        "Requirement already satisfied: error-stack in /opt/python3.11/site-packages (5.7.1)",
        "     Running `rustc --crate-name errors --edition=2021 src/queue/client.rs`",
        "src/queue/client.c:3:7: warning: unused variable 'error' [-Wunused-variable]",
    ],
)
def test_a_word_of_an_error_in_what_is_none_is_passed_over(line):
    assert extract(f"{line}\nwhatever it was, it ended here\n").line == 2


def test_success_of_a_part_is_none_of_the_whole():
    log = "\n".join(
        [
            "packages/api test: AssertionError: vat of 100 should be 119",
            "packages/web test: Done",
            " ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\u2009 @acme/api@1.0.0 test: `node test.js`",
        ]
    )
    assert extract(log).raw == "AssertionError: vat of 100 should be 119"
    assert extract(log.rsplit("\n", 1)[0]) is None


ANSWERED = """FAIL tests/{name}.test.ts
  \u25cf {name} api \u203a lists them

    expect(received).toEqual(expected) // deep equality

      Object {{
    -   {expected},
    +   "error": "The database is not configured",
      }}

      33 | const res = await GET(request)
    > 35 | expect(res).toEqual(wanted)

Test Suites: 1 failed, 1 total
"""


def test_an_error_that_was_received_is_the_failure_whichever_test_asked():
    users = extract(ANSWERED.format(name="users", expected='"users": Array []'))
    carts = extract(ANSWERED.format(name="carts", expected='"carts": Array []'))
    assert users.raw == '+   "error": "The database is not configured",'
    assert users.sig_sha == carts.sig_sha


def test_another_error_than_was_expected_belongs_to_its_test():
    users = extract(ANSWERED.format(name="users", expected='"error": "There is no user"'))
    assert users.raw == "\u25cf users api \u203a lists them"


def test_an_echoed_script_is_no_output():
    log = "\n".join(
        [
            "2022-04-12T20:08:19.1Z ##[group]Run make check",
            '2022-04-12T20:08:19.1Z \x1b[36;1mecho "ERROR: go.mod is not up-to-date" >&2\x1b[0m',
            "2022-04-12T20:08:19.1Z ##[endgroup]",
            "2022-04-12T20:08:27.3Z ./a.go:3:5: undefined: Foo",
            "2022-04-12T20:08:27.3Z ##[error]Process completed with exit code 2.",
        ]
    )
    explanation = explain(log)
    found = explanation.signature
    assert found.line == 4
    assert found.context == {
        "ci": "github-actions",
        "step": "make check",
        "command": "make check",
        "exit_code": 2,
    }
    assert any("echoed" in skipped.why for skipped in explanation.skipped)


def test_a_failure_hashes_alike_on_a_laptop_and_in_ci():
    plain = 'npm error Missing script: "biuld"\n'
    ci = (
        "2026-01-01T10:00:00.0000000Z ##[group]Run npm run biuld\n"
        "2026-01-01T10:00:00.0000000Z ##[endgroup]\n"
        '2026-01-01T10:00:01.0000000Z \x1b[31mnpm error\x1b[0m Missing script: "biuld"\r\n'
        "2026-01-01T10:00:01.0000000Z ##[error]Process completed with exit code 1.\n"
    )
    assert extract(plain).sig_sha == extract(ci).sig_sha
    assert extract(ci).tool == "npm"


def test_a_tool_whose_rules_match_nothing_is_reported():
    explanation = explain("something unheard of went ERROR: wrong\n", "npm")
    assert explanation.signature.rule == "npm:unmatched"
    assert explanation.signature.tool == "npm"
    assert any("npm" in warning for warning in explanation.warnings)


def test_a_given_tool_is_taken_as_given_and_the_detected_one_is_known():
    found = extract("main.go:3:5: undefined: Foo\n", "make-all")
    assert (found.tool, found.detected) == ("make-all", "go")
    alternatives = dict(keys(found))
    assert extract("main.go:3:5: undefined: Foo\n").sig_sha in alternatives


def test_a_stored_root_line_signs_as_its_log_does():
    weak = [
        case.id
        for case in failing()
        if not (found := signature(case.id)).joined
        and sign(found.raw, found.tool).sig_sha != found.sig_sha
    ]
    assert weak == []


def test_a_stored_root_line_with_its_joined_lines_signs_as_its_log_does():
    for case in failing():
        found = signature(case.id)
        assert sign(found.raw, found.tool, found.joined).sig_sha == found.sig_sha


def test_a_memory_that_knows_only_the_root_line_is_found_by_a_weaker_key():
    log = "error[E0308]: mismatched types\n --> src/report.rs:8:24\n"
    stored = sign("error[E0308]: mismatched types", "cargo")
    assert stored.sig_sha != extract(log).sig_sha
    assert stored.sig_sha in dict(keys(extract(log)))


@given(st.binary(max_size=2000))
@settings(max_examples=300)
def test_any_bytes_are_answered(output):
    found = extract(output)
    assert found is None or (found.raw and found.line >= 1)


LINES = [line for case in failing()[::25] for line in case.log().split(b"\n")[:200]]


@given(st.lists(st.sampled_from(LINES), max_size=60), st.integers(0, 2000))
@settings(max_examples=100)
def test_spliced_logs_are_answered_and_twice_alike(lines, cut):
    log = b"\n".join(lines)[cut:]
    assert extract(log) == extract(log)


@pytest.mark.parametrize("case", failing()[::4], ids=lambda case: case.id)
def test_what_is_remembered_of_lines_of_a_kind_changes_nothing(case, monkeypatch):
    chance = random.Random(case.id)
    log = []
    for line in Log(case.log()).lines:
        digits = str.maketrans("123456789", "".join(chance.sample("123456789", 9)))
        log += [line.translate(digits), line]
    remembering = explain("\n".join(log)), extract("\n".join(log))
    monkeypatch.setattr(import_module("indexing.signature.extract"), "_MOST_DULL", 0)
    assert remembering == (explain("\n".join(log)), extract("\n".join(log)))


@pytest.mark.parametrize("case", failing()[::30], ids=lambda case: case.id)
def test_crlf_changes_no_hash(case):
    log = case.log().replace(b"\r\n", b"\n")
    if b"\r" in log:
        pytest.skip("has frames of a progress bar")
    assert extract(log.replace(b"\n", b"\r\n")).sig_sha == extract(log).sig_sha


PREFIXES = {
    "github": b"2026-02-03T04:05:06.1234567Z ",
    "gitlab": b"2026-02-03T04:05:06.123456Z 01O ",
    "jenkins": b"[2026-02-03T04:05:06.123Z] ",
    "timestamper": b"04:05:06  ",
    "buildkit": b"#7 23.36 ",
    "compose": b"web-1  | ",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES.keys())
def test_a_runners_prefix_changes_no_hash(prefix):
    changed = []
    for case in failing()[::3]:
        log = case.log()
        if b"\r\r\n" in log:  # a line of it would be two
            continue
        prefixed = b"".join(prefix + line for line in log.splitlines(keepends=True))
        found = extract(prefixed)
        if found is None or found.sig_sha != signature(case.id).sig_sha:
            changed.append(case.id)
    assert changed == []


@pytest.mark.parametrize("case", failing()[::10], ids=lambda case: case.id)
def test_a_mark_of_the_encoding_changes_no_hash(case):
    assert extract(b"\xef\xbb\xbf" + case.log()).sig_sha == signature(case.id).sig_sha


@pytest.mark.parametrize("case", failing()[::10], ids=lambda case: case.id)
def test_a_runners_trailer_changes_no_hash(case):
    trailed = case.log() + b"##[error]Process completed with exit code 1.\n"
    assert extract(trailed).sig_sha == signature(case.id).sig_sha


def test_names_of_tools_are_their_own():
    assert len({rules.tool for rules in TOOLS}) == len(TOOLS)
    for rules in TOOLS:
        assert len({rule.name for rule in rules.rules}) == len(rules.rules), rules.tool


def test_the_digest_of_the_rules_is_the_same_in_every_process():
    assert ruleset_digest() == ruleset_digest()
    assert len(ruleset_digest()) == 16


HOSTILE = [
    "a",
    "a.",
    " ",
    "error ",
    "fatal: ",
    "E   ",
    "x/",
    "1:",
    "● ",
    "--- FAIL: ",
    "[ERROR] ",
    "('",
]


@pytest.mark.parametrize("rules", list(TOOLS), ids=lambda rules: rules.tool)
def test_no_rule_takes_long_on_a_hostile_line(rules):
    """4 KB is the longest line an expression sees; a rule that backtracks would take seconds."""
    import re
    import time

    for rule in rules.rules:
        pattern = re.compile(rule.pattern)
        for unit in HOSTILE:
            for need in ("", rule.needs[0]):
                line = (need + unit * 4096)[:4096]
                start = time.process_time()
                pattern.match(line)
                assert time.process_time() - start < 0.5, (rule.name, unit)
