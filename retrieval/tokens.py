"""The words of a text, the same for index and query."""

import posixpath
from collections.abc import Iterator
from functools import lru_cache

from indexing.lazily import expression, sha256

_VERSION = 2  # raise it when `words` or `file_keys` change in a way that no pattern here shows

_PLAIN = expression(r"\b\w\w+\b")
_NAME = expression(r"[A-Z][A-Z]+(?:-\d+)+|\w+(?:\.\w+)*")
_JOINT = expression(r"[.-]")
_BORDER = expression(
    r"_+"
    r"|(?<=[a-z])(?=[A-Z])"
    r"|(?<=[A-Z])(?=[A-Z][a-z])"
    r"|(?<=\d)(?=[^\W\d_])"
    r"|(?<=[^\W\d_])(?=\d)"
)
_LONGEST = 100  # a longer one is encoded data, which nobody repeats

# Words of English prose that say nothing of a failure; `not`, `no` and `without` do.
_STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "before",
        "being",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "each",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "me",
        "more",
        "most",
        "my",
        "now",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "out",
        "own",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "under",
        "until",
        "up",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)

_TITLE_WORD = expression(r"[^\W_]+")

# What is taken off a word's end where so many letters stay; the first that fits.
_SUFFIXES = (
    *(("ization", 4), ("ational", 4), ("ations", 4), ("ation", 4), ("ingly", 3), ("edly", 3)),
    *(("ing", 3), ("ed", 3), ("ment", 4), ("ness", 4), ("ly", 4), ("er", 4), ("ion", 4), ("al", 5)),
)
_ENDINGS = tuple(suffix for suffix, _ in _SUFFIXES)
_LAST = frozenset(ending[-1] for ending in (*_ENDINGS, "s", "e"))
_EXTENSION = expression(r"\.\w+\Z")
_RENAMED = expression(r"(?P<before>.*)\{(?P<old>[^{}]*) => (?P<new>[^{}]*)\}(?P<after>.*)")
_ARROW = " => "


def words(text: str, plain: bool = False) -> list[str]:
    """The words of `text` in lower case, in order, repeated as often as they stand in it.

    Plain words are those of scikit-learn's `TfidfVectorizer`: two or more letters, digits and
    underscores. Otherwise common words of prose are left out, and code is understood:
    `requests.exceptions.SSLError` gives itself, `requests`, `exceptions`, `sslerror`, `ssl`,
    `error`; `E0308` gives itself and `0308`; `CVE-2024-1234` gives itself, `cve`, `2024`, `1234`.
    """
    if plain:
        return _PLAIN.findall(text.lower())
    if _is_simple(text):  # most pieces: no need to look closer
        return [] if text in _STOP or not 2 <= len(text) <= _LONGEST else [text]
    found: list[str] = []
    for name in _NAME.findall(text):
        if name.lower() in _STOP:
            continue
        # what is very long is not remembered: it hardly comes twice and would fill the memory
        found += _remembered(name) if len(name) <= 2 * _LONGEST else _lower_words(name)
    return found


def stem(word: str) -> str:
    """A lower-case word without its ending: `connections` and `connected` are `connect`.

    Only words of ASCII letters are shortened: names, numbers and codes stay as they are.
    """
    if len(word) <= 3 or word[-1] not in _LAST or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix, least in _SUFFIXES if word.endswith(_ENDINGS) else ():
        if word.endswith(suffix) and len(word) - len(suffix) >= least:
            word = word[: -len(suffix)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def path_words(key: str) -> list[str]:
    """The words of a file's key, without its extension."""
    return [word for part in path_parts(key) for word in part_words(part)]


def path_parts(key: str) -> list[str]:
    """The folders of a file's key, and its base name without its extension."""
    return _EXTENSION.sub("", key).split("/")


def part_words(part: str) -> list[str]:
    """The words of a part of a path."""
    return words(part.replace("-", " "))


def title_words(text: str) -> frozenset[str]:
    """The set of lower-case alphanumeric words, as the seed's formula takes them."""
    if text.isascii() and text.isalnum():
        return frozenset((text.lower(),))
    return frozenset(_TITLE_WORD.findall(text.lower()))


@lru_cache(maxsize=1 << 16)
def file_key(path: str) -> str:
    """One spelling of a path: forward slashes, no leading `./`."""
    path = path.strip().replace("\\", "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def names(path: str) -> tuple[str, ...]:
    """The path; where it tells a rename as git does, the old path and the new one.

    `src/{old => new}/a.py` and `old.py => new.py`, as `git diff --numstat` and `--stat` write it.
    """
    if _ARROW not in path:
        return (path,)
    found = _RENAMED.fullmatch(path)
    if found is None:
        old, _, new = path.partition(_ARROW)
        return old, new
    # a folder that only one of them has leaves a slash too many
    both = (f"{found['before']}{found[name]}{found['after']}" for name in ("old", "new"))
    return tuple(posixpath.normpath(name if found["before"] else name.lstrip("/")) for name in both)


def file_keys(files: tuple[str, ...] | None) -> dict[str, str] | None:
    """Each file's key and how it was written, in order of the keys; None when not known.

    A renamed file has two keys: who knows it by either name finds it.
    """
    if files is None:
        return None
    keys = {key: path for path in reversed(files) for key in keys_of(path)}
    return {key: keys[key] for key in sorted(keys)}


def keys_of(path: str) -> list[str]:
    """The keys of one file as it was written."""
    return [key for name in names(path) if (key := file_key(name))]


def digest(plain: bool = False) -> str:
    """Changes whenever `words` does, so that an index says which words it was made with."""
    patterns = [_PLAIN] if plain else [_NAME, _JOINT, _BORDER]
    stop = " ".join(sorted(_STOP))
    told = [
        str(_VERSION),
        str(_LONGEST),
        stop,
        _TITLE_WORD.pattern,
        _EXTENSION.pattern,
        repr(_SUFFIXES),
        *(each.pattern for each in patterns),
    ]
    return sha256("\n".join(told).encode()).hexdigest()


def _is_simple(text: str) -> bool:
    """Whether it has nothing but small letters of ASCII."""
    return text.isalpha() and text.islower() and text.isascii()


def _lower_words(name: str) -> tuple[str, ...]:
    if _is_simple(name):
        return (name,) if 2 <= len(name) <= _LONGEST else ()
    return tuple(word.lower() for word in _split(name) if 2 <= len(word) <= _LONGEST)


_remembered = lru_cache(maxsize=1 << 16)(_lower_words)


def _split(name: str) -> Iterator[str]:
    yield name
    parts = _JOINT.split(name)
    for part in parts:
        if len(parts) > 1:
            yield part
        pieces = [piece for piece in _BORDER.split(part) if piece]
        if pieces != [part] and len(part) <= _LONGEST:
            yield from pieces
