import os
import sys
import tomllib

import pytest

from indexing.errors import BadSettings, NoMemory
from indexing.settings import Settings, find_mem_dir, load, memory_paths


@pytest.fixture
def mem_dir(tmp_path):
    (tmp_path / ".mem").mkdir()
    return tmp_path / ".mem"


def configured(mem_dir, text):
    (mem_dir / "config.toml").write_text(text, encoding="utf-8")
    return mem_dir


def test_without_a_config_the_defaults_hold(mem_dir):
    assert load(mem_dir, {}) == Settings()
    assert load(None, {}) == Settings()


def test_the_config_overrides_the_defaults_and_the_environment_the_config(mem_dir):
    configured(mem_dir, 'min_score = 20\ntop_k = 5\nmemory = ["a", "b.json"]\n')

    settings = load(mem_dir, {"MEM_TOP_K": "7", "MEM_MEMORY": "c:d"})

    assert settings == Settings(min_score=20, top_k=7, memory=("c", "d"))


def test_every_setting_can_be_set_both_ways(mem_dir):
    values = Settings(
        memory=("a",),
        min_score=1,
        top_k=2,
        max_entries=500,
        weight_text=1.0,
        weight_files=0.0,
        scorer="tokens",
        prior_recency=1.0,
        prior_fresh=1.0,
        prior_size=1.0,
        tokens="plain",
        max_tokens=100,
        max_file_mb=1,
        min_success_rate=0.5,
        evaluate_after=5,
        abstain_below=0.2,
        similarity=0.9,
        prune_below=0.4,
        prune_after=4,
        prune_unused_days=30,
        patterns_shown=4,
        patterns_most=8,
        learn_on_green=0,
        learn_failed=0,
        learn_templates=0,
        inject=0,
        control=0.2,
        events="e.jsonl",
    )
    assert all(new != old for new, old in zip(values, Settings(), strict=True))
    text = "".join(
        f"{key} = {list(value) if isinstance(value, tuple) else value!r}\n"
        for key, value in values._asdict().items()
    )
    environ = {
        f"MEM_{key.upper()}": value[0] if isinstance(value, tuple) else str(value)
        for key, value in values._asdict().items()
    }

    assert load(configured(mem_dir, text), {}) == values._replace(
        events=str(mem_dir.parent / "e.jsonl")
    )
    assert load(None, environ) == values


@pytest.mark.parametrize(
    "line",
    [
        "top_k = 0",
        "top_k = true",
        'top_k = "3"',
        "top_k = 2.5",
        "min_score = 101",
        "min_score = -1",
        "max_entries = -1",
        'memory = "a"',
        "memory = [1]",
        'memory = [""]',
        'scorer = "cosin"',
        "weight_text = nan",
        "weight_text = 2",
        "max_file_mb = 0",
        "events = 1",
    ],
)
def test_a_wrong_value_is_named_with_its_file_and_key(mem_dir, line):
    key = line.split(" ", 1)[0]

    with pytest.raises(BadSettings, match=rf"config\.toml: {key}: expected .*, found ") as error:
        load(configured(mem_dir, line), {})

    assert "\n" not in str(error.value)


def test_a_wrong_variable_is_named():
    with pytest.raises(BadSettings, match=r"^MEM_TOP_K: expected a whole number from 1, found 'x'"):
        load(None, {"MEM_TOP_K": "x"})


def test_an_unknown_key_is_named(mem_dir):
    with pytest.raises(BadSettings, match=r"config\.toml: no setting is called 'min_socre'"):
        load(configured(mem_dir, "min_socre = 3"), {})


def test_a_variable_of_another_program_is_left_alone():
    assert load(None, {"MEM_LIMIT": "4G", "MEM_DIR": "x"}) == Settings()


@pytest.mark.parametrize("weights", ["weight_text = 0.7", "weight_text = 1\nweight_files = 1"])
def test_weights_that_do_not_add_up_are_refused(mem_dir, weights):
    with pytest.raises(BadSettings, match=r"weight_text: .* must add up to 1"):
        load(configured(mem_dir, weights), {})


@pytest.mark.parametrize("content", [b"top_k = ", b"\xff\xfe", b"[a"])
def test_a_broken_config_is_named(mem_dir, content):
    (mem_dir / "config.toml").write_bytes(content)

    with pytest.raises(BadSettings, match=r"config\.toml: is not"):
        load(mem_dir, {})


