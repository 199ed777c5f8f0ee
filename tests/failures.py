"""The captured logs below fixtures/failures, with what their manifests say of them."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from indexing.signature import Signature, extract

FAILURES = Path(__file__).parent.parent / "fixtures" / "failures"
SEVEN = ("npm", "cargo", "go", "kubectl", "docker", "terraform", "pytest")


class Case(NamedTuple):
    """One captured log; `group` is None where nothing failed."""

    folder: str
    file: str
    group: str | None
    said: dict[str, Any]

    @property
    def path(self) -> Path:
        return FAILURES / self.folder / self.file

    @property
    def id(self) -> str:
        return f"{self.folder}/{self.file}"

    def log(self) -> bytes:
        return self.path.read_bytes()


class Pair(NamedTuple):
    """Two logs of one failure; `strength` is `weak` where even the root lines are the same."""

    one: Case
    other: Case

    @property
    def id(self) -> str:
        return f"{self.one.folder}/{self.other.file}"

    @property
    def weak(self) -> bool:
        return self.other.said.get("pair_strength") == "weak"

    @property
    def hard(self) -> bool:
        return self.other.said.get("relation") == "same-hard"


@cache
def cases() -> tuple[Case, ...]:
    """Every captured log, in the order of the manifests."""
    found = []
    for manifest in sorted(FAILURES.glob("*/manifest.jsonl")):
        for line in manifest.read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            found.append(Case(manifest.parent.name, said["file"], said["group"], said))
    return tuple(found)


def failing() -> list[Case]:
    return [case for case in cases() if case.said.get("root_line")]


def pairs() -> list[Pair]:
    """The first log of each group with each further one."""
    groups: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in failing():
        groups[case.folder, str(case.group)].append(case)
    return [
        Pair(members[0], member)
        for members in (sorted(group) for group in groups.values())
        for member in members[1:]
    ]


@cache
def signature(case_id: str) -> Signature | None:
    """The signature of a log, taken once."""
    return extract((FAILURES / case_id).read_bytes())
