"""Faults that people met elsewhere in systems of this kind, by their id; each with a near miss."""

import time
import tracemalloc

import pytest

from indexing.redact import redact
from indexing.signature import explain, extract, keys, sign
from indexing.signature.lines import LONGEST
from indexing.signature.normalise import normalise

TRAILER = "##[error]Process completed with exit code 1."


def log(*lines):
    return "\n".join(lines) + "\n"


def same(one, other):
    return extract(one).sig_sha == extract(other).sig_sha


# Which line is the root.


@pytest.mark.parametrize("where", ["main.go:3:5: ", ""])
def test_b001_a_plain_compiler_line_beats_the_runners_trailer(where):
    one, other = (extract(log(f"{where}undefined: {name}", TRAILER)) for name in ("Foo", "Bar"))
    assert (one.line, other.line) == (1, 1)
    assert one.sig_sha != other.sig_sha


def test_b001_a_line_of_no_known_shape_beats_the_runners_trailer():
    one, other = (
        extract(log("##[group]Run ./x", "##[endgroup]", f"widget {name} is bent", TRAILER))
        for name in ("left", "right")
    )
    assert one.raw == "widget left is bent"
    assert one.sig_sha != other.sig_sha


def test_b001_a_trailer_stays_when_it_is_all_there_is():
    assert extract(log("##[group]Run ./x", "##[endgroup]", TRAILER)).raw == TRAILER[9:]


def test_b002_lines_that_wrap_the_cause_are_not_it():
    explanation = explain(
        log(
            "Traceback (most recent call last):",
            '  File "train.py", line 3, in <module>',
            "    save()",
            "OSError: [Errno 28] No space left on device",
            TRAILER,
            "[OSDC] Step script exited",
            "##[error]Executing the custom container implementation failed",
            "TypeError: Cannot read properties of null (reading 'jobPod')",
        )
    )
    assert explanation.signature.raw == "OSError: [Errno 28] No space left on device"
    assert {skipped.line for skipped in explanation.skipped} >= {5, 7}


def test_b004_errors_that_a_passing_test_prints_are_not_the_failure():
    failed = [
        "  [-] Add-Item fails 61ms (58ms|3ms)",
        "   Expected 2, but got 1.",
        "   at $list.Count | Should -Be 2, C:\\a\\Cart.Tests.ps1:14",
    ]
    found = extract(
        log(
            "Starting discovery in 1 files.",
            "Running tests from 'C:\\a\\Cart.Tests.ps1'",
            *["ERROR: simulated failure", "  [+] Add-Item warns 12ms (9ms|3ms)"] * 3,
            *failed,
            "Tests completed in 421ms",
            "Tests Passed: 3, Failed: 1, Skipped: 0 NotRun: 0",
        )
    )
    assert found.tool == "pester"
    assert found.line in (9, 10)
    assert "Add-Item fails" in found.normalised
    assert extract(log(*failed[:2])).sig_sha != extract(log(failed[0], "   Expected 3")).sig_sha


def test_b004_a_list_that_begins_with_a_dash_in_brackets_is_no_test():
    assert extract("error: no\n[-] remove a\n").raw == "error: no"


def test_b005_a_level_tag_is_not_a_failure():
    levels = ("INFO", "DEBUG", "WARN", "ERROR")
    noise = [
        f"2026-02-01T10:00:{n % 60:02d}Z [{levels[n % 4]}] req=req_{n:04d} lat=13 status=200"
        for n in range(1400)
    ]
    found = extract(log(*noise, "RuntimeError: FATAL: connection pool exhausted (max=64)"))
    assert found.line == 1401


