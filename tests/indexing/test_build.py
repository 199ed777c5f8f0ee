import importlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from memories import Stored, dies, entry, fixed, journal, stored, tree

from indexing import build, chapters
from indexing.build import Progress, build_index
from indexing.entry import Entry, Evidence, Source
from indexing.errors import BadIndex, IndexBusy, UnreadableMemory
from indexing.journal import Outcome, append_outcome
from indexing.readers.journal import Journal
from indexing.settings import Settings
from indexing.signature import sign
from indexing.signature.interface import Step
from indexing.signature.normalise import STEPS
from indexing.stores import generations, local
from indexing.stores.local import LocalStore
from retrieval.tiers import tiers

PARTS = tiers(Settings())
GOOD = [fixed("a", "Error: one", "mend it"), fixed("b", "Error: two")]
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def memory(tmp_path):
    journal(tmp_path / "memory" / "good.jsonl", GOOD)
    return tmp_path / "memory"


@pytest.fixture(autouse=True)
def reads_stored(monkeypatch):
    known = chapters.reader_of
    monkeypatch.setattr(
        chapters, "reader_of", lambda path: Stored() if Stored().accepts(path) else known(path)
    )


@pytest.fixture
def index(tmp_path):
    return tmp_path / "index"


def built(memory, index, settings=Settings(), **options):
    given = memory if isinstance(memory, list) else [memory]
    return build_index(given, index, PARTS, settings, **options)


def entries(index):
    store = LocalStore.open(index)
    found = {store.entry(row).id: store.entry(row) for row in range(len(store))}
    return dict(sorted(found.items()))


def test_memory_files_become_an_index(memory, index):
    report = built(memory, index)

    assert list(entries(index)) == ["a", "b"]
    assert (report.entries, report.skipped, report.quarantined) == (2, (), ())
    assert [(read.file, read.reader, read.entries) for read in report.files] == [
        ("memory/good.jsonl", "journal", 2)
    ]
    assert report.generation == generations.current(index)
    assert local.verify(index) == []


def test_the_index_knows_its_sources_without_paths_of_this_machine(memory, index, tmp_path):
    built(memory, index)

    [source] = LocalStore.open(index).sources()
    assert source["file"] == "memory/good.jsonl"
    assert source["size"] == (memory / "good.jsonl").stat().st_size
    assert entries(index)["a"].source.file == "memory/good.jsonl"
    for name, data in tree(index).items():
        assert str(tmp_path).encode() not in data, name


