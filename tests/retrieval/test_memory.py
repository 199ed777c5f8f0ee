import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from memories import Stored, entry, fixed, indexed, stored

from indexing import chapters
from indexing.build import build_index
from indexing.entry import Lesson
from indexing.errors import BadIndex, BadQuery, BadSettings, NoMemory, StaleRecipe
from indexing.settings import Settings
from retrieval import Memory, Query
from retrieval.tiers import tiers

RAW = "Error: Cannot find module 'left-pad'"
ENTRIES = [
    entry("exact", RAW, RAW, lesson=Lesson(root_cause="npm ci was not run")),
    entry("words", "Cannot find module left-pad after a clean checkout"),
    entry("other", "Token refresh fails after logout", files=("src/auth.py",)),
]


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    for name in [name for name in os.environ if name.startswith("MEM_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".mem").mkdir()
    indexed(ENTRIES, tmp_path / ".mem" / "index")
    return tmp_path


def ids(hits):
    return [hit.entry.id for hit in hits]


def test_a_log_finds_the_same_failure_first_and_then_what_is_like_it(project):
    hits = Memory.open(project).lookup(Query(RAW, tool="npm"))

    assert [(hit.entry.id, hit.tier) for hit in hits] == [("exact", "exact"), ("words", "lexical")]


def test_an_issue_finds_what_is_like_it(project):
    query = Query(title="Refresh of the token fails", files=["src/auth.py"])

    assert ids(Memory.open(project).lookup(query)) == ["other"]


def test_memory_is_found_wherever_it_is_named(project, monkeypatch):
    below = project / "a"
    below.mkdir()
    monkeypatch.chdir(below)
    index = project / ".mem" / "index"

    for memory in (
        Memory.open(),
        Memory.open(project),
        Memory.open(str(project / ".mem")),
        Memory.open(index),
        Memory.open(index=index),
    ):
        assert memory.index == index
        assert len(memory.store) == 3


def test_no_memory_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    for path in (None, tmp_path, tmp_path / "missing"):
        with pytest.raises(NoMemory, match="mem init"):
            Memory.open(path)


def test_a_memory_without_an_index_is_named(tmp_path):
    (tmp_path / ".mem").mkdir()

    with pytest.raises(BadIndex, match="mem index rebuild"):
        Memory.open(tmp_path)


def test_settings_of_the_memory_count(project):
    (project / ".mem" / "config.toml").write_text("top_k = 1\n")

    assert ids(Memory.open(project).lookup(Query(RAW, tool="npm"))) == ["exact"]
    assert len(Memory.open(project).lookup(Query(RAW, tool="npm"), k=2)) == 2


def test_wrong_settings_are_named(project, monkeypatch):
    monkeypatch.setenv("MEM_TOP_K", "many")

    with pytest.raises(BadSettings, match="MEM_TOP_K"):
        Memory.open(project)


def test_the_scorer_can_be_asked_for(project):
    memory = Memory.open(project)

    [hit] = memory.lookup(Query(title="token logout"), k=1, scorer="tokens")

    # 60 * 2 / sqrt(2 * 5)
    assert (hit.entry.id, hit.score) == ("other", 38)


@pytest.mark.parametrize(
    "asked", [{"k": 0}, {"k": -1}, {"k": "3"}, {"k": True}, {"scorer": "bm25"}]
)
def test_what_cannot_be_asked_is_refused(project, asked):
    with pytest.raises(BadQuery):
        Memory.open(project).lookup(Query(title="token"), **asked)


@pytest.mark.parametrize("max_tokens", [0, -5, 2.5, "500", True])
def test_a_block_of_no_size_is_refused(project, max_tokens):
    with pytest.raises(BadQuery, match="max_tokens: expected a whole number from 1"):
        Memory.open(project).context(Query(title="token"), max_tokens=max_tokens)


@pytest.mark.parametrize("query", ["npm ERR!", None, {"log": "x"}])
def test_what_is_no_query_is_refused(project, query):
    with pytest.raises(BadQuery, match=r"ask with Query\(log=…\)"):
        Memory.open(project).lookup(query)


QUERIES = [
    Query(RAW, tool="npm"),
    Query(title="Cannot find module left-pad", files=["src/auth.py"]),
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("scorer", ["cosine", "tokens"])
@pytest.mark.parametrize("filler", [b"\xff", b"\x00", b"\x7f"])
def test_a_damaged_index_is_told_and_never_another_error(
    project, monkeypatch, query, scorer, filler
):
    """Also one too big for its checksums to be taken when it is opened."""
    monkeypatch.setattr("indexing.stores.local._CHECKED", 0)
    index = project / ".mem" / "index"
    refused = 0
    for path in sorted((index / (index / "CURRENT").read_text().strip()).iterdir()):
        whole = path.read_bytes()
        path.write_bytes(filler * len(whole))
        try:
            Memory.open(project).lookup(query, scorer=scorer)
        except BadIndex as error:
            assert "mem index rebuild" in str(error)
            refused += 1
        path.write_bytes(whole)
    assert refused > 1


def test_an_index_of_other_rules_is_refused_by_name(project, monkeypatch):
    monkeypatch.setattr("indexing.recipe.ruleset_digest", lambda: "0" * 64)

    with pytest.raises(StaleRecipe, match="today's are 000000000000; run `mem index rebuild`"):
        Memory.open(project)


def test_an_index_of_other_words_is_refused_by_name(project, monkeypatch):
    monkeypatch.setenv("MEM_TOKENS", "plain")

    with pytest.raises(StaleRecipe, match=r"'lexical'.*mem index rebuild"):
        Memory.open(project)


def test_a_new_index_is_noticed_between_two_queries(project):
    memory = Memory.open(project)
    store = memory.store

    assert memory.store is store
    indexed([*ENTRIES, fixed("new", RAW, helped=1)], project / ".mem" / "index")

    assert ids(memory.lookup(Query(RAW, tool="npm"))) == ["new", "exact", "words"]
    assert memory.store is not store


def test_an_index_that_went_away_is_an_error_until_it_is_back(project):
    memory = Memory.open(project)
    pointer = project / ".mem" / "index" / "CURRENT"
    name = pointer.read_bytes()
    pointer.unlink()

    with pytest.raises(BadIndex, match="no index here"):
        memory.lookup(Query(title="token"))
    pointer.write_bytes(name)

    assert ids(memory.lookup(Query(title="token refresh"))) == ["other"]


def test_quarantined_entries_are_never_returned(tmp_path, monkeypatch):
    monkeypatch.setattr(chapters, "reader_of", lambda path: Stored())
    bad = fixed("bad", RAW)._replace(trust="quarantined: a passing line")
    path = stored(tmp_path / "memory.stored", [bad, *ENTRIES[:1]])
    build_index([path], tmp_path / "index", tiers(Settings()))
    memory = Memory.open(tmp_path / "index")

    assert ids(memory.lookup(Query(RAW, tool="npm"))) == ["exact"]
    assert ids(memory.lookup(Query(title=RAW))) == ["exact"]


def test_threads_share_a_memory_while_its_index_is_rebuilt(project):
    index = project / ".mem" / "index"
    memory = Memory.open(project)
    more = [*ENTRIES, entry("more", "Cannot find module left-pad, and more of it")]
    allowed = []
    for entries in (more, ENTRIES):
        indexed(entries, index)
        allowed.append(ids(memory.lookup(Query(RAW, tool="npm"))))
    assert sorted(map(len, allowed)) == [2, 3]
    wrong: list[object] = []
    ended = threading.Event()

    def ask():
        while not ended.is_set():
            try:
                found = ids(memory.lookup(Query(RAW, tool="npm")))
                if found not in allowed:
                    wrong.append(found)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for number in range(12):
        indexed(ENTRIES if number % 2 else more, index)
    ended.set()
    for thread in threads:
        thread.join()

    assert wrong == []


def test_the_same_query_gives_the_same_answer_every_time(project):
    query = Query(title="Cannot find the token module after logout", files=["src/auth.py"])

    assert len({repr(Memory.open(project).lookup(query)) for _ in range(3)}) == 1


def test_a_sure_answer_loads_nothing_heavy(project):
    script = textwrap.dedent("""
        import sys
        from retrieval import Memory, Query
        memory = Memory.open(sys.argv[1])
        hits = memory.lookup(Query(sys.argv[2], tool="npm"), k=1)
        assert hits[0].tier == "exact", hits
        heavy = "numpy rich filelock msgspec tomllib dataclasses asyncio logging subprocess".split()
        print([name for name in heavy if name in sys.modules])
        memory.lookup(Query(title="token refresh"))
        print("numpy" in sys.modules)
    """)
    ran = subprocess.run(
        [sys.executable, "-c", script, str(project), RAW],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )

    assert ran.stderr == ""
    assert ran.stdout == "[]\nTrue\n"


def test_how_long_it_took_goes_to_the_file_of_the_settings(project, monkeypatch):
    (project / ".mem" / "config.toml").write_text('events = "events.jsonl"\n')
    monkeypatch.chdir(project / ".mem")
    memory = Memory.open()

    memory.lookup(Query(RAW, tool="npm"))
    memory.context(Query(title="colour of the sky"))

    told = [json.loads(line) for line in (project / "events.jsonl").read_text().splitlines()]
    assert [(each["event"], each["hits"], each["tier"]) for each in told] == [
        ("memory.similarity.duration_ms", 2, "exact"),
        ("memory.similarity.duration_ms", 0, None),
    ]
    assert all(each["value"] > 0 for each in told)


def test_an_event_that_cannot_be_written_is_told_beside_the_answer(project, monkeypatch):
    memory = Memory.open(project)
    assert memory.lookup(Query(RAW, tool="npm"))
    assert memory.unwatched == ""
    monkeypatch.setenv("MEM_EVENTS", str(project))

    assert memory.lookup(Query(RAW, tool="npm"))

    assert memory.unwatched == f"{project}: events cannot be written (Is a directory)"


def test_a_context_block_is_that_of_the_hits(project):
    memory = Memory.open(project)

    assert "npm ci" in memory.context(Query(RAW, tool="npm"))
    assert memory.context(Query(title="colour of the sky")) == ""
