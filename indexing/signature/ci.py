"""Which part of a CI log failed: steps, groups, echoed scripts, exit codes.

A runner says at which step it stopped. What stands in that step comes before all else in the log;
what it echoes (the source of a script, the environment) is never output.
"""

from collections.abc import Iterator, Mapping, Sequence

from indexing.lazily import compiled
from indexing.signature.lines import ECHOED, Log
from indexing.typed import Any, NamedTuple

MARKS = (
    "##[group]Run ",
    "##[endgroup]",
    "##[error]",
    "exited with",
    "did not complete successfully",
    "returned a non-zero code",
    "executor failed running",
    "Job failed",
    "exit code",
)
"""Literals that lines of interest here hold: `marked` are the lines with one of them."""

_GROUP = r"##\[group\]Run (?P<step>.*)"
_STOPPED = (
    r"##\[error\](?:Process completed with exit code (?P<code>-?\d+)"
    r"|The process '.{1,300}' failed "
    r"with exit code (?P<code2>\d+)|The operation was canceled"
    r"|The action '.{1,200}' has timed out"
    r"|(?:PowerShell|Bash) exited with code '(?P<code3>-?\d+)')"
)
_TRAVIS = r'^The command "(?P<command>.{1,2000})" (?:failed and )?exited with (?P<code>\d+)'
_BUILDKIT = (
    r"^#(?P<step>\d{1,4}) (?:[\d.]+ )?ERROR: (?:process \"(?P<command>.{1,2000})\" did"
    r" not complete"
    r" successfully: exit code: (?P<code>\d+)"
    r"|executor failed running \[(?P<old>.{1,2000})\]: exit "
    r"code: (?P<oldcode>\d+))"
)
_DOCKER = (
    r"^(?:ERROR: )?(?:Service '.{1,100}' failed to build: )?"
    r"The command '(?P<command>.{1,2000})' returned a non-zero code: (?P<code>\d+)"
)
_GITLAB = r"^ERROR: Job failed: exit (?:code|status) (?P<code>\d+)"


class Region(NamedTuple):
    """The part of the log that failed.

    `start` and `end` are line indices, `end` excluded; with `prefix` only lines that begin so
    belong to it (BuildKit interleaves its steps). `context` is what the runner said of it.
    """

    start: int
    end: int
    prefix: str = ""
    context: Mapping[str, Any] = {}

    def holds(self, log: Log, index: int) -> bool:
        """Whether line `index` belongs to the part that failed."""
        if not self.start <= index < self.end:
            return False
        return not self.prefix or self.prefix in log.lines[index]


def echoed(log: Log, marked: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of lines (end excluded) in which a runner echoes a step's script and settings."""
    ranges = []
    start = None
    for index in marked:
        line = log.lines[index]
        if "##[group]Run " in line:
            start = index
        elif "##[endgroup]" in line and start is not None:
            ranges.append((start, index + 1))
            start = None
    return ranges


def failing_regions(log: Log, marked: Sequence[int]) -> list[Region]:
    """The parts that the runner says failed, in order; empty when it says nothing.

    There may be several: a step that is allowed to fail, one that runs after a failure.
    """
    for found in (_buildkit, _github, _travis, _docker, _gitlab, _annotated):
        regions = list(found(log, marked))
        if regions:
            return regions
    return []


def is_echo(log: Log, index: int) -> bool:
    """Whether the line is the source of a script, printed before it runs."""
    return ECHOED in log.lines[index]


def _annotated(log: Log, marked: Sequence[int]) -> Iterator[Region]:
    """The steps that hold an error of their own: an action fails without naming an exit code."""
    start, step, end = 0, "", 0
    for index in (*marked, len(log)):
        line = log.lines[index] if index < len(log) else ""
        group = compiled(_GROUP).search(line)
        if (group or not line) and end:
            yield Region(start, end + 1, "", {"ci": "github-actions", "step": step})
            end = 0
        if group:
            start, step = index, group["step"].strip()
        elif "##[error]" in line and step:
            end = index


def _github(log: Log, marked: Sequence[int]) -> Iterator[Region]:
    start, step = 0, ""
    for index in marked:
        line = log.lines[index]
        if "##[" not in line:
            continue
        group = compiled(_GROUP).search(line)
        if group:
            start, step = index, group["step"].strip()
            continue
        stopped = compiled(_STOPPED).search(line)
        if stopped:
            context: dict[str, Any] = {"ci": "github-actions"}
            if step:
                context["step"] = step
                if "@" not in step.split(" ")[0]:
                    context["command"] = step
            code = stopped["code"] or stopped["code2"] or stopped["code3"]
            if code:
                context["exit_code"] = int(code)
            yield Region(start, index, "", context)
            start = index + 1


def _travis(log: Log, marked: Sequence[int]) -> Iterator[Region]:
    for index in marked:
        if "exited with" not in log.lines[index]:
            continue
        found = compiled(_TRAVIS).match(log[index])
        if found and found["code"] != "0":
            command = found["command"]
            context = {"ci": "travis", "command": command, "exit_code": int(found["code"])}
            yield Region(_prompt_above(log, index, command), index, "", context)
            return


def _prompt_above(log: Log, index: int, command: str) -> int:
    """Where the command was printed before it ran; the log's start when it was not."""
    first = command.split("\\n", 1)[0].strip()[:60]
    for above in range(index - 1, -1, -1):
        line = log.lines[above]
        if (
            " failed. Retrying, " in line and first in line
        ):  # the last attempt is the one that counts
            return above + 1
        if "$ " in line and first in line and log[above].lstrip().startswith("$ "):
            return above
    return 0


def _buildkit(log: Log, marked: Sequence[int]) -> Iterator[Region]:
    for index in marked:
        line = log.lines[index]
        if "#" not in line or "exit code: " not in line:
            continue
        found = compiled(_BUILDKIT).search(line[line.index("#") :])
        if found:
            context = {
                "ci": "buildkit",
                "command": found["command"] or found["old"],
                "exit_code": int(found["code"] or found["oldcode"]),
            }
            yield Region(0, index, f"#{found['step']} ", context)
            return


def _docker(log: Log, marked: Sequence[int]) -> Iterator[Region]:
    for index in marked:
        if "returned a non-zero code" not in log.lines[index]:
            continue
        found = compiled(_DOCKER).match(log[index])
        if found:
            start = next((i for i in range(index, -1, -1) if _is_step(log[i])), 0)
            context = {"ci": "docker", "command": found["command"], "exit_code": int(found["code"])}
            yield Region(start, index, "", context)
            return


def _is_step(line: str) -> bool:
    return line.startswith("Step ") and " : " in line


def _gitlab(log: Log, marked: Sequence[int]) -> Iterator[Region]:
    for index in reversed(marked):
        if "Job failed" not in log.lines[index]:
            continue
        found = compiled(_GITLAB).match(log[index])
        if found:
            start = next((i for i in range(index, -1, -1) if log[i].startswith("$ ")), 0)
            context: dict[str, Any] = {"ci": "gitlab", "exit_code": int(found["code"])}
            if start:
                context["command"] = log[start][2:]
            yield Region(start, index, "", context)
            return
