"""Kinds of output that were met in logs of other projects, each told here in a few own lines."""

import pytest

from indexing.signature import extract

_KOTLIN = "e: file:///ws/app/Main.kt:17:45 Too many arguments for 'constructor()'."
_STEP = "2025-09-24T21:50:0{}.1186974Z "

ROOTS = {
    "a byte order mark that a Windows shell misread": (
        "\u2229\u2557\u2510" + _STEP.format(1) + "##[group]Run make\n" + _STEP.format(2) + "make\n"
        "\u2229\u2557\u2510" + _STEP.format(3) + "##[endgroup]\n"
        "\u00b4\u2557\u2510"
        + _STEP.format(4)
        + "a.c:1:2: error: 'x' undeclared\n"
        + _STEP.format(5)
        + "##[error]Process completed with exit code 2.\n",
        "gcc",
        "a.c:1:2: error: 'x' undeclared",
    ),
    "flutter --verbose puts the time before each line": (
        f"[   +4 ms] > Task :app:compileKotlin FAILED\n[        ] {_KOTLIN}\n[+1596 ms] exiting\n",
        "gradle",
        _KOTLIN,
    ),
    "pnpm -r puts the package before each line": (
        "libs/ui lint$ eslint src\nlibs/ui lint: /ws/libs/ui/a.ts\n"
        "libs/ui lint:   3:9  error  'n' is never reassigned  prefer-const\n"
        "libs/ui lint: \u2716 1 problem (1 error, 0 warnings)\nlibs/ui lint: Failed\n",
        "eslint",
        "3:9  error  'n' is never reassigned  prefer-const",
    ),
    "source in a snippet is no error": (
        "warning: this could be inlined\n  --> src/a.rs:70:9\n   |\n"
        '70 |     .map_err(|e| Failed::Error("Serialization error: x"))?;\n'
        "   |     ^^^^\n$ ./publish\nrejected: the version is taken, cannot publish\n",
        "generic",
        "rejected: the version is taken, cannot publish",
    ),
    "a check of the system is no error": (
        "-- Looking for pthread_create - not found\n-- Could NOT find Doxygen (missing: BIN)\n"
        "checking for foo.h... not found\ndeploy: cannot reach the mirror\n",
        "generic",
        "deploy: cannot reach the mirror",
    ),
    "a script that is shown is no output": (
        'if [ -z "$PKG" ]; then echo "Could not determine the name"; exit 1; fi\n'
        'echo "Error: no name"\nmirror: cannot connect\n',
        "generic",
        "mirror: cannot connect",
    ),
    "a value of a record is no event": (
        "            Error: ''\n            OOMKilled: false\nrsync: cannot connect\n",
        "generic",
        "rsync: cannot connect",
    ),
    "a task of ansible on one line": (
        'web | SUCCESS => {"changed": false}\n'
        'web | FAILED! => {"changed": false,"msg": "no \\"apt-key\\" in paths"}\n'
        "CRITICAL Ansible return code was 2, command was: ansible-playbook site.yml\n",
        "ansible",
        'web | FAILED! => {"changed": false,"msg": "no \\"apt-key\\" in paths"}',
    ),
    "go names the way to the module that is missing": (
        "go: finding module for package example.org/shop/core\n"
        "go: example.org/shop/tests tested by\n\texample.org/shop/tests.test imports\n"
        '\texample.org/shop/core: no matching versions for query "latest"\n',
        "go",
        'example.org/shop/core: no matching versions for query "latest"',
    ),
    "gradle relays what aapt says": (
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\n"
        "Execution failed for task ':app:processResources'.\n"
        "> A failure occurred while executing LinkTask\n   > Android resource linking failed\n"
        "     ERROR: /ws/res/stop.xml:6: AAPT: error: resource attr/tint not found.\n\n* Try:\n",
        "gradle",
        "ERROR: /ws/res/stop.xml:6: AAPT: error: resource attr/tint not found.",
    ),
    "a manifest of Android that cannot be merged": (
        "> Task :app:processDebugMainManifest FAILED\n"
        "/ws/src/AndroidManifest.xml:25:9-30:20 Error:\n"
        "\tElement activity#Main duplicated with element declared at AndroidManifest.xml:16:9\n"
        "* What went wrong:\nExecution failed for task ':app:processDebugMainManifest'.\n"
        "> Manifest merger failed with multiple errors, see logs\n",
        "gradle",
        "Element activity#Main duplicated with element declared at AndroidManifest.xml:16:9",
    ),
    "packages that dpkg removes anyway are not the failure": (
        "dpkg: pkgconf: dependency problems, but removing anyway as you requested:\n"
        " php-dev depends on pkg-config; however:\n  Package pkg-config is not installed.\n"
        "bundler: cannot find an icon\n",
        "generic",
        "bundler: cannot find an icon",
    ),
    "a step that holds an error of its own": (
        "##[group]Run setup/tool@v2\n##[endgroup]\nfatal: not this one, it was retried\n"
        "##[group]Run deploy/pages@v4\n##[endgroup]\n##[error]HttpError: Not Found\n"
        "Post job cleanup.\n",
        "generic",
        "HttpError: Not Found",
    ),
    "the runner's last word as its web page shows it": (
        "Run npm test\n'mocha' is not recognized as an internal or external command,\n"
        "operable program or batch file.\nError: Process completed with exit code 1.\n",
        "shell",
        "'mocha' is not recognized as an internal or external command,",
    ),
    "the head of a traceback is cut off": (
        '  File "/ws/a.py", line 9, in encode\n    return codec(x)\n           ^^^^^^^^\n'
        "UnicodeEncodeError: 'charmap' codec can't encode '\\u2705'\n",
        "python",
        "UnicodeEncodeError: 'charmap' codec can't encode '\\u2705'",
    ),
    "what PowerShell wraps around a program's stderr": (
        "node.exe : The bundle cannot be written\nAt C:\\nodejs\\npm.ps1:29\nchar:3\n"
        "+   & $NODE $args\n+   ~~~~~~~~~~\n    + CategoryInfo : NotSpecified: (x:String) []\n",
        "generic",
        "node.exe : The bundle cannot be written",
    ),
    "vite counts the errors before it names the first": (
        "error during build:\n[vite:esbuild] Transform failed with 2 errors:\n"
        '/ws/Card.jsx:15:14: ERROR: Unexpected closing "div" tag\n'
        '/ws/Card.jsx:16:14: ERROR: Unexpected closing "p" tag\n',
        "webpack",
        '/ws/Card.jsx:15:14: ERROR: Unexpected closing "div" tag',
    ),
    "Spring says why in prose": (
        "ERROR 154 --- [main] o.s.b.d.LoggingFailureAnalysisReporter   :\n\n"
        "***************************\nAPPLICATION FAILED TO START\n***************************\n\n"
        "Description:\n\nFailed to configure a DataSource: 'url' attribute is not specified.\n\n"
        "Action:\n\nConsider an embedded database.\n",
        "javac",
        "Failed to configure a DataSource: 'url' attribute is not specified.",
    ),
    "mockito's classes are not all named Error": (
        "[ERROR] com.acme.CartTest.drops  Time elapsed: 0.02 s  <<< FAILURE!\n"
        "org.mockito.exceptions.verification.TooManyActualInvocations: \n\ncart.drop(<any>);\n",
        "maven",
        "org.mockito.exceptions.verification.TooManyActualInvocations:",
    ),
    "a compiler that nobody here knows": (
        "ERROR: the loader found no driver, going on\nstrutils is unused\n"
        "/ws/src/vulkan.nim(25, 26) Error: cannot open file: sdf.spv\n",
        "generic",
        "/ws/src/vulkan.nim(25, 26) Error: cannot open file: sdf.spv",
    ),
    "phpstan's table": (
        " ------ ------------------\n  Line   src/Cart.php\n ------ ------------------\n"
        "  138    Call to an undefined method Cart::totl().\n ------ ------------------\n"
        " [ERROR] Found 1 error\nphp: done\n",
        "php",
        "138    Call to an undefined method Cart::totl().",
    ),
    "Laravel's console": (
        "   INFO  Seeding database.\n\n   App\\Exceptions\\SeedException\n\n"
        "  The mail of ann is taken.\n\n  at src/Seeder.php:841\n    837 $a\n",
        "php",
        "The mail of ann is taken.",
    ),
    "an assertion as C prints it on Windows": (
        "running\nAssertion failed: ctx->isReady(), file C:\\src\\a.cpp, line 40\nexit\n",
        "shell",
        "Assertion failed: ctx->isReady(), file C:\\src\\a.cpp, line 40",
    ),
    "node's syntax errors are not Python's": (
        "/ws/a.js:5\n  await x;\n  ^^^^^\n\nSyntaxError: await is only valid in async functions\n"
        "    at wrapSafe (node:internal/modules/cjs/loader:1378:20)\n\nNode.js v20.11.0\n",
        "node",
        "SyntaxError: await is only valid in async functions",
    ),
    "an action of bazel, whose command says why": (
        "INFO: Found 1 target...\nERROR: /ws/BUILD:5:8: Action a.o failed (Exit 1) gcc failed: "
        "error executing command gcc -c a.c\n\nUse --sandbox_debug to see verbose messages\n"
        "gcc: error trying to exec 'cc1': execvp: No such file or directory\n"
        "FAILED: Build did NOT complete successfully\n",
        "shell",
        "gcc: error trying to exec 'cc1': execvp: No such file or directory",
    ),
    "TeX stops at a line of the source": (
        "This is pdfTeX, Version 3.14\n! Undefined control sequence.\nl.12 \\totl\n"
        "!  ==> Fatal error occurred, no output PDF file produced!\n",
        "latex",
        "! Undefined control sequence.",
    ),
    "pest": (
        "   FAIL  Tests\\CartTest\n  \u2a2f keeps the total\n"
        "   FAILED  Tests\\CartTest > keeps the total\n"
        "  Failed asserting that 100 is identical to 119.\n\n  at tests/CartTest.php:22\n",
        "php",
        "Failed asserting that 100 is identical to 119.",
    ),
    "a record of PowerShell": (
        "gh : run 42 is still in progress; come back\nAt C:\\ws\\a.ps1:87 char:28\n"
        "+ ... gh run view 42 --log 2> ...\n+    ~~~~~~~~~~~~~~~\n"
        "    + CategoryInfo          : NotSpecified: (x:String) [], RemoteException\n"
        "    + FullyQualifiedErrorId : NativeCommandError\n",
        "pester",
        "gh : run 42 is still in progress; come back",
    ),
    "source that pytest cannot read": (
        "=== ERRORS ===\n/usr/lib/ast.py:50: in parse\n    return compile(source)\n"
        'E     File "/ws/test_a.py", line 279\nE       match result:\nE             ^\n'
        "E   SyntaxError: invalid syntax\n=== short test summary info ===\nERROR test_a.py\n",
        "pytest",
        "E   SyntaxError: invalid syntax",
    ),
    "rspec prints a short message without a blank line": (
        "Failures:\n\n  1) Shop loads\n     Failure/Error: expect(page).to be_ok\n"
        "       expected `page.ok?` to be truthy, got false\n     # ./spec/a_spec.rb:13\n\n"
        "  2) Shop sells\n     Failure/Error: expect(1).to eq(2)\n\n2 examples, 2 failures\n",
        "rspec",
        "expected `page.ok?` to be truthy, got false",
    ),
    "prisma's code, and what it stands for": (
        "Loaded the schema.\n\nError: P3006\n\nMigration `1_init` failed to apply cleanly.\n",
        "node",
        "Migration `1_init` failed to apply cleanly.",
    ),
    "rustfmt shows what it would change": (
        "Diff in /ws/src/apt.rs:531:\n-        a,\n+    b, // cannot fail, no error\n",
        "cargo",
        "Diff in /ws/src/apt.rs:531:",
    ),
    "mock asks for a package that is not there": (
        "Updating and loading repositories:\nNo matching package to install: 'foo-devel >= 3'\n"
        "Not all dependencies satisfied\nError: Some packages could not be found.\n",
        "apt",
        "No matching package to install: 'foo-devel >= 3'",
    ),
}


