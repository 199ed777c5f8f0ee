"""npm: every line begins `npm ERR!` (to 9) or `npm error` (from 10); debug logs number theirs."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    ERROR,
    FATAL,
    SUMMARY,
    TRAILER,
    WRAPPER,
    Found,
    Lines,
    Rule,
    ToolRules,
    numbered,
)
from indexing.signature.look import below

_P = r"(?:npm (?:ERR!|error)|\d{1,6} error) "
_NUMBERED = numbered(end=" error ")
_NEEDS = ("npm ERR!", "npm error", *_NUMBERED)


def _conflict(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """ERESOLVE alone is the same for every conflict: join the first dependency that conflicts."""
    at = below(lines, index, _P + r"+Could not resolve dependency:", 30)
    if at is not None:
        at = below(lines, at, _P + r"+\S", 2)
    return Found(index, () if at is None else (at,))


def _required(lines: Lines, index: int, _: re.Match[str]) -> Found:
    """Which engine is asked for stands below."""
    at = below(lines, index, _P + r"notsup Required: ", 6)
    return Found(index, () if at is None else (at,))


RULES = ToolRules(
    tool="npm",
    known_by=r"^npm (?:ERR!|error|WARN|warn|notice|info) "
    r"|^\d+ (?:info it worked|verbose cli|silly )|^> \S+@\S+ \S+",
    command=r"(?:npm|npx)",
    rules=(
        Rule("conflict", _NEEDS, _P + r"(?:ERESOLVE |peerinvalid )", DIAGNOSTIC, _conflict),
        Rule("lock", _NEEDS, _P + r"(?:Missing|Invalid): \S+", DIAGNOSTIC),
        Rule("version", _NEEDS, _P + r"notarget No matching version", DIAGNOSTIC),
        Rule(
            "request",
            _NEEDS,
            _P + r"(?:network )?(?:FetchError: )?request to \S+ failed",
            DIAGNOSTIC,
        ),
        Rule("missing-script", _NEEDS, _P + r"[Mm]issing script", DIAGNOSTIC),
        Rule("not-found", _NEEDS, _P + r"404 +(?!In most cases|or use|Note|$)\S", DIAGNOSTIC),
        Rule(
            "bad-engine",
            _NEEDS,
            _P + r"(?:notsup |engine )(?!.*\{$)(?:Unsupported|Not compat)",
            DIAGNOSTIC,
            _required,
        ),
        Rule(
            "json",
            _NEEDS,
            _P + r"(?!code |path )(?:JSON\.parse (?:Unexpected|Invalid|Expected|Bad)|Merge conflict"
            r"|(?:JSON\.parse )?Failed to parse)",
            DIAGNOSTIC,
        ),
        Rule(
            "reason",
            _NEEDS,
            _P + r"(?!code |errno |syscall )(?:[a-z]+ )?(?:Error: )?(?:enoent|ENOENT"
            r"|EACCES|EPERM|EEXIST|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT"
            r"|EAI_AGAIN|EINTEGRITY|EBADENGINE|EBADPLATFORM|EUSAGE|ETARGET|ENEEDAUTH"
            r"|CERT_\w+|SELF_SIGNED\w*"
            r"|ENOTEMPTY|ENOSPC|EINVALID\w*|E40[0-9]|E5\d\d|notarget|network|cb\(\) never"
            r"|`npm ci`|request to|Invalid|Unsupported|Could not|Cannot|The operation was)",
            FATAL,
        ),
        Rule(
            "lifecycle",
            _NEEDS,
            _P + r"(?!.*verbose stack)(?:@?[\w./-]+@\S+ [\w:.-]+: `|command failed$)",
            WRAPPER,
        ),
        Rule("lifecycle-7", _NEEDS, _P + r"(?:command |path |workspace |location )", TRAILER),
        Rule("code", _NEEDS, _P + r"(?:code|errno|syscall) \S+", TRAILER),
        Rule("exit", _NEEDS, _P + r"Exit status \d+", TRAILER),
        Rule("failed-at", _NEEDS, _P + r"Failed at the ", TRAILER),
        Rule(
            "lifecycle-failed",
            _NEEDS,
            r"npm (?:ERR!|error) (?:Lifecycle script|Error: command failed)",
            TRAILER,
        ),
        Rule(
            "other",
            ("npm ERR!", "npm error"),
            r"npm (?:ERR!|error) {1,4}(?!A complete log|    |This is probably"
            r"|There is likely|node |npm |argv |cwd |System |"
            r"Tell |You can|not ok|In most|or use|Note that|\[|\{|\}|at |$)\S",
            ERROR,
        ),
        Rule(  # a debug log holds nothing of what the script printed
            "debug-lifecycle",
            _NUMBERED,
            r"\d{1,6} error @?[\w./-]+@\S+ [\w:.-]+: `",
            ERROR + 1,
        ),
        Rule("debug-error", _NUMBERED, r"\d{1,6} error \S", SUMMARY, None, True),
    ),
    skip=(
        *(
            (
                "npm's advice",
                literal,
                r"^(?:npm error|\d+ error) (?:Failed at the|Make sure you have"
                r"|If you do, this|If you are behind|Could not resolve dependency|not with npm|"
                r"Tell the author|You can get|There is likely"
                r"|This is (?:most )?(?:probably|likely)|\s)",
            )
            for literal in ("npm error", *_NUMBERED)
        ),
        (
            "npm's advice",
            "npm ERR!",
            r"^npm ERR! (?:Failed at the|Make sure you have|If you do, this|not with npm|"
            r"Tell the author|You can get|There is likely|This is (?:most )?(?:probably|likely))",
        ),
        *(
            (
                "npm's own surroundings",
                literal,
                r"^\d+ error (?:Darwin|Linux|Windows_NT|SunOS|FreeBSD|System|argv|node"
                r"|npm|cwd|path|command) ",
            )
            for literal in _NUMBERED
        ),
        (
            "npm's note on where its log lies",
            "npm",
            r"npm (?:ERR!|error) (?:A complete log of this run|    .*_logs)",
        ),
        ("npm: may not be npm's fault", "npm", r"This is probably not a problem with npm"),
    ),
)
