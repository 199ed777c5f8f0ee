"""TOOLS: one file per tool, in the order tried; where two match a line alike, the first has it."""

from collections.abc import Iterator
from functools import cache

from indexing.lazily import module
from indexing.signature.interface import ToolRules
from indexing.signature.tools import generic

GENERIC: ToolRules = generic.RULES

NAMES = (
    "junit",
    "npm",
    "yarn",
    "pnpm",
    "tsc",
    "eslint",
    "prettier",
    "biome",
    "jest",
    "vitest",
    "mocha",
    "playwright",
    "webpack",
    "node",
    "pytest",
    "unittest",
    "mypy",
    "ruff",
    "pip",
    "python",
    "cargo",
    "go",
    "cmake",
    "make",
    "maven",
    "gradle",
    "sbt",
    "ant",
    "javac",
    "dotnet",
    "gcc",
    "rspec",
    "ruby",
    "php",
    "perl",
    "pester",
    "haskell",
    "elixir",
    "erlang",
    "swift",
    "clojure",
    "julia",
    "r",
    "lua",
    "ocaml",
    "dlang",
    "dart",
    "bats",
    "kubectl",
    "helm",
    "terraform",
    "ansible",
    "bazel",
    "apt",
    "docker",
    "git",
    "systemd",
    "github_actions",
    "jenkins",
    "sphinx",
    "latex",
    "shell",
    "generic",
)
"""The files, whose names are those of the tools with `_` for `-`."""


class _Tools:
    """The rules of each tool; its file is imported when they are first asked for."""

    def __len__(self) -> int:
        return len(NAMES)

    def __getitem__(self, place: int) -> ToolRules:
        return _rules_in(NAMES[place])

    def __iter__(self) -> Iterator[ToolRules]:
        return map(_rules_in, NAMES)


TOOLS = _Tools()


def rules_of(tool: str) -> ToolRules | None:
    """The rules of the tool of that name; None when it has none."""
    name = tool.replace("-", "_")
    rules = _rules_in(name) if name in NAMES else None
    return rules if rules and rules.tool == tool else None


@cache
def _rules_in(name: str) -> ToolRules:
    rules: ToolRules = module(f"indexing.signature.tools.{name}").RULES
    return rules


__all__ = ["GENERIC", "NAMES", "TOOLS", "rules_of"]
