"""`mem context` prints nothing and answers 0 whatever goes wrong; each fault is made."""

import os
import shutil
from pathlib import Path

import pytest
from commands import LOG, UNKNOWN_LOG, login, mem, remembering
from filelock import FileLock

from indexing.journal import append
from retrieval.cli import main

HEADING = "## Historical Context (Similar Issues)"
TITLE = ("--title", "private package is not found")


@pytest.fixture
def mem_dir(here: Path) -> Path:
    (here / "a.log").write_text(LOG, encoding="utf-8")
    return remembering(here)


def generation(mem_dir: Path) -> Path:
    return mem_dir / "index" / (mem_dir / "index" / "CURRENT").read_text("ascii").strip()


def test_what_is_known_is_a_block(mem_dir, capsys):
    assert main(["context", "a.log"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(HEADING)
    assert "npm login" in said.out
    assert said.err == ""


def test_the_block_is_the_same_bytes_each_time(mem_dir, here):
    first, second = (mem("context", "a.log", cwd=here).stdout for _ in range(2))
    assert first == second != b""


def test_an_issue_gives_a_block(mem_dir, capsys):
    assert main(["context", *TITLE, "--label", "bug", "--files", "package.json"]) == 0
    assert capsys.readouterr().out.startswith(HEADING)


def test_the_budget_holds(mem_dir, capsys):
    main(["context", "a.log", "--max-tokens", "80"])
    assert 0 < len(capsys.readouterr().out) <= 320
    assert main(["context", "a.log", "--max-tokens", "1"]) == 0
    assert capsys.readouterr().out == ""


def test_json_holds_the_block(mem_dir, capsys):
    import json

    main(["context", "--json", "a.log"])
    assert json.loads(capsys.readouterr().out)["block"].startswith(HEADING)


@pytest.mark.parametrize("strict", [[], ["--strict"]])
@pytest.mark.parametrize(
    "words", [["unknown.log"], ["--title", "zebra"], ["--json", "unknown.log"]]
)
def test_no_match_is_nothing_and_no_error(words, strict, mem_dir, here, capsys):
    (here / "unknown.log").write_text(UNKNOWN_LOG, encoding="utf-8")
    assert main(["context", *words, *strict]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")


# --- faults: each gets a memory that answers, and breaks it


def no_memory(mem_dir: Path) -> None:
    shutil.rmtree(mem_dir)


def no_index(mem_dir: Path) -> None:
    shutil.rmtree(mem_dir / "index")


def empty_index_folder(mem_dir: Path) -> None:
    shutil.rmtree(mem_dir / "index")
    (mem_dir / "index").mkdir()


def empty_pointer(mem_dir: Path) -> None:
    (mem_dir / "index" / "CURRENT").write_bytes(b"")


def malformed_pointer(mem_dir: Path) -> None:
    (mem_dir / "index" / "CURRENT").write_bytes(b"\xff\x00../../etc\n")


def pointer_to_nothing(mem_dir: Path) -> None:
    (mem_dir / "index" / "CURRENT").write_text("g-" + "0" * 32 + "\n", encoding="ascii")


def dangling_pointer(mem_dir: Path) -> None:
    (mem_dir / "index" / "CURRENT").unlink()
    (mem_dir / "index" / "CURRENT").symlink_to("gone")


def folder_for_a_pointer(mem_dir: Path) -> None:
    (mem_dir / "index" / "CURRENT").unlink()
    (mem_dir / "index" / "CURRENT").mkdir()


def file_for_an_index(mem_dir: Path) -> None:
    shutil.rmtree(mem_dir / "index")
    (mem_dir / "index").write_bytes(b"no folder")


def malformed_manifest(mem_dir: Path) -> None:
    (generation(mem_dir) / "manifest.json").write_bytes(b"{")


def folder_for_a_manifest(mem_dir: Path) -> None:
    (generation(mem_dir) / "manifest.json").unlink()
    (generation(mem_dir) / "manifest.json").mkdir()


def truncated_rows(mem_dir: Path) -> None:
    rows = generation(mem_dir) / "rows.jsonl"
    os.truncate(rows, rows.stat().st_size // 2)


def empty_rows(mem_dir: Path) -> None:
    os.truncate(generation(mem_dir) / "rows.jsonl", 0)


def garbled_row(mem_dir: Path) -> None:
    rows = generation(mem_dir) / "rows.jsonl"
    rows.write_bytes(b"x" * rows.stat().st_size)


def missing_keys(mem_dir: Path) -> None:
    (generation(mem_dir) / "signatures.keys").unlink()


def folder_for_keys(mem_dir: Path) -> None:
    missing_keys(mem_dir)
    (generation(mem_dir) / "signatures.keys").mkdir()


def half_written_generation(mem_dir: Path) -> None:
    whole = generation(mem_dir)
    for path in sorted(whole.iterdir())[1:]:
        path.unlink()


def another_version(mem_dir: Path) -> None:
    """An index whole in itself, of a format of tomorrow."""
    import json

    from indexing.stores import generations

    whole = generation(mem_dir)
    manifest = json.loads((whole / "manifest.json").read_bytes())
    manifest["format"] += 1
    text = json.dumps(manifest).encode()
    (whole / "manifest.json").write_bytes(text)
    name = generations.name_of(text)
    whole.rename(whole.with_name(name))
    (mem_dir / "index" / "CURRENT").write_text(f"{name}\n", encoding="ascii")


def malformed_settings(mem_dir: Path) -> None:
    (mem_dir / "config.toml").write_text("min_score = [", encoding="utf-8")


def wrong_settings(mem_dir: Path) -> None:
    (mem_dir / "config.toml").write_text('min_score = "high"', encoding="utf-8")


def unreadable_settings(mem_dir: Path) -> None:
    (mem_dir / "config.toml").mkdir()


def changed_bytes(mem_dir: Path) -> None:
    """Every file has its size and other bytes."""
    for path in generation(mem_dir).iterdir():
        path.write_bytes(path.read_bytes()[::-1])


def changed_keys(mem_dir: Path) -> None:
    keys = generation(mem_dir) / "signatures.keys"
    keys.write_bytes(bytes(keys.stat().st_size))


def pipe_for_a_pointer(mem_dir: Path) -> None:
    (mem_dir / "index" / "CURRENT").unlink()
    os.mkfifo(mem_dir / "index" / "CURRENT")


def pipe_for_rows(mem_dir: Path) -> None:
    rows = generation(mem_dir) / "rows.jsonl"
    rows.unlink()
    os.mkfifo(rows)


def pipe_for_settings(mem_dir: Path) -> None:
    os.mkfifo(mem_dir / "config.toml")


def file_for_a_memory(mem_dir: Path) -> None:
    shutil.rmtree(mem_dir)
    mem_dir.write_bytes(b"no folder")


def linked_to_itself(mem_dir: Path) -> None:
    shutil.rmtree(mem_dir)
    mem_dir.symlink_to(mem_dir)


def settings_of_bytes(mem_dir: Path) -> None:
    (mem_dir / "config.toml").write_bytes(b"\xff\xfe\x00")


FAULTS = [
    no_memory,
    no_index,
    empty_index_folder,
    empty_pointer,
    malformed_pointer,
    pointer_to_nothing,
    dangling_pointer,
    folder_for_a_pointer,
    file_for_an_index,
    malformed_manifest,
    folder_for_a_manifest,
    truncated_rows,
    empty_rows,
    garbled_row,
    missing_keys,
    folder_for_keys,
    half_written_generation,
    another_version,
    malformed_settings,
    wrong_settings,
    unreadable_settings,
    settings_of_bytes,
    changed_bytes,
    changed_keys,
    pipe_for_a_pointer,
    pipe_for_rows,
    pipe_for_settings,
    file_for_a_memory,
    linked_to_itself,
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("words", [["a.log"], ["--json", *TITLE]])
def test_a_fault_is_nothing_on_stdout_exit_code_0_and_one_line(fault, words, mem_dir, here, capsys):
    fault(mem_dir)
    assert main(["context", *words]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mem context: ")
    assert said.err.count("\n") == 1
    assert "Error:" not in said.err, "a fault that was not foreseen"


@pytest.mark.parametrize("fault", FAULTS)
def test_strict_turns_a_fault_into_exit_code_2(fault, mem_dir, capsys):
    fault(mem_dir)
    assert main(["context", "a.log", "--strict"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_fault_is_the_same_in_a_process_of_its_own(mem_dir, here):
    truncated_rows(mem_dir)
    for strict, code in (((), 0), (("--strict",), 2)):
        done = mem("context", "a.log", *strict, cwd=here)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize(
    "closed",
    [
        ".mem",
        ".mem/config.toml",
        ".mem/index",
        ".mem/index/CURRENT",
        "manifest.json",
        "rows.jsonl",
        "signatures.keys",
    ],
)
def test_what_this_user_may_not_read_is_a_fault_like_any_other(closed, mem_dir, here):
    (mem_dir / "config.toml").touch()
    path = here / closed if closed.startswith(".") else generation(mem_dir) / closed
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        for strict, code in (((), 0), (("--strict",), 2)):
            done = mem("context", "a.log", *strict, cwd=here)
            assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)
            assert b"Permission denied" in done.stderr
            assert b"Error:" not in done.stderr, "a fault that was not foreseen"
        # without its index a failure is looked for in the memory files
        lookup = 2 if closed in (".mem", ".mem/config.toml") else 0
        assert mem("lookup", "a.log", cwd=here).returncode == lookup
    finally:
        path.chmod(mode)


def test_a_folder_that_is_gone_is_a_fault_like_any_other(mem_dir, here):
    import subprocess

    from commands import MEM, clean_environment

    words = f'mkdir gone && cd gone && rmdir ../gone && "{MEM}"'
    for verb, code in (("context --title x", 0), ("context --title x --strict", 2), ("init", 2)):
        done = subprocess.run(
            ["sh", "-c", f"{words} {verb}"],
            cwd=here,
            env=clean_environment(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)
        assert b"the current folder is gone" in done.stderr


def test_a_reader_that_leaves_is_no_error(mem_dir, here):
    import subprocess

    from commands import MEM, clean_environment

    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run(
            [MEM, "context", "a.log"],
            cwd=here,
            env=clean_environment(),
            stdout=theirs,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


def test_events_that_cannot_be_written_are_one_line_beside_the_answer(mem_dir, capsys, monkeypatch):
    monkeypatch.setenv("MEM_EVENTS", str(mem_dir / "gone" / "events"))
    for verb in ("context", "lookup"):
        assert main([verb, "a.log"]) == 0
        said = capsys.readouterr()
        assert "npm login" in said.out
        assert said.err.count("\n") == 1
        assert "events cannot be written (No such file or directory)" in said.err


def test_a_held_lock_keeps_nobody_from_reading(mem_dir, here):
    locks = [mem_dir / "journal.jsonl.lock", mem_dir / "index" / ".lock"]
    with FileLock(locks[0]), FileLock(locks[1]):
        done = mem("context", "a.log", cwd=here)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"npm login" in done.stdout


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\x00" * 99, b'{"v":1,"op":"add","id":"x"'])
def test_a_broken_journal_does_not_take_the_index_down(text, mem_dir, here, capsys):
    (mem_dir / "journal.jsonl").write_bytes(text)
    assert main(["context", "a.log"]) == 0
    assert "npm login" in capsys.readouterr().out


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\x00" * 99, b'{"v":1,"op":"add","id":"x"'])
def test_a_broken_journal_costs_only_itself_in_a_rebuild(text, mem_dir, here, capsys):
    append(here / "team.jsonl", login())
    (mem_dir / "config.toml").write_text('memory = ["team.jsonl"]', encoding="utf-8")
    (mem_dir / "journal.jsonl").write_bytes(text)
    assert main(["index", "rebuild"]) == 0
    capsys.readouterr()
    assert main(["context", "a.log"]) == 0
    assert "npm login" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["gone.log"],
        [".mem"],
        ["a.log", "--max-tokens", "many"],
        ["a.log", "-k", "0"],
        ["a.log", "-k", "-1"],
        ["a.log", "--max-tokens", "0"],
        ["a.log", "--max-tokens", "-5"],
        ["a.log", "--scorer", "magic"],
        ["a.log", "--nothing-like-it"],
        ["a.log", "b.log"],
    ],
)
def test_a_wrong_question_is_no_error_either(words, mem_dir, capsys):
    assert main(["context", *words]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert main(["context", *words, "--strict"]) == 2
    assert capsys.readouterr().out == ""


def test_a_mistake_of_ours_is_one_line_too(mem_dir, capsys, monkeypatch):
    def broken(*words, **more):
        raise RecursionError("ours\nover two lines")

    monkeypatch.setattr("retrieval.context.block", broken)
    assert main(["context", "a.log"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mem context: RecursionError: ours over two lines; ")
    assert said.err.count("\n") == 1


def test_without_a_stderr_the_words_do_not_go_to_stdout(mem_dir, here):
    import subprocess

    from commands import MEM, clean_environment

    done = subprocess.run(
        ["sh", "-c", f'"{MEM}" context gone.log 2>&-; "{MEM}" context --nothing 2>&-'],
        capture_output=True,
        env=clean_environment(),
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_full_streams_are_no_error(mem_dir, here):
    import subprocess

    from commands import MEM, clean_environment

    for line in (f'"{MEM}" context a.log >/dev/full', f'"{MEM}" context gone.log 2>/dev/full'):
        done = subprocess.run(["sh", "-c", line], env=clean_environment(), check=False)
        assert done.returncode == 0
