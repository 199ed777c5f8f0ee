"""The nine assertions that the project started from, over really captured logs."""

import re
import socket
import subprocess
import sys
import time

import pytest
from failures import SEVEN, failing, pairs, signature

from indexing.signature import explain, extract, sign

# Two logs of one failure that we still tell apart, though a reader would not.
KNOWN_WRONG = {
    "apt/lock.b.txt": "the lock's holder is named on a line that only one run prints",
    "cargo/cargo-path-dep-missing.b.txt": "the package's own version differs",
    "dpkg/dependency.b.txt": "the second line of the complaint differs with what is installed",
    "make/recursive-recipe.b.txt": "another recipe that runs beside it fails first",
    "ssh/refused.b.txt": "a command that is missing fails before ssh does",
}
COUNTED = [pair for pair in pairs() if not pair.hard]
STRONG = [pair for pair in COUNTED if not pair.weak]


def ids(items):
    return [item.id for item in items]


@pytest.mark.parametrize("pair", COUNTED, ids=ids(COUNTED))
def test_a1_same_failure_same_hash(pair, request):
    if pair.id in KNOWN_WRONG:
        request.applymarker(pytest.mark.xfail(reason=KNOWN_WRONG[pair.id], strict=True))
    one, other = signature(pair.one.id), signature(pair.other.id)
    assert one is not None
    assert other is not None
    assert one.normalised == other.normalised
    assert one.sig_sha == other.sig_sha


def test_a1_counts_a_strong_pair_of_each_of_the_seven_tools():
    strong = {pair.one.folder for pair in STRONG if pair.id not in KNOWN_WRONG}
    assert strong >= set(SEVEN)


@pytest.mark.parametrize("pair", STRONG, ids=ids(STRONG))
def test_a1_fails_for_every_strong_pair_when_nothing_is_normalised(pair):
    one, other = signature(pair.one.id), signature(pair.other.id)
    assert (one.raw, one.joined) != (other.raw, other.joined)


@pytest.mark.parametrize("pair", pairs(), ids=ids(pairs()))
def test_a2_different_failure_different_hash(pair):
    neighbours = [
        case
        for case in failing()
        if case.folder == pair.one.folder and case.group != pair.one.group
    ]
    same = [
        case.file
        for case in neighbours
        if signature(case.id).sig_sha == signature(pair.one.id).sig_sha
        and (pair.one.id, case.id) not in COLLIDES
        and (case.id, pair.one.id) not in COLLIDES
    ]
    assert same == []


# Different failures that one line does not tell apart.
COLLIDES = {
    (f"python/valueerror.{one}.txt", f"python/chained-from.{other}.txt")
    for one in "ab"
    for other in "ab"
}


VOLATILE = {
    "time": re.compile(r"\d{4}-\d\d-\d\dT\d|(?<![\d.:])\d\d:\d\d:\d\d(?![\d:])"),
    "path": re.compile(
        r"(?<![\w.:/])/(?:home|srv|builds|tmp|var/folders|Users|__w)/|[A-Z]:\\Users"
    ),
    "sha": re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,40}\b"),
    "line": re.compile(r"\.(?:js|ts|tsx|py|go|rs|c|cc|rb|java|php):\d+"),
    "duration": re.compile(r"\b\d+(?:\.\d+)?(?:ms|s)\b(?! )|\b\d+\.\d\ds\b"),
    "address": re.compile(r"\b0x[0-9a-f]{6,}\b"),
}


@pytest.mark.parametrize("case", failing(), ids=ids(failing()))
def test_a3_normalisation_removes_volatiles(case):
    normalised = signature(case.id).normalised
    left = {name for name, volatile in VOLATILE.items() if volatile.search(normalised)}
    assert left - STAYS.get(case.id, set()) == set()


# A number of this shape that is part of the complaint.
STAYS: dict[str, set[str]] = {}


def test_a4_cascade_picks_first():
    log = "\n".join(
        [
            "   Compiling shop v0.1.0 (/home/ann/shop)",
            "error[E0433]: failed to resolve: use of undeclared crate `money`",
            " --> src/cart.rs:3:5",
            *(f"error[E0282]: type annotations needed\n --> src/cart.rs:{n}:9" for n in range(5)),
            "error: could not compile `shop` (lib) due to 6 previous errors",
        ]
    )
    found = extract(log)
    assert found.line == 2
    assert "`money`" in found.raw


def test_a5_unknown_tool_fallback():
    found = extract("frobnicating 12 widgets\nwidget 7 is bent, giving up\n", "frobnicator")
    assert found.tool == "frobnicator"
    assert found.raw == "widget 7 is bent, giving up"
    detected = extract("frobnicating\nERROR: widget 7 is bent\n")
    assert detected.rule.startswith("generic:")


def test_a6_no_model_calls(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a signature needs no network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    assert all(extract(case.log()) for case in failing())


def test_a7_latency_is_linear_in_the_log():
    """Milliseconds are measured in scripts/bench/; here, how cost grows with the log."""

    line = "2026-08-21T10:02:11.482Z [worker 3] step 17 of 40 finished, nothing to report here\n"
    small, large = line * 2_000, line * 20_000

    def cost(log: str) -> float:
        best = 9e9
        for _ in range(3):
            start = time.process_time()
            extract(log + "error: out of widgets\n")
            best = min(best, time.process_time() - start)
        return best

    assert cost(large) < 40 * cost(small)


def test_a8_tool_in_identity():
    assert sign("exit status 1", "go").sig_sha != sign("exit status 1", "npm").sig_sha
    assert sign("exit status 1", "go").normalised == sign("exit status 1", "npm").normalised


@pytest.mark.parametrize("case", failing(), ids=ids(failing()))
def test_a9_explain_names_rule(case):
    explanation = explain(case.log())
    tool, _, rule = explanation.signature.rule.partition(":")
    assert tool
    assert rule


def test_the_hash_depends_on_no_seed_and_no_locale(tmp_path):
    logs = [str(case.path) for case in failing()[::40]]
    program = (
        "import sys; from pathlib import Path; from indexing.signature import extract\n"
        "print([extract(Path(p).read_bytes()).sig_sha for p in sys.argv[1:]])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program, *logs],
            env={"PYTHONHASHSEED": seed, "LC_ALL": locale, "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("4242", "POSIX"))
    }
    assert len(answers) == 1
