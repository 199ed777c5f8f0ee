"""Dataset: past entries, later questions, and which of the entries help with each.

A folder holds, one JSON object a line and gzipped or not,

    corpus.jsonl     id, title, body, files, labels, captured_at, seq (place in time); files_at,
                     when the files became known (null: never), where that was later
    queries.jsonl    the same fields; split and kind where there are several; fix_files: those that
                     the question's own fix touched, to judge by and never to ask with
    qrels.tsv        question, entry, 1
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from indexing.entry import Entry, Source
from indexing.errors import UnreadableMemory
from retrieval.query import Query


class Question(NamedTuple):
    """A question, the entries that help (`relevant`), and the files that its own fix touched.

    Only entries whose place in time is before `seq` may answer.
    """

    id: str
    query: Query
    seq: int
    relevant: frozenset[str]
    fixed: frozenset[str] = frozenset()


class Dataset(NamedTuple):
    """Entries, each one's place in time, and questions.

    `files_at` holds when the files of an entry became known, where that was after the entry.
    """

    name: str
    entries: tuple[Entry, ...]
    seq: Mapping[str, int]
    questions: tuple[Question, ...]
    files_at: Mapping[str, str] = {}


def read(
    folder: Path,
    split: str = "test",
    kind: str = "",
    qrels: str = "qrels.tsv",
    with_files: bool = True,
) -> Dataset:
    """The dataset of a folder.

    Args:
        folder: As above.
        split: The questions of this split; "": all.
        kind: The questions of this kind; "": all.
        qrels: The file that says which entries help.
        with_files: Whether the questions' own files are asked with.

    Raises:
        UnreadableMemory: A file is missing or is not as above, or no question is left.
    """
    entries = []
    seq: dict[str, int] = {}
    files_at: dict[str, str] = {}
    for place, said in _records(folder, "corpus.jsonl"):
        entry = _entry(said, place)
        if entry.id in seq:
            raise UnreadableMemory(f"{place.file}, {place.locator}: '{entry.id}' was given before")
        entries.append(entry)
        seq[entry.id] = _number(said, "seq", place)
        if said.get("files_at"):
            files_at[entry.id] = str(said["files_at"])
    judged = _judged(folder / qrels, seq)
    questions = []
    for place, said in _records(folder, "queries.jsonl"):
        wanted = said.get("split", split) == split or not split
        if wanted and (not kind or said.get("kind", kind) == kind) and said.get("id") in judged:
            questions.append(_question(said, place, judged, with_files))
    if not questions:
        chosen = " ".join(filter(None, (split and f"split '{split}'", kind and f"kind '{kind}'")))
        raise UnreadableMemory(f"{folder}: holds no judged question{chosen and f' of {chosen}'}")
    return Dataset(folder.name, tuple(entries), seq, tuple(questions), files_at)


def _entry(said: Mapping[str, Any], place: Source) -> Entry:
    never = "files_at" in said and said["files_at"] is None
    return Entry(
        id=_text(said, "id", place),
        kind="note",
        title=_text(said, "title", place),
        body=str(said.get("body") or ""),
        labels=_texts(said, "labels", place),
        files=None if never else _texts(said, "files", place) or None,
        captured_at=_text(said, "captured_at", place),
        source=place,
    )


def _question(
    said: Mapping[str, Any],
    place: Source,
    judged: Mapping[str, frozenset[str]],
    with_files: bool,
) -> Question:
    id = _text(said, "id", place)
    files = _texts(said, "files", place)
    query = Query(
        title=_text(said, "title", place),
        body=str(said.get("body") or ""),
        files=(files or None) if with_files else None,
        labels=_texts(said, "labels", place),
        at=_text(said, "captured_at", place),
    )
    fixed = frozenset(_texts(said, "fix_files", place) or files)
    return Question(id, query, _number(said, "seq", place), judged[id], fixed)


def _judged(path: Path, known: Mapping[str, int]) -> dict[str, frozenset[str]]:
    relevant: dict[str, set[str]] = {}
    for number, line in enumerate(_lines(path), start=1):
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 3 or not parts[2].strip().isdecimal():
            raise UnreadableMemory(f"{path}:{number}: expected question, entry, 1 between tabs")
        if parts[1] not in known:
            raise UnreadableMemory(f"{path}:{number}: the corpus holds no entry '{parts[1]}'")
        if int(parts[2]):
            relevant.setdefault(parts[0], set()).add(parts[1])
    return {id: frozenset(helpful) for id, helpful in relevant.items()}


def _records(folder: Path, name: str) -> Iterator[tuple[Source, dict[str, Any]]]:
    path = folder / f"{name}.gz"
    path = path if path.exists() else folder / name
    for number, line in enumerate(_lines(path), start=1):
        try:
            said = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UnreadableMemory(f"{path}:{number}: is not JSON: {error}") from error
        if not isinstance(said, dict):
            raise UnreadableMemory(f"{path}:{number}: is no JSON object")
        yield Source("dataset", path.as_posix(), f"line {number}"), said


def _lines(path: Path) -> Iterator[str]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as file
        ):
            yield from (line for line in file if line.strip())
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableMemory(f"{path}: cannot be read ({reason})") from error


def _wrong(place: Source, key: str, expected: str) -> UnreadableMemory:
    return UnreadableMemory(f"{place.file}, {place.locator}: '{key}' is not {expected}")


def _text(said: Mapping[str, Any], key: str, place: Source) -> str:
    value = said.get(key)
    if not isinstance(value, str):
        raise _wrong(place, key, "text")
    return value


def _texts(said: Mapping[str, Any], key: str, place: Source) -> tuple[str, ...]:
    value = said.get(key) or ()
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise _wrong(place, key, "a list of texts")
    return tuple(value)


def _number(said: Mapping[str, Any], key: str, place: Source) -> int:
    value = said.get(key)
    if type(value) is not int:
        raise _wrong(place, key, "a whole number")
    return value
