import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from faults import Disk, FaultError, ended_before
from memories import fixed, indexed, tree

from indexing.errors import BadIndex, IndexBusy
from indexing.stores import generations, local
from indexing.stores.local import LocalStore

OLD = [fixed("old", "Error: old")]
NEW = [fixed("new", "Error: new"), fixed("newer", "Error: newer")]


def ids(index):
    store = LocalStore.open(index)
    return sorted(store.entry(row).id for row in range(len(store)))


def generations_of(index):
    return sorted(path.name for path in index.iterdir() if path.is_dir())


@pytest.mark.parametrize("after", [NEW, OLD], ids=["another memory", "the same memory"])
def test_a_fault_at_any_step_leaves_the_old_index_or_the_new_one(tmp_path, monkeypatch, after):
    indexed(after, tmp_path / "expected")
    expected = tree(tmp_path / "expected")
    before, index = tmp_path / "before", tmp_path / "index"
    indexed([fixed("older", "Error: older")], before)
    indexed(OLD, before)
    seen = set()
    for step in range(1, 500):
        shutil.copytree(before, index)
        ended = ended_before(monkeypatch, step, lambda: indexed(after, index))
        seen.add(tuple(ids(index)))
        assert local.verify(index) == []
        indexed(after, index)
        indexed(after, index)
        assert tree(index) == expected
        shutil.rmtree(index)
        if ended:
            break
    else:
        pytest.fail("the build never came to its end")
    assert step > 10
    assert seen == {("old",), tuple(sorted(each.id for each in after))}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_build_that_is_killed_leaves_the_old_index_or_the_new_one(tmp_path):
    # one process that forks, so that every step costs no new interpreter
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        import faults, memories, test_generations as t
        from indexing.stores import local

        index = Path(sys.argv[1])
        real = {name: getattr(os, name) for name in faults.STEPS}
        seen = set()
        for step in range(1, 500):
            memories.indexed(t.OLD, index)
            pid = os.fork()
            if pid == 0:
                count = 0
                def counted(call):
                    def wrapper(*args, **kwargs):
                        global count
                        count += 1
                        if count == step:
                            os.kill(os.getpid(), signal.SIGKILL)
                        return call(*args, **kwargs)
                    return wrapper
                for name, call in real.items():
                    setattr(os, name, counted(call))
                memories.indexed(t.NEW, index)
                os._exit(0)
            status = os.waitpid(pid, 0)[1]
            seen.add(tuple(t.ids(index)))
            assert local.verify(index) == [], step
            if status == 0:
                break
            assert os.WTERMSIG(status) == signal.SIGKILL, status
        assert step > 10, step
        memories.indexed(t.NEW, index)
        memories.indexed(t.NEW, index)
        assert len(t.generations_of(index)) == 1, t.generations_of(index)
        print(sorted(seen))
    """)
    ran = python(script, tmp_path / "index")

    assert ran.stderr == ""
    assert ran.stdout == "[('new', 'newer'), ('old',)]\n"


def test_a_write_that_is_cut_short_anywhere_leaves_the_old_index(tmp_path, monkeypatch):
    before, index = tmp_path / "before", tmp_path / "index"
    indexed(OLD, before)
    whole = Disk(monkeypatch, 1 << 30)
    indexed(NEW, tmp_path / "new")
    monkeypatch.undo()
    step = max(1, whole.written // 60)
    for size in [*range(0, whole.written, step), whole.written - 1, whole.written]:
        shutil.copytree(before, index)
        with monkeypatch.context() as patch:
            Disk(patch, size)
            if size < whole.written:
                with pytest.raises(OSError, match="No space left"):
                    indexed(NEW, index)
            else:
                indexed(NEW, index)
        assert ids(index) == (["old"] if size < whole.written else ["new", "newer"])
        assert local.verify(index) == []
        assert {path.name for path in index.iterdir()} <= {
            ".lock",
            "CURRENT",
            *generations_of(index),
        }
        indexed(NEW, index)
        assert ids(index) == ["new", "newer"]
        shutil.rmtree(index)


@pytest.mark.skipif(sys.platform == "win32", reason="needs setrlimit")
def test_a_full_disk_leaves_the_old_index(tmp_path):
    script = textwrap.dedent("""
        import resource, sys
        from pathlib import Path
        import memories, test_generations as t

        index = Path(sys.argv[1])
        memories.indexed(t.OLD, index)
        big = [memories.fixed(f"e{n}", f"Error: number {n}") for n in range(200)]
        for limit in (0, 10, 1000, 20000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                memories.indexed(big, index)
            except OSError as error:
                print(error.strerror, t.ids(index))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        memories.indexed(big, index)
        print(len(t.ids(index)))
    """)
    ran = python(script, tmp_path / "index")

    assert ran.stderr == ""
    assert ran.stdout == "File too large ['old']\n" * 4 + "200\n"


def python(script, *args):
    here = Path(__file__)
    tests = here.parents[2]
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, args)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, (tests.parent, tests, here.parent)))},
        capture_output=True,
        text=True,
    )


def test_the_generation_before_stays_until_the_next_build(tmp_path):
    index = tmp_path / "index"
    indexed(OLD, index)
    first = generations.current(index)
    indexed(NEW, index)

    assert generations_of(index) == sorted([first, generations.current(index)])

    indexed([*OLD, *NEW], index)

    assert first not in generations_of(index)


def test_only_what_a_build_made_is_cleaned_away(tmp_path):
    index = tmp_path / "index"
    indexed(OLD, index)
    (index / ".building").mkdir()
    (index / ".building" / "rows.jsonl").write_text("half")
    (index / ("g-" + "0" * 32)).mkdir()
    (index / "notes").mkdir()
    (index / "notes" / "mine.txt").write_text("mine")

    indexed(OLD, index)

    assert generations_of(index) == sorted([generations.current(index), "notes"])
    assert (index / "notes" / "mine.txt").read_text() == "mine"


def test_what_a_crash_left_is_cleaned_away_whatever_it_is(tmp_path):
    index = tmp_path / "index"
    indexed(OLD, index)
    (index / "CURRENT.new").write_text("g-")
    (index / ".building").write_text("a file")
    (index / ("g-" + "0" * 32)).write_text("a file")
    (index / ("g-" + "1" * 32)).symlink_to(tmp_path)

    indexed(OLD, index)

    left = {".lock", "CURRENT", generations.current(index)}
    assert {path.name for path in index.iterdir()} - {".lock"} == left - {".lock"}
    assert tmp_path.is_dir()


def test_a_build_that_cannot_be_written_leaves_nothing_of_it(tmp_path, monkeypatch):
    index = tmp_path / "index"
    indexed(OLD, index)
    before = sorted(path.name for path in index.iterdir())
    write = generations._write

    def full(path, data):
        write(path, list(data)[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(generations, "_write", full)
    with pytest.raises(OSError, match="No space"):
        indexed(NEW, index)

    assert sorted(path.name for path in index.iterdir()) == before
    assert ids(index) == ["old"]


def test_a_damaged_generation_is_mended_by_a_build_of_the_same_memory(tmp_path):
    index = tmp_path / "index"
    indexed(OLD, index)
    whole = tree(index)
    rows = index / generations.current(index) / "rows.jsonl"
    rows.write_bytes(b"x" * rows.stat().st_size)
    (rows.parent / "rows.offsets").unlink()

    indexed(OLD, index)

    assert tree(index) == whole


def test_a_disk_that_does_not_keep_what_is_written_is_noticed(tmp_path, monkeypatch):
    index = tmp_path / "index"
    indexed(OLD, index)
    write = generations._write

    def lossy(path, data):
        written = write(path, data)
        if path.name == "rows.jsonl":
            os.truncate(path, written.size - 1)
        return written

    monkeypatch.setattr(generations, "_write", lossy)

    with pytest.raises(BadIndex, match="does not read back as written"):
        indexed(NEW, index)

    assert ids(index) == ["old"]


def test_a_torn_write_of_the_pointer_is_never_seen(tmp_path, monkeypatch):
    index = tmp_path / "index"
    indexed(OLD, index)
    write = generations._write
    written = []

    def torn(path, data):
        written.append(path.name)
        return write(path, [data[0][:5]] if path.name.startswith("CURRENT") else data)

    monkeypatch.setattr(generations, "_write", torn)
    monkeypatch.setattr(Path, "replace", lambda path, target: (_ for _ in ()).throw(FaultError))
    with pytest.raises(FaultError):
        indexed(NEW, index)

    assert "CURRENT.new" in written
    assert ids(index) == ["old"]


@pytest.mark.parametrize("left", [None, "process 1 on \x1b[31mmoon\n" * 99])
def test_a_lock_whose_owner_is_not_told_is_respected(tmp_path, left):
    with generations.alone(tmp_path, 0):
        (tmp_path / ".owner").unlink()
        if left:
            (tmp_path / ".owner").write_text(left)
        with pytest.raises(IndexBusy, match="another build is at work") as busy:
            generations.alone(tmp_path, 0).__enter__()

    assert str(busy.value).isprintable()
    assert len(str(busy.value)) < 400 + len(str(tmp_path))


def test_builds_exclude_each_other(tmp_path):
    index = tmp_path / "index"

    with (
        generations.alone(index, 0),
        pytest.raises(IndexBusy, match=rf"at work \(process {os.getpid()} on .*, for \d+ s\)"),
        generations.alone(index, 0),
    ):
        pass

    with generations.alone(index, 0):
        pass


def test_a_lock_of_a_dead_owner_does_not_hold(tmp_path):
    script = (
        "import os, sys; from pathlib import Path; from indexing.stores import generations\n"
        "generations.alone(Path(sys.argv[1]), 0).__enter__(); os.kill(os.getpid(), 9)"
    )
    python(script, tmp_path / "index")
    assert (tmp_path / "index" / ".lock").exists()

    indexed(OLD, tmp_path / "index")

    assert ids(tmp_path / "index") == ["old"]
