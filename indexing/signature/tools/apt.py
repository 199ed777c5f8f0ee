"""apt, dpkg, apk, yum, dnf, rpm, mock: package managers of the system."""

import re

from indexing.signature.interface import (
    FATAL,
    WARNING,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, below, only_after


def _cause(lines: Lines, index: int, match: re.Match[str]) -> Found:
    """Index files that failed to download: the warning before it names which, and why."""
    at = above(lines, index, r"(?:W|E): Failed to fetch ", 30)
    while (
        at is not None and (more := above(lines, at, r"(?:W|E): Failed to fetch ", 3)) is not None
    ):
        at = more
    return Found(index) if at is None else Found(at)


RULES = ToolRules(
    tool="apt",
    known_by=r"^(?:Get:\d+ |Hit:\d+ |Reading package lists|[EW]: |dpkg: )"
    r"|\bapt(?:-get)? (?:update|install)|^fetch https?://.*APKINDEX|\bdnf\b|\byum\b",
    command=r"(?:apt(?:-get)?|dpkg|apk|yum|dnf|microdnf|rpm|mock|zypper)",
    rules=(
        Rule(
            "index",
            ("Some index files failed",),
            r"[EW]: Some index files failed to download",
            FATAL + 4,
            _cause,
        ),
        Rule(
            "fetch", ("E: Failed to fetch", "W: Failed to fetch"), r"E: Failed to fetch ", FATAL + 4
        ),
        Rule("fetch-warning", ("W: Failed to fetch",), r"W: Failed to fetch ", WARNING + 4),
        Rule(
            "release",
            (
                "does not have a Release file",
                "is not signed",
                "no longer has a Release",
                "is not valid yet",
                "NO_PUBKEY",
            ),
            r"(?:E|W): .*(?:does not have a Release file|is not signed"
            r"|no longer has a Release|is not valid yet|NO_PUBKEY)",
            FATAL + 3,
        ),
        Rule(
            "error",
            ("E: ",),
            r"E: (?!Sub-process|Unable to correct|Failed to fetch|Some index"
            r"|Unable to fetch some)\S",
            FATAL + 4,
        ),
        Rule(
            "dpkg-depends",
            ("depends on ",),
            r"\s*\S+ depends on \S+.*; however:",
            FATAL + 4,
            only_after(r"dpkg: dependency problems prevent", 12, stop=r"dpkg: .*anyway"),
        ),
        Rule(
            "depends",
            ("Depends: ", "H\u00e4ngt ab von: ", "D\u00e9pend: "),
            r"\s*\S+ : (?:(?:Pre)?Depends|H\u00e4ngt ab von|D\u00e9pend): ",
            FATAL + 5,
        ),
        Rule(
            "wrapper",
            ("E: ",),
            r"E: (?:Sub-process|Unable to correct|Unable to fetch some)",
            WRAPPER + 6,
        ),
        Rule("dpkg", ("dpkg: error", "dpkg-deb: error"), r"dpkg(?:-deb)?: error", FATAL + 2, None),
        Rule(
            "dpkg-errors",
            ("Errors were encountered",),
            r"Errors were encountered while processing",
            WRAPPER,
        ),
        Rule(
            "apk",
            (
                "ERROR: ",
                "(no such package)",
                "unable to select packages",
                "unsatisfiable constraints",
            ),
            r"(?:\s*\S+ \(no such package\):|ERROR: (?:unable to select packages"
            r"|unsatisfiable constraints|https?://\S+: |.*APKINDEX))",
            FATAL,
            lambda lines, index, _: Found(
                index,
                tuple(
                    at
                    for at in (below(lines, index, r"\s+\S+ \((?:no such package|missing)\)", 2),)
                    if at is not None
                ),
            ),
        ),
        Rule(
            "dnf",
            (
                "nothing provides",
                "No match for argument",
                "Error: Unable to find a match",
                "No package ",
                "Failed to download",
                "Cannot find a valid baseurl",
                "Cannot download",
                "No matching package to install",
            ),
            r"\s*(?:- )?(?:\u001b\[\S+)?(?:nothing provides |.*nothing provides"
            r"|Error: Unable to find a match|No match for argument"
            r"|No package \S+ available|.*Failed to download metadata"
            r"|No matching package to install: |Cannot find a valid baseurl|.*Cannot download)",
            FATAL + 2,
        ),
        Rule(
            "rpm",
            (
                "error: Failed build dependencies",
                "error: Bad exit status",
                "error: File not found",
                "Installed (but unpackaged)",
                "error: ",
            ),
            r"\s*error: (?:Failed build dependencies|File not found"
            r"|Installed \(but unpackaged\)|Bad (?:file|source)|line \d+:)",
            FATAL - 2,
        ),
        Rule("rpm-exit", ("error: Bad exit status",), r"\s*error: Bad exit status", WRAPPER),
    ),
)
