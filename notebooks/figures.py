"""What signatures.ipynb shows: labelled logs judged and counted, as tables."""

import html
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # a notebook starts in its own folder

from indexing.redact import redact  # noqa: E402
from indexing.signature import Signature, explain, extract  # noqa: E402
from indexing.signature.interface import Step  # noqa: E402
from indexing.signature.normalise import STEPS, changes  # noqa: E402
from indexing.signature.tools import TOOLS  # noqa: E402
from scripts.bench.signature_speed import log_of, loop_of, timed  # noqa: E402

RANKS = {f"{rules.tool}:{rule.name}": rule.rank for rules in TOOLS for rule in rules.rules}


class Table(NamedTuple):
    """Rows under a head, as a notebook shows them; floats keep one digit, None is blank."""

    head: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th style='text-align:left'>{html.escape(name)}</th>" for name in self.head
        )
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(value: object) -> str:
    if isinstance(value, (int, float)):
        text = f"{value:.1f}" if isinstance(value, float) else f"{value}"
        return f"<td style='text-align:right'>{text}</td>"
    text = "" if value is None else html.escape(str(value))
    return f"<td style='text-align:left; white-space:pre-wrap'>{text}</td>"


# ---------------------------------------------------------------------- the labelled logs


class Case(NamedTuple):
    """One log and what a reader says of it.

    `wanted` holds the root line and those that would do as well; it is empty where nothing failed.
    `line` is the root line's number, from 1. `hard`: the tool words its failure otherwise in the
    other runs of the group.
    """

    path: Path
    name: str
    tool: str
    group: str
    wanted: tuple[str, ...]
    decoys: tuple[str, ...]
    line: int
    hard: bool


class Judged(NamedTuple):
    """A case with the signature it got: `root` is right, `trailer` a decoy."""

    case: Case
    signature: Signature | None
    root: bool
    trailer: bool


def folders(root: Path = ROOT) -> dict[str, Path]:
    """Where labelled logs lie: the project's own, and `shared/data` beside the checkout."""
    found = {"fixtures": root / "fixtures" / "failures"}
    shared = root.parent / "shared" / "data" / "failures"
    if shared.is_dir():
        found["shared"] = shared
    return found


def cases(folder: Path) -> list[Case]:
    """Every log that a manifest in the folder, or one folder below, names; in their order."""
    manifests = sorted([*folder.glob("manifest*.jsonl"), *folder.glob("*/manifest*.jsonl")])
    return [
        _case(folder, manifest.parent, json.loads(line))
        for manifest in manifests
        for line in manifest.read_text(encoding="utf-8").splitlines()
    ]


def _case(folder: Path, beside: Path, said: dict[str, object]) -> Case:
    def texts(key: str) -> tuple[str, ...]:
        values = said.get(key) or ()
        assert isinstance(values, list | tuple), f"{beside}: {key} of {said['file']} is no list"
        return tuple(map(str, values))

    path = beside / str(said["file"])
    root = (str(said["root_line"]),) if said["root_line"] else ()
    return Case(
        path=path,
        name=path.relative_to(folder).as_posix(),
        tool=str(said["tool"]),
        group=str(said["group"] or ""),
        wanted=root + texts("also_acceptable") + texts("alt_root_lines") if root else (),
        decoys=texts("decoy_lines"),
        line=int(str(said["root_line_no"] or 0)),
        hard=said.get("relation") == "same-hard",
    )


def judge(labelled: Sequence[Case]) -> list[Judged]:
    """Signs every log; the tool is detected, not given."""
    return [_judged(case, extract(case.path.read_bytes())) for case in labelled]


def _judged(case: Case, signature: Signature | None) -> Judged:
    got = signature.raw if signature else ""
    root = any(same_line(got, line) for line in case.wanted)
    trailer = not root and any(same_line(got, line) for line in case.decoys)
    return Judged(case, signature, root, trailer)


def same_line(one: str, other: str) -> bool:
    """Whether two spellings are one line: but for colours, CI prefixes and blanks, the same.

    A tool may cut a line: one of at least 12 characters may also be half or more of the other.
    """
    short, long = sorted((_bare(one), _bare(other)), key=len)
    if not short or short == long:
        return bool(short)
    return len(short) >= 12 and 2 * len(short) >= len(long) and short in long


