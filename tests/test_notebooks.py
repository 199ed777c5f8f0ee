"""Every notebook runs on the project's own fixtures, and is kept without outputs."""

from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Runs a notebook as CI does, apart from what the user has set up; gives its outputs."""
    monkeypatch.setenv("MEM_NOTEBOOK_QUICK", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    return _outputs


def _outputs(notebook):
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT / "notebooks")}},
    )
    client.execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def test_every_cell_runs_and_something_is_drawn(notebook, run):
    outputs = run(notebook)
    shown = [kind for output in outputs for kind in output.get("data", ())]
    assert shown.count("image/png") >= 4
    assert shown.count("text/html") >= 4


def test_a_cell_that_fails_fails_the_run(run):
    broken = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        run(broken)


def test_no_outputs_are_committed(notebook):
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert [cell.execution_count for cell in code] == [None] * len(code)
    assert [output for cell in code for output in cell.outputs] == []


def test_the_readme_says_what_each_is_for():
    readme = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert [path.name for path in NOTEBOOKS if f"`{path.name}`" not in readme] == []
