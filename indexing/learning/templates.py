"""Code templates: what a diff adds, with placeholders for what belongs to this one case."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from indexing.learning.diffs import Diff
from indexing.learning.message import Message

LONGEST = 1200
"""A longer hunk is no template, in characters."""

_STRING = re.compile(r"(?P<quote>[\"'`])(?P<text>(?:(?!(?P=quote))[^\\\n]|\\.)*)(?P=quote)")
_PLACEHOLDER = re.compile(r"\{\{\w+\}\}")
_CHECKED = (
    re.compile(
        r"\bif\s*\(?\s*(?P<name>[A-Za-z_][\w.]*)\s*(?:===?|!==?)\s*(?:null|undefined|nil)\b"
    ),
    re.compile(r"\bif\s+(?P<name>[A-Za-z_][\w.]*)\s+is\s+(?:not\s+)?None\b"),
    re.compile(r"\bif\s*\(?\s*(?:!|not )\s*(?P<name>[A-Za-z_][\w.]*)\s*[):]"),
)
_MEANINGS = {
    "variable": "what may be missing",
    "message": "text for people",
    "property": "the property that is read",
    "module": "the module that is missing",
    "package": "the package that is missing",
    "name": "the name that the error complains of",
}
_KINDS = (
    (re.compile(r"module|import", re.I), "module"),
    (re.compile(r"package|crate|dependency|requirement", re.I), "package"),
    (re.compile(r"propert|attribute|field|key", re.I), "property"),
)
_KEYWORDS = frozenset(
    [
        *("if", "else", "for", "while", "return", "import", "from", "class", "def", "func", "fn"),
        *("let", "const", "var", "new", "throw", "raise", "try", "catch", "except", "null", "None"),
        *(
            "undefined",
            "true",
            "false",
            "True",
            "False",
            "self",
            "this",
            "pub",
            "use",
            "mod",
            "async",
        ),
        *("await", "export", "default", "type", "struct", "string", "number", "int", "str", "bool"),
    ]
)


class Template(NamedTuple):
    """Code with `{{placeholders}}`, and what each one means."""

    code: str
    placeholders: Mapping[str, str]

    @property
    def is_general(self) -> bool:
        """Whether it has a placeholder, so that it serves another case too."""
        return bool(self.placeholders)


def template_of(diff: Diff, message: Message) -> Template | None:
    """The template of the first hunk that says something; None when there is none of fit length.

    Placeholders are, in this order: what a check against nothing checks; names that the failing
    line and the code both have; sentences in quotes.
    """
    code = _dedented(next((hunk for hunk in diff.hunks if _says(hunk)), ()))
    if not code or len(code) > LONGEST:
        return None
    slots: dict[str, str] = {}
    for pattern in _CHECKED:
        if found := pattern.search(code):
            code = _put(code, found["name"], _named("variable", slots))
            break
    kind = next((name for words, name in _KINDS if words.search(message.pattern)), "name")
    for said in _shared(message, code):
        code = _put(code, said, _named(kind, slots))
    code = _STRING.sub(lambda text: _sentence(text, slots), code)
    return Template(code, slots)


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with these values in its placeholders; one without a value stays."""
    return _PLACEHOLDER.sub(lambda slot: values.get(slot[0][2:-2], slot[0]), template)


def _says(hunk: Sequence[str]) -> bool:
    return any(re.search(r"\w", line) for line in hunk)


def _dedented(lines: Iterable[str]) -> str:
    import textwrap

    return textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n")


def _shared(message: Message, code: str) -> Iterable[str]:
    """What stood in the message's slots and stands in the code, the longest first."""
    told = dict.fromkeys(
        part
        for slot in message.slots
        for part in (slot, slot.rpartition(".")[2], slot.split("@")[0])
    )
    return sorted(
        (
            part
            for part in told
            if len(part) > 1 and part not in _KEYWORDS and _word(part).search(code)
        ),
        key=lambda part: (-len(part), part),
    )


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w{{]){re.escape(text)}(?![\w}}])")


def _put(code: str, text: str, slot: str) -> str:
    return _word(text).sub(lambda _: f"{{{{{slot}}}}}", code)


def _named(kind: str, slots: dict[str, str]) -> str:
    name, count = kind, 1
    while name in slots:
        count += 1
        name = f"{kind}_{count}"
    slots[name] = _MEANINGS[kind]
    return name


def _sentence(found: re.Match[str], slots: dict[str, str]) -> str:
    """A string that is a sentence for people is a placeholder; a code or a path stays."""
    text = found["text"]
    if " " not in text.strip() or _PLACEHOLDER.search(text) or not re.search(r"[A-Za-z]{3}", text):
        return found[0]
    return f"{found['quote']}{{{{{_named('message', slots)}}}}}{found['quote']}"
