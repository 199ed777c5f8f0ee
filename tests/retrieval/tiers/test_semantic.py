from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from memories import entry, fixed, tree
from models import MINILM, another, built, semantic, vectored

from indexing.build import write_index
from indexing.errors import BadIndex, NoVectors, StaleRecipe
from indexing.settings import Settings
from indexing.stores import generations
from retrieval import Memory, Query
from retrieval.encoder import encoder_of, model_of
from retrieval.tiers import VECTORS, parts

RAW = "npm ERR! 404 Not Found - GET https://registry.example/@acme%2fui-kit"
KNOWN = [
    entry("slow", "The checkout page takes ages to load", kind="note"),
    entry("login", "Users are signed out after renewing their session", kind="note"),
    entry("colour", "The header has the wrong shade of blue", kind="note"),
    fixed("kit", RAW, "npm login"),
]
LOGIN = Query(title="People get logged off when a login is renewed")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("semantic") / "index"
    built(KNOWN, folder, semantic())
    return folder


@pytest.fixture
def memory(index):
    return Memory(index, semantic())


def test_what_says_the_same_in_other_words_is_found(memory):
    found = memory.lookup(LOGIN)

    assert [(hit.entry.id, hit.tier) for hit in found] == [("login", "semantic")]
    assert found[0].why.vectors > 0.5
    assert memory.lookup(LOGIN, semantic=False) == []


def test_what_is_found_without_vectors_stays_of_the_lexical_tier(memory):
    query = Query(title="The header has the wrong shade of blue on the checkout page")

    [before, *_] = memory.lookup(query, semantic=False)
    [hit, *_] = memory.lookup(query)

    assert (hit.entry.id, hit.tier) == ("colour", "lexical")
    assert hit.score > before.score
    assert hit.why._replace(vectors=None) == before.why


def test_the_same_failure_comes_first(memory):
    query = Query(RAW, tool="npm", title="Users are signed out after renewing their session")
    found = memory.lookup(query)

    assert [(hit.entry.id, hit.tier) for hit in found][:2] == [
        ("kit", "exact"),
        ("login", "lexical"),
    ]
    assert found[0].score == 100


def test_where_files_are_known_words_and_files_decide_as_long_as_they_find_something(tmp_path):
    known = entry("auth", "Bump the linter", files=("src/auth/login.py",), kind="note")
    memory = vectored([*KNOWN, known], tmp_path / "index")

    def found(*files):
        return memory.lookup(Query(title=LOGIN.title, files=files))

    assert [hit.entry.id for hit in found("src/auth/login.py")] == ["auth"]
    assert found("src/auth/login.py")[0].why.vectors is None
    assert [(hit.entry.id, hit.tier) for hit in found("docs/a.md")] == [("login", "semantic")]


def test_a_score_is_never_above_100(tmp_path):
    for scorer in ("fields", "cosine", "tokens"):
        found = vectored(KNOWN, tmp_path / scorer, scorer=scorer).lookup(
            Query(title=KNOWN[2].title)
        )
        assert [hit.entry.id for hit in found][:1] == ["colour"]
        assert found[0].score <= 100


def test_vectors_that_nobody_asks_for_change_nothing(index, tmp_path):
    built(KNOWN, tmp_path / "plain", Settings())
    asked = [LOGIN, Query(RAW, tool="npm"), Query(title="wrong blue header", files=["a.css"])]

    with_vectors = Memory(index, Settings())
    without = Memory(tmp_path / "plain", Settings())

    for query in asked:
        assert with_vectors.lookup(query) == without.lookup(query)
        assert Memory(index, semantic()).lookup(query, semantic=False) == without.lookup(query)


def test_b130_a_model_of_the_same_name_and_shape_is_refused(index, tmp_path):
    other = semantic(semantic_model=str(another(tmp_path)))
    assert model_of(other)[1:3] == model_of(semantic())[1:3]

    with pytest.raises(StaleRecipe, match=r"vectors made with files .* --semantic"):
        Memory(index, other).lookup(LOGIN)


def test_b131_an_index_without_vectors_says_so(tmp_path):
    built(KNOWN, tmp_path / "index", Settings())
    memory = Memory(tmp_path / "index", semantic())
    query = Query(title="The header has the wrong blue")

    found = memory.lookup(query)

    assert [(hit.entry.id, hit.tier) for hit in found] == [("colour", "lexical")]
    assert "without vectors; run `mem index rebuild --semantic`" in memory.without_vectors
    with pytest.raises(NoVectors, match="mem index rebuild --semantic"):
        memory.lookup(query, semantic=True)


