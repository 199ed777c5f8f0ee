"""Claude Code's transcripts: `~/.claude/projects/**/*.jsonl`, a line per message.

What counts is what the public documentation and public transcripts show: an `assistant` line holds
`tool_use` blocks, a `user` line the `tool_result` of each, and beside it `toolUseResult`, which is
an object, or a text after an error. `Bash` is a run: an error begins with `Exit code N`. `Edit`,
`MultiEdit`, `Write` and `NotebookEdit` are changes. Everything else only looks. What was denied,
interrupted or sent to the background says nothing of how it ended. A session that is resumed may
be copied into a new file under a new id; the ids of its tool calls stay, and by the first of them
it is known again.
"""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from indexing.learning.loop import Attempt, Loop, numbered
from indexing.learning.loops import values
from indexing.learning.loops.interface import Unread
from indexing.learning.loops.values import Json
from indexing.readers import json_values
from indexing.readers.json_values import Damage

_EXIT = re.compile(r"^(?:Error: )?Exit code (?P<code>\d{1,3})\b\n?")
_NOT_RUN = re.compile(
    r"^(?:<tool_use_error>|The user doesn't want|Permission |Request interrupted|\[Request"
    r"|InputValidationError|Command timed out|Interrupted)"
)
# What a transcript may begin with before a line names its session.
_BEGINS = re.compile(r'"sessionId"|"leafUuid"|"type":\s*"file-history-snapshot"')
_UNIQUE = "toolu_"
_CHANGES = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit"))
_LONGEST_TASK = 400


class ClaudeCode:
    """A loop per session; what a subagent did is a loop of its own."""

    name = "claude-code"

    def accepts(self, path: Path) -> bool:
        """A `.jsonl` whose first lines have a session and a type."""
        if path.suffix != ".jsonl" or not path.is_file():
            return False
        begin = json_values.head(path, 16_384)
        return _BEGINS.search(begin) is not None and re.search(r'"type":\s*"', begin) is not None

    def read(self, path: Path, source: str) -> Iterator[Loop | Unread]:
        """The sessions in the order of their first lines."""
        sessions: dict[str, _Session] = {}
        last = ""
        for line in json_values.lines(path):
            if isinstance(line, Damage):
                yield Unread(source, line.line, line.reason)
                continue
            for found in json_values.values(line[1], "{", line[0]):
                if isinstance(found, Damage):
                    yield Unread(source, found.line, found.reason)
                    continue
                record = values.mapping(found.value)
                id = last = values.text(record.get("sessionId")) or last
                if not id:
                    continue
                agent = values.text(record.get("agentId"))
                if record.get("isSidechain"):
                    id = f"{id}/{agent or 'subagent'}"
                sessions.setdefault(id, _Session(id, source)).take(record, found.line)
        for session in sessions.values():
            yield session.loop()


class _Session:
    """One session, line by line."""

    def __init__(self, id: str, source: str) -> None:
        self._id = id
        self._source = source
        self._task = ""
        self._root = ""
        self._asked: dict[str, tuple[Json, Json, int]] = {}
        self._attempts: list[Attempt] = []

    def take(self, record: Json, line: int) -> None:
        """A message: its questions are kept until their results come."""
        message = values.mapping(record.get("message"))
        content = message.get("content")
        if not self._task and _is_said(record):
            self._task = _prompt(content)
        results = []
        for block in values.mappings(content):
            if block.get("type") == "tool_use":
                id = values.text(block.get("id"))
                self._asked[id] = (block, record, line)
                if not self._root and id.startswith(_UNIQUE):
                    self._root = id
            elif block.get("type") == "tool_result":
                results.append(block)
        if len(results) > 1:
            # whose result `toolUseResult` is, nobody can tell
            record = {key: value for key, value in record.items() if key != "toolUseResult"}
        for block in results:
            asked = self._asked.pop(values.text(block.get("tool_use_id")), None)
            if asked is not None:
                self._answered(*asked, block, record)

    def _answered(self, use: Json, asked: Json, line: int, result: Json, answer: Json) -> None:
        name = values.text(use.get("name"))
        given = values.mapping(use.get("input"))
        if name == "Bash":
            attempt = _run(given, result, answer)
        elif name in _CHANGES and not result.get("is_error"):
            attempt = _change(given, asked, answer)
        else:
            return
        if attempt is not None:
            cwd = values.text(asked.get("cwd"))
            at = values.time(answer.get("timestamp"))
            self._attempts.append(
                attempt._replace(cwd=cwd, at=at, place=f"line {line}", tools=(name,))
            )

    def loop(self) -> Loop:
        return Loop(
            id=self._id,
            system=ClaudeCode.name,
            file=self._source,
            task=self._task,
            root=self._root,
            attempts=numbered(self._attempts),
        )


