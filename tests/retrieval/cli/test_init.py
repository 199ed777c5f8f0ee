import hashlib
import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from indexing.settings import Settings, load
from retrieval.cli import main
from retrieval.cli.init import _spellings


@pytest.fixture
def repository(here: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(here)], check=True)
    return here


def origin(folder: Path, url: str) -> None:
    subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", url], check=True)


def shipwright(name: str) -> Path:
    folder = Path.home() / ".shipwright" / "memory" / name
    folder.mkdir(parents=True)
    failure = {"stage": "test", "pattern": "error: x", "root_cause": "", "fix": "y"}
    text = json.dumps(
        {"failures": [{**failure, "seen_count": 1, "last_seen": "2026-01-01T00:00:00Z"}]}
    )
    (folder / "failures.json").write_text(text, encoding="utf-8")
    return folder


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def made(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["init", "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_init_makes_a_memory_that_can_be_used(here, capsys):
    told = made(capsys)
    assert told["created"] == ["config.toml", ".gitignore", ".gitattributes"]
    assert told["mem_dir"] == str(here / ".mem")
    assert main(["record", "--title", "x"]) == 0
    assert main(["lookup", "--title", "x"]) in (0, 1)


def test_settings_are_written_as_comments_with_their_defaults(here, capsys):
    made(capsys)
    text = (here / ".mem" / "config.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"memory": []}
    uncommented = "\n".join(
        line[2:] if line.startswith("# ") and " = " in line else line for line in text.splitlines()
    )
    (here / ".mem" / "config.toml").write_text(uncommented, encoding="utf-8")
    assert load(here / ".mem", {}) == Settings()
    assert set(tomllib.loads(uncommented)) == set(Settings._fields)
    assert "0..100" in text


def test_derived_files_are_ignored_and_the_journal_is_not(repository, capsys):
    made(capsys)
    main(["record", "--title", "x"])
    (repository / ".mem" / "runs.json").write_text("{}", encoding="utf-8")
    seen = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True
    )
    names = sorted(line[3:] for line in seen.stdout.splitlines())
    assert names == [
        ".mem/.gitattributes",
        ".mem/.gitignore",
        ".mem/config.toml",
        ".mem/journal.jsonl",
    ]


def test_two_branches_of_a_journal_merge_without_a_hand(repository, capsys):
    def git(*words):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", *who, *words], check=True, capture_output=True)

    def record(title):
        assert main(["record", "--title", title]) == 0

    made(capsys)
    record("alpha")
    git("add", "-A")
    git("commit", "-m", "before")
    git("checkout", "-b", "other")
    record("bravo")
    record("charlie")
    git("commit", "-am", "theirs")
    git("checkout", "-")
    record("delta")
    git("commit", "-am", "ours")
    git("merge", "other")
    capsys.readouterr()

    assert main(["index", "rebuild", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)

    assert (report["entries"], report["quarantined"], report["duplicates"]) == (4, [], [])
    for title in ("alpha", "bravo", "charlie", "delta"):
        assert main(["lookup", "--title", title, "--json"]) == 0
        assert title in capsys.readouterr().out


def test_a_second_init_changes_nothing_a_person_wrote(here, capsys):
    made(capsys)
    files = {name: here / ".mem" / name for name in ("config.toml", ".gitignore", ".gitattributes")}
    for name, path in files.items():
        path.write_text(f"# mine: {name}\n", encoding="utf-8")
    assert made(capsys)["created"] == []
    for name, path in files.items():
        assert path.read_text(encoding="utf-8") == f"# mine: {name}\n"


def test_a_memory_file_found_later_is_named_and_not_written(repository, capsys):
    made(capsys)
    before = (repository / ".mem" / "config.toml").read_bytes()
    shipwright(sha("local"))
    assert main(["init"]) == 0
    said = capsys.readouterr()
    assert "is not listed" in said.err
    assert (repository / ".mem" / "config.toml").read_bytes() == before


@pytest.mark.parametrize(
    "hashed",
    [
        "https://git.example/acme/shop",
        "https://git.example/acme/shop.git",
        "git@git.example:acme/shop.git",
        "git@git.example:acme/shop",
        "ssh://git@git.example/acme/shop.git",
        "https://git.example/acme/shop\n",
    ],
)
def test_shipwright_s_folder_is_found_under_any_spelling_of_the_origin(hashed, repository, capsys):
    origin(repository, "git@Git.Example:acme/shop.git")
    shipwright(sha(hashed))
    shipwright(sha("https://git.example/acme/other"))
    told = made(capsys)
    assert told["memory"] == [f"~/.shipwright/memory/{sha(hashed)}"]
    assert load(repository / ".mem", {}).memory == tuple(told["memory"])
    capsys.readouterr()
    assert main(["index", "rebuild"]) == 0
    assert "1 entry" in capsys.readouterr().out


def test_without_an_origin_it_is_the_local_one(repository, capsys):
    shipwright("25bf8e1a2393")  # what Shipwright calls every repository without an origin
    assert made(capsys)["memory"] == ["~/.shipwright/memory/25bf8e1a2393"]


def test_another_repository_s_memory_is_left_alone(repository, capsys):
    origin(repository, "https://git.example/acme/shop")
    shipwright(sha("local"))
    shipwright(sha("https://git.example/acme/shopping"))
    assert made(capsys)["memory"] == []


def test_patterns_of_the_repository_are_found_from_a_folder_below(repository, capsys, monkeypatch):
    patterns = repository / ".aiwg" / "ralph" / "shared" / "patterns"
    patterns.mkdir(parents=True)
    signature = {"error_type": "TypeError", "error_pattern": "x is null"}
    fix = {"description": "check for null first", "fix_category": "add_null_check"}
    pattern = {"pattern_id": "pat-error-x-001", "error_signature": signature, "fix_approach": fix}
    text = json.dumps([pattern])
    (patterns / "error-patterns.json").write_text(text, encoding="utf-8")
    assert made(capsys)["memory"] == [".aiwg/ralph/shared/patterns"]
    (repository / "app").mkdir()
    monkeypatch.chdir(repository / "app")
    assert made(capsys)["memory"] == ["../.aiwg/ralph/shared/patterns"]


def test_an_empty_folder_of_a_known_system_is_not_listed(repository, capsys):
    (repository / ".aiwg" / "ralph" / "shared" / "patterns").mkdir(parents=True)
    assert made(capsys)["memory"] == []


def test_mem_dir_says_where(here, capsys, monkeypatch):
    monkeypatch.setenv("MEM_DIR", str(here / "state"))
    assert made(capsys)["mem_dir"] == str(here / "state")
    assert (here / "state" / "config.toml").exists()


def test_a_file_in_the_way_is_named(here, capsys):
    (here / ".mem").write_bytes(b"")
    assert main(["init"]) == 2
    assert ".mem" in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["", "/srv/git/shop.git", "file:///srv/git/shop", "C:\\shop"])
def test_an_origin_without_a_host_is_taken_as_it_is(odd):
    assert _spellings(odd)[0] == odd
