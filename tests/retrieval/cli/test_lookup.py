import json
import shutil

import pytest
from commands import LOG, RAW, UNKNOWN_LOG, login, mem, remembering
from memories import tree

from indexing.entry import Lesson
from indexing.journal import append
from indexing.stores.generations import name_of
from retrieval.cli import main
from retrieval.cli.ask import file_list


def asked(capsys, *words):
    code = main(["lookup", "--json", *words])
    [line] = capsys.readouterr().out.splitlines()
    return code, json.loads(line)


@pytest.fixture
def known(here):
    files = ("src/auth.py",)
    other = login("other", title="token refresh fails", signature=None, files=files, kind="note")
    other = other._replace(lesson=Lesson(fix="refresh under a lock"))
    remembering(here, [login(), other])
    (here / "a.log").write_text(LOG, encoding="utf-8")
    (here / "unknown.log").write_text(UNKNOWN_LOG, encoding="utf-8")
    return here


def test_a_log_finds_the_failure_met_before(known, capsys):
    code, found = asked(capsys, "a.log")
    assert code == 0
    assert list(found) == ["signature", "hits", "took_ms"]
    assert found["signature"]["raw"] == RAW
    first = found["hits"][0]
    assert (first["rank"], first["tier"], first["score"]) == (1, "exact", 100)
    assert first["entry"]["id"] == "login"
    assert first["entry"]["lesson"]["fix"] == "npm login"
    assert first["entry"]["source"]["file"] == ".mem/journal.jsonl"
    assert first["why"]["same_signature"] is True
    assert found["took_ms"] > 0


def test_a_log_nobody_met_finds_nothing(known, capsys):
    code, found = asked(capsys, "unknown.log")
    assert code == 1
    assert found["hits"] == []
    assert found["signature"]["tool"] == "cargo"


def test_an_issue_finds_what_is_like_it(known, capsys):
    words = ("--title", "Token refresh fails after logout", "--files", "src/auth.py,src/b.py")
    code, found = asked(capsys, *words)
    assert code == 0
    assert found["signature"] is None
    assert found["hits"][0]["entry"]["id"] == "other"
    assert found["hits"][0]["why"]["files"] == ["src/auth.py"]


def test_k_is_the_most_that_is_shown(known, capsys):
    title = "private package is not found, token refresh fails"
    assert len(asked(capsys, "--title", title)[1]["hits"]) == 2
    assert len(asked(capsys, "--title", title, "-k", "1")[1]["hits"]) == 1


@pytest.mark.parametrize("k", ["0", "-1", "many"])
def test_so_many_hits_cannot_be_shown(k, known, capsys):
    assert main(["lookup", "a.log", "-k", k]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"-k: expected a whole number from 1, found '{k}'" in said.err


def damaged(project):
    index = project / ".mem" / "index"
    keys = index / (index / "CURRENT").read_text().strip() / "signatures.keys"
    keys.write_bytes(bytes(keys.stat().st_size))


def foreign(project):
    index = project / ".mem" / "index"
    manifest = index / (index / "CURRENT").read_text().strip() / "manifest.json"
    told = json.loads(manifest.read_text())
    text = json.dumps(told | {"format": 99}).encode()
    manifest.write_bytes(text)
    manifest.parent.rename(index / name_of(text))
    (index / "CURRENT").write_text(name_of(text) + "\n")


def removed(project):
    shutil.rmtree(project / ".mem" / "index")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [(damaged, "checksum"), (foreign, "has format 99"), (removed, "no index here")],
)
def test_without_a_whole_index_memory_files_still_answer(spoil, why, known, capsys):
    append(known / ".mem" / "journal.jsonl", login("later", captured_at="2026-05-01T00:00:00Z"))
    main(["index", "rebuild"])
    capsys.readouterr()
    expected = asked(capsys, "a.log")[1]["hits"]
    spoil(known)
    before = tree(known / ".mem")

    code = main(["lookup", "--json", "a.log"])

    said = capsys.readouterr()
    assert code == 0
    assert json.loads(said.out)["hits"] == expected
    assert said.err.count("\n") == 1
    assert why in said.err
    assert "run `mem index rebuild`. Until then" in said.err
    assert tree(known / ".mem") == before


