"""What the README and the pages it links to say to type can be typed, in their order."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import datasets
import pytest
from commands import clean_environment
from models import MINILM

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path: path.read_text(encoding="utf-8")
    for path in [
        ROOT / "README.md",
        ROOT / "indexing" / "learning" / "README.md",
        ROOT / "indexing" / "README.md",
        ROOT / "retrieval" / "README.md",
    ]
}
MEM = Path(sys.executable).with_name("mem")
LOGS = ROOT / "fixtures" / "failures" / "npm"


def typed():
    """Every `mem` command of the pages' sh blocks, without comments and pipes."""
    text = "".join(PAGES.values())
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command = re.split(r"\s+#|\s\|\s", line)[0].strip()
            if command.startswith("mem "):
                yield command


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with the logs that the README names, and an npm that fails as it really did."""
    here = tmp_path_factory.mktemp("your-project")
    shutil.copy(LOGS / "npm-eresolve-react.a.txt", here / "build.log")
    shutil.copy(LOGS / "npm-eresolve-react.a.txt", here / "monday.log")
    shutil.copy(LOGS / "npm-eresolve-react.b.txt", here / "tuesday.log")
    shutil.copy(ROOT / "fixtures" / "loops" / "attempts" / "attempts.jsonl", here)
    datasets.small(here / "issues")
    npm = here / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\ncat build.log >&2\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    return here


def test_the_readme_shows_commands():
    assert len(list(typed())) >= 8


def test_every_command_of_the_readme_runs_in_its_order(project):
    path = os.pathsep.join([str(project / "bin"), str(MEM.parent), os.environ["PATH"]])
    environ = {
        **os.environ,
        "PATH": path,
        "HOME": str(project),
        "MEM_SEMANTIC_MODEL": str(MINILM),
    }
    environ.pop("MEM_DIR", None)
    answered = {}
    for command in typed():
        done = subprocess.run(
            ["sh", "-c", command], cwd=project, env=environ, capture_output=True, text=True
        )
        answered[command] = done.returncode
        assert done.returncode in {0, 1}, f"{command}: {done.stderr}"
        assert "Traceback" not in done.stderr, command
    assert answered["mem run -- npm ci"] == 1  # npm's own
    assert answered["mem patterns show pat-error-npm-error-missing"] == 0
    assert answered["mem sig diff monday.log tuesday.log"] == 0
    assert (project / ".mem" / "journal.jsonl").exists()


def test_the_python_of_the_readme_runs(project, monkeypatch):
    [code] = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(project)
    monkeypatch.delenv("MEM_DIR", raising=False)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["hits"]
    assert isinstance(names["block"], str)


def shown():
    """Every `mem` command of the README's console blocks, with what is shown for it."""
    for _, block in re.findall(r"^(`{3,})console\n(.*?)^\1$", README, re.MULTILINE | re.DOTALL):
        command, _, output = block.removeprefix("$ ").partition("\n")
        if command.startswith("mem "):
            yield command, output


def untimed(output):
    """Without what the run decides: times, and the line that the demo adds."""
    output = re.sub(r"^\(\d+ ms, .*\n", "", output, flags=re.MULTILINE)
    return re.sub(r"[\d.]+ ms$", "… ms", output, flags=re.MULTILINE)


def test_what_the_readme_shows_is_what_is_printed(tmp_path):
    environ = {**clean_environment(), "MEM_DIR": str(tmp_path), "PATH": str(MEM.parent)}
    commands = dict(shown())
    assert len(commands) == 2
    for command in ["mem index rebuild --memory fixtures/memory", *commands]:
        done = subprocess.run(
            shlex.split(command), cwd=ROOT, env=environ, capture_output=True, text=True, check=True
        )
        if command in commands:
            assert untimed(done.stdout) == untimed(commands[command])


def test_files_that_the_pages_name_are_there():
    for page, text in PAGES.items():
        for name in re.findall(
            r"`((?:scripts|indexing|retrieval|fixtures|notebooks)/[\w/.-]*)", text
        ):
            assert (ROOT / name).exists(), name
        for link in re.findall(r"\]\(([\w/.-]+)(?:#[\w-]+)?\)", text):
            assert (page.parent / link).exists(), link
