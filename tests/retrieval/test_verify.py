import numpy as np
import pytest
from memories import entry, indexed

from indexing.settings import Settings
from indexing.stores import generations
from retrieval.tiers import fields, lexical
from retrieval.tiers.lengths import scales
from retrieval.verify import verify

ENTRIES = [
    entry(
        f"e{n}",
        f"module {n % 7} is missing in build {n}",
        files=None if n % 3 else (f"src/{n % 5}.py", "setup.cfg"),
    )
    for n in range(40)
]


@pytest.mark.parametrize("way", [Settings(), Settings(tokens="plain")], ids=str)
def test_a_whole_index_answers_as_its_rows_say(tmp_path, way):
    indexed(ENTRIES, tmp_path / "index", way)

    assert verify(tmp_path / "index", way) == []


def test_an_empty_index_is_whole(tmp_path):
    indexed([], tmp_path / "index")

    assert verify(tmp_path / "index") == []


@pytest.mark.parametrize(("scorer", "tier"), [("cosine", lexical), ("fields", fields)])
def test_an_index_with_wrong_weights_answers_wrongly(tmp_path, monkeypatch, scorer, tier):
    # its checksums are right: only asking it shows what is wrong
    def turned(*given):
        return np.frombuffer(scales(*given), "<f4")[::-1].tobytes()

    monkeypatch.setattr(tier, "scales", turned)
    indexed(ENTRIES, tmp_path / "index")

    problems = verify(tmp_path / "index")

    assert problems
    assert all("answers wrongly" in each and f"by '{scorer}'" in each for each in problems)


def test_a_damaged_index_is_told_by_its_file(tmp_path):
    indexed(ENTRIES, tmp_path / "index")
    path = tmp_path / "index" / generations.current(tmp_path / "index") / "lexical.text.rows"
    path.write_bytes(bytes(path.stat().st_size))

    problems = verify(tmp_path / "index")

    assert len(problems) == 1
    assert "lexical.text.rows" in problems[0]
    assert "mem index rebuild" in problems[0]


def test_an_index_made_in_another_way_is_told(tmp_path):
    indexed(ENTRIES, tmp_path / "index")

    [problem] = verify(tmp_path / "index", Settings(tokens="plain"))

    assert "mem index rebuild" in problem
