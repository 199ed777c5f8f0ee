r"""Secrets out, before anything is stored or shown.

Ours and not `detect-secrets`: that takes half a second to import (with `requests`), looks at one
line at a time, and reports `auth-smoke` in the same list as a password.

A secret goes by its shape (`ghp_…`), or by its place (`"password": …`, `Bearer …`,
`https://user:…@host`). There is no rule for mere randomness: commits, digests and UUIDs are what
a log is about. Personal paths are not looked at.

Every pattern is linear, and each is compiled when a text first holds one of its hints, so that a
text without secrets costs a few substring searches.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise, zip_longest

from indexing.lazily import compiled, expression
from indexing.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def redact(text: str) -> str:
    """The text with `<REDACTED:kind>` in place of each secret.

    Idempotent. JSON stays JSON: what is replaced never holds a quote or half an escape.
    """
    while (redacted := _once(text)) != text:
        text = redacted
    return text


def suspect(text: str) -> bool:
    """Whether `redact` has to look at the text at all.

    For many texts: it is made in some milliseconds, and then four times as fast as `redact`.
    """
    return _suspicion()(text.lower()) is not None


def suspects(texts: Sequence[str]) -> set[int]:
    """The numbers of the texts that `redact` has to look at.

    For very many texts: it takes a fifth of the time that `suspect` takes.
    """
    import numpy as np

    codes, table, hints = _trigrams()
    # these two are letters of a hint in lower case
    joined = "\n".join(texts).replace("\u0130", "i").replace("\u212a", "k")
    coded = joined.encode("ascii", "replace").translate(codes)
    code = np.frombuffer(coded, np.uint8).astype(np.uint16)
    places = np.flatnonzero(table.take(code[:-2] << 10 | code[1:-1] << 5 | code[2:]))
    low = joined.lower()
    hinted = [
        place
        for place in places.tolist()
        for before, hint in hints.get(low[place : place + 3], ())
        if low.startswith(hint, place - before)
    ]
    ends = np.cumsum([len(text) + 1 for text in texts])
    numbers = np.unique(np.searchsorted(ends, hinted, "right"))
    return {number for number in numbers.tolist() if suspect(texts[number])}


class _Rule(NamedTuple):
    """Replaces the group `secret` of `pattern` where `sure` agrees.

    `hints` are in lower case; without one of them in the text the pattern cannot match. Shapes are
    matched as they are written, places in any case.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    sure: Callable[[re.Match[str], str], bool] = lambda found, secret: True


# --- what a value looks like

_LEFT_ALONE = expression(
    r"<REDACTED:|[$<{%*]|\[redacted|x{3,}|\.{3}"
    r"|(?:none|null|nil|true|false|undefined|redacted|masked|hidden|unset|empty)\b",
    re.IGNORECASE,
)
_CODE = expression(
    r"[A-Za-z_][\w.]*[(\[]|(?:self|this|os|process|env|args|config|settings|request|req|ctx)\."
)


def _placeholder(value: str) -> bool:
    """Nothing secret stands here: it is gone already, or was never filled in."""
    return not value or _LEFT_ALONE.match(value) is not None


def _mixed(value: str, least: int) -> bool:
    """Long enough, with letters and digits."""
    return len(value) >= least and bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value))


def _random(value: str) -> bool:
    """Drawn rather than written: letters, capitals and digits take turns, as in base64 and hex."""
    classes = [
        0 if not each.isalnum() else 1 if each.isdigit() else 2 if each.islower() else 3
        for each in value[:256]
    ]
    turns = sum(1 for left, right in pairwise(classes) if left and right != left)
    return 1 in classes and turns * 4 >= len(classes) - classes.count(0)


# --- by shape

# A token begins a word, or follows an escape: `%20ghp_…`, `\nghp_…`.
_START = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
_START_OF_RUN = r"(?:(?<![\w-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"


def _shape(kind: str, hints: tuple[str, ...], pattern: str) -> _Rule:
    return _Rule(kind, hints, rf"{_START}(?P<secret>{pattern})")


