import re
import time

import pytest
from failures import failing, signature
from hypothesis import given
from hypothesis import strategies as st

from indexing.signature.lines import Log
from indexing.signature.normalise import (
    LONGEST,
    STEPS,
    _Marks,
    _prepared,
    _shape,
    changes,
    normalise,
)

steps = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)


@steps
def test_a_step_does_what_it_says(step):
    assert step.name in {change.name for change in changes(step.before)} or step.name == "blanks"
    assert normalise(step.before) == step.after


@steps
def test_a_step_leaves_what_only_looks_like_it(step):
    assert step.pattern.sub(step.put, step.stays) == step.stays


def test_names_of_steps_are_their_own():
    assert len({step.name for step in STEPS}) == len(STEPS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("exit status 1", "exit status 137"),
        ("error[E0308]: x", "error[E0277]: x"),
        ("error TS2304: x", "error TS2322: x"),
        ("HTTP 404", "HTTP 500"),
        ("[Errno 111] refused", "[Errno 110] refused"),
        ("SomeClass::someMethod failed", "SomeClass::otherMethod failed"),
        ("cannot find '@scope/pkg-a'", "cannot find '@other/pkg-a'"),
        ("cannot find './utils/index'", "cannot find '../db/index'"),
        ("cannot find '@/api/client'", "cannot find '@/db/client'"),
        ("needs react@17.0.2", "needs react@18.2.0"),
        ("listen on 127.0.0.1:5432", "listen on 127.0.0.1:6379"),
        ("signal SIGSEGV", "signal SIGABRT"),
        ("lodash.js is missing", "moment.js is missing"),
        ("expected 3 arguments, got 2", "expected 2 arguments, got 3"),
    ],
)
def test_what_the_error_means_stays(one, other):
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/home/ann/shop/src/a.py:3: no", "/__w/shop/shop/src/a.py:17: no"),
        (r"C:\ci\pytest-of-bob\pytest-12\m.py: no", r"C:\ci\pytest-of-bob\pytest-31\m.py: no"),
        (r"X:\ci\pytest-12\m.py: no", "/tmp/pytest-of-bob/pytest-12/m.py: no"),
        (r"\\srv\share\t\m.py: no", "/srv/share/t/m.py: no"),
        ("a.ts(3,5): error TS1: no", "a.ts:30:50 - error TS1: no"),
        ("npm ERR! Missing script: x", "npm error Missing script: x"),
        ("job 1a2b-77c4-0e9d failed", "job 9f31-face-beef failed"),
        ("no lease for 52:54:00:ab:cd:ef", "no lease for 5254.00ab.cdef"),
        ("lease 52-54-00-ab-cd-ef", "lease 52:54:00:ab:cd:00"),
        ("retry10s", "retry25s"),
        ("after 5ms10s", "after 7ms12s"),
        ("map[b:2 a:1 c:3] is wrong", "map[a:1 c:3 b:2] is wrong"),
        ("<object object at 0x7f5c", "<object object at 0x7f76"),
        ("between gw0 and gw1", "between gw2 and gw3"),
        (
            "thread 'main' panicked at src/main.rs:3:5:",
            "thread 'main' (7001) panicked at src/main.rs:3:5:",
        ),
        (
            "key2=1 at=datetime.datetime(2023, 5, 2, 23, 25, tzinfo=datetime.timezone.utc)",
            "key2=1 at=datetime.datetime(2024, 1, 2, 3, 4, tzinfo=datetime.timezone.utc)",
        ),
        ("»weird« bezeichnet keinen Typ", "'weird' bezeichnet keinen Typ".replace("'", '"')),
        ("‘x’ is not declared", "'x' is not declared"),
    ],
)
def test_what_the_run_decides_goes(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize("raw", ["|:", "npm error:", "lost ____ ----:", "--- FAIL: TestA (0.03s):"])
def test_what_stands_before_the_last_mark_goes_as_at_the_end(raw):
    assert normalise(raw) == normalise(raw[:-1])
    assert normalise(normalise(raw)) == normalise(raw)


@given(st.text(max_size=400))
def test_normalising_twice_changes_nothing_more(text):
    once = normalise(text)
    assert normalise(once) == once


@given(
    st.lists(
        st.sampled_from([step.before for step in STEPS] + [step.stays for step in STEPS]),
        max_size=4,
    )
)
def test_normalising_is_idempotent_on_what_the_steps_look_for(parts):
    once = normalise(" ".join(parts))
    assert normalise(once) == once


def test_normalising_is_idempotent_on_every_captured_root_line():
    for case in failing():
        text = signature(case.id).normalised
        assert normalise(text) == text


@steps
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        " ",
        "error ",
        "1",
        "0x1",
        "/a",
        "a/",
        "12:",
        ":1",
        "f-",
        "\\a",
        "{'a', ",
        "map[a:1 ",
    ],
)
def test_a_step_is_linear(step, unit):
    """Ten times the text may cost ten times as much, and some for noise; not a hundred times."""

    def cost(length):
        text = (unit * length)[:length]
        best = 9e9
        for _ in range(3):
            start = time.process_time()
            step.pattern.sub(step.put, text)
            best = min(best, time.process_time() - start)
        return best

    small, large = cost(3_000), cost(30_000)
    assert large < 45 * small + 0.002


def test_patterns_are_compiled_without_a_locale():
    assert not any(step.pattern.flags & re.LOCALE for step in STEPS)


def by_every_step(raw):
    text, steps = _prepared(raw), [*STEPS]
    while steps:
        step = steps.pop(0)
        before, text = text, step.pattern.sub(step.put, text)
        if step.name == "ending" and text != before:
            steps = [*STEPS]
    return text.strip()[:LONGEST].rstrip()


@pytest.mark.parametrize("case", failing()[::6], ids=lambda case: case.id)
def test_a_step_that_is_passed_over_would_have_changed_nothing(case):
    for line in Log(case.log()).lines[:400]:
        assert normalise(line[:4096]) == by_every_step(line[:4096])


showing = st.lists(
    st.sampled_from(
        [
            *(text for step in STEPS for text in (step.before, step.stays)),
            *(mark for step in STEPS for mark in (*step.shows, *step.also)),
            *(" ", "  ", "\n", "\t", ".", ":", "0", "deadbeef", "é"),
        ]
    ),
    max_size=6,
).map("".join)


@given(showing)
def test_nor_on_what_shows_a_step(text):
    assert normalise(text) == by_every_step(text)


@given(showing.filter(str.isascii))
def test_many_texts_show_what_few_show(text):
    assert _Marks(STEPS)._words.shown(_shape(text)) == _Marks(STEPS).shown(text)
