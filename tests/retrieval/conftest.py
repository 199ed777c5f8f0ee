import pytest
from memories import indexed

from retrieval import Memory


@pytest.fixture
def memory(tmp_path):
    """The memory of some entries."""

    def of(*entries):
        indexed(entries, tmp_path / "index")
        return Memory.open(index=tmp_path / "index")

    return of