def test_a_config_that_is_a_folder_is_named(mem_dir):
    (mem_dir / "config.toml").mkdir()

    with pytest.raises(BadSettings, match=r"config\.toml: cannot be read"):
        load(mem_dir, {})


def test_a_config_that_is_a_pipe_is_not_waited_for(mem_dir):
    os.mkfifo(mem_dir / "config.toml")

    with pytest.raises(BadSettings, match=r"config\.toml: cannot be read \(is a named pipe\)"):
        load(mem_dir, {})


def test_a_current_folder_that_is_gone_is_told(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(NoMemory, match="the current folder is gone"):
        find_mem_dir(environ={})


def test_nobody_s_home_stays_as_it_is_written(mem_dir):
    listed = memory_paths(mem_dir, Settings(memory=("~no-such-user/memory",)))

    assert listed == [mem_dir.parent / "~no-such-user/memory"]


def test_mem_is_found_upwards(mem_dir):
    below = mem_dir.parent / "a" / "b"
    below.mkdir(parents=True)

    assert find_mem_dir(below, {}) == mem_dir


def test_the_nearest_mem_is_found(mem_dir):
    nearer = mem_dir.parent / "a" / ".mem"
    nearer.mkdir(parents=True)

    assert find_mem_dir(mem_dir.parent / "a", {}) == nearer


def test_a_file_called_mem_is_no_memory(tmp_path):
    (tmp_path / ".mem").write_text("")

    with pytest.raises(NoMemory, match="mem init"):
        find_mem_dir(tmp_path, {})


def test_mem_dir_overrides(mem_dir, tmp_path):
    other = tmp_path / "other"
    other.mkdir()

    assert find_mem_dir(mem_dir.parent, {"MEM_DIR": str(other)}) == other


def test_a_mem_dir_that_is_missing_is_named(mem_dir, tmp_path):
    with pytest.raises(NoMemory, match="MEM_DIR"):
        find_mem_dir(mem_dir.parent, {"MEM_DIR": str(tmp_path / "missing")})


def test_memory_is_our_journal_and_what_is_listed(mem_dir):
    settings = Settings(memory=("docs/memory", "/elsewhere/memory"))
    listed = [mem_dir.parent / "docs/memory", mem_dir.parent / "/elsewhere/memory"]

    assert memory_paths(mem_dir, settings) == listed
    (mem_dir / "journal.jsonl").touch()
    assert memory_paths(mem_dir, settings) == [mem_dir / "journal.jsonl", *listed]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n\n# top_k = 3\n",
        "memory = [\n]\n\n# top_k = 3\n",
        '# memory\nmemory = [\n    "docs/memory",\n    "~/ü b/c.json",\n]\n',
        'memory = [\n    "a\\\\b",\n]\n',
        'memory = [\n    "a", "b",\n]\n',
        'memory = [\n    "a"\n]\n',
        'memory = [\n    "a",\n    3,\n]\n',
        'memory = [\n    "a",\n]\nmemory = [\n]\n',
        'memory = [\n    "a\tb",\n]\n',
        'memory = [\n    "a\x7fb",\n]\n',
        'memory = [\n    "a",\n',
        "memory = [\n",
        "]\n",
        'memory = [\n    ",\n]\n',
        'memory = ["a"]\n',
        "top_k = 5\n",
    ],
)
def test_a_file_as_init_writes_it_is_read_as_toml_reads_it(mem_dir, text):
    try:
        expected = tuple(tomllib.loads(text).get("memory", ()))
    except tomllib.TOMLDecodeError:
        expected = None
    try:
        found = load(configured(mem_dir, text), {}).memory
    except BadSettings:
        found = None

    assert found == (expected if expected != ("a", 3) else None)


def test_a_file_as_init_writes_it_needs_no_parser(mem_dir, monkeypatch):
    monkeypatch.setitem(sys.modules, "tomllib", None)

    assert load(configured(mem_dir, 'memory = [\n    "docs/memory",\n]\n'), {}).memory
    with pytest.raises(ImportError):
        load(configured(mem_dir, "top_k = 5"), {})