_SHAPES = (
    _shape(
        "aws-key",
        ("akia", "asia", "abia", "acca"),
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    _shape(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,})",
    ),
    _shape(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-"),
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\w-]{16,}(?:\.[\w-]+)*",
    ),
    _shape("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{30,}"),
    _shape("pypi-token", ("pypi-",), r"pypi-(?:Ag[\w-]{14,}|[\w-]{50,})"),
    _shape(
        "slack-token",
        ("xox", "xapp-"),
        r"(?:xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,})",
    ),
    _Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{16,})",
    ),
    _shape(
        "stripe-key",
        ("_live_", "_test_", "whsec_"),
        r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,})",
    ),
    _shape(
        "google-key",
        ("aiza", "gocspx-", "ya29."),
        r"(?:AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})",
    ),
    _Rule(
        "jwt", ("eyj",), rf"{_START_OF_RUN}(?P<secret>eyJ[\w-]{{8,}}(?:\.[\w-]{{4,}}){{1,4}}\.?)"
    ),
    _Rule(
        "api-key",
        ("sk-",),
        rf"{_START_OF_RUN}(?P<secret>sk-[\w-]{{20,}})",
        lambda found, secret: _mixed(secret, 20),
    ),
    _Rule("bot-token", (":aa",), r"(?<!\d)(?P<secret>\d{8,10}:AA[\w-]{32,})"),
    _shape(
        "token",
        (
            *("hf_", "dckr_pat_", "dop_v1_", "sg.", "shp", "hvs.", "hvb.", "atatt3", "lin_api_"),
            *("rubygems_", "age-secret-key-", "dapi", "glsa_", "pul-", "sbp_", "nrak-", "doo_v1_"),
        ),
        r"(?:hf_[A-Za-z0-9]{30,}|dckr_pat_[\w-]{20,}|do[op]_v1_[0-9a-f]{40,}"
        r"|SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}|hv[sb]\.[\w-]{20,}"
        r"|ATATT3[\w=-]{30,}|lin_api_[A-Za-z0-9]{30,}|rubygems_[0-9a-f]{40,}"
        r"|AGE-SECRET-KEY-1[A-Z0-9]{50,}|dapi[0-9a-f]{32,}|glsa_\w{32,}|pul-[0-9a-f]{40,}"
        r"|sbp_[0-9a-f]{40,}|NRAK-[A-Z0-9]{27,})",
    ),
)

# --- by place


def _authorised(found: re.Match[str], secret: str) -> bool:
    """What follows `Authorization:`; prose about the header stays."""
    if _placeholder(secret) or re.fullmatch(r"[a-z_-]+[.:!)]?|realm=.*", secret):
        return False
    return bool(found["scheme"]) or _mixed(secret, 16)


_PLACES = (
    _Rule(
        "url-password",
        ("://",),
        r"://[^\s/@:?#\"'<>\\]{0,256}:(?P<secret>[^\s/\"'\\]{1,512})@",
        lambda found, secret: not _placeholder(secret) and secret != "x-oauth-basic",
    ),
    _Rule(
        "url-token",
        ("://",),
        r"://(?P<secret>[\w-]{20,256})(?::x-oauth-basic)?@",
        lambda found, secret: _mixed(secret, 20),
    ),
    _Rule(
        "url-password",
        ("%3a%2f%2f",),
        r"%3a%2f%2f(?:(?!%3a|%40|%2f)[^\s\"'&\\:@]){0,256}(?:%3a|:)"
        r"(?P<secret>(?:(?!%40|%2f)[^\s\"'&\\@]){1,512})(?:%40|@)",
        lambda found, secret: not _placeholder(secret.replace("%3C", "<")),
    ),
    _Rule(
        "authorization",
        ("authorization",),
        r"authorization(?:\\?[\"'])?[ \t]{0,4}(?:[:=]|%3a)(?:[ \t]|%20|\+){0,4}(?:\\?[\"'])?"
        r"(?:(?P<scheme>bearer|basic|token|digest|negotiate|apikey|bot)(?:[ \t]|%20|\+){1,4})?"
        r"(?P<secret>[^\s\"',;<>\\&]{6,})",
        _authorised,
    ),
    _Rule(
        "authorization",
        ("bearer", "basic"),
        r"(?<![a-z0-9])(?:bearer|basic)(?:[ \t]|%20|\+){1,4}(?P<secret>[a-z0-9._~+/=-]{16,})",
        lambda found, secret: _random(secret),
    ),
    _Rule(
        "secret",
        ("curl",),
        r"\bcurl\b[^\n]{0,400}?[ \t](?:-u|--user)[ =][\"']?[^\s:\"'\\]{1,100}:"
        r"(?P<secret>[^\s\"'\\]{1,200})",
        lambda found, secret: not _placeholder(secret) and not secret.isdigit(),
    ),
    _Rule(
        "secret",
        ('auth"', "auth'"),
        r"[\"']auth[\"']\s{0,20}:\s{0,20}[\"'](?P<secret>[A-Za-z0-9+/=_-]{8,})",
        lambda found, secret: secret.endswith("=") or _random(secret),
    ),
    _Rule(
        "secret",
        ("sig=", "signature="),
        r"[?&](?:x-(?:amz|goog)-)?sig(?:nature)?=(?P<secret>[\w%+/=-]{16,})",
    ),
)


