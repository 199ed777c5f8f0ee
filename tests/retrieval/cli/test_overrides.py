import json
import subprocess
from pathlib import Path

import pytest
from commands import clean_environment, mem

from indexing.signature import extract
from retrieval import Memory, Query
from retrieval.cli import main

NOT_FOUND = "npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.example/ui-kit\n"
DENIED = "npm error code E401\nnpm error 401 Unauthorized - GET https://registry.example/ui-kit\n"
REFUSED = (
    "connecting to {0}\nTraceback (most recent call last):\n"
    '  File "/srv/shop/{1}", line 7, in <module>\n'
    "ConnectionRefusedError: [Errno 111] Connection refused\n"
)
OTHER = "error[E0308]: mismatched types\n --> src/main.rs:3:5\n"


@pytest.fixture
def project(here: Path) -> Path:
    logs = {
        "404.log": NOT_FOUND,
        "401.log": DENIED,
        "redis.log": REFUSED.format("redis", "job.py"),
        "postgres.log": REFUSED.format("postgres", "job.py"),
        "other.log": OTHER,
        "green.log": "3 passed in 0.12s\n",
    }
    for name, text in logs.items():
        (here / name).write_text(text, encoding="utf-8")
    assert main(["init"]) == 0
    return here


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def found(log: str) -> list[tuple[str, str, int]]:
    hits = Memory.open().lookup(Query(Path(log).read_bytes()))
    return [(hit.entry.lesson.fix, hit.tier, hit.score) for hit in hits]


def explained(capsys: pytest.CaptureFixture[str], log: str) -> list[dict[str, object]]:
    return list(run(capsys, "sig", "explain", log)["overrides"])


def record(log: str, fix: str) -> None:
    assert main(["record", "--log", log, "--fix", fix]) == 0


def test_b046_what_is_aliased_is_found_at_once_and_after_a_rebuild(project, capsys):
    record("404.log", "npm login")
    assert ("npm login", "exact", 100) not in found("401.log")
    run(capsys, "sig", "alias", "404.log", "401.log")
    assert found("401.log") == [("npm login", "exact", 100)]
    assert main(["index", "rebuild"]) == 0
    third = f"2026-03-04T10:22:31Z {DENIED}"
    (project / "third.log").write_text(third, encoding="utf-8")
    assert found("third.log") == [("npm login", "exact", 100)]
    assert ("npm login", "exact", 100) not in found("other.log")


def test_the_hit_says_that_it_is_an_alias(project, capsys):
    record("404.log", "npm login")
    run(capsys, "sig", "alias", "404.log", "401.log")
    [hit] = run(capsys, "lookup", "401.log")["hits"]
    assert hit["why"]["note"].startswith("alias: ")
    assert hit["why"]["same_signature"] is False
    assert main(["lookup", "401.log"]) == 0
    assert "alias: one failure, decided 20" in capsys.readouterr().out


def test_a_split_parts_what_was_recorded_with_and_without_the_text(project, capsys):
    run(capsys, "sig", "split", "redis.log", "postgres.log", "--by", "redis")
    record("redis.log", "start redis")
    record("postgres.log", "start postgres")
    exact = {log: [f for f, tier, _ in found(log) if tier == "exact"] for log in
             ("redis.log", "postgres.log")}  # fmt: skip
    assert exact == {"redis.log": ["start redis"], "postgres.log": ["start postgres"]}


def test_the_other_half_is_no_sure_answer_and_says_so(project, capsys):
    record("postgres.log", "start postgres")
    run(capsys, "sig", "split", "redis.log", "postgres.log", "--by", "redis")
    hits = run(capsys, "lookup", "postgres.log")["hits"]
    assert hits[0]["why"]["note"] == "split: neither holds 'redis'"
    hits = run(capsys, "lookup", "redis.log")["hits"]
    assert [hit["tier"] for hit in hits] == ["lexical"]
    assert hits[0]["why"]["note"] == "split: decided to be another failure"