@pytest.mark.parametrize("name", ROOTS)
def test_the_root_of_the_kind(name):
    output, tool, root = ROOTS[name]
    found = extract(output)
    assert (found.raw, found.tool) == (root, tool)


@pytest.mark.parametrize(
    "passing",
    [
        "warning: unused variable: `node`\n   --> src/main.rs:3:5\n"
        "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.14s\n",
        "    raises ConnectionError if command not found\n\n13 examples, 0 failures\n",
        "When I see the error page # features/a.rb:3\n5 scenarios (5 passed)\n41 steps (41 passed)",
        '".\\build\\rtthread.axf" - 0 Error(s), 0 Warning(s).\n',
        "an error was thrown, as wanted\n     Summary [  7.9s] 43 tests run: 43 passed\n",
        "[warn] error rate is high\n[success] Total time: 3 s, completed 10 Apr 2025\n",
        "#10 writing image sha256:b99775e6764d271f done\n#10 DONE 0.1s\n",
        "PLAY RECAP ***\nvm : ok=5 changed=2 unreachable=0 failed=0 rescued=0 ignored=0\n",
        'time=2025-06-19T10:10:57Z level=INFO msg="failed to raise the buffer"\nAll done!\n',
    ],
)
def test_what_only_has_the_words_of_a_failure_is_none(passing):
    assert extract(passing) is None


