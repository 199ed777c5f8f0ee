"""Everything from a query on."""

from retrieval.hit import Hit, Why
from retrieval.memory import Memory
from retrieval.query import Query

__all__ = ["Hit", "Memory", "Query", "Why"]