def test_a_split_by_a_file(project, capsys):
    (project / "auth.log").write_text(REFUSED.format("db", "auth.py"), encoding="utf-8")
    (project / "oauth.log").write_text(REFUSED.format("db", "oauth.py"), encoding="utf-8")
    same = {extract((project / name).read_bytes()).sig_sha for name in ("auth.log", "oauth.log")}
    if len(same) == 1:
        run(capsys, "sig", "split", "auth.log", "oauth.log", "--file", "src/auth.py")
    else:
        run(capsys, "sig", "split", "auth.log", "--file", "src/auth.py")
    [told] = explained(capsys, "auth.log")
    assert (told["by"], told["found"]) == ({"file": "auth.py"}, True)


def test_b047_explain_says_who_decided_what_and_when(project, capsys):
    made = run(capsys, "sig", "alias", "404.log", "401.log", "--note", "the token")
    [told] = explained(capsys, "401.log")
    theirs = extract(NOT_FOUND)
    assert (told["id"], told["op"], told["note"]) == (made["id"], "alias", "the token")
    assert str(told["at"]).startswith("20")
    assert told["with"]["normalised"] == theirs.normalised
    assert told["key"] == explained(capsys, "404.log")[0]["key"]
    assert main(["sig", "explain", "401.log"]) == 0
    out = capsys.readouterr().out
    for text in (told["id"], told["at"], theirs.sig_sha, theirs.normalised, "the token"):
        assert str(text) in out
    assert explained(capsys, "other.log") == []


def test_explain_of_a_split_says_which_half(project, capsys):
    run(capsys, "sig", "split", "redis.log", "postgres.log", "--by", "redis")
    [ours], [theirs] = (explained(capsys, log) for log in ("redis.log", "postgres.log"))
    assert (ours["found"], theirs["found"]) == (True, False)
    assert ours["key"] != theirs["key"] == extract(REFUSED.format("x", "job.py")).sig_sha
    assert main(["sig", "explain", "redis.log"]) == 0
    assert "holds text 'redis'" in capsys.readouterr().out


def test_diff_follows_what_was_decided(project, capsys):
    assert main(["sig", "diff", "404.log", "401.log"]) == 1
    assert main(["sig", "diff", "redis.log", "postgres.log"]) == 0
    alias = run(capsys, "sig", "alias", "404.log", "401.log")
    split = run(capsys, "sig", "split", "redis.log", "postgres.log", "--by", "redis")
    told = run(capsys, "sig", "diff", "404.log", "401.log")
    assert (told["same"], told["override"]["id"]) == (True, alias["id"])
    assert main(["sig", "diff", "redis.log", "postgres.log"]) == 1
    out = capsys.readouterr().out
    assert f"split {split['id']}" in out
    assert "does not hold text 'redis'" in out


def test_a_memory_may_be_named_by_its_hash(project, capsys):
    record("404.log", "npm login")
    prefix = extract(NOT_FOUND).sig_sha[:8]
    run(capsys, "sig", "alias", prefix.upper(), "401.log")
    assert found("401.log") == [("npm login", "exact", 100)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["alias", "404.log", "0123456789ab"], "no memory has such a signature"),
        (["alias", "404.log", "0123456"], "cannot be read"),
        (["alias", "404.log", "gone.log"], "gone.log"),
        (["alias", "404.log", "green.log"], "holds no failure"),
        (["split", "404.log", "401.log", "--by", "E404"], "two failures already"),
        (["split", "redis.log", "postgres.log", "--by", "Errno 111"], "in both"),
        (["split", "redis.log", "postgres.log", "--by", "mysql"], "in neither"),
        (["split", "redis.log", "--by", " "], "almost any log"),
        (["unalias", "01ABC"], "there is none"),
        (["unsplit", "01ABC"], "there is none"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_one_line(words, said, project, capsys):
    record("404.log", "npm login")
    capsys.readouterr()
    assert main(["sig", *words]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not (project / ".mem" / "overrides.jsonl").exists()


def test_what_is_one_already_is_not_written_again(project, capsys):
    assert run(capsys, "sig", "alias", "404.log", "404.log")["id"] is None
    run(capsys, "sig", "alias", "404.log", "401.log")
    before = (project / ".mem" / "overrides.jsonl").read_bytes()
    assert run(capsys, "sig", "alias", "401.log", "404.log")["id"] is None
    assert (project / ".mem" / "overrides.jsonl").read_bytes() == before


def test_halves_are_not_aliased_while_they_are_split(project, capsys):
    split = run(capsys, "sig", "split", "redis.log", "postgres.log", "--by", "redis")
    assert main(["sig", "alias", "redis.log", "postgres.log"]) == 2
    assert "unsplit" in capsys.readouterr().err
    run(capsys, "sig", "unsplit", str(split["id"]))
    assert main(["sig", "diff", "redis.log", "postgres.log"]) == 0


def test_decisions_are_listed_and_taken_back(project, capsys):
    assert main(["sig", "overrides"]) == 1
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "config", "user.name", "Nora"], check=True)
    record("404.log", "npm login")
    made = run(capsys, "sig", "alias", "404.log", "401.log", "--note", "the token")
    told = run(capsys, "sig", "overrides")
    assert (told["id"], told["who"], told["note"]) == (made["id"], "Nora", "the token")
    assert [side["raw"] for side in told["sides"]] == [
        extract(text).raw for text in (NOT_FOUND, DENIED)
    ]
    run(capsys, "sig", "unalias", str(made["id"])[:26])
    assert ("npm login", "exact", 100) not in found("401.log")
    assert run(capsys, "sig", "overrides")["revoked"]
    assert main(["sig", "overrides"]) == 0
    out = capsys.readouterr().out
    assert "by Nora, revoked 20" in out
    assert "the token" in out