def _bare(line: str) -> str:
    """Without what a terminal or a CI adds: by expressions of our own, since rules are judged."""
    line = _PREFIXES.sub("", _COLOURS.sub("", line))
    return " ".join(line.split())


_COLOURS = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-Z]"
)
_PREFIXES = re.compile(
    r"\A(?:\ufeff|\s"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|##\[\w+\]|::\w+ [^:]*::|#\d+ (?:\d+\.\d+ ?)?|\[ERROR\] |\d\d:\d\d:\d\d(?:[.,]\d+)? )+"
)


# ---------------------------------------------------------------------- pairs and scores


class Pair(NamedTuple):
    """Two failing logs of one tool; `kind` is `same`, `hard` (worded otherwise) or `apart`."""

    one: Judged
    other: Judged
    kind: str

    @property
    def equal(self) -> bool:
        """Whether they got one signature."""
        one, other = self.one.signature, self.other.signature
        return one is not None and other is not None and one.sig_sha == other.sig_sha


def pairs(judged: Sequence[Judged]) -> list[Pair]:
    """Every two failing logs that have their tool in common."""
    by_tool: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        if one.case.wanted:
            by_tool[one.case.tool].append(one)
    return [
        Pair(one, other, _kind(one.case, other.case))
        for _, members in sorted(by_tool.items())
        for one, other in combinations(members, 2)
    ]


def _kind(one: Case, other: Case) -> str:
    if one.group != other.group:
        return "apart"
    return "hard" if one.hard or other.hard else "same"


class Score(NamedTuple):
    """Counts of one tool: of failing logs, and of pairs with how many are as they should be."""

    tool: str
    logs: int = 0
    root: int = 0
    trailer: int = 0
    none: int = 0
    same: int = 0
    same_pairs: int = 0
    apart: int = 0
    apart_pairs: int = 0
    hard: int = 0
    hard_pairs: int = 0

    @property
    def full(self) -> bool:
        """Whether nothing is left to mend; hard pairs do not count."""
        return (self.root, self.same, self.apart, self.trailer, self.none) == (
            *(self.logs, self.same_pairs, self.apart_pairs),
            *(0, 0),
        )


