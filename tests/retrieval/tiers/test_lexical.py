import random
from pathlib import Path

import lexical_reference as reference
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memories import entry, in_order, indexed, laid_over

from indexing.build import build_index
from indexing.settings import SCORERS, Settings
from indexing.stores.local import LocalStore
from retrieval import Query
from retrieval.segments import split
from retrieval.tiers import best
from retrieval.tiers.best import Factors, Points, Words
from retrieval.tiers.lexical import Lexical

MEMORY = Path(__file__).parents[3] / "fixtures" / "memory"
WORDS = st.sampled_from(["token", "refresh", "fails", "after", "npm", "user_id", "E0308", "über"])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
FILES = st.none() | st.lists(
    st.sampled_from(["a.py", "./src/a.py", "src/b.py", "c\\d.py"]), max_size=3
)
ENTRIES = st.lists(
    st.tuples(TEXTS, TEXTS, FILES, st.sampled_from(["", "2026-01-01", "2026-02-01"]), TEXTS),
    max_size=12,
)
COSINE = Settings(scorer="cosine")
WAYS = {
    "fields": Settings(),
    "fields, newest": Settings(max_entries=3),
    "fields, other priors": Settings(prior_recency=2.0, prior_fresh=0.0, prior_size=1.0),
    "cosine": COSINE,
    "plain": COSINE._replace(tokens="plain"),
    "tokens": Settings(scorer="tokens"),
    "newest": COSINE._replace(max_entries=3),
    "newest by tokens": Settings(scorer="tokens", max_entries=3),
    "halves": COSINE._replace(weight_text=0.5, weight_files=0.5),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
every_scorer = pytest.mark.parametrize(
    "way", [Settings(scorer=each) for each in SCORERS], ids=SCORERS
)


def made(drawn):
    return in_order(
        entry(
            f"e{number}",
            title,
            raw,
            body=body,
            files=None if files is None else tuple(files),
            captured_at=at,
            labels=("bug",) if number % 3 == 0 else (),
        )
        for number, (title, body, files, at, raw) in enumerate(drawn)
    )


@every_way
@settings(max_examples=60)
@given(drawn=ENTRIES, title=TEXTS, body=TEXTS, files=FILES, limit=st.integers(1, 5))
def test_answers_are_those_of_the_definition(
    tmp_path_factory, way, drawn, title, body, files, limit
):
    entries = made(drawn)
    store = indexed(entries, tmp_path_factory.mktemp("index"), way)
    query = Query(title=title, body=body, files=files, labels=["bug"])

    hits = Lexical(way).search(query, store, limit)

    assert [(hit.entry.id, hit.score) for hit in hits] == reference.best(entries, query, way, limit)
    for hit in hits:
        assert hit.why.jaccard is None or hit.why.jaccard == pytest.approx(
            reference.jaccard(files, hit.entry.files), abs=1e-6
        )


def many_entries(chance, words):
    return in_order(
        entry(
            f"e{number:04}",
            " ".join(words(chance.randint(1, 4))),
            files=chance.choice([None, (), ("a.py",), ("a.py", "b.py")]),
            captured_at=f"2026-01-{chance.randint(1, 28):02}",
        )
        for number in range(2500)
    )


@every_way
def test_answers_over_many_blocks_are_those_of_the_definition(tmp_path, way):
    chance = random.Random(7)
    vocabulary = [f"word{number}" for number in range(60)]
    entries = many_entries(chance, lambda count: chance.choices(vocabulary, k=count))
    store = indexed(entries, tmp_path / "index", way)

    for _ in range(15):
        title = " ".join(chance.choices(vocabulary, k=3))
        query = Query(title=title, files=chance.choice([None, [], ["a.py"]]))
        limit = chance.choice([1, 3, 7, 600])
        hits = Lexical(way).search(query, store, limit)
        assert [(hit.entry.id, hit.score) for hit in hits] == reference.best(
            entries, query, way, limit
        )


@pytest.mark.parametrize("store_of", [indexed, laid_over])
@pytest.mark.parametrize("sought", [0, 1000], ids=["few rows", "all rows"])
@pytest.mark.parametrize(
    "way", [Settings(), Settings(max_entries=1500), COSINE], ids=["fields", "newest", "cosine"]
)
def test_common_words_count_although_they_are_not_added_to_every_row(
    tmp_path, monkeypatch, way, sought, store_of
):
    monkeypatch.setattr(best, "_COMMON", 150)
    monkeypatch.setattr(best, "_NEAR", 0.9)
    monkeypatch.setattr(best, "_SOUGHT", sought)
    monkeypatch.setattr(best, "_SEEDS", 200)
    monkeypatch.setattr(best, "_MANY", 20)
    monkeypatch.setattr(best, "_AT_HAND", 700)
    chance = random.Random(7)
    vocabulary = [f"word{number}" for number in range(60)]
    often = [1 / (number + 1) for number in range(60)]
    entries = many_entries(chance, lambda count: chance.choices(vocabulary, often, k=count))
    store = store_of(entries, tmp_path / "index", way)

    for _ in range(15):
        title = " ".join(chance.choices(vocabulary, k=5))
        query = Query(title=title, files=chance.choice([None, ["a.py"]]))
        scored = Lexical(way).scored(query, store, Lexical(way).rows_of(store))
        limit = chance.choice([1, 3, 7, 40])
        found = scored.best(limit)
        points = scored.points.of(split(store, [row for row, _ in found]))
        assert [(store.entry(row).id, score) for row, score in found] == reference.best(
            entries, query, way, limit
        )
        whole = scored.points.whole()
        places = [store.place(row) for row, _ in found]
        assert points.tolist() == [whole[segment][place] for segment, place in places]


def test_folders_that_nearly_everything_touches_say_nothing(tmp_path):
    entries = in_order(
        entry(f"e{n:04}", f"word{n % 7}", files=(f"src/core/f{n % 50}.py",)) for n in range(1100)
    )
    store = indexed(entries, tmp_path / "index")

    def asked(*files):
        query = Query(title="word3", files=files)
        hits = Lexical().search(query, store, 4)
        found = [(hit.entry.id, hit.score) for hit in hits]
        assert found == reference.best(entries, query, Settings(), 4)
        return [hit.why.paths for hit in hits]

    assert asked("src/core/new.py") == [0.0] * 4
    assert asked("src/core/f3.py")[0] > 0


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return indexed((entry(f"e{number:04}") for number in range(2500)), tmp_path_factory.mktemp("i"))


def points_of(store, given):
    points = Points(store, len(store), Words((), sum), [Factors.of(np.ones(len(store)))])
    rows = np.flatnonzero(given)
    points.add(split(store, rows.tolist()), given[rows])
    return points


@given(
    few=st.lists(st.sampled_from([0.0, 0.004, 0.3, 0.301, 0.5, 1.0]), min_size=1, max_size=40),
    limit=st.integers(1, 12),
    is_whole=st.booleans(),
)
def test_the_best_are_those_of_a_sort(store, few, limit, is_whole):
    given = np.zeros(len(store))
    given[(np.arange(len(few)) * 389) % len(given)] = few
    expected = sorted(
        ((row, int(100 * points + 0.5)) for row, points in enumerate(given)),
        key=lambda each: (-each[1], each[0]),
    )
    points = points_of(store, given)
    if is_whole:
        points.whole()

    assert points.best(limit) == [each for each in expected[:limit] if each[1] >= 1]


def test_of_equal_rows_the_first_are_the_best(store):
    assert points_of(store, np.ones(len(store))).best(3) == [(0, 100), (1, 100), (2, 100)]


def test_the_plain_cosine_is_that_of_scikit_learn(tmp_path):
    text_module = pytest.importorskip("sklearn.feature_extraction.text")
    chance = random.Random(3)
    vocabulary = [f"w{number}" for number in range(300)] + ["Über", "E0308", "user_id"]
    entries = in_order(
        entry(
            f"e{number:03}",
            " ".join(chance.choices(vocabulary, k=5)),
            body=" ".join(chance.choices(vocabulary, k=chance.randint(1, 200))),
        )
        for number in range(300)
    )
    plain = COSINE._replace(tokens="plain")
    store = indexed(entries, tmp_path / "index", plain)
    texts = [reference.text_of(each) for each in entries]
    vectorizer = text_module.TfidfVectorizer()
    documents = vectorizer.fit_transform(texts)

    for _ in range(10):
        title = " ".join([*chance.choices(vocabulary, k=8), "unseen"])
        expected = (documents @ vectorizer.transform([title]).T).toarray().ravel()
        hits = Lexical(plain).search(Query(title=title), store, len(entries))
        assert len(hits) > 100
        for hit in hits:
            row = next(r for r, each in enumerate(entries) if each.id == hit.entry.id)
            assert hit.why.cosine == pytest.approx(expected[row], abs=1e-6)


def test_a_hit_says_which_words_and_files_speak_for_it(tmp_path):
    entries = [
        entry("a", "Token refresh fails after logout", files=("src/auth.py", "setup.cfg")),
        entry("b", "Logout button is blue", files=("setup.cfg",)),
        entry("c", "Token list fails", files=("setup.cfg", "x.py")),
    ]
    store = indexed(entries, tmp_path / "index")
    query = Query(title="refresh of a token fails", files=["./src/auth.py", "setup.cfg", "y.py"])

    hit = Lexical().search(query, store, 3)[0]

    assert (hit.entry.id, hit.tier) == ("a", "lexical")
    assert hit.why.words == ("refresh", "fails", "token")
    assert hit.why.files == ("src/auth.py", "setup.cfg")
    assert hit.why.jaccard == pytest.approx(2 / 3, abs=1e-6)
    assert not hit.why.same_signature
    why = hit.why
    assert why.text and why.paths and why.prior
    assert 100 * (why.text + why.paths) * why.prior == pytest.approx(hit.score, abs=0.51)


def test_unknown_files_leave_the_whole_weight_to_the_words(tmp_path):
    entries = [entry("known", "token refresh", files=("a.py",)), entry("unknown", "token refresh")]
    store = indexed(entries, tmp_path / "index")

    def asked(files):
        hits = Lexical(COSINE).search(Query(title="token refresh", files=files), store, 2)
        return {hit.entry.id: (hit.score, hit.why.jaccard) for hit in hits}

    assert asked(None) == {"known": (100, None), "unknown": (100, None)}
    assert asked(["b.py"]) == {"known": (60, 0.0), "unknown": (100, None)}
    assert asked([]) == {"known": (60, 0.0), "unknown": (100, None)}
    assert asked(["a.py"]) == {"known": (100, 1.0), "unknown": (100, None)}


@every_scorer
def test_a_renamed_file_is_found_by_either_name(tmp_path, way):
    rename = "src/{auth => session}/token.py"
    entries = [
        entry("old", files=("src/auth/token.py",)),
        entry("moved", files=(rename,)),
        entry("other", files=("docs/readme.md",)),
    ]
    store = indexed(entries, tmp_path / "index")

    def found(*files):
        return {hit.entry.id for hit in Lexical(way).search(Query(files=files), store, 3)}

    assert found("src/auth/token.py") == {"old", "moved"}
    assert "moved" in found("src/session/token.py")
    assert found(rename) == {"old", "moved"}


def test_a_half_counts_up(tmp_path):
    store = indexed([entry("a", "", files=tuple("abcdefgh"))], tmp_path / "index")
    half = COSINE._replace(weight_text=0.5, weight_files=0.5)

    # 100 * 0.5 * 1/8 = 6.25 and 100 * 0.5 * 1/4 = 12.5
    assert Lexical(half).search(Query(files=["a"]), store, 1)[0].score == 6
    assert Lexical(half).search(Query(files=["a", "b"]), store, 1)[0].score == 13


def test_the_seeds_formula_is_taken_literally(tmp_path):
    entries = [
        entry("a", "Fix login token refresh", body="ignored", files=("a.py", "b.py", "c.py")),
        entry("b", "login", files=None),
    ]
    seed = Settings(scorer="tokens")
    store = indexed(entries, tmp_path / "index", seed)
    query = Query(title="login TOKEN", body="refresh", files=["a.py"])

    hits = Lexical(seed).search(query, store, 3)

    # 60 * 2 / sqrt(2 * 4) + 0.4 * 33 = 55.6; 60 * 1 / sqrt(2 * 1) = 42.4
    assert [(hit.entry.id, hit.score) for hit in hits] == [("a", 56), ("b", 42)]
    # 0.4 * 66 = 26.4, where 0.4 * 66.7 = 26.7
    hits = Lexical(seed).search(Query(title="none", files=["a.py", "b.py"]), store, 3)
    assert [(hit.entry.id, hit.score) for hit in hits] == [("a", 26)]


def test_a_log_without_words_is_asked_by_its_root_line(tmp_path):
    entries = [entry("a", "", "Error: cannot find module left-pad"), entry("b", "the sky is blue")]
    store = indexed(entries, tmp_path / "index")

    hits = Lexical(COSINE).search(Query("noise\nError: cannot find module left-pad\n"), store, 3)

    assert [(hit.entry.id, hit.score) for hit in hits] == [("a", 100)]


@every_scorer
@pytest.mark.parametrize(
    "query",
    [Query(), Query(title="unseen words only"), Query(files=[]), Query(files=["z.py"])],
    ids=["empty", "unseen", "no files", "unknown file"],
)
def test_nothing_in_common_is_no_hit(tmp_path, way, query):
    store = indexed([entry("a", "token refresh", files=("a.py",))], tmp_path / "index", way)

    assert Lexical(way).search(query, store, 3) == []


@every_scorer
def test_an_empty_index_answers_nothing(tmp_path, way):
    store = indexed([], tmp_path / "index", way)

    assert Lexical(way).search(Query(title="token", files=["a.py"]), store, 3) == []


def test_entries_beyond_the_newest_are_not_looked_at(tmp_path):
    entries = [entry(f"e{n}", "token refresh", captured_at=f"2026-01-0{n}") for n in range(1, 6)]
    newest = Settings(max_entries=2)
    store = indexed(entries, tmp_path / "index", newest)

    hits = Lexical(newest).search(Query(title="token refresh"), store, 5)

    assert [hit.entry.id for hit in hits] == ["e5", "e4"]


@pytest.mark.parametrize(
    "title",
    [
        "Translate README to French",
        "the",
        "Write a poem about autumn",
        "Add dark mode to the settings page",
    ],
)
def test_what_is_about_something_else_scores_below_the_floor(title, tmp_path):
    build_index([MEMORY], tmp_path, [Lexical()], Settings())
    hits = Lexical().search(Query(title=title), LocalStore.open(tmp_path), limit=3)
    assert [hit.score for hit in hits if hit.score >= Settings().min_score] == []
