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
    """Another wording of a message; `put` is the form that all of them are brought to."""

    expression: str
    put: str


WORDINGS = (
    # Node 16 and later, Chrome 92 and later
    Wording(
        r"Cannot (?P<verb>read|set) propert(?:y|ies) of (?P<of>null|undefined)"
        r" \((?:reading|setting) '(?P<name>[^']*)'\)",
        r"Cannot \g<verb> property '\g<name>' of \g<of>",
    ),
    # Safari
    Wording(
        r"(?P<of>null|undefined) is not an object \(evaluating '[^']*?\.?(?P<name>\w+)'\)",
        r"Cannot read property '\g<name>' of \g<of>",
    ),
    # Firefox
    Wording(
        r"can't access property \"?(?P<name>\w+)\"?(?: of|,) .*? is (?P<of>null|undefined)",
        r"Cannot read property '\g<name>' of \g<of>",
    ),
    # Python 3.10 and later add a guess
    Wording(r"(?P<what>.*?)\. Did you mean:? .*", r"\g<what>"),
)
_QUOTED = expression(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`\n]{1,120}`|‘[^’\n]{1,120}’")
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


def message_of(raw: str) -> Message:
    """The root line with slots for what is quoted, in the one wording of its error."""
    line = " ".join(raw.split())
    found = _TYPE.match(line)
    kind = found["type"].rpartition(".")[2] if found else ""
    text = line[found.end() :] if found else line
    code = _CODE.search(line)
    if code and not kind:
        kind = next(group for group in code.groups() if group)
    for wording in WORDINGS:
        text = re.sub(f"^{wording.expression}$", wording.put, text)
    slots = tuple(quoted[1:-1] for quoted in _QUOTED.findall(text))
    pattern = _QUOTED.sub(lambda quoted: f"{quoted[0][0]}{SLOT}{quoted[0][-1]}", text)
    return Message(kind, pattern, slots)
