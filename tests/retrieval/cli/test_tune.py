import json

import datasets
import pytest
from datasets import TIMES, document, question
from memories import entry, journal

from indexing.entry import Lesson
from indexing.settings import load
from retrieval.cli import main
from retrieval.cli.tune import write


def answered(capsys, *words):
    code = main(["tune", *map(str, words), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def favouring_large_changes(count=30):
    """Entries in fours of which the one with many files helps; words and time tell nothing."""
    entries = []
    for n in range(count):
        word = f"beta{chr(97 + n // 10)}{chr(97 + n % 10)}q"
        title, fix, year = f"alpha {word}", {"lesson": Lesson(fix=f"fix {n}")}, 2000 + n
        large = tuple(f"src/{k}.c" for k in range(40))
        at = [f"{year}-03-{day:02}T00:00:00Z" for day in range(1, 6)]
        entries.append(entry(f"large{n}", title, files=large, captured_at=at[0], **fix))
        entries += [
            entry(f"small{n}.{day}", title, files=("lib/a.c",), captured_at=at[day])
            for day in range(1, 5)
        ]
        asks = f"{year}-04-01T00:00:00Z"
        entries.append(entry(f"asks{n}", word, captured_at=asks, **fix))
    return entries


@pytest.fixture
def memory(here, capsys):
    assert main(["init"]) == 0
    (here / ".mem" / "config.toml").write_text(
        "memory = []\nprior_size = 0.0 # none\ntop_k = 5\n", encoding="utf-8"
    )
    journal(here / ".mem" / "journal.jsonl", favouring_large_changes())
    assert main(["index", "rebuild"]) == 0
    capsys.readouterr()
    return here / ".mem"


def test_priors_that_are_better_for_certain_are_written(memory, capsys):
    code, found, _ = answered(capsys)

    assert code == 0
    assert found["written"] and found["significant"]
    assert found["gain"]["low"] > 0
    assert found["after"]["mean"] > found["before"]["mean"]
    settings = load(memory)
    assert settings.prior_size == found["priors"]["prior_size"] > 0
    assert settings.top_k == 5


def test_a_dry_run_writes_nothing(memory, capsys):
    before = (memory / "config.toml").read_bytes()

    _, found, _ = answered(capsys, "--dry-run")

    assert found["significant"] and not found["written"]
    assert (memory / "config.toml").read_bytes() == before


def test_what_is_no_gain_for_certain_changes_nothing(memory, capsys):
    (memory / "config.toml").write_text("prior_size = 0.4\n", encoding="utf-8")

    _, found, _ = answered(capsys)

    assert not found["significant"] and not found["written"]
    assert (memory / "config.toml").read_text(encoding="utf-8") == "prior_size = 0.4\n"


def test_too_few_links_tell_nothing(here, capsys):
    assert main(["init"]) == 0
    journal(here / ".mem" / "journal.jsonl", [entry("a", "one")])
    assert main(["index", "rebuild"]) == 0
    capsys.readouterr()

    code, found, err = answered(capsys)

    assert (code, found) == (1, None)
    assert "the priors stay as they are" in err


def test_a_dataset_is_only_told_about(here, capsys):
    corpus = [document(0, "alpha beta"), document(1, "gamma delta")]
    asked = [
        question(2, "alpha", id=f"q{n}", split="train", captured_at=TIMES[20]) for n in range(24)
    ]
    folder = datasets.dataset(here / "set", corpus, asked, {f"q{n}": "d0" for n in range(24)})

    code, found, _ = answered(capsys, folder)

    assert (code, found["questions"], found["written"]) == (0, 24, False)
    assert main(["tune", str(folder)]) == 0
    assert "no gain for certain" in capsys.readouterr().out


def test_other_lines_of_the_settings_stay(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('# ours\nmemory = [\n  "a",\n]\nprior_fresh = 1\n', encoding="utf-8")

    write(config, {"prior_fresh": 0.25, "prior_size": 0.4})

    assert config.read_text(encoding="utf-8") == (
        '# ours\nmemory = [\n  "a",\n]\nprior_fresh = 0.25\nprior_size = 0.4\n'
    )
