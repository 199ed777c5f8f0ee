import importlib
import json
import multiprocessing
import re
from pathlib import Path

import pytest
from memories import entry

from indexing import overrides
from indexing.errors import BadQuery
from indexing.overrides import FILE, TEXT, Overrides, read
from indexing.signature import Signature, extract, sign

A = sign("npm ERR! 404 Not Found - GET https://registry.example/a", "npm")
B = sign("npm ERR! 401 Unauthorized - GET https://registry.example/a", "npm")
C = sign("error: could not compile `shop`", "cargo")
REFUSED = sign("ConnectionRefusedError: [Errno 111] Connection refused", "python")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "overrides.jsonl"


def hashes(known: Overrides, signature: Signature) -> list[str]:
    return [other.signature.sig_sha for other in known.others(signature)]


def test_without_a_file_nothing_is_decided(path):
    known = read(path)
    assert (list(known.decisions), list(known.problems)) == ([], [])
    assert known.key(A) == A.sig_sha
    assert known.asked(A, None).keys[0] == (A.sig_sha, "", True)
    assert not path.exists()


def test_two_that_are_one_failure_have_one_key_and_find_each_other(path):
    overrides.alias(path, A, B, "the token ended", "nora")
    known = read(path)
    assert known.key(A) == known.key(B) != known.key(C)
    for ours, theirs in ((A, B), (B, A)):
        sure = [key for key in known.asked(ours, None).keys if key.sure]
        assert [key.sig_sha for key in sure] == [ours.sig_sha, theirs.sig_sha]
        assert (sure[0].note, sure[1].note[:6]) == ("", "alias:")
    assert known.asked(C, None).keys[0].sig_sha == C.sig_sha


def test_merges_go_on_and_round_in_circles_without_end(path):
    for a, b in ((A, B), (B, C), (C, A), (A, A)):
        overrides.alias(path, a, b)
    known = read(path)
    assert hashes(known, A) == [B.sig_sha, C.sig_sha]
    assert sorted(hashes(known, C)) == sorted([A.sig_sha, B.sig_sha])
    assert len({known.key(each) for each in (A, B, C)}) == 1


def test_an_alias_that_is_revoked_counts_no_more_but_stays_in_the_file(path):
    overrides.alias(path, A, B)
    before = path.read_bytes()
    [decision] = read(path).decisions
    overrides.revoke(path, decision, who="nora")
    known = read(path)
    assert path.read_bytes().startswith(before)
    assert known.decisions[0].revoked
    assert known.key(A) == A.sig_sha
    overrides.alias(path, A, B)
    assert read(path).key(A) == read(path).key(B)


def test_a_revoke_counts_wherever_git_puts_its_line(path):
    overrides.alias(path, A, B)
    overrides.revoke(path, read(path).decisions[0])
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*reversed(lines), *lines, ""]), encoding="utf-8")
    known = read(path)
    assert len(known.decisions) == 1
    assert known.key(A) == A.sig_sha


def test_an_alias_outlives_the_rules_that_were_there_when_it_was_made(path, monkeypatch):
    overrides.alias(path, A, B)
    rules = importlib.import_module("indexing.signature.extract")
    known = rules.normalise
    monkeypatch.setattr(rules, "normalise", lambda text: known(text).replace("GET", "<VERB>"))
    overrides._signed.cache_clear()
    a, b = sign(A.raw, "npm"), sign(B.raw, "npm")
    try:
        assert a.sig_sha != A.sig_sha
        assert read(path).key(a) == read(path).key(b) != a.normalised
        [decision] = read(path).decisions
        assert [side.sig_sha for side in decision.sides] == [A.sig_sha, B.sig_sha]
    finally:
        overrides._signed.cache_clear()


def test_a_wrong_hash_in_the_file_decides_nothing(path):
    overrides.alias(path, A, B)
    text = path.read_text(encoding="utf-8").replace(B.sig_sha, C.sig_sha)
    path.write_text(text, encoding="utf-8")
    assert hashes(read(path), A) == [B.sig_sha]
    assert hashes(read(path), C) == []


def test_b046_a_third_event_equal_to_the_second_lands_in_the_merged_record(path):
    first = extract("npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://r.example/a\n")
    second = "npm error code E401\nnpm error 401 Unauthorized - GET https://r.example/a\n"
    overrides.alias(path, first, extract(second))
    third = extract(f"2026-03-04T10:22:31Z {second}")
    assert third.sig_sha == extract(second).sig_sha
    assert read(path).key(third) == read(path).key(first)


