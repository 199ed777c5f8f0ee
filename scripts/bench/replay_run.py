# ruff: noqa: E501 - a file of a case is one text
"""Loops that are really run: a project is made, broken, mended, and broken again in another folder.

Each case gives its files, a command, the change that breaks it and the change that mends it. The
first loop (red, change, green) and the later red run take place in different folders, the later one
under other line numbers where the case says so. Nothing here needs a network.
"""

import difflib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_TIMEOUT_S = 180
_AT = "2026-04-01T0{hour}:00:00Z"


class Case(NamedTuple):
    """A project, the command that checks it, and how it breaks.

    `broken` replaces files of `files`; `elsewhere` those of the later run, on top of `broken`. A
    file of None is taken away. `note` is what is told of the mending change.
    """

    name: str
    needs: str
    command: tuple[str, ...]
    files: Mapping[str, str | None]
    broken: Mapping[str, str | None]
    note: str
    elsewhere: Mapping[str, str | None] = {}


_PACKAGE = '{"name": "cart", "version": "1.0.0", "scripts": {"test": "node test.js"%s}}\n'
_LOCK = '{"name": "cart", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "cart", "version": "1.0.0"}}}\n'
_CARGO = '[package]\nname = "ledger"\nversion = "0.1.0"\nedition = "2021"\n'
_RUST = "pub fn total(xs: &[u32]) -> u32 {\n    xs.iter().sum()\n}\n"
_PY = "def gross(net, rate):\n    return net + net * rate // 100\n"
_PY_TEST = "from price import gross\n\n\ndef test_gross():\n    assert gross(100, 16) == 116\n"
_TF = 'variable "region" {\n  type    = string\n  default = "eu"\n}\n\noutput "where" {\n  value = var.region\n}\n'
_C = '#include <stdio.h>\n\nint total(int a, int b) { return a + b; }\n\nint main(void) {\n    printf("%d\\n", total(1, 2));\n    return 0;\n}\n'
_MAKE = "all: build/out.txt\n\nbuild/out.txt: in.txt\n\tmkdir -p build\n\tcp in.txt build/out.txt\n"
_GO = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("ok")\n}\n'

