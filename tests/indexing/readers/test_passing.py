import pytest

from indexing.readers.passing import passing

PASSING = [
    "✓ fails when the token is missing",
    "Preflight fails when gh is not found ✓",
    "✓ rejects errors (12 ms)",
    "Preflight fails when gh is not found ✓ (3ms)",
    "ok 12 - error path",
    "ok  \tpkg/errors\t0.03s",
    "ok  pkg/errors 0.03s",
    "PASS src/error.test.ts",
    "PASS: creates basic auth header",
    "PASSED tests/x.py::test_error",
    "tests/x.py::test_fails PASSED [ 41%]",
    "test fails_ok ... ok",
    "0 failed",
    "12 passed, 0 failed",
    "test result: ok. 5 passed; 0 failed; 0 ignored",
    "Found 0 errors.",
    "Tests run: 5, Failures: 0, Errors: 0",
    "Passed!  - Failed:     0, Passed:    12",
]

FAILING = [
    "10 failed",
    "1 failed, 3 passed",
    "0 failed, 1 error",
    "not ok 3 - parses",
    "AssertionError: expected '✓'",
    "TypeError: x ✓",
    "error: could not compile, 0 errors emitted",
    "FAILED (failures=0, errors=1)",
    "pod failed: 0/3 nodes are available",
    "Command failed: 0 bytes written",
    "✗ expected ✓",
    "FAIL src/a.test.ts",
    "PASS=1 is not set: error",
    "OK button is missing: cannot click",
    "error: PASS variable not set",
    "tests/a.py::t PASSED [ 1%]FAILED",
    "npm ERR! missing script: ok",
    "Process completed with exit code 1",
    "cannot find module 'ok'",
    "expected PASS but got FAIL",
    "",
]


@pytest.mark.parametrize("line", PASSING)
def test_a_passing_line_is_known(line):
    assert passing(line).startswith("is a passing line: ")


@pytest.mark.parametrize("line", FAILING)
def test_a_failing_line_is_not_taken_for_a_passing_one(line):
    assert passing(line) == ""