# --- by name

# .NET names every assembly with its PublicKeyToken, which is public.
_NAME = (
    r"(?:(?P<password>pass(?:word|wd|phrase|code)|pwd)|secret(?:[_-]?(?:access[_-]?)?key)?"
    r"|(?<!publickey)token|(?:api|access|private|signing|encryption|account|storage|master|license"
    r"|deploy|subscription)[_-]?key(?:[_-]?id)?|credentials?|connection[_-]?string|\b_auth)\d{0,2}"
)
_NAME_HINTS = (
    *("passw", "passp", "passc", "pwd", "secret", "token", "key", "credential", "_auth"),
    *("connectionstring", "connection_string", "connection-string"),
)
_STRING = r'(?:[^"\\\n]|\\[^\n])*+'
_TEXT = r"(?:[^'\\\n]|\\[^\n])*+"
# Inside a JSON string a quote is `\"`, and within the value that it delimits, `\\\"`.
_ESCAPED_STRING = r'(?:[^"\\\n]|\\\\(?:\\[^\n]|[^"\\\n])|\\[^"\\\n])*+'


_WORD = r"[^\s\"'&;,<>\\`]"
_CLOSING = ")]}.:!?"  # ends the sentence or the call around a bare word


class _Named(NamedTuple):
    """A secret's name: `lead` is what of it stands before, `--db-` of `--db-password`."""

    lead: str
    name: str
    password: bool


def _filled(named: _Named, value: re.Match[str]) -> bool:
    """A short value is a secret only when it is a password."""
    secret = value["secret"]
    return len(secret) >= (1 if named.password else 6) and not _placeholder(secret)


def _filled_or_drawn(named: _Named, value: re.Match[str]) -> bool:
    """After `name: "`, which prose writes too (`unexpected token: "else"`)."""
    return _filled(named, value) and (named.password or _mixed(value["secret"], 6))


def _assigned(named: _Named, value: re.Match[str]) -> bool:
    """A bare word after `name=`, `name: ` or `--name `: only the first is never prose."""
    secret, sep = value["secret"].rstrip(_CLOSING), value["sep"]
    if _placeholder(secret) or _CODE.match(secret) or secret.lower() == named.name.lower():
        return False
    if "://" in secret or re.match(r"\.{0,2}/[a-z.]+/|~/", secret):
        return False
    flag = named.lead.startswith("--")
    if sep.isspace():
        return flag and _mixed(secret, 6)
    if sep not in ("=", "%3D", "%3d"):
        return _mixed(secret, 6) if named.password else _mixed(secret, 12) and _random(secret)
    if named.password:
        return True
    if secret.isdigit():
        return len(secret) > 8
    whole = named.lead + named.name
    if flag or whole[:1] in ("?", "&") or whole.isupper() or "_auth" in whole:
        return len(secret) >= 4
    return _mixed(secret, 8)


class _Tail(NamedTuple):
    """What may follow a secret's name, and when that is its value."""

    pattern: str
    sure: Callable[[_Named, re.Match[str]], bool]
    put: str = "<REDACTED:secret>"
    closing: str = ""


