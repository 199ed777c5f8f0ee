from memories import entry, fixed, indexed

from indexing.entry import Lesson
from indexing.signature import sign
from retrieval import Query
from retrieval.tiers.exact import Exact

RAW = "Error: Cannot find module 'left-pad'"


def ids(hits):
    return [hit.entry.id for hit in hits]


def test_finds_the_entries_of_the_same_signature_and_no_other(tmp_path):
    store = indexed([fixed("a", RAW), fixed("b", RAW + "s"), entry("c", RAW)], tmp_path / "index")

    hits = Exact().search(Query(f"noise\n{RAW}\n", tool="npm"), store, 3)

    assert ids(hits) == ["a"]
    assert (hits[0].score, hits[0].tier, hits[0].why.same_signature) == (100, "exact", True)


def test_a_fix_comes_first_then_what_helped_then_the_newer_then_the_id(tmp_path):
    entries = [
        fixed("nofix-helped", RAW, helped=9),
        fixed("fix-harmed", RAW, "pin it", helped=1, harmed=2),
        fixed("fix-helped", RAW, "pin it", helped=3, harmed=1),
        fixed("fix-b", RAW, "pin it"),
        fixed("fix-a", RAW, "pin it"),
        fixed("fix-new", RAW, "pin it")._replace(captured_at="2026-01-01T00:00:00Z"),
        fixed("worked", RAW)._replace(lesson=Lesson(worked=("npm ci",)), captured_at="2025"),
    ]
    store = indexed(entries, tmp_path / "index")

    hits = Exact().search(Query(RAW, tool="npm"), store, 10)

    assert ids(hits) == [
        "fix-helped",
        "fix-new",
        "worked",
        "fix-a",
        "fix-b",
        "fix-harmed",
        "nofix-helped",
    ]


def test_a_limit_takes_the_best(tmp_path):
    entries = [fixed(f"e{n:02}", RAW, helped=n) for n in range(20)]
    store = indexed(entries, tmp_path / "index")

    assert ids(Exact().search(Query(RAW, tool="npm"), store, 2)) == ["e19", "e18"]


def test_another_tool_is_another_failure(tmp_path):
    store = indexed([entry("a", raw=RAW, tool="cargo")], tmp_path / "index")

    assert Exact().search(Query(RAW, tool="npm"), store, 3) == []


def test_a_query_without_a_failure_finds_nothing(tmp_path):
    store = indexed([fixed("a", RAW)], tmp_path / "index")

    assert Exact().search(Query(title=RAW), store, 3) == []
    assert Exact().search(Query("all is well"), store, 3) == []


def test_shared_files_are_shown(tmp_path):
    store = indexed([fixed("a", RAW)._replace(files=("src\\a.py", "b.py"))], tmp_path / "index")

    [hit] = Exact().search(Query(RAW, tool="npm", files=["src/a.py"]), store, 3)

    assert hit.why.files == ("src\\a.py",)


def test_a_weaker_key_is_noted_and_comes_after_the_full_one(tmp_path):
    entries = [entry("weak", raw=RAW, tool="generic", lesson=Lesson(fix="x")), fixed("full", RAW)]
    store = indexed(entries, tmp_path / "index")

    full, weak = Exact().search(Query(RAW, tool="npm"), store, 3)

    assert (full.entry.id, full.score, full.why.note) == ("full", 100, "")
    assert (weak.entry.id, weak.score, weak.why.same_signature) == ("weak", 90, False)
    assert weak.why.note.startswith("same root line")


def test_an_entry_that_does_not_know_the_further_lines_is_found_by_the_root_line(tmp_path):
    store = indexed([fixed("bare", RAW)], tmp_path / "index")
    signature = sign(RAW, "npm", ("Require stack:", "- /app/index.js"))

    [hit] = Exact().search(Query(signature=signature), store, 3)

    assert (hit.entry.id, hit.score) == ("bare", 90)


def test_a_root_line_with_other_further_lines_is_another_failure(tmp_path):
    store = indexed([entry("other", raw=RAW, joined=("at a.js",))], tmp_path / "index")
    signature = sign(RAW, "npm", ("at b.js",))

    assert Exact().search(Query(signature=signature), store, 3) == []
