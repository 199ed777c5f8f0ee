import hashlib
import json
import random
import shutil

import pytest
from faults import Disk, bits_turned, ended_before
from hypothesis import given, settings
from hypothesis import strategies as st
from memories import Stored, entry, stored, tree

from indexing import chapters, delta, stamps
from indexing.build import build_index
from indexing.delta import lay_over
from indexing.errors import BadIndex
from indexing.settings import SCORERS, Settings
from indexing.shelf import Shelf
from indexing.stores import generations, local
from indexing.stores.local import LocalStore
from retrieval import Query
from retrieval.memory import Memory
from retrieval.tiers import tiers

PARTS = tiers(Settings())
WORDS = ("alpha", "beta", "gamma", "delta", "omega", "sigma")
TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z", "2026-03-01T00:00:00Z", "")
IDS = [f"id-{n}" for n in range(12)]


def told(id, seed, op="add"):
    """A record that adds an entry: all have as many words, so that their mean stays."""
    draw = random.Random(seed)
    files = [f"src/{draw.choice(WORDS)}.py" for _ in range(2)]
    entry = {
        "kind": "failure",
        "title": " ".join(draw.choices(WORDS, k=3)),
        "body": " ".join(draw.choices(WORDS, k=4)),
        "labels": [draw.choice(WORDS)],
        "files": files if files[0] != files[1] else [files[0], "src/other.py"],
        "raw": f"Error: {draw.choice(WORDS)} is {draw.choice(WORDS)}",
        "tool": "npm",
        "captured_at": draw.choice(TIMES),
        "lesson": {"fix": draw.choice(("", "turn it off", "turn it on"))},
    }
    return {"v": 1, "op": op, "id": id, "at": "2026-01-01T00:00:00Z", "entry": entry}


ID = st.sampled_from(IDS)
NEW = st.integers(0, 999)
RECORDS = st.one_of(
    st.builds(told, ID, NEW),
    st.builds(
        lambda id, n, what: {
            "v": 1,
            "op": "outcome",
            "id": f"o-{n % 9}",
            "at": f"2026-04-01T00:00:{n % 60:02}Z",
            "entry_id": id,
            "outcome": what,
            "loop": f"l-{n % 3}",
        },
        ID,
        NEW,
        st.sampled_from(["helped", "harmed", "shown", "applied"]),
    ),
    st.builds(
        lambda id, n: {
            "v": 1,
            "op": "found",
            "id": f"f-{n % 9}",
            "at": "2026-04-01T00:00:00Z",
            "entry_id": id,
            "loop": f"l-{n % 3}",
            "outcome": "helped",
        },
        ID,
        NEW,
    ),
    st.builds(
        lambda op, one, other, n: {
            "v": 1,
            "op": op,
            "id": f"d-{n % 9}",
            "at": f"2026-05-01T00:00:{n % 60:02}Z",
            "into": one,
            "from": other,
            "a": one,
            "b": other,
            "entry_id": one,
            "undoes": f"d-{n % 5}",
        },
        st.sampled_from(["merge", "split", "archive", "restore", "undo"]),
        ID,
        ID,
        NEW,
    ),
    st.just({"v": 1, "op": "loop", "id": "loop", "at": "2026-01-01T00:00:00Z"}),
)


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@pytest.fixture(autouse=True)
def reads_stored(monkeypatch):
    known = chapters.reader_of
    monkeypatch.setattr(
        chapters, "reader_of", lambda path: Stored() if Stored().accepts(path) else known(path)
    )


def memory_of(folder, records=()):
    """A memory of two journals and a file of another format."""
    memory = folder / "memory"
    write(memory / "a" / "journal.jsonl", [told(f"a-{n}", n) for n in range(20)])
    write(memory / "b" / "journal.jsonl", records)
    of_another_format = [
        entry(
            id,
            "alpha beta gamma",
            "Error: omega is odd",
            body="beta beta delta sigma",
            labels=("alpha",),
            files=("src/alpha.py", "src/beta.py"),
        )
        for id in IDS[-4:]
    ]
    stored(memory / "c.stored", of_another_format)
    return memory


