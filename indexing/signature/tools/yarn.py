"""yarn: classic prints `error …`, berry prints `➤ YN0001: │ …`."""

from indexing.signature.interface import DIAGNOSTIC, FATAL, TRAILER, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="yarn",
    known_by=r"^yarn (?:run|install|add|workspace|config|global) v\d|YN0\d{3}:|\u27a4 YN",
    command=r"yarn",
    rules=(
        Rule(
            "exit",
            ("error Command failed",),
            r"error Command failed(?: with exit code|\.| with signal)",
            TRAILER,
        ),
        Rule(
            "unexpected",
            ("error An unexpected",),
            r"error An unexpected error occurred: .",
            DIAGNOSTIC,
        ),
        Rule(
            "classic",
            ("error ",),
            r"error (?!Command failed|TS\d|during|info|\[)(?P<message>\S.+)",
            FATAL,
            None,
            True,
        ),
        Rule("not-found", ("Error: http",), r" *Error: https?://\S+: .", FATAL, None, True),
        Rule(
            "berry",
            ("YN0",),
            r"\W{0,4}YN0(?!000)\d{3}: (?:\W )?(?!.*(?:Done with warnings"
            r"|Failed with errors|can't be found in the cache|SKIP"
            r"|must be built)).{0,40}"
            r"(?i:couldn't|can't|cannot|no candidates|not found|doesn't|failed"
            r"|invalid|error|incompat|conflict|forbidden|would (?:be"
            r"|have been) modified|usage)",
            FATAL,
        ),
        Rule(
            "berry-usage",
            ("Usage Error:", "Internal Error:"),
            r"(?:Usage|Internal) Error: .",
            FATAL,
        ),
        Rule("failed", ("Failed with errors",), r".*Failed with errors in", WRAPPER),
    ),
)
