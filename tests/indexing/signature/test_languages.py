"""Tools that are not installed where the fixtures were captured, as their sources say they print.

Each case: the tool, its output, the root line's start, and what the normal form must hold too.
"""

import pytest

from indexing.signature import extract

CASES = {
    "ghc": (
        "haskell",
        """
[1 of 2] Compiling Lib ( src/Lib.hs, dist/Lib.o )
src/Lib.hs:9:1: warning: [-Wunused-imports]
    The import of ‘Data.Char’ is redundant

/home/travis/build/a/b/src/Lib.hs:11:26: error:
    • Variable not in scope:
        bimapTree :: Int
   |
11 | a = bimapTree 3

--  While building package a-0.1.0 using:
    Process exited with code: ExitFailure 1
""",
        "/home/travis/build/a/b/src/Lib.hs:11:26: error:",
        ["Variable not in scope", "bimapTree"],
    ),
    "ghc-7": (
        "haskell",
        """
src/Lib.hs:9:1: Warning:
    Defined but not used
IHaskell/Display/Diagrams.hs:15:42:
    Not in scope: type constructor or class ‘V2’
cabal: Error: some packages failed to install:
""",
        "IHaskell/Display/Diagrams.hs:15:42:",
        ["'V2'"],
    ),
    "hspec": (
        "haskell",
        """
Preprocessing test suite 'spec' for a-0.1, running ghc
Failures:

  test/Spec.hs:10:5:
  1) Prelude.head returns the first element
       expected: 3
        but got: 2

1 example, 1 failure
Test suite spec: FAIL
""",
        "expected: 3",
        ["but got: 2", "head returns the first"],
    ),
    "exunit": (
        "elixir",
        """
$ mix test
.

  1) test adds an item (CartTest)
     test/cart_test.exs:5
     Assertion with == failed
     code:  assert total(cart) == 3
     left:  2
     right: 3
     stacktrace:
       test/cart_test.exs:6: (test)

2 tests, 1 failure
""",
        "Assertion with == failed",
        ["total(cart) == 3", "adds an item (CartTest)"],
    ),
    "mix-compile": (
        "elixir",
        """
Compiling 3 files (.ex)

== Compilation error in file lib/cart.ex ==
** (CompileError) lib/cart.ex:3: undefined function total/1
    (stdlib) lists.erl:1338: :lists.foreach/2
""",
        "** (CompileError) lib/cart.ex:3: undefined function total/1",
        [],
    ),
    "mix-compile-new": (
        "elixir",
        """
Compiling 3 files (.ex)
    error: undefined variable "x"
    │
  3 │     x
    └─ lib/cart.ex:3:5: Cart.total/0

== Compilation error in file lib/cart.ex ==
** (CompileError) lib/cart.ex: cannot compile module Cart (errors have been logged)
""",
        'error: undefined variable "x"',
        [],
    ),
    "erlc": (
        "erlang",
        """
===> Compiling shop
src/cart.erl:9: Warning: variable 'X' is unused
===> Compiling src/cart.erl failed
src/cart.erl:12: function total/1 undefined
""",
        "src/cart.erl:12: function total/1 undefined",
        [],
    ),
    "eunit": (
        "erlang",
        """
$ ./rebar eunit
cart_test: prices_error_test...ok
cart_test: range_test...*failed*
in function cart_test:'-range_test/0-fun-0-'/2 (test/cart_test.erl, line 33)
**error:{assertEqual_failed,[{module,cart_test},
                     {line,33},
                     {expression,"total ( )"},
                     {expected,3},
                     {value,2}]}

=======================================================
  Failed: 1.  Skipped: 0.  Passed: 7.
ERROR: One or more eunit tests failed.
""",
        "**error:{assertEqual_failed",
        ["{expected,3}", "{value,2}", "range_test"],
    ),
    "common-test": (
        "erlang",
        """
===> Running Common Test suites...
%%% cart_SUITE: .
%%% cart_SUITE ==> total: FAILED
%%% cart_SUITE ==> {{badmatch,2},[{cart_SUITE,total,1,[]}]}
Failed 1 tests. Passed 3 tests.
===> Failures occurred running tests: 1
""",
        "%%% cart_SUITE ==> {{badmatch,2}",
        ["total: FAILED"],
    ),
    "xcodebuild": (
        "swift",
        """
$ xcodebuild test -scheme Shop
xcodebuild: error: Failed to build workspace Sample with scheme Tests.
    Reason: Xcode cannot run using the selected device.
** TEST FAILED **
""",
        "xcodebuild: error: Failed to build workspace",
        ["Xcode cannot run"],
    ),
    "xctest": (
        "gcc",
        """
Test Case '-[ShopTests.CartTests testError]' passed (0.001 seconds).
/Users/travis/build/a/b/CartTests.swift:12: error: -[ShopTests.CartTests testTotal] : \
XCTAssertEqual failed: ("1") is not equal to ("2")
Test Case '-[ShopTests.CartTests testTotal]' failed (0.010 seconds).
** TEST FAILED **
""",
        "/Users/travis/build/a/b/CartTests.swift:12: error: -[ShopTests.CartTests testTotal]",
        [],
    ),
    "clojure": (
        "clojure",
        """
lein test a.core-test

FAIL in (test-total) (core_test.clj:22)
adds
expected: (= 3 (total cart))
  actual: (not (= 3 2))

Ran 2 tests containing 3 assertions.
1 failures, 0 errors.
Tests failed.
""",
        "FAIL in (test-total) (core_test.clj:22)",
        ["(not (= 3 2))"],
    ),
    "julia": (
        "julia",
        """
Testing Shop
total: Test Failed at /home/travis/build/a/Shop.jl/test/runtests.jl:12
  Expression: total(cart) == 3
   Evaluated: 2 == 3
ERROR: LoadError: Some tests did not pass: 1 passed, 1 failed, 0 errored, 0 broken.
ERROR: Package Shop errored during testing
""",
        "total: Test Failed at",
        ["total(cart) == 3", "2 == 3"],
    ),
    "julia-error": (
        "julia",
        """
Debug: Error During Test at /Users/travis/build/P/F.jl/test/runtests.jl:104
  Got exception outside of a @test
  LoadError: AssertionError: Model reduction is mismatched
ERROR: LoadError: Some tests did not pass
""",
        "LoadError: AssertionError: Model reduction is mismatched",
        [],
    ),
    "testthat": (
        "r",
        """
* checking tests ... ERROR
Running the tests in ‘tests/testthat.R’ failed.
Last 13 lines of output:
  ── Failure (test-cart.R:12:3): totals are right ──
  total(cart) not equal to 3.
  [ FAIL 1 | WARN 0 | SKIP 0 | PASS 8 ]
  Error: Test failures
  Execution halted
""",
        "total(cart) not equal to 3.",
        ["totals are right"],
    ),
    "r-error": (
        "r",
        """
* installing *source* package ‘shop’ ...
Error in loadNamespace(i, c(lib.loc, .libPaths()), versionCheck = vI[[i]]) :
  there is no package called ‘later’
ERROR: lazy loading failed for package ‘shop’
""",
        "Error in loadNamespace(",
        ["no package called 'later'"],
    ),
    "busted": (
        "lua",
        """
●●◼
2 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds

Failure → spec/cart_spec.lua @ 12
cart adds an item
spec/cart_spec.lua:14: Expected objects to be equal.
Passed in:
(number) 2
""",
        "spec/cart_spec.lua:14: Expected objects to be equal.",
        ["cart adds an item"],
    ),
    "ocaml": (
        "ocaml",
        """
File "src/cart.ml", line 3, characters 5-10:
Warning 26: unused variable x.
File "src/cart.ml", line 12, characters 5-10:
12 |   total "3"
          ^^^
Error: This expression has type string but an expression was expected of type int
""",
        "Error: This expression has type string",
        ["cart.ml"],
    ),
    "dub": (
        "dlang",
        """
Performing "unittest" build using dmd for x86_64.
source/cart.d(12,5): Deprecation: foo is deprecated
source/cart.d(14,5): Error: undefined identifier `total`
dmd failed with exit code 1.
""",
        "source/cart.d(14,5): Error: undefined identifier `total`",
        [],
    ),
    "dart-test": (
        "dart",
        """
00:01 +3: test/cart_test.dart: handles an error
00:01 +3 -1: test/cart_test.dart: adds an item [E]
  Expected: <3>
    Actual: <2>

  package:test expect
00:02 +3 -1: Some tests failed.
""",
        "Expected: <3>",
        ["Actual: <2>", "adds an item"],
    ),
    "bats": (
        "bats",
        """
1..2
ok 1 handles an error
not ok 2 adds an item
# (in test file test/cart.bats, line 12)
#   `[ "$status" -eq 0 ]' failed
""",
        '#   `[ "$status" -eq 0 ]\' failed',
        ["adds an item"],
    ),
    "pester": (
        "pester",
        """
Describing Cart
 [+] warns 12ms (9ms|3ms)
 [-] adds an item 61ms (58ms|3ms)
  Expected 2, but got 1.
Tests Passed: 1, Failed: 1, Skipped: 0
""",
        "Expected 2, but got 1.",
        ["adds an item"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_root_is_what_a_reader_would_point_at(name):
    tool, output, root, held = CASES[name]
    found = extract(output)
    assert found.tool == tool
    assert found.raw.startswith(root)
    assert [part for part in held if part not in found.normalised] == []


@pytest.mark.parametrize("name", CASES)
def test_a_runners_prefix_changes_neither_the_root_nor_the_hash(name):
    _, output, root, _ = CASES[name]
    stamped = "\n".join(f"2026-02-03T04:05:06.1234567Z {line}" for line in output.split("\n"))
    found = extract(stamped)
    assert found.raw.startswith(root)
    assert found.sig_sha == extract(output).sig_sha


@pytest.mark.parametrize(
    "passing",
    [
        "$ mix test\n..\nFinished in 0.1 seconds\n2 tests, 0 failures\n",
        "lein test a.core-test\n\nRan 2 tests containing 3 assertions.\n0 failures, 0 errors.\n",
        "Test Summary: | Pass  Total\nerrors       |    3      3\nTesting Shop tests passed\n",
        "00:01 +4: handles an error\n00:02 +4: All tests passed!\n",
        "* checking tests ... OK\n* DONE\nStatus: OK\n",
        " [+] raises an error 3ms (2ms|1ms)\nTests Passed: 1, Failed: 0, Skipped: 0\n",
        "src/cart.erl:9: Warning: variable 'X' is unused\n  All 3 tests passed.\n",
    ],
)
def test_a_run_that_passes_has_no_signature_of_its_tool(passing):
    found = extract(passing)
    assert found is None or found.rule == "generic:last-block"
