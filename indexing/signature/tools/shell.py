"""sh, bash and what a system says through them: not found, denied, killed, no space."""

from indexing.signature.interface import ERROR, EXCEPTION, FATAL, Rule, ToolRules
from indexing.signature.look import joining_below

_WHO = r"(?:[\w./+-]{1,120}: )"

RULES = ToolRules(
    tool="shell",
    known_by=r"(?!)",
    command=r"(?:sh|bash|dash|zsh|\./\S+\.sh)",
    rules=(
        Rule(
            "not-found",
            ("not found",),
            r"(?:\S{0,80}(?:sh|bash|zsh|env|xargs"
            r"|sudo)\S{0,20}: )(?:(?:line )?\d+: )?.{0,120}: (?:command )?not found$",
            FATAL + 3,
        ),
        Rule(
            "not-found-plain",
            ("ommand not found", "ommand '"),
            r".{0,200}: [Cc]ommand not found\.?$|.{0,80}\bcommand not found: \S+$"
            r"|Command '\S{1,80}' not found",
            FATAL + 2,
        ),
        Rule(
            "not-recognized",
            ("is not recognized as",),
            r"(?:\S{1,200} : )?(?:'.{1,200}' is not recognized as an internal or external command"
            r"|The term '.{1,200}' is not recognized as )",
            FATAL + 3,
        ),
        Rule(
            "env",
            ("env: ",),
            r"(?:/usr/bin/)?env: .{1,100}: (?:No such file|Permission)",
            FATAL + 3,
        ),
        Rule(
            "bash",
            ("bash: ", "sh: "),
            r"\S{0,80}(?:ba|da|z|k)?sh: (?:(?:line )?\d+: )?.{1,300}: (?:No such file"
            r"|Permission denied|unbound variable|No space left|syntax error"
            r"|Is a directory|Not a directory|Argument list too long|cannot execute"
            r"|cannot open|bad substitution|Text file busy|Input/output error"
            r"|Read-only)",
            FATAL + 3,
        ),
        Rule("script", (": line ",), r"\S{1,200}: line \d+: \S.{0,300}", FATAL),
        Rule(
            "syntax",
            ("syntax error", "Syntax error"),
            r"\S{1,120}: (?:line )?\d+: [Ss]yntax error",
            FATAL + 3,
        ),
        Rule(
            "errno",
            (
                "No such file or directory",
                "Permission denied",
                "No space left on device",
                "Operation not permitted",
                "Connection refused",
                "Read-only file system",
                "Too many open files",
                "Device or resource busy",
            ),
            _WHO + r".{0,300}(?:No such file or directory|Permission denied"
            r"|No space left on device|Operation not permitted|Connection refused"
            r"|Read-only file system|Too many open files|Device or resource busy)",
            ERROR + 8,
        ),
        Rule(
            "no-space",
            ("No space left on device", "Disk quota exceeded", "no space left on device"),
            r".{0,300}(?:[Nn]o space left on device|Disk quota exceeded)",
            FATAL + 12,
        ),
        Rule(
            "killed",
            (
                "Killed",
                "Segmentation fault",
                "Bus error",
                "Aborted",
                "core dumped",
                "Illegal instruction",
                "Out of memory",
                "oom-kill",
                "OOMKilled",
            ),
            r"(?:.{0,120}: )?(?:line \d+: +\d+ )?(?:Killed|Segmentation fault"
            r"|Bus error|Aborted|Illegal instruction)\b(?: |$)(?!.*expected)"
            r"|.{0,200}(?:Out of memory: Kill|oom-kill|OOMKilled(?!\W{1,4}false))",
            EXCEPTION - 6,
        ),
        Rule(
            "sanitizer",
            (
                "ERROR: AddressSanitizer",
                "ERROR: LeakSanitizer",
                "WARNING: ThreadSanitizer",
                "runtime error: ",
                "Sanitizer",
            ),
            r"(?:==\d+==)?(?:ERROR|WARNING): \w+Sanitizer|\S+:\d+:\d+: runtime error: ",
            EXCEPTION + 2,
        ),
        Rule(
            "assert",
            ("Assertion",),
            r"\S{1,200}: (?:\S+:\d+: )?.{0,300}Assertion [`'].{1,400}' failed"
            r"|Assertion failed: .{1,400}, (?:function .{1,200}, )?file .{1,300}, line \d",
            EXCEPTION,
        ),
        Rule(
            "signal",
            ("received signal",),
            r"(?:Program|Thread .{1,60}) received signal SIG\w+",
            EXCEPTION,
            joining_below(r"#0 |0x\w+ in ", 3),
        ),
        Rule(
            "valgrind",
            (
                "== Invalid ",
                "== Conditional jump",
                "definitely lost",
                "== Use of uninit",
                "== Mismatched free",
            ),
            r"==\d+== (?:Invalid |Conditional jump|.{0,60}definitely lost"
            r"|Use of uninit|Mismatched free)",
            EXCEPTION - 2,
            joining_below(r"==\d+==\s+(?:at|by) 0x\w+: (?!.*\(in /usr)\S", 5),
        ),
        Rule("arrow", ("=====> ",), r"=====> \S", FATAL),  # pre-commit
        Rule(
            "option",
            ("llegal option", "nvalid option", "ad substitution", "not a valid identifier"),
            r"\S{1,200}: (?:(?:line )?\d+: )?.{0,200}(?:[Ii]llegal option"
            r"|[Ii]nvalid option|[Bb]ad substitution|not a valid identifier)",
            FATAL + 3,
        ),
        Rule(
            "other-language",
            (": Zeile ", ": ligne ", ": l\u00ednea ", ": riga ", ": linha "),
            r"\S{1,200}: (?:Zeile|ligne|l\u00ednea|riga|linha) \d+: \S",
            FATAL + 3,
        ),
        Rule("terminate", ("terminate called",), r"terminate called after throwing", EXCEPTION),
        Rule("curl", ("curl: (",), r"(?:.*)curl: \(\d+\) ", FATAL + 2),
        Rule(
            "wget",
            ("wget: ", "ERROR 4", "ERROR 5"),
            r"(?:wget: |.*\bERROR [45]\d\d: )\S",
            FATAL - 10,
        ),
    ),
)
