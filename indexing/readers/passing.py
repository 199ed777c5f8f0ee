"""Lines that say something passed: a store filled by `grep -i fail` holds them as failures."""

import re

_MARK = re.compile(r"^\W{0,8}[✓✔√☑✅]|[✓✔√☑✅](?: *\(?\d+(?:\.\d+)? ?m?s\)?)?\W{0,4}$")
_WORD = re.compile(
    r"^\W{0,4}(?:PASS(?:ED)?(?=[: \t]|$)|ok(?= +\d|\t|[ \t]{2,}\S)|OK(?= *(?:\(|$)))"
    r"|(?:\bPASSED|\.\.\. ?ok|: ?PASS(?:ED)?|\bok)(?: *[\[(][^\])]{0,20}[\])])?\s*$"
)
_COUNTS = re.compile(
    r"\b(?P<before>\d+) +(?:tests? +)?(?:failed|failures?|failing|errors?)\b"
    r"|\b(?:failed|failures?|errors?) *[:=] *(?P<after>\d+)\b(?! *[\w/%]|\.\d)",
    re.IGNORECASE,
)
_FAILING = re.compile(
    r"[✗✘✖✕❌×]|\bFAIL(?:ED|URE)?\b(?! *[:=] *0\b)|\bnot ok\b"
    r"|^\W{0,4}(?:\w{0,40}(?:Error|Exception)|error|fatal|panic|npm ERR!)(?:\[\w{1,12}\])?[: ]"
)


def passing(line: str) -> str:
    """Why the line is not a failure, `""` when it may be one; colours are gone from it already."""
    counts = [int(found["before"] or found["after"]) for found in _COUNTS.finditer(line)]
    if any(counts):
        return ""
    counted = _COUNTS.sub("", line)
    if _FAILING.search(counted):
        return ""
    if counts:
        return "is a passing line: it counts 0 failures"
    if _MARK.search(line):
        return "is a passing line: its check mark says so"
    found = _WORD.search(line)
    return f"is a passing line: it says '{found[0].strip()}'" if found else ""
