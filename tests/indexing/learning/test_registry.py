import pytest

from indexing.journal import append_record
from indexing.learning.registry import lineage


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_use_counts_whatever_ends_a_line_in_its_texts(tmp_path, mark):
    journal = tmp_path / "journal.jsonl"
    said = {"v": 1, "op": "found", "id": "f", "at": "2026-01-01T00:00:00Z", "entry_id": "pat"}
    append_record(journal, {**said, "loop": "one", "outcome": "helped", "task": f"a{mark}b"})

    [use] = lineage(journal, ["pat"])

    assert (use.loop, use.went) == ("one", True)
