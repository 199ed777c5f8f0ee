import importlib
import json
import re
import shutil
from pathlib import Path

import pytest
from commands import RAW, login, remembering
from memories import indexed

from indexing.journal import append
from indexing.signature import sign
from indexing.signature.interface import Step
from indexing.signature.normalise import STEPS
from retrieval.cli import main


def rebuilt(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["index", "rebuild", "--json", *words]) == 0
    return dict(json.loads(capsys.readouterr().out))


def status(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code = main(["index", "status", "--json", *words])
    return code, json.loads(capsys.readouterr().out)


def test_rebuild_reads_the_journal_and_what_the_settings_name(here, capsys):
    mem_dir = remembering(here, index=False)
    other = here / "notes" / "team.jsonl"
    other.parent.mkdir()
    append(other, login("other", title="another"))
    (mem_dir / "config.toml").write_text('memory = ["notes"]\n', encoding="utf-8")
    report = rebuilt(capsys)
    assert report["entries"] == 2
    assert [file["file"] for file in report["files"]] == [".mem/journal.jsonl", "notes/team.jsonl"]


def test_rebuild_takes_named_memory_and_a_named_index(here, capsys):
    memory = here / "team.jsonl"
    append(memory, login())
    report = rebuilt(capsys, "--memory", "team.jsonl", "--index", "out")
    assert report["entries"] == 1
    assert (here / "out" / "CURRENT").exists()
    assert not (here / ".mem").exists()


def test_a_rebuild_from_nothing_has_the_same_bytes(here, capsys):
    mem_dir = remembering(here)
    first = rebuilt(capsys)["generation"]
    shutil.rmtree(mem_dir / "index")
    assert rebuilt(capsys)["generation"] == first


def test_the_report_names_what_was_skipped_and_quarantined(here, capsys):
    mem_dir = remembering(here, index=False)
    with (mem_dir / "journal.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"v":1,"op":"add","id":"half\n')
    append(here / "copy.jsonl", login())
    settings = 'memory = ["gone.jsonl", "copy.jsonl"]\n'
    (mem_dir / "config.toml").write_text(settings, encoding="utf-8")
    assert main(["index", "rebuild"]) == 2  # of what is there, an index is made
    said = capsys.readouterr()
    out = said.out
    assert said.err == "mem index rebuild: the index lacks gone.jsonl; see 'skipped'\n"
    assert "1 entry from 2 files" in out
    assert "skipped: 1" in out
    assert "gone.jsonl" in out
    assert "quarantined: 1" in out
    assert "line 2" in out
    assert "duplicates: 1" in out


def test_rebuild_writes_no_progress_where_nobody_watches(here, capsys):
    remembering(here)
    main(["index", "rebuild"])
    assert capsys.readouterr().err == ""


def test_rebuild_without_any_memory_says_what_to_do(here, capsys):
    assert main(["index", "rebuild"]) == 2
    assert "mem init" in capsys.readouterr().err
    assert main(["index", "rebuild", "--index", "out"]) == 2
    assert "--memory" in capsys.readouterr().err


def test_an_update_lays_over_the_index_what_came_since(here, capsys):
    mem_dir = remembering(here)
    base = rebuilt(capsys)["generation"]
    append(mem_dir / "journal.jsonl", login("more"))
    assert main(["index", "update", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["entries"] == 2
    code, found = status(capsys)
    assert (code, found["stale"], found["base"], found["entries"]) == (0, [], base, 2)
    assert main(["index", "status"]) == 0
    assert f"{report['generation']}, a delta over {base}" in capsys.readouterr().out
    assert main(["index", "verify"]) == 0
    capsys.readouterr()
    append(mem_dir / "journal.jsonl", login("and more"))
    assert status(capsys)[1]["stale"] == [".mem/journal.jsonl: has changed"]


def test_an_update_rebuilds_where_a_delta_would_not_do(here, capsys):
    mem_dir = remembering(here)
    rebuilt(capsys)
    (mem_dir / "journal.jsonl").unlink()
    append(mem_dir / "journal.jsonl", login("other"))
    assert main(["index", "update"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("1 entry from 1 file: ")
    assert said.err == "mem index update: what came since is no delta; the index is rebuilt\n"
    assert status(capsys)[1]["base"] is None


def test_status_tells_what_the_index_holds(here, capsys):
    mem_dir = remembering(here, [login(), login("note", kind="note", signature=None)])
    code, found = status(capsys)
    assert code == 0
    assert (found["entries"], found["signatures"], found["stale"]) == (2, 1, [])
    assert found["generation"] == (mem_dir / "index" / "CURRENT").read_text().strip()
    assert found["unmatched"] == {}


@pytest.fixture
def fresh(here: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    mem_dir = remembering(here, index=False)
    rebuilt(capsys)
    return mem_dir


def test_a_journal_that_grew_makes_the_index_stale(fresh, capsys):
    append(fresh / "journal.jsonl", login("more"))
    code, found = status(capsys)
    assert code == 1
    assert found["stale"] == [".mem/journal.jsonl: has changed"]
    rebuilt(capsys)
    assert status(capsys)[0] == 0


def test_new_and_gone_memory_files_make_the_index_stale(fresh, capsys):
    append(fresh.parent / "new.jsonl", login("more"))
    (fresh / "config.toml").write_text('memory = ["new.jsonl"]\n', encoding="utf-8")
    (fresh / "journal.jsonl").unlink()
    code, found = status(capsys)
    assert code == 1
    assert sorted(found["stale"]) == [
        ".mem/journal.jsonl: is gone, or cannot be read",
        "new.jsonl: is not in the index",
    ]


def missing(path: Path) -> None:
    """Nothing there."""


def of_no_format(path: Path) -> None:
    path.write_text("words", encoding="utf-8")


def dangling(path: Path) -> None:
    path.symlink_to("gone")


def looping(path: Path) -> None:
    path.symlink_to(path)


def pipe(path: Path) -> None:
    import os

    os.mkfifo(path)


@pytest.mark.parametrize("make", [missing, of_no_format, dangling, looping, pipe])
@pytest.mark.parametrize("name", ["team.jsonl", "~no-such-user/team"])
def test_listed_memory_that_cannot_be_read_is_told_and_no_success(fresh, capsys, make, name):
    if "/" not in name:
        make(fresh.parent / name)
    (fresh / "config.toml").write_text(f'memory = ["{name}"]\n', encoding="utf-8")
    code, found = status(capsys)
    assert code == 1
    assert found["stale"] == []
    [line] = found["unread"]
    assert line.startswith(f"{name}: ")
    assert main(["index", "status"]) == 1
    assert f"memory that cannot be read: 1\n  {name}" in capsys.readouterr().out
    assert main(["index", "rebuild", "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["entries"], report["unread"]) == (1, [name])
    assert main(["lookup", "--title", "package"]) == 0


def test_named_memory_that_cannot_be_read_is_told_and_no_success(fresh, capsys):
    words = ["--memory", ".mem/journal.jsonl", "gone"]
    code, found = status(capsys, *words)
    assert (code, found["unread"]) == (1, ["gone: is not there; correct the path"])
    assert main(["index", "rebuild", *words]) == 2
    said = capsys.readouterr()
    assert "1 entry from 1 file" in said.out
    assert "lacks gone" in said.err


def test_what_a_folder_holds_beside_memory_is_no_failure(fresh, capsys):
    (fresh.parent / "notes").mkdir()
    (fresh.parent / "notes" / "README.txt").write_text("words", encoding="utf-8")
    (fresh / "config.toml").write_text('memory = ["notes"]\n', encoding="utf-8")
    assert rebuilt(capsys)["skipped"][0]["file"] == "notes/README.txt"
    assert status(capsys) == (0, {**status(capsys)[1], "stale": [], "unread": []})


def test_a_memory_of_nothing_says_how_to_begin(here, capsys):
    (here / ".mem").mkdir()
    assert main(["index", "rebuild"]) == 0
    assert "mem record" in capsys.readouterr().err


def test_other_settings_of_a_part_make_the_index_stale(fresh, capsys, monkeypatch):
    monkeypatch.setenv("MEM_TOKENS", "plain")
    code, found = status(capsys)
    assert code == 1
    assert "lexical" in found["stale"][0]


def test_status_without_an_index_fails(here, capsys):
    (here / ".mem").mkdir()
    code, found = status(capsys)
    assert code == 2
    assert found["entries"] == 0
    assert main(["index", "status"]) == 2
    assert "mem index rebuild" in capsys.readouterr().err


def test_status_for_people_says_why_it_is_stale(fresh, capsys):
    append(fresh / "journal.jsonl", login("more"))
    assert main(["index", "status"]) == 1
    out = capsys.readouterr().out
    assert "stale       yes" in out
    assert ".mem/journal.jsonl: has changed" in out


def test_status_counts_tools_whose_rules_match_nothing(here, capsys):
    known = login()
    odd = login("odd", signature=known.signature._replace(rule="npm:unmatched"))
    indexed([known, odd], here / "out")
    code, found = status(capsys, "--index", "out")
    assert (code, found["unmatched"]) == (0, {"npm": 1})


def test_drift_is_counted_for_entries_of_our_own_journal(here, capsys):
    odd = sign("the moon is down", "npm", rule="npm:a-rule-that-is-no-more")
    kept = sign("the sun is down", "npm", rule="npm:code")
    remembering(
        here, [login(), login("odd", signature=odd), login("kept", signature=kept)], index=False
    )
    assert rebuilt(capsys)["unmatched"] == {"npm": 1}
    assert status(capsys)[1]["unmatched"] == {"npm": 1}
    assert main(["index", "rebuild"]) == 0
    assert "npm: 1 time; has its output changed?" in capsys.readouterr().out


def test_a_rebuild_under_other_rules_says_what_moved(here, capsys, monkeypatch):
    mem_dir = remembering(here)
    with monkeypatch.context() as other:
        word = Step("host", re.compile(r"registry\.example"), "<HOST>", "x", "<HOST>", "y")
        normalise = importlib.import_module("indexing.signature.normalise")
        other.setattr(normalise, "STEPS", (*STEPS, word))
        for module in ("indexing.recipe", "indexing.build"):
            other.setattr(f"{module}.ruleset_digest", lambda: "0" * 16)
        assert main(["index", "rebuild", "--json"]) == 0
        assert main(["lookup", "--title", "package"]) == 0
    capsys.readouterr()
    assert main(["lookup", "--title", "package"]) == 2  # made with other rules
    assert "signature rules" in capsys.readouterr().err
    assert status(capsys)[0] == 1
    assert main(["index", "rebuild"]) == 0
    out = capsys.readouterr().out
    assert "hashes moved by today's rules: 1" in out
    assert "what moved them: 1" in out
    assert main(["lookup", "--title", "package"]) == 0
    assert mem_dir.is_dir()


def test_a_whole_index_verifies(fresh, capsys):
    assert main(["index", "verify"]) == 0
    assert "whole" in capsys.readouterr().out
    assert main(["index", "verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []


def test_a_damaged_index_does_not_verify(fresh, capsys):
    generation = (fresh / "index" / "CURRENT").read_text().strip()
    rows = fresh / "index" / generation / "rows.jsonl"
    rows.write_bytes(rows.read_bytes().replace(b"npm", b"nmp"))
    assert main(["index", "verify"]) == 2
    assert "rows.jsonl" in capsys.readouterr().out
    assert main(["index", "verify", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["problems"]


def test_memory_cannot_steer_the_terminal_through_the_report(here, capsys):
    remembering(here, [login(f"a\x1b[2J{RAW[:3]}"), login(f"a\x1b[2J{RAW[:3]}")], index=False)
    assert main(["index", "rebuild"]) == 0
    assert "\x1b" not in capsys.readouterr().out
