"""Values as loops write them: of a wrong type, missing, in another place; each taken with care."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from indexing.entry import shortened
from indexing.errors import UnreadableMemory
from indexing.readers import json_values
from indexing.readers.record import utc

Json = Mapping[str, Any]


def mapping(value: object) -> Json:
    """The object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: object) -> list[Json]:
    """The objects of a list; an object alone is a list of one."""
    if isinstance(value, Mapping):
        return [value]
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text(value: object) -> str:
    """A text, cut when it is endless; the lines of a list; `""` for anything else."""
    if isinstance(value, list):
        value = "\n".join(each for each in value if isinstance(each, str))
    return shortened(value.strip("\n")) if isinstance(value, str) else ""


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list, or one text, without empty ones."""
    given = value if isinstance(value, list) else [value]
    return tuple(each.strip() for each in given if isinstance(each, str) and each.strip())


def first(values: Json, *keys: str) -> Any:
    """The value of the first key that has one."""
    return next((values[key] for key in keys if values.get(key) not in (None, "", [])), None)


def number(value: object) -> int | None:
    """A whole number, which some write as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value == int(value):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,10}\s*", value):
        return int(value)
    return None


def time(value: object) -> str:
    """UTC, `2026-03-04T10:22:31Z`; `""` for what is no time."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return utc(value)


def names(value: object) -> tuple[str, ...] | None:
    """File names; None when nobody says any. Some write objects with a `path`."""
    if value is None or isinstance(value, int | float):
        return None
    given = value if isinstance(value, list) else [value]
    found = [
        each if isinstance(each, str) else first(mapping(each), "path", "file", "file_path")
        for each in given
    ]
    return tuple(dict.fromkeys(each.strip() for each in found if isinstance(each, str) and each))


def is_inside(path: Path, folder: Path) -> bool:
    """Whether the path, links followed, is in the folder; a link that leads to itself is nowhere.

    A history may have come from anywhere: what lies elsewhere is none of its business.
    """
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def beside(folder: Path, name: object) -> str:
    """The text of a file that a loop names, when it lies in the loop's own folder or below."""
    if not isinstance(name, str) or not name:
        return ""
    try:
        path = folder / name
        if not is_inside(path, folder) or not path.is_file():
            return ""
        return shortened(json_values.text_of(path))
    except (OSError, ValueError, UnreadableMemory):
        return ""
