"""The command for tests: as a process of its own, and a memory to ask."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from indexing.build import build_index
from indexing.entry import Entry, Lesson
from indexing.journal import append
from indexing.settings import INDEX, JOURNAL, MEM_DIR, Settings
from indexing.signature import sign
from retrieval.tiers import tiers

MEM = str(Path(sys.executable).with_name("mem"))

RAW = "npm ERR! 404 Not Found - GET https://registry.example/@acme%2fui-kit"
LOG = f"npm ERR! code E404\n{RAW}\nnpm ERR! 404\n"
UNKNOWN_LOG = "error[E0308]: mismatched types\n --> src/main.rs:3:5\n"
GREEN_LOG = "tests/test_a.py ...\n\n===== 3 passed in 0.12s =====\n"


def mem(
    *words: str, cwd: Path, input: bytes = b"", **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """What the command did; permissions hold for it even when we are root."""
    return subprocess.run(
        [MEM, *words],
        cwd=cwd,
        input=input,
        capture_output=True,
        env={**clean_environment(), **environment},
        timeout=60,
        check=False,
        preexec_fn=as_anybody if is_root() else None,
    )


def printed_by(script: str) -> str:
    """What Python prints that runs this and nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=clean_environment(),
        check=True,
    )
    return done.stdout


def is_root() -> bool:
    """Whether permissions do not hold for us, and can be made to."""
    return sys.platform == "linux" and os.geteuid() == 0


def as_anybody() -> None:
    """Drop what lets root pass by permissions; what is executed next does not get it back."""
    import ctypes

    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def clean_environment() -> dict[str, str]:
    """Our environment without what changes how `mem` answers."""
    ours = {"NO_COLOR", "COLUMNS", "PYTHONIOENCODING", "PYTHONUTF8"}
    return {k: v for k, v in os.environ.items() if not k.startswith("MEM_") and k not in ours}


def remembering(root: Path, entries: Sequence[Entry] = (), index: bool = True) -> Path:
    """The `.mem` folder of `root` with these entries; by default one that LOG finds."""
    mem_dir = root / MEM_DIR
    mem_dir.mkdir(parents=True)
    for entry in entries or [login()]:
        append(mem_dir / JOURNAL, entry)
    if index:
        build_index([mem_dir / JOURNAL], mem_dir / INDEX, tiers(Settings()), root=root)
    return mem_dir


def login(id: str = "login", **fields: object) -> Entry:
    """A memory of the failure in LOG."""
    known = Entry(
        id=id,
        kind="failure",
        title="private package is not found",
        signature=sign(RAW, "npm"),
        lesson=Lesson(fix="npm login", gotchas=("the token ends after a week",)),
        captured_at="2026-03-04T10:22:31Z",
    )
    return known._replace(**fields)
