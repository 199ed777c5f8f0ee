"""rspec, minitest, test-unit, cucumber: numbered failures with a reason below each title."""

import re

from indexing.signature.interface import DIAGNOSTIC, SUMMARY, Found, Lines, Rule, ToolRules
from indexing.signature.look import above, below


def _failure(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """`1) title` above, the code in between, then what is wrong; joined to the title."""
    title = above(lines, index, r"\s{1,6}\d{1,4}\) \S", 4)
    joined = () if title is None else (title,)
    raised = below(lines, index, _RAISED, 24, r"\s*# |\s{1,6}\d{1,4}\) \S")
    if raised is not None:
        said = below(lines, raised, r"\s+\S", 1)
        return Found(raised, joined) if said is None else Found(said, (raised, *joined))
    blank = below(lines, index, r"\s*$", 12, r"\s*# ")  # after code of several lines
    said = below(lines, index if blank is None else blank, r"\s+(?!# )\S", 1)
    return Found(index, joined) if said is None else Found(said, joined)


_RAISED = r"\s*(?:\w+::)*\w*(?:Error|Exception)\w*:$"


def _minitest(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """`1) Failure:`, the test and its place, then what is wrong."""
    said = below(lines, index + 1, r"\s*\S", 1)
    return Found(index + 1) if said is None else Found(said, (index + 1,))


RULES = ToolRules(
    tool="rspec",
    known_by=r"^\d+ examples?, |^Failures:$|\brspec\b|^\d+ (?:runs|tests), \d+ assertions",
    command=r"(?:rspec|bundle exec rspec|cucumber)",
    rules=(
        Rule("failure", ("Failure/Error:",), r"\s*Failure/Error:", DIAGNOSTIC, _failure),
        Rule(
            "minitest",
            (") Failure:", ") Error:"),
            r"\s*\d{1,4}\) (?:Failure|Error):",
            DIAGNOSTIC,
            _minitest,
        ),
        Rule(
            "test-unit", ("Failure: ", "Error: "), r"(?:Failure|Error): test\w*[ (]", DIAGNOSTIC - 2
        ),
        Rule(
            "outside",
            ("An error occurred ",),
            r"An error occurred (?:while loading|in a)",
            DIAGNOSTIC - 3,
            lambda lines, index, _: _outside(lines, index),
        ),
        Rule("rerun", ("rspec .", "rspec '"), r"rspec ['.]\S+(?:\[|:\d)", SUMMARY),
        Rule(
            "total", ("example, ", "examples, "), r"\d+ examples?, [1-9]\d* failures?", SUMMARY - 4
        ),
        Rule("cucumber", ("Scenario: ", "cucumber "), r"cucumber \S+:\d+ # ", SUMMARY),
        Rule(
            "rubocop",
            (": C: ", ": W: ", ": E: ", ": F: "),
            r"\S+\.rb:\d+:\d+: [CWEF]: ",
            DIAGNOSTIC - 6,
        ),
    ),
)


def _outside(lines: Lines, index: int) -> Found:
    at = below(lines, index, r"\s*\w+(?:::\w+)*(?:Error|Exception)?:$", 8)
    said = None if at is None else below(lines, at, r"\s+\S", 1)
    return Found(index) if said is None else Found(said, (index,))
