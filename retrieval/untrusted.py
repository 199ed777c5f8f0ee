"""Memory text is data: what it must not carry into a prompt, a terminal or a page."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from indexing.lazily import expression
from indexing.redact import redact

FLAG = "[looks like an instruction]"
RECALLED = "[an earlier block, left out]"

# A block shows at most 2,000 characters of one field; three times that leaves something to drop.
_READ = 6_000

_ESCAPE = expression(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
INVISIBLE = expression(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls; \t \n \r and \x85 are white space
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\u2800"  # look like nothing
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # zero width, joiners, direction
    "\ufe00-\ufe0f\U000e0000-\U000e0fff"  # variation selectors, tags
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff"  # surrogates, private use
    "\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "]"
)

# What could end a fence, begin a heading, hide a remark, or pass for a model's own markup.
_FENCE = expression("[`\u02cb\u1fef\u2035\uff40]{3,}|[~\u02dc\u223c\uff5e]{3,}")
_HEADING = expression(r"^(?:#{1,6} )+|(?<= )#{2,6} ")
_COMMENT_END = expression(r"--!?>")
_TAG = expression(
    r"<(?=[\s/]*(?:!--|\||<sys|(?:antml:)?(?:system|assistant|user|human|developer|instructions?|"
    r"prompt|tool|function|invoke|parameter|memory|s>|context)))",
    re.I,
)
_OUR_HEADING = expression(
    r"historical\s+context\s*\(?\s*similar\s+issues|cross-loop\s+learning\s+context"
)

# Every repeat of a wide class is bounded, so that no text makes a search quadratic.
_VERB = (
    r"\b(?:ignore|disregard|forget|override|bypass)(?:\W{1,8}(?:of|the|all|any|these|those|my))*"
)
_INSTRUCTION = expression(
    rf"{_VERB}\W{{1,8}}(?:previous|prior|above|earlier|preceding|your)(?:\W{{1,8}}\w+)?"
    r"\W{1,8}(?:instructions?|prompts?|rules?|guidelines?|directives?|orders?|messages?)\b"
    rf"|{_VERB}\W{{1,8}}(?:instructions|prompts?|directives|guidelines)\b"
    r"|\b(?:ignore|disregard|forget)\W{1,8}(?:everything|anything|all)\W{1,8}(?:of\W{1,8})?"
    r"(?:the\W{1,8})?(?:above|before|previous|prior)\b"
    r"|\byou\W{1,8}(?:are|must)\W{1,8}now\b|\bfrom\W{1,8}now\W{1,8}on\W{1,8}you\b"
    r"|\bpretend\W{1,8}(?:to\W{1,8}be|you)\b|\bnew\W{1,8}(?:system\W{1,8})?instructions?\s{0,8}:"
    r"|\b(?:reveal|print|show|repeat|leak)\W{1,8}(?:your|the)\W{1,8}(?:system\W{1,8})?prompt\b"
    r"|\bdo\W{1,8}not\W{1,8}(?:tell|inform|alert)\W{1,8}(?:the\W{1,8})?(?:user|human|anyone)\b"
    r"|(?:^|[\n.!?>\]])[\W_]{0,8}\b(?:system|assistant|user|human|developer)\s{0,8}:(?=\s|$)"
    r"|<[\s/]{0,8}(?:antml:)?(?:system|assistant|human|developer|instructions?|invoke"
    r"|(?:tool|function)_?(?:call|use|result)s?)\b"
    r"|<\|\s{0,8}\w|\w\s{0,8}\|>|\[/?inst\]|<</?sys>>"
    r"|\bignor(?:ier\w*|e[zs]?|a)\W{1,8}(?:\w+\W{1,8}){0,3}"
    r"(?:anweisungen|instructions|instrucciones|istruzioni|instrucoes)\b"
)
# As written: folding look-alikes would unmake these scripts.
_INSTRUCTION_ELSEWHERE = expression(
    "(?:忽略|无视|無視|忘记|忘記).{0,12}(?:指令|指示|说明|說明|提示)"
    "|(?:指示|命令|プロンプト).{0,6}(?:無視|忘れ)"
    "|(?:이전|위의|모든).{0,8}(?:지시|명령|지침).{0,6}(?:무시|잊)"
    r"|(?:игнорируй|забудь)\w*\s+(?:\w+\s+){0,3}(?:инструкци|указани)",
    re.I,
)
# Letters of other alphabets that pass for Latin ones, in lower case.
_ALIKE = str.maketrans(
    "авсеіјкмнорѕтухԁһԛԝ" + "αβεηικνορτυχγ" + "ı",
    "abceijkmhopstyxdhqw" + "abenikvoptuxy" + "i",
)


def clean(text: str) -> str:
    """`text` with its lines, without escape sequences, invisible characters and secrets."""
    return redact(INVISIBLE.sub("", _ESCAPE.sub("", text)))


def line(text: str) -> str:
    """The beginning of `text` on one line, fit to stand between ours.

    It ends no fence, begins no heading and opens no tag; white space is one blank. A block that was
    recalled and then stored is left out, and said to be.
    """
    return flagged(text)[1]


def flagged(text: str) -> tuple[str, str]:
    """`[looks like an instruction] ` or `""`, and `line(text)`."""
    cleaned = clean(text[:_READ])
    plain, places = _plain(cleaned)
    mark = f"{FLAG} " if _instructs(cleaned, plain) else ""
    if recalled := _OUR_HEADING.search(plain):
        before = cleaned[: places[recalled.start()]].rstrip("# \n")
        cleaned = f"{before} {RECALLED}"
    return mark, _folded(cleaned)


def shown(text: str) -> str:
    """The beginning of `text` on one line for people to read: marked, and else as it was written.

    For a place that has its own escapes; markup stays, invisible characters and secrets do not.
    """
    cleaned = clean(text[:_READ])
    mark = f"{FLAG} " if looks_like_an_instruction(cleaned) else ""
    return mark + " ".join(cleaned.split())


def looks_like_an_instruction(text: str) -> bool:
    """Whether `text` speaks to a model instead of telling what happened.

    Orders to ignore what it was told, roles at the start of a line, markup of chats and tool
    calls; look-alike letters and accents do not hide them. A guess, good for a mark and no more.
    """
    return _instructs(text, _plain(text)[0])


def _instructs(text: str, plain: str) -> bool:
    return bool(_INSTRUCTION.search(plain) or _INSTRUCTION_ELSEWHERE.search(text))


def _folded(text: str) -> str:
    text = _FENCE.sub("'''", text)
    text = _COMMENT_END.sub("--›", _TAG.sub("‹", text)).replace("|>", "|›")
    return _HEADING.sub("", " ".join(text.split()))


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """`text` in lower case and Latin look-alikes, and where in `text` each character stands."""
    if text.isascii():
        return text.lower(), range(len(text))
    places = [at for at, sign in enumerate(text) if not unicodedata.combining(sign)]
    return "".join(_latin(text[at]) for at in places), places


@lru_cache(4096)
def _latin(sign: str) -> str:
    return unicodedata.normalize("NFKD", sign)[0].lower()[0].translate(_ALIKE)
