"""A loop becomes patterns: error→fix pairs, approaches, failed approaches, code templates."""

from collections.abc import Collection, Iterator
from itertools import pairwise

from indexing.learning import patterns
from indexing.learning.loop import Loop
from indexing.learning.pairs import Story, told_by
from indexing.learning.patterns import Found

TYPES = ("error", "success", "anti", "template")
_GROWN = 3  # so many times a red loop has to touch more files
_CREEP = 5  # and so many files at least at the end


def found_in(loop: Loop, types: Collection[str] = TYPES) -> Iterator[Found]:
    """The patterns of a loop, whether it went well or not, each once.

    Args:
        loop: The loop.
        types: Of `TYPES`, those that are wanted.
    """
    story = told_by(loop)
    seen: set[str] = set()
    for kind, made in _all(loop, story):
        if kind in types and made.entry.id not in seen:
            seen.add(made.entry.id)
            yield made


def _all(loop: Loop, story: Story) -> Iterator[tuple[str, Found]]:
    for pair in story.pairs:
        yield "error", patterns.error_pattern(loop, pair)
    if how := patterns.approach(loop, story.pairs):
        yield "success", how
    for unmended in story.unmended:
        yield "anti", patterns.repeated(loop, unmended)
    for broken in story.broken:
        yield "anti", patterns.broke(loop, broken)
    sizes = touched_sizes(loop)
    if is_creep(sizes):
        yield "anti", patterns.crept(loop, sizes, story.pairs[-1] if story.pairs else None)
    for pair in story.pairs:
        if code := patterns.code_template(loop, pair):
            yield "template", code


def touched_sizes(loop: Loop) -> list[int]:
    """How many files were touched in all, at each red run; what nobody recorded adds nothing."""
    touched: set[str] = set()
    sizes = []
    for attempt in loop.attempts:
        touched.update(attempt.files or ())
        if attempt.outcome is False:
            sizes.append(len(touched))
    return sizes


def is_creep(sizes: list[int]) -> bool:
    """Whether the files grew with the red runs: three times, to five and to thrice the first."""
    grown = sum(after > before for before, after in pairwise(sizes))
    return grown >= _GROWN and sizes[-1] >= max(_CREEP, 3 * max(1, sizes[0]))