def test_b007_of_junit_xml_the_message_is_the_root_and_the_stack_is_context():
    def report(seconds, frames):
        stack = "\n".join(f"goroutine {n} [running]:\nmain.f(0x{n:x})" for n in range(frames))
        return log(
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<testsuite name="e2e" tests="2" failures="1">',
            '  <testcase classname="e2e" name="fails on error" time="0.1"></testcase>',
            f'  <testcase classname="e2e" name="starts a pod" time="{seconds}">',
            f'    <failure message="Timed out after 300s &amp; gave up" type="">{stack}',
            "    </failure>",
            "  </testcase>",
            "</testsuite>",
        )

    found = extract(report(300.1, 30))
    assert found.tool == "junit"
    assert found.line == 5
    assert found.normalised.startswith("Timed out after <DUR> & gave up")
    assert "starts a pod" in found.normalised
    assert same(report(300.1, 30), report(301.7, 4))


def test_b007_a_message_that_says_nothing_gives_way_to_the_text():
    found = extract(
        log(
            "<testsuites>",
            '  <testcase classname="pkg" name="TestSum" time="0.01">',
            '    <failure message="Failed" type="">    sum_test.go:7: got 3, want 4</failure>',
            "  </testcase>",
            "</testsuites>",
        )
    )
    assert "got 3, want 4" in found.normalised


def test_b007_a_report_on_one_line_is_read_from_its_first_failure():
    passing = "".join(f'<testcase classname="t" name="error {n}" time="0.1" />' for n in range(300))
    report = (
        '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0">'
        f'{passing}<testcase classname="t" name="sum" time="0.2"><failure message="assert 3 == 4">'
        "def test_sum():</failure></testcase></testsuite></testsuites>"
    )
    found = extract(report)
    assert found.normalised == "sum t assert 3 == 4"
    assert found.raw in report


def test_b007_a_report_without_failures_has_no_signature():
    report = log("<testsuite>", '  <testcase name="error: is raised" time="0.1"/>', "</testsuite>")
    assert extract(report) is None or extract(report).tool != "junit"


def test_b008_what_a_wrapper_of_net_holds_is_the_root():
    inner = "OpenQA.Selenium.NoSuchElementException"
    outer = (
        "System.Reflection.TargetInvocationException{}: "
        "Exception has been thrown by the target of an invocation."
    )
    core = log(
        f"Unhandled exception. {outer.format('')}",
        f" ---> {inner}: #login",
        "   at App.Login() in /src/App.cs:line 7",
        "   --- End of inner exception stack trace ---",
        "   at System.RuntimeMethodHandle.InvokeMethod(Object target)",
    )
    framework = log(f"Unhandled Exception: {outer.format('')} ---> {inner}: #login", "   at A.B()")
    nunit = log(outer.format(" "), f"  ----> {inner} : #login", "   at A.B() in A.cs:line 3")
    for text in (core, framework, nunit):
        assert "#login" in extract(text).raw
        assert "target of an invocation" not in extract(text).normalised
    assert same(core, framework)
    assert not same(core, core.replace("#login", "#logout"))


def test_b010_the_labels_of_testify_say_what_is_wrong():
    labels = [
        "        \tError Trace:\tsuite_test.go:88",
        "        \tError:      \tShould be true",
        "        \tTest:       \tTestSuite_Go",
    ]
    bare = extract(log(*labels, "FAIL", "exit status 1"))
    assert bare.raw.endswith("Should be true")
    assert "TestSuite_Go" in bare.normalised
    headed = log("--- FAIL: TestSuite_Go (0.01s)", "    suite_test.go:88: ", *labels, "FAIL")
    assert extract(headed).raw.endswith("Should be true")
    assert extract("FAIL\nexit status 1\n").raw in ("FAIL", "exit status 1")


def test_b011_a_step_of_buildkit_is_known_by_its_number():
    def build(step, seconds):
        return log(
            f"#{step} [4/6] RUN npm run build",
            f"#{step} {seconds} src/a.ts(3,5): error TS2322: Type 'x' is not assignable",
            f'#{step} ERROR: process "/bin/sh -c npm run build" did not complete successfully: '
            "exit code: 2",
        )

    one = extract(build(14, "2.101"))
    assert one.raw.startswith("src/a.ts(3,5): error TS2322")
    assert same(build(14, "2.101"), build(12, "9.870"))
    assert one.context["command"] == "/bin/sh -c npm run build"


