import json
import os
import re
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexing import journal
from indexing.entry import Entry, Evidence, Lesson
from indexing.errors import JournalBusy, MemError
from indexing.journal import Outcome, append, append_outcome, credited, ulid
from indexing.readers.journal import Journal
from indexing.signature import sign

TOKEN = "ghp_" + "a1B2" * 9
ROOT = Path(__file__).resolve().parents[2]

WHOLE = Entry(
    id="",
    kind="failure",
    title="npm ci fails",
    body="since the lock file moved\nto another folder",
    labels=("ci", "npm"),
    files=("package-lock.json",),
    signature=sign("npm error Missing: kleur@4.1.5 from lock file", "npm")._replace(
        context={"job": "build", "command": "npm ci", "exit_code": 1}
    ),
    lesson=Lesson(
        worked=("npm install, then commit",),
        failed=("npm cache clean",),
        gotchas=("npm 11 only",),
        root_cause="lock file out of step",
        fix="commit both",
        steps=("npm install",),
        template="npm ci",
    ),
    captured_at="2026-03-04T10:22:31Z",
    extra={"owner": {"team": "web"}},
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def read(path):
    return list(Journal().read(path, path.name))


def entries(path):
    return [each for each in read(path) if isinstance(each, Entry)]


def test_an_entry_is_read_as_it_was_recorded(path):
    id = append(path, WHOLE)

    [entry] = read(path)

    assert re.fullmatch(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", id)
    rule = WHOLE.signature._replace(rule=entry.signature.rule)
    assert entry == WHOLE._replace(
        id=id,
        signature=rule,
        source=entry.source,
        evidence=Evidence(seen=1, first=WHOLE.captured_at, last=WHOLE.captured_at),
    )
    assert entry.source == ("journal", "journal.jsonl", "line 1")


def test_what_is_unknown_stays_unknown_and_what_is_empty_empty(path):
    append(path, Entry(id="a", kind="note", title="unknown files"))
    append(path, Entry(id="b", kind="note", title="no files", files=()))

    assert [(entry.id, entry.files, entry.signature) for entry in entries(path)] == [
        ("a", None, None),
        ("b", (), None),
    ]


def test_a_line_has_the_form_that_others_write(path):
    append(path, WHOLE._replace(id="A" * 26))

    record = json.loads(path.read_text(encoding="utf-8"))

    assert list(record) == ["v", "op", "id", "at", "entry"]
    assert (record["v"], record["op"], record["id"]) == (1, "add", "A" * 26)
    assert record["entry"]["lesson"]["worked"] == ["npm install, then commit"]
    assert record["entry"]["exit_code"] == 1
    assert record["entry"]["extra"] == {"owner": {"team": "web"}}


def test_counters_that_an_entry_brings_are_kept(path):
    append(path, WHOLE._replace(evidence=Evidence(seen=4, applied=3, helped=2, harmed=1)))

    assert entries(path)[0].evidence[:5] == (4, 0, 3, 2, 1)


def test_secrets_are_not_written(path):
    hidden = WHOLE._replace(
        title=f"push with {TOKEN}",
        body="x\npassword=hunter2\ny",
        files=(f"https://bot:hunter2@git.example/{TOKEN}",),
        extra={"env": {"API_KEY": "plainsecret"}, TOKEN: [TOKEN]},
    )

    append(path, hidden)

    written = path.read_text(encoding="utf-8")
    assert not any(secret in written for secret in (TOKEN, "hunter2", "plainsecret"))
    assert "push with <REDACTED:github-token>" in written
    assert entries(path)[0].body == "x\npassword=<REDACTED:secret>\ny"


def test_an_endless_text_keeps_head_and_tail_and_says_what_is_gone(path):
    append(path, WHOLE._replace(body="head " + "x" * 1_000_000 + " tail"))

    body = entries(path)[0].body
    assert body.startswith("head x")
    assert body.endswith("x tail")
    assert "967,242 characters left out" in body
    assert path.stat().st_size < 40_000


def test_a_record_that_is_too_long_all_the_same_is_refused(path):
    append(path, WHOLE)
    before = path.read_bytes()

    with pytest.raises(MemError, match=r"journal\.jsonl: the record has .* bytes"):
        append(path, WHOLE._replace(labels=("word " * 6000,) * 100))

    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["\ud800", "\x00\x1b[31m", "a\u2028b\x85c\r\nd", "日本🎉\n"])
def test_any_text_stands_on_one_line_of_utf8(path, text):
    append(path, WHOLE._replace(title=f"odd {text} one"))
    append(path, WHOLE)

    assert path.read_bytes().count(b"\n") == 2
    assert len(entries(path)) == 2


def test_what_json_cannot_hold_is_told_as_text(path):
    append(path, WHOLE._replace(extra={"rate": float("nan"), "top": float("-inf"), 3: 4}))

    assert entries(path)[0].extra == {"rate": "nan", "top": "-inf", "3": 4}


def test_a_record_begins_on_its_own_line_after_a_file_without_a_last_one(path):
    append(path, WHOLE._replace(id="a"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))

    append(path, WHOLE._replace(id="b"))

    assert [entry.id for entry in read(path)] == ["a", "b"]
    assert path.read_bytes().count(b"\n") == 2


def test_what_others_wrote_is_not_touched(path):
    torn = b'# a comment\r\n{"v":1,"op":"add","id":"torn'
    path.write_bytes(torn)

    append(path, WHOLE)

    assert path.read_bytes().startswith(torn + b"\n{")
    assert [type(each).__name__ for each in read(path)] == ["Quarantined", "Quarantined", "Entry"]


def test_outcomes_are_counted_into_the_evidence(path):
    id = append(path, WHOLE)
    for outcome, at in [
        ("shown", "2026-05-01T00:00:00Z"),
        ("applied", "2026-04-01T00:00:00Z"),
        ("helped", "2026-04-02T00:00:00Z"),
    ]:
        append_outcome(path, Outcome(id, outcome, at, "loop-1"))
    append_outcome(path, Outcome(id, "unused", loop="loop-2"))

    assert entries(path)[0].evidence == Evidence(
        seen=1,
        shown=1,
        applied=1,
        helped=1,
        first="2026-03-04T10:22:31Z",
        last="2026-04-02T00:00:00Z",
    )


def test_an_unknown_outcome_is_refused(path):
    with pytest.raises(MemError, match="'great' is no outcome; use one of shown, applied"):
        append_outcome(path, Outcome("a", "great"))
    assert not path.exists()


def test_a_loop_that_reports_twice_counts_once():
    twice = [Outcome("a", "helped", loop="l1"), Outcome("a", "helped", loop="l1")]
    nameless = [Outcome("a", "helped"), Outcome("a", "helped")]

    assert credited(Evidence(), twice).helped == 1
    assert credited(Evidence(), nameless).helped == 2


def test_what_helped_or_harmed_was_applied():
    assert credited(Evidence(), [Outcome("a", "helped"), Outcome("a", "harmed")]).applied == 2
    applied = [Outcome("a", "applied", loop="l"), Outcome("a", "helped", loop="l")]
    assert credited(Evidence(), applied).applied == 1


def test_ids_sort_by_time():
    times = [datetime(2026, 3, 4, 10, 22, 31, 1000 * ms, UTC) for ms in (1, 2, 900)]

    ids = [ulid(time) for time in times]

    assert ids == sorted(ids)
    assert len({ulid(times[0]) for _ in range(100)}) == 100


WRITER = """
import sys
from pathlib import Path
from indexing.entry import Entry
from indexing.journal import append
for number in range(int(sys.argv[3])):
    append(Path(sys.argv[1]), Entry(f"{sys.argv[2]}-{number}", "note", "title " + "x" * 3000), 60)
"""


def start(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, text=True, **options
    )


def test_four_processes_that_write_at_once_lose_nothing(path):
    writers = [start(WRITER, path, name, 100) for name in "abcd"]

    assert [writer.wait(120) for writer in writers] == [0, 0, 0, 0]

    assert sorted(entry.id for entry in read(path)) == sorted(
        f"{name}-{number}" for name in "abcd" for number in range(100)
    )
    assert path.read_bytes().count(b"\n") == 400


def test_three_threads_of_one_process_queue(path):
    failed = []

    def write(name):
        try:
            for number in range(30):
                append(path, Entry(f"{name}-{number}", "note", "title"))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert len(entries(path)) == 90


HOLDER = """
import sys, time
from pathlib import Path
from indexing import journal
with journal.alone(Path(sys.argv[1]), 10):
    print("held", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def holder(path):
    process = start(HOLDER, path, stdout=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_live_holder_of_the_lock_is_respected(path, holder):
    with pytest.raises(JournalBusy, match=r"journal\.jsonl\.lock: another process"):
        append(path, WHOLE, wait_s=0.2)
    assert not path.exists()


def test_a_killed_holder_of_the_lock_jams_nothing(path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()

    append(path, WHOLE, wait_s=5)

    assert len(entries(path)) == 1


def test_reading_does_not_wait_for_the_lock(path, holder):
    path.write_text(
        '{"v":1,"op":"add","id":"a","at":"","entry":{"kind":"note","title":"t"}}\n',
        encoding="utf-8",
    )

    assert [entry.id for entry in read(path)] == ["a"]


def test_a_full_disk_is_told_and_leaves_nothing_half_written(path):
    append(path, WHOLE)
    before = path.read_bytes()
    # the system's own limit on the size of a file stands in for a disk that is full
    code = """
import resource, signal, sys
from pathlib import Path
from indexing.entry import Entry
from indexing.errors import MemError
from indexing.journal import append
path = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100,) * 2)
try:
    append(path, Entry("b", "note", "x" * 3000))
