"""Is the index whole, and does it answer as its rows say?"""

from pathlib import Path

from indexing.entry import Entry
from indexing.errors import BadIndex
from indexing.recipe import REBUILD, refuse_other, today
from indexing.settings import Settings
from indexing.stores import local
from indexing.stores.local import LocalStore
from retrieval.query import Query
from retrieval.tiers import parts
from retrieval.tiers.definition import DEFINITIONS
from retrieval.tiers.lexical import Lexical

_SAMPLE = 3
_BEST = 10


def verify(index: Path, settings: Settings = Settings()) -> list[str]:
    """What is wrong with the index, a line each; empty when it is whole.

    Reads all of it: checksums, counts, every row, and a sample of the lexical tier's answers, by
    the scorers `fields` and `cosine`, against those of `definition.py`.
    """
    problems = local.verify(index)
    if problems:
        return problems
    store = LocalStore.open(index)
    try:
        refuse_other(store.recipe, today(parts(settings)), str(index))
    except BadIndex as error:
        return [str(error)]
    step = max(1, len(store) // _SAMPLE)
    queries = [_query_of(store.entry(row)) for row in range(0, len(store), step)][:_SAMPLE]
    for scorer, by_definition in DEFINITIONS.items():
        way = settings._replace(scorer=scorer, max_entries=0)
        expected = by_definition(queries, store, way, _BEST)
        for query, best in zip(queries, expected, strict=True):
            found = [(hit.score, hit.entry.id) for hit in Lexical(way).search(query, store, _BEST)]
            if found != best:
                told = f"{query.title[:60]}' by '{scorer}"
                problems.append(f"{index}: answers wrongly to '{told}'; {REBUILD}")
    return problems


def _query_of(entry: Entry) -> Query:
    return Query(
        title=entry.title,
        body=entry.body,
        files=entry.files,
        labels=entry.labels,
        signature=entry.signature,
    )