CASES = (
    Case(
        "npm-missing-script",
        "npm",
        ("npm", "run", "bundle"),
        {"package.json": _PACKAGE % ', "bundle": "node -e 0"'},
        {"package.json": _PACKAGE % ""},
        "Put the bundle script back into package.json.",
    ),
    Case(
        "npm-no-lock",
        "npm",
        ("npm", "ci", "--offline"),
        {"package.json": _PACKAGE % "", "package-lock.json": _LOCK},
        {"package-lock.json": None},
        "Commit package-lock.json again.",
    ),
    Case(
        "node-module",
        "npm",
        ("npm", "test"),
        {"package.json": _PACKAGE % "", "test.js": "require('./total')\n", "total.js": "1\n"},
        {"total.js": None},
        "Restore total.js, which the test requires.",
        {"test.js": "// sums\n\nrequire('./total')\n"},
    ),
    Case(
        "node-null",
        "npm",
        ("npm", "test"),
        {
            "package.json": _PACKAGE % "",
            "test.js": "const find = () => null\nconst user = find()\n"
            "if (user == null) {\n  process.exit(0)\n}\nconsole.log(user.email)\n",
        },
        {
            "test.js": "const find = () => null\nconst user = find()\nconsole.log(user.email)\n",
        },
        "Check that a user was found before the address is read.",
        {"test.js": "\n\nconst find = () => null\nconst user = find()\nconsole.log(user.email)\n"},
    ),
    Case(
        "node-reference",
        "npm",
        ("npm", "test"),
        {"package.json": _PACKAGE % "", "test.js": "const rate = 7\nconsole.log(rate)\n"},
        {"test.js": "console.log(rate)\n"},
        "Declare rate before it is used.",
        {"test.js": "// rates\n\n\nconsole.log(rate)\n"},
    ),
    Case(
        "node-assert",
        "npm",
        ("npm", "test"),
        {
            "package.json": _PACKAGE % "",
            "test.js": "require('assert').strictEqual(Math.round(13.075 * 100), 1308)\n",
        },
        {"test.js": "require('assert').strictEqual(Math.floor(13.075 * 100), 1308)\n"},
        "Round the cents; floor loses one.",
        {"test.js": "\n\nrequire('assert').strictEqual(Math.floor(13.075 * 100), 1308)\n"},
    ),
    Case(
        "cargo-types",
        "cargo",
        ("cargo", "build", "--offline"),
        {"Cargo.toml": _CARGO, "src/lib.rs": _RUST},
        {"src/lib.rs": _RUST.replace("xs.iter().sum()", '"0"')},
        "Return the sum and not its label.",
        {"src/lib.rs": "// totals\n\n" + _RUST.replace("xs.iter().sum()", '"0"')},
    ),
    Case(
        "cargo-unresolved",
        "cargo",
        ("cargo", "build", "--offline"),
        {
            "Cargo.toml": _CARGO,
            "src/lib.rs": "use std::fmt;\n" + _RUST + "\npub fn f(_: fmt::Error) {}\n",
        },
        {"src/lib.rs": _RUST + "\npub fn f(_: fmt::Error) {}\n"},
        "Bring std::fmt into scope with use.",
        {"src/lib.rs": "// totals\n\n" + _RUST + "\npub fn f(_: fmt::Error) {}\n"},
    ),
    Case(
        "cargo-borrow",
        "cargo",
        ("cargo", "build", "--offline"),
        {
            "Cargo.toml": _CARGO,
            "src/lib.rs": "pub fn f() -> u32 {\n    let mut x = 1;\n    x += 1;\n    x\n}\n",
        },
        {"src/lib.rs": "pub fn f() -> u32 {\n    let x = 1;\n    x += 1;\n    x\n}\n"},
        "Make x mutable.",
        {"src/lib.rs": "// counts\n\npub fn f() -> u32 {\n    let x = 1;\n    x += 1;\n    x\n}\n"},
    ),
    Case(
        "cargo-toml",
        "cargo",
        ("cargo", "build", "--offline"),
        {"Cargo.toml": _CARGO, "src/lib.rs": _RUST},
        {"Cargo.toml": _CARGO.replace('edition = "2021"', 'edition = "2020"')},
        "Name an edition that exists: 2021.",
    ),
    Case(
        "cargo-test",
        "cargo",
        ("cargo", "test", "--offline"),
        {
            "Cargo.toml": _CARGO,
            "src/lib.rs": _RUST + "\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n",
        },
        {
            "src/lib.rs": _RUST.replace(".sum()", ".product()")
            + "\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n"
        },
        "Sum the amounts; product was a slip.",
        {
            "src/lib.rs": "// totals\n\n"
            + _RUST.replace(".sum()", ".product()")
            + "\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n"
        },
    ),
    Case(
        "go-undefined",
        "go",
        ("go", "build", "./..."),
        {"go.mod": "module cart\n\ngo 1.20\n", "main.go": _GO},
        {"main.go": _GO.replace("fmt.Println", "fmt.Printline")},
        "Call fmt.Println.",
        {"main.go": "// cart\n\n" + _GO.replace("fmt.Println", "fmt.Printline")},
    ),
    Case(
        "go-unused",
        "go",
        ("go", "build", "./..."),
        {"go.mod": "module cart\n\ngo 1.20\n", "main.go": _GO},
        {"main.go": _GO.replace('import "fmt"', 'import (\n\t"fmt"\n\t"os"\n)')},
        "Take the unused import of os away.",
    ),
    Case(
        "pytest-assert",
        "pytest",
        ("python", "-m", "pytest", "-q"),
        {"price.py": _PY, "test_price.py": _PY_TEST},
        {"price.py": _PY.replace("net + ", "net - ")},
        "Add the tax; it was subtracted.",
        {"price.py": "# prices\n\n" + _PY.replace("net + ", "net - ")},
    ),
    Case(
        "pytest-module",
        "pytest",
        ("python", "-m", "pytest", "-q"),
        {"price.py": _PY, "test_price.py": _PY_TEST},
        {"price.py": None, "prices.py": _PY},
        "Name the module price again, as the tests import it.",
    ),
    Case(
        "pytest-name",
        "pytest",
        ("python", "-m", "pytest", "-q"),
        {
            "price.py": "def gross(net, rate):\n    return net + net * rate // 100\n",
            "test_price.py": _PY_TEST,
        },
        {"price.py": "def gross(net, rate):\n    return net + net * rates // 100\n"},
        "Use rate, the parameter's name.",
        {"price.py": "# prices\n\n\ndef gross(net, rate):\n    return net + net * rates // 100\n"},
    ),
    Case(
        "pytest-key",
        "pytest",
        ("python", "-m", "pytest", "-q"),
        {
            "price.py": "RATES = {'de': 19}\n\n\ndef gross(net, rate):\n    return net + net * RATES.get('at', rate) // 100\n",
            "test_price.py": _PY_TEST,
        },
        {
            "price.py": "RATES = {'de': 19}\n\n\ndef gross(net, rate):\n    return net + net * RATES['at'] // 100\n"
        },
        "Fall back to the given rate for an unknown country.",
        {
            "price.py": "# rates\nRATES = {'de': 19}\n\n\ndef gross(net, rate):\n    return net + net * RATES['at'] // 100\n"
        },
    ),
    Case(
        "pytest-fixture",
        "pytest",
        ("python", "-m", "pytest", "-q"),
        {
            "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef rate():\n    return 16\n",
            "test_price.py": "def test_rate(rate):\n    assert rate == 16\n",
        },
        {"conftest.py": ""},
        "Put the fixture rate back into conftest.py.",
    ),
    Case(
        "python-syntax",
        "pytest",
        ("python", "-m", "pytest", "-q"),
        {"price.py": _PY, "test_price.py": _PY_TEST},
        {"price.py": _PY.replace("rate):", "rate)")},
        "Put the colon at the end of the def line back.",
        {"price.py": "# prices\n" + _PY.replace("rate):", "rate)")},
    ),
    Case(
        "terraform-undeclared",
        "terraform",
        ("terraform", "validate", "-no-color"),
        {"main.tf": _TF},
        {"main.tf": _TF.replace("var.region", "var.zone")},
        "Refer to var.region, the variable that is declared.",
        {"main.tf": "# where\n\n" + _TF.replace("var.region", "var.zone")},
    ),
    Case(
        "terraform-argument",
        "terraform",
        ("terraform", "validate", "-no-color"),
        {"main.tf": _TF},
        {"main.tf": _TF.replace("  value", "  valeu")},
        "Spell value; an output has no valeu.",
        {"main.tf": "# where\n\n" + _TF.replace("  value", "  valeu")},
    ),
    Case(
        "terraform-brace",
        "terraform",
        ("terraform", "validate", "-no-color"),
        {"main.tf": _TF},
        {"main.tf": _TF.rstrip("}\n") + "\n"},
        "Close the block of the output.",
        {"main.tf": "# where\n\n" + _TF.rstrip("}\n") + "\n"},
    ),
    Case(
        "gcc-semicolon",
        "gcc",
        ("gcc", "-o", "cart", "main.c"),
        {"main.c": _C},
        {"main.c": _C.replace("return a + b;", "return a + b")},
        "Put the semicolon after the sum back.",
        {"main.c": "/* cart */\n\n" + _C.replace("return a + b;", "return a + b")},
    ),
    Case(
        "gcc-undefined",
        "gcc",
        ("gcc", "-o", "cart", "main.c"),
        {"main.c": _C},
        {
            "main.c": _C.replace(
                "int total(int a, int b) { return a + b; }", "int total(int a, int b);"
            )
        },
        "Define total; it is only declared.",
        {
            "main.c": "/* cart */\n\n"
            + _C.replace("int total(int a, int b) { return a + b; }", "int total(int a, int b);")
        },
    ),
    Case(
        "make-target",
        "make",
        ("make",),
        {"Makefile": _MAKE, "in.txt": "1\n"},
        {"in.txt": None},
        "Restore in.txt, from which the output is made.",
    ),
    Case(
        "make-command",
        "make",
        ("make",),
        {"Makefile": _MAKE, "in.txt": "1\n"},
        {"Makefile": _MAKE.replace("\tcp", "\tcopy-asset")},
        "Copy with cp; copy-asset is no command here.",
    ),
)


