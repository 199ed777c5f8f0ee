#!/usr/bin/env python3
"""Scorers, parts and tiers compared: recall, time, and whether certainty keeps its word.

    scripts/bench/ranking.py [DATASET…] [--most N] [--model FOLDER] [--json notebooks/ranking.json]

DATASET is a folder as `mem eval` takes it, or one that holds a `.mem`. Without any: the captured
failures of fixtures/, and the sets of ../shared/data/similarity where that stands beside the
checkout. With a model the tier semantic is asked too. `notebooks/ranking_quality.ipynb` draws the
file.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from indexing.entry import Entry, Source  # noqa: E402
from indexing.settings import SCORERS, Settings  # noqa: E402
from indexing.signature import extract  # noqa: E402
from retrieval import Memory, Query  # noqa: E402
from retrieval.evaluation import dataset as folders  # noqa: E402
from retrieval.evaluation import engine as engines  # noqa: E402
from retrieval.evaluation import reliability  # noqa: E402
from retrieval.evaluation.dataset import Dataset, Question  # noqa: E402
from retrieval.evaluation.engine import Engine  # noqa: E402
from retrieval.evaluation.measures import Figure, figure  # noqa: E402
from retrieval.evaluation.own import own  # noqa: E402
from retrieval.evaluation.reliability import Bin  # noqa: E402
from retrieval.tiers import SEMANTIC  # noqa: E402

FAILURES = ROOT / "fixtures" / "failures"
SHARED = ROOT.parent / "shared" / "data" / "similarity"
LARGE = ("hadoop", "curl", "dpdk")
DEPTHS = (1, 2, 3, 5, 10, 20, 50)


class Way(NamedTuple):
    """A way to rank: the tiers asked, what is set otherwise, and whether files are asked with."""

    name: str
    tiers: tuple[str, ...] = ("lexical",)
    changed: Mapping[str, Any] = {}
    with_files: bool = True

    @property
    def settings(self) -> Settings:
        """Those it ranks by."""
        return Settings()._replace(**self.changed)

    @property
    def asks(self) -> object:
        """Equal for ways that only have another name."""
        return self.tiers, self.settings, self.with_files


_NO_RECENCY = {"prior_recency": 0.0, "prior_fresh": 0.0}
_WAYS: Mapping[str, Sequence[Way]] = {
    "scorers": [Way(name, changed={"scorer": name}) for name in reversed(SCORERS)],
    "parts": [
        Way("text", changed={**_NO_RECENCY, "prior_size": 0.0}, with_files=False),
        Way("+ files", changed={**_NO_RECENCY, "prior_size": 0.0}),
        Way("+ size", changed=_NO_RECENCY),
        Way("+ recency"),
    ],
    "tiers": [
        Way(" + ".join(engines.TIERS[:count]), engines.TIERS[:count])
        for count in range(1, len(engines.TIERS) + 1)
    ],
}


def ways(model: str = "") -> Mapping[str, Sequence[Way]]:
    """By what they compare; with a model the last of the tiers has its vectors too."""
    if not model:
        return _WAYS
    name, changed = f"+ {SEMANTIC}", {"semantic_model": model}
    with_vectors = Way(name, (*engines.TIERS, SEMANTIC), changed)
    return {**_WAYS, "tiers": [*_WAYS["tiers"], with_vectors]}


def settings_for(model: str) -> Settings:
    """Those of an index that can be asked in all `ways`."""
    return Settings()._replace(semantic=int(bool(model)), semantic_model=model)


class Asked(NamedTuple):
    """What each question was answered, best first, and the milliseconds that it took."""

    way: Way
    run: Mapping[str, Sequence[str]]
    ms: Mapping[str, float]


class Line(NamedTuple):
    """One way on one dataset: the mean recall at each of `DEPTHS`, R@3 with its interval."""

    way: str
    recall: tuple[float, ...]
    r3: Figure
    ms: float
    """The median."""


class Measured(NamedTuple):
    """All ways on one dataset, by what they compare; and certainty."""

    name: str
    entries: int
    questions: int
    lines: Mapping[str, Sequence[Line]]
    bins: Sequence[Bin]
    separation: float
    surest: float


# ---------------------------------------------------------------------- datasets


def datasets(large: bool = True) -> Iterator[Dataset]:
    """The captured failures, and the large sets where they are to be read and are there."""
    yield captured()
    if large and SHARED.is_dir():
        yield from (read(SHARED / name) for name in LARGE)


def read(folder: Path) -> Dataset:
    """A dataset folder, or the own links of the memory that the folder holds."""
    if any((folder / name).exists() for name in ("queries.jsonl", "queries.jsonl.gz")):
        return folders.read(folder, kind="strong" if folder.name == "hadoop" else "")
    store = Memory.open(folder).store
    return own([store.entry(row) for row in range(len(store))], folder.resolve().name)


def captured() -> Dataset:
    """Every captured failure is an entry; the log of each one's other run asks for it."""
    entries, questions = [], []
    for manifest in sorted(FAILURES.glob("*/manifest.jsonl")):
        records = [json.loads(line) for line in manifest.read_text("utf-8").splitlines()]
        known: dict[str, str] = {}
        for record in records:
            path = manifest.parent / record["file"]
            name = f"{manifest.parent.name}/{record['file']}"
            helpful = known.get(record["group"]) if record["root_line"] else None
            if helpful is not None:
                asks = Query(path.read_bytes())
                questions.append(Question(name, asks, 1, frozenset({helpful})))
            elif record["root_line"]:
                known[record["group"]] = name
                entries.append(_entry(name, path))
    return Dataset("captured", tuple(entries), {each.id: 0 for each in entries}, tuple(questions))


