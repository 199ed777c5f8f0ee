from memories import entry, fixed, indexed

from indexing.entry import Lesson
from indexing.settings import Settings
from retrieval import Hit, Query
from retrieval.search import search
from retrieval.tiers import tiers

RAW = "Error: Cannot find module 'left-pad'"


class Telling:
    """A tier that gives these hits and notes whether it was asked."""

    def __init__(self, *hits, sure=False):
        self.name = hits[0].tier if hits else "telling"
        self.hits = hits
        self.sure = sure
        self.asked = 0

    def search(self, query, store, limit):
        self.asked += 1
        return self.hits[:limit]


def hit(id, tier, score):
    return Hit(entry(id), tier, score)


def shown(hits):
    return [(each.entry.id, each.tier, each.score) for each in hits]


def test_the_earlier_tier_keeps_an_entry_that_both_found():
    first = Telling(hit("a", "exact", 90), sure=True)
    second = Telling(hit("b", "lexical", 99), hit("a", "lexical", 95))

    assert shown(search(Query(), None, [first, second], 3, 15)) == [
        ("a", "exact", 90),
        ("b", "lexical", 99),
    ]


def test_a_tier_is_not_asked_when_the_ones_before_fill_the_limit():
    first = Telling(hit("a", "exact", 100), hit("b", "exact", 100), sure=True)
    second = Telling(hit("c", "lexical", 99))

    assert len(search(Query(), None, [first, second], 2, 15)) == 2
    assert second.asked == 0
    assert len(search(Query(), None, [first, second], 3, 15)) == 3


def test_a_weak_hit_is_not_shown_but_a_sure_one_always():
    first = Telling(hit("a", "exact", 90), sure=True)
    second = Telling(hit("b", "lexical", 96), hit("c", "lexical", 94))

    assert shown(search(Query(), None, [first, second], 3, 95)) == [
        ("a", "exact", 90),
        ("b", "lexical", 96),
    ]


def test_what_an_earlier_tier_found_does_not_cost_a_later_one_its_places(tmp_path):
    entries = [fixed("known", RAW)] + [
        entry(f"e{n}", "Cannot find module left-pad in the workspace") for n in range(5)
    ]
    store = indexed(entries, tmp_path / "index")

    hits = search(Query(RAW, tool="npm"), store, tiers(Settings()), 3, 15)

    assert [(each.entry.id, each.tier) for each in hits] == [
        ("known", "exact"),
        ("e0", "lexical"),
        ("e1", "lexical"),
    ]


def test_nothing_similar_is_no_hit(tmp_path):
    store = indexed([entry("a", "token refresh")], tmp_path / "index")

    assert search(Query(title="colour of the sky"), store, tiers(Settings()), 3, 15) == []


def test_a_log_whose_failure_is_known_with_a_fix_is_answered_by_it_alone(tmp_path):
    entries = [fixed("known", RAW, "npm ci"), entry("like", "Cannot find module left-pad")]
    store = indexed(entries, tmp_path / "index")

    def asked(**more):
        hits = search(Query(RAW, tool="npm", **more), store, tiers(Settings()), 3, 15)
        return [each.entry.id for each in hits]

    assert asked() == ["known"]
    assert asked(title="left-pad is missing") == ["known", "like"]


def test_a_log_whose_failure_is_known_without_a_fix_is_answered_by_what_is_like_it_too(tmp_path):
    entries = [fixed("known", RAW), entry("like", "Cannot find module left-pad")]
    store = indexed(entries, tmp_path / "index")

    hits = search(Query(RAW, tool="npm"), store, tiers(Settings()), 3, 15)

    assert [each.entry.id for each in hits] == ["known", "like"]


def says(id, tier, score, **lesson):
    return Hit(entry(id, lesson=Lesson(**lesson)), tier, score)


def test_hits_that_say_the_same_are_one_that_counts_them():
    tier = Telling(
        says("a", "lexical", 90, fix="Pin  react"),
        says("b", "lexical", 80, fix="pin react", worked=("yes",)),
        says("c", "lexical", 70, fix="Raise node"),
        says("d", "lexical", 60, fix="pin react"),
        says("e", "lexical", 50),
    )

    found = search(Query(), None, [tier], 3, 15)

    assert [(each.entry.id, each.alike) for each in found] == [("a", 2), ("c", 0), ("e", 0)]


def test_one_failure_met_again_without_a_lesson_is_one_hit(tmp_path):
    entries = [fixed("a", RAW, "add it"), *(fixed(f"again{n}", RAW) for n in range(5))]
    store = indexed(entries, tmp_path / "index")

    [found] = search(Query(RAW, tool="npm"), store, tiers(Settings()), 3, 15)

    assert (found.entry.id, found.alike) == ("a", 5)


def test_what_two_tiers_find_is_counted_once():
    met = [says("a", "exact", 100), says("b", "exact", 100)]
    alike = [says("b", "lexical", 80), says("c", "lexical", 70), says("d", "lexical", 60)]
    tiers = [Telling(*_signed(met)), Telling(*_signed(alike))]

    [found] = search(Query(title="one failure"), None, tiers, 3, 15)

    assert (found.entry.id, found.alike) == ("a", 3)


def _signed(hits):
    """The hits as meetings of one failure."""
    return [
        hit._replace(entry=hit.entry._replace(signature=fixed("x", RAW).signature)) for hit in hits
    ]


def test_two_lessons_of_one_failure_are_two_hits(tmp_path):
    entries = [fixed("a", RAW, "add it"), fixed("b", RAW, "remove the import")]
    store = indexed(entries, tmp_path / "index")

    found = search(Query(RAW, tool="npm"), store, tiers(Settings()), 3, 15)

    assert [(each.entry.id, each.alike) for each in found] == [("a", 0), ("b", 0)]


def test_entries_without_lesson_and_signature_never_say_the_same():
    tier = Telling(hit("a", "lexical", 90), hit("b", "lexical", 80))
    assert len(search(Query(), None, [tier], 3, 15)) == 2
