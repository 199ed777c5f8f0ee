"""Any tool: lines shaped like an error, and shapes that are never one."""

from indexing.signature.interface import (
    ERROR,
    FATAL,
    SUMMARY,
    TRAILER,
    WARNING,
    Rule,
    ToolRules,
)

SUCCESS = (
    r"OK(?: \(.*\))?$",
    r"=* ?[1-9]\d* passed(?!.*(?:failed|error)).*$",
    r"BUILD SUCCESS(?:FUL)?\b",
    r"All checks passed",
    r"\[success\] Total time: ",
    r"Test Suite 'All tests' passed",
    r"\W{0,3}Test run with [1-9]\d* tests? .*passed",
    r".*writing image sha256:\S+ (?:[\d.]+s )?done",
    r".*naming to \S+ (?:[\d.]+s )?done",
    r"\s*Finished `?[\w-]{1,30}`? (?:profile )?\[.{1,60}\] target\(s\) in ",
    r"[1-9]\d* scenarios? \((?:\d+ skipped, )?\d+ passed\)$",
    r".* - 0 Error\(s\),",
    r"\s*Summary \[.{1,20}\] \d+ tests? run: \d+ passed(?!.*(?:failed|timed out))",
    r"100% tests passed",
    r"test result: ok\.",
    r"Success: no issues",
    r"\W*0 (?:errors|failures)\b",
    r"Finished: SUCCESS",
    r"(?:Tests|Test Files):? .*\bpassed\b(?!.*failed)",
    r"[1-9]\d* passing\b",
    r"# fail 0$",
    r"(?:\d\d:\d\d \+\d+(?: ~\d+)?: )?All (?:\d+ )?tests (?:passed|successful)",
    r"Testing \S+ tests passed",
    r"Status: OK$",
    r"Apply complete!",
    r"Successfully installed ",
    r"\W*\d+ problems? \(0 errors",
    r"\d+ examples?, 0 failures",
    r"\d+ (?:runs|tests), .*0 failures, 0 errors",
    r"Result: PASS",
    r".*All done!",
    r".*0 chart\(s\) failed",
    r".*compiled (?:successfully|with \d+ warning)",
    r".*Build succeeded",
    r"-- Build files have",
    r".*built in [\d.]+",
    r"ok  \t",
    r"(?:added|changed|removed|audited) \d+ packages?",
    r"up to date\b",
    r"found 0 vulnerabilities",
    r"All matched files use",
    r"Done(?: in [\d.]+m?s)?[.!]?$",
    r".*failed=0\b(?!.*unreachable=[1-9]).*",
)
"""How a line begins by which a run says that nothing failed, behind a level if there is one."""

_LEVEL = r"(?:\[?(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|ALERT|PANIC)\]?|\[E\])"

