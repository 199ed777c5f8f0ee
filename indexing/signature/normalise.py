r"""STEPS: what differs between two runs of one failure, by name and in order.

Masks replace what the run decides (when, where, which process); what the error means stays: exit
codes, error codes, errno, signals, versions, package and test names, base names of files.
Every pattern is linear: no nested repeats, every repeat over an open class is bounded.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache, reduce
from operator import or_

from indexing.lazily import compiled
from indexing.signature.interface import Change, Step, holds_any

_I = re.IGNORECASE

LONGEST = 2048
"""A normal form ends here. A line is cut at twice the length before, where what was masked of it
would shift the end; here it does not."""

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


_HEX = "\0"
"""Stands for a hexadecimal digit in `Step.shows`."""
_END = "\3"
"""Stands for the end of the text in `Step.shows`."""
_LONG = "\4"
"""Stands in `Step.also` for a word of 26 characters or more."""
_NO_MARK = "\5"
"""Stands between two texts that no mark goes over."""
_ENDING = "ending"
_BLANKS = " \t\r\v\f\x1c\x1d\x1e\x1f\n"


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


_SAYS_NOTHING = r"\s*(?:[Ff]ail(?:ed|ure)|[Ee]rror|[Tt]est failed)?\s*"


def _reported(found: re.Match[str]) -> str:
    """The first line of a JUnit failure's message, or of its text where that says nothing."""
    from html import unescape

    message = found["message"] or ""
    if compiled(_SAYS_NOTHING).fullmatch(message):
        message = re.sub(r"</\w+>|<!\[CDATA\[|\]\]>", "", found["text"])
    return unescape(re.split(r"&#(?:10|x[0aA]+|13|x[0dD]+);", message)[0])


def _test_case(found: re.Match[str]) -> str:
    named = dict(re.findall(r'([\w:.-]+)="([^"]*)"', found[1]))
    return f" {named.get('name', '')} {named.get('classname', '')} "


