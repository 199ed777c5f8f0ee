import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import LOG, MEM, as_anybody, clean_environment, is_root, mem, remembering

from retrieval.cli import VERBS, main


def test_every_verb_has_help_with_an_example(here, capsys):
    for name in VERBS:
        assert main([*name.split(), "--help"]) == 0
        said = capsys.readouterr()
        assert "example:\n  " in said.out
        assert f"mem {name}" in said.out.split("example:")[1]
        assert "--json" in said.out
        assert said.err == ""


def test_help_lists_every_verb(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"mem {name}" in out for name in VERBS)


def test_help_of_a_group_lists_its_verbs_alone(capsys):
    assert main(["sig", "--help"]) == 0
    out = capsys.readouterr().out
    assert "mem sig diff" in out
    assert "mem index" not in out


@pytest.mark.parametrize("words", [[], ["sig"], ["index"]])
def test_no_verb_is_an_error_that_shows_what_there_is(words, capsys):
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "mem index verify" in said.err or "mem sig diff" in said.err


@pytest.mark.parametrize("words", [["luckup"], ["sig", "expl"], ["--nothing"]])
def test_an_unknown_verb_is_named_in_one_line(words, capsys):
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    if words[0] != "sig":
        assert said.err.count("\n") == 1
        assert words[0] in said.err


@pytest.mark.parametrize("words", [["lookup", "-k", "many"], ["sig", "diff", "one"]])
def test_wrong_arguments_are_one_line_and_exit_code_2(words, here, capsys):
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_version_is_the_package_s(capsys):
    from indexing import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"mem {__version__}\n"


def test_an_error_that_may_be_expected_is_one_line(here, capsys):
    assert main(["lookup", "--title", "x"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "mem init" in said.err


def test_a_mistake_of_ours_is_one_line_and_keeps_its_traceback_for_who_asks(
    here, monkeypatch, capsys
):
    def broken(*words, **more):
        raise KeyError("ours\nover two lines")

    monkeypatch.setattr("retrieval.memory.Memory.open", broken)
    assert main(["lookup", "--title", "x"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mem: KeyError: ")
    assert said.err.count("\n") == 1
    monkeypatch.setenv("MEM_DEBUG", "1")
    for verb in ("lookup", "context"):
        with pytest.raises(KeyError):
            main([verb, "--title", "x"])


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_folder_above_that_is_closed_is_named_in_one_line(here):
    (here / "closed" / "in").mkdir(parents=True)
    line = (
        f'cd closed/in && chmod 0 .. && "{MEM}" lookup --title x; code=$?; chmod 755 ..; exit $code'
    )
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=here,
        env=clean_environment(),
        capture_output=True,
        check=False,
        preexec_fn=as_anybody if is_root() else None,
    )
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"Permission denied" in done.stderr


def test_a_reader_that_leaves_ends_the_command_quietly(here):
    remembering(here)
    (here / "a.log").write_text(LOG, encoding="utf-8")
    words = [MEM, "sig", "explain", *["a.log"] * 3000]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment()
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_an_interrupt_ends_the_command_quietly(here):
    with subprocess.Popen(
        [MEM, "sig", "explain", "--json", "-", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        # its answer to nothing comes only when it waits no more: send enough to know it listens
        process.stdin.write(b"x" * (1 << 21))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_under_stdout_is_one_line_and_no_success(here):
    remembering(here)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [MEM, "lookup", "--title", "private package is not found"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=clean_environment(),
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_results_are_utf_8_in_any_locale(here):
    (here / "a.log").write_text("error: »größe« fehlt 界\n", encoding="utf-8")
    done = mem("sig", "explain", "a.log", cwd=here, LC_ALL="C", PYTHONIOENCODING="ascii")
    assert "»größe« fehlt 界" in done.stdout.decode("utf-8")
    assert done.returncode == 0


def test_rebuild_script_and_verb_are_one(here):
    mem_dir = remembering(here)
    script = Path(__file__).parents[3] / "scripts" / "rebuild_index.py"
    done = subprocess.run(
        [sys.executable, str(script), "--json"],
        cwd=here,
        capture_output=True,
        env=clean_environment(),
        check=True,
    )
    assert json.loads(done.stdout)["entries"] == 1
    assert (mem_dir / "index" / "CURRENT").exists()