_TAILS = (
    # "name": "value", 'name': 'value', name = "value", name["name"] = 'value'
    _Tail(
        r"(?:[\"']\]?\s{0,20}(?:=>|[:=])|\s{0,4}:?=)\s{0,20}[bru]?\"(?P<secret>" + _STRING + ")",
        _filled,
    ),
    _Tail(
        r"(?:[\"']\]?\s{0,20}(?:=>|[:=])|\s{0,4}:?=)\s{0,20}[bru]?'(?P<secret>" + _TEXT + ")",
        _filled,
    ),
    # name: "value"
    _Tail(r"[ \t]{0,4}:[ \t]{0,4}\"(?P<secret>" + _STRING + ")", _filled_or_drawn),
    _Tail(r"[ \t]{0,4}:[ \t]{0,4}'(?P<secret>" + _TEXT + ")", _filled_or_drawn),
    # \"name\": \"value\", JSON in a string of JSON; and deeper
    _Tail(r"\\\"\s{0,20}:\s{0,20}\\\"(?P<secret>" + _ESCAPED_STRING + ")", _filled),
    _Tail(r"(?P<depth>\\{2,15})\"\s{0,20}:\s{0,20}(?P=depth)\"(?P<secret>[^\"\\\n]*+)", _filled),
    # "password": 1234
    _Tail(
        r"\"\s{0,20}:\s{0,20}(?P<secret>-?\d[\d.e+-]*)",
        lambda named, value: named.password,
        '"<REDACTED:secret>"',
    ),
    # <name>value</name>
    _Tail(
        r">(?P<secret>[^<>\s\"'\\]{4,})(?=</)",
        lambda named, value: not _placeholder(value["secret"]),
    ),
    # name=value, name: value, --name value
    _Tail(
        r"(?P<sep>[\"']?[ \t]{0,4}(?:[=:]|%3d|%3a)[ \t]{0,4}|[ \t]{1,4})"
        rf"(?P<secret>(?![\[{{]){_WORD}{{1,4096}}+)",  # a list or an object is JSON's
        _assigned,
        closing=_CLOSING,
    ),
)


def _without_named(text: str, low: str) -> str:
    made: list[str] = []
    done = 0
    for name in compiled(_NAME).finditer(low):
        start, end = name.span()
        if start < done:
            continue
        lead = compiled(r"[?&]?[\w.-]{0,60}$").search(text, max(done, start - 61), start)
        named = _Named(lead[0] if lead else "", text[start:end], bool(name["password"]))
        for tail in _TAILS:
            value = compiled(tail.pattern, re.IGNORECASE).match(text, end)
            if value and tail.sure(named, value):
                made += (text[done : value.start("secret")], tail.put)
                done = value.end("secret")
                if tail.closing:
                    done = _end_of_word(text, value.start("secret"), done)
                break
    return "".join(made) + text[done:]


def _end_of_word(text: str, start: int, end: int) -> int:
    """Where the bare word ends that a tail looked at no further than to `end`."""
    rest = compiled(_WORD + "*+").match(text, end)
    end = rest.end() if rest else end
    while end > start + 1 and text[end - 1] in _CLOSING:
        end -= 1
    return end


_HINTS = sorted(
    {"-----begin", *_NAME_HINTS, *(hint for rule in (*_SHAPES, *_PLACES) for hint in rule.hints)}
)


@cache
def _suspicion() -> Callable[[str], re.Match[str] | None]:
    return re.compile(_any_of(_HINTS)).search


@cache
def _trigrams() -> "tuple[bytearray, NDArray[np.bool_], Mapping[str, Sequence[tuple[int, str]]]]":
    """A code below 32 for each byte, in any case, and whether three codes are a part of a hint.

    Of each part also which hints have it, and how far behind their beginning.
    """
    import numpy as np

    codes = bytearray(256)
    for code, character in enumerate("abcdefghijklmnopqrstuvwxyz_-:./", 1):
        codes[ord(character)] = codes[ord(character.upper())] = code
    codes[ord("%")] = codes[ord("=")] = code
    table = np.zeros(1 << 15, bool)
    hints: dict[str, list[tuple[int, str]]] = {}
    for hint in _HINTS:
        parts = {hint[at : at + 3] for at in range(len(hint) - 2)}
        seldom = min(sorted(parts - {"con", "ing"}), key=lambda part: sum(map(_rank, part)))
        one, two, three = (codes[ord(character)] for character in seldom)
        table[one << 10 | two << 5 | three] = True
        hints.setdefault(seldom, []).append((hint.index(seldom), hint))
    return codes, table, hints