def _as_testdox(found: re.Match[str]) -> str:
    """`1) CartTest::testTotalIsKept` as phpunit's --testdox prints it."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", found["test"].replace("_", " ")).lower()
    return f"{words[:1].upper()}{words[1:]} {found['name']}"


_STAYS = r"err|code|status|exit|sig|reason|cause|msg|mess|kind|type|level|version|port|http|name|op"


def _without_values(found: re.Match[str]) -> str:
    """A run of `key=value` with its keys, and with values only where they may be the complaint."""

    def put(pair: re.Match[str]) -> str:
        return pair[0] if compiled(_STAYS).search(pair[1]) else f"{pair[1]}=<V>"

    return compiled(_PAIR).sub(put, found[0])


_PAIR = r"([a-z_][\w.-]{0,60})=('[^'\n]{0,200}'|<[A-Z]{1,10}>|[^\s'=]{1,40})"

STEPS: tuple[Step, ...] = (
    # What a report wraps a message in, before anything else is made of it.
    Step(
        "junit-failure",
        (
            r"<(?:failure|error)(?:\s{1,8}(?!message=)[\w:.-]{1,40}=\"[^\"\n]{0,1000}\"){0,6}"
            r"(?:\s{1,8}message=\"(?P<message>[^\"\n]{0,4000})\"?)?[^>\n]{0,400}>?(?P<text>[^\n]*)"
        ),
        _reported,
        '<failure message="3 &lt; 4 is false" type="x">at a.b(C.java:3)',
        "3 < 4 is false",
        "error: <fail> is no tag",
        shows=("<failure", "<error"),
    ),
    Step(
        "junit-case",
        (r"<testcase((?:\s{1,8}[\w:.-]{1,40}=\"[^\"\n]{0,1000}\"){1,12})\s{0,8}/?>?"),
        _test_case,
        '<testcase classname="a.B" name="sums up" time="0.012">',
        "sums up a.B",
        "testcase name=x time=3",
        shows=("<testcase",),
    ),
    Step(
        "glued-marker",
        (
            r"^(?:[^\n]{0,2000}\b(?:PASSED|SKIPPED|XFAIL|XPASS)\b ?(?:\[ *\d{1,3}%\])? ?"
            r"(?=(?:\S{1,200}::\S[^\n]{0,300} )?(?:FAILED|ERROR)\b))?"
            r"(?:(?:\[gw\d{1,4}\] ){0,2}\[ *\d{1,3}%\] (?=FAILED|ERROR))?"
        ),
        "",
        "t.py::test_a PASSED [ 50%]t.py::test_b FAILED",
        "t.py::test_b FAILED",
        "12 PASSED, 3 FAILED",
        flags=re.MULTILINE,
        shows=("passed", "skipped", "xfail", "xpass", "0%]"),
    ),
    Step(
        "inner-exception",
        (
            r"^[^\n]{0,3000}-{3,5}> (?:\(Inner Exception #\d{1,3}\) )?"
            r"(?=[\w.`+]{1,200}(?:Exception|Error)\b)"
        ),
        "",
        "A.InvokeException: by target. ---> B.NotFoundException: #login",
        "B.NotFoundException: #login",
        "error[E0308] --> a.rs:3:5",
        flags=re.MULTILINE,
        shows=("---> ",),
    ),
    Step(
        "test-title",
        (
            r"^\d{1,6}\) (?:[\w\\]{1,200}\\)?(?P<name>\w{1,100}?)(?:Test)?::test_?"
            r"(?P<test>\w{1,200})"
        ),
        _as_testdox,
        "1) App\\CartTest::testTotalIsKept",
        "Total is kept Cart",
        "1) Cart::total is kept",
        flags=re.MULTILINE,
        shows=("::test",),
        blind=True,
    ),
    # The module is `__main__` when the file itself is run; before 3.11 the test is not named again.
    Step(
        "unittest",
        (r"^(FAIL|ERROR): (\w{1,200}) \((?:\w{1,100}\.){0,20}?([A-Z]\w{0,200})(?:\.\2)?\)"),
        r"\1: \2 (\3)",
        "FAIL: test_net (__main__.PriceTest.test_net)",
        "FAIL: test_net (PriceTest)",
        "FAIL: test_net (price)",
        flags=re.MULTILINE,
        shows=("\nfail: ", "\nerror: "),
        loose=r"^(?:FAIL|ERROR): \w{1,200} \([\w.]{1,5000}\)",
    ),
    # How a tool frames a line says nothing of the failure, and changes between its versions.
    Step(
        "frame",
        (
            r"^(?:\s|[\u2500-\u257f\u25b6\u27a4\u2718\u2717\u2716\u00d7\u25cf\u2022\u2"
            r"76f\u00b7|>](?=[\s\u2500-\u25ff]|$)"
            r"|npm (?:ERR!|error)(?=\s|$)|\d{1,6} error(?=\s)|(?:E|#) {2,}"
            r"|==\d{1,9}==|PHP (?=[FPW])"
            r"|\[ *(?:javac|junit|exec|ant:\w{1,20}|ERROR|FATAL|error|Error|apply"
            r"|copy|java)\](?=\s|:)"
            r"|YN\d{4}:(?=\s)|docker: (?=[A-Z])|vet: (?=\S)|:[\w:]{1,80}(?=/\w|[A-Z]:\\)"
            r"|[a-z][\w.-]{1,40}\[\d{1,8}\]:(?=\s)"
            r"|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9} +\d{1,8} (?=\S{1,80}\.go:\d))+"
        ),
        "",
        'npm ERR! Missing script: "build"',
        'Missing script: "build"',
        "npm errors are errors, E2BIG",
        flags=re.MULTILINE,
        shows=(
            *(f"\n{blank}" for blank in _BLANKS),
            "\n|",
            "\n>",
            "\nnpm ",
            "0 error",
            "\ne  ",
            "\n#  ",
            "\n==",
            "\nphp ",
            "\n[",
            "\nyn",
            "\ndocker: ",
            "\nvet: ",
            "\n:",
            "[0",
            "0000 00:00:00",
        ),
    ),
    Step(
        "rule",
        (
            r"(?:^|(?<=\s))(?:-{4,}|_{4,}|={4,}|\*{4,}|~{4,}|\u2500{3,}|\u2501{3,}"
            r"|\u23af{3,})(?=\s|$)"
        ),
        "",
        "_____ test_total _____",
        "test_total",
        "--- a/cart.py",
        flags=re.MULTILINE,
        shows=("----", "____", "====", "****", "~~~~"),
    ),
    # Times first: a bare clock `10:02:11` would else be taken for line and column.
    Step(
        "timestamp",
        (
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
        shows=("0000-00", "0000/00", " 0000", "00:00:00", "datetime.datetime("),
    ),
    Step(
        "clock",
        (r"(?<![\w:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M\b)?(?![\w:])"),
        "<TS>",
        "lost at 10:02:11.482",
        "lost at <TS>",
        "a.rs line ratio 16:9",
        shows=("0:00:00",),
    ),
    Step(
        "uuid",
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
        "<UUID>",
        "request 3f2a9c01-9d4a-4c77-8a11-0badc0ffee42 failed",
        "request <UUID> failed",
        "offer 20-30-40-50-60 failed",
        flags=_I,
        shows=(f"{8 * _HEX}-{4 * _HEX}-",),
    ),
    Step(
        "apt-ip",
        (r"(?<!\s)\s{0,8}\[IP: [\da-f.:]{3,45} \d{1,5}\]"),
        "",
        "404  Not Found [IP: 151.101.130.132 80]",
        "404 Not Found",
        "[IP: unknown]",
        shows=("[ip: ",),
    ),
    Step(
        "ip",
        (
            r"(?:(?<=IP: )|(?<=://)|(?<=[@\[>])|(?<=\b(?:tcp|udp) )|(?<=\b(?:from|host|node) )"
            r"|(?=[\d.]{7,15}:\d))(?!127\.|0\.0\.0\.0)(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
        ),
        "<IP>",
        "read tcp 10.0.0.4:5431->10.0.0.9:5432: reset",
        "read tcp <IP>:5431-><IP>:5432: reset",
        "ruby version is 2.7.5.203, 127.0.0.1:6443 refused",
        shows=("0.0.", "0.00.", "0.000."),
        loose=r"(?:\d{1,3}\.){3}\d",
    ),
    Step(
        "mac",
        (
            r"(?<![\w:-])(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}"
            r"|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![\w:-])"
        ),
        "<MAC>",
        "no lease for 52:54:00:ab:cd:ef",
        "no lease for <MAC>",
        "SomeClass::someMethod failed",
        flags=_I,
        shows=(
            ":".join([2 * _HEX] * 6),
            "-".join([2 * _HEX] * 6),
            ".".join([4 * _HEX] * 3),
        ),
    ),
    # Before hex: `0x7ffd1234abcd` holds what looks like a sha.
    Step(
        "address",
        (r"\b0x[0-9a-f]{3,16}\b|(?<=\+)0x[0-9a-f]{1,16}\b|(?<= at )0x[0-9a-f]*"),
        "<ADDR>",
        "<Server object at 0x7f3a2c1d> is closed",
        "<Server object at <ADDR>> is closed",
        "colour 0xZZ, mask 0xff",
        flags=_I,
        shows=("0x",),
    ),
    Step(
        "digest",
        (r"\b(sha(?:1|256|512)[:-])[A-Za-z0-9+/=]{20,128}"),
        r"\1<SHA>",
        "no such manifest sha256:df9b9388f04ad6279a7410b85cedfdcb2208c0a003da7ab5613af71079148139",
        "no such manifest sha256:<SHA>",
        "algorithm sha256 is off",
        shows=("sha0",),
    ),
    Step(
        "ulid",
        (r"\b0[0-7][0-9A-HJKMNP-TV-Z]{24}\b"),
        "<ULID>",
        "event 01JB3Z8X5T9V2K4M6N8P0Q2R4S lost",
        "event <ULID> lost",
        "event INTERNALSERVERERRORHASOCCUR lost",
        shows=("00",),
        also=(_LONG,),
        loose=r"\b\d\d[0-9A-Z]{24}\b",
    ),
    Step(
        "url-secret",
        (r"(?<=://)[^/\s@'\"]{1,200}@"),
        "",
        "fatal: https://bot:hunter2@git.example/a.git: 403",
        "fatal: https://git.example/a.git: 403",
        "mail ops@git.example",
        shows=("://",),
    ),
    Step(
        "url-query",
        (r"(https?://[^\s?'\"<>]{1,500})\?[^\s'\"<>)]{1,2000}"),
        r"\1?<QUERY>",
        "404 https://cdn.example/a.tgz?X-Sig=ab12&t=99",
        "404 https://cdn.example/a.tgz?<QUERY>",
        "is it https://cdn.example/a.tgz ? no",
        shows=("://",),
    ),
    # Whatever was asked of a host that cannot answer, the host is the failure.
    Step(
        "unavailable",
        (
            r"(https?://[^\s/'\"<>]{1,200})/[^\s'\"<>]{0,500}(?=(?:(?!://)[^\n])*?(?:"
            r"\b(?:error|status|code|HTTP|returned|response|got|HTTP/[\d.]{1,3})\W{1,3}50[234]\b"
            r"|\b50[234] (?:Bad Gateway|Service|Gateway)|Could not resolve host"
            r"|(?:Temporary failure in n|N)ame (?:resolution|or service not known)"
            r"|\bE(?:AI_AGAIN|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT)\b))"
        ),
        r"\1",
        "unable to access 'https://git.example/a/b.git/': The requested URL returned error: 503",
        "unable to access 'https://git.example': The requested URL returned error: 503",
        "unable to access 'https://git.example/a/b.git/': The requested URL returned error: 403",
        shows=("://",),
    ),
    Step(
        "temp",
        (
            r"(?:(?<![\w.])/(?:private/)?(?:tmp|var/tmp|var/folders|dev/shm|run/user/\d{1,6})"
            r"|\b[A-Za-z]:[\\/]{1,2}(?:Users[\\/]{1,2}[^\\/\s'\"]{1,60}[\\/]{1,2}AppDa"
            r"ta[\\/]{1,2}"
            r"Local[\\/]{1,2}Temp|Windows[\\/]{1,2}Temp|Temp))"
            r"((?:[\\/]{1,2}[^\s'\"\\/:,;<>()\[\]}]{1,120}){0,40})(?:[\\/]|(?![\w.-]))"
        ),
        _temporary,
        "cannot write /tmp/tmp.Ab_12: denied",
        "cannot write <TMP>: denied",
        "the folder tmp/cache is full",
        flags=_I,
        shows=("/tmp", "/var", "/dev/shm", "/run/user", "temp"),
        blind=True,
    ),
    Step(
        "path",
        (
            r"(?<![\w.:/\\<>~@-])(?:file://)?(?:~|\$\w{1,20}|\$\{\w{1,20}\}|<ROOT>)?"
            r"(?:/(?:[\w@+~.%\-=,#\[\]()]{1,100}/{1,2}){1,40}"
            r"|[A-Za-z]:[\\/]{1,2}(?:[\w@+~.%\-=,#\[\]()&]{1,100}(?: [\w()&]{1,30}){0,"
            r"3}[\\/]{1,2}){0,40}"
            r"|\\\\(?:[\w@+~.%\-=,#$()]{1,100}\\){2,40})"
            r"(?:[\w@+~.%\-=#]{1,120}(?:\[[\w-]{1,40}\][\w.]{0,40})?)?"
        ),
        _base,
        "can't open '/home/ann/shop/src/cart.py'",
        "can't open 'cart.py'",
        "import '@scope/pkg-a' or '@/api/client' or ./utils/index, https://a.example/b/c",
        shows=("/", "\\"),
        blind=True,
    ),
    Step(
        "relative-path",
        (
            r"(?<![\w.:/\\<>@~$-])(?!['\"`]\.)(?<!['\"`](?=\.))"
            r"(?![\w-]{1,60}\.(?:com|org|net|io|dev|in|sh|example)/)"
            r"(?:\.{1,2}[/\\])?[\w@+~.%-](?:[\w@+~.%\-\[\]()]{0,100}[/\\]{1,2}){1,40}"
            r"[\w@+~.%\-\[\]]{1,100}?\.[A-Za-z]\w{0,11}(?=$|[\s:,;()'\"`\]|]|\.(?:\s|$))"
        ),
        _base,
        "src/components/Cart.tsx: error TS2339",
        "Cart.tsx: error TS2339",
        "cannot find '../db/index' or './a.js' or github.com/acme/shop.git",
        shows=("/", "\\"),
        blind=True,
    ),
    Step(
        "line-column",
        (
            r"(?P<name>\.[A-Za-z][A-Za-z0-9_]{0,11}|<[a-z]\w{0,20}>|\[eval\]"
            r"|[Mm]akefile|Dockerfile)"
            r"(?:(?::\d{1,7}){1,4}(?:[-~,]\d{1,7}(?::\d{1,7})?)?(?=[:\s,;)\]'\"|>]|$|\.(?:\s|$))"
            r"|:(?:line|Zeile|ligne|l\u00ednea|riga|linha|regel|rad|\u884c"
            r"|\u0441\u0442\u0440\u043e\u043a\u0430) \d{1,7}\b"
            r"|:?[(\[]\d{1,7}(?:[,:] ?\d{1,7}){0,3}[)\]](?=[:,\s]|$)"
            r"| \(\d{1,7}:\d{1,7}\)(?=[:\s]|$))"
            r"(?: - (?=error|warning)|(?P<colon>:? ?))"
        ),
        lambda found: f"{found['name']}:<L>" + (": " if found["colon"] is None else found["colon"]),
        "cart.py:42:7: oops, b.ts(3,5): no, c.ts:3:5 - error",
        "cart.py:<L>: oops, b.ts:<L>: no, c.ts:<L>: error",
        "listen on db.example:5432x or port :8080",
        shows=(
            ":0",
            "(0",
            "[0",
            *(f":{word} 0" for word in ("line", "zeile", "ligne", "riga", "linha", "regel", "rad")),
        ),
        blind=True,
    ),
    Step(
        "line-alone",
        (
            r"^\s*\d{1,7}:\d{1,7}(?=\s+(?:error|warning)\b)|^:?\d{1,6}(?= {3,5}[A-Z])"
            r"|(?<=@)\d{1,7}:\d{1,7}(?=\))|(?<=\()\d{1,7}:\d{1,7}(?=\)$)|(?<=sh: )\d{1,7}(?=: )"
        ),
        "<L>",
        "5:22 error 'rates' is not defined",
        "<L> error 'rates' is not defined",
        "16:9 is a ratio",
        flags=re.MULTILINE,
        shows=("0:0", "sh: 0", "\n0", "\n:0"),
    ),
    Step(
        "line-word",
        (
            r"\b(lines?|Zeile|ligne|l\u00ednea|riga|linha|row|col(?:umn)?s?|character|char|offset"
            r"|position|Spalte|colonne|columna)([ :=#]{1,2})\d{1,9}(?:[-:]\d{1,7})?\b"
        ),
        r"\1\2<L>",
        'File "cart.py", line 42, in total',
        'File "cart.py", line <L>, in total',
        "deadline 42 passed, at most 80 columns",
        flags=_I,
        shows=(
            *("line", "zeile", "ligne", "riga", "linha", "row", "col", "char", "offset"),
            *("position", "spalte"),
        ),
        also=(" 0", ":0", "=0", "#0"),
    ),
    Step(
        "object-id",
        (
            r"\b(container|pod|task|job|request|run|build|session|trace|span|instance|layer)"
            r"([ :=#]{1,2}(?:id[ :=]{1,2})?)(?=[0-9a-f-]*\d)[0-9a-f]{2,64}"
            r"(?:-[0-9a-f]{2,64}){1,8}\b"
        ),
        r"\1\2<ID>",
        "job 1a2b-77c4-0e9d failed",
        "job <ID> failed",
        "job rc-42 failed with -42",
        flags=_I,
        shows=(
            "container",
            "pod",
            "task",
            "job",
            "request",
            "run",
            "build",
            "session",
            "trace",
            "span",
            "instance",
            "layer",
        ),
    ),
    Step(
        "pod",
        (r"\b([a-z][a-z0-9-]{1,60}?)-[a-f0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b"),
        r"\1-<POD>",
        "pod web-6d4cf56db6-x7k2p is not ready",
        "pod web-<POD> is not ready",
        "pod web-frontend-stage is not ready",
        shows=(f"-{8 * _HEX}",),
    ),
    Step(
        "sha",
        (r"(?<![\w.-])[0-9a-f]{7,128}(?![\w])(?!\.\d)"),
        _sha,
        "commit 7f3a2c1d9e is not a tree",
        "commit <SHA> is not a tree",
        "effaced 1234567 bytes",
        flags=_I,
        shows=(7 * _HEX,),
        blind=True,
    ),
    Step(
        "hash-suffix",
        (
            r"(?<=[A-Za-z])([-_.])(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{8,64}"
            r"(?![\w])"
        ),
        r"\1<SHA>",
        "app_lib-b36fb290e6f45e32.exe",
        "app_lib-<SHA>.exe",
        "utf-8 and feature-deadbeef",
        shows=tuple(f"{mark}{8 * _HEX}" for mark in "-_."),
    ),
    Step(
        "long-number",
        r"(?<=[A-Za-z][-_=:])\d{12,20}(?!\w|\.\d)",
        "<N>",
        "request client-req-1750320682940664332 is gone",
        "request client-req-<N> is gone",
        "key 123456789012 of account-1234",
        shows=("000000000000",),
    ),
    Step(
        "duration",
        (
            r"(?<![\w.])(?:\d{1,6}(?:\.\d{1,6})?(?:ns|us|ms|s|m|h)){2,6}(?!\w)|"
            r"(?<![\w.])(?:\d{1,6}h ?)?(?:\d{1,6}m ?)?\d{1,9}(?:\.\d{1,9})?"
            r" ?(?:ns|[u\u00b5\u03bc]s|ms|s|secs?|seconds?|msecs?|milliseconds?|mins?|minutes?"
            r"|hours?|h|hrs?|m(?=\d))(?![\w%])(?:(?:,"
            r"| and)? ?\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|secs?"
            r"|seconds?|mins?|minutes?)(?![\w]))*"
            r"|(?<=retry)\d{1,9}(?:\.\d{1,9})?(?:ms|s)\b"
        ),
        "<DUR>",
        "took 4m21s, then 132 ms",
        "took <DUR>, then <DUR>",
        "3 modules, 5 services",
        shows=("0n", "0u", "0m", "0s", "0h", "0 n", "0 u", "0 m", "0 s", "0 h"),
    ),
    # Which test it was stands before; how long it took, and as which of how many, is the run's.
    Step(
        "took",
        (r"(?<=\S)[ \t]{1,4}(?:\(<DUR>\)|\[<DUR>\])(?=[ \t]{0,8}(?:\n|\Z))"),
        "",
        "--- FAIL: TestTotal (0.03s)",
        "--- FAIL: TestTotal",
        "gave up (30 tries)",
        shows=("<dur>",),
    ),
    Step(
        "test-number",
        (r"^not ok \d{1,7} (?:- )?"),
        "",
        "not ok 3 - rounds half up",
        "rounds half up",
        "it is not ok 3 times",
        flags=re.MULTILINE,
        shows=("not ok 0",),
    ),
    Step(
        "size",
        (
            r"(?<![\w.])\d{1,12}(?:[.,]\d{1,6})? ?(?:bytes|[kKMGT]i?B|[kKMG]B/s"
            r"|[KMG]iB/s|B/s)(?![\w])"
        ),
        "<SIZE>",
        "got 12.3 MB of 44 MiB",
        "got <SIZE> of <SIZE>",
        "USB2 needs 64 bit",
        shows=("0b", "0k", "0m", "0g", "0t", "0 b", "0 k", "0 m", "0 g", "0 t"),
    ),
    Step(
        "percent",
        (r"(?<![\w.])\d{1,3}(?:\.\d{1,6})? ?%(?![\w])"),
        "<PCT>",
        "coverage 71.4% is low",
        "coverage <PCT> is low",
        "format %d of 100%d",
        shows=("0%", "0 %"),
    ),
    Step(
        "process",
        (
            r"(?<![A-Za-z0-9])(pid|tid|ppid|process|thread|PID|Pid|p)([ =:#]{1,2}|\[)\d{2,10}\b"
            r"|(?<=\w)\[\d{2,8}\](?=:)|(?<=[: ])\d{2,8}(?=\s+(?:Segmentation|Killed"
            r"|Aborted|Bus error|Illegal))"
        ),
        lambda found: f"{found[1]}{found[2]}<PID>" if found[1] else "<PID>",
        "worker pid=4711 died, sshd[812]: closed",
        "worker pid=<PID> died, sshd<PID>: closed",
        "process exited with exit code 137",
        shows=(" 00", "=00", ":00", "#00", "[00"),
        blind=True,
    ),
    Step(
        "panic-thread",
        (r"(?<=' )(?:\(\d{1,10}\) |<PID> )?(?=panicked at)"),
        "",
        "thread 'main' (6543) panicked at a.rs:3:5:",
        "thread 'main' panicked at a.rs:<L>",
        "thread 'main' (idle) panics",
        shows=("panicked at",),
    ),
    Step(
        "worker",
        (
            r"(?<![\w/])(?:gw|worker[ #-]?|Worker[ #-]?|ForkPoolWorker-|Thread-|thread-"
            r"|pool-\d{1,5}-thread-|goroutine |SpawnProcess-)\d{1,6}\b"
        ),
        lambda found: re.sub(r"\d{1,6}", "<N>", found[0]),
        "collected between gw0 and gw1",
        "collected between gw<N> and gw<N>",
        "gwen2 of worker10s",
        shows=("gw0", "worker", "thread-", "goroutine 0", "spawnprocess-0"),
        blind=True,
    ),
    Step(
        "port",
        (
            r"(?<=[\w\])>]:)(?:3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[45]\d{4}"
            r"|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])(?!\d|\.\d)(?=[\s/,;:)'\"\]>]|$|->)"
        ),
        "<PORT>",
        "read tcp 10.0.0.4:51234->10.0.0.9:5432: reset",
        "read tcp <IP>:<PORT>-><IP>:5432: reset",
        "dial tcp 127.0.0.1:6443: refused",
        shows=(":00000",),
    ),
    Step(
        "go-map",
        (r"\bmap\[([^\[\]\n]{1,2000})\]"),
        _sorted_pairs,
        "got map[b:2 a:1]",
        "got map[a:1 b:2]",
        "var m map[string]int",
        shows=("map[",),
    ),
    Step(
        "set",
        (r"\{('[^'{}\n]{1,200}'(?:, '[^'{}\n]{1,200}'){1,60})\}"),
        _sorted_set,
        "unknown {'b', 'a'}",
        "unknown {'a', 'b'}",
        "unknown {'b': 1, 'a': 2}",
        shows=("{'",),
    ),
    # Go wraps what crypto/x509 says since 1.20; the failure is the same.
    Step(
        "go-tls",
        (r"tls: failed to verify certificate: (?=x509: )"),
        "",
        "tls: failed to verify certificate: x509: certificate has expired",
        "x509: certificate has expired",
        "tls: failed to verify certificate",
        shows=("tls: failed",),
    ),
    Step(
        "pairs",
        (
            r"(?<![\w.,;(-])(?:[a-z_][\w.-]{0,60}=(?:'[^'\n]{0,200}'|-?\d[\d.]{0,30}|True|False|None"
            r"|true|false|null|<[A-Z]{1,10}>)(?:[^\S\n]{1,4}|$)){3,40}"
        ),
        _without_values,
        "lost: user='ann' tries=3 retry=True",
        "lost: user=<V> tries=<V> retry=<V>",
        "f(a=1, b=2, c=3) and x=1 y=2",
        flags=re.MULTILINE,
        shows=("=",),
        blind=True,
    ),
    Step(
        _ENDING,
        (
            r"(?<![\s.:;,])(?:[\s.:;,]{1,20}(?:Stop|Schluss)\.)?[\s.:;,]{0,20}\Z"
            r"| \[recovered(?:, repanicked)?\]"
        ),
        "",
        "make: *** No rule to make target 'a'.  Stop.",
        "make: *** No rule to make target 'a'",
        "two. sentences",
        shows=(*(f"{mark}{_END}" for mark in f"{_BLANKS}.:;,"), " [recovered"),
    ),
    Step(
        "blanks",
        (r"\s+"),
        " ",
        "two  blanks",
        "two blanks",
        "one blank",
        shows=("  ", " \n", *_BLANKS[1:-1]),
    ),
)


def normalise(raw: str) -> str:
    """What is the same the next time: `raw` after every step; idempotent."""
    text = _prepared(raw)
    return cut([text, *(after for _, after in tried(text))][-1])


def cut(text: str) -> str:
    """The text after every step, as long as a normal form may be."""
    return text.strip()[:LONGEST].rstrip()


def changes(raw: str) -> Iterator[Change]:
    """What each step that changed something made of `raw`, in order."""
    text = _prepared(raw)
    if text != raw:
        yield Change("spelling", raw, text)
    for step, after in tried(text):
        if after != text:
            yield Change(step.name, text, after)
        text = after


def tried(text: str) -> Iterator[tuple[Step, str]]:
    """Each step that may change the text, in order, and what it makes of it."""
    marks = _marks()
    shown = marks.shown(text)
    while shown:
        first = shown & -shown
        shown -= first
        step = marks.steps[first.bit_length() - 1]
        after = step.pattern.sub(step.put, text)
        yield step, after
        if after != text:
            # what stood before a mark at the end now stands at the end itself
            following = -1 if step.name == _ENDING else -2 * first
            text, shown = after, marks.shown(after) & following


def _marks() -> "_Marks":
    if not _made or _made[0].steps is not STEPS:
        _made[:] = [_Marks(STEPS)]
    return _made[0]


_made: "list[_Marks]" = []

_FEW = 40
"""In so many texts each mark is looked for sooner than it is prepared for many."""


class _Marks:
    """Which steps may change a text: those of which it holds one of `shows`, and one of `also`."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self._asked = 0

    def shown(self, text: str) -> int:
        """The steps that may change the text: bit `n` stands for step `n`."""
        if not text.isascii():
            return (1 << len(self.steps)) - 1
        shape = _shape(text)
        if self._asked < _FEW:
            self._asked += 1
            return self._shown_by_each(shape)
        return self._words.shown(shape)

    def _shown_by_each(self, shape: str) -> int:
        shape = _with_words(shape, max(map(len, shape.split(" "))))
        return sum(
            1 << number
            for number, step in enumerate(self.steps)
            if holds_any(shape, step.shows or ("",)) and holds_any(shape, step.also or ("",))
        )

    @cached_property
    def _words(self) -> "_Words":
        return _Words(self.steps)


