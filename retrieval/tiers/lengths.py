"""What makes the vectors of rows as long as 1, in one way for a base, a delta and a rebuild."""

from itertools import pairwise

from indexing.typed import TYPE_CHECKING
from retrieval.postings import Counted, Postings, data_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEP = 1 << 20  # postings that are weighed at once: in double precision all would take gigabytes


def scales(
    postings: Counted | Postings,
    weights: "NDArray[np.float64]",
    rows: int,
    times: "NDArray[np.generic] | None" = None,
) -> memoryview:
    """The reciprocal (f32) of each row's length; 0 where it has none.

    Squares are added up in the order of the words, so that a row's sum hangs on its own words alone
    and on their weights, to the last bit.

    Args:
        postings: Of the rows, in order of the words.
        weights: Of each word.
        rows: So many there are.
        times: How often each posting counts; once when that is None.
    """
    import numpy as np

    squares = weights * weights
    starts = postings.starts.astype(np.int64)
    sums = np.zeros(rows)
    steps = np.searchsorted(starts, np.arange(0, starts[-1], _STEP))
    for first, last in pairwise(np.unique([*steps, len(weights)])):
        here = slice(starts[first], starts[last])
        added = np.repeat(squares[first:last], np.diff(starts[first : last + 1]))
        if times is not None:
            counts = times[here].astype(np.float64)
            added *= counts * counts
        np.add.at(sums, postings.all_rows[here].astype(np.intp), added)
    lengths = np.sqrt(sums)
    return data_of(np.divide(1, lengths, out=np.zeros(rows), where=lengths > 0), "<f4")
