"""gcc, clang, ld and friends: `file:line:col: error: message`; `undefined reference to`."""

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    WRAPPER,
    Found,
    Rule,
    ToolRules,
)

_WORDS = (
    r"(?:error|fatal error|Fehler|schwerwiegender Fehler|erreur(?: fatale)?|errore"
    r"|error fatal|fallo|\u043e\u0448\u0438\u0431\u043a\u0430|\u9519\u8bef"
    r"|\u81f4\u547d\u9519\u8bef|\u30a8\u30e9\u30fc)"
)


RULES = ToolRules(
    tool="gcc",
    known_by=r": (?:fatal )?error: |undefined reference to|collect2: |\bg?cc\b|\bg\+\+|\bclang\b",
    command=r"(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld)",
    rules=(
        Rule(
            "diagnostic",
            (
                ": error",
                ": fatal error",
                "ehler",
                "erreur",
                "errore",
                ": fallo",
                ": \u043e\u0448\u0438\u0431\u043a\u0430",
                "\u9519\u8bef",
                "\u30a8\u30e9\u30fc",
            ),
            r"\s{0,16}(?:In file included from )?(?:[A-Za-z]:)?[^\s:'\"][^:'\"]{0,300}"
            r"(?<!\.go)(?<!\.py)(?<!\.hs)(?<!\.lhs)(?<!\.rb)(?<!\.js)(?<!\.ts)(?::\d+){1,2} ?: "
            + _WORDS
            + r" ?:(?: |$)",
            DIAGNOSTIC,
        ),
        Rule(
            "msvc",
            (" error C", " error LNK", " error MSB", " error RC", " error D", "fatal error "),
            r".{0,300}(?:\(\d+(?:,\d+)?\))? ?: (?:fatal )?error (?:C|LNK|MSB|RC|D)\d{3,5}: ",
            DIAGNOSTIC,
        ),
        Rule(
            "undefined",
            (
                "undefined reference to",
                "undefined symbol",
                "Undefined symbols for",
                "multiple definition of",
                "unresolved external",
                "Nicht definierter Verweis",
                "nicht definierter Verweis",
            ),
            r"(?!# ).{0,400}(?:undefined reference to|undefined symbol: "
            r"|multiple definition of|unresolved external"
            r"|[Nn]icht definierter Verweis)",
            DIAGNOSTIC - 2,
        ),
        Rule(
            "undefined-mac",
            ("Undefined symbols for",),
            r"Undefined symbols for architecture",
            DIAGNOSTIC - 3,
            lambda lines, index, _: (
                Found(index, (index + 1,)) if lines[index + 1].strip() else Found(index)
            ),
        ),
        Rule(
            "library",
            (
                "cannot find -l",
                "library not found for",
                "unable to find library",
                "cannot find ",
            ),
            r".{0,200}(?:cannot find -l|library not found for|unable to find library"
            r"|cannot find \S+\.o)",
            DIAGNOSTIC - 2,
        ),
        Rule(
            "driver",
            (
                ": error: ",
                ": fatal error: ",
                "ld: ",
                "ld.",
            ),
            r"(?:\S*/)?(?:cc1(?:plus)?|gcc|g\+\+|clang(?:\+\+)?(?:-\d+)?|c\+\+|cc|ld"
            r"|ld\.\w+): (?:fatal )?error: (?!linker command|ld returned)"
            r"|(?:\S*/)?ld(?:\.\w+)?: (?!warning|.*in function|.*: (?:note|warning): |skipping)\S",
            FATAL,
        ),
        Rule("signed", ("internal compiler error",), r".{0,300}internal compiler error", EXCEPTION),
        Rule(
            "collect",
            ("ld returned", "linker command failed"),
            r".{0,40}(?:ld returned \d+ exit status|linker command failed)",
            WRAPPER,
        ),
    ),
)