def test_b131_vectors_of_another_size_than_they_should_have_are_refused(tmp_path):
    class Halved:
        """The part of the index, with half a vector less than its model says."""

        def __init__(self, part):
            self._part = part
            self.name, self.made_with, self.gather = part.name, part.made_with, part.gather

        def merge(self, gathered, entries):
            files = dict(self._part.merge(gathered, entries))
            return files | {"vectors": files["vectors"][: -2 * model_of(semantic()).dimension]}

    with generations.alone(tmp_path / "index", 0):
        *others, last = parts(semantic())
        write_index(KNOWN, tmp_path / "index", [*others, Halved(last)])

    with pytest.raises(BadIndex, match="other sizes"):
        Memory(tmp_path / "index", semantic()).lookup(LOGIN)


def test_the_same_memory_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        built(KNOWN if name == "a" else KNOWN[::-1], tmp_path / name, semantic())

    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_what_made_the_vectors_is_told(index):
    [generation] = index.glob("g-*")
    made = Memory(index, semantic()).store.recipe.parts["semantic"]

    assert (made["model"], made["dimension"], made["pooling"]) == (MINILM.name, 384, "mean_tokens")
    assert len(made["files"]) == 64
    assert (generation / "semantic.vectors").stat().st_size == 4 * 384 * len(KNOWN)


def test_what_did_not_change_is_not_encoded_again(tmp_path):
    index = tmp_path / "index"
    assert built(KNOWN, index, semantic())[1] == len(KNOWN)
    first = tree(index)
    assert built(KNOWN, index, semantic())[1] == 0
    assert tree(index) == first

    assert built([*KNOWN, entry("new", "Nobody said this yet")], index, semantic())[1] == 1
    assert built([each for each in KNOWN if each.id != "slow"], index, semantic())[1] == 0


def test_equal_texts_are_encoded_once(tmp_path):
    twins = [entry(f"n{number}", "The same words") for number in range(5)]
    assert built(twins, tmp_path / "index", semantic())[1] == 1

    found = Memory(tmp_path / "index", semantic()).lookup(Query(title="The same words"), k=9)
    assert len({hit.why.vectors for hit in found}) == 1
    assert sum(1 + hit.alike for hit in found) == 5


def test_a_build_that_is_stopped_leaves_the_old_index_and_has_not_encoded_in_vain(tmp_path):
    index = tmp_path / "index"
    built(KNOWN, index, semantic())
    before = generations.current(index)

    def stops(progress):
        raise KeyboardInterrupt

    later = [*KNOWN, entry("new", "Nobody said this yet")]
    with pytest.raises(KeyboardInterrupt), generations.alone(index, 0):
        generations.clean(index)
        write_index(later, index, parts(semantic(), index / VECTORS, stops))

    assert generations.current(index) == before
    assert Memory(index, semantic()).lookup(LOGIN)[0].entry.id == "login"
    assert built(later, index, semantic())[1] == 0


HOSTILE = [
    entry("empty", ""),
    entry("blank", " \n\t "),
    entry("nul", "a \0 b \0 token refresh"),
    entry("half", "half a pair \ud800 of surrogates \udfff"),
    entry("bidi", "\u202etxet desrever\u202c \u200b zero width"),
    entry("long", "token " * 200_000),
    entry("word", "x" * 1_000_000),
]


def test_hostile_texts_are_encoded(tmp_path):
    memory = vectored([*KNOWN, *HOSTILE], tmp_path / "index")

    assert memory.lookup(LOGIN)[0].entry.id == "login"
    for each in HOSTILE:
        for hit in memory.lookup(Query(title=each.title[:2000], body="\0"), k=20):
            assert 0 <= hit.score <= 100 and np.isfinite(hit.why.vectors or 0.0)


def test_a_text_without_words_is_near_nothing():
    encoder = encoder_of(model_of(semantic()), "cpu")
    nothing, something = encoder.encode([" \n", "something"])

    assert not nothing.any()
    assert np.linalg.norm(something) == pytest.approx(1)


def test_many_threads_get_the_answers_of_one(index):
    memory = Memory(index, semantic())
    asked = [LOGIN, *(Query(title=each.title) for each in KNOWN)]
    alone = [memory.lookup(query) for query in asked]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(memory.lookup, asked * 16))

    assert found == alone * 16


@pytest.mark.parametrize("look", ["hnsw", "sq8"])
def test_how_vectors_are_looked_through_changes_no_score(index, tmp_path, look):
    other = vectored(KNOWN, tmp_path / "index", semantic_vectors=look)
    for query in (LOGIN, *(Query(title=each.title) for each in KNOWN)):
        assert other.lookup(query) == Memory(index, semantic()).lookup(query)
