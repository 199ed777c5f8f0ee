"""The peers of the lexical tier: each makes an index of texts and finds rows for a text.

A peer whose library is not installed is left out; `pip install -e '.[bench]'` brings them all.
Their formulas differ from ours and from each other's: they are here for their cost, and each is
held to find a text by its own words.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

Search = Callable[[str, int], Sequence[int]]
Peer = Callable[[Sequence[str], Path], Search]
_WORD = re.compile(r"\w+")  # marks are commands to some of them


def sklearn(texts: Sequence[str], folder: Path) -> Search:
    """TfidfVectorizer and linear_kernel: the cosine of every row, and the best of them."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import linear_kernel

    vectorizer = TfidfVectorizer()
    matrix = vectorizer.fit_transform(texts)

    def search(text: str, limit: int) -> Sequence[int]:
        scores = linear_kernel(vectorizer.transform([text]), matrix)[0]
        return np.argpartition(-scores, limit)[:limit].tolist()

    return search


def bm25s(texts: Sequence[str], folder: Path) -> Search:
    """bm25s with its numpy backend."""
    import bm25s as library

    index = library.BM25()
    index.index(library.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)

    def search(text: str, limit: int) -> Sequence[int]:
        words = library.tokenize([text], stopwords=None, show_progress=False)
        return index.retrieve(words, k=limit, show_progress=False)[0][0].tolist()

    return search


def fts5(texts: Sequence[str], folder: Path) -> Search:
    """SQLite FTS5, any of the words, ranked by its bm25."""
    base = sqlite3.connect(folder / "fts5.sqlite", check_same_thread=False)
    base.execute("CREATE VIRTUAL TABLE t USING fts5(text, content='')")
    with base:
        base.executemany("INSERT INTO t(rowid, text) VALUES (?, ?)", enumerate(texts))

    def search(text: str, limit: int) -> Sequence[int]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text)))
        found = base.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (words, limit)
        )
        return [row for (row,) in found]

    return search


def tantivy(texts: Sequence[str], folder: Path) -> Search:
    """tantivy, any of the words, ranked by its bm25."""
    import tantivy as library

    builder = library.SchemaBuilder()
    builder.add_text_field("text")
    builder.add_integer_field("row", stored=True)
    home = folder / "tantivy"
    home.mkdir()
    index = library.Index(builder.build(), path=str(home))
    writer = index.writer(heap_size=256 << 20)
    for row, text in enumerate(texts):
        writer.add_document(library.Document(text=text, row=row))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(text: str, limit: int) -> Sequence[int]:
        query = index.parse_query(" ".join(_WORD.findall(text)), ["text"])
        found = searcher.search(query, limit).hits
        return [searcher.doc(address)["row"][0] for _, address in found]

    return search


def loop(texts: Sequence[str], folder: Path) -> Search:
    """Plain Python: how many words each row shares."""
    rows = [frozenset(text.split()) for text in texts]

    def search(text: str, limit: int) -> Sequence[int]:
        asked = frozenset(text.split())
        scores = Counter({row: len(asked & words) for row, words in enumerate(rows)})
        return [row for row, _ in scores.most_common(limit)]

    return search


PEERS: dict[str, Peer] = {
    "sklearn": sklearn,
    "bm25s": bm25s,
    "fts5": fts5,
    "tantivy": tantivy,
    "loop": loop,
}


def installed(name: str) -> bool:
    """Whether the peer's library is here."""
    from importlib.util import find_spec

    return name in ("fts5", "loop") or find_spec(name) is not None