RULES = ToolRules(
    tool="generic",
    known_by=r"(?!)",
    rules=(
        Rule(
            "exception",
            ("Error: ", "Exception: ", "Error:", "Exception:", "Error", "Exception"),
            r"(?:\s{0,12})(?:Uncaught |Unhandled "
            r"|Caused by: )?(?:[\w$]{1,60}[.:\\/]{1,2}){0,12}[A-Z][\w$]{0,80}(?:Error"
            r"|Exception)(?:\s?\[[\w-]{1,40}\])?: \S",
            ERROR + 4,
        ),
        Rule(
            "fatal",
            ("fatal", "FATAL", "Fatal", "panic", "PANIC", "CRITICAL", "critical"),
            r"(?:.{0,60}?[\s\[:>])?(?:fatal(?: error)?|FATAL(?: ERROR)?"
            r"|Fatal(?: error)?|panic|PANIC|CRITICAL)\W{1,3}\S",
            ERROR + 6,
        ),
        Rule(  # a compiler's error, of whatever language: what is wrong, and where
            "located",
            ("rror",),
            r"\s{0,4}(?:[A-Za-z]:)?[\w./\\+@~-]{1,300}\.[A-Za-z]\w{0,11}(?::\d{1,7}(?::\d{1,7})?"
            r"|\(\d{1,7}(?:, ?\d{1,7})?\)):? ?(?:-|:)? ?(?:fatal |syntax )?[Ee]rror"
            r"(?: ?\[?\w{0,12}\]?) ?: \S",
            FATAL - 4,
        ),
        Rule(
            "error-first",
            ("rror", "ERR", "Fehler", "erreur"),
            r"\W{0,6}(?:[Ee]rror|ERROR|ERR!?|Fehler"
            r"|erreur)\]?(?:\s?\[?[A-Z]*\d{1,6}\]?)?\s?[:\-!\u2502|]{1,2} ?\S",
            ERROR + 2,
        ),
        Rule("error-alone", ("rror:", "ERROR:"), r"\s{0,4}(?:[Ee]rror|ERROR):$", ERROR + 1),
        Rule(
            "error-tag",
            (
                "ERROR",
                "Error",
                "error",
                "FATAL",
                "CRITICAL",
                "SEVERE",
                "EMERG",
                "ALERT",
                "PANIC",
                "[E]",
            ),
            r"(?:\S{1,80} ){0,3}\W{0,3}(?:" + _LEVEL + r"|error|Error)(?![-./]\w)\W{1,3}\S.{3,}",
            ERROR - 4,
        ),
        Rule(
            "error-in",
            ("rror: ", "ERROR: ", "Fehler: "),
            r"\S.{0,200}?\b(?:[Ee]rror|ERROR|Fehler): \S",
            ERROR,
        ),
        Rule(
            "cannot",
            (
                "annot",
                "ould not",
                "nable to",
                "an't",
                "ouldn't",
                "ailed to",
                "not found",
                "o such ",
                "ermission denied",
                "onnection refused",
                "onnection reset",
                "imed out",
                "ehlgeschlagen",
                "unrecognized ",
            ),
            r"(?!.*\b[Ww]arn(?:ing)?\b).{0,200}(?:[Ff]ehlgeschlagen|\b(?:[Cc]annot"
            r"|[Cc]ould not|[Uu]nable to|[Cc]an't|[Cc]ouldn't|[Ff]ailed to"
            r"|[Nn]o such (?:file|host|module|image|package))\b|\bnot found\b"
            r"|[Pp]ermission denied|[Cc]onnection (?:refused|reset|timed out)"
            r"|[Tt]imed out|\bunrecognized (?:option|argument))",
            WARNING,
        ),
        Rule(
            "failed",
            ("FAIL", "ailed", "ailure", "FAILURE"),
            r".{0,200}(?:\bFAIL(?:ED|URE)?\b|\b[Ff]ailed\b|\b[Ff]ailure\b)",
            SUMMARY - 2,
        ),
        Rule(
            "error-word",
            ("rror", "ERROR", "xception"),
            r"(?!.{0,300}\bwarning: ).{0,300}(?<![\w./-])"
            r"(?:[Ee]rrors?|ERRORS?|[Ee]xception)\b(?![-_./]\w)",
            SUMMARY - 4,
        ),
        Rule(
            "exit",
            ("xit code", "xit status", "xit value", "xited with", "non-zero exit"),
            r".{0,300}(?:[Ee]xit(?:ed with)? (?:code|status|value)|exited with|non-zero exit)",
            TRAILER,
        ),
        Rule("trailer", ("##[error]",), r".*##\[error\]", TRAILER - 2),
    ),
    skip=(
        (
            "maven's help",
            "[ERROR]",
            r"^\[ERROR\]\s*(?:-> )?(?:\[Help \d+\]|To see the full|Re-run Maven"
            r"|For more information about|After correcting|$)",
        ),
        ("a passing line", "\u2713", r"^\W{0,4}[\u2713\u2714\u221a] "),
        ("a passing line", "\u2714", r"^\W{0,4}[\u2713\u2714\u221a] "),
        ("a passing line", "\u221a", r"^\W{0,4}[\u2713\u2714\u221a] "),
        ("a passing line", "ok ", r"^\s*ok \d+\b"),
        ("a passing line", "... ok", r"\.\.\. ok$"),
        ("a passing line", "PASS", r"^(?:\s*PASS:? |.* (?:PASS|PASSED)$|\[ *PASS)"),
        ("a passing line", " OK ]", r"^\[ +OK \]"),
        (
            "nothing failed",
            "0 ",
            r"(?<![\w.])0 (?:[Ee]rrors?|Error\(s\)|failures?|failed|failing|problems"
            r"|vulnerabilities)\b(?!.*\b[1-9]\d* (?:errors?|failures?|failed|failing))",
        ),
        (
            "nothing failed",
            ": 0",
            r"(?:[Ee]rrors?|[Ff]ail(?:ures?|ed)): 0\b(?!.*(?:[Ee]rrors?"
            r"|[Ff]ail(?:ures?|ed)): [1-9])",
        ),
        ("nothing failed", "No ", r"^\W{0,6}No (?:errors?|failures?|problems?|issues)\b"),
        ("nothing failed", "no error", r"\bno errors?\b"),
        ("a command, echoed before it runs", "+ ", r"^\++ \S"),
        (
            "a command, echoed before it runs",
            "$ ",
            r"^\s*(?:[\w.-]{1,60}@[\w.-]{1,60}:[^\s$]{0,200})?\$ \S",
        ),
        ("a command, echoed before it runs", "Step ", r"^Step \d+/\d+ : "),
        (
            "a command, echoed before it runs",
            "#",
            r"^#\d+ \[.{0,80}\] (?:RUN|COPY|ADD|FROM|WORKDIR|CMD) ",
        ),
        ("a command, echoed before it runs", "RUN ", r"^\s*(?:> )?\[[^\]]{1,60}\] RUN "),
        (
            "source of a script",
            "echo ",
            r"^\s*(?:(?:el)?if \[.*\becho |[@-]?echo [\"']|.*(?:;|&&|\|\|) ?(?:then )?echo [\"'])",
        ),
        ("source, shown as it is", "// ", r"^[-+ ]?\s*// \S"),
        ("a warning", "\u25b2", r"^[\s\u2502]*\u25b2\s"),
        (
            "source, shown beside its line number",
            "|",
            r"^\s*(?:> ?)?\d{1,6} ?\|(?! (?:ERROR|WARNING) )",
        ),
        (
            "source, shown beside its line number",
            "\u2502",
            r"^\s*(?:> ?)?\d{1,6} ?\u2502",
        ),
        (
            "not the failure, where it lies",
            "Error occurs in",
            r"^\s*Error occurs in the template of",
        ),
        ("only information", "Note: ", r"^Note: "),
        ("only information", "INFO", r"^\W{0,3}INFO\b|^\S{1,40} INFO\b"),
        ("only information", "level=", r"\blevel=[\"']?(?:info|debug|trace|INFO|DEBUG|TRACE)\b"),
        ("only information", "level", r"\"level\": ?\"(?:info|debug|trace|INFO|DEBUG|TRACE)\""),
        ("only information", "DEBUG", r"^\W{0,3}DEBUG\b|^\S{1,40} DEBUG\b"),
        ("only information", "npm WARN", r"^npm WARN "),
        ("only information", "npm warn", r"^npm warn "),
    ),
)