def scenarios() -> tuple[list[dict[str, Any]], list[str]]:
    """What `replay.Scenario` takes, for each case that can run, and the tools that are missing."""
    missing = sorted({case.needs for case in CASES if not _has(case.needs)})
    base = Path(tempfile.mkdtemp(prefix="replay-run-"))
    try:
        made = [_ran(case, base) for case in CASES if case.needs not in missing]
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return made, missing


def _has(tool: str) -> bool:
    if tool == "pytest":
        import importlib.util

        return importlib.util.find_spec("pytest") is not None
    return shutil.which(tool) is not None


def _ran(case: Case, base: Path) -> dict[str, Any]:
    here, there = base / "a" / "checkout", base / "builds" / case.name / "work"
    for folder in (here, there):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write(folder, case.files)
    _write(here, case.broken)
    red = _run(case, here)
    _write(here, case.files)
    green = _run(case, here)
    _write(there, {**case.broken, **case.elsewhere})
    later = _run(case, there)
    if red[0] == 0 or green[0] != 0 or later[0] == 0:
        raise SystemExit(f"{case.name}: red {red}, green {green}, later {later}")
    loop = {"loop": f"run-{case.name}", "command": " ".join(case.command)}
    diff = _diff({**case.files, **case.broken}, case.files)
    files = list(case.broken)
    return {
        "name": f"run/{case.name}",
        "kind": "run",
        "group": f"run/{case.name}",
        "attempts": (
            {**loop, "exit_code": red[0], "output": red[1], "at": _AT.format(hour=1)},
            {
                **loop,
                "exit_code": 0,
                "output": green[1],
                "at": _AT.format(hour=2),
                "note": case.note,
                "diff": diff,
                "files": files,
            },
        ),
        "later": later[1],
        "fix": case.note,
    }


def _write(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _run(case: Case, folder: Path) -> tuple[int, str]:
    command = list(case.command)
    if command[0] == "python":
        command[0] = sys.executable
    env = {**os.environ, "CI": "1", "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_TIMEOUT_S,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _diff(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> str:
    lines = []
    for name in sorted({*before, *after}):
        one, other = before.get(name) or "", after.get(name) or ""
        lines += difflib.unified_diff(
            one.splitlines(True), other.splitlines(True), f"a/{name}", f"b/{name}"
        )
    return "".join(lines)