def _is_said(record: Json) -> bool:
    """Whether a person said it: no notice, and no summary of what was compacted."""
    notices = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    return record.get("type") == "user" and not any(record.get(key) for key in notices)


def _prompt(content: Any) -> str:
    """What a person asked for; results of tools and notices of the program are none."""
    blocks = values.mappings(content)
    text = content if isinstance(content, str) else ""
    if not text:
        said = [values.text(each.get("text")) for each in blocks if each.get("type") == "text"]
        text = "\n".join(said)
    line = next((each.strip() for each in text.splitlines() if each.strip()), "")
    return "" if line.startswith(("<", "Caveat:", "[Request")) else line[:_LONGEST_TASK]


def _run(given: Json, result: Json, answer: Json) -> Attempt | None:
    command = values.text(given.get("command"))
    detail = values.mapping(answer.get("toolUseResult"))
    output = _text(result.get("content"))
    if not command or detail.get("interrupted") or detail.get("backgroundTaskId"):
        return None
    if given.get("run_in_background") or answer.get("toolDenialKind"):
        return None
    told = values.text(answer.get("toolUseResult"))
    if not result.get("is_error") and not _EXIT.match(told):
        both = (values.text(detail.get("stdout")), values.text(detail.get("stderr")))
        return Attempt(0, command, exit_code=0, output="\n".join(filter(None, both)) or output)
    found = _EXIT.match(output)
    code = int(found["code"]) if found else 1
    output = output[found.end() if found else 0 :]
    if _NOT_RUN.match(output):
        return None
    return Attempt(0, command, exit_code=code, output=output)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return values.text(content)
    return "\n".join(values.text(block.get("text")) for block in values.mappings(content))


def _change(given: Json, asked: Json, answer: Json) -> Attempt | None:
    detail = values.mapping(answer.get("toolUseResult"))
    path = values.text(values.first(detail, "filePath")) or values.text(
        values.first(given, "file_path", "notebook_path")
    )
    if not path:
        return None
    name = _relative(path, values.text(asked.get("cwd")))
    return Attempt(0, files=(name,), diff=_patch(name, detail) or _replaced(name, given))


def _relative(path: str, cwd: str) -> str:
    """Relative to the session's folder; of a file elsewhere the last name."""
    plain = PurePosixPath(path.replace("\\", "/"))
    folder = PurePosixPath(cwd.replace("\\", "/")) if cwd else None
    if folder is not None and plain.is_relative_to(folder):
        return plain.relative_to(folder).as_posix()
    return plain.name if plain.is_absolute() or ":" in path[:3] else plain.as_posix()


def _patch(name: str, detail: Json) -> str:
    lines: list[str] = []
    for hunk in values.mappings(detail.get("structuredPatch")):
        lines.append("@@")
        lines += [line for line in hunk.get("lines") or () if isinstance(line, str)]
    return "\n".join([f"--- a/{name}", f"+++ b/{name}", *lines]) if lines else ""


def _replaced(name: str, given: Json) -> str:
    """The diff of what was asked for, when the answer holds none."""
    edits = values.mappings(given.get("edits")) or [given]
    lines: list[str] = []
    for edit in edits:
        before = values.text(edit.get("old_string"))
        after = values.text(values.first(edit, "new_string", "content", "new_source"))
        diff = difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
        )
        lines += diff
    return "\n".join(lines)
