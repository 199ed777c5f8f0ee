"""pnpm: ` ERR_PNPM_…  message`, and ` ELIFECYCLE ` where a script failed."""

from indexing.signature.interface import DIAGNOSTIC, FATAL, TRAILER, Rule, ToolRules
from indexing.signature.look import joining_below

RULES = ToolRules(
    tool="pnpm",
    known_by=r"ERR_PNPM_|\bpnpm(?:@|:| )|node_modules/\.pnpm|\u2009ELIFECYCLE",
    command=r"pnpm",
    rules=(
        Rule(
            "peer",
            ("ERR_PNPM_PEER_DEP",),
            r"\s*\W?ERR_PNPM_PEER_DEP_ISSUES",
            DIAGNOSTIC,
            joining_below(r".*\bunmet peer\b|.*Conflicting", 12),
        ),
        Rule(
            "recursive",
            ("ERR_PNPM_RECURSIVE",),
            r".{0,60}?ERR_PNPM_RECURSIVE_[A-Z_0-9]+\W",
            TRAILER,
        ),
        Rule(
            "engine",
            ("ERR_PNPM_UNSUPPORTED_ENGINE",),
            r".{0,60}ERR_PNPM_UNSUPPORTED_ENGINE",
            DIAGNOSTIC,
            joining_below(r"Expected version: ", 8),
        ),
        Rule("code", ("ERR_PNPM_",), r".{0,60}?ERR_PNPM_(?!RECURSIVE_)[A-Z_0-9]+\W", FATAL + 5),
        Rule("lifecycle", ("ELIFECYCLE",), r"\W*ELIFECYCLE\W", TRAILER),
        Rule("error", ("ERROR",), r"\W{0,3}ERROR\W{1,3}(?=\S)", FATAL, None, True),
    ),
)
