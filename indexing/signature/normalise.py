r"""STEPS: what differs between two runs of one failure, by name and in order.

Masks replace what the run decides (when, where, which process); what the error means stays: exit
codes, error codes, errno, signals, versions, package and test names, base names of files.
Every pattern is linear: no nested repeats, every repeat over an open class is bounded.
"""

import re
from collections.abc import Iterator

from indexing.signature.interface import Change, Step

_I = re.IGNORECASE

_QUOTES = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201b": "'",
        "\u2039": "'",
        "\u203a": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
        "\u200b": None,
        "\ufeff": None,
        "\ufffd": "?",
        "\u2192": "->",
        "\u2026": "...",
    }
)


def _sorted_pairs(found: re.Match[str]) -> str:
    """`map[b:2 a:1]` with its pairs in order; left alone where pairs cannot be told apart."""
    pairs = found[1].split(" ")
    if all(":" in pair for pair in pairs):
        pairs.sort()
    return "map[" + " ".join(pairs) + "]"


def _sorted_set(found: re.Match[str]) -> str:
    return "{" + ", ".join(sorted(found[1].split(", "))) + "}"


def _sha(found: re.Match[str]) -> str:
    """Masks hex that has both digits and letters; a number or a word of a-f stays."""
    text = found[0]
    if text.isdigit() or text.isalpha():
        return text
    return "<SHA>"


def _base(found: re.Match[str]) -> str:
    """The path's last name: where a checkout lies, and from where a tool was called, differs."""
    names = [name for name in re.split(r"[/\\]", found[0]) if name]
    return names[-1] if names and not names[-1].endswith(":") else "<DIR>"


def _temporary(found: re.Match[str]) -> str:
    """The name of a file below a temporary folder, unless the name too is drawn at random."""
    names = [name for name in re.split(r"[/\\]", found[1]) if name]
    if names and (len(names) > 1 or names[0].islower()) and not re.search(r"\d", names[-1]):
        return names[-1]
    return "<TMP>"


