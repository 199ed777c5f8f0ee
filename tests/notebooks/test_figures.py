"""Labelled logs are counted as a reader would count them."""

import json

import figures
import pytest
from failures import failing, signature
from figures import Case, Judged, Table
from hypothesis import given
from hypothesis import strategies as st

from indexing.signature import sign

WRONG_TYPE = "src/cart.ts({},5): error TS2322: Type 'string' is not assignable to type 'number'."


def judged(tmp_path, name, line, group="g", *, got=None, wanted=True, decoys=(), hard=False):
    """A log of tsc whose root line is `line`; `got` is what was found instead."""
    raw = line if got is None else got
    case = Case(
        path=tmp_path / name,
        name=name,
        tool="tsc",
        group=group if wanted else "",
        wanted=(line,) if wanted else (),
        decoys=decoys,
        line=1,
        hard=hard,
    )
    return Judged(case, sign(raw, "tsc") if raw else None, wanted and raw == line, raw in decoys)


# ---------------------------------------------------------------------- one line


@pytest.mark.parametrize(
    "got",
    [
        "error TS2322: no such type",
        "  error   TS2322: no such type ",
        "\x1b[31merror\x1b[0m \x1b(BTS2322: no such type",
        "2026-08-21T10:02:11.4829482Z error TS2322: no such type",
        "##[error]error TS2322: no such type",
        "::error file=cart.ts,line=3::error TS2322: no such type",
        "#7 23.36 error TS2322: no such type",
        "error TS2322: no such",
    ],
)
def test_a_line_is_itself_whatever_colours_and_prefixes_it_has(got):
    assert figures.same_line(got, "error TS2322: no such type")
    assert figures.same_line("error TS2322: no such type", got)


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        ("error TS2322", "error TS2304"),
        ("error TS23", "error TS2322"),  # a part, but too short to mean it
        ("no such type", "error TS2322 in cart.ts: there is no such type, says tsc"),  # under half
        ("", ""),
        ("", "error"),
        ("\x1b[0m", "error"),
    ],
)
def test_another_line_is_another(got, wanted):
    assert not figures.same_line(got, wanted)


# ---------------------------------------------------------------------- where logs lie


def test_shared_data_are_used_only_when_they_lie_beside_the_checkout(tmp_path):
    checkout = tmp_path / "checkout"
    assert list(figures.folders(checkout)) == ["fixtures"]
    shared = tmp_path / "shared" / "data" / "failures"
    shared.mkdir(parents=True)
    assert figures.folders(checkout)["shared"] == shared


def write(folder, name, rows):
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / name).write_text(text, encoding="utf-8")


def test_manifests_are_read_beside_the_logs_and_above_them(tmp_path):
    row = {"tool": "npm", "group": "g", "root_line": "oops", "root_line_no": 3}
    write(tmp_path, "manifest-a.jsonl", [row | {"file": "npm/one.txt", "alt_root_lines": ["or"]}])
    write(tmp_path / "tsc", "manifest.jsonl", [row | {"file": "two.txt", "relation": "same-hard"}])
    one, two = figures.cases(tmp_path)
    assert (one.name, one.wanted, one.line, one.hard) == ("npm/one.txt", ("oops", "or"), 3, False)
    assert (two.name, two.wanted, two.line, two.hard) == ("tsc/two.txt", ("oops",), 3, True)
    assert two.path == tmp_path / "tsc" / "two.txt"


def test_a_log_without_a_failure_wants_no_line(tmp_path):
    row = {"file": "a.txt", "tool": "npm", "group": None, "root_line": None, "root_line_no": None}
    write(tmp_path, "manifest.jsonl", [row | {"also_acceptable": []}])
    [case] = figures.cases(tmp_path)
    assert (case.wanted, case.group, case.line) == ((), "", 0)


