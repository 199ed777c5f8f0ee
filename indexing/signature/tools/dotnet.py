"""dotnet, msbuild, nuget: `file(line,col): error CS0103: message [project]`."""

import re

from indexing.signature.interface import (
    DIAGNOSTIC,
    EXCEPTION,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below


def _test(lines: Lines, index: int, match: re.Match[str]) -> Found:
    message = below(lines, index, r"\s*Error Message:", 3)
    at = None if message is None else below(lines, message, r"\s*\S", 2)
    return Found(index) if at is None else Found(at, (index,))


RULES = ToolRules(
    tool="dotnet",
    known_by=r"\berror (?:CS|MSB|NU|NETSDK|FS|BC|VB)\d{3,5}\b|\bdotnet\b"
    r"|Microsoft \(R\) Build Engine|MSBuild version",
    command=r"(?:dotnet|msbuild|nuget)",
    rules=(
        Rule(
            "diagnostic",
            (" error ", ": error"),
            r"\s*(?:\d+(?::\d+)?>)?(?:\S.{0,400}?)? ?: error [A-Z]{2,8}\d{3,5}: ",
            DIAGNOSTIC,
        ),
        Rule(
            "test",
            ("[FAIL]", "Failed "),
            r"\s*(?:\[xUnit.net [\d:.]+\]\s+\S.* \[FAIL\]|(?:X "
            r"|Failed )\S.*(?: \[[^\]]{1,30}\])$)",
            DIAGNOSTIC - 2,
            _test,
            True,
        ),
        Rule(
            "unhandled",
            ("Unhandled exception", "Unhandled Exception"),
            r"Unhandled [Ee]xception\W",
            EXCEPTION,
        ),
        Rule("build", ("Build FAILED",), r"Build FAILED\.", TRAILER),
    ),
)
