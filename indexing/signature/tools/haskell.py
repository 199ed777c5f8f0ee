"""ghc, cabal, stack, hspec, tasty: `File.hs:3:5: error:`, the message indented below."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    FATAL,
    SUMMARY,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, below, joining_below


def _compile(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """Joined to the message, and to what a message that ends in a colon announces."""
    at = below(lines, index, r"\s+\S", 1)
    if at is None:
        return Found(index)
    more = below(lines, at, r"\s+\S", 1) if lines[at].endswith(":") else None
    return Found(index, (at,) if more is None else (at, more))


def _old(lines: Lines, index: int, match: re.Match[str]) -> Found | None:
    """Before GHC 8 an error had no word for it; warnings did."""
    at = below(lines, index, r" {4}(?!Warning\b)\S", 1)
    return None if at is None else _compile(lines, index, match)


def _but_got(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """hspec, HUnit, tasty: `expected:` above, the test's title above that."""
    expected = above(lines, index, r"\s+expected: ", 20)
    if expected is None:
        return None
    title = above(lines, expected, r"\s*(?:\d{1,4}\) \S|\S.{0,300}: +FAIL\b|### Failure in)", 6)
    return Found(expected, (index,) if title is None else (index, title))


RULES = ToolRules(
    tool="haskell",
    known_by=r"\bghc\b|\bcabal\b|\bstack (?:build|test|--)|\.hs:\d+:\d+",
    command=r"(?:ghc|cabal|stack|runhaskell|hlint)",
    rules=(
        Rule(
            "compile",
            (".hs:", ".lhs:", ".hsc:", ".lhsc:"),
            r"(?:[\w-]{1,60} +> )?\s*\S{0,300}\.l?hsc?:(?:\d+:\d+|\(\d+,\d+\))"
            r"(?:-\S{1,20})?: error:",
            DIAGNOSTIC,
            _compile,
        ),
        Rule(
            "old-compile",
            (".hs:", ".lhs:"),
            r"\s*\S{1,300}\.l?hs:\d+:\d+(?:-\d+)?:$",
            DIAGNOSTIC - 1,
            _old,
        ),
        Rule("expected", ("but got:",), r"\s+but got: ", DIAGNOSTIC - 2, _but_got, True),
        Rule(
            "quickcheck",
            ("*** Failed!",),
            r"(?:.{0,200} )?\*\*\* Failed! ",
            DIAGNOSTIC - 3,
            joining_below(r"\s*\S", 1),
        ),
        Rule(
            "plan",
            (
                "Could not resolve dependencies",
                "While constructing the build plan",
                "while constructing the build plan",
            ),
            r"(?:\S{0,40}Error:? )?(?:cabal: )?(?:Could not resolve dependencies:?"
            r"|.{0,40}[Ww]hile constructing the build plan)",
            FATAL,
            joining_below(r".{0,200}(?:rejecting: |needed, but|\bfailed\b|unknown package: )", 8),
            True,
        ),
        Rule(
            "built",
            ("While building package", "Failed to build", "Some packages"),
            r"(?:-- {1,3}While building package|cabal: (?:Failed to build|Some packages))",
            WRAPPER,
        ),
        Rule("suite", ("Test suite ",), r"Test suite \S+: FAIL", SUMMARY - 4),
    ),
)