def test_b010_events_of_go_sign_as_what_was_printed():
    def event(text, test='"Test":"TestSum",'):
        return f'{{"Time":"2026-12-01T01:48:07.1Z","Action":"output",{test}"Output":"{text}\\n"}}'

    events = log(
        '{"Time":"2026-12-01T01:48:07.1Z","Action":"run","Package":"a/b","Test":"TestSum"}',
        event("=== RUN   TestSum"),
        event("    sum_test.go:7: got 3, want 4"),
        event("--- FAIL: TestSum (0.01s)"),
        '{"Time":"2026-12-01T01:48:07.2Z","Action":"fail","Test":"TestSum","Elapsed":0}',
        event("FAIL", ""),
    )
    plain = log("--- FAIL: TestSum (0.00s)", "    sum_test.go:9: got 3, want 4", "FAIL")
    assert same(events, plain)
    assert extract(events).line == 3
    assert extract('{"Action":"output","Output":"fine\\n"}\n{"Action":"output", bent').line == 2


def test_b013_a_retry_does_not_replace_the_first_attempt():
    title = "  1) [chromium] › binding.spec.ts:9:5 › keeps its model "
    first = "    Error: the persisted binding must still be this provider's model"
    again = "    Error: expect(received).toBe(expected) // Object.is equality"
    once = log(title + "─" * 20, "", first, "", "        at binding.spec.ts:12:7")
    retried = once + log("", "    Retry #1 " + "─" * 40, "", again, "", "    Retry #2", "", again)
    assert extract(retried).raw == first.strip()
    assert same(once, retried)
    assert not same(once, once.replace(first, again))


# What a signature is made of.


@pytest.mark.parametrize("length", [155, 1000, LONGEST - 60])
def test_b016_a_line_is_normalised_before_it_is_cut(length):
    def line(job):
        return f"error: job {job} failed: " + "the queue is full; " * (length // 19) + "x " * 300

    assert normalise(line("1a2b-77c4")) == normalise(line("1a2b-77c4-0e9d-beef"))
    assert same(line("1a2b-77c4"), line("1a2b-77c4-0e9d-beef"))
    assert not same(line("1a2b-77c4"), line("1a2b-77c4").replace("full", "gone", 1))


def test_b017_values_of_a_structured_message_go_and_its_keys_stay():
    at = "datetime.datetime({}, 23, 25, tzinfo=datetime.timezone.utc)"
    one = f"Error while processing: key1='a' key2=123456 key3=False at={at.format('2023, 5, 2')}"
    other = f"Error while processing: key1='b c' key2=7 key3=True at={at.format('2024, 1, 9')}"
    assert same(one, other)
    assert all(key in normalise(one) for key in ("key1=", "key2=", "key3=", "at="))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a=1 b=2 errno=111", "a=1 b=2 errno=110"),
        ("a=1 b=2 error='refused'", "a=1 b=2 error='reset'"),
        ("a=1 b=2 code=404", "a=1 b=2 code=500"),
        ("f(a=1, b=2, c=3) failed", "f(a=1, b=2, c=4) failed"),
        ("a=1 b=2", "a=1 b=3"),
    ],
)
def test_b017_a_value_that_is_the_complaint_stays(one, other):
    assert normalise(one) != normalise(other)


def test_b019_ids_broken_by_dashes_go_and_signs_stay():
    assert normalise("job 1a2b-77c4-0e9d failed") == normalise("job 9f31-face-beef failed")
    assert "-42" in normalise("expected -42, got 7")
    assert normalise("expected -42") != normalise("expected 42")
    assert "rc-42" in normalise("no such tag rc-42")


def test_b020_an_address_of_hardware_is_one_in_every_spelling():
    spellings = "no lease for 52:54:00:ab:cd:ef, 52-54-00-ab-cd-ef or 5254.00ab.cdef"
    assert normalise(spellings) == "no lease for <MAC>, <MAC> or <MAC>"
    assert normalise("route to fe80::1 is gone") != normalise("route to <MAC> is gone")


