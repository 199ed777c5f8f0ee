"""Bytes to clean lines: encodings, colours, carriage-return frames, CI prefixes."""

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from indexing.lazily import compiled
from indexing.signature.interface import holds_any
from indexing.typed import cast

_END = 64_000
"""Which tool ran is looked for in so many characters at the start and at the end."""
LONGEST = 4096
"""A line is cut here before any expression sees it: what says why stands at its start."""

_BLOCK = 1 << 16
"""So much is looked through at a time: it stays in the processor's cache."""
_LARGE = 4 << 20
"""Of so many bytes and more no lines are made but those that are asked for."""

_COLOUR_ENDS = r"[0-9;:?<=>]{0,40}[ -/]{0,4}[@-~]"
_COLOUR = rf"\x1b\[{_COLOUR_ENDS}"
_ESCAPED = (
    r"\x1b(?:\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)"  # OSC: titles, hyperlinks
    rf"|\[{_COLOUR_ENDS}"  # CSI: colours, cursor
    r"|[()*+][0-9A-Za-z]|[=>78DEHMNOZc\\])"
)
_ESCAPES = (
    rf"{_ESCAPED}|\^\[\][^\x07\x1b\n]{{0,2000}}(?:\x07|\x1b\\)"
    rf"|(?:\^\[\[|\x9b){_COLOUR_ENDS}"
    r"|_bk;t=\d{1,20}\x07"
)
"""The same, and what else stands for them, which takes several times as long to look for."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FRAME = r"\x1b\[(?:[01]?G|2K|1K)"
"""Back to the start of the line, or its erasure: what stood there is gone, as after CR."""
_ECHO = "\x1b[36;1m"  # GitHub Actions prints the source of a `run:` script in this colour
ECHOED = "\x02"
"""Stands in for the echo colour, at the place where an echoed line of script begins."""

_PREFIX = (
    # The byte order mark, also as Windows shells spell it that read UTF-8 as their code page.
    r"(?:\ufeff|[\u2229\u00b4\u00ef\u044f][\u2557\u00bb][\u2510\u00bf]"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d [\w.-]{1,80} (?=\S{1,80}: )"  # syslog
    # GitHub Actions and Azure (7 digits), GitLab (with the stream's letter), docker, Go, Java, …
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?:Z|[+-]\d\d:?\d\d| (?:UTC|GMT|[A-Z]{1,4}T)(?= ))?\]?"
    r"(?: \d\d[OE]\+?)?(?:[ \t]+\||:| -(?=[ \t]))?(?:[ \t]|$)"
    r"|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? "
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?[ \t]{1,2}"
    # gh run view --log
    r"|[^\t\n]{1,120}\t[^\t\n]{1,120}\t(?=\W{0,3}\d{4}-\d\d-\d\dT)"
    r"|\[(?: {1,4}\+\d{1,6} ms| {8}|\+\d{2,6} ms)\] "  # flutter --verbose
    r"|##\[(?:error|warning|notice|debug|section|command)\]"
    r"|::(?:error|warning|notice|debug)(?: [^:\n]{0,300}?)?::"
    r"|\d{1,9} (?=\[(?:ERROR|INFO|WARNING)\])"  # Travis: milliseconds before maven's level
    r"|#\d{1,4} (?:\d{1,6}\.\d{1,3} ?|(?=[^\[]|$))"  # BuildKit: '#7 23.36 '
    # docker compose: 'web_1  | ', 'web  | '
    r"|[A-Za-z][\w.-]{0,40}[_-]\d{1,2} +\| |(?![A-Z]+ )[A-Za-z][\w.-]{0,60} {2,40}\| "
    # postgres: the process, who asks
    r"|\[\d{1,8}\](?: \S{1,60}@\S{1,60})? (?=(?:ERROR|FATAL|PANIC|LOG|HINT|DETAIL|STATEMENT): )"
    # pnpm -r: the package's folder and the script
    r"|(?:\.|[\w@.-]{1,60}/[\w@./-]{1,60}) [a-z][\w:-]{1,30}: "
    r"|[\w.-]{1,80}(?:\[[^\]\s]{1,60}\])? \((?:local|remote)-exec\): "  # terraform
    r"|\x1b)"
)

_MOST_PREFIXES = 5
_FIRST = "0123456789#:\x1b"
"""With these a prefix may begin, whatever follows."""
_AFTER_BRACKET = " +0123456789"


def decode(output: str | bytes) -> str:
    """The output as text: UTF-8, UTF-16 with or without its mark, what remains as CP-1252.

    Never raises; the same bytes always give the same text.
    """
    if isinstance(output, str):
        if _is_plain(output):
            return output
        # What Python could not decode arrives as lone surrogates: give the bytes a second chance.
        output = output.encode("utf-8", "surrogateescape" if _escaped(output) else "replace")
    if output.startswith(_WIDE):
        return output.decode("utf-16", "replace")
    head = output[:512]
    if len(head) > 3 and head.count(0) * 3 > len(head):
        wide = "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
        return output.decode(wide, "replace")
    return _from_utf8(output)


def _from_utf8(data: bytes) -> str:
    """The text; no line of it depends on another."""
    return data.decode("utf-8", "oncebitten.cp1252")


def _is_utf8(data: bytes) -> bool:
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _is_plain(text: str) -> bool:
    """Whether the text has neither NULs nor lone surrogates."""
    if text.isascii():
        return "\0" not in text
    try:
        return b"\0" not in text.encode()  # in wide text it would be looked for at every byte
    except UnicodeEncodeError:
        return False


def _escaped(text: str) -> bool:
    return re.search("[\udc80-\udcff]", text) is not None and not re.search(
        "[\ud800-\udc7f\udd00-\udfff]", text
    )


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


codecs.register_error("oncebitten.cp1252", _as_cp1252)


def _has_escapes(text: str) -> bool:
    """Whether it may; single characters first, which are found ten times as fast as a text."""
    if "\x1b" in text or "\x9b" in text:
        return True
    return ("^" in text and "^[[" in text) or ("\x07" in text and "_bk;t=" in text)


def _has_others(text: str) -> bool:
    """Whether it may have escapes that do not begin with ESC."""
    return "\x9b" in text or ("^" in text and "^[" in text) or "_bk;t=" in text


def log_of(output: str | bytes) -> "Log":
    """The log as clean lines."""
    if len(output) >= _LARGE:
        data = _as_it_is(output)
        if data is not None:
            return LargeLog(data)
    return Log(output)


def _as_it_is(output: str | bytes) -> bytes | None:
    """The output in UTF-8 with line feeds alone; None if more must be done to read it."""
    try:
        data = output.encode() if isinstance(output, str) else output
    except UnicodeEncodeError:
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\x1b" in data:
        data = _without_colours(data)
    odd = any(byte in data for byte in (b"\0", b"\r", b"\x1b", b"\x07")) or any(
        byte in data and text in data for byte, text in ((b"^", b"^[["), (b"\x9b", b"\xc2\x9b"))
    )
    report = b'"Action":"output"' in data or b"<testsuite" in data[:8000]
    return None if odd or report or data.startswith(_WIDE) else data


def _without_colours(data: bytes) -> bytes:
    """As `Log` does it to text; what is left untouched here, or is no UTF-8, is for it to do."""
    if not _is_utf8(data) or re.search(_FRAME.encode(), data):
        return data
    return re.sub(_COLOUR.encode(), b"", data.replace(_ECHO.encode(), ECHOED.encode()))


def text_of(output: str | bytes) -> str:
    """The output without colours, and of each line what a terminal shows at the end."""
    text = decode(output)
    if _has_escapes(text):
        text = compiled(_FRAME).sub("\r", text).replace(_ECHO, ECHOED)
        text = compiled(_ESCAPES if _has_others(text) else _ESCAPED).sub("", text)
    if "\r" in text:
        text = _last_frames(text)
    if '"Action":"output"' in text:
        text = "\n".join(map(_of_go, text.split("\n")))
    if "<testsuite" in text[:2000]:
        text = "\n".join(map(_from_failing_case, text.split("\n")))
    return text


def is_plain(line: str) -> bool:
    """Whether `text_of` leaves a line as it is, and would with any other digits."""
    odd = ("^[[", '"Action":"output"', "<testsuite")
    return line.isascii() and line.isprintable() and not holds_any(line, odd)


class Log:
    """A log as clean lines, each cleaned when it is looked at.

    Lines are those that a line feed ends, so that numbers agree with an editor's.
    """

    def __init__(self, output: str | bytes) -> None:
        self.text = text_of(output)
        self.lines: Sequence[str] = self.text.split("\n")
        self._clean: dict[int, str] = {}
        self._holds: dict[str, bool] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def blocks(self) -> Iterator[bytes]:
        """The text in UTF-8, in blocks that end with a line."""
        start = 0
        while start < len(self.text):
            end = self.text.find("\n", start + _BLOCK) + 1 or len(self.text)
            yield self.text[start:end].encode("utf-8", "surrogatepass")
            start = end

    @cached_property
    def is_odd(self) -> bool:
        """Whether lines may hold NULs, or the mark of an echo."""
        return "\0" in self.text or ECHOED in self.text

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self.lines):
            return ""
        line = self._clean.get(index)
        if line is None:
            line = self._clean[index] = clean(self.lines[index])
        return line

    @cached_property
    def _ends(self) -> str:
        """A line feed, then the log's start and end or all of a small one, as clean lines."""
        return "\n" + "\n".join(map(_without_prefixes, self._start_and_end().split("\n")))

    def _start_and_end(self) -> str:
        text = self.text
        return text if len(text) <= 4 * _END else f"{text[:_END]}\n{text[-_END:]}"

    def continued(self, index: int) -> range:
        """The lines onto which PowerShell wrapped line `index` when it captured the output.

        It breaks at the blank before the first word that has no room, and leaves the blank there.
        """
        at = index
        if index >= 0 and self._width:
            while at - index < 20 and at + 1 < len(self.lines) and self._goes_on(at):
                at += 1
        return range(index + 1, at + 1)

    def _goes_on(self, index: int) -> bool:
        line, word = self.lines[index], self.lines[index + 1].split(" ", 1)[0]
        return bool(word) and line.endswith(" ") and len(line) + len(word) > self._width

    @cached_property
    def _width(self) -> int:
        """At which column PowerShell wraps at least; 0: this is not its output."""
        if "+ FullyQualifiedErrorId" not in self.text:
            return 0
        return max((len(line) for line in self.lines if line.endswith(" ")), default=0)

    def holds(self, pattern: str) -> bool:
        """Whether the expression is found near the log's start or end (remembered)."""
        found = self._holds.get(pattern)
        if found is None:
            found = self._holds[pattern] = any(
                literal in self._ends and compiled(one, re.MULTILINE).search(self._ends, start)
                for literal, start, one in _alternatives(pattern)
            )
        return found


