"""Imports go one way: a file imports only what stands above it in the house."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted([*(ROOT / "indexing").rglob("*.py"), *(ROOT / "retrieval").rglob("*.py")])

# From the top of the house down; a folder stands for all that lies in it.
HOUSE = (
    "indexing.errors",
    "indexing.typed",
    "indexing.lazily",
    "indexing.plain",
    "indexing.redact",
    "indexing.signature.interface",
    "indexing.signature.lines",
    "indexing.signature.normalise",
    "indexing.signature.look",
    "indexing.signature.ci",
    "indexing.signature.tools",
    "indexing.signature.doubts",
    "indexing.signature.literals",
    "indexing.signature.table",
    "indexing.signature.blind",
    "indexing.signature.tabulate",
    "indexing.signature.ruleset",
    "indexing.signature.fast",
    "indexing.signature.extract",
    "indexing.signature.shapes",
    "indexing.signature",
    "indexing.entry",
    "indexing.journal",
    "indexing.overrides",
    "indexing.readers",
    "indexing.compact",
    "indexing.learning",
    "indexing.recipe",
    "indexing.stores",
    "indexing.settings",
    "indexing.lines",
    "indexing.chapters",
    "indexing.stamps",
    "indexing.shelf",
    "indexing.build",
    "indexing.overlay",
    "indexing.delta",
    "indexing",
    "retrieval.query",
    "retrieval.hit",
    "retrieval.tokens",
    "retrieval.pieces",
    "retrieval.postings",
    "retrieval.segments",
    "retrieval.encoder",
    "retrieval.vectors",
    "retrieval.tiers",
    "retrieval.doubt",
    "retrieval.search",
    "retrieval.budget",
    "retrieval.untrusted",
    "retrieval.wording",
    "retrieval.context",
    "retrieval.patterns",
    "retrieval.renderers",
    "retrieval.events",
    "retrieval.stale",
    "retrieval.memory",
    "retrieval.looped",
    "retrieval.evaluation",
    "retrieval.verify",
    "retrieval.slowly",
    "retrieval.cli",
    "retrieval",
)


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor(module):
    """How far down the house a module stands."""
    name = module
    while name:
        if name in HOUSE:
            return HOUSE.index(name)
        name = name.rpartition(".")[0]
    raise AssertionError(f"{module} has no room in the house: tests/test_layout.py")


def imported(path):
    """What a file imports of ours; a name that is itself a module counts as that module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by the full name"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield (
                    full
                    if (ROOT / Path(*full.split("."))).with_suffix(".py").exists()
                    else node.module
                )


def ours(name):
    return name.split(".")[0] in {"indexing", "retrieval"}


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_file_imports_only_what_stands_above_it(path):
    module = module_of(path)
    for name in filter(ours, imported(path)):
        if floor(name) == floor(module):
            continue  # the same room
        assert floor(name) < floor(module), f"{module} imports {name}, which stands below it"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_indexing_never_imports_retrieval(path):
    if module_of(path).startswith("indexing"):
        assert not any(name.startswith("retrieval") for name in imported(path))


def test_every_room_is_there():
    assert [room for room in HOUSE if not any(_lies_in(path, room) for path in FILES)] == []


def _lies_in(path, room):
    module = module_of(path)
    return module == room or module.startswith(f"{room}.")


def test_a_module_that_stands_nowhere_is_refused():
    with pytest.raises(AssertionError, match="no room"):
        floor("elsewhere.module")


def test_the_guard_sees_an_import_that_goes_the_wrong_way(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from retrieval.memory import Memory\n", encoding="utf-8")
    assert list(imported(wrong)) == ["retrieval.memory"]
    assert floor("retrieval.memory") > floor("indexing.build")
