"""`mem tune`: the priors of the scorer, picked on the memory's own older links."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indexing.lazily import expression
from indexing.settings import CONFIG, find_mem_dir, load
from retrieval.cli import streams
from retrieval.cli.interface import Command
from retrieval.cli.streams import FOUND, NOTHING

if TYPE_CHECKING:
    from retrieval.evaluation.measures import Figure
    from retrieval.evaluation.tune import Tuned


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "dataset",
        nargs="?",
        type=Path,
        metavar="DATASET",
        help="a folder of questions, to see what it would give",
    )
    parser.add_argument(
        "--split", default="train", help="questions of this split (train) of DATASET"
    )
    parser.add_argument("--kind", default="", help="only questions of this kind")
    parser.add_argument("--dry-run", action="store_true", help="leave config.toml as it is")
    parser.add_argument("--index", type=Path, metavar="DIR", help="another index than .mem/index")


def _tune(args: Namespace) -> int:
    from retrieval.evaluation import dataset, own
    from retrieval.evaluation.engine import opened
    from retrieval.evaluation.tune import FEWEST, PRIORS, tune
    from retrieval.memory import Memory

    config: Path | None = None
    if args.dataset is not None:
        made = dataset.read(args.dataset, "" if args.split == "all" else args.split, args.kind)
        settings = load(None)
    else:
        config = find_mem_dir() / CONFIG
        memory = Memory.open(index=args.index)
        store, settings = memory.store, memory.settings
        made = own.own([store.entry(row) for row in range(len(store))], str(memory.index))
    count = len(made.questions)
    if count < FEWEST:
        streams.say(
            f"{made.name}: {count} entries share a signature, a fix or a link with an older one;"
            f" fewer than {FEWEST} tell nothing, so the priors stay as they are"
        )
        return NOTHING
    with opened(made, settings) as engine, _progress() as on_progress:
        tuned = tune(made, engine, settings, on_progress)
    now = tuple(getattr(settings, name) for name in PRIORS)
    better = tuned.significant and tuned.priors != now
    written = better and config is not None and not args.dry_run
    if written and config is not None:
        write(config, dict(zip(PRIORS, tuned.priors, strict=True)))
    if args.json:
        streams.write_json(
            {
                "questions": count,
                "priors": dict(zip(PRIORS, tuned.priors, strict=True)),
                "before": tuned.before._asdict(),
                "after": tuned.after._asdict(),
                "gain": tuned.gain._asdict(),
                "significant": better,
                "written": written,
            }
        )
    else:
        streams.write("\n".join([*_told(tuned, count, better, config if written else None), ""]))
    return FOUND


def write(config: Path, priors: dict[str, float]) -> None:
    """Set the priors in the settings' file and leave all else in it as it is."""
    text = config.read_text(encoding="utf-8") if config.exists() else ""
    for name, value in priors.items():
        line = f"{name} = {value}"
        pattern = expression(rf"(?m)^[ \t]*{name}[ \t]*=.*$")
        if pattern.search(text):
            text = pattern.sub(line, text, count=1)
        else:
            text = f"{text.rstrip()}\n{line}\n".lstrip("\n")
    new = config.with_name(f"{config.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(config)


def _told(tuned: "Tuned", count: int, better: bool, config: Path | None) -> Iterator[str]:
    recency, fresh, size = tuned.priors
    yield f"{count:,} questions; the best priors for them:"
    yield f"  prior_recency {recency}, prior_fresh {fresh}, prior_size {size}"
    yield "  R@3 of newer questions, with the priors picked on all older ones:"
    yield f"    before  {_interval(tuned.before)}"
    yield f"    after   {_interval(tuned.after)}"
    yield f"    gain    {_interval(tuned.gain, '+')}"
    if config is not None:
        yield f"written to {config}"
    elif better:
        yield "better for certain; nothing was written"
    else:
        yield "no gain for certain: the priors stay as they are"


def _interval(figure: "Figure", sign: str = "") -> str:
    return f"{figure.mean:{sign}.4f}  [{figure.low:{sign}.4f}, {figure.high:{sign}.4f}]"


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Shows how many questions were asked, on a terminal; elsewhere nothing."""
    if streams.width_of(sys.stderr) is None:
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("tune")
        yield lambda done, total: bars.update(task, completed=done, total=total)


COMMANDS = {"tune": Command(_arguments, _tune, "mem tune --dry-run")}