def test_a_signature_is_right_a_decoy_or_neither(tmp_path):
    (tmp_path / "a.txt").write_text(WRONG_TYPE.format(3) + "\n", encoding="utf-8")
    right, decoy, neither = (
        Case(tmp_path / "a.txt", "a.txt", "tsc", "g", wanted, decoys, 1, False)
        for wanted, decoys in (
            ((WRONG_TYPE.format(3),), (WRONG_TYPE.format(3),)),
            (("something else entirely",), (WRONG_TYPE.format(3),)),
            (("something else entirely",), ()),
        )
    )
    found = figures.judge([right, decoy, neither])
    assert [(one.root, one.trailer) for one in found] == [
        (True, False),
        (False, True),
        (False, False),
    ]


# ---------------------------------------------------------------------- counting


def test_scores_count_logs_and_pairs(tmp_path):
    logs = [
        judged(tmp_path, "a", WRONG_TYPE.format(3)),
        judged(tmp_path, "b", WRONG_TYPE.format(7)),
        judged(tmp_path, "c", WRONG_TYPE.format(9), got="Exit 2", decoys=("Exit 2",)),
        judged(tmp_path, "d", "error TS5058: no such file", group="other", got=""),
        judged(tmp_path, "e", "Type de valeur inattendu", hard=True),
        judged(tmp_path, "f", "", wanted=False),  # passing: counts nowhere
    ]
    tsc, total = figures.scores(logs)
    assert tsc._asdict() == {
        "tool": "tsc",
        "logs": 5,
        "root": 3,
        "trailer": 1,
        "none": 1,
        "same": 1,  # a-b; neither a-c nor b-c
        "same_pairs": 3,
        "apart": 4,  # d with each: no signature is nobody's twin
        "apart_pairs": 4,
        "hard": 0,
        "hard_pairs": 3,
    }
    assert total == tsc._replace(tool="all")
    assert not tsc.full


def test_a_score_is_full_when_only_hard_pairs_differ(tmp_path):
    logs = [
        judged(tmp_path, "a", WRONG_TYPE.format(3)),
        judged(tmp_path, "b", "Type de valeur inattendu", hard=True),
    ]
    assert figures.scores(logs)[0].full


def test_logs_of_two_tools_are_no_pair(tmp_path):
    one = judged(tmp_path, "a", WRONG_TYPE.format(3))
    other = judged(tmp_path, "b", WRONG_TYPE.format(3))
    other = other._replace(case=other.case._replace(tool="npm"))
    assert figures.pairs([one, other]) == []


def test_shares_of_nothing_are_blank(tmp_path):
    [row, _] = figures.score_table(figures.scores([judged(tmp_path, "a", "oops")])).rows
    assert row == ("tsc", 1, 100.0, 0.0, 0, None, 0, None, 0, None, 0)
    assert not any(isinstance(value, bool) for value in row)


def test_a_passing_log_with_a_signature_is_a_false_alarm(tmp_path):
    logs = [
        judged(tmp_path, "a", "all is well", wanted=False),
        judged(tmp_path, "b", "", wanted=False),
        judged(tmp_path, "c", "oops"),
    ]
    assert [row[0] for row in figures.false_alarms(logs).rows] == ["a"]


# ---------------------------------------------------------------------- what is wrong


def explained(tmp_path, text, line):
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    wanted = (text.splitlines()[line - 1],)
    case = Case(tmp_path / "log.txt", "log.txt", "tsc", "g", wanted, (), line, False)
    return figures.why(figures.judge([case])[0])


def test_why_a_line_is_missed(tmp_path):
    errors = f"{WRONG_TYPE.format(3)}\n{WRONG_TYPE.format(9)}\n"
    assert "the earlier line is taken" in explained(tmp_path, errors, 2)
    assert explained(tmp_path, errors, 1).startswith("the same line")
    plain = f"{WRONG_TYPE.format(3)}\nthe cart is too wide today\n"
    assert explained(tmp_path, plain, 2) == "no rule knows the wanted line"
    lower = f"{WRONG_TYPE.format(3)}\nmake: *** [Makefile:3: all] Error 2\n"
    assert " ranks " in explained(tmp_path, lower, 2)