except MemError as error:
    print(error)
"""
    with start(code, path, stdout=subprocess.PIPE) as process:
        told, _ = process.communicate(timeout=60)

    assert told.startswith(f"{path}: cannot be written (")
    assert "free space" in told
    assert told.endswith("Nothing was recorded\n")
    assert path.read_bytes() == before


def test_a_journal_without_its_folder_is_told(tmp_path):
    with pytest.raises(MemError, match=r"cannot be written \(No such file.*`mem init`"):
        append(tmp_path / "gone" / "journal.jsonl", WHOLE)


def test_a_folder_in_place_of_the_journal_is_told(path):
    path.mkdir()
    with pytest.raises(MemError, match="move the folder of that name away"):
        append(path, WHOLE)


def test_a_record_is_flushed_and_so_is_the_folder_of_a_new_journal(path, monkeypatch):
    flushed = []
    real = os.fsync

    def noted(descriptor):
        flushed.append("folder" if Path(f"/proc/self/fd/{descriptor}").is_dir() else "file")
        real(descriptor)

    monkeypatch.setattr(journal.os, "fsync", noted)
    append(path, WHOLE)
    append(path, WHOLE)

    assert flushed == ["file", "folder", "file"]


def test_importing_the_journal_imports_no_lock():
    code = "import sys, indexing.journal; print('filelock' in sys.modules)"
    with start(code, stdout=subprocess.PIPE) as process:
        assert process.communicate(timeout=60)[0] == "False\n"
