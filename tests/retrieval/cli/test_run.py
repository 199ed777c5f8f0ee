import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import GREEN_LOG, LOG, MEM, RAW, clean_environment, login, mem, remembering

from indexing.entry import Lesson
from indexing.journal import append
from indexing.settings import JOURNAL

HINT = b"mem record --last --fix"

posix = pytest.mark.skipif(os.name == "nt", reason="signals and terminals of POSIX")


def script(folder: Path, text: str) -> list[str]:
    """A command of Python code."""
    (folder / "script.py").write_text(text, encoding="utf-8")
    return [sys.executable, "script.py"]


def fails(folder: Path, log: str = LOG, code: int = 1) -> list[str]:
    """A command that fails while there is no file `fixed`."""
    return script(
        folder,
        "import pathlib, sys\n"
        "if pathlib.Path('fixed').exists():\n    sys.exit(0)\n"
        f"sys.stdout.write({log!r})\nsys.exit({code})\n",
    )


def outcomes(mem_dir: Path) -> list[tuple[str, str]]:
    lines = (mem_dir / JOURNAL).read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [(each["entry_id"], each["outcome"]) for each in records if each["op"] == "outcome"]


def remembered(mem_dir: Path) -> dict[str, object]:
    return dict(json.loads((mem_dir / "runs.json").read_bytes()))


# --- the command is left alone


@pytest.mark.parametrize("code", [0, 1, 2, 77, 255])
def test_the_exit_code_is_the_command_s(code, here):
    assert mem("run", "--", *script(here, f"raise SystemExit({code})"), cwd=here).returncode == code


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGSEGV"])
def test_a_command_ended_by_a_signal_gives_128_and_its_number(name, here):
    number = getattr(signal, name)
    command = script(here, f"import os; os.kill(os.getpid(), {int(number)})")
    assert mem("run", "--", *command, cwd=here).returncode == 128 + number


def test_output_passes_byte_by_byte_to_its_own_stream(here):
    everything = bytes(range(256)) * 3
    command = script(
        here,
        "import sys\n"
        f"sys.stdout.buffer.write({everything!r})\n"
        f"sys.stderr.buffer.write({everything[::-1]!r})\n",
    )
    done = mem("run", "--", *command, cwd=here)
    assert (done.stdout, done.stderr) == (everything, everything[::-1])