class LargeLog(Log):
    """A log whose lines are read from its bytes when they are asked for, and stand as they are."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._lines = _Lines(data)
        self.lines = cast(Sequence[str], self._lines)
        self._clean = {}
        self._holds = {}

    @cached_property
    def text(self) -> str:  # type: ignore[override]
        """All of it."""
        return _from_utf8(self.data)

    @cached_property
    def is_odd(self) -> bool:
        """As that of a log that was decoded as a whole."""
        return b"\0" in self.data or ECHOED.encode() in self.data

    @cached_property
    def is_utf8(self) -> bool:
        """Whether all of it is."""
        return all(map(_is_utf8, self._raw_blocks()))

    def blocks(self) -> Iterator[bytes]:
        """As those of a log that was decoded as a whole."""
        for block in self._raw_blocks():
            yield block if _is_utf8(block) else _from_utf8(block).encode()

    def _raw_blocks(self) -> Iterator[bytes]:
        ends = pairwise((*self._lines.starts, len(self.data)))
        return (self.data[start:end] for start, end in ends)

    def _start_and_end(self) -> str:
        start, end = self.data[: 4 * _END], self.data[-4 * _END :]
        return f"{_from_utf8(start)[:_END]}\n{_from_utf8(end)[-_END:]}"

    @cached_property
    def _width(self) -> int:
        return super()._width if b"+ FullyQualifiedErrorId" in self.data else 0


class _Lines:
    """The lines of much text in UTF-8; of each block it is known where it begins."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.starts = [0]
        self._first = [0]
        self._last: tuple[int, list[str]] = (0, [])
        while (end := data.find(b"\n", self.starts[-1] + _BLOCK) + 1) > 0:
            self._first.append(self._first[-1] + data.count(b"\n", self.starts[-1], end))
            self.starts.append(end)
        self._count = self._first[-1] + data.count(b"\n", self.starts[-1]) + 1

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> str:
        first, lines = self._last
        if not first <= index < first + len(lines):
            if not 0 <= index < self._count:
                raise IndexError(index)
            first, lines = self._last = self._block(bisect_right(self._first, index) - 1)
        return lines[index - first]

    def _block(self, block: int) -> tuple[int, list[str]]:
        """The number of a block's first line, and its lines."""
        start, *end = self.starts[block : block + 2]
        if not end:
            return self._first[block], _from_utf8(self._data[start:]).split("\n")
        return self._first[block], _from_utf8(self._data[start : end[0] - 1]).split("\n")


