"""What speaks against a signature, or helps to read it: words for a person, never an identity."""

from collections.abc import Iterator

from indexing.lazily import compiled
from indexing.signature.interface import SUMMARY, Signature, holds_any

_ENDED = {
    "124": "exit code 124: ended by a timeout",
    "134": "exit code 134: aborted (SIGABRT)",
    "137": "exit code 137: killed (SIGKILL), most likely out of memory",
    "139": "exit code 139: segmentation fault (SIGSEGV)",
    "143": "exit code 143: terminated (SIGTERM), most likely cancelled",
}
_EXIT = r"(?:exit(?:ed with)?|exited|returned|stat(?:us|e)) ?(?:code|status)?:? ?(\d{3})\b"
_EXIT_NEEDS = ("exit", "returned", "stat")
_FOREIGN = (
    r"(?:^|: )(?:(?:schwerwiegender )?Fehler|erreur(?: fatale)?|errore(?: fatale)?"
    r"|error fatal|fallo|\u043e\u0448\u0438\u0431\u043a\u0430|(?:\u81f4\u547d)?\u9519\u8bef"
    r"|\u30a8\u30e9\u30fc|Zeile \d+|ligne \d+|l\u00ednea \d+|riga \d+|linha \d+) ?:"
)
_FOREIGN_NEEDS = (
    *("Fehler", "erreur", "errore", "error fatal", "fallo", "Zeile ", "ligne ", "riga ", "linha "),
    *("\u043e\u0448\u0438\u0431\u043a\u0430", "\u9519\u8bef", "\u30a8\u30e9\u30fc", "l\u00ednea "),
)


def doubts(signature: Signature, rank: int) -> Iterator[str]:
    """What to tell of the signature, whose rule has this rank."""
    if rank <= SUMMARY:
        yield "only a summary was found: it says that something failed, not why"
    raw = signature.raw
    codes = [str(signature.context.get("exit_code", ""))]
    if holds_any(raw, _EXIT_NEEDS):
        codes += compiled(_EXIT).findall(raw)
    yield from dict.fromkeys(_ENDED[code] for code in codes if code in _ENDED)
    if holds_any(raw, _FOREIGN_NEEDS) and compiled(_FOREIGN).search(raw):
        yield "the tool speaks another language than English; its English form signs otherwise"
