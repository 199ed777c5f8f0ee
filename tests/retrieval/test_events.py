"""An event is one line, and never a reason to fail."""

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from retrieval.events import emit


def events(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_an_event_is_one_json_line_with_its_name_first(tmp_path, monkeypatch):
    monkeypatch.setenv("MEM_EVENTS", str(tmp_path / "events.jsonl"))

    emit("memory.similarity.duration_ms", value=3.25, tier="exact")
    emit("other")

    assert (tmp_path / "events.jsonl").read_bytes() == (
        b'{"event": "memory.similarity.duration_ms", "value": 3.25, "tier": "exact"}\n'
        b'{"event": "other"}\n'
    )


def test_a_field_cannot_rename_the_event(tmp_path, monkeypatch):
    monkeypatch.setenv("MEM_EVENTS", str(tmp_path / "events.jsonl"))

    emit("real", event="forged", name="kept")

    assert events(tmp_path / "events.jsonl") == [{"event": "real", "name": "kept"}]


@pytest.mark.parametrize("value", ["a\nb", "\ud800", "構築 🔥", b"bytes", {1, 2}, Path("x")])
def test_any_value_becomes_one_line(tmp_path, monkeypatch, value):
    monkeypatch.setenv("MEM_EVENTS", str(tmp_path / "events.jsonl"))

    emit("one", value=value)

    assert len(events(tmp_path / "events.jsonl")) == 1


@pytest.mark.parametrize("where", [None, ""])
def test_without_a_file_nothing_is_written_and_json_is_not_loaded(tmp_path, where):
    env = {k: v for k, v in os.environ.items() if k != "MEM_EVENTS"}
    env |= {} if where is None else {"MEM_EVENTS": where}
    root = Path(__file__).parents[2]
    code = (
        "import sys, runpy; m = runpy.run_path(sys.argv[1]); m['emit']('x', a=1);"
        "print('json' in sys.modules)"
    )

    ran = subprocess.run(
        [sys.executable, "-S", "-c", code, str(root / "retrieval" / "events.py")],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout == "False\n"
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_dropped(tmp_path, monkeypatch):
    loop: list[object] = []
    loop.append(loop)
    (tmp_path / "folder").mkdir()

    for path in (tmp_path / "folder", tmp_path / "missing" / "events", "\0"):
        monkeypatch.setattr(os, "environ", {"MEM_EVENTS": str(path)})
        emit("x")
    monkeypatch.setattr(os, "environ", {"MEM_EVENTS": str(tmp_path / "events")})
    emit("x", loop=loop)
    emit("x", nan=float("nan"))

    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_that_nobody_reads_does_not_block(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("MEM_EVENTS", str(tmp_path / "pipe"))

    emit("x")


def test_events_of_several_threads_do_not_mix(tmp_path, monkeypatch):
    monkeypatch.setenv("MEM_EVENTS", str(tmp_path / "events.jsonl"))

    def many(who: int) -> None:
        for n in range(50):
            emit("x", who=who, n=n, text="y" * 500)

    threads = [Thread(target=many, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    seen = sorted((event["who"], event["n"]) for event in events(tmp_path / "events.jsonl"))
    assert seen == [(who, n) for who in range(4) for n in range(50)]