def test_what_the_first_tier_alone_cannot_tell_stays_an_error(known, capsys):
    damaged(known)
    for words in (["unknown.log"], ["--title", "token refresh fails"]):
        assert main(["lookup", *words]) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
        assert "run `mem index rebuild`" in said.err


def test_of_another_index_the_memory_is_not_known(known, capsys):
    damaged(known)
    assert main(["lookup", "a.log", "--index", ".mem/index"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "run `mem index rebuild`" in said.err
    assert main(["index", "rebuild"]) == 0
    assert main(["lookup", "a.log"]) == 0


@pytest.mark.parametrize(
    "spelt", ["./src/auth.py", "src//auth.py", "src\\auth.py", "x/../src/auth.py"]
)
def test_a_file_is_known_however_it_is_spelt(spelt, known, capsys):
    found = asked(capsys, "--title", "Token refresh fails", "--files", spelt)[1]
    assert found["hits"][0]["why"]["files"] == ["src/auth.py"]


def test_the_scorer_can_be_named(known, capsys):
    title = ("--title", "token refresh fails")
    assert asked(capsys, *title, "--scorer", "tokens")[0] == 0
    assert main(["lookup", *title, "--scorer", "magic"]) == 2


def test_a_tool_given_is_part_of_the_identity(known, capsys):
    found = asked(capsys, "a.log", "--tool", "npm")[1]
    assert found["hits"][0]["score"] == 100
    found = asked(capsys, "a.log", "--tool", "our-wrapper")[1]
    assert found["signature"]["tool"] == "our-wrapper"
    assert found["hits"][0]["why"]["note"]


@pytest.mark.parametrize("words", [[], ["-"]])
def test_stdin_is_a_log(words, known):
    done = mem("lookup", "--json", *words, cwd=known, input=LOG.encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["hits"][0]["entry"]["id"] == "login"


def test_stdin_can_be_the_issue_s_text(known):
    words = ("lookup", "--json", "--title", "Login", "--body", "-")
    done = mem(*words, cwd=known, input=b"the private package is not found")
    found = json.loads(done.stdout)
    assert found["signature"] is None
    assert found["hits"][0]["entry"]["id"] == "login"


def test_stdin_is_left_alone_where_a_title_is_given(known):
    done = mem("lookup", "--json", "--title", "zebra", cwd=known, input=LOG.encode())
    assert (done.returncode, json.loads(done.stdout)["hits"]) == (1, [])


def test_people_read_the_fix_on_stdout(known, capsys):
    assert main(["lookup", "a.log"]) == 0
    said = capsys.readouterr()
    assert "npm login" in said.out
    assert "\x1b" not in said.out
    assert said.err == ""


def test_that_nothing_is_known_is_a_word_about_the_result(known, capsys):
    assert main(["lookup", "unknown.log"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "Nothing is known" in said.err


def test_another_index_can_be_named_without_any_memory_here(known, tmp_path, capsys, monkeypatch):
    log = known / "a.log"
    monkeypatch.chdir(tmp_path)
    code, found = asked(capsys, str(log), "--index", str(known / ".mem" / "index"))
    assert (code, found["hits"][0]["entry"]["id"]) == (0, "login")


def test_memory_is_found_from_a_folder_below(known, capsys, monkeypatch):
    (known / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(known / "src" / "deep")
    assert asked(capsys, str(known / "a.log"))[0] == 0


def test_a_log_that_is_not_there_is_named(known, capsys):
    assert main(["lookup", "gone.log"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "gone.log" in said.err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (None, None),
        ([""], ()),
        (["a.py,b.py"], ("a.py", "b.py")),
        (["a.py, b.py,", "c.py"], ("a.py", "b.py", "c.py")),
    ],
)
def test_files_not_given_are_unknown_which_is_not_none(given, meant):
    assert file_list(given) == meant
