import hashlib
import json
from pathlib import Path

import pytest
from commands import GREEN_LOG, LOG, RAW, mem

from indexing.signature import explain
from retrieval.cli import main
from retrieval.cli.parting import parting

KEYS = [
    *("file", "tool", "rule", "line", "raw", "joined", "normalised", "sig_sha"),
    *("steps", "skipped", "context", "warnings", "overrides"),
]
GITHUB = (
    "2026-03-04T10:22:31.1234567Z ##[group]Run npm ci\n"
    "2026-03-04T10:22:31.1234567Z ##[endgroup]\n"
    f"2026-03-04T10:22:33.1234567Z {RAW}\n"
    "2026-03-04T10:22:33.1234567Z npm ERR! A complete log of this run can be found in: /x.log\n"
    "2026-03-04T10:22:34.1234567Z ##[error]Process completed with exit code 1.\n"
)


@pytest.fixture
def logs(here: Path) -> Path:
    for name, text in {"a.log": LOG, "ci.log": GITHUB, "green.log": GREEN_LOG}.items():
        (here / name).write_text(text, encoding="utf-8")
    return here


def lines_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_explain_prints_what_the_contract_says(logs, capsys):
    assert main(["sig", "explain", "--json", "a.log"]) == 0
    [found] = lines_of(capsys.readouterr().out)
    assert list(found) == KEYS
    assert found["file"] == "a.log"
    assert (found["tool"], found["line"], found["raw"]) == ("npm", 2, RAW)
    assert str(found["rule"]).startswith("npm:")
    signed = hashlib.sha256(f"{found['tool']}\n{found['normalised']}".encode()).hexdigest()
    assert found["sig_sha"] == signed
    assert all(list(step) == ["name", "before", "after"] for step in found["steps"])


def test_explain_says_which_lines_were_skipped_and_why(logs, capsys):
    main(["sig", "explain", "--json", "ci.log"])
    [found] = lines_of(capsys.readouterr().out)
    why = {skipped["line"]: skipped["why"] for skipped in found["skipped"]}
    assert "npm" in why[4]
    assert "trailer" in why[5]
    assert found["line"] == 3


def test_without_a_failure_the_keys_are_there_and_empty(logs, capsys):
    assert main(["sig", "explain", "--json", "green.log"]) == 1
    [found] = lines_of(capsys.readouterr().out)
    assert list(found) == KEYS
    nothing = ("tool", "rule", "line", "raw", "normalised", "sig_sha")
    assert all(found[key] is None for key in nothing)
    assert (found["joined"], found["steps"], found["context"]) == ([], [], {})


def test_many_files_are_explained_in_their_order(logs, capsys):
    assert main(["sig", "explain", "--json", "ci.log", "green.log", "a.log"]) == 1
    found = lines_of(capsys.readouterr().out)
    assert [each["file"] for each in found] == ["ci.log", "green.log", "a.log"]
    assert found[0]["sig_sha"] == found[2]["sig_sha"]


def test_a_file_that_cannot_be_read_does_not_hide_the_others(logs, capsys):
    (logs / "folder").mkdir()
    assert main(["sig", "explain", "--json", "a.log", "gone.log", "folder", "ci.log"]) == 2
    said = capsys.readouterr()
    assert [each["file"] for each in lines_of(said.out)] == ["a.log", "ci.log"]
    assert "gone.log" in said.err.splitlines()[0]
    assert "folder" in said.err.splitlines()[1]


@pytest.mark.parametrize("words", [[], ["-"]])
def test_stdin_is_read_when_no_file_is_named(words, here):
    done = mem("sig", "explain", "--json", *words, cwd=here, input=LOG.encode())
    [found] = lines_of(done.stdout.decode())
    assert (done.returncode, found["file"], found["raw"]) == (0, "-", RAW)


@pytest.mark.parametrize(
    "output",
    [LOG.encode("utf-16"), LOG.encode("utf-8-sig"), b"\x00\xff\x9d" + LOG.encode() + b"\xee "],
)
def test_logs_are_bytes_in_any_encoding(output, here, capsys):
    (here / "odd.log").write_bytes(output)
    assert main(["sig", "explain", "--json", "odd.log"]) == 0
    assert lines_of(capsys.readouterr().out)[0]["raw"] == RAW


@pytest.mark.parametrize("output", [b"", b"\x00" * 5000, bytes(range(256)) * 40, b"\xff\xfe"])
def test_no_bytes_are_an_error(output, here, capsys):
    (here / "odd.log").write_bytes(output)
    assert main(["sig", "explain", "--json", "odd.log"]) in (0, 1)
    assert list(lines_of(capsys.readouterr().out)[0]) == KEYS


def test_the_middle_of_an_endless_log_is_left_out_and_that_is_said(here, capsys, monkeypatch):
    monkeypatch.setattr("retrieval.cli.streams.LOG_LIMIT", 4000)
    (here / "big.log").write_text("all is well\n" * 5000 + LOG, encoding="utf-8")
    assert main(["sig", "explain", "--json", "big.log"]) == 0
    said = capsys.readouterr()
    [found] = lines_of(said.out)
    assert (found["raw"], found["line"]) == (RAW, 5002)
    assert "big.log" in said.err
    assert "only the lines that tell of a failure" in said.err
    assert "bytes of its middle" in found["warnings"][-1]


def test_of_an_endless_log_the_middle_is_scanned_for_what_tells(here, capsys, monkeypatch):
    monkeypatch.setattr("retrieval.cli.streams.LOG_LIMIT", 40_000)
    dull = "".join(f"[{n}] linked module-{n}.o in {n % 70} ms\n" for n in range(20_000))
    (here / "big.log").write_text(f"{dull}a.c:3:5: error: 'x' undeclared\n{dull}", encoding="utf-8")
    assert main(["sig", "explain", "--json", "big.log"]) == 0
    [found] = lines_of(capsys.readouterr().out)
    assert (found["raw"], found["line"]) == ("a.c:3:5: error: 'x' undeclared", 20_001)