def _rank(character: str) -> int:
    """How often a character stands in what people and programs write, the rarest first."""
    return "/%=_:-.jqzxkvwybgpfmudhclrsinotae".find(character) % 64


def _any_of(words: Iterable[str]) -> str:
    """An expression for any of the words, in which no letter is tried twice."""
    by_first: dict[str, list[str]] = {}
    for word in words:
        by_first.setdefault(word[:1], []).append(word[1:])
    if "" in by_first:
        return ""  # one of the words has ended
    ways = [re.escape(first) + _any_of(rest) for first, rest in sorted(by_first.items())]
    return f"(?:{'|'.join(ways)})"


def _once(text: str) -> str:
    low = text.lower()
    for hint in _HINTS:
        if hint in low:
            break
    else:
        return text
    if "-----begin" in low:
        text = _without_private_keys(text)
    for rule in _SHAPES:
        if any(hint in low for hint in rule.hints):
            text = _apply(rule, text, 0)
    for rule in _PLACES:
        if any(hint in low for hint in rule.hints):
            text = _apply(rule, text, re.IGNORECASE)
    low = _lowered(text)
    if any(hint in low for hint in _NAME_HINTS):
        text = _without_named(text, low)
    return _without_url_tokens(text) if "://" in text else text


def _lowered(text: str) -> str:
    """In lower case and as long as before; the dotted capital I alone would become two."""
    return text.replace("\u0130", "i").lower()


def _apply(rule: _Rule, text: str, flags: int) -> str:
    def put(found: re.Match[str]) -> str:
        if not rule.sure(found, found["secret"]):
            return found[0]
        start, end = (at - found.start() for at in found.span("secret"))
        return f"{found[0][:start]}<REDACTED:{rule.kind}>{found[0][end:]}"

    return compiled(rule.pattern, flags).sub(put, text)


# --- private keys and tokens in the path of an URL

_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_KEY_LINES = r"(?:(?:\s|\\{1,15}[nr]){1,8}[A-Za-z0-9+/=]{16,})*+"
_KEY_MARK = "<REDACTED:private-key>"


def _without_private_keys(text: str) -> str:
    """Whole blocks go; of one without an end, the header and the lines of base64 under it."""
    made: list[str] = []
    done = 0
    begins = list(compiled(_BEGIN).finditer(text))
    ends = compiled(_END).finditer(text)
    end = next(ends, None)
    for begin, following in zip_longest(begins, begins[1:]):
        while end is not None and end.start() < begin.end():
            end = next(ends, None)
        made += (text[done : begin.start()], _KEY_MARK)
        if end is None or (following is not None and following.start() < end.start()):
            lines = compiled(_KEY_LINES).match(text, begin.end())
            done = lines.end() if lines else begin.end()
            continue
        block = text[begin.end() : end.start()]
        if '"' in block or "'" in block:
            # one string per line of the key: the quotes between them are the text's structure
            made.append(compiled(r"[A-Za-z0-9+/=]{16,}").sub(_KEY_MARK, block))
            done = end.start()
        else:
            done = end.end()
    return "".join(made) + text[done:]


def _without_url_tokens(text: str) -> str:
    """A part of an URL's path that is long and drawn from capitals, letters and digits."""

    def put(found: re.Match[str]) -> str:
        return compiled(r"(?<=/)[\w-]{32,}(?=[/?#]|$)").sub(
            lambda part: "<REDACTED:url-token>" if _drawn(part[0]) else part[0], found[0]
        )

    return compiled(r"https?://[^\s\"'<>\\]+").sub(put, text)


def _drawn(part: str) -> bool:
    cases = (str.isupper, str.islower, str.isdigit)
    return all(sum(map(case, part)) >= 3 for case in cases) and _random(part)
