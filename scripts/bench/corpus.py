"""A made-up memory of any size for the benches: journals of failures that come back, and queries.

Words are drawn as in prose (Zipf-Mandelbrot, 200,000 of them), a tenth of the entries are topics
of their own, and an entry takes half of its words and files from its topic: the same trouble, met
several times. Seven entries in ten have a root line; its numbers differ each time. The same size
gives the same memory.
"""

import json
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

WORDS = 200_000
SHARDS = 8
_FOLDERS = ("src", "lib", "app", "core", "api", "auth", "billing", "search", "web", "cli", "tests")
_ENDINGS = ("py", "ts", "go", "rs", "java")
_RAW = (
    ("tsc", "src/{a}.ts({n},{m}): error TS2322: Type '{b}' is not assignable to type '{c}'."),
    ("pytest", "E   AssertionError: {a} of {b} was {c} after {n} ms"),
    ("npm", "npm ERR! missing script: {a}-{b}"),
    ("python", "ModuleNotFoundError: No module named '{a}.{b}'"),
    ("cargo", "error[E0308]: mismatched types in {a}::{b} at line {n}"),
    ("go", "./{a}.go:{n}:{m}: undefined: {b}"),
    ("generic", "2026-08-{d:02}T10:{m:02}:11Z error: {a} refused the {b} of {c} (attempt {n})"),
)


class Draw:
    """Draws words and files of one memory.

    Args:
        size: How many entries it has.
        seed: The same gives the same topics, and the same entries in turn.
        later: What the entries are drawn by instead, after the topics.
    """

    def __init__(self, size: int, seed: int, later: str = "") -> None:
        self._random = Random(seed)
        self.paths = max(500, min(200_000, size // 2))
        self._word_weights = list(accumulate(1 / (at + 11) for at in range(WORDS)))
        self._path_weights = list(accumulate(1 / (at + 3) for at in range(self.paths)))
        topics = max(10, size // 10)
        self._words = self.words(16 * topics)
        self._files = self.files(6 * topics)
        self._topics = topics
        if later:
            self._random.seed(later)

    def words(self, count: int) -> list[int]:
        """So many words, the common ones often."""
        return self._random.choices(range(WORDS), cum_weights=self._word_weights, k=count)

    def files(self, count: int) -> list[int]:
        """So many files, by number."""
        return self._random.choices(range(self.paths), cum_weights=self._path_weights, k=count)

    def entry(self, number: int) -> dict[str, Any]:
        """Entry `number`, as a journal tells it."""
        draw = self._random
        topic = draw.randrange(self._topics)
        length = 8 + draw.randint(12, 32)
        own = self._words[16 * topic : 16 * topic + 16]
        words = [
            name_of(word if draw.random() < 0.5 else draw.choice(own))
            for word in self.words(length)
        ]
        theirs = self._files[6 * topic : 6 * topic + 6]
        count = min(20, 1 + int(draw.expovariate(0.33)))
        files = [
            path_of(file if draw.random() < 0.5 else draw.choice(theirs))
            for file in self.files(count)
        ]
        raw = tool = ""
        if draw.random() < 0.7:
            tool, shape = _RAW[topic % len(_RAW)]
            names = dict(zip("abc", map(name_of, own), strict=False))
            raw = shape.format(
                **names, n=draw.randrange(1, 400), m=draw.randrange(1, 60), d=1 + number % 28
            )
        return {
            "kind": "failure",
            "title": " ".join(words[:8]),
            "body": " ".join(words[8:]),
            "labels": [],
            "files": list(dict.fromkeys(files)),
            "raw": raw,
            "tool": tool,
            "lesson": {"fix": " ".join(words[2:12])},
        }


class Corpus(NamedTuple):
    """Journals in a folder, and queries that are none of their entries but like some."""

    files: list[Path]
    queries: list[dict[str, Any]]
    draw: Draw


def name_of(number: int) -> str:
    """The word of that number, which can nearly be spoken."""
    number += 80
    letters = []
    while number:
        letters.append("bcdfghklmnprstvz"[number % 16])
        number //= 16
        letters.append("aeiou"[number % 5])
        number //= 5
    return "".join(letters)


def path_of(number: int) -> str:
    folders = f"{_FOLDERS[number % 11]}/{_FOLDERS[number // 11 % 11]}"
    return f"{folders}/{name_of(number)}.{_ENDINGS[number % 5]}"


def record_of(number: int, told: dict[str, Any]) -> dict[str, Any]:
    """The line of a journal that adds an entry."""
    minute, hour = number % 60, number // 60 % 24
    day, month, year = number // 1440 % 28, number // 40_320 % 12, number // 483_840
    at = f"{2020 + year}-{month + 1:02}-{day + 1:02}T{hour:02}:{minute:02}:00Z"
    return {"v": 1, "op": "add", "id": f"{number:026}", "at": at, "entry": told}


def made(folder: Path, size: int, queries: int = 100, seed: int = 7) -> Corpus:
    """A memory of `size` entries in the folder, in `SHARDS` journals."""
    draw = Draw(size, seed)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"m{shard}.jsonl" for shard in range(SHARDS)]
    each = -(-size // SHARDS)
    for shard, file in enumerate(files):
        with file.open("w", encoding="utf-8") as lines:
            for number in range(shard * each, min(size, (shard + 1) * each)):
                lines.write(json.dumps(record_of(number, draw.entry(number))) + "\n")
    return Corpus(files, [draw.entry(0) for _ in range(queries)], draw)


def of(folder: Path, size: int, queries: int = 100, seed: int = 7) -> Corpus:
    """What `made` has put into the folder before, with other queries."""
    draw = Draw(size, seed, f"queries of {seed}")
    files = sorted(folder.glob("*.jsonl"))
    return Corpus(files, [draw.entry(0) for _ in range(queries)], draw)


def entries(files: list[Path]) -> Iterator[dict[str, Any]]:
    """The entries as they stand in the journals, in order."""
    for file in files:
        with file.open(encoding="utf-8") as lines:
            yield from (json.loads(line)["entry"] for line in lines)