def scores(judged: Sequence[Judged]) -> list[Score]:
    """One score for each tool by name, and the sum under `all` at the end."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in judged:
        if one.case.wanted:
            counts[one.case.tool].update(
                logs=1, root=int(one.root), trailer=int(one.trailer), none=int(not one.signature)
            )
    for pair in pairs(judged):
        right = pair.equal != (pair.kind == "apart")
        counts[pair.one.case.tool].update({f"{pair.kind}_pairs": 1, pair.kind: int(right)})
    made = [Score(tool, **count) for tool, count in sorted(counts.items())]
    columns = zip(*(score[1:] for score in made), strict=True)
    return [*made, Score("all", *map(sum, columns))]


def score_table(found: Sequence[Score]) -> Table:
    """Shares in percent, with the counts they are shares of."""
    head = ("tool", "logs", "root", "trailer", "none", "same", "pairs", "apart", "pairs")
    return Table(
        (*head, "hard", "pairs"),
        [
            (
                *(one.tool, one.logs, percent(one.root, one.logs)),
                *(percent(one.trailer, one.logs), one.none),
                *(percent(one.same, one.same_pairs), one.same_pairs),
                *(percent(one.apart, one.apart_pairs), one.apart_pairs),
                *(percent(one.hard, one.hard_pairs), one.hard_pairs),
            )
            for one in found
        ],
    )


def percent(part: int, whole: int) -> float | None:
    """None where there is nothing to be a part of."""
    return 100 * part / whole if whole else None


def false_alarms(judged: Sequence[Judged]) -> Table:
    """Passing logs that got a signature all the same."""
    signed = [one for one in judged if one.signature and not one.case.wanted]
    return Table(
        ("log", "got", "rule"),
        [(one.case.name, cut(one.signature.raw), rule_of(one)) for one in signed if one.signature],
    )


# ---------------------------------------------------------------------- what is still wrong


def missed(judged: Sequence[Judged]) -> Table:
    """Failing logs whose root line is another than a reader says."""
    wrong = [one for one in judged if one.case.wanted and not one.root]
    return Table(
        ("log", "wanted", "got", "rule", "why"),
        [
            (
                one.case.name,
                f"{one.case.line}: {cut(_bare(one.case.wanted[0]))}",
                f"{one.signature.line}: {cut(one.signature.raw)}" if one.signature else "",
                rule_of(one),
                ("a decoy; " if one.trailer else "") + why(one),
            )
            for one in wrong
        ],
    )


def why(one: Judged) -> str:
    """Why the wanted line was not taken, as far as the rules tell."""
    if one.signature and one.signature.line == one.case.line:
        return "the same line, labelled with what stands around it"
    passed_over = {
        skipped.line: skipped.why for skipped in explain(one.case.path.read_bytes()).skipped
    }
    if one.case.line in passed_over:
        return f"passed over: {passed_over[one.case.line]}"
    alone = extract(one.case.wanted[0])
    if alone is None or alone.rule not in RANKS:
        return "no rule knows the wanted line"
    if one.signature is None or one.signature.rule not in RANKS:
        return f"{alone.rule} knows the line only when it stands alone"
    ours, theirs = RANKS[alone.rule], RANKS[one.signature.rule]
    if ours < theirs:
        return f"{alone.rule} ranks {ours}, {one.signature.rule} {theirs}"
    if ours == theirs and one.signature.line < one.case.line:
        return f"both rank {ours}; the earlier line is taken"
    return f"{alone.rule} knows the line only when it stands alone"


def wrong_pairs(found: Sequence[Pair], kind: str) -> Table:
    """Pairs of a kind that are not as they should be, both normal forms where they part.

    Of failures that collide the forms are equal: the lines that a reader wants are shown too.
    """
    wrong = [pair for pair in found if pair.kind == kind and pair.equal != (kind != "apart")]
    return Table(("one", "other", "form of one", "form of the other"), [*map(_forms, wrong)])


def _forms(pair: Pair) -> tuple[str, str, str, str]:
    one, other = (_form(side.signature) for side in pair[:2])
    if one == other:
        one, other = (
            f"{cut(one)}\nwanted: {cut(_bare(side.case.wanted[0]))}"
            for side in (pair.one, pair.other)
        )
    else:
        one, other = where_they_part(one, other)
    return (pair.one.case.name, pair.other.case.name, one, other)


def _form(signature: Signature | None) -> str:
    return f"{signature.tool}: {signature.normalised}" if signature else "no signature"


def where_they_part(one: str, other: str, around: int = 40) -> tuple[str, str]:
    """Both texts without what they share, but for `around` characters on each side."""
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    first, second = (
        _window(text, start - around, len(text) - end + around) for text in (one, other)
    )
    return first, second


def _shared(one: str, other: str) -> int:
    """How many characters both texts begin with."""
    both = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in both if left != right), min(len(one), len(other)))


def _window(text: str, start: int, end: int) -> str:
    before = "…" if start > 0 else ""
    after = "…" if end < len(text) else ""
    return before + cut(text[max(start, 0) : end], 300) + after


def cut(text: str, most: int = 160) -> str:
    """The text in at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def rule_of(one: Judged) -> str:
    """`tool:name` of the rule that found the root line; empty without a signature."""
    return one.signature.rule if one.signature else ""


# ---------------------------------------------------------------------- what each step is for


class Contribution(NamedTuple):
    """What becomes of today's signatures when a step, or all of them, are switched off.

    The step changes the line of `changed` logs; of the same-failure pairs with one
    signature `split` lose it; of the colliding pairs `parted` get two. `example` is the first pair
    that splits, where the two forms part.
    """

    step: str
    changed: int
    split: int
    parted: int
    example: tuple[str, str]


def _turn(step: Step) -> Callable[[str], str]:
    return lambda text: step.pattern.sub(step.put, text)


