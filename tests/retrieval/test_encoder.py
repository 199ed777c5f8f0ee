import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from models import MINILM, another, semantic

from indexing.errors import BadSettings
from retrieval.encoder import encoder_of, in_batches, model_of

NAME = "sentence-transformers/all-MiniLM-L6-v2"
PINNED = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
TOLD = """
import json, sys
from indexing.errors import BadSettings
from indexing.settings import Settings
from retrieval.encoder import model_of
try:
    print(json.dumps(model_of(Settings(semantic_model=sys.argv[1]), True)[1:]))
except BadSettings as error:
    print(error)
"""


def downloaded(hub, name, commit, files=MINILM):
    """A model in a folder of the hub's cache, as a download leaves it there."""
    kept = hub / f"models--{name.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text(commit)
    (kept / "snapshots").mkdir()
    (kept / "snapshots" / commit).symlink_to(files)


def told(hub, name):
    """What a process that has that cache, and no network, says of the model."""
    done = subprocess.run(
        [sys.executable, "-c", TOLD, name],
        capture_output=True,
        text=True,
        env={"HF_HUB_CACHE": str(hub), "HF_HUB_OFFLINE": "1", "PATH": ""},
        check=True,
    )
    return done.stdout.strip()


def test_a_model_by_name_is_the_one_of_the_pinned_commit(tmp_path):
    downloaded(tmp_path, NAME, PINNED)
    name, revision, *rest = json.loads(told(tmp_path, NAME))

    assert (name, revision) == (NAME, PINNED)
    assert rest == [*model_of(semantic())[3:]]


def test_another_model_says_which_commit_it_was_taken_at(tmp_path):
    downloaded(tmp_path, "some/model", "c0ffee")
    assert json.loads(told(tmp_path, "some/model"))[:2] == ["some/model", "c0ffee"]


@pytest.mark.parametrize("commit", ["another", PINNED])
def test_what_is_not_here_is_told_with_what_mends_it(tmp_path, commit):
    unfinished = tmp_path / "unfinished"
    unfinished.mkdir()
    (unfinished / "modules.json").write_text("[]")
    downloaded(tmp_path / "hub", NAME, commit, unfinished)

    said = told(tmp_path / "hub", NAME)

    assert said.startswith(f"semantic_model: '{NAME}' is no folder, and no model of this name at")
    assert "mem index rebuild --semantic" in said and "\n" not in said


def test_a_folder_that_holds_no_model_is_refused(tmp_path):
    with pytest.raises(BadSettings, match=r"holds no modules\.json and weights"):
        model_of(semantic(semantic_model=str(tmp_path)))


def test_a_folder_around_a_model_is_refused(tmp_path):
    shutil.copytree(MINILM, tmp_path / "model")

    with pytest.raises(BadSettings, match=r"holds no modules\.json and weights"):
        model_of(semantic(semantic_model=str(tmp_path)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("modules.json", "{"),
        ("modules.json", '[{"idx": 0}]'),
        ("config.json", "null"),
        ("model.safetensors", "short"),
        ("tokenizer.json", "no JSON"),
    ],
)
def test_a_damaged_model_is_refused_with_its_folder(tmp_path, name, text):
    folder = tmp_path / "model"
    shutil.copytree(MINILM, folder)
    (folder / name).write_text(text)

    with pytest.raises(BadSettings, match=f"{folder} cannot be loaded .*; restore it"):
        encoder_of(model_of(semantic(semantic_model=str(folder))), "cpu")


def test_a_model_is_known_by_all_its_files(tmp_path):
    known, other = model_of(semantic()), model_of(semantic(semantic_model=str(another(tmp_path))))

    assert (known.dimension, known.pooling) == (384, "mean_tokens")
    assert known.files != other.files
    assert known._replace(folder=other.folder, files=other.files) == other


def test_pooling_is_read_as_newer_versions_write_it(tmp_path):
    folder = another(tmp_path)
    (folder / "1_Pooling" / "config.json").unlink()
    said = {"embedding_dimension": 384, "pooling_mode": "cls"}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))

    assert model_of(semantic(semantic_model=str(folder)))[4:] == (384, "cls")


def test_a_text_has_one_vector_whatever_stands_beside_it():
    encoder = encoder_of(model_of(semantic()), "cpu")
    texts = ["Token refresh fails", "x", "npm ERR! 404 Not Found " * 40, ""]

    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])

    assert together.dtype == np.float32
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(together[:3], axis=1), 1)


def test_what_stands_far_behind_changes_nothing():
    encoder = encoder_of(model_of(semantic()), "cpu")
    log = "error: cannot find module left-pad in the registry " * 100

    assert (encoder.encode([log]) == encoder.encode([log + "\0 and a megabyte" * 70_000])).all()


def test_texts_of_one_length_are_encoded_together():
    texts = ["x" * (number % 7) for number in range(700)]
    batches = in_batches(texts)

    assert sorted(at for batch in batches for at in batch) == list(range(700))
    lengths = [len(texts[at]) for batch in batches for at in batch]
    assert lengths == sorted(lengths)
