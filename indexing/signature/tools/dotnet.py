"""dotnet, msbuild, nuget: `file(line,col): error CS0103: message [project]`."""

import re

from indexing.lazily import expression
from indexing.signature.interface import (
    DIAGNOSTIC,
    ERROR,
    EXCEPTION,
    FATAL,
    TRAILER,
    Found,
    Lines,
    Rule,
    ToolRules,
)
from indexing.signature.look import below, joining_below

# `---> ` before an inner exception; NUnit prints `  ----> `, xUnit `---- `.
_INNER = expression(r"\s*-{3,5}> (?!$)|-{4} [\w.`+]{1,200} : ")
_FRAME = expression(r"\s+(?:at|bei|\u00e0|en|in|em|\u0432) [\w.<>`+$]{1,300}[(\[]|\s*--- End of ")


def _test(lines: Lines, index: int, match: re.Match[str]) -> Found:
    message = below(lines, index, r"\s*Error Message:", 3)
    at = None if message is None else below(lines, message, r"\s*\S", 2)
    return Found(index) if at is None else Found(_innermost(lines, at), (index,))


def _innermost(lines: Lines, index: int) -> int:
    """The last exception that line `index` wraps; they are printed before the frames."""
    found = index
    for at in range(index + 1, min(index + 40, len(lines))):
        if _INNER.match(lines[at]):
            found = at
        elif _FRAME.match(lines[at]):
            break
    return found


def _uncaught(lines: Lines, index: int, _: re.Match[str]) -> Found:
    return Found(_innermost(lines, index))


def _exception(lines: Lines, index: int, _: re.Match[str]) -> Found | None:
    """Only with frames as .NET prints them: they hold types of arguments, and no file after `(`."""
    at = _innermost(lines, index)
    frame = below(lines, at, _FRAME.pattern, 6)
    if frame is None or re.search(
        r"\.(?:java|scala|kt|groovy):\d+\)|\((?:Native|Unknown) ", lines[frame]
    ):
        return None
    return Found(at)


RULES = ToolRules(
    tool="dotnet",
    known_by=r"\[xUnit\.net |^A total of \d+ test files matched|"
    r"\berror (?:CS|MSB|NU|NETSDK|FS|BC|VB)\d{3,5}\b|\bdotnet\b"
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
            ("[FAIL]", "Failed ", "X "),
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
            _uncaught,
        ),
        Rule(
            "exception",
            ("Exception: ", "Exception : "),
            r"\s*(?:[A-Z]\w{0,80}\.){1,12}\w{0,80}Exception ?: \S",
            ERROR + 6,
            _exception,
        ),
        Rule(
            "sdk",
            (
                "compatible .NET SDK was not found",
                "install or update .NET",
                "framework 'Microsoft.",
            ),
            r"\s*(?:A compatible \.NET SDK was not found|You must install or update \.NET"
            r"|.{0,80}framework 'Microsoft\.\S+', version '.+' (?:\(.+\) )?was not found)",
            FATAL,
            joining_below(r"\s*(?:Requested SDK version|Framework): ", 6),
        ),
        Rule("build", ("Build FAILED",), r"Build FAILED\.", TRAILER),
    ),
)