_TOKEN = (
    r"(\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.)"
    r"([*+?]\??|\{[\d,]+\}\??)?"
)


def _alternatives(pattern: str) -> Iterator[tuple[str, int, str]]:
    """A literal, where to start in text that has a line feed before it, and the expression.

    For each alternative of `pattern`: whatever it matches holds the literal, and to look for that
    takes a hundredth of the time that the expression takes. One that begins with `^` begins with
    the line feed instead, which is found as fast.
    """
    start = depth = 0
    run = longest = ""
    for token in compiled(_TOKEN, re.DOTALL).finditer(pattern + "|"):
        character, often = token[1], token[2]
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and depth == 0:
            one = pattern[start : token.start()]
            if one.startswith("^"):
                one = rf"\n(?:{one[1:]})"
            yield longest, 0 if one.startswith(r"\n") else 1, one
            start, run, longest = token.end(), "", ""
            continue
        plain = depth == 0 and not often and character not in ".^$)" and character[0] != "["
        if plain and character[0] == "\\":
            plain, character = not character[1].isalnum(), character[1:]
        run = run + character if plain else ""
        longest = max(longest, run, key=len)


def clean(line: str) -> str:
    """The line without CI and log prefixes and without blanks at its end; indent stays."""
    line = _without_prefixes(line)
    if ECHOED in line or "\0" in line:
        line = line.replace(ECHOED, "").replace("\0", "")
    return line.rstrip()


