"""xcodebuild, XCTest, Swift Testing, xcpretty, CocoaPods; compilers are clang's kind (`gcc.py`)."""

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    FATAL,
    SUMMARY,
    TRAILER,
    WRAPPER,
    Rule,
    ToolRules,
)
from indexing.signature.look import joining_below

RULES = ToolRules(
    tool="swift",
    known_by=r"\bxcodebuild\b|^\[!\] CocoaPods|\bpod install\b|\bswift (?:build|test|package)\b"
    r"|\bxcpretty\b|\bXCTest\b|^Test Case '",
    command=r"(?:xcodebuild|swift|xcrun|xctool|pod|carthage)",
    rules=(
        Rule(
            "issue",
            ("recorded an issue",),
            r"\W{0,4}Test .{1,200} recorded an issue\b.{0,300}: \S",
            DIAGNOSTIC,
        ),
        Rule(
            "pretty",
            ("\u274c", "\u2717 "),
            r"\s*(?:\u274c\s+\S|\u2717 \w+, \S)",
            DIAGNOSTIC - 1,
            None,
            True,
        ),
        Rule(
            "xcodebuild",
            ("xcodebuild: error: ",),
            r"(?:.{0,80} )?xcodebuild: error: \S",
            FATAL + 2,
            joining_below(r"\s+Reason: \S", 2),
        ),
        Rule(
            "terminating",
            ("Terminating app due to uncaught exception",),
            r".{0,200}Terminating app due to uncaught exception",
            EXCEPTION,
        ),
        Rule(
            "runtime",
            ("Fatal error: ", "fatal error: "),
            r"\S{1,300}\.swift:\d+: [Ff]atal error: |[Ff]atal error: .{0,400}\.swift\b",
            EXCEPTION,
        ),
        Rule(
            "signing",
            (
                "requires a development team",
                "Code Sign error",
                "No profiles for",
                "No signing cert",
            ),
            r".{0,200}(?:requires a development team|Code Sign error|No profiles for"
            r"|No signing certificate)",
            FATAL,
        ),
        Rule("pod", ("[!] ",), r"\[!\] (?!.{0,60}(?:warning|deprecated))\S", FATAL, None, True),
        Rule("carthage", ("A shell task (",), r"A shell task \(", WRAPPER + 2),
        Rule("case", ("Test Case '",), r"Test Case '.{1,300}' failed", SUMMARY + 4),
        Rule("commands", ("The following build",), r"The following build", SUMMARY),
        Rule(
            "build",
            (" FAILED **",),
            r"\*\* (?:[A-Z]+ )?[A-Z]+ FAILED \*\*",
            TRAILER,
        ),
    ),
    skip=(("a passing test", "' passed (", r"^Test Case '.*' passed \("),),
)
