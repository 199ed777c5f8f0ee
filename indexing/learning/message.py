"""Messages made general: what changes from one case to the next becomes a slot.

One error has several wordings: Node said `Cannot read property 'x' of null` up to version 14 and
says `Cannot read properties of null (reading 'x')` since 16. `WORDINGS` brings them to one form.
"""

import re

from indexing.lazily import expression
from indexing.typed import NamedTuple

SLOT = ".*"
VERSION = 1
"""Raise it when a message gets another form: an index made before answers by the old ones."""


class Wording(NamedTuple):
    """Another wording of a message; `put` is the form that all of them are brought to.

    Whatever the expression matches holds `holds`.
    """

    expression: str
    put: str
    holds: str


WORDINGS = (
    # Node 16 and later, Chrome 92 and later
    Wording(
        r"Cannot (?P<verb>read|set) propert(?:y|ies) of (?P<of>null|undefined)"
        r" \((?:reading|setting) '(?P<name>[^']*)'\)",
        r"Cannot \g<verb> property '\g<name>' of \g<of>",
        "Cannot ",
    ),
    # Safari
    Wording(
        r"(?P<of>null|undefined) is not an object \(evaluating '[^']*?\.?(?P<name>\w+)'\)",
        r"Cannot read property '\g<name>' of \g<of>",
        "is not an object",
    ),
    # Firefox
    Wording(
        r"can't access property \"?(?P<name>\w+)\"?(?: of|,) .*? is (?P<of>null|undefined)",
        r"Cannot read property '\g<name>' of \g<of>",
        "can't access",
    ),
    # Python 3.10 and later add a guess
    Wording(r"(?P<what>.*?)\. Did you mean:? .*", r"\g<what>", ". Did you mean"),
)
_QUOTED = expression(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`\n]{1,120}`|‘[^’\n]{1,120}’")
_QUOTES = "'\"`‘"
"""One of these stands where something is quoted, in every wording."""
_TYPE = expression(
    r"^(?:Uncaught |Unhandled |Exception in thread \S+ |E\s+)*"
    r"(?P<type>[A-Za-z_][\w.]*(?:Error|Exception|Warning|Failure|Interrupt|Exit))\b(?P<code>"
    r"(?: \[\w+\])?)(?:: |$)"
)
_CODE = expression(
    r"\b(?:error|warning)\[(?P<rust>\w\d{4})\]|\berror (?P<other>[A-Z]{2,4}\d{3,5})\b"
    r"|\b(?:npm ERR!|npm error) code (?P<npm>E\w+)"
)
_WORD = expression(r"[A-Za-z]{3,}")


class Message(NamedTuple):
    """A root line taken apart.

    `type` is the kind of error (`TypeError`, `E0308`), `""` unknown; `pattern` the message with
    slots; `slots` what stood in them, in order.
    """

    type: str
    pattern: str
    slots: tuple[str, ...]

    @property
    def form(self) -> str:
        """By this a message is found under other names; `""` when too little is left of it."""
        said = _WORD.findall(self.pattern.replace(SLOT, " "))
        return f"{self.type}: {self.pattern}" if len(said) >= 3 and self.slots else ""


def form_of(raw: str) -> str:
    """The form of a root line's message: most lines quote nothing, and have none."""
    return message_of(raw).form if any(map(raw.__contains__, _QUOTES)) else ""


def message_of(raw: str) -> Message:
    """The root line with slots for what is quoted, in the one wording of its error."""
    line = " ".join(raw.split())
    found = _TYPE.match(line)
    kind = found["type"].rpartition(".")[2] if found else ""
    text = line[found.end() :] if found else line
    if not kind and (code := _CODE.search(line)):
        kind = next(group for group in code.groups() if group)
    for wording in WORDINGS:
        if wording.holds in text:
            text = re.sub(f"^{wording.expression}$", wording.put, text)
    slots, pattern, end = [], "", 0
    for quoted in _QUOTED.finditer(text):
        slots.append(quoted[0][1:-1])
        pattern += text[end : quoted.start() + 1] + SLOT
        end = quoted.end() - 1
    return Message(kind, pattern + text[end:], tuple(slots))
