import json

import datasets
import pytest
from memories import entry, journal

from retrieval.cli import main


def answered(capsys, *words):
    code = main(["eval", *map(str, words), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def test_a_dataset_is_measured_and_its_run_can_be_read_again(tmp_path, here, capsys):
    folder, run = datasets.small(tmp_path / "small"), tmp_path / "a.trec"

    code, found, _ = answered(capsys, folder, "--run", run)
    _, again, _ = answered(capsys, folder, "--given", run, "--against", run)

    assert code == 0
    assert (found["dataset"], found["questions"], found["entries"]) == ("small", 2, 5)
    assert found["measures"]["R@1"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "questions": 2}
    assert again["measures"] == found["measures"]
    assert again["differences"]["R@1"]["mean"] == 0


def test_people_are_shown_a_table(tmp_path, here, capsys):
    assert main(["eval", str(datasets.small(tmp_path / "small")), "--split", "all"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("small: 3 questions, 5 entries\n")
    assert "R@3" in out and "95 % interval" in out


def test_certainty_is_judged_when_that_is_asked_for(tmp_path, here, capsys):
    folder, run = datasets.small(tmp_path / "small"), tmp_path / "a.trec"

    _, plain, _ = answered(capsys, folder, "--run", run)
    code, found, _ = answered(capsys, folder, "--certainty")
    refused, _, err = answered(capsys, folder, "--certainty", "--given", run)

    assert plain["certainty"] is None
    assert code == 0
    assert found["certainty"]["surest_quarter"] == 1.0
    assert sum(each["hits"] for each in found["certainty"]["bins"]) == 6
    assert refused == 2 and "does not say how certain" in err
    assert main(["eval", str(folder), "--certainty"]) == 0
    assert "the surest quarter's first hits help in 1.00" in capsys.readouterr().out


def test_the_memory_can_be_asked_about_itself(here, capsys):
    raw = "Error: cannot find module left-pad"
    entries = [
        entry("a", "Module is missing", raw, captured_at="2026-01-01T00:00:00Z"),
        entry("b", "Module is missing again", raw, captured_at="2026-01-02T00:00:00Z"),
        entry("c", "Something else", "Error: else", captured_at="2026-01-03T00:00:00Z"),
    ]
    assert main(["init"]) == 0
    journal(here / ".mem" / "journal.jsonl", entries)
    assert main(["index", "rebuild"]) == 0
    capsys.readouterr()

    code, found, _ = answered(capsys, "--own")
    _, exact, _ = answered(capsys, "--own", "--tiers", "exact")

    assert code == 0
    assert (found["questions"], found["measures"]["R@1"]["mean"]) == (1, 1.0)
    assert (exact["run"], exact["measures"]["R@1"]["mean"]) == ("exact", 1.0)


def test_a_memory_whose_entries_have_nothing_to_do_with_each_other_is_no_test(here, capsys):
    assert main(["init"]) == 0
    journal(here / ".mem" / "journal.jsonl", [entry("a", "one"), entry("b", "two")])
    assert main(["index", "rebuild"]) == 0
    capsys.readouterr()

    code, found, err = answered(capsys, "--own")

    assert (code, found) == (1, None)
    assert "nothing to judge by" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a dataset folder, or give --own"),
        (["small", "--own"], "name a dataset folder, or give --own"),
        (["small", "--tiers", "magic"], "'magic' names no tiers; take of exact, pattern, lexical"),
        (["small", "--split", "none"], "holds no judged question of split 'none'"),
        (["nowhere"], "cannot be read"),
        (["--own"], "run `mem init`"),
    ],
)
def test_what_cannot_be_measured_is_refused(here, capsys, words, said):
    datasets.small(here / "small")

    code, found, err = answered(capsys, *words)

    assert (code, found) == (2, None)
    assert said in err
