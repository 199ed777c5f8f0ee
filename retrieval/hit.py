"""Hit: an entry, the tier that found it, a score, and why."""

from functools import lru_cache

from indexing.entry import Entry, Lesson
from indexing.typed import Any, NamedTuple


class Why(NamedTuple):
    """What speaks for a hit.

    `cosine` and `jaccard` are in 0..1, None where there was no evidence to compare; `words` and
    `files` are those both sides have, the weightiest first. `note` says in words what is unusual
    (`same root line; the memory does not know its file`). Where fields are weighed, `text` and
    `paths` are the parts of the score, None where there was no evidence, and `prior` is the factor
    for age and size: 100 * (text + paths) * prior. `vectors` is the cosine of the vectors of both
    texts, None where they had no part in the score; what it adds stands in `tiers/semantic.py`.
    """

    cosine: float | None = None
    jaccard: float | None = None
    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    same_signature: bool = False
    note: str = ""
    text: float | None = None
    paths: float | None = None
    prior: float | None = None
    vectors: float | None = None


def says_the_same(one: Entry, other: Entry) -> bool:
    """Whether who reads the first learns nothing from the second.

    They have one fix; or one signature, and the second no lesson that the first has not.
    """
    ours, theirs = one.lesson, other.lesson
    if ours.fix and _spoken(ours.fix) == _spoken(theirs.fix):
        return True
    if one.signature is None or other.signature is None:
        return False
    same = one.signature.sig_sha == other.signature.sig_sha
    return same and (theirs == ours or theirs == Lesson())


@lru_cache(maxsize=1 << 8)
def _spoken(fix: str) -> list[str]:
    """What of a fix counts: each hit of a lookup is compared with each other one."""
    return fix.casefold().split()


class Hit(NamedTuple):
    """One answer; `score` is an integer in 0..100.

    `certainty` is how likely it is that the hit helps, 0..1; None where nobody measured it. `alike`
    counts further hits that say the same and are not shown.
    """

    entry: Entry
    tier: str
    score: int
    why: Why = Why()
    certainty: float | None = None
    alike: int = 0

    def as_dict(self, rank: int) -> dict[str, Any]:
        """The hit as `mem lookup --json` prints it."""
        entry = self.entry
        return {
            "rank": rank,
            "tier": self.tier,
            "score": self.score,
            "entry": {
                "id": entry.id,
                "kind": entry.kind,
                "title": entry.title,
                "files": None if entry.files is None else list(entry.files),
                "lesson": entry.lesson._asdict(),
                "captured_at": entry.captured_at,
                "source": entry.source._asdict(),
                "evidence": entry.evidence._asdict(),
            },
            "why": {**self.why._asdict(), "certainty": self.certainty, "alike": self.alike},
        }
