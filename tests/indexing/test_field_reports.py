"""What people reported of stores like ours: several writers, crashes. One test an id."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from memories import fixed, journal, tree

from indexing.build import build_index
from indexing.errors import BadIndex, JournalBusy
from indexing.journal import append
from indexing.readers.journal import Journal
from indexing.settings import Settings
from indexing.stores import generations
from indexing.stores.local import LocalStore
from retrieval import Memory, Query
from retrieval.tiers import tiers
from retrieval.verify import verify

ROOT = Path(__file__).parents[2]
RAW = "npm error code E404"
WRITER = """
import sys
from pathlib import Path
from indexing.entry import Entry
from indexing.journal import append
for number in range(int(sys.argv[3])):
    print(append(Path(sys.argv[1]), Entry(f"{sys.argv[2]}-{number}", "note", "title"), 60))
"""
HOLDER = """
import sys, time
from pathlib import Path
from indexing import journal
from indexing.stores import generations
with journal.alone(Path(sys.argv[1]), 10), generations.alone(Path(sys.argv[2]), 10):
    print("held", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


@pytest.fixture
def index(tmp_path):
    return tmp_path / "index"


def rebuilt(path, index):
    return build_index([path], index, tiers(Settings()), root=path.parent)


def ids(path):
    return sorted(entry.id for entry in Journal().read(path, "x"))


def written_by(path, writers, each):
    """The ids that so many processes say they recorded, all at once."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(name), str(each)],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
        )
        for name in range(writers)
    ]
    return sorted(id for writer in started for id in writer.communicate(timeout=300)[0].split())


def damaged(index, name, data):
    file = index / generations.current(index) / name
    file.write_bytes(data(file.read_bytes()))
    return file


def test_b115_four_calls_at_once_are_all_kept(path):
    threads = [
        threading.Thread(target=append, args=(path, fixed(id, "Error: one"))) for id in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ids(path) == ["a", "b", "c", "d"]


def test_b116_two_processes_lose_nothing(path):
    told = written_by(path, 2, 10)

    assert len(told) == 20
    assert ids(path) == told


def test_eight_processes_lose_nothing_that_was_acknowledged(path):
    told = written_by(path, 8, 25)  # scripts/bench/journal.py writes ten thousand

    assert len(told) == 200
    assert ids(path) == told
    assert path.read_bytes().count(b"\n") == 200


def test_b118_a_dead_owner_of_a_lock_jams_nothing_and_a_live_one_is_respected(path, index):
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path, index], cwd=ROOT, text=True, stdout=subprocess.PIPE
    )
    with owner:
        assert owner.stdout.readline() == "held\n"
        with pytest.raises(JournalBusy):
            append(path, fixed("a", "Error: one"), 0.1)
        assert f"process {owner.pid} on" in (index / ".owner").read_text()
        os.kill(owner.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        owner.wait()

    append(path, fixed("a", "Error: one"), 5)

    assert rebuilt(path, index).entries == 1
    assert not (index / ".owner").exists()


def test_b119_threads_of_one_process_queue_for_the_index(path, index):
    journal(path, [fixed("a", "Error: one")])
    failed = []

    def build_again():
        try:
            rebuilt(path, index)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=build_again) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert verify(index) == []


def test_b121_while_a_build_is_at_work_others_ask_and_record(path, index):
    journal(path, [fixed("a", RAW, "Log in")])
    rebuilt(path, index)
    memory = Memory.open(index)
    with generations.alone(index, 0):
        append(path, fixed("b", RAW, "Turn the cache off"), 0)
        assert [hit.entry.id for hit in memory.lookup(Query(RAW))] == ["a"]
        assert [hit.entry.id for hit in Memory.open(index).lookup(Query(RAW))] == ["a"]

    rebuilt(path, index)

    assert sorted(hit.entry.id for hit in memory.lookup(Query(RAW))) == ["a", "b"]


@pytest.mark.parametrize(
    "name", ["rows.jsonl", "rows.offsets", "signatures.keys", "lexical.text.rows", "exact.ranks"]
)
@pytest.mark.parametrize("how", ["cut", "zeroed"])
def test_b122_b124_a_file_cut_or_emptied_is_told_and_mended(path, index, name, how):
    journal(path, [fixed("a", RAW), fixed("b", "Error: two")])
    rebuilt(path, index)
    whole = tree(index)
    cut = how == "cut"
    damaged(index, name, lambda data: data[: len(data) // 2] if cut else bytes(len(data)))

    with pytest.raises(BadIndex, match=rf"{name}.*mem index rebuild"):
        Memory.open(index)
    assert verify(index) != []
    rebuilt(path, index)

    assert tree(index) == whole


def test_b125_a_fault_before_the_manifest_and_the_same_build_again(path, index, monkeypatch):
    journal(path, [fixed("a", RAW)])
    rebuilt(path, index)
    journal(path, [fixed("b", RAW)])
    with monkeypatch.context() as patch:
        patch.setattr(generations, "MANIFEST", "no/such/folder")
        with pytest.raises(BadIndex, match="the index stays as it was"):
            rebuilt(path, index)
        assert len(LocalStore.open(index)) == 1
    rebuilt(path, index)
    rebuilt(path, index)

    store = LocalStore.open(index)
    assert sorted(store.entry(row).id for row in range(len(store))) == ["a", "b"]
    assert len([each for each in index.iterdir() if each.name.startswith("g-")]) == 1


def test_b127_a_store_without_a_final_newline(path):
    journal(path, [fixed("a", "Error: one"), fixed("b", "Error: two")])
    path.write_bytes(path.read_bytes().replace(b"\n", b"", 1).rstrip(b"\n"))

    append(path, fixed("c", "Error: three"))

    assert ids(path) == ["a", "b", "c"]
    assert path.read_bytes().endswith(b"\n")


def test_b128_a_pointer_that_holds_a_brace_is_rebuilt_from_the_memory(path, index):
    journal(path, [fixed("a", RAW)])
    rebuilt(path, index)
    whole = tree(index)
    (index / "CURRENT").write_text("{")

    with pytest.raises(BadIndex, match="names no generation; run `mem index rebuild`"):
        Memory.open(index)
    append(path, fixed("b", "Error: two"))
    assert len(ids(path)) == 2
    rebuilt(path, index)

    assert Memory.open(index).lookup(Query(RAW))[0].entry.id == "a"
    assert tree(index) != whole
