"""Settings: `.mem/config.toml`, each overridable by an environment variable `MEM_<NAME>`."""

import os
from collections.abc import Callable, Mapping

from indexing.errors import BadSettings, NoMemory
from indexing.plain import AnyPath, Place, read_plain
from indexing.typed import TYPE_CHECKING, Any, NamedTuple, Path

if TYPE_CHECKING:
    from indexing.learning.evidence import Policy

MEM_DIR = ".mem"
CONFIG = "config.toml"
JOURNAL = "journal.jsonl"
OVERRIDES = "overrides.jsonl"
INDEX = "index"
SCORERS = ("fields", "cosine", "tokens")
TOKENS = ("code", "plain")


class Settings(NamedTuple):
    """What a user may change, with its defaults.

    memory: Memory files and folders beside our journal, relative to the folder that holds `.mem`;
        in `MEM_MEMORY` they are separated as in `PATH`.
    min_score: Weaker hits of the lexical tier are not shown, 0..100.
    top_k: So many hits at most.
    max_entries: The lexical tier looks at so many of the newest entries; 0 is all of them.
    weight_text, weight_files: Shares of cosine and Jaccard in the score; together 1.
        Only the scorer `cosine` asks for them.
    scorer: `fields` (BM25F, rarity of files, age and size), `cosine` (TF-IDF), or `tokens` (sets of
        title words).
    prior_recency, prior_fresh, prior_size: How much an entry's age in years, its age in days and
        its number of files count for the scorer `fields`; 0 is not at all.
    tokens: `code` splits identifiers, `plain` does not. Changing it asks for a rebuild.
    max_tokens: Budget of a context block.
    max_file_mb: A bigger memory file is skipped, and the report says so.
    min_success_rate: At a loop's start a pattern with a lower rate is not shown, after
        `evaluate_after` uses.
    evaluate_after: Before so many uses a rate says nothing.
    abstain_below: A memory with a lower expected rate, (helped + 1) / (uses + 2), is not shown.
    similarity: Patterns that are more alike are proposed for merging.
    prune_below: A pattern with a lower rate goes into the archive, after `prune_after` uses.
    prune_after: Before so many uses a rate is no reason to prune.
    prune_unused_days: What nobody used for more days goes into the archive.
    patterns_shown: So many patterns in `mem context --format patterns`.
    patterns_most: At most so many, whatever is asked for.
    learn_on_green: 1: `mem run` learns when a command that failed passes again; 0: it does not.
    learn_failed: 1: loops that failed or ended half done teach too; 0: only those that succeeded.
    learn_templates: 1: code templates are learnt unless `--types` says otherwise; 0: they are not.
    inject: 1: `mem context` and `mem run` show what is known; 0: nothing, so that a session is
        clean. `mem lookup` answers all the same.
    control: This share of loops, by a hash of their `--loop ID`, is shown nothing, so that help can
        be measured.
    events: A file to which events are appended as JSON lines; empty is none. In `config.toml` it is
        relative to the folder that holds `.mem`.
    """

    memory: tuple[str, ...] = ()
    min_score: int = 15
    top_k: int = 3
    max_entries: int = 0
    weight_text: float = 0.6
    weight_files: float = 0.4
    scorer: str = "fields"
    prior_recency: float = 0.5
    prior_fresh: float = 0.25
    prior_size: float = 0.2
    tokens: str = "code"
    max_tokens: int = 500
    max_file_mb: int = 256
    min_success_rate: float = 0.6
    evaluate_after: int = 3
    abstain_below: float = 0.3
    similarity: float = 0.8
    prune_below: float = 0.5
    prune_after: int = 3
    prune_unused_days: int = 90
    patterns_shown: int = 5
    patterns_most: int = 10
    learn_on_green: int = 1
    learn_failed: int = 1
    learn_templates: int = 1
    inject: int = 1
    control: float = 0.0
    events: str = ""

    @property
    def policy(self) -> "Policy":
        """What decides which patterns are shown and which go into the archive."""
        from indexing.learning.evidence import Policy

        return Policy._make(getattr(self, name) for name in Policy._fields)


class _Rule(NamedTuple):
    kind: type
    expected: str
    allows: Callable[[Any], bool]


_RULES = {
    "memory": _Rule(tuple, "a list of paths", lambda paths: all(paths)),
    "min_score": _Rule(int, "a whole number in 0..100", lambda value: 0 <= value <= 100),
    "top_k": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "max_entries": _Rule(int, "a whole number from 0", lambda value: value >= 0),
    "weight_text": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "weight_files": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "scorer": _Rule(str, "one of " + ", ".join(SCORERS), lambda value: value in SCORERS),
    "prior_recency": _Rule(float, "a number in 0..10", lambda value: 0 <= value <= 10),
    "prior_fresh": _Rule(float, "a number in 0..10", lambda value: 0 <= value <= 10),
    "prior_size": _Rule(float, "a number in 0..10", lambda value: 0 <= value <= 10),
    "tokens": _Rule(str, "one of " + ", ".join(TOKENS), lambda value: value in TOKENS),
    "max_tokens": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "max_file_mb": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "min_success_rate": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "evaluate_after": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "abstain_below": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "similarity": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "prune_below": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "prune_after": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "prune_unused_days": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "patterns_shown": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "patterns_most": _Rule(int, "a whole number from 1", lambda value: value >= 1),
    "learn_on_green": _Rule(int, "0 or 1", lambda value: value in (0, 1)),
    "learn_failed": _Rule(int, "0 or 1", lambda value: value in (0, 1)),
    "learn_templates": _Rule(int, "0 or 1", lambda value: value in (0, 1)),
    "inject": _Rule(int, "0 or 1", lambda value: value in (0, 1)),
    "control": _Rule(float, "a number in 0..1", lambda value: 0 <= value <= 1),
    "events": _Rule(str, "a path", lambda value: True),
}


