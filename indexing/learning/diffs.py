"""Diffs: which files one touches, what it adds and takes away, and in which language."""

import re
from pathlib import PurePosixPath
from typing import NamedTuple

_HEAD = re.compile(
    r"^(?:diff --git a/(?P<git>\S+) b/(?P<new>\S+)|\+\+\+ (?:b/)?(?P<plus>[^\t\n]+))", re.M
)
_LANGUAGES = {
    "typescript": ("ts", "tsx", "mts", "cts"),
    "javascript": ("js", "jsx", "mjs", "cjs"),
    "python": ("py", "pyi"),
    "go": ("go",),
    "rust": ("rs",),
    "java": ("java",),
    "kotlin": ("kt", "kts"),
    "csharp": ("cs",),
    "ruby": ("rb",),
    "php": ("php",),
    "c": ("c", "h"),
    "cpp": ("cpp", "cc", "cxx", "hpp", "hh"),
    "swift": ("swift",),
    "shell": ("sh", "bash", "zsh"),
    "terraform": ("tf", "tfvars"),
    "yaml": ("yml", "yaml"),
    "toml": ("toml",),
    "json": ("json",),
    "sql": ("sql",),
    "dockerfile": ("dockerfile",),
    "make": ("makefile", "mk"),
}
_BY_SUFFIX = {suffix: name for name, suffixes in _LANGUAGES.items() for suffix in suffixes}
_DATA = frozenset(("yaml", "toml", "json"))
MANIFESTS = frozenset(
    [
        *("package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock"),
        *("pnpm-lock.yaml", "cargo.toml", "cargo.lock", "go.mod", "go.sum", "pyproject.toml"),
        *("poetry.lock", "uv.lock", "setup.py", "setup.cfg", "pipfile", "pipfile.lock"),
        *("gemfile", "gemfile.lock", "composer.json", "composer.lock", "pom.xml"),
        *("build.gradle", "build.gradle.kts", ".terraform.lock.hcl", "versions.tf"),
    ]
)


class Diff(NamedTuple):
    """What a diff says; `added` and `removed` are lines without their marks.

    `hunks` are runs of added lines that stand together. `files` is empty when it names none.
    """

    files: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    hunks: tuple[tuple[str, ...], ...]


def parsed(diff: str) -> Diff:
    """The parts of a diff in any of the common forms; a bare `+ line` list is one too."""
    added: list[str] = []
    removed: list[str] = []
    hunks: list[list[str]] = []
    together = False
    for line in diff.splitlines():
        if line.startswith(("+++", "---", "diff --git", "@@", "index ", "new file", "\\ No new")):
            together = False
        elif line.startswith("+"):
            if not together:
                hunks.append([])
            hunks[-1].append(line[1:])
            added.append(line[1:])
            together = True
        else:
            if line.startswith("-"):
                removed.append(line[1:])
            together = False
    if added and all(not line or line[0] == " " for line in added):  # `+ line`, as people write it
        added = [line[1:] for line in added]
        hunks = [[line[1:] for line in hunk] for hunk in hunks]
    return Diff(files_of(diff), tuple(added), tuple(removed), tuple(tuple(hunk) for hunk in hunks))


def files_of(diff: str) -> tuple[str, ...]:
    """The files that a diff names, each once."""
    found = (match["new"] or match["plus"] for match in _HEAD.finditer(diff))
    return tuple(dict.fromkeys(name.strip() for name in found if name.strip() != "/dev/null"))


def language_of(files: "tuple[str, ...] | list[str]") -> str:
    """The language most of the files are in, code before data; `""` when none is known."""
    counted: dict[str, int] = {}
    for name in files:
        path = PurePosixPath(name.replace("\\", "/").lower())
        language = _BY_SUFFIX.get(path.suffix.lstrip(".")) or _BY_SUFFIX.get(path.name, "")
        if language:
            counted[language] = counted.get(language, 0) + 1
    ranked = sorted(counted, key=lambda name: (name in _DATA, -counted[name], name))
    return ranked[0] if ranked else ""


def is_code(name: str) -> bool:
    """Whether a file holds code and no data or text."""
    return language_of((name,)) not in ("", *_DATA)


def is_manifest(name: str) -> bool:
    """Whether a file says which packages are used, or locks them."""
    base = PurePosixPath(name.replace("\\", "/")).name.lower()
    return base in MANIFESTS or re.fullmatch(r"requirements[\w.-]*\.(?:txt|in)", base) is not None
