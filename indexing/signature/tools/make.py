"""make, ninja, autotools: what the build drivers say themselves; their commands say more."""

from indexing.signature.interface import FATAL, TRAILER, WRAPPER, Rule, ToolRules

RULES = ToolRules(
    tool="make",
    known_by=r"^(?:g?make|mingw32-make)(?:\[\d+\])?: |^ninja: |^configure: |^checking for ",
    command=r"(?:g?make|ninja|\./configure)",
    rules=(
        Rule(
            "no-rule",
            (
                "No rule to make target",
                "Keine Regel",
                "missing separator",
                "No targets",
                "multiple target patterns",
                "unterminated call",
            ),
            r"\S.{0,80}(?:No rule to make target|Keine Regel, um|missing separator"
            r"|No targets|multiple target patterns|unterminated call)",
            FATAL + 6,
        ),
        Rule(
            "configure",
            ("configure: error",),
            r"configure: error: (?!in `|.*config\.log)\S",
            FATAL + 6,
        ),
        Rule("configure-see", ("error: ",), r"configure: error: in `", WRAPPER),
        Rule(
            "autoconf",
            ("configure.ac:", "Makefile.am:", "configure.in:"),
            r"\S*(?:configure\.(?:ac|in)|Makefile\.am):\d+: error: ",
            FATAL + 6,
        ),
        Rule("ninja", ("ninja: ",), r"ninja: (?:error|fatal): ", FATAL),
        Rule(
            "command",
            ("Command not found", "command not found", "Permission denied", "No such file"),
            r"g?make(?:\[\d+\])?: \S+: (?:Command not found|Permission denied|No such file)",
            FATAL + 6,
        ),
        Rule("file", ("***",), r"\S+:\d+: \*\*\* \S", FATAL + 6),
        Rule("no-target", ("***",), r"\S*make(?:\[\d+\])?: \*\*\* (?!\[|.*\.{4}$)\S", FATAL + 6),
        Rule(
            "signal",
            ("***",),
            r"\S*make(?:\[\d+\])?: \*\*\* \[.*\] (?!Error|Fehler|Erreur)\S",
            FATAL + 2,
        ),
        Rule("not-remade", ("not remade because",), r"\S*make.*not remade because", TRAILER),
        Rule("stopped", ("ninja: build stopped",), r"ninja: build stopped", TRAILER),
        Rule("failed-edge", ("FAILED: ",), r"FAILED: (?:\[code=\d+\] )?\S", WRAPPER),
        Rule("error", ("***",), r"\S*make(?:\[\d+\])?: \*\*\* ", WRAPPER - 2),
    ),
)
