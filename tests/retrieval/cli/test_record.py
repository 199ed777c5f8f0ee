import json
import signal
import subprocess
from pathlib import Path

import pytest
from commands import GREEN_LOG, LOG, MEM, RAW, clean_environment, mem, remembering

from indexing.settings import JOURNAL
from indexing.stores import generations
from retrieval.cli import main


@pytest.fixture
def mem_dir(here):
    folder = here / ".mem"
    folder.mkdir()
    (here / "a.log").write_text(LOG, encoding="utf-8")
    return folder


def recorded(mem_dir):
    text = (mem_dir / JOURNAL).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_recorded_lesson_is_found_at_once(mem_dir, capsys):
    words = ["--log", "a.log", "--fix", "npm login", "--gotcha", "one", "--gotcha", "two"]
    assert main(["record", *words, "--files", "package.json", "--label", "ci"]) == 0
    said = capsys.readouterr()
    id = said.out.strip()
    assert "index was rebuilt, 1 entry" in said.err
    assert main(["lookup", "--json", "a.log"]) == 0
    [hit] = json.loads(capsys.readouterr().out)["hits"]
    assert (hit["entry"]["id"], hit["tier"]) == (id, "exact")
    assert hit["entry"]["lesson"]["gotchas"] == ["one", "two"]
    assert hit["entry"]["files"] == ["package.json"]
    assert hit["entry"]["title"] == RAW