STEPS: tuple[Step, ...] = (
    # How a tool frames a line says nothing of the failure, and changes between its versions.
    Step(
        "frame",
        re.compile(
            r"^(?:\s|[\u2500-\u257f\u25b6\u27a4\u2718\u2717\u2716\u00d7\u25cf\u2022\u2"
            r"76f\u00b7|>](?=[\s\u2500-\u25ff]|$)"
            r"|npm (?:ERR!|error)(?=\s|$)|\d{1,6} error(?=\s)|(?:E|#) {2,}"
            r"|==\d{1,9}==|PHP (?=[FPW])"
            r"|\[ *(?:javac|junit|exec|ant:\w{1,20}|ERROR|FATAL|error|Error|apply"
            r"|copy|java)\](?=\s|:)"
            r"|YN\d{4}:(?=\s)|docker: (?=[A-Z])|vet: (?=\S)|:[\w:]{1,80}(?=/\w|[A-Z]:\\)"
            r"|[a-z][\w.-]{1,40}\[\d{1,8}\]:(?=\s)"
            r"|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9} +\d{1,8} (?=\S{1,80}\.go:\d))+",
            re.MULTILINE,
        ),
        "",
        'npm ERR! Missing script: "build"',
        'Missing script: "build"',
        "npm errors are errors, E2BIG",
    ),
    Step(
        "rule",
        re.compile(
            r"(?:^|(?<=\s))(?:-{4,}|_{4,}|={4,}|\*{4,}|~{4,}|\u2500{3,}|\u2501{3,}"
            r"|\u23af{3,})(?=\s|$)",
            re.MULTILINE,
        ),
        "",
        "_____ test_total _____",
        "test_total",
        "--- a/cart.py",
    ),
    # Times first: a bare clock `10:02:11` would else be taken for line and column.
    Step(
        "timestamp",
        re.compile(
            r"(?<![\w.])\d{4}[-/]\d\d[-/]\d\d(?:[T _]\d\d[:.h]?\d\d(?:[:.]?\d\d)?(?:[."
            r",]\d{1,9})?)?"
            r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?![\w])"
            r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? \d{0,2} ?(?:Jan|Feb|Mar"
            r"|Apr|May|Jun|Jul"
            r"|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} {1,2}(?:\d{1,2} )?(?:\d\d:\d\d:\d\d )?(?"
            r":[A-Z]{3,4} )?"
            r"\d{4}(?: \d\d:\d\d:\d\d(?: ?(?:[A-Z]{3,4}|[+-]\d{4}))?)?"
            r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2},? (?:\d{4},? )?"
            r"\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [AP]M)?"
            r"|\bdatetime\.datetime\([^()]{0,80}(?:\([^()]{0,40}\))?[^()]{0,40}\)"
        ),
        "<TS>",
        "no token since 2026-08-21T10:02:11.482Z",
        "no token since <TS>",
        "CVE-2026-08211 in release 2026",
    ),
    Step(
        "clock",
        re.compile(r"(?<![\w:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M\b)?(?![\w:])"),
        "<TS>",
        "lost at 10:02:11.482",
        "lost at <TS>",
        "a.rs line ratio 16:9",
    ),
    Step(
        "uuid",
        re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", _I),
        "<UUID>",
        "request 3f2a9c01-9d4a-4c77-8a11-0badc0ffee42 failed",
        "request <UUID> failed",
        "offer 20-30-40-50-60 failed",
    ),
    Step(
        "apt-ip",
        re.compile(r"(?<!\s)\s{0,8}\[IP: [\da-f.:]{3,45} \d{1,5}\]"),
        "",
        "404  Not Found [IP: 151.101.130.132 80]",
        "404 Not Found",
        "[IP: unknown]",
    ),
    Step(
        "ip",
        re.compile(
            r"(?:(?<=IP: )|(?<=://)|(?<=[@\[>])|(?<=\b(?:tcp|udp) )|(?<=\b(?:from|host|node) )"
            r"|(?=[\d.]{7,15}:\d))(?!127\.|0\.0\.0\.0)(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
        ),
        "<IP>",
        "read tcp 10.0.0.4:5431->10.0.0.9:5432: reset",
        "read tcp <IP>:5431-><IP>:5432: reset",
        "ruby version is 2.7.5.203, 127.0.0.1:6443 refused",
    ),
    Step(
        "mac",
        re.compile(
            r"(?<![\w:-])(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}"
            r"|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![\w:-])",
            _I,
        ),
        "<MAC>",
        "no lease for 52:54:00:ab:cd:ef",
        "no lease for <MAC>",
        "SomeClass::someMethod failed",
    ),
    # Before hex: `0x7ffd1234abcd` holds what looks like a sha.
    Step(
        "address",
        re.compile(r"\b0x[0-9a-f]{3,16}\b|(?<=\+)0x[0-9a-f]{1,16}\b|(?<= at )0x[0-9a-f]*", _I),
        "<ADDR>",
        "<Server object at 0x7f3a2c1d> is closed",
        "<Server object at <ADDR>> is closed",
        "colour 0xZZ, mask 0xff",
    ),
    Step(
        "digest",
        re.compile(r"\b(sha(?:1|256|512)[:-])[A-Za-z0-9+/=]{20,128}"),
        r"\1<SHA>",
        "no such manifest sha256:df9b9388f04ad6279a7410b85cedfdcb2208c0a003da7ab5613af71079148139",
        "no such manifest sha256:<SHA>",
        "algorithm sha256 is off",
    ),
    Step(
        "ulid",
        re.compile(r"\b0[0-7][0-9A-HJKMNP-TV-Z]{24}\b"),
        "<ULID>",
        "event 01JB3Z8X5T9V2K4M6N8P0Q2R4S lost",
        "event <ULID> lost",
        "event INTERNALSERVERERRORHASOCCUR lost",
    ),
    Step(
        "url-secret",
        re.compile(r"(?<=://)[^/\s@'\"]{1,200}@"),
        "",
        "fatal: https://bot:hunter2@git.example/a.git: 403",
        "fatal: https://git.example/a.git: 403",
        "mail ops@git.example",
    ),
    Step(
        "url-query",
        re.compile(r"(https?://[^\s?'\"<>]{1,500})\?[^\s'\"<>)]{1,2000}"),
        r"\1?<QUERY>",
        "404 https://cdn.example/a.tgz?X-Sig=ab12&t=99",
        "404 https://cdn.example/a.tgz?<QUERY>",
        "is it https://cdn.example/a.tgz ? no",
    ),
    Step(
        "temp",
        re.compile(
            r"(?:(?<![\w.])/(?:private/)?(?:tmp|var/tmp|var/folders|dev/shm|run/user/\d{1,6})"
            r"|\b[A-Za-z]:[\\/]{1,2}(?:Users[\\/]{1,2}[^\\/\s'\"]{1,60}[\\/]{1,2}AppDa"
            r"ta[\\/]{1,2}"
            r"Local[\\/]{1,2}Temp|Windows[\\/]{1,2}Temp|Temp))"
            r"((?:[\\/]{1,2}[^\s'\"\\/:,;<>()\[\]}]{1,120}){0,40})(?:[\\/]|(?![\w.-]))",
            _I,
        ),
        _temporary,
        "cannot write /tmp/tmp.Ab_12: denied",
        "cannot write <TMP>: denied",
        "the folder tmp/cache is full",
    ),
    Step(
        "path",
        re.compile(
            r"(?<![\w.:/\\<>~@-])(?:file://)?(?:~|\$\w{1,20}|\$\{\w{1,20}\}|<ROOT>)?"
            r"(?:/(?:[\w@+~.%\-=,#\[\]()]{1,100}/{1,2}){1,40}"
            r"|[A-Za-z]:[\\/]{1,2}(?:[\w@+~.%\-=,#\[\]()&]{1,100}(?: [\w()&]{1,30}){0,"
            r"3}[\\/]{1,2}){0,40}"
            r"|\\\\(?:[\w@+~.%\-=,#$()]{1,100}\\){2,40})"
            r"(?:[\w@+~.%\-=#]{1,120}(?:\[[\w-]{1,40}\][\w.]{0,40})?)?",
        ),
        _base,
        "can't open '/home/ann/shop/src/cart.py'",
        "can't open 'cart.py'",
        "import '@scope/pkg-a' or '@/api/client' or ./utils/index, https://a.example/b/c",
    ),
    Step(
        "relative-path",
        re.compile(
            r"(?<![\w.:/\\<>@~$-])(?!['\"`]\.)(?<!['\"`](?=\.))"
            r"(?![\w-]{1,60}\.(?:com|org|net|io|dev|in|sh|example)/)"
            r"(?:\.{1,2}[/\\])?[\w@+~.%-](?:[\w@+~.%\-\[\]()]{0,100}[/\\]{1,2}){1,40}"
            r"[\w@+~.%\-\[\]]{1,100}?\.[A-Za-z]\w{0,11}(?=$|[\s:,;()'\"`\]|]|\.(?:\s|$))"
        ),
        _base,
        "src/components/Cart.tsx: error TS2339",
        "Cart.tsx: error TS2339",
        "cannot find '../db/index' or './a.js' or github.com/acme/shop.git",
    ),
    Step(
        "line-column",
        re.compile(
            r"(?P<name>\.[A-Za-z][A-Za-z0-9_]{0,11}|<[a-z]\w{0,20}>|\[eval\]"
            r"|[Mm]akefile|Dockerfile)"
            r"(?:(?::\d{1,7}){1,4}(?:[-~,]\d{1,7}(?::\d{1,7})?)?(?=[:\s,;)\]'\"|>]|$|\.(?:\s|$))"
            r"|:?[(\[]\d{1,7}(?:[,:] ?\d{1,7}){0,3}[)\]](?=[:,\s]|$)"
            r"| \(\d{1,7}:\d{1,7}\)(?=[:\s]|$))"
            r"(?: - (?=error|warning)|(?P<colon>:? ?))"
        ),
        lambda found: f"{found['name']}:<L>" + (": " if found["colon"] is None else found["colon"]),
        "cart.py:42:7: oops, b.ts(3,5): no, c.ts:3:5 - error",
        "cart.py:<L>: oops, b.ts:<L>: no, c.ts:<L>: error",
        "listen on db.example:5432x or port :8080",
    ),
    Step(
        "line-alone",
        re.compile(
            r"^\s*\d{1,7}:\d{1,7}(?=\s+(?:error|warning)\b)|(?<=@)\d{1,7}:\d{1,7}(?=\))"
            r"|(?<=\()\d{1,7}:\d{1,7}(?=\)$)|(?<=sh: )\d{1,7}(?=: )",
            re.MULTILINE,
        ),
        "<L>",
        "5:22 error 'rates' is not defined",
        "<L> error 'rates' is not defined",
        "16:9 is a ratio",
    ),
    Step(
        "line-word",
        re.compile(
            r"\b(lines?|Zeile|ligne|l\u00ednea|riga|linha|row|col(?:umn)?s?|character|char|offset"
            r"|position|Spalte|colonne|columna)([ :=#]{1,2})\d{1,9}(?:[-:]\d{1,7})?\b",
            _I,
        ),
        r"\1\2<L>",
        'File "cart.py", line 42, in total',
        'File "cart.py", line <L>, in total',
        "deadline 42 passed, at most 80 columns",
    ),
    Step(
        "object-id",
        re.compile(
            r"\b(container|pod|task|job|request|run|build|session|trace|span|instance|layer)"
            r"([ :=#]{1,2}(?:id[ :=]{1,2})?)(?=[0-9a-f-]*\d)[0-9a-f]{2,64}"
            r"(?:-[0-9a-f]{2,64}){1,8}\b",
            _I,
        ),
        r"\1\2<ID>",
        "job 1a2b-77c4-0e9d failed",
        "job <ID> failed",
        "job rc-42 failed with -42",
    ),
    Step(
        "pod",
        re.compile(r"\b([a-z][a-z0-9-]{1,60}?)-[a-f0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b"),
        r"\1-<POD>",
        "pod web-6d4cf56db6-x7k2p is not ready",
        "pod web-<POD> is not ready",
        "pod web-frontend-stage is not ready",
    ),
    Step(
        "sha",
        re.compile(r"(?<![\w.-])[0-9a-f]{7,128}(?![\w])(?!\.\d)", _I),
        _sha,
        "commit 7f3a2c1d9e is not a tree",
        "commit <SHA> is not a tree",
        "effaced 1234567 bytes",
    ),
    Step(
        "hash-suffix",
        re.compile(
            r"(?<=[A-Za-z])([-_.])(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{8,64}"
            r"(?![\w])"
        ),
        r"\1<SHA>",
        "app_lib-b36fb290e6f45e32.exe",
        "app_lib-<SHA>.exe",
        "utf-8 and feature-deadbeef",
    ),
    Step(
        "duration",
        re.compile(
            r"(?<![\w.])(?:\d{1,6}(?:\.\d{1,6})?(?:ns|us|ms|s|m|h)){2,6}(?!\w)|"
            r"(?<![\w.])(?:\d{1,6}h ?)?(?:\d{1,6}m ?)?\d{1,9}(?:\.\d{1,9})?"
            r" ?(?:ns|[u\u00b5\u03bc]s|ms|s|secs?|seconds?|msecs?|milliseconds?|mins?|minutes?"
            r"|hours?|h|hrs?|m(?=\d))(?![\w%])(?:(?:,"
            r"| and)? ?\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|secs?"
            r"|seconds?|mins?|minutes?)(?![\w]))*"
            r"|(?<=retry)\d{1,9}(?:\.\d{1,9})?(?:ms|s)\b",
        ),
        "<DUR>",
        "took 4m21s, then 132 ms",
        "took <DUR>, then <DUR>",
        "3 modules, 5 services",
    ),
    Step(
        "size",
        re.compile(
            r"(?<![\w.])\d{1,12}(?:[.,]\d{1,6})? ?(?:bytes|[kKMGT]i?B|[kKMG]B/s"
            r"|[KMG]iB/s|B/s)(?![\w])"
        ),
        "<SIZE>",
        "got 12.3 MB of 44 MiB",
        "got <SIZE> of <SIZE>",
        "USB2 needs 64 bit",
    ),
    Step(
        "percent",
        re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,6})? ?%(?![\w])"),
        "<PCT>",
        "coverage 71.4% is low",
        "coverage <PCT> is low",
        "format %d of 100%d",
    ),
    Step(
        "process",
        re.compile(
            r"(?<![A-Za-z0-9])(pid|tid|ppid|process|thread|PID|Pid|p)([ =:#]{1,2}|\[)\d{2,10}\b"
            r"|(?<=\w)\[\d{2,8}\](?=:)|(?<=[: ])\d{2,8}(?=\s+(?:Segmentation|Killed"
            r"|Aborted|Bus error|Illegal))",
        ),
        lambda found: f"{found[1]}{found[2]}<PID>" if found[1] else "<PID>",
        "worker pid=4711 died, sshd[812]: closed",
        "worker pid=<PID> died, sshd<PID>: closed",
        "process exited with exit code 137",
    ),
    Step(
        "panic-thread",
        re.compile(r"(?<=' )(?:\(\d{1,10}\) |<PID> )?(?=panicked at)"),
        "",
        "thread 'main' (6543) panicked at a.rs:3:5:",
        "thread 'main' panicked at a.rs:<L>",
        "thread 'main' (idle) panics",
    ),
    Step(
        "worker",
        re.compile(
            r"(?<![\w/])(?:gw|worker[ #-]?|Worker[ #-]?|ForkPoolWorker-|Thread-|thread-"
            r"|pool-\d{1,5}-thread-|goroutine |SpawnProcess-)\d{1,6}\b"
        ),
        lambda found: re.sub(r"\d{1,6}", "<N>", found[0]),
        "collected between gw0 and gw1",
        "collected between gw<N> and gw<N>",
        "gwen2 of worker10s",
    ),
    Step(
        "port",
        re.compile(
            r"(?<=[\w\])>]:)(?:3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[45]\d{4}"
            r"|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])(?!\d|\.\d)(?=[\s/,;:)'\"\]>]|$|->)"
        ),
        "<PORT>",
        "read tcp 10.0.0.4:51234->10.0.0.9:5432: reset",
        "read tcp <IP>:<PORT>-><IP>:5432: reset",
        "dial tcp 127.0.0.1:6443: refused",
    ),
    Step(
        "go-map",
        re.compile(r"\bmap\[([^\[\]\n]{1,2000})\]"),
        _sorted_pairs,
        "got map[b:2 a:1]",
        "got map[a:1 b:2]",
        "var m map[string]int",
    ),
    Step(
        "set",
        re.compile(r"\{('[^'{}\n]{1,200}'(?:, '[^'{}\n]{1,200}'){1,60})\}"),
        _sorted_set,
        "unknown {'b', 'a'}",
        "unknown {'a', 'b'}",
        "unknown {'b': 1, 'a': 2}",
    ),
    # Go wraps what crypto/x509 says since 1.20; the failure is the same.
    Step(
        "go-tls",
        re.compile(r"tls: failed to verify certificate: (?=x509: )"),
        "",
        "tls: failed to verify certificate: x509: certificate has expired",
        "x509: certificate has expired",
        "tls: failed to verify certificate",
    ),
    Step(
        "ending",
        re.compile(
            r"(?<![\s.:;,])(?:[\s.:;,]{1,20}(?:Stop|Schluss)\.)?[\s.:;,]{0,20}\Z"
            r"| \[recovered(?:, repanicked)?\]"
        ),
        "",
        "make: *** No rule to make target 'a'.  Stop.",
        "make: *** No rule to make target 'a'",
        "two. sentences",
    ),
    Step(
        "blanks",
        re.compile(r"\s+"),
        " ",
        "two  blanks",
        "two blanks",
        "one blank",
    ),
)


def normalise(raw: str) -> str:
    """What is the same the next time: `raw` after every step; idempotent."""
    text = _prepared(raw)
    for step in STEPS:
        text = step.pattern.sub(step.put, text)
    return text.strip()


def changes(raw: str) -> Iterator[Change]:
    """What each step that changed something made of `raw`, in order."""
    text = _prepared(raw)
    if text != raw:
        yield Change("spelling", raw, text)
    for step in STEPS:
        after = step.pattern.sub(step.put, text)
        if after != text:
            yield Change(step.name, text, after)
        text = after


def _prepared(raw: str) -> str:
    """Quotes and blanks as ASCII spells them, whatever the locale."""
    return (raw if raw.isascii() else raw.translate(_QUOTES)).strip()