def load(mem_dir: AnyPath | None, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a memory; without a `.mem`, those of the environment alone.

    A `MEM_` variable that names no setting is left alone: it may be another program's.

    Raises:
        BadSettings: Naming the file or variable, the key, and what was expected.
    """
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    if mem_dir is not None:
        config = mem_dir / CONFIG
        for key, value in _read_config(config).items():
            if key not in _RULES:
                raise BadSettings(f"{config}: no setting is called '{key}'; remove it")
            places[key] = f"{config}: {key}"
            values[key] = _of_toml(key, value, places[key])
        if values.get("events"):
            values["events"] = str(mem_dir.absolute().parent / values["events"])
    for key in _RULES:
        variable = f"MEM_{key.upper()}"
        if variable in environ:
            places[key] = variable
            values[key] = _of_text(key, environ[variable], variable)
    settings = Settings(**values)
    if abs(settings.weight_text + settings.weight_files - 1) > 1e-9:
        place = places.get("weight_text") or places["weight_files"]
        raise BadSettings(f"{place}: weight_text and weight_files must add up to 1; set both")
    return settings


def find_mem_dir(start: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """The nearest `.mem` folder, in `start` (default: here) or above it, as git finds `.git`.

    `MEM_DIR` names another and is then the only one looked at.

    Raises:
        NoMemory: There is none.
    """
    from pathlib import Path

    return Path(nearest(None if start is None else Place(start), environ))


def nearest(start: Place | None = None, environ: Mapping[str, str] = os.environ) -> Place:
    """As `find_mem_dir`."""
    if environ.get("MEM_DIR"):
        given = Place(environ["MEM_DIR"])
        if not given.is_dir():
            raise NoMemory(f"MEM_DIR: {given} is not a folder; create it or unset MEM_DIR")
        return given
    begin = folder = _here() if start is None else start.absolute()
    while not (folder / MEM_DIR).is_dir():
        if folder == folder.parent:
            raise NoMemory(f"{begin}: no {MEM_DIR} here or above; run `mem init`")
        folder = folder.parent
    return folder / MEM_DIR


def here() -> Path:
    """The current folder.

    Raises:
        NoMemory: It is there no more.
    """
    from pathlib import Path

    return Path(_here())


def _here() -> Place:
    try:
        return Place().absolute()
    except OSError as error:
        raise NoMemory(
            f"the current folder is gone ({error.strerror}); go to one that is there"
        ) from error


def memory_paths(mem_dir: Path, settings: Settings) -> list[Path]:
    """What a rebuild reads: our journal when there is one, then the paths of the settings."""
    root = mem_dir.absolute().parent
    journal = mem_dir.absolute() / JOURNAL
    listed = [root / _at_home(path) for path in settings.memory]
    return [journal, *listed] if os.path.lexists(journal) else listed


def _at_home(path: str) -> Path:
    from pathlib import Path

    try:
        return Path(path).expanduser()
    except RuntimeError:  # nobody's home: it stays as it is written, and is reported as missing
        return Path(path)


def _read_config(config: AnyPath) -> dict[str, Any]:
    try:
        text = read_plain(config).decode("utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        mend = "let this user read it, or remove it"
        raise BadSettings(f"{config}: cannot be read ({error.strerror}); {mend}") from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"{config}: is not UTF-8 (byte {error.start}); save it so") from error
    plain = _as_init_writes(text)
    if plain is not None:
        return plain

    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{config}: is not TOML: {error}") from error


def _as_init_writes(text: str) -> dict[str, Any] | None:
    """The settings of a file that says nothing but `memory`, a path a line, as `mem init` does.

    To load TOML's parser takes longer than a lookup. None: that file needs it.
    """
    lines = [line for line in text.split("\n") if line and line[0] != "#"]
    if not lines:
        return {}
    if len(lines) < 2 or lines[0] != "memory = [" or lines[-1] != "]":
        return None
    paths = [line[5:-2] for line in lines[1:-1] if line[:5] == '    "' and line[-2:] == '",']
    ends_there = all(path.isprintable() and not set(path) & set('"\\') for path in paths)
    return {"memory": paths} if ends_there and len(paths) == len(lines) - 2 else None


def _of_toml(key: str, value: object, place: str) -> object:
    rule = _RULES[key]
    if rule.kind is tuple and isinstance(value, list):
        given: object = tuple(value) if all(isinstance(path, str) for path in value) else value
    elif rule.kind is float and type(value) is int:
        given = float(value)
    else:
        given = value
    # `type`, because True is an int and is no number of hits
    if type(given) is not rule.kind or not rule.allows(given):
        raise BadSettings(f"{place}: expected {rule.expected}, found {value!r}")
    return given


def _of_text(key: str, text: str, place: str) -> object:
    rule = _RULES[key]
    try:
        if rule.kind is tuple:
            value: object = [path for path in text.split(os.pathsep) if path]
        elif rule.kind is str:
            value = text
        else:
            value = rule.kind(text)
    except ValueError:
        value = text
    return _of_toml(key, value, place)
