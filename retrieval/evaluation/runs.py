"""TREC run files: `question Q0 entry rank score tag`, a line for each entry that answers."""

import gzip
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from indexing.errors import BadQuery, UnreadableMemory
from retrieval.evaluation.dataset import Dataset
from retrieval.evaluation.engine import Answer

Run = Mapping[str, Sequence[str]]
"""Entries by question, best first."""


def write(path: Path, answers: Mapping[str, Sequence[Answer]], tag: str) -> None:
    """A run file; gzipped when it is called so.

    Raises:
        BadQuery: It cannot be written.
    """
    lines = [
        f"{question} Q0 {answer.id} {rank} {answer.points:.6f} {tag}\n"
        for question, found in answers.items()
        for rank, answer in enumerate(found, start=1)
    ]
    data = "".join(lines).encode()
    try:
        # without the time, so that the same run is the same file
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    except OSError as error:
        raise BadQuery(f"{path}: cannot be written ({error.strerror})") from error


def read(path: Path, dataset: Dataset) -> Run:
    """The run in a file, by ranks; each entry once a question.

    Raises:
        UnreadableMemory: It is no run file, or answers with an entry that the dataset does not hold
            or that is not older than the question.
    """
    asked = {question.id: question.seq for question in dataset.questions}
    rows: dict[str, list[tuple[int, str]]] = {}
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableMemory(f"{path}: cannot be read ({reason})") from error
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 6 or not parts[3].isdecimal():
            raise UnreadableMemory(f"{path}:{number}: expected question Q0 entry rank score tag")
        question, _, entry, rank, _, _ = parts
        if question not in asked:
            continue  # of another split
        if entry not in dataset.seq:
            raise UnreadableMemory(f"{path}:{number}: the dataset holds no entry '{entry}'")
        if dataset.seq[entry] >= asked[question]:
            raise UnreadableMemory(f"{path}:{number}: '{entry}' is not older than '{question}'")
        rows.setdefault(question, []).append((int(rank), entry))
    return {
        question: list(dict.fromkeys(entry for _, entry in sorted(ranked)))
        for question, ranked in rows.items()
    }