def _without_prefixes(line: str) -> str:
    line = line[:LONGEST]
    for _ in range(_MOST_PREFIXES):
        prefix = compiled(_PREFIX).match(line) if _may_have_prefix(line) else None
        if prefix is None:
            break
        line = line[prefix.end() :]
    return line


def _may_have_prefix(line: str) -> bool:
    """Whether it is worth to compile and try the expression; most lines of no CI have none."""
    first, word = line[:1], line.partition(" ")[0]
    return line != "" and (
        first in _FIRST
        or (first == "[" and line[1:2] in _AFTER_BRACKET)
        or not first.isascii()
        or "\t" in line
        or "| " in line
        or "-exec): " in line
        or (len(word) == 3 and word.istitle())  # a month
        or word == "."
        or ("/" in word and ":" not in word and "(" not in word)
    )


def _of_go(line: str) -> str:
    """What a test printed, of a line of `go test -json`; events that printed nothing are blank."""
    if '"Action":"' not in line[:200] or not line.endswith("}"):
        return line
    import json

    try:
        event = json.loads(line[line.index("{") :])
        return str(event.get("Output", "")).rstrip("\n")
    except (ValueError, RecursionError):
        return line


def _from_failing_case(line: str) -> str:
    """A line of JUnit's XML without the test cases before the first that failed."""
    failure = min((at for at in (line.find("<failure"), line.find("<error")) if at >= 0), default=0)
    return line[max(line.rfind("<testcase", 0, failure), 0) :]


def _last_frames(text: str) -> str:
    """What a terminal shows at the end of each line: the last frame that is not empty."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    if "\n" not in text:  # a log whose lines end as they did on old Macs
        return text.replace("\r", "\n")
    return "\n".join(map(_last_frame, text.split("\n")))


def _last_frame(line: str) -> str:
    if "\r" not in line:
        return line
    return next((frame for frame in reversed(line.split("\r")) if frame.strip()), "")
