"""What was found, written for a terminal, a program, an issue or a page.

Each renderer is a module of that name with one function, `hits`; it is imported when it is asked
for, so that a lookup pays for one of them only.
"""

from indexing.lazily import module
from indexing.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.renderers.interface import Renderer

RENDERERS = ("text", "json", "markdown", "html")


def renderer(name: str) -> "Renderer":
    """The renderer of that name, one of `RENDERERS`."""
    if name not in RENDERERS:
        raise ValueError(f"no renderer {name!r}; there are {', '.join(RENDERERS)}")
    hits: Renderer = module(f"retrieval.renderers.{name}").hits
    return hits


__all__ = ["RENDERERS", "renderer"]
