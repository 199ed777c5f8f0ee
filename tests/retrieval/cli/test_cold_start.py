"""A lookup starts a fresh process on every failing command: what it imports is its price."""

import subprocess
import sys

from commands import LOG, UNKNOWN_LOG, clean_environment, remembering

from indexing.overrides import alias
from indexing.signature import extract

HEAVY = {
    *("numpy", "rich", "filelock", "msgspec", "tomllib", "dataclasses", "inspect", "subprocess"),
    *(
        "_hashlib",
        "asyncio",
        "logging",
        "shutil",
        "difflib",
        "retrieval.cli.run",
        "retrieval.cli.index",
    ),
}

# What a first-tier hit may import, so that a lookup stays at three times Python's own start. Who
# adds a line here has measured what it costs: scripts/bench/lookup_cold.py.
OURS = {
    "indexing",
    *(f"indexing.{name}" for name in ("entry", "errors", "lazily", "plain", "recipe", "settings")),
    *("indexing.redact", "indexing.stores", "indexing.stores.generations"),
    *("indexing.stores.local", "indexing.stores.segment", "indexing.typed", "indexing.signature"),
    *(
        f"indexing.signature.{name}"
        for name in (
            *("ci", "doubts", "extract", "interface", "lines", "literals", "look", "middle"),
            *("normalise", "ruleset", "table", "tools", "tools.generic"),
        )
    ),
    "retrieval",
    *(f"retrieval.{name}" for name in ("events", "hit", "memory", "query", "search", "tiers")),
    "retrieval.tiers.exact",
    *(f"retrieval.cli{name}" for name in ("", ".ask", ".excerpt", ".interface", ".plain")),
    *("retrieval.cli.streams", "retrieval.renderers", "retrieval.renderers.json"),
}
LIBRARY = {
    *("bisect", "collections", "copyreg", "enum", "errno", "functools"),
    *("gc", "itertools", "json", "keyword", "mmap", "operator", "re", "reprlib", "struct", "types"),
}
"""Packages and modules of the standard library; those in C, which begin with `_`, are free."""

SCRIPT = """
import sys
started = set(sys.modules)
from retrieval.cli import main
code = main({words!r})
print(code, *sorted(set(sys.modules) - started), file=sys.stderr)
"""


def imported(*words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(words=list(words))],
        capture_output=True,
        text=True,
        env=clean_environment(),
        check=True,
    )
    code, *modules = done.stderr.split()
    assert code == "0", done.stderr
    return set(modules)


def test_a_first_tier_hit_imports_nothing_heavy(here):
    remembering(here)
    (here / "a.log").write_text(LOG, encoding="utf-8")
    for words in (["lookup"], ["lookup", "--json"], ["context"]):
        # with room for more hits the lexical tier would be asked as well
        modules = imported(*words, "a.log", "-k", "1")
        assert "retrieval.tiers.exact" in modules
        assert sorted(modules & HEAVY) == []


def test_a_first_tier_hit_imports_nothing_that_is_not_listed(here):
    remembering(here)
    (here / "a.log").write_text(LOG, encoding="utf-8")
    modules = imported("lookup", "--json", "a.log", "-k", "1")
    ours = {name for name in modules if name.startswith(("indexing", "retrieval"))}
    library = {name.split(".")[0] for name in modules - ours}
    tools = {name for name in ours - OURS if name.startswith("indexing.signature.tools.")}
    assert len(tools) < 4
    assert sorted(ours - tools - OURS) == []
    assert sorted(name for name in library - LIBRARY if not name.startswith("_")) == []


def test_decisions_cost_nothing_where_there_are_none(here):
    mem_dir = remembering(here)
    (here / "a.log").write_text(LOG, encoding="utf-8")
    for words in (["lookup", "a.log", "-k", "1"], ["sig", "explain", "a.log"]):
        assert "indexing.overrides" not in imported(*words)
    alias(mem_dir / "overrides.jsonl", extract(LOG), extract(UNKNOWN_LOG))
    for words in (["lookup", "a.log", "-k", "1"], ["sig", "explain", "a.log"]):
        modules = imported(*words)
        assert "indexing.overrides" in modules
        assert sorted(modules & HEAVY) == []


def test_an_explanation_imports_nothing_heavy_for_a_pipe(here):
    (here / "a.log").write_text(LOG, encoding="utf-8")
    assert sorted(imported("sig", "explain", "a.log") & HEAVY) == []


def test_help_imports_no_verb(here):
    modules = imported("--help")
    assert not {name for name in modules if name.startswith("retrieval.cli.")} - {
        "retrieval.cli.excerpt",
        "retrieval.cli.plain",
        "retrieval.cli.streams",
    }
