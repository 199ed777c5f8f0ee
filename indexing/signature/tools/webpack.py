"""webpack and the bundlers alike (next, vite, rollup, esbuild, parcel, babel, sass)."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    FATAL,
    SUMMARY,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below


def _error_in(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """`ERROR in ./a.js 3:5` names the place; what is wrong stands below."""
    at = below(
        lines,
        index,
        r"\s*(?:Module (?:not found|parse failed|build failed)|\w*Error\b|TS\d+"
        r"|error\b|Can't resolve|Cannot)",
        3,
    )
    if at is None:
        return Found(index)
    if re.match(r"\s*Module build failed", lines[at]):
        deeper = below(lines, at, r"\s*\w*Error: \S", 2)
        at = deeper if deeper is not None else at
    return Found(at)


def _after_banner(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """What the bundler says below; where that only counts errors, the first of them."""
    at = below(lines, index, r"(?!Build failed with|\[plugin )\S", 6)
    if at is not None and re.search(r"failed with \d+ errors?:$", lines[at]):
        first = below(lines, at, r".{1,400}:\d+:\d+: (?:ERROR|error): ", 2)
        at = first if first is not None else at
    return None if at is None else Found(at)


RULES = ToolRules(
    tool="webpack",
    known_by=r"\bwebpack\b|\bvite(?:\.config| v\d)|\brollup\b|\bnext build|\besbuild\b"
    r"|\bparcel\b|\u25b2 Next\.js",
    command=r"(?:npx )?(?:webpack|vite|rollup|next|esbuild|parcel)",
    rules=(
        Rule("error-in", ("ERROR in ",), r"\s*ERROR in \S", DIAGNOSTIC, _error_in),
        Rule(
            "not-found",
            ("Module not found",),
            r"\s*(?:\S{1,200} )?(?:Error: )?Module not found: ",
            DIAGNOSTIC,
        ),
        Rule(
            "parse",
            ("Module parse failed", "Module build failed"),
            r"\s*(?:Error: )?Module (?:parse|build) failed",
            DIAGNOSTIC - 1,
        ),
        Rule(
            "resolve",
            ("ailed to resolve ", "Could not resolve ", "Rollup failed to resolve"),
            r".{0,120}(?:[Ff]ailed to resolve (?:import|entry)"
            r"|Could not resolve ['\"]|Rollup failed to resolve)",
            DIAGNOSTIC,
        ),
        Rule("esbuild", ("[ERROR]",), r"\s*(?:\u2718|X|\u2716) \[ERROR\] ", DIAGNOSTIC),
        Rule(
            "esbuild-old",
            (": error: ", ": ERROR: "),
            r"\s*(?:> )?\S{1,200}:\d+:\d+: (?:error|ERROR): ",
            DIAGNOSTIC,
            None,
            True,
        ),
        Rule(
            "during-build",
            ("error during build",),
            r"\W{0,4}error during build:",
            DIAGNOSTIC - 4,
            _after_banner,
        ),
        Rule("next-type", ("Type error:",), r"Type error: \S", DIAGNOSTIC),
        Rule(
            "next-prerender",
            ("Error occurred prerendering",),
            r"Error occurred prerendering page ",
            FATAL,
        ),
        Rule("rollup", ("[!] ",), r"\[!\] \S", FATAL + 2),
        Rule(
            "vite-plugin",
            ("[vite", "x Build failed"),
            r"\[vite\S{0,60}\] {0,2}(?:Internal server error|Build failed|.*[Ee]rror)"
            r"|x Build failed",
            SUMMARY,
        ),
        Rule(
            "failed",
            ("Failed to compile", "Build failed", "build failed"),
            r"\W{0,4}(?:Failed to compile|[Bb]uild failed)",
            TRAILER + 4,
        ),
    ),
)
