"""What lies beside a loop's state, as one value: JSON, YAML, or Markdown under headings."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexing.errors import MissingExtra, UnreadableMemory
from indexing.readers import json_values

SUFFIXES = (".json", ".yaml", ".yml", ".md")

_LARGEST_YAML = 2 << 20
"""YAML is read a hundred times slower than JSON, in bytes."""
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.M)
_NUMBER = re.compile(r"\biteration[- \t#:]*(\d{1,4})\b", re.I)
_FIELD = re.compile(r"^\*\*(?P<name>[A-Za-z ]{1,30}):?\*\*:?[ \t]*(?P<value>.+)$", re.M)
_ITEM = re.compile(r"^(?:[-*+]|\d{1,3}[.)])[ \t]+(?P<text>.+)$", re.M)
_FENCED = re.compile(r"^(```|~~~)[^\n]*\n(?P<text>.*?)^\1", re.M | re.S)
_IN_CODE = re.compile(r"`(?P<name>[^`\s]{1,200}\.\w{1,10})`")
_SECTIONS = (
    ("done", re.compile(r"actions?\b|changes?\b|what was done", re.I)),
    ("files_modified", re.compile(r"files?\b", re.I)),
    ("learnings", re.compile(r"learn|lesson|insight", re.I)),
    ("output", re.compile(r"errors?\b|fail|verification|test (?:results?|output)", re.I)),
)


def document_of(path: Path) -> Any:
    """The value of a file, by its suffix.

    Raises:
        UnreadableMemory: It cannot be read.
        MissingExtra: It is YAML, and PyYAML is not installed.
    """
    if path.suffix == ".json":
        return json_values.document(path)
    if path.suffix == ".md":
        return of_markdown(json_values.text_of(path), path.stem)
    return _of_yaml(path)


def of_markdown(text: str, name: str = "") -> dict[str, Any]:
    """An iteration that an agent wrote down: its number, status and date, and lists by heading.

    What is under other headings is prose. An empty object when neither the first heading nor the
    file's name tells of an iteration.
    """
    title = _HEADING.search(text)
    number = (_NUMBER.search(title[2]) if title else None) or _NUMBER.match(name)
    if number is None:
        return {}
    fields = {found["name"].strip().lower(): found["value"] for found in _FIELD.finditer(text)}
    status = re.sub(r"[^A-Za-z ]", "", fields.get("status", "")).strip()
    record: dict[str, Any] = {
        "iteration": int(number[1]),
        "status": status.partition(" ")[0].lower(),
        "timestamp": fields.get("date") or fields.get("timestamp") or "",
        "command": fields.get("command", "").strip("` "),
    }
    for heading, under in _sections(text):
        key = next((key for key, words in _SECTIONS if words.match(heading)), "")
        if key == "output":
            fenced = "\n".join(found["text"] for found in _FENCED.finditer(under))
            record[key] = "\n".join(filter(None, (record.get(key, ""), fenced)))
        elif key == "files_modified":
            record[key] = [found["name"] for found in _IN_CODE.finditer(under)]
        elif key:
            plain = _FENCED.sub("", under)
            said = [_bare(found["text"]) for found in _ITEM.finditer(plain)]
            record[key] = [*record.get(key, ()), *said]
    return record


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Each heading of the second level, and what stands under it down to the next one."""
    found = [each for each in _HEADING.finditer(text) if len(each[1]) == 2]
    ends = [*(each.start() for each in found[1:]), len(text)]
    for each, end in zip(found, ends, strict=False):
        yield each[2].strip(" \t#"), text[each.end() : end]


def _bare(text: str) -> str:
    return text.replace("**", "").strip()


def _of_yaml(path: Path) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra("PyYAML", "yaml") from error

    class Plain(yaml.SafeLoader):
        """Times stay the texts that they are; merge keys, which can grow without end, are none."""

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            """A merge key is left as it is, and nothing makes a value of it."""

    stamp = "tag:yaml.org,2002:timestamp"
    Plain.add_constructor(stamp, lambda _, node: str(node.value))
    text = json_values.text_of(path)
    if len(text) > _LARGEST_YAML:
        raise UnreadableMemory(f"{path}: has more than {_LARGEST_YAML >> 20} MB of YAML; split it")
    try:
        return yaml.load(text, Plain)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise UnreadableMemory(f"{path}{line}: is not YAML; mend or restore it") from error
    except (RecursionError, ValueError) as error:
        raise UnreadableMemory(f"{path}: is no YAML that can be read; mend it") from error