def built(memory, index):
    return build_index([memory], index, PARTS, root=memory)


def laid(memory, index):
    return lay_over([memory], index, PARTS, root=memory)


QUERIES = [
    *(Query(title=f"{word} beta", files=[f"src/{word}.py"]) for word in WORDS[:3]),
    Query(title="alpha", body="beta beta unheard", labels=["omega"]),
    Query(files=["src/alpha.py", "src/beta.py"]),
    *(Query(log=f"npm ERR! x\nError: {word} is alpha\n", tool="npm") for word in WORDS[:4]),
]


def answers(index):
    """What an index answers, whatever the scorer, and when only the newest rows are looked at."""
    ways = [*(Settings(scorer=each, min_score=1) for each in SCORERS), Settings(max_entries=7)]
    memories = [Memory(index, way) for way in ways]
    return [memory.lookup(query, 6) for memory in memories for query in QUERIES]


def rows(index):
    store = LocalStore.open(index)
    entries = [store.entry(row) for row in range(len(store))]
    by_id = {entry.id: store.named(entry.id) for entry in entries}
    signed = {
        entry.signature.sig_sha: store.signed(entry.signature.sig_sha)
        for entry in entries
        if entry.signature
    }
    return entries, by_id, signed, store.beginning("")


def same_as_a_rebuild(memory, index, folder):
    again = folder / "again"
    built(memory, again)
    assert rows(index) == rows(again)
    assert answers(index) == answers(again)
    assert local.verify(index) == []


@settings(max_examples=20)
@given(
    first=st.lists(RECORDS, max_size=12),
    batches=st.lists(st.lists(RECORDS, max_size=6), min_size=1, max_size=3),
)
def test_any_records_in_any_split_answer_as_a_rebuild(tmp_path_factory, first, batches):
    folder = tmp_path_factory.mktemp("delta")
    memory, index = memory_of(folder, first), folder / "index"
    built(memory, index)
    for batch in batches:
        write(memory / "b" / "journal.jsonl", batch)
        if laid(memory, index) is None:
            built(memory, index)
        same_as_a_rebuild(memory, index, folder)


def test_a_record_that_is_appended_is_laid_over_the_base(tmp_path):
    memory, index = memory_of(tmp_path), tmp_path / "index"
    base = built(memory, index).generation
    write(memory / "b" / "journal.jsonl", [told("new", 7)])

    report = laid(memory, index)

    assert report is not None
    assert report.entries == 25
    assert generations.base_of(index, report.generation) == base
    assert LocalStore.open(index).named("new")
    same_as_a_rebuild(memory, index, tmp_path)


def test_where_nothing_came_nothing_is_laid(tmp_path):
    memory, index = memory_of(tmp_path), tmp_path / "index"
    base = built(memory, index).generation

    report = laid(memory, index)

    assert report is not None
    assert (report.generation, report.entries) == (base, 24)
    assert generations.current(index) == base
    write(memory / "b" / "journal.jsonl", [told("new", 7)])
    assert laid(memory, index).entries == 25


@pytest.fixture
def grown(tmp_path):
    """A memory to which something was appended, and the index of what it was before."""
    memory, index = memory_of(tmp_path, [told("b-0", 3), told("b-1", 4)]), tmp_path / "before"
    built(memory, index)
    write(memory / "b" / "journal.jsonl", [told("new", 7), told("a-3", 8)])
    return memory, index


def generation(index):
    name = generations.current(index)
    return "new" if generations.base_of(index, name) else "old"


def test_a_fault_at_any_step_leaves_the_base_or_the_delta(grown, tmp_path, monkeypatch):
    memory, before = grown
    index = tmp_path / "index"
    seen = []
    for step in range(1, 500):
        shutil.copytree(before, index)
        ended = ended_before(monkeypatch, step, lambda: laid(memory, index))
        seen.append(generation(index))
        assert local.verify(index) == []
        assert laid(memory, index) is not None
        assert generation(index) == "new"
        shutil.rmtree(index)
        if ended:
            break
    else:
        pytest.fail("the delta never came to its end")
    assert step > 10
    assert sorted(set(seen)) == ["new", "old"]


