"""History: the runs of `mem run` until what failed passes, in `.mem/history.jsonl`.

The lines are those of `attempts.jsonl` (see `indexing/learning/loops/attempts.py`). Of the output
only what signs it is kept. What was changed between two runs is asked of git: a tree of the files
as they are is written beside the index, which nothing else in the repository notices. State of this
machine; it may be deleted at any time.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing.errors import MemError
from indexing.redact import redact
from indexing.settings import JOURNAL, here, load
from retrieval.cli import streams
from retrieval.cli.runs import Failure, checkout, named, now, states

if TYPE_CHECKING:
    from retrieval.cli.relay import Ran

FILE = "history.jsonl"
_LARGEST = 4 << 20
_LONGEST_DIFF = 64_000
_GIT_S = 10
_DIFF = ("-c", "core.quotePath=off", "diff", "--no-color", "--no-ext-diff", "--relative", "-U1")
_MOST_NEW, _LARGEST_NEW = 200, 256 << 10
# What builds and tests leave behind, where nobody told git to ignore it.
_LEFT_BEHIND = frozenset(
    [
        *("target", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        *(".hypothesis", ".tox", ".nox", ".venv", ".gradle", ".terraform", ".next", ".nyc_output"),
    ]
)


def failed(mem_dir: Path, command: Sequence[str], ran: "Ran", failure: Failure, hits: int) -> None:
    """Note a red run, how the files looked then, and how many memories were shown."""
    signature = failure.signature
    tree = _tree(checkout(mem_dir))
    told: dict[str, Any] = {"exit_code": ran.code, "tree": tree, "hits": hits}
    if signature is not None:
        told["signature"] = {
            "raw": signature.raw,
            "tool": signature.tool,
            "joined": list(signature.joined),
            "rule": signature.rule,
        }
    _append(mem_dir, failure, command, told)


def passed(
    mem_dir: Path, command: Sequence[str], ran: "Ran", failure: Failure, *, is_mended: bool
) -> None:
    """Note a green run while something is red; of the command that was red, also what changed."""
    told: dict[str, Any] = {"exit_code": ran.code}
    if is_mended:
        root = checkout(mem_dir)
        before = _tree_of(mem_dir, failure)
        if before and (after := _tree(root)) and after != before:
            told["diff"] = _near(_diff(root, before, after), _folder(root))
    _append(mem_dir, failure, command, told)


def tried(mem_dir: Path, failure: Failure, root: Path) -> set[str]:
    """The ids of what was shown and then used: its files changed, or its steps were run."""
    ran = {
        shlex.join(shlex.split(str(line.get("command"))))
        for line in _lines(mem_dir)
        if line.get("loop") == failure.loop and line.get("exit_code") == 0
    }
    return {
        id
        for id, files in failure.shown.items()
        if states(tuple(files), root) != files
        or any(_plain(step) in ran for step in failure.steps.get(id, ()))
    }


def learn(mem_dir: Path, failure: Failure) -> bool:
    """Learn from the loop that has just ended; whether anything was learnt."""
    settings = load(mem_dir)
    if not settings.learn_on_green:
        return False
    from indexing.learning.loop import Loop
    from indexing.learning.loops import read_loops
    from indexing.learning.store import store
    from retrieval.cli.learn import taught
    from retrieval.cli.record import indexed

    root = mem_dir.absolute().parent
    loops = [each for each in read_loops(mem_dir / FILE, root) if isinstance(each, Loop)]
    loop = next((each for each in loops if each.id == failure.loop), None)
    learned = taught(loop, settings) if loop is not None else None
    if learned is None or not learned.found:
        return False
    found = learned.found
    stored = store(mem_dir / JOURNAL, [learned])
    if stored.patterns or stored.findings:
        said = found[0].entry.lesson.fix or found[0].entry.title
        streams.say(f"mem run: it passes now; learnt {found[0].entry.id}: {redact(said)[:200]}")
        indexed("mem run")
    return True


def _append(mem_dir: Path, failure: Failure, command: Sequence[str], told: dict[str, Any]) -> None:
    from indexing.journal import append_record

    path = mem_dir / FILE
    root = mem_dir.absolute().parent
    folder = named(command, here(), root).partition("$ ")[0]
    line = {
        "loop": failure.loop,
        "at": now(),
        "command": shlex.join(command),
        "cwd": folder,
        **{key: value for key, value in told.items() if value not in ("", None)},
    }
    if path.exists() and path.stat().st_size > _LARGEST:
        path.replace(path.with_name(f"{FILE}.old"))
    append_record(path, line)


def _lines(mem_dir: Path) -> list[dict[str, Any]]:
    try:
        text = (mem_dir / FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return []
    lines = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            lines.append(value)
    return lines


def _tree_of(mem_dir: Path, failure: Failure) -> str:
    """How the files looked at the command's last red run."""
    for line in reversed(_lines(mem_dir)):
        if line.get("loop") == failure.loop and line.get("exit_code") != 0:
            told = str(line.get("command", ""))
            if redact(f"{line.get('cwd', '')}$ {told}") == failure.command:
                return str(line.get("tree", ""))
    return ""


