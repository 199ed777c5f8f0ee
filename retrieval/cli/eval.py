"""`mem eval`: how good the ranking is, on a dataset or on the memory's own links."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.errors import BadQuery
from indexing.settings import SCORERS, Settings, load
from retrieval.cli import streams
from retrieval.cli.interface import Command, semantic_argument, semantic_of
from retrieval.cli.streams import FOUND, NOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.evaluation.dataset import Dataset, Question
    from retrieval.evaluation.engine import Answer
    from retrieval.evaluation.measures import Figure
    from retrieval.evaluation.reliability import Judged


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "dataset", nargs="?", type=Path, metavar="DATASET", help="a folder of questions"
    )
    parser.add_argument("--own", action="store_true", help="the memory's own links instead")
    parser.add_argument("--scorer", choices=SCORERS, help="how titles and texts are compared")
    parser.add_argument(
        "--tiers", help="of exact, pattern, lexical and semantic (default: all but the last)"
    )
    semantic_argument(parser, "compare by vectors of the texts too")
    parser.add_argument(
        "--vectors", type=Path, metavar="DIR", help="keep the vectors of texts there, for next time"
    )
    parser.add_argument(
        "--split", default="test", help="questions of this split (test); all: every one"
    )
    parser.add_argument("--kind", default="", help="only questions of this kind")
    parser.add_argument(
        "--qrels", default="qrels.tsv", metavar="FILE", help="which entries answer which question"
    )
    parser.add_argument("--no-files", action="store_true", help="ask without the questions' files")
    parser.add_argument("--certainty", action="store_true", help="judge how certain hits are")
    parser.add_argument("--run", type=Path, metavar="OUT", help="write the answers, as TREC does")
    parser.add_argument("--given", type=Path, metavar="RUN", help="judge this run, not the engine")
    parser.add_argument("--against", type=Path, metavar="RUN", help="compare with this run")
    parser.add_argument("--index", type=Path, metavar="DIR", help="another index than .mem/index")


def _eval(args: Namespace) -> int:
    from retrieval.evaluation import measures, runs
    from retrieval.evaluation.engine import TIERS
    from retrieval.tiers import SEMANTIC

    tiers = list(TIERS)
    if args.tiers is not None:
        tiers = [name.strip() for name in args.tiers.split(",") if name.strip()]
    known = (*TIERS, SEMANTIC)
    if not tiers or not set(tiers) <= set(known):
        raise BadQuery(f"--tiers: '{args.tiers}' names no tiers; take of {', '.join(known)}")
    if (semantic := semantic_of(args)) is not None:
        tiers = [name for name in tiers if name != SEMANTIC] + [SEMANTIC] * semantic
    if args.certainty and args.given is not None:
        raise BadQuery("--certainty: a run does not say how certain it was; leave out --given")
    dataset, settings = _dataset(args)
    settings = settings._replace(semantic=int(SEMANTIC in tiers))
    if not dataset.questions:
        streams.say(
            f"{dataset.name}: no entry shares a signature, a fix or a link with an older one;"
            " there is nothing to judge by"
        )
        return NOTHING
    sure: list[Judged] = []
    if args.given is not None:
        run = runs.read(args.given, dataset)
        name = args.given.name
    else:
        answers, sure = _asked(dataset, settings, tiers, args.certainty, args.vectors)
        if args.run is not None:
            runs.write(args.run, answers, settings.scorer)
        run = {id: [answer.id for answer in found] for id, found in answers.items()}
        is_ranked = {"lexical", SEMANTIC} & set(tiers)
        name = settings.scorer if is_ranked else ",".join(tiers)
        name += "+vectors" if settings.semantic else ""
    values = measures.by_question(dataset, run)
    figures = measures.figures(values)
    compared: dict[str, Figure] = {}
    if args.against is not None:
        theirs = measures.by_question(dataset, runs.read(args.against, dataset))
        compared = measures.differences(values, theirs)
    if args.json:
        streams.write_json(
            {
                "dataset": dataset.name,
                "run": name,
                "questions": len(dataset.questions),
                "entries": len(dataset.entries),
                "measures": {key: figure._asdict() for key, figure in figures.items()},
                "differences": {key: figure._asdict() for key, figure in compared.items()},
                "certainty": _certainty(sure) if sure else None,
            }
        )
    else:
        told = [*_told(dataset, name, figures, compared, args.against), *_told_certainty(sure)]
        streams.write("\n".join([*told, ""]))
    return FOUND


def _dataset(args: Namespace) -> "tuple[Dataset, Settings]":
    from retrieval.evaluation import dataset, own

    if args.own == (args.dataset is not None):
        raise BadQuery("name a dataset folder, or give --own")
    if args.own:
        from retrieval.memory import Memory

        memory = Memory.open(index=args.index)
        store = memory.store
        made = own.own([store.entry(row) for row in range(len(store))], str(memory.index))
        settings = memory.settings
    else:
        split = "" if args.split == "all" else args.split
        made = dataset.read(args.dataset, split, args.kind, args.qrels, not args.no_files)
        settings = load(None)
    if args.scorer is not None:
        settings = settings._replace(scorer=args.scorer)
    return made, settings


def _asked(
    dataset: "Dataset", settings: Settings, tiers: list[str], certainty: bool, kept: Path | None
) -> "tuple[Mapping[str, list[Answer]], list[Judged]]":
    """The answers, and how certain the first hits are where that is to be judged."""
    from retrieval.evaluation.engine import opened
    from retrieval.evaluation.reliability import judged

    with opened(dataset, settings, kept=kept) as engine:
        answers = {
            question.id: engine.answers(question, settings, tiers) for question in _counted(dataset)
        }
        return answers, judged(_counted(dataset), engine, settings) if certainty else []


def _counted(dataset: "Dataset") -> "Iterator[Question]":
    """The questions; a bar shows how many are answered, on a terminal."""
    if streams.width_of(sys.stderr) is None:
        yield from dataset.questions
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(dataset.questions, "ask", console=Console(stderr=True), transient=True)


def _told(
    dataset: "Dataset",
    name: str,
    figures: "Mapping[str, Figure]",
    compared: "Mapping[str, Figure]",
    against: Path | None,
) -> "Iterator[str]":
    yield f"{dataset.name}: {len(dataset.questions):,} questions, {len(dataset.entries):,} entries"
    yield from _table(name, figures, "")
    if against is not None:
        yield from _table(f"minus {against.name}", compared, "+")


def _table(name: str, figures: "Mapping[str, Figure]", sign: str) -> "Iterator[str]":
    yield f"  {name:<20}{'mean':>8}   95 % interval"
    for measure, figure in figures.items():
        low, high = (f"{end:{sign}.4f}" for end in (figure.low, figure.high))
        yield f"  {measure:<20}{figure.mean:>{sign}8.4f}   {low} to {high}"


def _certainty(sure: "list[Judged]") -> "dict[str, object]":
    from retrieval.evaluation import reliability

    return {
        "separation": reliability.separation(sure),
        "surest_quarter": reliability.surest(sure),
        "bins": [each._asdict() for each in reliability.bins(sure)],
    }


def _told_certainty(sure: "list[Judged]") -> "Iterator[str]":
    if not sure:
        return
    from retrieval.evaluation import reliability

    yield f"  {'certainty':<20}{'hits':>8}    said  helped"
    for each in reliability.bins(sure):
        name = f"{each.low:.1f} to {each.high:.1f}"
        yield f"  {name:<20}{each.hits:>8,}    {each.said:.2f}    {each.helped:.2f}"
    yield f"  the surest quarter's first hits help in {reliability.surest(sure):.2f}"
    yield f"  surer than without what helps: {reliability.separation(sure):.3f} (0.5 is chance)"


COMMANDS = {"eval": Command(_arguments, _eval, "mem eval --own --scorer cosine")}
