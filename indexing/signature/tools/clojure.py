"""clojure.test, lein, clj: `FAIL in (test) (file.clj:3)`, what came out instead below it."""

from indexing.signature.interface import DIAGNOSTIC, EXCEPTION, FATAL, TRAILER, Rule, ToolRules
from indexing.signature.look import joining_below

RULES = ToolRules(
    tool="clojure",
    known_by=r"\blein\b|\bclojure\b|\.cljc?:\d+|^(?:FAIL|ERROR) in \(",
    command=r"(?:lein|clj|clojure|boot)",
    rules=(
        Rule(
            "test",
            ("FAIL in (", "ERROR in ("),
            r"(?:FAIL|ERROR) in \(",
            DIAGNOSTIC,
            joining_below(r"\s*actual: \S", 30, r"(?:FAIL|ERROR) in \(|Ran \d+ tests"),
        ),
        Rule(
            "syntax",
            ("yntax error", "xecution error"),
            r"(?:.{0,40})(?:[Ss]yntax error (?:compiling|reading|macroexpanding)"
            r"|Execution error).{0,100} at \(?\S+",
            EXCEPTION,
            joining_below(r"\S", 1),
            True,
        ),
        Rule(
            "compiler",
            ("CompilerException", "compiling:("),
            r".{0,300}(?:CompilerException \S|, compiling:\()",
            EXCEPTION + 1,
        ),
        Rule(
            "artifact",
            ("Could not find artifact", "Could not transfer artifact"),
            r"(?:\(Error: )?Could not (?:find|transfer) artifact \S",
            FATAL,
            None,
            True,
        ),
        Rule(
            "total",
            ("Tests failed.", "Subprocess failed"),
            r"(?:Tests|Subprocess) failed\.",
            TRAILER + 2,
            None,
            True,
        ),
    ),
)