def test_an_output_longer_than_what_is_kept_passes_whole(here):
    size = 20 << 20
    command = script(
        here, f"import sys; sys.stdout.buffer.write(b'0123456789abcde\\n' * {size // 16})"
    )
    done = mem("run", "--", *command, cwd=here)
    assert len(done.stdout) == size
    assert done.stdout == b"0123456789abcde\n" * (size // 16)


def test_output_comes_as_it_is_written(here):
    command = script(
        here,
        "import sys, pathlib, time\n"
        "print('first', flush=True)\n"
        "while not pathlib.Path('seen').exists():\n    time.sleep(0.01)\n"
        "print('second', flush=True)\n",
    )
    with subprocess.Popen(
        [MEM, "run", "--", *command], stdout=subprocess.PIPE, cwd=here, env=clean_environment()
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"first"
        (here / "seen").touch()
        assert process.stdout.read().strip() == b"second"
    assert process.returncode == 0


@posix
def test_two_streams_into_one_place_keep_their_order(here):
    command = script(
        here,
        "import os\nfor n in range(300):\n    os.write(1 + n % 2, f'{n}\\n'.encode())\n",
    )
    done = subprocess.run(
        [MEM, "run", "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=here,
        env=clean_environment(),
        check=True,
    )
    assert done.stdout.split() == [str(number).encode() for number in range(300)]


def test_stdin_is_the_command_s(here):
    command = script(here, "import sys; print(sys.stdin.read()[::-1], end='')")
    assert mem("run", "--", *command, cwd=here, input=b"abc").stdout == b"cba"


def test_options_after_the_command_are_its_own(here):
    command = script(here, "import sys; print(sys.argv[1:])")
    expected = b"['--json', '--help', '--', '-x']"
    for words in (["--", *command], command):
        done = mem("run", *words, "--json", "--help", "--", "-x", cwd=here)
        assert done.stdout.strip() == expected


def test_a_command_that_is_not_there_answers_as_a_shell_does(here):
    done = mem("run", "--", "no-such-command", cwd=here)
    assert (done.returncode, done.stdout) == (127, b"")
    assert b"no-such-command" in done.stderr
    assert done.stderr.count(b"\n") == 1


@posix
def test_a_command_that_cannot_be_run_answers_as_a_shell_does(here):
    (here / "plain").write_text("x", encoding="utf-8")
    assert mem("run", "--", "./plain", cwd=here).returncode == 126


@pytest.mark.parametrize("words", [[], ["--"], ["--json"], ["--json", "--"]])
def test_no_command_is_an_error(words, here):
    done = mem("run", *words, cwd=here)
    assert done.returncode == 2
    assert done.stderr == b"mem: no command is given; name it behind --, as in mem run -- npm ci\n"


@posix
@pytest.mark.parametrize("to", [1, 2])
def test_what_a_command_leaves_behind_may_go_on_writing(to, here):
    late = f"while [ ! -e go ]; do sleep 0.05; done; echo late >&{to} && touch written"
    with subprocess.Popen(
        [MEM, "run", "--", "sh", "-c", f"({late}) & echo first; exit 3"],
        cwd=here,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.wait(30) == 3  # it is not waited for
        (here / "go").touch()
        out, err = process.communicate()
    assert (here / "written").exists()
    assert b"first\n" in out
    assert b"late\n" in (out if to == 1 else err)


@posix
def test_what_a_command_leaves_behind_outlives_a_hangup(here):
    late = "trap '' HUP; while [ ! -e go ]; do sleep 0.05; done; echo late; touch written"
    with subprocess.Popen(
        [MEM, "run", "--", "sh", "-c", f"({late}) & exit 0"],
        cwd=here,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.wait(30) == 0
        os.killpg(process.pid, signal.SIGHUP)
        (here / "go").touch()
        assert process.stdout.read() == b"late\n"
    assert (here / "written").exists()


@posix
def test_an_endless_writer_left_behind_is_not_waited_for(here):
    with subprocess.Popen(
        [MEM, "run", "--", "sh", "-c", "yes & echo $! >pid; exit 3"],
        cwd=here,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        while process.poll() is None:
            os.read(process.stdout.fileno(), 1 << 16)
        assert process.returncode == 3
        assert os.read(process.stdout.fileno(), 2)  # it goes on …
    gone = int((here / "pid").read_text())  # … until nobody reads
    for _ in range(3000):
        try:
            state = Path(f"/proc/{gone}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            break
        if state == "Z":
            break
        time.sleep(0.01)
    else:
        os.kill(gone, signal.SIGKILL)
        pytest.fail("it writes still")


@posix
def test_a_pipe_in_the_place_of_the_runs_is_not_waited_for(here):
    mem_dir = remembering(here)
    os.mkfifo(mem_dir / "runs.json")
    done = mem("run", "--", *fails(here), cwd=here)
    assert done.returncode == 1
    assert b"npm login" in done.stderr


@posix
def test_a_current_folder_that_is_gone_does_not_keep_the_command_from_running(here):
    remembering(here)
    line = (
        f'mkdir gone; cd gone; rmdir ../gone; MEM_DIR="{here}/.mem" "{MEM}" run -- sh -c "exit 7"'
    )
    done = subprocess.run(
        ["sh", "-c", line], cwd=here, env=clean_environment(), capture_output=True, check=False
    )
    assert done.returncode == 7
    assert b"Traceback" not in done.stderr


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"])
def test_a_signal_reaches_the_command(name, here):
    number = int(getattr(signal, name))
    command = script(
        here,
        "import signal, sys, time\n"
        f"signal.signal({number}, lambda *got: sys.exit(42))\n"
        "print('ready', flush=True)\ntime.sleep(60)\n",
    )
    with subprocess.Popen(
        [MEM, "run", "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=here,
        env=clean_environment(),
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == 42
        assert process.stderr.read() == b"", "a command that was stopped is not looked up"


@posix
def test_a_process_left_behind_does_not_hold_us(here):
    done = mem("run", "--", "sh", "-c", "sleep 30 & echo started", cwd=here)
    assert (done.returncode, done.stdout) == (0, b"started\n")


@posix
def test_a_reader_that_leaves_is_told_to_the_command(here):
    command = script(
        here,
        "import sys\nwhile True:\n    sys.stdout.write('y\\n' * 1000)\n    sys.stdout.flush()\n",
    )
    with subprocess.Popen(
        [MEM, "run", "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=here,
        env=clean_environment(),
    ) as process:
        assert process.stdout is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(30) != 0


@posix
def test_on_a_terminal_the_command_has_one_and_its_bytes_stay(here):
    import pty

    command = script(
        here,
        "import os, sys\n"
        "sys.stdout.write(f'{sys.stdout.isatty()} {sys.stderr.isatty()} ')\n"
        "sys.stdout.write(f'{os.get_terminal_size(1).columns}\\n\\x1b[31mred\\x1b[0m\\n')\n",
    )
    ours, theirs = pty.openpty()
    import termios

    termios.tcsetwinsize(theirs, (33, 77))
    with subprocess.Popen(
        [MEM, "run", "--", *command],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        cwd=here,
        env=clean_environment(),
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while data := os.read(ours, 4096):
                seen += data
        except OSError:
            pass
        assert process.wait() == 0
    os.close(ours)
    # one carriage return for each line: put there by the terminal that shows it, and only once
    assert seen == b"True False 77\r\n\x1b[31mred\x1b[0m\r\n"


@posix
def test_an_interrupt_that_is_typed_reaches_the_command_once(here):
    import fcntl
    import pty
    import termios

    command = script(
        here,
        "import signal, sys, time\n"
        "came = []\n"
        "signal.signal(signal.SIGINT, lambda *got: came.append(got))\n"
        "print('ready', flush=True)\n"
        "while not came:\n    time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "print('interrupts', len(came), flush=True)\nsys.exit(9)\n",
    )
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [MEM, "run", "--", *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=here,
        env=clean_environment(),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(theirs)
        seen = b""
        while b"ready" not in seen:
            seen += os.read(ours, 4096)
        os.write(ours, b"\x03")
        while not re.search(rb"interrupts \d", seen):
            seen += os.read(ours, 4096)
        assert process.wait(30) == 9
    os.close(ours)
    assert b"interrupts 1" in seen


@posix
def test_no_terminal_is_made_up_where_there_is_none(here):
    command = script(here, "import sys; print(sys.stdout.isatty(), sys.stderr.isatty())")
    assert mem("run", "--", *command, cwd=here).stdout == b"False False\n"


# --- what is known


def test_what_is_known_comes_after_the_command_s_output_on_stderr(here):
    mem_dir = remembering(here)
    done = mem("run", "--", *fails(here, code=3), cwd=here)
    assert (done.returncode, done.stdout) == (3, LOG.encode())
    assert b"## Historical Context" in done.stderr
    assert b"npm login" in done.stderr
    assert outcomes(mem_dir) == [("login", "shown")]


def test_json_is_one_line_on_stderr(here):
    remembering(here)
    done = mem("run", "--json", "--", *fails(here), cwd=here)
    [line] = done.stderr.splitlines()
    assert json.loads(line)["hits"][0]["entry"]["id"] == "login"
    assert done.stdout == LOG.encode()


def test_an_unknown_failure_is_one_line_of_how_to_record_it(here):
    mem_dir = remembering(here, [login(signature=None, title="zebra")])
    done = mem("run", "--", *fails(here), cwd=here)
    assert done.stderr.count(b"\n") == 1
    assert HINT in done.stderr
    assert outcomes(mem_dir) == []
    assert remembered(mem_dir)["last"]["signature"]["raw"] == RAW


def test_a_new_memory_without_an_index_knows_nothing(here):
    (here / ".mem").mkdir()
    done = mem("run", "--", *fails(here), cwd=here)
    assert done.stderr.count(b"\n") == 1
    assert HINT in done.stderr


def test_without_a_memory_nothing_is_known_and_nothing_is_written(here):
    command = fails(here)
    before = sorted(here.rglob("*"))
    done = mem("run", "--", *command, cwd=here)
    assert (done.returncode, done.stdout) == (1, LOG.encode())
    assert done.stderr.count(b"\n") == 1
    assert b"mem init" in done.stderr
    assert sorted(here.rglob("*")) == before


def test_a_silent_failure_says_so(here):
    (here / ".mem").mkdir()
    done = mem("run", "--", *script(here, "raise SystemExit(1)"), cwd=here)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert HINT not in done.stderr


def test_a_green_run_says_and_writes_nothing(here):
    (here / ".mem").mkdir()
    command = script(here, f"print({GREEN_LOG!r}, end='')")
    done = mem("run", "--", *command, cwd=here)
    assert (done.stdout, done.stderr) == (GREEN_LOG.encode(), b"")
    assert list((here / ".mem").iterdir()) == []


@pytest.mark.parametrize("broken", ["index", "config.toml", "journal.jsonl.lock", "runs.json"])
def test_our_own_errors_are_one_line_and_the_exit_code_stays(broken, here):
    mem_dir = remembering(here)
    path = mem_dir / broken
    if broken == "index":
        (path / "CURRENT").write_bytes(b"nonsense")
    else:
        path.unlink(missing_ok=True)
        path.mkdir()
    done = mem("run", "--", *fails(here, code=3), cwd=here)
    assert (done.returncode, done.stdout) == (3, LOG.encode())
    assert done.stderr.splitlines()[-1].startswith(b"mem run: ")
    assert b"Traceback" not in done.stderr


def test_a_failure_is_remembered_when_the_index_cannot_be_asked(here):
    mem_dir = remembering(here)
    (mem_dir / "index" / "CURRENT").write_bytes(b"nonsense")
    mem("run", "--", *fails(here), cwd=here)
    assert remembered(mem_dir)["last"]["signature"]["raw"] == RAW


def test_secrets_of_command_and_output_are_not_written(here):
    mem_dir = here / ".mem"
    mem_dir.mkdir()
    secret = "ghp_" + "a1B2c3D4e5" * 3
    command = [*fails(here, f"error: push with {secret} failed\n"), f"--token={secret}"]
    mem("run", "--", *command, cwd=here)
    written = [path.read_bytes() for path in mem_dir.rglob("*") if path.is_file()]
    assert any(b"push with" in text for text in written)
    assert not any(secret.encode() in text for text in written)


# --- credit

OTHER = login("unknown", files=None, lesson=Lesson(fix="npm logout; npm login"))


@pytest.fixture
def mem_dir(here: Path) -> Path:
    (here / "package.json").write_text("{}", encoding="utf-8")
    return remembering(here, [login(files=("package.json",)), OTHER])


def passes_after(here: Path, change: str | None) -> None:
    command = fails(here)
    assert mem("run", "--", *command, cwd=here).returncode == 1
    if change is not None:
        (here / change).write_text("changed", encoding="utf-8")
    (here / "fixed").touch()
    assert mem("run", "--", *command, cwd=here).returncode == 0


def test_an_entry_whose_files_changed_helped(mem_dir, here):
    passes_after(here, "package.json")
    assert sorted(outcomes(mem_dir)[2:]) == [("login", "helped"), ("unknown", "unused")]


def test_an_entry_whose_files_are_as_they_were_was_not_used(mem_dir, here):
    passes_after(here, "other.json")
    assert sorted(outcomes(mem_dir)[2:]) == [("login", "unused"), ("unknown", "unused")]


def test_a_file_only_touched_has_not_changed(mem_dir, here):
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    os.utime(here / "package.json", (1, 1))
    (here / "fixed").touch()
    mem("run", "--", *command, cwd=here)
    assert ("login", "helped") not in outcomes(mem_dir)


def test_a_run_is_credited_once(mem_dir, here):
    passes_after(here, "package.json")
    before = outcomes(mem_dir)
    assert mem("run", "--", *fails(here), cwd=here).returncode == 0
    assert outcomes(mem_dir) == before


def test_failing_again_keeps_what_was_shown_and_how_files_were(mem_dir, here):
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    (here / "package.json").write_text("changed", encoding="utf-8")
    mem("run", "--", *command, cwd=here)
    (here / "fixed").touch()
    mem("run", "--", *command, cwd=here)
    assert ("login", "helped") in outcomes(mem_dir)
    lines = (mem_dir / JOURNAL).read_text(encoding="utf-8").splitlines()
    loops = {json.loads(line)["loop"] for line in lines if '"op":"outcome"' in line}
    assert len(loops) == 1


def test_another_command_that_passes_credits_nothing(mem_dir, here):
    mem("run", "--", *fails(here), cwd=here)
    before = outcomes(mem_dir)
    mem("run", "--", sys.executable, "-c", "pass", cwd=here)
    assert outcomes(mem_dir) == before


def test_the_same_words_in_another_folder_are_another_command(mem_dir, here):
    mem("run", "--", *fails(here), cwd=here)
    before = outcomes(mem_dir)
    (here / "sub").mkdir()
    (here / "sub" / "fixed").touch()
    assert mem("run", "--", *fails(here / "sub"), cwd=here / "sub").returncode == 0
    assert outcomes(mem_dir) == before


def test_a_green_run_after_an_unknown_failure_asks_for_the_fix(here):
    (here / ".mem").mkdir()
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    (here / "fixed").touch()
    done = mem("run", "--", *command, cwd=here)
    assert done.returncode == 0
    assert HINT in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert mem("run", "--", *command, cwd=here).stderr == b""


def test_a_fix_that_is_recorded_is_not_asked_for_again(here):
    (here / ".mem").mkdir()
    command = fails(here)
    mem("run", "--", *command, cwd=here)
    assert mem("record", "--last", "--fix", "npm login", cwd=here).returncode == 0
    (here / "fixed").touch()
    assert mem("run", "--", *command, cwd=here).stderr == b""


def test_after_a_record_the_same_failure_is_known(here):
    (here / ".mem").mkdir()
    mem("run", "--", *fails(here), cwd=here)
    mem("record", "--last", "--fix", "npm login", cwd=here)
    done = mem("run", "--", *fails(here), cwd=here)
    assert b"npm login" in done.stderr


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"failed": 3}', b'{"failed": {"x": 1}}', b"[" * 100_000]
)
def test_runs_that_cannot_be_read_are_begun_anew(text, here):
    mem_dir = remembering(here)
    (mem_dir / "runs.json").write_bytes(text)
    done = mem("run", "--", *fails(here), cwd=here)
    assert b"npm login" in done.stderr
    assert len(remembered(mem_dir)["failed"]) == 1


def test_runs_at_once_lose_nothing(here):
    mem_dir = remembering(here)
    fails(here)
    running = [
        subprocess.Popen(
            [MEM, "run", "--", sys.executable, "script.py", str(number)],
            cwd=here,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(5)
    ]
    assert [process.wait() for process in running] == [1] * 5
    assert len(remembered(mem_dir)["failed"]) == 5
    assert outcomes(mem_dir) == [("login", "shown")] * 5


def test_a_lesson_recorded_meanwhile_by_another_is_left_alone(mem_dir, here):
    append(mem_dir / JOURNAL, login("theirs"))
    passes_after(here, "package.json")
    assert {id for id, _ in outcomes(mem_dir)} == {"login", "unknown"}