def test_a_file_is_named_as_it_was_given_or_from_the_root(memory, index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert built(Path("memory"), index).files[0].file == "memory/good.jsonl"
    assert built(Path("memory/good.jsonl"), index).files[0].file == "memory/good.jsonl"
    assert built(memory / "good.jsonl", index).files[0].file == "good.jsonl"
    assert built(memory, index, root=tmp_path.parent).files[0].file == (
        f"{tmp_path.name}/memory/good.jsonl"
    )
    assert built(memory, index, root=tmp_path / "elsewhere").files[0].file == "memory/good.jsonl"


def test_a_rebuild_from_nothing_gives_the_same_bytes(memory, index, tmp_path):
    built(memory, index)
    before = tree(index)
    for path in sorted(index.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    later = memory / "good.jsonl"
    os.utime(later, (1, 1))
    built(memory, index)

    assert tree(index) == before


def test_bytes_hang_on_nothing_but_the_memory(tmp_path):
    # names whose order differs by locale, and entries of two files that sort into one another
    memory = tmp_path / "m"
    for name in ("Z", "a", "ä", "B", "_"):
        journal(
            memory / name / f"{name}.jsonl",
            [
                entry(f"{name}{n}", f"Token {n} refresh", f"Error: {n}", files=(f"{n}.py", "x"))
                for n in range(9)
            ],
        )
    script = (
        "import sys; from pathlib import Path\n"
        "from indexing.build import build_index; from retrieval.tiers import tiers\n"
        "from indexing.settings import Settings\n"
        "index, *memory = map(Path, sys.argv[1:])\n"
        "build_index(memory, index, tiers(Settings()))\n"
    )
    paths = sorted(memory.iterdir())
    repository = Path(__file__).parents[2]
    trees = []
    for number, (given, seed, locale) in enumerate(
        [
            (paths, "0", "C"),
            (paths[::-1], "1", "de_DE.UTF-8"),
            ([*paths, paths[0] / f"{paths[0].name}.jsonl"], "2", "C.UTF-8"),
        ]
    ):
        index = tmp_path / f"index{number}"
        environ = {"PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": str(repository)}
        subprocess.run(
            [sys.executable, "-c", script, str(index), *map(str, given)],
            env=os.environ | environ,
            check=True,
        )
        trees.append(tree(index))

    assert len(entries(tmp_path / "index0")) == 45
    assert trees[0] == trees[1] == trees[2]


def test_every_line_is_signed_with_todays_rules(memory, index):
    stale = GOOD[0].signature._replace(sig_sha="ab" * 32, normalised="yesterday's")
    stored(memory / "stale.stored", [GOOD[0]._replace(id="stale", signature=stale)])

    built(memory, index)

    signature = entries(index)["stale"].signature
    assert signature.sig_sha == sign("Error: one", "npm").sig_sha
    assert signature.normalised == sign("Error: one", "npm").normalised
    assert LocalStore.open(index).signed("ab" * 32) == []


def test_what_was_known_of_the_failure_is_kept(memory, index):
    known = GOOD[0].signature._replace(rule="npm:code", line=7, context={"job": "build"})
    stored(memory / "x.stored", [GOOD[0]._replace(id="x", signature=known)])

    built(memory, index)

    signature = entries(index)["x"].signature
    assert (signature.rule, signature.line, signature.context) == (
        "npm:code", 7, {"job": "build"},
    )  # fmt: skip


def test_hashes_that_new_rules_move_are_reported(memory, index, monkeypatch):
    monkeypatch.setattr(Journal, "signs", False)
    built(memory, index)
    before = entries(index)["a"].signature.sig_sha
    monkeypatch.setattr(build, "ruleset_digest", lambda: "new rules")
    monkeypatch.setattr(
        chapters, "sign", lambda raw, tool, joined, *rest: sign(f"{raw}!", tool, joined, *rest)
    )

    report = built(memory, index)

    assert report.moved[0][:2] == ("a", before)
    assert [moved.id for moved in report.moved] == ["a", "b"]
    assert report.moved_by == {"root line": 2}


def test_the_steps_that_moved_hashes_are_named(memory, index, monkeypatch):
    built(memory, index)
    word = Step("word", re.compile(r"\b(?:one|two)\b"), "<WORD>", "one", "<WORD>", "once")
    for name in ("normalise", "moved"):
        module = importlib.import_module(f"indexing.signature.{name}")
        monkeypatch.setattr(module, "STEPS", (*STEPS, word))
    monkeypatch.setattr(build, "ruleset_digest", lambda: "new rules")

    report = built(memory, index)

    assert [moved.why for moved in report.moved] == [("word",), ("word",)]
    told = json.loads(json.dumps(report.as_dict()))
    assert told["moved_by"] == {"word": 2}
    assert told["moved"][0]["why"] == ["word"]


def test_hashes_that_stay_are_not_reported(memory, index, monkeypatch):
    built(memory, index)
    monkeypatch.setattr(build, "ruleset_digest", lambda: "new rules")

    assert built(memory, index).moved == ()


def test_secrets_do_not_reach_the_index(memory, index):
    leaky = entry(
        "leaky",
        f"title {SECRET}",
        f"Error: {SECRET} is refused",
        joined=(f"at {SECRET}",),
        body=f"body {SECRET}",
        labels=(f"label {SECRET}",),
        files=(f"dir/{SECRET}",),
        lesson=GOOD[0].lesson._replace(worked=(f"use {SECRET}",), root_cause=SECRET),
        extra={"deep": [{"in": [SECRET]}], "number": 3},
    )
    leaky = leaky._replace(
        signature=leaky.signature._replace(context={"command": f"curl -H {SECRET}"})
    )
    stored(memory / "leaky.stored", [leaky])

    built(memory, index)

    for name, data in tree(index).items():
        assert SECRET.encode() not in data, name
        assert SECRET.lower().encode() not in data, name
    assert entries(index)["leaky"].extra["number"] == 3


def test_a_log_with_a_secret_still_finds_its_entry(memory, index):
    raw = f"Error: token {SECRET} is refused"
    stored(memory / "leaky.stored", [entry("leaky", "refused", raw)])

    built(memory, index)

    [row] = LocalStore.open(index).signed(sign(raw, "npm").sig_sha)
    assert LocalStore.open(index).entry(row).id == "leaky"


def test_a_quarantined_entry_is_reported_and_not_stored(memory, index):
    stored(memory / "bad.stored", [entry("bad", "looks fine", trust="quarantined: a passing line")])

    report = built(memory, index)

    assert "bad" not in entries(index)
    [record] = report.quarantined
    assert (record.source.file, record.reason) == ("memory/bad.stored", "a passing line")


def test_a_record_that_a_reader_sets_aside_is_reported_with_its_place(memory, index):
    torn = memory / "torn.jsonl"
    journal(torn, [entry("whole", "whole")])
    torn.write_bytes(torn.read_bytes() + b'{"id": "torn", "kin')

    report = built(memory, index)

    assert "whole" in entries(index)
    [record] = report.quarantined
    assert (record.source.file, record.source.locator) == ("memory/torn.jsonl", "line 2")


def test_of_one_id_the_newest_is_kept_and_counters_are_not_added(memory, index):
    old = entry("twice", "old", captured_at="2026-01-01T00:00:00Z", evidence=Evidence(seen=3))
    new = entry("twice", "new", captured_at="2026-02-01T00:00:00Z", evidence=Evidence(seen=5))
    stored(memory / "1.stored", [new])
    stored(memory / "2.stored", [old])

    report = built(memory, index)

    assert entries(index)["twice"].title == "new"
    assert entries(index)["twice"].evidence.seen == 5
    [duplicate] = report.duplicates
    assert (duplicate.id, duplicate.kept.file, duplicate.dropped.file) == (
        "twice", "memory/1.stored", "memory/2.stored",
    )  # fmt: skip


def test_of_two_equal_records_the_first_file_and_the_last_line_count(memory, index):
    stored(memory / "1.stored", [entry("x", "1 first"), entry("x", "1 last")])
    stored(memory / "2.stored", [entry("x", "2")])

    built(memory, index)

    assert entries(index)["x"].title == "1 last"


def test_a_file_given_twice_is_read_once(memory, index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    report = built([Path("memory"), memory / "good.jsonl", memory], index)

    assert [read.file for read in report.files] == ["memory/good.jsonl"]
    assert report.duplicates == ()


def test_files_are_told_in_order_of_their_names(memory, index):
    journal(memory / "a.jsonl", [entry("x", "x")])
    journal(memory / "z" / "long-name.jsonl", [entry("long", "long")])

    report = built(memory, index)

    names = ["memory/a.jsonl", "memory/good.jsonl", "memory/z/long-name.jsonl"]
    assert [read.file for read in report.files] == names
    assert [source["file"] for source in LocalStore.open(index).sources()] == names


def test_tools_whose_rules_match_nothing_are_counted(memory, index):
    for n in range(2):
        unmatched = entry(f"u{n}", raw=f"boom {n}")
        unmatched = unmatched._replace(signature=unmatched.signature._replace(rule="npm:unmatched"))
        stored(memory / f"{n}.stored", [unmatched])

    assert built([memory / "0.stored", memory / "1.stored"], index).unmatched == (("npm", 2),)


def missing(path):
    return "is not there"


def empty(path):
    path.touch()


def malformed(path):
    path.write_bytes(b"\xff\xfe\x00{[}")


def huge(path):
    with path.open("wb") as file:
        file.truncate((1 << 20) + 1)
    return "more than MEM_MAX_FILE_MB=1"


def looping(path):
    path.symlink_to(path)
    return "is a link in a loop of links"


def pipe(path):
    os.mkfifo(path)
    return "is a named pipe"


def unreadable(path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path.touch(mode=0o000)
    return "Permission denied"


def deep(path):
    path.write_bytes(b'{"a":' * 100_000 + b"1" + b"}" * 100_000)


@pytest.mark.parametrize(
    "spoil", [missing, empty, malformed, huge, looping, pipe, unreadable, deep]
)
def test_a_bad_memory_file_never_takes_the_rest_down(memory, index, spoil):
    path = memory / "spoilt.jsonl"
    reason = spoil(path)

    report = built([memory, path], index, Settings(max_file_mb=1))

    assert list(entries(index)) == ["a", "b"]
    if reason:
        assert any(
            skipped.file == "spoilt.jsonl" and reason in skipped.reason
            for skipped in report.skipped
        ) or any(
            skipped.file == "memory/spoilt.jsonl" and reason in skipped.reason
            for skipped in report.skipped
        )


def test_what_is_no_plain_file_in_a_folder_is_named_with_what_it_is(memory, index, tmp_path):
    os.mkfifo(memory / "a.jsonl")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(memory / "b.jsonl"))
    (memory / "c.jsonl").symlink_to("/dev/zero")
    (memory / "d.jsonl").symlink_to("gone")
    (memory / "e.jsonl").symlink_to("e.jsonl")
    (memory / "f").symlink_to(memory)
    (memory / "g.jsonl").symlink_to("a.jsonl")
    (memory / "h.jsonl").symlink_to("good.jsonl")  # a link to a file that is read anyway

    report = built(memory, index)

    assert list(entries(index)) == ["a", "b"]
    assert [(each.file.removeprefix("memory/"), each.reason) for each in report.skipped] == [
        ("a.jsonl", "is a named pipe"),
        ("b.jsonl", "is a socket"),
        ("c.jsonl", "is a device"),
        ("d.jsonl", "is a link to nothing"),
        ("e.jsonl", "is a link in a loop of links"),
        ("f", "is a link to a folder; name the folder itself to have it read"),
    ]
    assert report.unread == ()


def test_what_was_asked_for_by_name_and_could_not_be_read_is_told_apart(memory, index, tmp_path):
    (memory / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "notes.txt").write_text("no memory", encoding="utf-8")
    given = [memory, tmp_path / "gone", tmp_path / "notes.txt"]

    report = built(given, index)

    assert [each.file for each in report.skipped] == ["gone", "memory/picture.png", "notes.txt"]
    assert report.unread == ("gone", "notes.txt")
    assert report.as_dict()["unread"] == ["gone", "notes.txt"]
    files, unread = build.survey(given)
    assert [name for name, _ in files] == ["memory/good.jsonl"]
    assert [(each.file, each.reason) for each in unread] == [
        ("gone", "is not there; correct the path"),
        ("notes.txt", "no reader knows this format"),
    ]


def test_memory_is_read_when_no_other_build_is_at_work(memory, index):
    """Else the last of two builds may write what it read before the first one did."""
    script = (
        "import sys; from pathlib import Path\n"
        "from indexing.build import build_index\n"
        "build_index([Path(sys.argv[1])], Path(sys.argv[2]), ())\n"
    )
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with generations.alone(index, 0):
        waiting = subprocess.Popen([sys.executable, "-c", script, memory, index], env=environ)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(2)  # long enough to have read it
        journal(memory / "later.jsonl", [fixed("later", "Error: three")])
    assert waiting.wait() == 0

    assert list(entries(index)) == ["a", "b", "later"]


def test_files_are_spelt_one_way(memory, index):
    odd = ("./src//a.py", "src\\a.py", "src/x/../b.py", "", ".")
    stored(memory / "odd.stored", [entry("odd", "odd", files=odd), entry("none", files=())])

    built(memory, index)

    assert entries(index)["odd"].files == ("src/a.py", "src/b.py")
    assert entries(index)["none"].files == ()
    assert entries(index)["a"].files is None


@pytest.mark.parametrize("remembered", [0, 1 << 18])
def test_a_secret_in_a_path_goes_however_often_it_comes(memory, index, monkeypatch, remembered):
    monkeypatch.setattr(chapters, "_MOST_PATHS", remembered)
    monkeypatch.setattr(chapters, "AT_ONCE", 2)
    files = ("a.py", f"{SECRET}/a.py", "token.py")
    stored(memory / "odd.stored", [entry(f"odd {number}", files=files) for number in range(5)])

    built(memory, index)

    of_odd = {each.files for id, each in entries(index).items() if id.startswith("odd")}
    assert of_odd == {("a.py", "<REDACTED:github-token>/a.py", "token.py")}


def test_a_folder_in_the_place_of_the_pointer_is_named_and_nothing_is_lost(memory, index):
    built(memory, index)
    generation = generations.current(index)
    (index / "CURRENT").unlink()
    (index / "CURRENT").mkdir()

    with pytest.raises(BadIndex, match=r"CURRENT: is a folder; remove it and run"):
        built(memory, index)

    assert (index / generation).is_dir()
    (index / "CURRENT").rmdir()
    assert built(memory, index).generation == generation


def test_a_file_of_no_known_format_is_named(memory, index):
    (memory / "picture.png").write_bytes(b"\x89PNG")

    report = built(memory, index)

    assert [(s.file, s.line, s.reason) for s in report.skipped] == [
        ("memory/picture.png", 0, "no reader knows this format")
    ]


class Failing:
    """A reader that gives one entry and then fails."""

    name = "failing"
    signs = False

    def __init__(self, error):
        self.error = error

    def accepts(self, path):
        return True

    def read(self, path, source):
        yield Entry("first", "note", "first", source=Source("x", source, "line 1"))
        raise self.error


@pytest.mark.parametrize(
    ("error", "line", "reason"),
    [
        (UnreadableMemory("memory/odd.jsonl:12: 'id' is not text"), 12, "'id' is not text"),
        (UnreadableMemory("memory/odd.jsonl: is odd"), 0, "is odd"),
        (OSError(5, "Input/output error"), 0, "Input/output error"),
        (KeyError("id"), 0, "KeyError: 'id'"),
        (RecursionError("too\ndeep"), 0, "RecursionError: too deep"),
    ],
)
def test_a_reader_that_fails_midway_keeps_what_it_gave(
    memory, index, monkeypatch, error, line, reason
):
    (memory / "odd.jsonl").touch()
    known = chapters.reader_of
    monkeypatch.setattr(
        chapters, "reader_of", lambda path: Failing(error) if path.stem == "odd" else known(path)
    )

    report = built(memory, index)

    assert sorted(entries(index)) == ["a", "b", "first"]
    assert report.skipped == (("memory/odd.jsonl", line, reason),)


def test_an_entry_that_json_cannot_hold_is_quarantined(memory, index, monkeypatch):
    class Odd(Failing):
        def read(self, path, source):
            yield entry("odd", "odd", extra={"a": {1, 2}})

    (memory / "odd.jsonl").touch()
    known = chapters.reader_of
    monkeypatch.setattr(
        chapters, "reader_of", lambda path: Odd(None) if path.stem == "odd" else known(path)
    )

    report = built(memory, index)

    assert sorted(entries(index)) == ["a", "b"]
    assert "JSON cannot" in report.quarantined[0].reason


def test_an_empty_folder_gives_an_empty_index(tmp_path, index):
    (tmp_path / "memory").mkdir()

    assert built(tmp_path / "memory", index).entries == 0
    assert entries(index) == {}


def test_memory_that_is_gone_does_not_empty_the_index(memory, index):
    built(memory, index)

    with pytest.raises(UnreadableMemory, match=r"missing.*the index stays as it was"):
        built(memory / "missing", index)

    assert list(entries(index)) == ["a", "b"]


def test_an_index_that_cannot_be_written_is_named(memory, tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(BadIndex, match="the index stays as it was"):
        built(memory, tmp_path / "file" / "index")


def test_a_second_build_at_the_same_time_is_refused(memory, index, monkeypatch):
    monkeypatch.setattr(build, "LOCK_WAIT_S", 0)

    with generations.alone(index, 0), pytest.raises(IndexBusy):
        built(memory, index)

    built(memory, index)


def test_several_processes_make_the_same_bytes(memory, index, tmp_path, monkeypatch):
    journal(memory / "more.jsonl", [fixed("c", "Error: three"), GOOD[0]])
    append_outcome(memory / "more.jsonl", Outcome("b", "helped"))
    (memory / "half.jsonl").write_text('{"v":1,"op":"add","id":"x"', encoding="utf-8")
    (memory / "picture.png").touch()
    one = built(memory, index)
    monkeypatch.setattr(build, "_SMALL", 0)

    several = built(memory, tmp_path / "several", workers=3)

    assert several == one
    assert tree(tmp_path / "several") == tree(index)


def test_one_large_journal_is_read_by_several_processes(tmp_path, monkeypatch):
    path = tmp_path / "memory" / "journal.jsonl"
    journal(path, [fixed(f"e{number}", f"Error: {number}", "mend it") for number in range(30)])
    journal(path, [fixed("e3", "Error: three", "another way")])
    append_outcome(path, Outcome("e4", "helped"))
    one = built(path, tmp_path / "one")
    monkeypatch.setattr(build, "_SMALL", 0)
    monkeypatch.setattr(chapters, "_SECTION", 2_000)

    several = built(path, tmp_path / "several", workers=2)
    whole = tree(tmp_path / "several")

    assert several == one
    assert tree(tmp_path / "one") == whole
    assert built(path, tmp_path / "several", workers=2) == one
    assert tree(tmp_path / "several") == whole


@pytest.mark.parametrize("work", ["_chapter", "_merged_apart"])
def test_a_process_that_dies_leaves_the_index_as_it_was(work, memory, index, monkeypatch):
    journal(memory / "more.jsonl", [fixed("c", "Error: three")])
    built(memory, index)
    before = tree(index)
    monkeypatch.setattr(build, "_SMALL", 0)
    monkeypatch.setattr(build, work, dies)

    with pytest.raises(BadIndex, match="a process of the build has died"):
        built(memory, index, workers=2)

    assert tree(index) == before


def test_progress_goes_through_every_stage_to_its_end(memory, index):
    told: list[Progress] = []

    built(memory, index, on_progress=told.append)

    stages = list(dict.fromkeys(progress.stage for progress in told))
    assert stages == ["read", "exact", "pattern", "lexical", "write"]
    for stage in stages:
        last = [progress for progress in told if progress.stage == stage][-1]
        assert last.done == last.total


def test_the_report_is_plain_json(memory, index):
    stored(memory / "bad.stored", [entry("bad", "x", trust="quarantined: y"), GOOD[0]])
    (memory / "x.png").touch()

    told = built(memory, index).as_dict()

    assert json.loads(json.dumps(told)) == told
    assert told["entries"] == 2
    assert told["quarantined"][0]["source"]["file"] == "memory/bad.stored"
    assert told["skipped"][0]["file"] == "memory/x.png"
    assert told["duplicates"][0]["id"] == "a"


def test_an_outcome_counts_for_an_entry_of_another_file(memory, index):
    append_outcome(memory / "other.jsonl", Outcome("a", "helped", "2026-05-01T00:00:00Z"))
    append_outcome(memory / "other.jsonl", Outcome("a", "helped", "2026-05-02T00:00:00Z"))

    report = built(memory, index)

    assert entries(index)["a"].evidence.helped == 2
    assert entries(index)["b"].evidence.helped == 0
    assert report.quarantined == ()


def test_a_copy_of_a_journal_counts_nothing_twice(memory, index):
    append_outcome(memory / "other.jsonl", Outcome("a", "helped", "2026-05-01T00:00:00Z"))
    append_outcome(memory / "good.jsonl", Outcome("b", "harmed", "2026-05-01T00:00:00Z"))
    for name in ("other", "good"):
        shutil.copy(memory / f"{name}.jsonl", memory / f"{name}-copy.jsonl")

    built(memory, index)

    assert entries(index)["a"].evidence.helped == 1
    assert entries(index)["b"].evidence.harmed == 1


def test_an_outcome_of_no_known_entry_is_reported(memory, index):
    append_outcome(memory / "other.jsonl", Outcome("gone", "helped"))

    [record] = built(memory, index).quarantined

    assert (record.source.file, record.reason) == (
        "memory/other.jsonl", "no entry has the id gone",
    )  # fmt: skip


def test_b073_an_endless_text_does_not_make_the_index_endless(tmp_path):
    journal = tmp_path / "journal.jsonl"
    body = "word " * 2_000_000
    record = {"v": 1, "op": "add", "id": "01JB3Z8X5T9V2K4M6N8P0Q2R4S", "at": "2026-01-01T00:00:00Z"}
    entry = {"kind": "note", "title": "long", "body": body, "captured_at": "2026-01-01T00:00:00Z"}
    journal.write_text(json.dumps({**record, "entry": entry}) + "\n", encoding="utf-8")
    build_index([journal], tmp_path / "index", (), Settings())
    written = sum(path.stat().st_size for path in (tmp_path / "index").rglob("*.*"))
    assert written < 200_000