def test_an_error_after_the_word_of_success_is_a_failure():
    built = "    Finished `dev` profile [unoptimized] target(s) in 0.14s\n     Running `x`\n"
    assert extract(built + "Error: no such port\n").raw == "Error: no such port"


def test_who_holds_a_lock_and_the_runner_s_trailer_are_no_part_of_what_terraform_says():
    said = "Error: Error acquiring the state lock\n\nError message: the condition failed\n"
    one = said + "Lock Info:\n  ID: 1a\n  Who: ann@a\nterraform exited with code 1\n"
    two = said + "Lock Info:\n  ID: 9f\n  Who: bob@b\nError: Terraform exited with code 1.\n"
    assert extract(one).sig_sha == extract(two).sig_sha
    assert "the condition failed" in extract(one).normalised


def test_what_the_services_of_a_job_said_did_not_fail_its_step():
    output = (
        "##[group]Run npm run check\n##[endgroup]\nthe schema has drifted\n"
        "##[error]Process completed with exit code 2.\nStop containers\n"
        '2026-02-16 18:04:30.967 UTC [75] FATAL:  role "root" does not exist\n'
    )
    assert extract(output).raw == "the schema has drifted"


def test_scala_3_errors_of_one_place_are_told_apart_by_what_they_say():
    error = "[error] -- [E007] Type Mismatch Error: /ws/A.scala:13:44\n[error] 13 |  f(x)\n"
    error += "[error]    |    ^\n[error]    |    Found:    {}\n[error] one error found\n"
    assert extract(error.format("Int")).sig_sha != extract(error.format("Long")).sig_sha