def test_b022_a_panic_is_the_same_with_and_without_the_number_of_its_thread():
    panics = [
        extract(log(f"thread 'main'{number} panicked at src/main.rs:3:5:", "boom")).sig_sha
        for number in ("", " (6543)", " (7001)")
    ]
    assert len(set(panics)) == 1
    assert extract(log("thread 'main' panicked at src/main.rs:3:5:", "bang")).sig_sha != panics[0]


def test_b023_an_address_cut_off_by_a_slice_goes():
    one, other = (f"FAILED t.py::test_x[<object object at {at}]" for at in ("0x7f5c", "0x7f76"))
    assert same(one, other)
    assert normalise("mask is 0xff") != normalise("mask is 0xfe")


def test_b025_workers_and_addresses_go():
    def collected(one, other, address):
        return log(
            f"Different tests were collected between {one} and {other}. The difference is:",
            f"--- {one}",
            "",
            f"+++ {other}",
            "",
            "@@ -1,2 +1,2 @@",
            f"-t.py::test_x[<function f at {address}>]",
        )

    assert same(collected("gw0", "gw1", "0x7f5c00112233"), collected("gw2", "gw3", "0x7f7699"))


def test_b026_a_map_of_go_is_printed_in_any_order():
    one, other = (f"panic: bad state map[{pairs}] seen" for pairs in ("b:2 a:1 c:3", "a:1 c:3 b:2"))
    assert same(one, other)
    assert not same(one, other.replace("a:1", "a:9"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"X:\ci\pytest-of-bob\pytest-12\m.py", r"X:\ci\pytest-of-bob\pytest-31\m.py"),
        (r"\\srv\share\t\m.py", r"X:\ci\pytest-of-bob\pytest-31\m.py"),
        ("/tmp/pytest-of-bob/pytest-12/m.py", r"X:\ci\pytest-of-bob\pytest-31\m.py"),
    ],
)
def test_b028_a_path_of_windows_signs_as_its_posix_twin(one, other):
    message = "ImportError: cannot import name 'total' from 'm' ({})"
    assert same(message.format(one), message.format(other))
    assert "m.py" in extract(message.format(one)).normalised
    assert not same(message.format(one), message.format(one.replace("m.py", "n.py")))


def test_b029_slashes_of_both_kinds_are_slashes():
    failed = "Assertion failure: !lookup(l).found(), at X:{}HashTable.h:1234"
    mixed, plain = r"\cache\dist\include\js/", "/cache/dist/include/js/"
    assert same(failed.format(mixed), failed.format(plain))
    assert "!lookup(l).found()" in normalise(failed.format(mixed))


def test_b031_exit_codes_are_kept_when_nothing_else_is_there():
    one, killed = (explain(f"Process exited with exit code {code}\n") for code in (1, 137))
    assert one.signature.sig_sha != killed.signature.sig_sha
    assert any("killed" in warning for warning in killed.warnings)
    assert not any("killed" in warning for warning in one.warnings)


def test_b032_the_number_of_an_error_survives():
    message = (
        "urllib3.exceptions.MaxRetryError: HTTPConnectionPool(host='db', port=80): Max retries "
        "exceeded with url: /" + "x" * 500 + " (Caused by NewConnectionError('[Errno {}] {}'))"
    )
    refused = extract(message.format(111, "Connection refused"))
    assert "[Errno 111]" in refused.normalised
    assert refused.sig_sha != extract(message.format(110, "Connection timed out")).sig_sha


def test_b034_two_colons_are_no_address():
    assert normalise("SomeClass::someMethod failed") != normalise("SomeClass::otherMethod failed")
    assert normalise("cannot find a::b") != normalise("cannot find a::c")


def test_b035_codes_of_compilers_survive():
    place = " --> src/a.rs:3:5"
    one = extract(log("error[E0308]: mismatched types", place))
    other = extract(log("error[E0277]: the trait bound is not satisfied", place))
    assert "E0308" in one.normalised
    assert "E0277" in other.normalised