def test_a_write_that_is_cut_short_leaves_the_base(grown, tmp_path, monkeypatch):
    memory, before = grown
    index = tmp_path / "index"
    whole = Disk(monkeypatch, 1 << 30)
    shutil.copytree(before, tmp_path / "whole")
    laid(memory, tmp_path / "whole")
    monkeypatch.undo()
    for size in [*range(0, whole.written, max(1, whole.written // 30)), whole.written - 1]:
        shutil.copytree(before, index)
        with monkeypatch.context() as patch:
            Disk(patch, size)
            with pytest.raises(BadIndex, match="No space left on device; the index stays"):
                laid(memory, index)
        assert generation(index) == "old"
        assert local.verify(index) == []
        shutil.rmtree(index)


def test_a_delta_is_replaced_and_folded_in(grown, tmp_path):
    memory, index = grown
    base = generations.current(index)
    first = laid(memory, index).generation
    write(memory / "b" / "journal.jsonl", [told("newer", 9)])

    second = laid(memory, index).generation

    assert generations.base_of(index, second) == base
    folders = {path.name for path in index.glob("g-*")}
    assert folders == {base, first, second}  # of readers that are about to open it
    same_as_a_rebuild(memory, index, tmp_path)
    built(memory, index)
    built(memory, index)
    assert {path.name for path in index.glob("g-*")} == {generations.current(index)}
    assert len(LocalStore.open(index).segments) == 1


def test_the_same_memory_gives_the_same_delta(grown, tmp_path):
    memory, index = grown
    shutil.copytree(index, tmp_path / "other")
    laid(memory, index)
    laid(memory, index)
    laid(memory, tmp_path / "other")

    assert tree(index) == tree(tmp_path / "other")


def test_a_reader_sees_a_delta_between_two_queries(grown):
    memory, index = grown
    reader = Memory(index, Settings(min_score=1))
    record = told("new", 7)
    record["entry"] |= {"title": "quite another thing", "raw": "", "lesson": {"fix": "wait"}}
    asked = Query(title="quite another thing")
    assert reader.lookup(asked) == []
    write(memory / "b" / "journal.jsonl", [record])
    laid(memory, index)
    assert [hit.entry.id for hit in reader.lookup(asked)] == ["new"]


def rewrite(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    path.write_bytes(b"".join(lines[::-1]))


def edit_in_place(path):
    text = path.read_bytes()
    path.write_bytes(text.replace(b"Error", b"error") + b"{}\n")


def tear(path):
    with path.open("ab") as file:
        file.write(b'{"v":1,"op":"add"')


def shorten(path):
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 40)


def add_file(path):
    write(path.with_name("more.jsonl"), [told("more", 1)])


def remove(path):
    path.unlink()


def touch_the_other(path):
    other = path.parents[1] / "c.stored"
    other.write_bytes(other.read_bytes().replace(b"odd", b"ODD"))


@pytest.mark.parametrize(
    "change", [rewrite, edit_in_place, tear, shorten, add_file, remove, touch_the_other]
)
def test_what_is_more_than_appended_needs_a_rebuild(grown, change):
    memory, index = grown
    before = generations.current(index)
    change(memory / "b" / "journal.jsonl")

    assert laid(memory, index) is None

    assert generations.current(index) == before
    assert local.verify(index) == []


def test_an_edit_far_from_what_was_appended_needs_a_rebuild(tmp_path):
    memory = memory_of(tmp_path, [told(f"b-{n}", n) for n in range(250)])
    index, journal = tmp_path / "index", memory / "b" / "journal.jsonl"
    built(memory, index)
    write(journal, [told("new", 7)])
    assert laid(memory, index) is not None

    journal.write_bytes(journal.read_bytes().replace(b"Error", b"error", 1))

    assert laid(memory, index) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda index: (index / ".stamps").unlink(),
        lambda index: (index / ".stamps").write_text("{"),
        lambda index: (index / ".stamps").write_text('{"base":1,"made":2,"files":{"a":[1]}}'),
        lambda index: shutil.rmtree(index / generations.current(index)),
        lambda index: (index / "CURRENT").write_text("g-"),
    ],
)
def test_a_base_that_is_not_known_needs_a_rebuild(grown, spoil):
    memory, index = grown
    spoil(index)

    assert laid(memory, index) is None

    built(memory, index)
    assert LocalStore.open(index).with_id("new") is not None


def test_other_rules_or_another_program_need_a_rebuild(grown, monkeypatch):
    memory, index = grown
    plain = tiers(Settings(tokens="plain"))
    assert lay_over([memory], index, plain, root=memory) is None
    monkeypatch.setattr(delta, "shelf_of", lambda index, parts: Shelf(index, "another"))
    assert laid(memory, index) is None


def test_more_than_a_delta_may_hold_needs_a_rebuild(grown, monkeypatch):
    memory, index = grown
    for bound in ("_MOST_IDS", "_MOST_LINES", "_MOST_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(delta, bound, 0)
            assert laid(memory, index) is None
    assert laid(memory, index) is not None


def test_what_could_not_be_read_and_still_cannot_is_no_change(tmp_path):
    memory, index = memory_of(tmp_path, [told("b-0", 1)]), tmp_path / "index"
    (memory / "gone.jsonl").symlink_to("nowhere")
    built(memory, index)
    write(memory / "b" / "journal.jsonl", [told("new", 7)])

    assert laid(memory, index) is not None

    same_as_a_rebuild(memory, index, tmp_path)
    write(memory / "nowhere", [told("more", 8)])
    assert laid(memory, index) is None


def test_means_that_move_need_a_rebuild(grown):
    memory, index = grown
    long = told("long", 1)
    long["entry"]["body"] = "omega " * 400
    write(memory / "b" / "journal.jsonl", [long])

    assert laid(memory, index) is None


def test_a_damaged_delta_is_found_by_its_file(grown):
    memory, index = grown
    laid(memory, index)
    folder = index / generations.current(index)
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for at in bits_turned(path):
            assert any(path.name in problem for problem in local.verify(index)), (path, at)
        path.unlink()
        with pytest.raises(BadIndex, match="mem index rebuild"):
            LocalStore.open(index)
        path.write_bytes(whole)
    assert local.verify(index) == []


def test_a_delta_without_its_base_is_refused_with_what_mends_it(grown):
    memory, index = grown
    laid(memory, index)
    base = generations.base_of(index, generations.current(index))
    (index / base).rename(index / "elsewhere")

    with pytest.raises(BadIndex, match=f"{base}.*run `mem index rebuild`"):
        LocalStore.open(index)

    built(memory, index)
    assert local.verify(index) == []


def test_a_file_whose_time_proves_nothing_is_read(grown, monkeypatch):
    memory, index = grown
    asked, digest = [], hashlib.file_digest
    monkeypatch.setattr(stamps.hashlib, "file_digest", lambda *a: asked.append(1) or digest(*a))
    assert laid(memory, index) is not None
    assert len(asked) >= 2  # both files that have not grown were written a moment ago


def test_of_two_outcomes_of_one_id_the_first_counts_though_it_is_of_another_entry(tmp_path):
    outcome = {"v": 1, "op": "outcome", "id": "o", "at": "2026-04-01T00:00:00Z", "loop": "l"}
    twice = [{**outcome, "entry_id": id, "outcome": "helped"} for id in (IDS[-1], IDS[-2])]
    memory, index = memory_of(tmp_path, twice), tmp_path / "index"
    built(memory, index)
    write(memory / "b" / "journal.jsonl", [told(IDS[-2], 806)])

    assert laid(memory, index) is not None

    same_as_a_rebuild(memory, index, tmp_path)
