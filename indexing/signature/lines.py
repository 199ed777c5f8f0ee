"""Bytes to clean lines: encodings, colours, carriage-return frames, CI prefixes."""

import codecs
import re

_END = 64_000
"""Which tool ran is looked for in so many characters at the start and at the end."""
LONGEST = 4096
"""A line is cut here before any expression sees it: what says why stands at its start."""

_ESCAPES = re.compile(
    r"(?:\x1b|\^\[)\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)"  # OSC: titles, hyperlinks
    r"|(?:\x1b\[|\^\[\[|\x9b)[0-9;:?<=>]{0,40}[ -/]{0,4}[@-~]"  # CSI: colours, cursor
    r"|\x1b[()*+][0-9A-Za-z]|\x1b[=>78DEHMNOZc\\]"
    r"|_bk;t=\d{1,20}\x07"
)
_FRAME = re.compile(r"\x1b\[(?:[01]?G|2K|1K)")
"""Back to the start of the line, or its erasure: what stood there is gone, as after CR."""
_ECHO = "\x1b[36;1m"  # GitHub Actions prints the source of a `run:` script in this colour
ECHOED = "\x02"
"""Stands in for the echo colour, at the place where an echoed line of script begins."""

_PREFIX = re.compile(
    r"(?:\ufeff"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d [\w.-]{1,80} (?=\S{1,80}: )"  # syslog
    # GitHub Actions and Azure (7 digits), GitLab (with the stream's letter), docker, Go, Java, …
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| UTC)?\]?"
    r"(?: \d\d[OE]\+?)?(?:[ \t]+\||:|[ \t]+-(?=[ \t]))?(?:[ \t]|$)"
    r"|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? "
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?[ \t]"
    r"|[^\t\n]{1,120}\t[^\t\n]{1,120}\t(?=\ufeff?\d{4}-\d\d-\d\dT)"  # gh run view --log
    r"|##\[(?:error|warning|notice|debug|section|command)\]"
    r"|::(?:error|warning|notice|debug)(?: [^:\n]{0,300}?)?::"
    r"|\d{1,9} (?=\[(?:ERROR|INFO|WARNING)\])"  # Travis: milliseconds before maven's level
    r"|#\d{1,4} (?:\d{1,6}\.\d{1,3} ?)?(?=[^\[]|$)"  # BuildKit: '#7 23.36 '
    r"|[A-Za-z][\w.-]{0,40}[_-]\d{1,2} +\| "  # docker compose: 'web_1  | '
    # pnpm -r: the package's folder and the script
    r"|(?:\.|[\w@.-]{1,60}/[\w@./-]{1,60}) [a-z][\w:-]{1,30}: (?=\S|$)"
    r"|[\w.-]{1,80}(?:\[[^\]\s]{1,60}\])? \((?:local|remote)-exec\): "  # terraform
    r"|\x1b)"
)


def decode(output: str | bytes) -> str:
    """The output as text: UTF-8, UTF-16 with or without its mark, what remains as CP-1252.

    Never raises; the same bytes always give the same text.
    """
    if isinstance(output, str):
        if output.isascii():
            return output
        # What Python could not decode arrives as lone surrogates: give the bytes a second chance.
        output = output.encode("utf-8", "surrogateescape" if _escaped(output) else "replace")
    if output.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return output.decode("utf-16", "replace")
    head = output[:512]
    if len(head) > 3 and head.count(0) * 3 > len(head):
        wide = "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
        return output.decode(wide, "replace")
    return output.decode("utf-8", "oncebitten.cp1252")


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


class Log:
    """A log as clean lines, each cleaned when it is looked at.

    Lines are those that a line feed ends, so that numbers agree with an editor's.
    """

    def __init__(self, output: str | bytes) -> None:
        text = decode(output)
        if "\x1b" in text or "^[[" in text or "\x9b" in text or "_bk;t=" in text:
            text = _ESCAPES.sub("", _FRAME.sub("\r", text).replace(_ECHO, ECHOED))
        if "\r" in text:
            text = _last_frames(text)
        self.text = text
        self.lines = text.split("\n")
        self._ends = text if len(text) <= 4 * _END else f"{text[:_END]}\n{text[-_END:]}"
        self._clean: dict[int, str] = {}
        self._holds: dict[str, bool] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self.lines):
            return ""
        line = self._clean.get(index)
        if line is None:
            line = self._clean[index] = clean(self.lines[index])
        return line

    def holds(self, pattern: str) -> bool:
        """Whether the expression is found near the log's start or end (remembered)."""
        found = self._holds.get(pattern)
        if found is None:
            found = self._holds[pattern] = bool(re.search(pattern, self._ends, re.MULTILINE))
        return found


def clean(line: str) -> str:
    """The line without CI and log prefixes and without blanks at its end; indent stays."""
    line = line[:LONGEST]
    for _ in range(5):
        prefix = _PREFIX.match(line)
        if prefix is None or not prefix.end():
            break
        line = line[prefix.end() :]
    return line.replace(ECHOED, "").replace("\x00", "").rstrip()


def prefix_of(line: str) -> str:
    """The CI and log prefixes that `clean` takes off."""
    rest = line[:LONGEST]
    for _ in range(5):
        prefix = _PREFIX.match(rest)
        if prefix is None or not prefix.end():
            break
        rest = rest[prefix.end() :]
    return line[: len(line[:LONGEST]) - len(rest)]


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
