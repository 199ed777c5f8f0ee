"""ruby, gem, bundler, rake: `file.rb:1:in 'method': message (Class)`; gem's `ERROR:  …`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import above, below


def _gem(lines: Lines, index: int, _: re.Match[str]) -> Found:
    at = below(lines, index, r"\s+\S", 1)
    return Found(index, () if at is None else (at,))


def _aborted(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """What aborted rake; of a command that failed, what it said last."""
    if not lines[index + 1].strip():
        return Found(index)
    if lines[index + 1].startswith("Command failed with status"):
        said = above(lines, index, r"[\w./-]{1,60}: \S", 12)
        return Found(index + 1) if said is None else Found(said)
    return Found(index + 1)


RULES = ToolRules(
    tool="ruby",
    known_by=r"\.rb:\d+:in |\bbundle(?:r)?\b|\bgem install\b|\brake\b|Gem::",
    command=r"(?:ruby|bundle|gem|rake|rails)",
    rules=(
        Rule(
            "exception",
            (":in `", ":in '", "rb:"),
            r"\S{1,300}:\d+:in [`'].{1,200}': .* \([A-Z][\w:]+\)$",
            EXCEPTION,
        ),
        Rule(
            "load",
            ("cannot load such file", "(LoadError)", "(SyntaxError)", "(NameError)"),
            r".{0,300}(?:cannot load such file|\((?:LoadError|SyntaxError|NameError)\))",
            EXCEPTION,
        ),
        Rule(
            "bundler-gem",
            ("Could not find ", "Bundler could not find compatible", "Could not locate Gemfile"),
            r"\s*(?:Bundler could not find compatible versions"
            r"|Could not find (?:gem )?\S+.* in |Could not locate Gemfile"
            r"|Could not find compatible versions)",
            DIAGNOSTIC - 2,
        ),
        Rule(
            "your-ruby",
            ("Your Ruby version is", "Your bundle", "You must use Bundler"),
            r"\s*(?:Your Ruby version is|You must use Bundler|Your bundle is locked)",
            DIAGNOSTIC - 2,
        ),
        Rule(
            "gem-error",
            ("ERROR: ",),
            r"ERROR: {1,2}(?:Error installing|Could not find a valid gem"
            r"|While executing gem|Failed to build gem native|Could not find a valid)",
            FATAL,
            _gem,
        ),
        Rule(
            "bundler-install",
            ("An error occurred while installing", "Bundler::", "Gem::"),
            r"\s*(?:An error occurred while installing|(?:Bundler|Gem)::\w+)",
            FATAL - 4,
        ),
        Rule(
            "rake",
            ("rake aborted!",),
            r"rake aborted!",
            FATAL - 6,
            _aborted,
        ),
        Rule(
            "rake-command",
            ("Command failed with status",),
            r"Command failed with status \(\d+\)",
            WRAPPER,
        ),
    ),
)
