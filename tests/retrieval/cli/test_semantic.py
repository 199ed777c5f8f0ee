"""`--semantic` on the command line, with a real model."""

import json
import subprocess
import sys

import datasets
import pytest
from commands import LOG, RAW, clean_environment, login
from memories import entry, journal
from models import MINILM

from retrieval.cli import main

ENTRIES = [
    login(),
    entry("session", "Users are signed out after renewing their session", kind="note"),
    entry("colour", "The header has the wrong shade of blue", kind="note"),
]
ASKED = ("--title", "People get logged off when a login is renewed")

SCRIPT = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
from retrieval.cli import main
code = main({words!r})
print(code, *sorted(name for name in ("torch", "faiss") if sys.modules.get(name)), file=sys.stderr)
"""
LIBRARIES = ("sentence_transformers", "faiss", "torch", "huggingface_hub", "transformers")


@pytest.fixture
def known(here, monkeypatch):
    assert main(["init"]) == 0
    monkeypatch.setenv("MEM_SEMANTIC_MODEL", str(MINILM))
    journal(here / ".mem" / "journal.jsonl", ENTRIES)
    (here / "a.log").write_text(LOG, encoding="utf-8")
    return here


@pytest.fixture
def vectored(known, capsys):
    assert main(["index", "rebuild", "--semantic"]) == 0
    capsys.readouterr()
    return known


def answered(capsys, *words):
    code = main([*words, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def in_a_process(*words, missing=(), **environment):
    """The exit code, stdout, and stderr with the heavy libraries that were loaded as its end."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(words=list(words), missing=missing)],
        capture_output=True,
        text=True,
        env={**clean_environment(), "MEM_SEMANTIC_MODEL": str(MINILM), **environment},
        check=True,
    )
    *said, last = done.stderr.splitlines()
    code, *loaded = last.split()
    return int(code), done.stdout, said, loaded


def test_an_index_with_vectors_finds_what_says_the_same(vectored, capsys):
    code, found, err = answered(capsys, "lookup", *ASKED, "--semantic")

    assert (code, err) == (0, "")
    [first, *_] = found["hits"]
    assert (first["entry"]["id"], first["tier"]) == ("session", "semantic")
    assert first["why"]["vectors"] > 0.7
    assert answered(capsys, "lookup", *ASKED)[0] == 1


def test_the_block_and_the_settings_know_it_too(vectored, capsys, monkeypatch):
    assert main(["context", *ASKED, "--semantic"]) == 0
    shown = capsys.readouterr().out
    assert "signed out" in shown

    monkeypatch.setenv("MEM_SEMANTIC", "1")
    assert main(["context", *ASKED]) == 0
    assert capsys.readouterr().out == shown
    assert main(["context", *ASKED, "--no-semantic"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["index", "status"]) == 0


def test_an_index_without_vectors_is_refused_with_what_mends_it(known, capsys):
    assert main(["index", "rebuild"]) == 0
    capsys.readouterr()

    code, found, err = answered(capsys, "lookup", *ASKED, "--semantic")

    assert (code, found) == (2, None)
    assert "the index was made without vectors; run `mem index rebuild --semantic`" in err


def test_an_update_that_is_asked_for_vectors_makes_them(known, capsys):
    assert main(["index", "rebuild"]) == 0
    assert main(["index", "update", "--semantic"]) == 0
    capsys.readouterr()

    code, found, _ = answered(capsys, "lookup", *ASKED, "--semantic")

    assert (code, found["hits"][0]["entry"]["id"]) == (0, "session")


def test_vectors_are_there_to_be_missed(vectored, capsys, monkeypatch):
    monkeypatch.setenv("MEM_SEMANTIC", "1")
    assert main(["index", "rebuild", "--no-semantic"]) == 0
    capsys.readouterr()

    code, found, err = answered(capsys, "lookup", "--title", "The header has the wrong blue")
    assert (code, found["hits"][0]["entry"]["id"]) == (0, "colour")
    assert "without vectors" in err

    code, found, _ = answered(capsys, "index", "status")
    assert code == 1
    assert "'semantic'" in found["stale"][0]


def test_torch_is_loaded_for_a_question_of_the_third_tier_alone(vectored):
    code, _, _, loaded = in_a_process("lookup", *ASKED, "--semantic")
    assert (code, loaded) == (0, ["faiss", "torch"])
    assert in_a_process("lookup", *ASKED)[3] == []
    # what is known for certain needs no vectors
    code, out, _, loaded = in_a_process("lookup", "a.log", "--semantic", "--json")
    assert (code, loaded) == (0, [])
    assert json.loads(out)["signature"]["raw"] == RAW


def test_without_the_extra_the_other_tiers_answer_the_same(vectored):
    words = ("lookup", "--title", "The header has the wrong blue", "--json")

    def answer(*more, **given):
        _, out, said, _ = in_a_process(*words, *more, **given)
        return json.loads(out)["hits"], said

    plain = answer("--no-semantic", missing=LIBRARIES)
    lacking = answer(missing=LIBRARIES, MEM_SEMANTIC="1")

    assert plain == answer() == answer("--no-semantic", MEM_SEMANTIC="1")
    assert plain[0] and lacking[0] == plain[0]
    assert "pip install 'oncebitten[semantic]'" in lacking[1][0]


def test_without_the_extra_what_asks_for_it_names_the_command(vectored):
    journal(vectored / ".mem" / "journal.jsonl", [entry("new", "Nobody said this yet")])
    for words in (("lookup", *ASKED, "--semantic"), ("index", "rebuild", "--semantic")):
        code, out, said, _ = in_a_process(*words, missing=LIBRARIES)
        assert (code, out) == (2, "")
        assert "is not installed; pip install 'oncebitten[semantic]'" in said[-1]


def test_what_is_recorded_is_found_without_the_extra(known):
    lacking = {"missing": LIBRARIES, "MEM_SEMANTIC": "1"}
    code, _, said, _ = in_a_process("record", "--title", "The header moved", **lacking)
    assert (code, said[-1].split(",")[0]) == (0, "mem record: the index was rebuilt")

    code, out, _, _ = in_a_process("lookup", "--title", "The header moved", "--json", **lacking)
    assert (code, json.loads(out)["hits"][0]["entry"]["title"]) == (0, "The header moved")


def test_a_model_that_is_nowhere_is_named(known, capsys, monkeypatch):
    monkeypatch.setenv("MEM_SEMANTIC_MODEL", "nobody/has-this")
    code, found, err = answered(capsys, "index", "rebuild", "--semantic")

    assert (code, found) == (2, None)
    assert "semantic_model: 'nobody/has-this' is no folder" in err


def test_what_vectors_add_is_measured(known, capsys):
    folder = datasets.dataset(
        known / "small",
        [
            datasets.document(0, "Users are signed out after renewing their session"),
            datasets.document(1, "The login header has the wrong shade of blue"),
        ],
        [datasets.question(3, "Everybody gets logged out when their login is refreshed")],
        {"q3": "d0"},
    )

    def measured(*words):
        code, found, _ = answered(capsys, "eval", str(folder), *words)
        assert code == 0
        return found["run"], found["measures"]["R@1"]["mean"]

    assert measured() == ("fields", 0.0)
    assert measured("--semantic", "--vectors", "kept") == ("fields+vectors", 1.0)
    assert measured("--tiers", "exact,semantic", "--vectors", "kept") == ("fields+vectors", 1.0)
    assert measured("--tiers", "exact,semantic", "--no-semantic")[0] == "exact"
    assert len(list((known / "kept").iterdir())) == 1
