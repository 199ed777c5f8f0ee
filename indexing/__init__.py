"""Everything up to a ready index; knows nothing of queries."""

from indexing.lazily import front_door
from indexing.typed import TYPE_CHECKING

if TYPE_CHECKING:
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

__getattr__ = front_door(
    __name__,
    {
        "Entry": "entry",
        "Evidence": "entry",
        "Lesson": "entry",
        "MemError": "errors",
        "Signature": "signature",
        "Source": "entry",
        "extract": "signature",
        "sign": "signature",
    },
)