def test_b037_lines_that_differ_only_at_their_end_differ():
    warning = "Error: " + "Warning: Each child in a list should have a unique key prop. " * 30
    assert not same(
        f"{warning}Check the render of `Cart`.", f"{warning}Check the render of `Menu`."
    )


def test_b038_one_helper_that_throws_for_many_does_not_join_them():
    frame = "    at run (/srv/app/lib/spawn.js:12:9)"
    one = log("Error: ffmpeg exited with code 1: Unknown encoder", frame)
    other = log("Error: git exited with code 128: not a repository", frame)
    assert not same(one, other)
    assert same(one, one.replace(":12:9", ":14:9"))


def test_b040_the_cause_inside_a_suite_is_part_of_it_or_the_lack_of_one_is_said():
    wrapper = "LIBRARY-TESTS-FAILED"
    analyzer = log("Cart.cs(3,5): error CA1062: validate parameter 'x' [/src/Cart.csproj]", wrapper)
    null = log(
        "  Failed Cart.Total [12 ms]",
        "  Error Message:",
        "   System.NullReferenceException : Object reference not set to an instance of an object.",
        wrapper,
    )
    assert not same(analyzer, null)
    assert any("not why" in warning for warning in explain(log(wrapper)).warnings)
    assert not any("not why" in warning for warning in explain(analyzer).warnings)


def test_b041_the_locator_and_the_test_split_what_the_timeout_says():
    def timeout(title, locator, line):
        return log(
            f"  1) [chromium] › shop.spec.ts:{line}:5 › {title} " + "─" * 30,
            "",
            "    TimeoutError: locator.click: Timeout 30000ms exceeded.",
            "    Call log:",
            f"      - waiting for {locator}",
        )

    save = timeout("saves", "getByRole('button', { name: 'Save' })", 7)
    assert not same(save, timeout("saves", "getByRole('button', { name: 'Pay' })", 7))
    assert not same(save, timeout("pays", "getByRole('button', { name: 'Save' })", 7))
    assert same(save, timeout("saves", "getByRole('button', { name: 'Save' })", 19))


def test_b049_two_failures_of_one_loop_are_two():
    a, b = "error: queue is full", "error: disk is gone"
    seen = [extract(text).sig_sha for text in (a, b) * 3]
    assert [seen.count(sha) for sha in dict.fromkeys(seen)] == [3, 3]


# Encodings, frames, neighbours.


def test_b053_escapes_that_arrive_as_two_characters_go():
    banner = "{0}[1;31m ! ERROR: Failed to build app{0}[0m"
    assert same(banner.format("^["), banner.format("\x1b"))
    assert "[1;31m" not in extract(banner.format("^[")).normalised
    assert normalise("error: pattern ^[a-z]") == "error: pattern ^[a-z]"


@pytest.mark.parametrize("end", ["\x07", "\x1b\\"])
def test_b055_a_link_is_its_text(end):
    link = (
        f"\x1b]8;;https://err.example/E1{end}error: no such table\x1b]8;;{end} \x1b[7mcart\x1b[27m"
    )
    assert extract(link).raw == "error: no such table cart"


def test_b056_only_the_last_frame_counts():
    def clone(last):
        frames = "\r".join(f"Receiving objects: {n}% ({n}/100)" for n in range(1, last))
        return [
            log("Cloning into 'shop'...", frames, "fatal: early EOF"),
            f"{frames}\rfatal: early EOF\n",
        ]

    for one, other in zip(clone(100), clone(71), strict=True):
        assert extract(one).raw == "fatal: early EOF"
        assert same(one, other)


def test_b058_a_mark_of_order_goes_from_every_line():
    stamp = "2026-02-03T04:05:06.1234567Z "
    plain = log(f"{stamp}Building", f"{stamp}error: no such table")
    marked = log(f"\ufeff{stamp}Building", f"\ufeff{stamp}error: no such table")
    assert extract(marked.encode()).raw == "error: no such table"
    assert same(plain, marked.encode())
    assert same(plain, log(f"{stamp}Building", f"{stamp}\ufefferror: no such table"))


