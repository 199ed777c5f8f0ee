"""`mem init`: makes `.mem`, finds memory files of known systems, and lists them in its settings."""

import hashlib
import json
import os
import re
import subprocess
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from indexing.errors import MemError
from indexing.settings import CONFIG, MEM_DIR, Settings, here, load
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND

_IGNORED = ("index/", "runs.json", "history.jsonl", "loops/", "*.lock", "*.new")
_IN_THE_REPOSITORY = (
    ".aiwg/ralph/shared/patterns",
    ".aiwg/ralph/debug-memory/patterns",
    ".claude/pipeline-artifacts/error-log.jsonl",
)
_SHIPWRIGHT = "~/.shipwright/memory"
_FLEET = ("global.json", "fleet-patterns.json")
_ORIGIN = re.compile(r"(?:[\w+.-]+://)?(?:[^@/\s]+@)?([\w.-]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project (default: here)",
    )


def _init(args: Namespace) -> int:
    root = here() / args.folder
    mem_dir = Path(os.environ.get("MEM_DIR") or root / MEM_DIR).absolute()
    root = mem_dir.parent
    found = list(_memory_files(root))
    created = _created(mem_dir, found)
    unlisted = [path for path in found if path not in load(mem_dir, {}).memory]
    if args.json:
        streams.write_json(
            {"mem_dir": str(mem_dir), "created": created, "memory": found, "unlisted": unlisted}
        )
    else:
        lines = [f"{mem_dir}: {', '.join(created) + ' made' if created else 'is there already'}"]
        lines += [f"memory: {path}" for path in found]
        streams.write("\n".join([*lines, ""]))
    streams.flush()
    for path in unlisted:
        streams.say(f"mem init: {path} is not listed; add it to 'memory' in {mem_dir / CONFIG}")
    streams.say("mem init: run `mem index rebuild` next")
    return FOUND


def _created(mem_dir: Path, found: list[str]) -> list[str]:
    """The names of the files that were missing and are there now."""
    texts = {
        CONFIG: _config(found),
        ".gitignore": "".join(f"{name}\n" for name in _IGNORED),
        # a record is a line of its own, in whatever order: two branches have the lines of both
        ".gitattributes": "*.jsonl merge=union -text\n",
    }
    created = []
    try:
        mem_dir.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            try:
                with (mem_dir / name).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                created.append(name)
            except FileExistsError:
                continue  # what a person wrote stays
    except OSError as error:
        raise MemError(f"{error.filename}: cannot be written ({error.strerror})") from error
    return created


def _config(memory: list[str]) -> str:
    """The settings' file: what was found, and every other setting as a comment."""
    blocks = ["# Settings of `mem`; each can be overridden by an environment variable MEM_<NAME>."]
    for names, about in _described().items():
        lines = [f"# {line}" for line in about]
        for name in names:
            if name == "memory":
                lines += ["memory = [", *(f"    {json.dumps(path)}," for path in memory), "]"]
            else:
                lines.append(f"# {name} = {json.dumps(Settings._field_defaults[name])}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _described() -> dict[tuple[str, ...], list[str]]:
    """The settings by what their docstring says of them, which is absent under `python -OO`."""
    described: dict[tuple[str, ...], list[str]] = {}
    names: tuple[str, ...] = ()
    for line in (Settings.__doc__ or "").splitlines():
        head = re.match(r"    ([a-z_]+(?:, [a-z_]+)*): (.+)", line)
        if head:
            names = tuple(head[1].split(", "))
            described[names] = [head[2]]
        elif names and line.strip():
            described[names].append(line.strip())
    told = {name for names in described for name in names}
    return described | {(name,): [] for name in Settings._fields if name not in told}


def _memory_files(root: Path) -> Iterator[str]:
    """The files and folders of known systems that a reader can read, as they can be committed."""
    top = _toplevel(root)
    for folder in (root, *(above for above in root.parents if above.is_relative_to(top))):
        for name in _IN_THE_REPOSITORY:
            if _readable(folder / name):
                yield Path(os.path.relpath(folder / name, root)).as_posix()
    try:
        home = Path(_SHIPWRIGHT).expanduser()
    except RuntimeError:
        return  # nobody's home
    kept = [name for name in dict.fromkeys(_shipwright_names(top)) if _readable(home / name)]
    fleet = [name for name in _FLEET if kept and _readable(home / name)]
    yield from (f"{_SHIPWRIGHT}/{name}" for name in [*kept, *fleet])


def _readable(path: Path) -> bool:
    from indexing.readers import memory_files, reader_of

    try:
        return any(reader_of(file) for file in memory_files(path))
    except (OSError, MemError):
        return False


def _shipwright_names(top: Path) -> Iterator[str]:
    """The folder names under which Shipwright may keep this repository's memory.

    It hashes the text of the origin's address, or a path, as its parts happen to spell them.
    """
    origin = _git(top, "config", "--get", "remote.origin.url")
    texts = [*_spellings(origin), str(top)] if origin else ["local", str(top)]
    for text in texts:
        for ended in (text, f"{text}\n"):
            sha = hashlib.sha256(ended.encode("utf-8", "surrogateescape")).hexdigest()
            yield from (sha[:12], sha[:16])
    if not origin:
        yield "local"


def _spellings(origin: str) -> list[str]:
    """The origin as it is written, and as others would write it."""
    parts = _ORIGIN.fullmatch(origin)
    if parts is None:
        return [origin]
    host, path = parts[1], parts[2]
    made = [origin]
    for name in dict.fromkeys((host, host.lower())):
        for begin in (
            *(f"https://{name}/", f"http://{name}/", f"git@{name}:"),
            *(f"ssh://git@{name}/", f"git://{name}/"),
        ):
            made += [f"{begin}{path}", f"{begin}{path}.git"]
    return list(dict.fromkeys(made))


def _toplevel(root: Path) -> Path:
    top = _git(root, "rev-parse", "--show-toplevel")
    return Path(top) if top and root.is_relative_to(top) else root


def _git(folder: Path, *words: str) -> str:
    """What git says, or nothing."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")
    return said if done.returncode == 0 else ""


COMMANDS = {"init": Command(_arguments, _init, "mem init")}
