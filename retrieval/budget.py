"""A budget of tokens: how many a text takes, and how a text is cut to fit."""

import math
import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

from indexing.lazily import expression

MARK = "…"

# What takes one token, about: up to six letters of a word (English: most words are one token, the
# names in a log are several), three capitals, two digits, a line end with the indent after it, a
# gap that does not melt into the next word, a punctuation mark or a run of the same one. Other
# languages in Latin letters are cut finer, by three.
_UNIT = (
    r"[A-Z]?[a-z]{1,%d}|[A-Z]{1,3}|[0-9]{1,2}"
    r"|\n[\n \t]*|[ \t]+(?=[0-9\n\u0080-\U0010ffff])|[ \t]{2,}"
    r"|([!-/:-@\[-`{-~])\1{0,7}"
)
_ACCENTED = expression("[\u00c0-\u024f]")
_OPAQUE = expression(r"[A-Za-z0-9]{21,}")

_MARGIN = 1.04

# Tokens of one character, by script: where a script begins, and its cost up to the next.
_SCRIPTS = (
    (0x80, 2.0),  # accented Latin; it also splits the word it stands in
    (0x370, 1.5),  # Greek
    (0x400, 0.75),  # Cyrillic
    (0x530, 1.25),  # Armenian, Hebrew, Arabic
    (0x800, 2.0),  # scripts of India, Thai, Lao, Tibetan
    (0x1000, 3.0),  # Burmese, Georgian, Ethiopic, Khmer
    (0x2000, 1.5),  # dashes, quotes, dots
    (0x2070, 3.0),  # arrows, operators, box lines, dingbats
    (0x3000, 1.5),  # kana and their punctuation
    (0x3100, 2.6),  # Han
    (0xAC00, 1.5),  # Hangul
    (0xD7B0, 3.0),  # the rest of the plane
    (0x10000, 4.0),  # everything above is at most its four bytes
    (0x1F000, 3.0),  # emoji
    (0x1FB00, 4.0),
)
_FROM = tuple(start for start, _ in _SCRIPTS)
_COST = tuple(cost for _, cost in _SCRIPTS)


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` takes, rather too many than too few.

    The larger of a quarter of its characters and of a count of words, punctuation and signs. The
    constants were fitted to the largest of the counts of cl100k, o200k and the published Claude 2
    vocabulary over build logs, code, hashes, base64, punctuation and 25 languages: 1.0 to 1.4
    times that count for logs, code and European languages, up to 2.5 times for Chinese, whose rare
    characters take three times as much as its common ones. Words of random letters are counted
    short, by half at worst. A caller who knows the model passes its tokenizer instead.
    """
    units = _units(3 if _ACCENTED.search(text) else 6)
    tokens = float(len(units.findall(text)))
    for run in _OPAQUE.findall(text):
        if run.islower() or run.isupper() or not run.isalpha():  # a hash, not camelCase
            tokens += max(0, len(run) * 4 // 5 - len(units.findall(run)))
    if not text.isascii():
        tokens += sum(_COST[bisect_right(_FROM, ord(sign)) - 1] for sign in text if sign > "\x7f")
    return max(-(-len(text) // 4), math.ceil(tokens * _MARGIN))


@lru_cache
def _units(letters: int) -> re.Pattern[str]:
    return re.compile(_UNIT % letters)


def shorten(text: str, limit: int) -> str:
    """`text` in at most `limit` characters: whole, or cut at a word's end and marked `…`.

    A word that fills most of the room (a URL, a hash, a script without spaces) is cut inside,
    though never between a letter and its accent. `""` when there is room for the mark only.
    """
    if len(text) <= limit:
        return text
    end = max(0, limit - len(MARK))
    if not text[end].isspace():
        space = text.rfind(" ", 0, end)
        if space * 5 >= end * 3:
            end = space
        else:
            while end > 0 and unicodedata.combining(text[end]):
                end -= 1
    kept = text[:end].rstrip(" ,;:")
    return kept + MARK if kept else ""
