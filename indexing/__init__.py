"""Everything up to a ready index; knows nothing of queries."""

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.errors import MemError
from indexing.signature import Signature, extract, sign

__version__ = "0.1.0"

__all__ = [
    "Entry",
    "Evidence",
    "Lesson",
    "MemError",
    "Signature",
    "Source",
    "extract",
    "sign",
]