def test_the_caller_s_tool_is_taken_as_given_and_a_silent_rule_set_is_said(here, capsys):
    (here / "odd.log").write_text("error: the moon is down\n", encoding="utf-8")
    assert main(["sig", "explain", "--json", "--tool", "npm", "odd.log"]) == 0
    [found] = lines_of(capsys.readouterr().out)
    assert (found["tool"], found["rule"]) == ("npm", "npm:unmatched")
    assert "npm" in found["warnings"][0]


def test_people_read_the_same_content_without_colours(logs, capsys):
    main(["sig", "explain", "ci.log"])
    out = capsys.readouterr().out
    signature = explain(GITHUB).signature
    for told in (signature.tool, signature.rule, signature.raw, signature.normalised):
        assert told in out
    assert signature.sig_sha in out
    assert "exit_code" in out or "job" in out or not signature.context
    assert "line 4" in out
    assert "\x1b" not in out


def test_joined_lines_are_shown_with_the_reason(here, capsys):
    text = "FAILED tests/test_a.py::test_a - AssertionError\n"
    log = (
        "=================================== FAILURES ===================================\n"
        "____________________________________ test_a ____________________________________\n\n"
        "    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\n"
        "tests/test_a.py:2: AssertionError\n"
        "=========================== short test summary info ============================\n"
        f"{text}1 failed in 0.03s\n"
    )
    assert explain(log).signature.joined, "this log is to have joined lines"
    (here / "test.log").write_text(log, encoding="utf-8")
    main(["sig", "explain", "test.log"])
    out = capsys.readouterr().out
    assert "joined" in out
    assert "cannot tell" in out


def test_colours_come_when_they_are_asked_for(logs, capsys):
    main(["sig", "explain", "--color", "a.log"])
    assert "\x1b[" in capsys.readouterr().out


def test_at_most_twenty_skipped_lines_are_shown_to_people(here, capsys):
    many = "npm ERR! A complete log of this run can be found in: /x.log\n" * 33
    (here / "many.log").write_text(LOG + many, encoding="utf-8")
    skipped = len(explain(LOG + many).skipped)
    assert skipped > 20
    main(["sig", "explain", "many.log"])
    out = capsys.readouterr().out
    assert out.count("line ") <= 22
    assert f"… and {skipped - 20} more" in out


def test_a_log_cannot_steer_the_terminal(here, capsys):
    (here / "evil\x1b[2J.log").write_bytes(
        b"error: \x1b]0;owned\x07 a\x08b \x9b2J \xe2\x80\xae end\n"
    )
    main(["sig", "explain", "evil\x1b[2J.log"])
    out = capsys.readouterr().out
    assert not set(out) & {"\x1b", "\x07", "\x08", "\x9b", "\u202e"}


def test_one_failure_of_two_runs_is_the_same(logs, capsys):
    assert main(["sig", "diff", "a.log", "ci.log"]) == 0
    assert capsys.readouterr().out.startswith(f"same  {explain(LOG).signature.sig_sha}")


def test_diff_of_the_same_as_json(logs, capsys):
    assert main(["sig", "diff", "--json", "a.log", "ci.log"]) == 0
    [found] = lines_of(capsys.readouterr().out)
    sha = explain(LOG).signature.sig_sha
    assert found == {
        "files": ["a.log", "ci.log"],
        "same": True,
        "sig_sha": [sha, sha],
        "parts_at": None,
        "values": [],
        "override": None,
    }


def parted(a: str, b: str) -> tuple[str, tuple[str, str]]:
    found = parting(explain(a), explain(b))
    assert found is not None
    return found.at, found.values


def test_tools_part_first():
    at, values = parted(LOG, "error[E0308]: mismatched types\n --> src/main.rs:3:5\n")
    assert (at, values) == ("tool", ("npm", "cargo"))


def test_rules_part_before_lines():
    at, values = parted(LOG, "npm ERR! code EUSAGE\nnpm ERR! Missing: left@1.0.0 from lock file\n")
    assert at == "rule"
    assert values[0] != values[1]


def test_words_that_no_step_touches_part_in_the_root_line():
    at, values = parted(LOG, LOG.replace("ui-kit", "api"))
    assert at == "root line"
    assert ("ui-kit" in values[0], "api" in values[1]) == (True, True)


def test_a_step_that_changes_blanks_alone_says_so(here, capsys):
    log = Path(__file__).parents[3] / "fixtures/failures/npm/npm-eresolve-react.a.txt"
    assert main(["sig", "explain", str(log)]) == 0
    out = capsys.readouterr().out
    assert "blanks: only blanks differ" in out
    assert "(nothing) → (nothing)" not in out


def test_a_step_that_finds_something_on_one_side_only_is_named():
    ours = "error: object deadbee1 is missing\n"
    theirs = "error: object deadbeef-x is missing\n"
    at, values = parted(ours, theirs)
    assert at.startswith("step ")
    assert "<" in values[0]
    assert "deadbeef-x" in values[1]


def test_only_one_failure_parts_at_the_failure():
    assert parted(LOG, GREEN_LOG) == ("failure", (RAW, "no failure found"))


def test_diff_says_where_they_part(logs, capsys):
    assert main(["sig", "diff", "a.log", "green.log"]) == 1
    out = capsys.readouterr().out
    assert "part at failure" in out
    assert "green.log" in out


def test_two_logs_without_failure_are_nothing(logs, capsys):
    assert main(["sig", "diff", "green.log", "green.log"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "neither" in said.err