class _Words:
    """The marks of all steps, looked for word by word: most words come again.

    What was found is a number. Bit `n`: one of `shows` of step `n`; above those a bit for each
    step's `also`; above those one for each mark that goes over a blank: its longest part.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._count = len(steps)
        self._every = (1 << len(steps)) - 1
        marks = [
            (mark, 1 << number + above)
            for number, step in enumerate(steps)
            for above, marks in ((0, step.shows), (len(steps), step.also))
            for mark in marks or ("",)
        ]
        self._split = [each for each in marks if " " in each[0]]
        whole = [each for each in marks if " " not in each[0]]
        whole += (
            (max(mark.split(" "), key=len), 1 << 2 * len(steps) + number)
            for number, (mark, _) in enumerate(self._split)
        )
        self._by_first: dict[str, dict[str, int]] = {}
        for mark, bit in whole:
            marked = self._by_first.setdefault(mark[:1], {})
            marked[mark] = marked.get(mark, 0) | bit
        self._always = self._by_first.pop("")[""]
        # digits are alike, and so are letters of both cases
        self._held_by = lru_cache(maxsize=1 << 16)(self._look_for)
        self._split_of = lru_cache(maxsize=1 << 12)(self._choose)

    def shown(self, shape: str) -> int:
        """The steps that may change a text of that shape, as a number."""
        held = reduce(or_, map(self._held_by, shape.split(" ")), self._always)
        for near, marks in self._split_of(held >> 2 * self._count):
            if near in shape:
                for mark, bit in marks:
                    if mark in shape:
                        held |= bit
        return held & held >> self._count & self._every

    def _look_for(self, word: str) -> int:
        shape = _with_words(word, len(word))
        held = 0
        for first in self._by_first.keys() & shape:
            for mark, bit in self._by_first[first].items():
                if mark in shape:
                    held |= bit
        return held

    def _choose(self, parts: int) -> Sequence[tuple[str, Sequence[tuple[str, int]]]]:
        """The marks of which the words hold a part, by what stands at their blank."""
        chosen: dict[str, list[tuple[str, int]]] = {}
        for number, (mark, bit) in enumerate(self._split):
            if parts >> number & 1:
                at = max(mark.index(" "), 1)
                chosen.setdefault(mark[at - 1 : at + 1], []).append((mark, bit))
        return list(chosen.items())


def _shape(text: str) -> str:
    """The text as `Step.shows` is written, but for hexadecimal digits; it is ASCII."""
    return "\n" + _translated(text, _SHAPE).replace("\n", " \n") + _END


def _with_words(shape: str, longest: int) -> str:
    """The shape and what else `Step.shows` says of its words, of which the longest is so long."""
    more = _LONG if longest >= 26 else _NO_MARK
    return shape + _NO_MARK + _translated(shape, _HEXED) + more


def _translated(text: str, table: bytes) -> str:
    # as bytes: a table for texts is looked up in anew for each letter
    return text.encode("ascii").translate(table).decode("ascii")


_SHAPE = bytes.maketrans(
    b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"000000000abcdefghijklmnopqrstuvwxyz"
)
_HEXED = bytes.maketrans(b"0123456789abcdefABCDEF", 22 * _HEX.encode())


def _prepared(raw: str) -> str:
    """Quotes and blanks as ASCII spells them, whatever the locale."""
    return (raw if raw.isascii() else raw.translate(_QUOTES)).strip()