def _spelt(text: str) -> str:
    """Quotes and blanks as ASCII spells them: what `changes` reports before the first step."""
    first = next(changes(text), None)
    return first.after if first and first.name == "spelling" else text


STAGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("secrets", redact),
    ("spelling", _spelt),
    *((step.name, _turn(step)) for step in STEPS),
)


NAMES = tuple(name for name, _ in STAGES)


def forms(text: str, off: Collection[str] = ()) -> Iterator[str]:
    """The text after each stage, in order; stripped, the last is its normal form."""
    text = text.strip()
    for name, stage in STAGES:
        if name not in off:
            text = stage(text)
        yield text


def contributions(judged: Sequence[Judged]) -> list[Contribution]:
    """All stages of normalisation together, then each by itself, in order."""
    signed = [one for one in judged if one.signature and one.case.wanted]
    made = {one.case.path: [_text(one).strip(), *forms(_text(one))] for one in signed}
    equal = [pair for pair in pairs(judged) if pair.equal and pair.kind != "hard"]

    def changed(before: int, after: int) -> set[Path]:
        return {path for path, texts in made.items() if texts[before] != texts[after]}

    return [
        _contribution("all of them", NAMES, changed(0, -1), equal),
        *(
            _contribution(name, (name,), changed(at, at + 1), equal)
            for at, name in enumerate(NAMES)
        ),
    ]


def _contribution(
    name: str, off: Collection[str], changed: set[Path], equal: Sequence[Pair]
) -> Contribution:
    """`equal` are pairs with one signature; they keep it where the stage changes neither log."""
    lost: dict[str, list[tuple[str, str]]] = {"same": [], "apart": []}
    for pair in equal:
        if changed.isdisjoint((pair.one.case.path, pair.other.case.path)):
            continue
        one, other = (_form_without(off, side) for side in pair[:2])
        if one != other:
            lost[pair.kind].append((one, other))
    example = where_they_part(*lost["same"][0]) if lost["same"] else ("", "")
    return Contribution(name, len(changed), len(lost["same"]), len(lost["apart"]), example)


def _form_without(off: Collection[str], one: Judged) -> str:
    *_, last = forms(_text(one), off)
    return last.strip()


def _text(one: Judged) -> str:
    """What is normalised: the root line and those joined to it."""
    return "\n".join((one.signature.raw, *one.signature.joined)) if one.signature else ""


def contribution_table(found: Sequence[Contribution]) -> Table:
    """In the order of the steps."""
    head = ("step off", "logs it changes", "pairs that split", "collisions that part")
    return Table(
        (*head, "form of one", "form of the other"), [(*one[:4], *one.example) for one in found]
    )


# ---------------------------------------------------------------------- speed


class Speed(NamedTuple):
    """Milliseconds of one way over a made log of `size` characters."""

    way: str
    failing: bool
    size: int
    least: float
    median: float
    most: float

    @property
    def rate(self) -> float:
        """MB/s at the median."""
        return self.size / self.median / 1000


def speeds(sizes: Sequence[int], runs: int) -> list[Speed]:
    """Ours beside a loop of 60 expressions per line, over the same logs in one process.

    At most so many runs each; the larger the log, the fewer, but 3 at least.
    """
    ways = (("60 expressions a line", loop_of(60)), ("extract", extract))
    made = []
    for size in sizes:
        for failing in (True, False):
            text = log_of(size, failing)
            times = max(3, min(runs, 2_000_000 // size))
            for way, work in ways:
                took = timed(partial(work, text), times)
                made.append(Speed(way, failing, len(text), *took))
    return made


def speed_table(found: Sequence[Speed]) -> Table:
    """Both ways side by side; above 1, the last column says that ours is faster."""
    by_way: dict[str, list[Speed]] = defaultdict(list)
    for one in found:
        by_way[one.way].append(one)
    return Table(
        ("log", "KB", "extract MB/s", "60 expressions MB/s", "ratio"),
        [
            (
                "failing" if ours.failing else "passing",
                ours.size // 1000,
                *(ours.rate, loop.rate, loop.median / ours.median),
            )
            for loop, ours in zip(*by_way.values(), strict=True)
        ],
    )
