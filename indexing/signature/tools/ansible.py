"""ansible: `fatal: [host]: FAILED! => {… "msg": …}`; an ignored failure is not one."""

import re

from indexing.signature.interface import DIAGNOSTIC, FATAL, Found, Lines, Rule, ToolRules
from indexing.signature.look import above, below, only_before

_RECAP = r"^.{0,80}\bfailed=\d"
_RECAP_BAD = r"^.{0,80}\b(?:failed|unreachable)=[1-9]"


def _rescued(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """What the recap does not count was ignored or rescued."""
    if lines.holds(_RECAP) and not lines.holds(_RECAP_BAD):
        return None
    return Found(index)


def _failed(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    if _rescued(lines, index, match) is None:
        return None
    if (
        below(
            lines,
            index,
            r".*\.\.\.ignoring",
            60,
            r".*(?:fatal|failed|ok|changed|skipping): \[|.*TASK \[",
        )
        is not None
    ):
        return None
    task = above(lines, index, r".*TASK \[", 400)
    return Found(index, () if task is None else (task,))


RULES = ToolRules(
    tool="ansible",
    known_by=r"^.{0,60}(?:PLAY|TASK) \[|PLAY RECAP|\bansible\b",
    command=r"(?:ansible|ansible-playbook|ansible-galaxy)",
    rules=(
        Rule("fatal", ("fatal: [",), r".{0,80}fatal: \[[^\]]{1,100}\]", DIAGNOSTIC, _failed),
        Rule(
            "item",
            ("failed: [",),
            r".{0,80}failed: \[[^\]]{1,100}\](?: => | \(item)",
            DIAGNOSTIC - 4,
            _failed,
        ),
        Rule(  # callbacks of one line a task: oneline, minimal
            "one-line",
            (" | FAILED", " | UNREACHABLE"),
            r"\S{1,100} \| (?:FAILED!|UNREACHABLE!|FAILED \| rc=)",
            DIAGNOSTIC,
            _failed,
        ),
        Rule(  # ansible-lint: what is wrong, then where
            "lint",
            ("]: ",),
            r"[a-z][\w-]{1,40}\[[\w-]{1,60}\]: \S",
            DIAGNOSTIC - 6,
            only_before(r"\S+\.ya?ml:\d+", 1, join=True),
        ),
        Rule(
            "error", ("ERROR! ", "[ERROR]: "), r".{0,60}(?:ERROR! |\[ERROR\]: )\S", FATAL, _rescued
        ),
    ),
)