def test_b059_bytes_that_are_not_utf8_sign_as_their_text_does():
    raw = b"warn: \x9d \xee \nerror: build failed\n"
    assert extract(raw).sig_sha == extract(raw.decode("utf-8", "replace")).sig_sha
    broken = b"error: build \x9d of \xee failed\n"
    assert extract(broken).sig_sha == extract(broken.decode("utf-8", "surrogateescape")).sig_sha


def test_b061_quotes_of_a_locale_do_not_split():
    one = extract("t.cpp:1:1: error: ‘weird’ does not name a type\n")
    other = extract("t.cpp:7:3: error: 'weird' does not name a type\n")
    assert one.sig_sha == other.sig_sha


def test_b061_a_tool_that_speaks_another_language_is_known_and_said():
    german = explain("t.cpp:1:1: Fehler: »weird« bezeichnet keinen Typ\n")
    assert german.signature.tool == "gcc"
    assert any("language" in warning for warning in german.warnings)
    english = explain("t.cpp:1:1: error: 'Fehler' does not name a type\n")
    assert not any("language" in warning for warning in english.warnings)


def test_b062_frames_that_repeat_and_lines_in_other_languages_change_nothing():
    def stack(word, frames, number):
        frame = rf"   bei App.Test(Int32 i) in X:\p\Program.cs:{word} {number}."
        return log("Unhandled exception. System.StackOverflow: too deep", *[frame] * frames)

    assert same(stack("Zeile", 300, 45), stack("Zeile", 2, 46))
    at = "crash in Program.cs:{} 45."
    assert normalise(at.format("Zeile")) == normalise(at.format("line"))
    assert normalise("on line 45 of 99 files") != normalise("on line 45 of 98 files")


def test_b064_results_are_attributed_by_the_name_of_the_test():
    headers = [
        "     Running tests/a.rs (target/debug/deps/a-1f2e3d4c5b6a7988)",
        "     Running tests/lock_tripwire_test.rs (target/debug/deps/lock-0a1b2c3d4e5f6071)",
    ]
    results = [
        "test lock_tripwire_test ... ok",
        "test sums_up ... FAILED",
        "test result: ok. 1 passed; 0 failed; 0 ignored",
        "---- sums_up stdout ----",
        "thread 'sums_up' panicked at tests/a.rs:4:5:",
        "assertion `left == right` failed",
        "test result: FAILED. 0 passed; 1 failed; 0 ignored",
    ]
    for found in (
        extract(log(*headers, *results)),
        extract(log(*results[:2], *headers, *results[2:])),
    ):
        assert "sums_up" in found.normalised
        assert "tripwire" not in found.normalised


def powershell(message, width):
    """What Windows PowerShell makes of a program's stderr: broken at blanks, in UTF-16."""
    lines, line = [], ""
    for word in message.split(" "):
        if line and len(line) + len(word) > width:
            lines.append(line)
            line = ""
        line += f"{word} "
    record = ["cargo :     Checking shop", "At line:1 char:1", "+ cargo check 2> out.txt"]
    record += ["    + FullyQualifiedErrorId : NativeCommandError ", " "]
    captured = [*record, *lines, line.rstrip(), "  --> src\\a.rs:3:5", "error: could not compile"]
    return "\r\n".join(captured).encode("utf-16")


def test_a_message_that_powershell_wrapped_signs_alike_at_any_width():
    message = "error[E0599]: no method named `total` found for struct `Cart` in the current scope"
    plain = log(message, "  --> src/a.rs:3:5")
    for width in (48, 60, 120):
        assert same(plain, powershell(message, width))
    assert not same(plain, powershell(message.replace("Cart", "Menu"), 60))


