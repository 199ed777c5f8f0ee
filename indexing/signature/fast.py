"""Which literals a very large log holds, by hyperscan where it is installed: the extra `fast`.

It finds what `Literals` finds, in a third of the time. To prepare it takes as long as 60 MB do
without it, so that smaller logs are not worth it.
"""

from _thread import allocate_lock
from functools import lru_cache

from indexing.signature import ci, table
from indexing.signature.lines import LONGEST, LargeLog
from indexing.signature.literals import holds
from indexing.typed import Any

_WORTH_IT = 64 << 20
_LITERALS = (*table.NEEDS, *ci.MARKS)
_LOCK = allocate_lock()  # a database is of one scan at a time


def found(log: LargeLog) -> dict[int, list[str]] | None:
    """The literals that each line holds, by its number from 0, in order.

    None where hyperscan is not installed, or is not worth it; or where bytes are not as they seem,
    so that a literal may stand there in another encoding.
    """
    if len(log.data) < _WORTH_IT or not log.is_utf8:
        return None
    database = _database()
    if database is None:
        return None
    hits: list[tuple[int, int]] = []
    with _LOCK:
        database.scan(
            log.data, match_event_handler=lambda which, _, end, *__: hits.append((end, which))
        )
    held: dict[int, list[str]] = {}
    number = seen = 0
    for end, which in sorted(hits):
        number += log.data.count(b"\n", seen, end)
        seen = end
        literal = _LITERALS[which]
        if literal not in held.get(number, ()) and holds(log.lines[number][:LONGEST], literal):
            held.setdefault(number, []).append(literal)
    return held


@lru_cache(maxsize=1)
def _database() -> Any:
    """All literals, prepared for one scan; None where hyperscan is not installed."""
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[literal.encode() for literal in _LITERALS],
        ids=list(range(len(_LITERALS))),
        elements=len(_LITERALS),
        flags=[0] * len(_LITERALS),
        literal=True,
    )
    return database
