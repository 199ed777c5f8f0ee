"""A small dataset for tests, written as a folder."""

import gzip
import json
from pathlib import Path
from typing import Any

TIMES = [f"2026-01-{day:02}T00:00:00Z" for day in range(1, 29)]


def document(seq: int, title: str, **said: Any) -> dict[str, Any]:
    """An entry of the corpus; its id is `d` and its place in time."""
    given = {"id": f"d{seq}", "title": title, "body": "", "files": [], "labels": []}
    return given | {"captured_at": TIMES[seq], "seq": seq} | said


def question(seq: int, title: str, **said: Any) -> dict[str, Any]:
    """A question, asked just before the entry of that place."""
    return document(seq, title, **{"id": f"q{seq}", "split": "test"} | said)


def dataset(
    folder: Path,
    corpus: list[dict[str, Any]],
    queries: list[dict[str, Any]],
    qrels: dict[str, str],
    zipped: bool = True,
) -> Path:
    """The folder, with these files; `qrels` names one helpful entry a question."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        data = "".join(json.dumps(each) + "\n" for each in records).encode()
        path = folder / (f"{name}.gz" if zipped else name)
        path.write_bytes(gzip.compress(data) if zipped else data)
    lines = [f"{question}\t{entry}\t1\n" for question, entry in qrels.items()]
    (folder / "qrels.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


CORPUS = [
    document(0, "Token refresh fails after logout", files=["src/auth.py"]),
    document(1, "Barcode reader crashes at import", files=["src/scan.py"]),
    document(2, "Token refresh loops for ever", files=["src/auth.py"]),
    document(3, "Totals are rounded twice", files=["src/cart.py"]),
    document(4, "Token refresh fails after logout", files=["src/auth.py"]),
]
QUERIES = [
    question(3, "Token refresh fails in another tab", files=["src/auth.py"]),
    question(4, "Barcode scanner crashes", files=["src/other.py"]),
    question(2, "Nothing alike", split="train"),
]
QRELS = {"q3": "d0", "q4": "d1", "q2": "d0"}


def small(folder: Path) -> Path:
    """Five entries, two questions to test with and one to train with."""
    return dataset(folder, CORPUS, QUERIES, QRELS)