def test_a_split_tells_failures_apart_by_what_their_logs_hold(path):
    overrides.split(path, REFUSED, TEXT, "redis:6379")
    known = read(path)
    with_it, without = "connecting to redis:6379\n", "connecting to postgres:5432\n"
    assert known.key(REFUSED, without) == known.key(REFUSED) == REFUSED.sig_sha
    assert known.key(REFUSED, with_it) != REFUSED.sig_sha
    assert known.key(REFUSED, with_it.encode()) == known.key(REFUSED, with_it)
    assert known.key(C, with_it) == C.sig_sha


def test_a_split_admits_the_memories_of_its_own_half(path):
    overrides.split(path, REFUSED, TEXT, "redis")
    known = read(path)
    marked = known.marked(REFUSED, "redis is away")
    memories = {
        "line": entry("line", raw="refused by redis"),
        "body": entry("body", body="redis was down", raw="refused"),
        "marked": entry("marked")._replace(signature=marked),
        "none": entry("none", raw="refused"),
    }
    for log, held in (("redis\n", True), ("postgres\n", False)):
        asked = known.asked(REFUSED, log)
        admitted = {name for name, memory in memories.items() if asked.admits(memory)}
        assert admitted == ({"line", "body", "marked"} if held else {"none"})


def test_only_what_a_split_asks_for_is_marked(path):
    assert read(path).marked(REFUSED, "redis") is REFUSED
    overrides.split(path, REFUSED, TEXT, "redis")
    assert read(path).marked(REFUSED, "postgres") is REFUSED
    assert read(path).marked(C, "redis") is C
    context = read(path).marked(REFUSED._replace(context={"job": "test"}), "redis").context
    assert context == {"job": "test", "holds": ["text:redis"]}


def test_a_colour_does_not_hide_a_literal(path):
    overrides.split(path, REFUSED, TEXT, "redis:6379")
    log = "connecting to \x1b[31mredis\x1b[0m:6379\r\n"
    assert read(path).key(REFUSED, log) != REFUSED.sig_sha


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("at src/auth.py:12", True),
        ("C:\\shop\\auth.py(12): error", True),
        ("auth.py", True),
        ("see auth.py.", True),
        ("at src/oauth.py:12", False),
        ("at src/auth.pyc", False),
        ("at src/auth.py.orig", False),
        ("at test.auth.py:1 and my-auth.py, _auth.py", False),
        ("at oauth.py then lib/auth.py:3", True),
        ("AUTH.PY", False),
        ("authxpy", False),
    ],
)
def test_a_file_is_found_by_its_whole_name(text, named, path):
    overrides.split(path, REFUSED, FILE, "auth.py")
    assert (read(path).key(REFUSED, text) != REFUSED.sig_sha) is named


@pytest.mark.parametrize("literal", ["['WasmTestOn", "(a+)+$", ".*", "\\d", "a|b", "[Errno 111]"])
def test_b043_b032_a_literal_is_never_an_expression(literal, path):
    if sum(map(str.isalnum, literal)) < 2:
        with pytest.raises(BadQuery, match="almost any log"):
            overrides.split(path, C, TEXT, literal)
        return
    overrides.split(path, C, TEXT, literal)
    known = read(path)
    assert known.key(C, f"x {literal} y") != C.sig_sha
    assert known.key(C, "WasmTestOn aaaa Errno 110 1 a b Errno 111") == C.sig_sha


def test_b067_an_expression_that_would_never_end_is_only_a_text(path):
    overrides.split(path, C, TEXT, r"(\w+\s?)+@internal\.example")
    assert read(path).key(C, "word " * 5000) == C.sig_sha


def test_letters_that_repeat_do_not_make_a_file_name_slow(path):
    overrides.split(path, C, FILE, "a" * 200)
    assert read(path).key(C, "a" * 1_000_000) == C.sig_sha


@pytest.mark.parametrize("literal", ["", " ", "1", ":", "two\nlines", "x" * 501])
def test_a_text_that_parts_nothing_is_refused(literal, path):
    with pytest.raises(BadQuery):
        overrides.split(path, A, TEXT, literal)
    assert not path.exists()


def test_a_secret_is_never_written(path):
    secret = "ghp_" + "a1B2" * 9
    with pytest.raises(BadQuery, match="secret"):
        overrides.split(path, A, TEXT, secret)
    leaky = sign(f"npm ERR! 401 Unauthorized - token {secret}", "npm")
    overrides.alias(path, leaky, A, f"is {secret}")
    assert secret not in path.read_text(encoding="utf-8")
    assert hashes(read(path), leaky) == [A.sig_sha]