def test_all_that_is_told_is_in_the_journal(mem_dir, capsys):
    words = ["--title", "login ends", "--root-cause", "old token", "--worked", "a", "--failed", "b"]
    assert main(["record", *words, "--kind", "decision", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    [record] = recorded(mem_dir)
    assert told == {"id": record["id"], "journal": str(mem_dir / JOURNAL), "indexed": True}
    entry = record["entry"]
    assert (entry["kind"], entry["title"]) == ("decision", "login ends")
    assert entry["lesson"]["root_cause"] == "old token"
    assert (entry["lesson"]["worked"], entry["lesson"]["failed"]) == (["a"], ["b"])
    assert entry["files"] is None


def test_files_given_as_none_are_known_to_be_none(mem_dir, capsys):
    main(["record", "--title", "x", "--files", ""])
    assert recorded(mem_dir)[0]["entry"]["files"] == []


@pytest.mark.parametrize(("words", "kind"), [(["--log", "a.log"], "failure"), ([], "note")])
def test_the_kind_follows_from_the_log(words, kind, mem_dir, capsys):
    main(["record", "--title", "x", *words])
    assert recorded(mem_dir)[0]["entry"]["kind"] == kind


def test_a_log_comes_from_stdin(mem_dir, here):
    done = mem("record", "--log", "-", "--fix", "npm login", cwd=here, input=LOG.encode())
    assert done.returncode == 0
    assert recorded(mem_dir)[0]["entry"]["raw"] == RAW


def test_secrets_do_not_reach_the_disk(mem_dir, here, capsys):
    secret = "ghp_" + "a1B2c3D4e5" * 3
    main(["record", "--title", f"push with {secret} fails", "--fix", f"use {secret}"])
    written = [path.read_bytes() for path in here.rglob("*") if path.is_file()]
    assert not any(secret.encode() in text for text in written)


def test_a_lesson_of_nothing_is_refused(mem_dir, capsys):
    assert main(["record", "--fix", "npm login"]) == 2
    assert "--title" in capsys.readouterr().err
    assert not (mem_dir / JOURNAL).exists()


def test_a_log_without_a_failure_is_said_to_find_nothing(mem_dir, here, capsys):
    (here / "green.log").write_text(GREEN_LOG, encoding="utf-8")
    assert main(["record", "--title", "x", "--log", "green.log"]) == 0
    assert "no failure found" in capsys.readouterr().err


def test_the_last_failure_is_that_of_a_run(mem_dir, here, capsys):
    assert main(["record", "--last", "--fix", "x"]) == 2
    assert "mem run" in capsys.readouterr().err
    mem("run", "--", "sh", "-c", "cat a.log; exit 4", cwd=here)
    assert main(["record", "--last", "--fix", "npm login"]) == 0
    entry = recorded(mem_dir)[0]["entry"]
    assert (entry["raw"], entry["exit_code"]) == (RAW, 4)
    assert entry["command"] == "sh -c 'cat a.log; exit 4'"
    assert entry["lesson"]["fix"] == "npm login"
    capsys.readouterr()
    assert main(["lookup", "a.log"]) == 0


def test_a_lesson_is_of_one_failure(mem_dir, capsys):
    assert main(["record", "--last", "--log", "a.log"]) == 2


def test_a_big_memory_is_not_rebuilt_in_passing(mem_dir, capsys, monkeypatch):
    monkeypatch.setattr("retrieval.cli.record._SMALL", 10)
    assert main(["record", "--log", "a.log", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["indexed"] is False
    assert "mem index rebuild" in said.err
    assert not (mem_dir / "index").exists()


def test_in_a_big_memory_a_lesson_is_laid_over_the_index(mem_dir, capsys, monkeypatch):
    main(["record", "--title", "The cache is stale", "--fix", "Clear it"])
    monkeypatch.setattr("retrieval.cli.record._SMALL", 10)
    capsys.readouterr()
    assert main(["record", "--title", "The cache is full", "--fix", "Clear it"]) == 0
    assert "the index was updated, 2 entries" in capsys.readouterr().err
    assert main(["lookup", "--title", "The cache is full", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["entry"]["title"] == "The cache is full"


def test_a_lesson_is_kept_when_the_index_cannot_be_made(mem_dir, capsys):
    (mem_dir / "index").write_bytes(b"in the way")
    assert main(["record", "--log", "a.log"]) == 0
    said = capsys.readouterr()
    assert len(recorded(mem_dir)) == 1
    assert "not indexed" in said.err


def test_a_lesson_is_kept_whatever_goes_wrong_with_the_index(mem_dir, capsys, monkeypatch):
    def broken(*words, **more):
        raise KeyError("ours")

    monkeypatch.setattr("retrieval.cli.record.rebuild", broken)
    assert main(["record", "--log", "a.log"]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == recorded(mem_dir)[0]["id"]
    assert said.err == "mem record: it is recorded, but not indexed: KeyError: 'ours'\n"


def test_a_lesson_is_kept_when_the_runs_cannot_be_written(mem_dir, here, capsys):
    mem("run", "--", "sh", "-c", "cat a.log; exit 4", cwd=here)
    (mem_dir / "runs.json.lock").unlink()
    (mem_dir / "runs.json.lock").mkdir()
    assert main(["record", "--last", "--fix", "npm login"]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == recorded(mem_dir)[0]["id"]
    assert "it is recorded, but" in said.err
    assert main(["lookup", "a.log"]) == 0


def test_memory_that_cannot_be_read_does_not_keep_a_lesson_from_the_index(mem_dir, here, capsys):
    import os

    os.mkfifo(here / "pipe.jsonl")
    (mem_dir / "config.toml").write_text('memory = ["pipe.jsonl", "gone"]\n', encoding="utf-8")
    assert main(["record", "--log", "a.log"]) == 0
    assert "1 entry; it lacks gone and 1 more" in capsys.readouterr().err
    assert main(["lookup", "a.log"]) == 0


def test_a_pipe_in_the_place_of_the_journal_is_named(mem_dir, capsys):
    import os

    os.mkfifo(mem_dir / JOURNAL)
    assert main(["record", "--title", "x"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "journal.jsonl: is a named pipe" in said.err


def test_the_id_is_told_before_the_index_is_waited_for(mem_dir, here):
    with (
        generations.alone(mem_dir / "index", 0),
        subprocess.Popen(
            [MEM, "record", "--title", "x"],
            cwd=here,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdout is not None
        id = process.stdout.readline().decode().strip()
        assert id == recorded(mem_dir)[0]["id"]
        process.kill()


def opened(pid, path):
    """Whether a process has this file open just now."""
    try:
        return any(link.readlink() == path.resolve() for link in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:  # it closed one of them while we looked
        return False


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nobody tells what is open")
def test_an_interrupt_while_the_index_is_waited_for_still_tells_the_id(mem_dir, here):
    (mem_dir / "index").mkdir()
    with generations.alone(mem_dir / "index", 0):
        process = subprocess.Popen(
            [MEM, "record", "--title", "x", "--json"],
            cwd=here,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while not opened(process.pid, mem_dir / "index" / ".lock"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, err) == (130, b"")
    told = json.loads(out)
    assert (told["id"], told["indexed"]) == (recorded(mem_dir)[0]["id"], False)


def test_a_reader_that_leaves_does_not_keep_a_lesson_from_the_index(mem_dir, here, capsys):
    import os

    ours, theirs = os.pipe()
    os.close(ours)
    words = [MEM, "record", "--log", "a.log"]
    code = subprocess.run(words, cwd=here, env=clean_environment(), stdout=theirs, check=False)
    os.close(theirs)
    assert code.returncode == 141
    assert main(["lookup", "a.log"]) == 0


def test_records_at_once_are_all_in_the_index_afterwards(mem_dir, here, capsys):
    running = [
        subprocess.Popen(
            [MEM, "record", "--title", f"lesson {number}", "--json"],
            cwd=here,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for number in range(8)
    ]
    told = [json.loads(process.communicate()[0]) for process in running]
    assert [each["indexed"] for each in told] == [True] * 8
    assert main(["index", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == 8


def test_two_records_at_once_lose_nothing(mem_dir, here):
    environment = clean_environment()
    words = [MEM, "record", "--title"]
    running = [
        subprocess.Popen(
            [*words, f"lesson {number}"],
            cwd=here,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert len(recorded(mem_dir)) == 4


def test_without_a_memory_nothing_is_recorded(here, capsys):
    assert main(["record", "--title", "x"]) == 2
    assert "mem init" in capsys.readouterr().err


def test_recording_leaves_the_memory_of_others_alone(here, capsys):
    mem_dir = remembering(here)
    before = recorded(mem_dir)
    main(["record", "--title", "x"])
    assert recorded(mem_dir)[:-1] == before
