"""Whether a loop that asks is told anything: nothing twice, and nothing in the control group."""

from collections.abc import Sequence

from indexing.errors import MemError, NoMemory
from indexing.settings import find_mem_dir
from retrieval.cli import streams
from retrieval.hit import Hit
from retrieval.looped import Looped
from retrieval.memory import Memory
from retrieval.query import Query


def news(memory: Memory, loop: str, query: Query, hits: Sequence[Hit], shown: str) -> bool:
    """Whether to show it; that it is shown is noted. Without a `.mem` nothing can be noted."""
    try:
        looped = Looped(find_mem_dir(), loop, memory.settings.control)
    except NoMemory:
        return bool(shown)
    try:
        if looped.is_control:
            looped.withhold()
            return False
        if not shown or looped.has_shown(query, shown):
            return False
        looped.note(query, shown, (hit.entry.id for hit in hits))
    except MemError as error:  # evidence is lost, the answer is not
        streams.say(f"mem: {error}")
    return True
