"""`mem learn`, from a folder to a hit."""

import json
import shutil
from pathlib import Path

import pytest

from retrieval.cli import main

LOOPS = Path(__file__).parent.parent.parent.parent / "fixtures" / "loops"
FAILS = "npm error code EUSAGE\nnpm error Missing: kleur@4.1.5 from lock file\n"


@pytest.fixture
def mem_dir(here):
    folder = here / ".mem"
    folder.mkdir()
    return folder


@pytest.fixture
def attempts(here):
    return shutil.copy(LOOPS / "attempts" / "attempts.jsonl", here / "attempts.jsonl")


def test_what_was_learnt_is_found_at_once(mem_dir, here, attempts, capsys):
    assert main(["learn", "attempts.jsonl"]) == 0
    said = capsys.readouterr()
    assert "npm install --package-lock-only" in said.out
    assert "2 new, 2 findings, 2 loops recorded" in said.err
    (here / "ci.log").write_text(FAILS, encoding="utf-8")
    assert main(["lookup", "--json", "ci.log"]) == 0
    [hit] = json.loads(capsys.readouterr().out)["hits"]
    assert hit["tier"] == "exact"
    assert hit["entry"]["lesson"]["fix"] == "Run `npm install --package-lock-only`"


def test_a_dry_run_records_nothing(mem_dir, attempts, capsys):
    assert main(["learn", "attempts.jsonl", "--dry-run", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["kind"] for each in told] == ["error_pattern", "anti_pattern"]
    assert not any(each["stored"] for each in told)
    assert list(mem_dir.iterdir()) == []


def test_only_the_wanted_types_are_learnt(mem_dir, attempts, capsys):
    assert main(["learn", "attempts.jsonl", "--types", "anti", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["kind"] for each in told] == ["anti_pattern"]


def test_all_takes_the_histories_of_the_known_places(mem_dir, here, capsys):
    shutil.copytree(LOOPS / "aiwg_debug", here / ".aiwg" / "ralph")
    assert main(["learn", "--all", "--types", "error"]) == 0
    assert "Look the country up by its key" in capsys.readouterr().out


@pytest.mark.parametrize("place", [".claude", ".config/claude", "told"])
def test_all_takes_the_transcripts_of_this_project_only(mem_dir, here, capsys, monkeypatch, place):
    home = here.parent / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "told"))
    projects = home / place / "projects"
    ours = "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in str(here))
    for name in (ours, "-another-project"):
        (projects / name).mkdir(parents=True)
    shutil.copy(LOOPS / "claude_code" / "session.jsonl", projects / ours)
    (projects / "-another-project" / "s.jsonl").write_text("{", encoding="utf-8")
    assert main(["learn", "--all", "--types", "error"]) == 0
    said = capsys.readouterr()
    assert "net + net * rate" in said.out
    assert "another-project" not in said.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "nothing is named"),
        (["gone.jsonl"], "is not there"),
        (["."], "holds no loop history"),
        (["--types", "errors", "."], "there is no 'errors'"),
    ],
)
def test_a_mistake_is_told_in_a_line(mem_dir, words, why, capsys):
    assert main(["learn", *words]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


def test_a_history_with_nothing_to_learn_answers_1(mem_dir, here, capsys):
    (here / "attempts.jsonl").write_text('{"command":"make","exit_code":0}\n', encoding="utf-8")
    assert main(["learn", "attempts.jsonl"]) == 1
    assert "a fix counts once its command passed again" in capsys.readouterr().err


def test_a_broken_line_is_named_with_its_place(mem_dir, here, capsys):
    text = '{"command":"make","exit_code":2\n{"command":"make","exit_code":0}\n'
    (here / "attempts.jsonl").write_text(text, encoding="utf-8")
    main(["learn", "attempts.jsonl"])
    assert "attempts.jsonl:1:" in capsys.readouterr().err