def test_only_what_is_wrong_is_listed(tmp_path):
    right = judged(tmp_path, "a", WRONG_TYPE.format(3))
    other = judged(tmp_path, "b", WRONG_TYPE.format(7), group="other")
    moved = judged(tmp_path, "c", WRONG_TYPE.format(9).replace("cart", "menu"))
    pairs = figures.pairs([right, other, moved])
    [split] = figures.wrong_pairs(pairs, "same").rows
    assert split[:2] == ("a", "c")
    assert "cart.ts" in split[2]
    assert "menu.ts" in split[3]
    [collision] = figures.wrong_pairs(pairs, "apart").rows
    assert collision[:2] == ("a", "b")
    assert f"wanted: {WRONG_TYPE.format(7)}" in collision[3]
    assert figures.missed([right, other, moved]).rows == []


def test_long_texts_are_cut_to_where_they_part():
    one, other = (f"{'a' * 500} {word} {'b' * 500}" for word in ("cart", "menu"))
    assert figures.where_they_part(one, other, around=3) == ("…aa cart bb…", "…aa menu bb…")
    assert figures.where_they_part("cart", "carts") == ("cart", "carts")


@given(st.text("ab", max_size=400), st.text("ab", max_size=400))
def test_texts_that_differ_are_shown_to_differ(one, other):
    shown = figures.where_they_part(one, other)
    assert (shown[0] != shown[1]) == (one != other)


# ---------------------------------------------------------------------- steps


@pytest.mark.parametrize("case", failing(), ids=lambda case: case.id)
def test_the_stages_together_make_the_normal_form(case):
    found = signature(case.id)
    *_, last = figures.forms("\n".join((found.raw, *found.joined)))
    assert last.strip() == found.normalised


def test_a_step_is_credited_with_the_pairs_that_only_it_holds_together(tmp_path):
    logs = [
        judged(tmp_path, "a", WRONG_TYPE.format(3)),
        judged(tmp_path, "b", WRONG_TYPE.format(7)),
    ]
    every, *steps = figures.contributions(logs)
    assert (every.step, every.split) == ("all of them", 1)
    assert [one.step for one in steps] == list(figures.NAMES)
    assert {one.step: one.split for one in steps if one.split} == {"line-column": 1}
    assert "(3,5)" in next(one.example[0] for one in steps if one.split)
    assert {one.step for one in steps if one.changed} >= {"line-column", "relative-path"}
    assert not any(one.parted for one in steps)


def test_a_step_answers_for_the_failures_that_it_makes_collide(tmp_path):
    logs = [
        judged(tmp_path, "a", WRONG_TYPE.format(3)),
        judged(tmp_path, "b", WRONG_TYPE.format(7), group="other"),
    ]
    steps = {one.step: one for one in figures.contributions(logs)}
    assert (steps["line-column"].parted, steps["line-column"].split) == (1, 0)
    assert steps["uuid"].parted == 0


def test_lines_that_are_the_same_to_the_letter_need_no_step(tmp_path):
    logs = [judged(tmp_path, name, WRONG_TYPE.format(3)) for name in "ab"]
    assert not any(one.split for one in figures.contributions(logs))


# ---------------------------------------------------------------------- speed and tables


def test_both_ways_run_over_the_same_logs():
    found = figures.speeds((2_000, 4_000), runs=3)
    assert [one.way for one in found] == ["60 expressions a line", "extract"] * 4
    assert all(one.least <= one.median <= one.most for one in found)
    sizes = [one.size for one in found]
    assert sizes[::2] == sizes[1::2]
    rows = figures.speed_table(found).rows
    assert [row[:2] for row in rows] == [
        ("failing", 2),
        ("passing", 2),
        ("failing", 4),
        ("passing", 4),
    ]
    assert rows[0][4] == pytest.approx(found[0].median / found[1].median)


def test_a_table_shows_log_text_as_text():
    shown = Table(("log",), [("<b>&",), (None,), (97.44,), (3,)])._repr_html_()
    assert "&lt;b&gt;&amp;" in shown
    assert "<b>" not in shown
    assert ">97.4<" in shown
    assert "None" not in shown