FRAMES = {
    "github": "##[group]Run make check\n\x1b[36;1mmake || echo Error\x1b[0m\n##[endgroup]\n{}"
    "##[error]Process completed with exit code 1.\nPost job cleanup.\n",
    "gitlab": "Running with gitlab-runner 16.1.0\n\x1b[0Ksection_start:1690000010:step\r\x1b[0K"
    'Executing "step" stage\n$ make check\n{}section_end:1690000020:step\r\x1b[0K'
    "ERROR: Job failed: exit code 1\n",
    "jenkins": "Started by timer\n[Pipeline] sh\n+ make check\n{}[Pipeline] End of Pipeline\n"
    "ERROR: script returned exit code 2\nFinished: FAILURE\n",
    "travis": 'travis_fold:start:deps\r\x1b[0K$ make deps\nThe command "make deps" exited with 0.\n'
    '$ make check\n{}The command "make check" exited with 2.\n\nDone. Your build exited with 1.\n',
    "azure": "##[section]Starting: Check\n=====\nTask : Command line\n{}"
    "##[error]Bash exited with code '2'.\n##[section]Finishing: Check\n",
    "buildkite": "\x1b_bk;t=1690000000001\x07~~~ Running commands\n$ make check\n{}"
    "\U0001f6a8 Error: The command exited with status 2\nuser command error: exit status 2\n",
    "after a long run that expects errors": "".join(
        f"ok {n} - rejects what is bad\n    \u2713 throws Error: boom {n} (3ms)\n"
        for n in range(90)
    )
    + "{}",
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", [name for name in ROOTS if "##[" not in ROOTS[name][0]])
def test_no_runner_changes_the_signature(name, frame):
    output = ROOTS[name][0]
    assert extract(FRAMES[frame].replace("{}", output)).sig_sha == extract(output).sig_sha