def test_two_splits_part_a_failure_in_four(path):
    overrides.split(path, REFUSED, TEXT, "redis")
    overrides.split(path, REFUSED, FILE, "auth.py")
    logs = ["", "redis", "auth.py", "redis auth.py"]
    assert len({read(path).key(REFUSED, log) for log in logs}) == 4


def test_aliases_are_split_together(path):
    overrides.alias(path, A, B)
    overrides.split(path, A, TEXT, "staging")
    known = read(path)
    assert known.key(A, "staging") == known.key(B, "staging") != known.key(A, "live")
    assert known.key(A, "live") == known.key(B, "live")


def test_what_made_the_difference_is_named(path):
    overrides.alias(path, A, B)
    overrides.split(path, REFUSED, TEXT, "redis")
    known = read(path)
    assert known.deciding((A, ""), (B, "")).op == "alias"
    assert known.deciding((REFUSED, "redis"), (REFUSED, "")).op == "split"
    assert known.deciding((REFUSED, ""), (REFUSED, "")) is None
    assert known.deciding((A, ""), (C, "")) is None


def test_a_half_written_line_costs_itself_and_the_next_is_whole(path):
    overrides.alias(path, A, B)
    with path.open("ab") as file:
        file.write(b'{"op":"alias","v":1,"id":"01')
    assert hashes(read(path), A) == [B.sig_sha]
    assert len(read(path).problems) == 1
    overrides.alias(path, B, C)
    known = read(path)
    assert hashes(known, A) == [B.sig_sha, C.sig_sha]
    assert len(known.problems) == 1
    assert ":2: " in known.problems[0]


@pytest.mark.parametrize(
    "line",
    [
        "<<<<<<< HEAD",
        "[]",
        "7",
        "null",
        '"alias"',
        '{"op":"alias"}',
        '{"op":"alias","v":9,"id":"x","at":"","a":{},"b":{}}',
        '{"op":"split","v":1,"id":"x","at":"2026","of":{"tool":"npm","raw":"x"}}',
        '{"op":"split","v":1,"id":"x","at":"2026","of":{"tool":1,"raw":"x"},"text":"redis"}',
        '{"op":"split","v":1,"id":"x","at":"2026","of":{"tool":"npm","raw":"x","joined":7},"text":"r"}',
        '{"op":"split","v":1,"id":"x","at":"2026","of":{"tool":"npm","raw":"x"},"text":""}',
        '{"op":"alias","v":"1","id":"x","at":"2026","a":[],"b":[]}',
        '{"op":"revoke","v":1,"id":"x"}',
        '{"op":"forget","v":1,"id":"x","at":"2026"}',
        "[" * 100_000,
        "\x00\xff",
    ],
)
def test_a_line_that_is_no_decision_is_named_and_passed_over(line, path):
    overrides.alias(path, A, B)
    path.write_bytes(f"{line}\n".encode("latin-1") + path.read_bytes())
    known = read(path)
    assert hashes(known, A) == [B.sig_sha]
    assert len(known.problems) == 1
    assert str(path) in known.problems[0]


def test_a_file_that_cannot_be_read_is_named(path):
    path.mkdir()
    known = read(path)
    assert list(known.decisions) == []
    assert str(path) in known.problems[0]


def _decide(path: Path, number: int) -> None:
    for at in range(5):
        overrides.alias(path, A, sign(f"error: {'abcdefgh'[number]} {'vwxyz'[at]}", "npm"))


def test_processes_that_decide_at_once_lose_nothing(path):
    workers = [
        multiprocessing.get_context("spawn").Process(target=_decide, args=(path, number))
        for number in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    known = read(path)
    assert (len(known.decisions), known.problems) == (20, [])
    assert len(known.others(A)) == 20


def test_the_file_is_for_people_too(path):
    overrides.alias(path, A, C, "the same outage", "nora")
    [line] = path.read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record["at"])
    assert (record["op"], record["who"], record["note"]) == ("alias", "nora", "the same outage")
    assert record["a"] == {
        "tool": "npm", "raw": A.raw, "joined": [], "sig_sha": A.sig_sha,
    }  # fmt: skip


def test_an_id_may_be_shortened_while_it_is_one(path):
    id = overrides.alias(path, A, B)
    overrides.alias(path, B, C)
    known = read(path)
    assert known.find(id.lower(), "alias").id == id
    for wrong, op in ((id[:2], "alias"), ("ZZ", "alias"), (id, "split")):
        with pytest.raises(BadQuery, match="mem sig overrides"):
            known.find(wrong, op)
    overrides.revoke(path, known.find(id, "alias"))
    with pytest.raises(BadQuery, match="revoked"):
        read(path).find(id, "alias")
