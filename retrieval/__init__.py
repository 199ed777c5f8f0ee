"""Everything from a query on."""

from indexing.lazily import front_door
from indexing.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.hit import Hit, Why
    from retrieval.memory import Memory
    from retrieval.query import Query

__all__ = ["Hit", "Memory", "Query", "Why"]

__getattr__ = front_door(
    __name__, {"Hit": "hit", "Memory": "memory", "Query": "query", "Why": "hit"}
)