def _plain(step: str) -> str:
    try:
        return shlex.join(shlex.split(step))
    except ValueError:
        return step


def _tree(root: Path) -> str:
    """A git tree of the files as they are, those that git ignores left out; `""` without git."""
    try:
        with tempfile.TemporaryDirectory(prefix="mem-") as folder:
            index = Path(folder) / "index"
            known = _git(root, "rev-parse", "--git-path", "index")
            if known is None:
                return ""
            if (root / known).is_file():
                index.write_bytes((root / known).read_bytes())
                status = (root / known).stat()
                # by it git tells files that changed in the moment in which it looked
                os.utime(index, ns=(status.st_atime_ns, status.st_mtime_ns))
            env = {"GIT_INDEX_FILE": str(index)}
            if _git(root, "add", "--update", "--", ".", ":!.mem", env=env) is None:
                return ""
            if new := _new_files(root):
                _git(root, "add", "--", *new, env=env)
            return _git(root, "write-tree", env=env) or ""
    except (OSError, MemError):
        return ""


def _new_files(root: Path) -> list[str]:
    """The files that git does not know yet and does not ignore; no big ones, no endless list.

    What a build leaves behind is none of them: it changes with every run and mends nothing.
    """
    listed = _git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", ".", ":!.mem")
    names = [name for name in (listed or "").split("\0") if name]
    kept = [name for name in names if _LEFT_BEHIND.isdisjoint(name.split("/"))]
    return [name for name in kept[:_MOST_NEW] if _is_small_text(root / name)]


def _is_small_text(path: Path) -> bool:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_NEW:
            return False
        return b"\0" not in path.read_bytes()
    except OSError:
        return False


def _diff(root: Path, before: str, after: str) -> str:
    return _git(root, *_DIFF, before, after) or ""


def _near(diff: str, folder: str) -> str:
    """The diff, cut to what is kept; of the folder in which the command ran when that changed.

    In one checkout others work on other things meanwhile.
    """
    parts = re.split(r"^(?=diff --git )", diff, flags=re.M)
    near = [part for part in parts if part.startswith(f"diff --git a/{folder}/")]
    return "".join(near if folder and near else parts)[:_LONGEST_DIFF]


def _folder(root: Path) -> str:
    """Where we are below `root`; `""` at it and outside of it."""
    now_in = here()
    found = now_in.relative_to(root).as_posix() if now_in.is_relative_to(root) else "."
    return "" if found == "." else found


def _git(root: Path, *words: str, env: dict[str, str] | None = None) -> str | None:
    """What git says; None when it fails, is missing or takes too long."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],
            env={**os.environ, **(env or {}), "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
