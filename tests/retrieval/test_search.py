from memories import entry, fixed, indexed

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