def test_a_line_that_ends_in_a_blank_is_not_taken_for_wrapped():
    text = log(
        "error: no such table ", "Cart is kept", "+ FullyQualifiedErrorId : None", "x" * 90 + " "
    )
    assert extract(text).joined == ()
    assert extract(text.replace("FullyQualifiedErrorId", "")).joined == ()


GLUED = "test_acl.py::test_a PASSED [100%]PASSED [ 41%]"


def test_b065_markers_that_are_glued_are_told_apart():
    failing = "test_vlan.py::test_b FAILED [ 52%]"
    found = extract(log(GLUED, f"test_acl.py::test_c PASSED [ 50%]{failing}", "exit status 123"))
    assert "test_vlan.py::test_b" in found.normalised
    assert "test_c" not in found.normalised
    assert found.sig_sha == extract(log(failing)).sig_sha


def test_b065_a_marker_without_a_name_accuses_no_passing_test():
    found = extract(log(GLUED, "test_acl.py::test_c PASSED [ 50%]FAILED [ 52%]"))
    assert "test_c" not in found.normalised
    assert extract(log(GLUED, "===== 2 passed in 0.10s =====")) is None


def test_b065_workers_of_xdist_report_one_test_a_line():
    found = extract(
        log("[gw0] [ 50%] PASSED t.py::test_a ", "[gw1] [100%] FAILED t.py::test_b[error] ")
    )
    assert "test_b" in found.normalised
    assert same("[gw1] [100%] FAILED t.py::test_b", "[gw0] [ 33%] FAILED t.py::test_b")


# Bounds.


def took(work, *arguments):
    best = 9e9
    for _ in range(2):
        start = time.process_time()
        work(*arguments)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("unit", ["at f(a,b){return c(d)};", "Error: x ", "/a/b.js:1:2 ", "a "])
def test_b068_a_line_of_any_length_is_cut_before_an_expression_sees_it(unit):
    line = "Error: " + unit * (1_000_000 // len(unit))
    assert len(extract(line).raw) <= LONGEST
    assert took(extract, line) < 30 * took(extract, line[:100_000]) + 0.05


def test_b070_long_numbers_and_local_parts_are_bounded_and_glued_durations_go():
    for hostile in ("retry" + "1" * 2_000 + "s", "a" * 10_000 + "@x", "a." * 5_000 + "@x"):
        assert took(normalise, hostile * 10) < 40 * took(normalise, hostile) + 0.05
    assert normalise("gave up, retry10s") == normalise("gave up, retry25s")
    assert normalise("after 5ms10s") == normalise("after 7ms12s")
    assert normalise("retry10services") != normalise("retry25services")


def test_b071_lines_of_any_size_need_no_more_memory_than_their_log():
    lines = log(*["x" * 400_000] * 6)
    tracemalloc.start()
    extract(lines)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(lines)


def test_b073_what_is_kept_of_a_failure_is_bounded():
    found = extract("lorem ipsum " * 100_000)
    assert len(found.raw) <= LONGEST
    assert len(found.normalised) <= LONGEST
    assert all(len(line) <= LONGEST for line in found.joined)


@pytest.mark.parametrize(
    "text", ["auth-smoke: 3", "PASS: creates basic auth header", "exit code: 2"]
)
def test_b137_names_counts_and_exit_codes_survive(text):
    assert redact(text) == text
    assert normalise(text) == text.removeprefix("E ")


def test_b145_the_root_line_stands_verbatim_in_the_log():
    text = "one\ntwo\n  error: it  broke\t here \nfour\n"
    found = extract(text)
    assert found.line == 3
    assert found.raw in text.split("\n")[2]


def test_b145_joined_lines_stand_verbatim_too():
    text = log("thread 'main' panicked at src/main.rs:3:5:", "  two  blanks ")
    found = extract(text)
    assert all(line in text for line in (found.raw, *found.joined))


def test_b046_a_stored_line_leads_to_the_signature_of_its_log():
    found = extract(log("error[E0308]: mismatched types", " --> src/report.rs:8:24"))
    assert sign("error[E0308]: mismatched types", "cargo").sig_sha in dict(keys(found))
