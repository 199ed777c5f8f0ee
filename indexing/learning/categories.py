"""The upstream's words for fixes, tasks and failed approaches, and how each is told from a loop."""

import re
from collections.abc import Sequence

from indexing.learning import diffs
from indexing.learning.pairs import INSTALLS, Change

NULL_CHECK = "add_null_check"
FIXES = {
    NULL_CHECK: "Add null check before property access",
    "add_type_validation": "Add type validation",
    "add_error_handling": "Add error handling",
    "fix_logic_error": "Fix the logic",
    "add_import": "Add the missing import",
    "update_dependency": "Update the dependency",
    "refactor_code_structure": "Change the structure of the code",
    "other": "",
}
TASKS = {
    "migration": r"\bmigrat\w*|\bport(?:ing|ed)?\b.*\bto\b|\bupgrade\w*",
    "documentation": r"\bdocument\w*|\bdocs?\b|\breadme\b",
    "optimization": r"\boptimi[sz]\w*|\bperformance\b|\bfaster\b|\bspeed\b|\bslow\b",
    "refactoring": r"\brefactor\w*|\bclean ?up\b|\brename\w*|\bextract (?:a |the )?\w+\b",
    "debugging": r"\bfix\w*|\bbugs?\b|\berrors?\b|\bfail\w*|\bbroken\b|\bcrash\w*|\bdebug\w*",
    "testing": r"\btests?\b|\btesting\b|\bcoverage\b",
    "architecture": r"\barchitect\w*|\bdesign\w*",
    "implementation": r"\bimplement\w*|\badd\w*|\bbuild\b|\bcreate\w*|\bsupport\w*",
}
REPEATED, CREEP, BREAKING = "repeated_same_error", "scope_creep", "breaking_change"

_TAGS = {
    NULL_CHECK: "null-safety",
    "add_type_validation": "types",
    "add_error_handling": "error-handling",
    "add_import": "imports",
    "update_dependency": "dependencies",
}
# A file's verb and what it is about.
_ABOUT = {
    "validate": "validation",
    "validator": "validation",
    "validators": "validation",
    "parse": "parsing",
    "parser": "parsing",
    "serialize": "serialization",
    "serializer": "serialization",
    "migrate": "migrations",
    "auth": "authentication",
    "authenticate": "authentication",
    "login": "authentication",
    "route": "routing",
    "router": "routing",
}
_NOTHING = r"(?:null|undefined|None|nil|nullptr|\{\})"
_ADDS_NULL_CHECK = re.compile(
    rf"(?:==|!=|is not|is)=?\s*{_NOTHING}\b|\bif\s*\(?\s*!\s*[\w.]+\s*\)|\bif not [\w.]+:"
    r"|\w\?\.\w|\?\?|\.(?:is_none|is_some|isPresent|ok_or|unwrap_or)\b|Optional\."
)
_OF_NOTHING = re.compile(
    rf"{_NOTHING}|NullPointer|NullReference|nil pointer|NoneType|null pointer", re.I
)
_IMPORT = re.compile(
    r"^\s*(?:import\b|from\s+\S+\s+import\b|use\s+[\w:]+|#include\b|require\b|using\s+\w"
    r"|(?:const|let|var)\s+.*=\s*require\(|export .* from\b)"
)
_HANDLES = re.compile(
    r"\b(?:try\b\s*[:{]|except\b|catch\b|rescue\b|finally\b)|\berr != nil\b|\.catch\(|\bmap_err\b"
)
_TYPES = re.compile(r"\bisinstance\(|\btypeof\b|\binstanceof\b|\bz\.\w+\(|\bas [A-Z]\w*\b|TypeVar")
_MANY = 6


def fix_of(change: Change, raw: str) -> str:
    """The category of a fix, of the upstream's eight."""
    diff, files = diffs.parsed(change.diff), change.touched or ()
    said = [line for line in diff.added if line.strip()]
    if _OF_NOTHING.search(raw) and any(_ADDS_NULL_CHECK.search(line) for line in said):
        return NULL_CHECK
    if said and all(_IMPORT.match(line) for line in said):
        return "add_import"
    code = [name for name in files if diffs.is_code(name) and not diffs.is_manifest(name)]
    installs = any(INSTALLS.match(step) for step in change.steps)
    if not code and (installs or any(map(diffs.is_manifest, files))):
        return "update_dependency"
    if any(_HANDLES.search(line) for line in said):
        return "add_error_handling"
    if any(_TYPES.search(line) for line in said):
        return "add_type_validation"
    if len(code) >= _MANY or "rename from" in change.diff:
        return "refactor_code_structure"
    if said and diff.removed and len(code) <= 1:
        return "fix_logic_error"
    return "other"


def task_of(task: str, debugs: bool = False) -> str:
    """The category of a task, of the upstream's eight; what says nothing is implementation.

    `debugs` says that the loop began with a failure.
    """
    for category, words in TASKS.items():
        if re.search(words, task, re.I):
            return category
    return "debugging" if debugs else "implementation"


def tags_of(language: str, category: str, files: Sequence[str]) -> tuple[str, ...]:
    """Language, what the fix is about, and what the first file is about; none twice."""
    stems = (re.split(r"[._-]", name.replace("\\", "/").rpartition("/")[2])[0] for name in files)
    about = next((_ABOUT[stem.lower()] for stem in stems if stem.lower() in _ABOUT), "")
    return tuple(dict.fromkeys(filter(None, (language, _TAGS.get(category, ""), about))))