def test_a_memory_held_open_notices_a_decision(project, capsys):
    record("404.log", "npm login")
    memory = Memory.open()
    query = Query(DENIED, title="")
    assert [hit.tier for hit in memory.lookup(query)] != ["exact"]
    made = run(capsys, "sig", "alias", "404.log", "401.log")
    assert [hit.tier for hit in memory.lookup(query)] == ["exact"]
    run(capsys, "sig", "unalias", str(made["id"]))
    assert [hit.tier for hit in memory.lookup(query)] != ["exact"]
    (project / ".mem" / "overrides.jsonl").unlink()
    assert memory.overrides is None


def test_a_damaged_line_is_told_and_costs_no_answer(project, capsys):
    record("404.log", "npm login")
    run(capsys, "sig", "alias", "404.log", "401.log")
    with (project / ".mem" / "overrides.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"op":"ali')
    for words in (["lookup", "401.log"], ["sig", "explain", "401.log"], ["sig", "overrides"]):
        capsys.readouterr()
        assert main(words) == 0
        said = capsys.readouterr()
        assert said.out
        assert "overrides.jsonl:2: " in said.err


def test_the_index_is_the_same_with_and_without_decisions(project, capsys):
    record("404.log", "npm login")
    before = run(capsys, "index", "rebuild")["generation"]
    run(capsys, "sig", "alias", "404.log", "401.log")
    assert run(capsys, "index", "rebuild")["generation"] == before
    assert main(["index", "status"]) == 0
    assert main(["index", "rebuild", "--memory", ".mem"]) == 0
    assert "1 entry" in capsys.readouterr().out


def test_what_run_saw_keeps_its_half_for_a_lesson_that_comes_later(project, capsys):
    run(capsys, "sig", "split", "redis.log", "postgres.log", "--by", "redis")
    for log, fix in (("redis.log", "start redis"), ("postgres.log", "start postgres")):
        script = f"cat {log}; exit 1"
        assert mem("run", "--", "sh", "-c", script, cwd=project).returncode == 1
        assert mem("record", "--last", "--fix", fix, cwd=project).returncode == 0
    for log, fix in (("redis.log", "start redis"), ("postgres.log", "start postgres")):
        assert [each for each, tier, _ in found(log) if tier == "exact"] == [fix]


def test_a_decision_stands_in_a_file_that_git_sees(project, capsys):
    run(capsys, "sig", "alias", "404.log", "401.log")
    subprocess.run(["git", "init", "-q"], check=True)
    listed = subprocess.run(
        ["git", "status", "--short", "-uall", ".mem"],
        capture_output=True, text=True, check=True, env=clean_environment(),
    ).stdout  # fmt: skip
    assert "overrides.jsonl\n" in listed
    assert ".lock" not in listed


def test_memory_text_cannot_steer_the_terminal(project, capsys):
    run(capsys, "sig", "alias", "404.log", "401.log", "--note", "a\x1b[2Jb")
    for words in (["sig", "overrides"], ["sig", "explain", "401.log"]):
        assert main(words) == 0
        assert "\x1b" not in capsys.readouterr().out