def _entry(name: str, path: Path) -> Entry:
    signature = extract(path.read_bytes())
    title = "" if signature is None else signature.raw
    return Entry(name, "failure", title, signature=signature, source=Source("fixtures", name))


# ---------------------------------------------------------------------- asking


def ask(engine: Engine, questions: Sequence[Question], way: Way) -> Asked:
    """Every question, in the way given."""
    run, ms = {}, {}
    for question in questions:
        asked = question if way.with_files else question._replace(query=_bare(question.query))
        asked.query.signature  # noqa: B018 - taken once, which is no part of ranking
        began = time.perf_counter()
        found = engine.answers(asked, way.settings, way.tiers, DEPTHS[-1])
        ms[question.id] = 1000 * (time.perf_counter() - began)
        run[question.id] = [answer.id for answer in found]
    return Asked(way, run, ms)


def _bare(query: Query) -> Query:
    """The query without its files."""
    return Query(
        query.log,
        title=query.title,
        body=query.body,
        labels=query.labels,
        signature=query.signature,
        at=query.at,
    )


def asked_all(
    engine: Engine, questions: Sequence[Question], model: str = ""
) -> dict[str, list[Asked]]:
    """All ways, by what they compare; equal ones are asked once."""
    asked: dict[object, Asked] = {}
    compared = ways(model)
    for way in chain.from_iterable(compared.values()):
        if way.asks not in asked:
            asked[way.asks] = ask(engine, questions, way)
    return {
        about: [asked[way.asks]._replace(way=way) for way in its] for about, its in compared.items()
    }


def line(questions: Sequence[Question], asked: Asked) -> Line:
    """How good a way is, and how long it takes."""
    shares = {
        depth: [
            len(each.relevant & set(asked.run[each.id][:depth])) / len(each.relevant)
            for each in questions
        ]
        for depth in DEPTHS
    }
    recall = tuple(sum(each) / len(each) for each in shares.values())
    middle = sorted(asked.ms.values())[len(asked.ms) // 2]
    return Line(asked.way.name, recall, figure(shares[3]), middle)


def measured(
    dataset: Dataset,
    engine: Engine,
    questions: Sequence[Question],
    asked: Mapping[str, Sequence[Asked]],
) -> Measured:
    """The figures of what was asked, and of certainty."""
    sure = reliability.judged(questions, engine, Settings())
    return Measured(
        dataset.name,
        len(dataset.entries),
        len(questions),
        {about: [line(questions, each) for each in its] for about, its in asked.items()},
        reliability.bins(sure),
        reliability.separation(sure),
        reliability.surest(sure),
    )


def sample(dataset: Dataset, most: int) -> list[Question]:
    """The newest questions, so many at most; 0: all."""
    ordered = sorted(dataset.questions, key=lambda each: (each.seq, each.id))
    return ordered[-most:] if most else ordered


# ---------------------------------------------------------------------- the file


def written(path: Path, found: Sequence[Measured]) -> None:
    """The figures, without the times, which are this machine's."""
    kept = [
        {
            **each._asdict(),
            "lines": {
                about: [{**_rounded(one._asdict()), "ms": 0.0} for one in lines]
                for about, lines in each.lines.items()
            },
            "bins": [_rounded(one._asdict()) for one in each.bins],
            "separation": round(each.separation, 4),
            "surest": round(each.surest, 4),
        }
        for each in found
    ]
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    def short(value: Any) -> Any:
        if isinstance(value, tuple):
            return [short(each) for each in value]
        return round(value, 4) if isinstance(value, float) else value

    return {key: short(value) for key, value in values.items()}


def kept(path: Path) -> list[Measured]:
    """What `written` wrote."""
    return [
        Measured(
            **{
                **each,
                "lines": {
                    about: [
                        Line(one["way"], tuple(one["recall"]), Figure(*one["r3"]), one["ms"])
                        for one in lines
                    ]
                    for about, lines in each["lines"].items()
                },
                "bins": [Bin(**one) for one in each["bins"]],
            }
        )
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Prints the figures, and writes them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="DATASET")
    parser.add_argument("--most", type=int, default=0, help="so many questions of each at most")
    parser.add_argument("--model", default="", metavar="FOLDER", help="of the tier semantic")
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    found = []
    for each in map(read, args.folders) if args.folders else datasets():
        with engines.opened(each, settings_for(args.model)) as engine:
            questions = sample(each, args.most)
            made = measured(each, engine, questions, asked_all(engine, questions, args.model))
        found.append(made)
        print(f"{made.name}: {made.questions} questions, {made.entries:,} entries")
        for about, lines in made.lines.items():
            for one in lines:
                low, high = one.r3.low, one.r3.high
                print(f"  {about:8} {one.way:26} R@3 {one.r3.mean:.3f} [{low:.3f}, {high:.3f}]")
        print(f"  certainty: separation {made.separation:.3f}, surest quarter {made.surest:.3f}")
    if args.json:
        written(args.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
