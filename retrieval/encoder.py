"""TEXTS BECOME VECTORS: a model of sentence-transformers, its files pinned and on this machine.

Only a rebuild may download a model; a question is answered with what lies here. What a model is
known by is read from its files, without loading it: torch takes seconds.
"""

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from indexing.errors import BadSettings, MissingExtra
from indexing.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexing.recipe import MadeWith

TOKENS = 128
"""A text is cut after so many of the model's tokens: the ranking was measured so."""
_LONGEST = 32 * TOKENS  # characters that are looked at, so that a megabyte costs no more
_BATCH = 32
_AT_ONCE = 8 * _BATCH
_PINNED = {
    "sentence-transformers/all-MiniLM-L6-v2": "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
}
_WEIGHTS = ".safetensors"
_NEEDED = (_WEIGHTS, ".json", ".txt", ".model")
_MODULES = "modules.json"
_POOLING = "pooling_mode"
_SIZES = ("out_features", "word_embedding_dimension", "embedding_dimension")
_EXTRA = ("sentence-transformers", "semantic")
_loading = threading.Lock()


class Model(NamedTuple):
    """A model's folder, and what it is known by; `files` is the checksum of all that it needs."""

    folder: Path
    name: str
    revision: str
    files: str
    dimension: int
    pooling: str

    def made_with(self) -> "MadeWith":
        """All that decides a vector beside the text."""
        return {
            "model": self.name,
            "revision": self.revision,
            "files": self.files,
            "dimension": self.dimension,
            "pooling": self.pooling,
            "tokens": TOKENS,
            "norm": "l2",
        }


def model_of(settings: Settings, may_download: bool = False) -> Model:
    """The model of the settings.

    Raises:
        MissingExtra: It is named, and what looks for names is not installed.
        BadSettings: It is not on this machine, is none of sentence-transformers, or is damaged.
    """
    name, revision = settings.semantic_model, settings.semantic_revision
    folder = Path(name)
    if folder.is_dir():
        name = folder.name
    else:
        folder = _of_name(name, revision or _PINNED.get(name, ""), may_download)
        revision = folder.name  # the hub's cache calls a snapshot by its commit
    stamps = tuple(_stamps(folder))
    if not _is_whole(stamps):
        raise BadSettings(
            f"semantic_model: {folder} holds no {_MODULES} and weights in *.safetensors;"
            " name a model of sentence-transformers"
        )
    return Model(folder, name, revision, *_read(folder, stamps))


def encoder_of(model: Model, device: str) -> "Encoder":
    """The model, loaded once for all threads of this process.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        BadSettings: The model is damaged.
    """
    with _loading:
        return _loaded(model, device)


class Encoder:
    """A loaded model; safe to share between threads.

    Args:
        model: Which.
        device: `cpu`, `cuda`, `mps`, or `auto`.
    """

    def __init__(self, model: Model, device: str = "auto") -> None:
        self._dimension = model.dimension
        self._lock = threading.Lock()  # tokenizers cannot be asked by two threads at once
        try:
            with _quietly():
                from sentence_transformers import SentenceTransformer

                self._model = SentenceTransformer(
                    str(model.folder),
                    device=None if device == "auto" else device,
                    local_files_only=True,
                )
        except ImportError as error:
            raise MissingExtra(*_EXTRA) from error
        except Exception as error:  # each of the libraries has its own
            raise _damaged(model.folder, error) from error
        self._model.max_seq_length = min(TOKENS, self._model.max_seq_length or TOKENS)

    def encode(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors `(n, d)` of length 1; of a text without words all zeros."""
        import numpy as np

        vectors = np.zeros((len(texts), self._dimension), np.float32)
        cleaned = [_clean(text) for text in texts]
        told = [at for at, text in enumerate(cleaned) if text]
        if told:
            with self._lock:
                vectors[told] = self._model.encode(
                    [cleaned[at] for at in told],
                    batch_size=_BATCH,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
        return vectors


def in_batches(texts: Sequence[str]) -> list[list[int]]:
    """The places of texts, of about one length together: what is shorter is padded for nothing."""
    order = sorted(range(len(texts)), key=lambda at: (min(len(texts[at]), _LONGEST), at))
    return [order[at : at + _AT_ONCE] for at in range(0, len(order), _AT_ONCE)]


def _clean(text: str) -> str:
    """The text as a tokenizer takes it: its beginning, and no half of a pair of surrogates."""
    return text[:_LONGEST].encode("utf-8", "replace").decode("utf-8").strip()


def _of_name(name: str, revision: str, may_download: bool) -> Path:
    """The model's folder in the hub's cache; what a download left unfinished is none."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtra(*_EXTRA) from error
    for is_local in (True, False) if may_download else (True,):
        try:
            found = snapshot_download(
                name,
                revision=revision or None,
                allow_patterns=[f"*{ending}" for ending in _NEEDED],
                local_files_only=is_local,
            )
        except (OSError, ValueError):
            continue
        if _is_whole(_stamps(Path(found))):
            return Path(found)
    at = f" at {revision}" if revision else ""
    raise BadSettings(
        f"semantic_model: '{name}' is no folder, and no model of this name{at} is on this machine;"
        " where there is a network, `mem index rebuild --semantic` downloads it"
    )


_Stamp = tuple[str, int, int]


def _is_whole(stamps: Sequence[_Stamp]) -> bool:
    return any(name.endswith(_WEIGHTS) for name, *_ in stamps)


def _stamps(folder: Path) -> list[_Stamp]:
    """The files that a model needs, in order; size and time of change tell when they do.

    None where no model lies: that may be a folder of anything, and large.
    """
    found: list[_Stamp] = []
    if not (folder / _MODULES).is_file():
        return found
    for top, _, names in os.walk(folder):
        for path in (Path(top, name) for name in names if name.endswith(_NEEDED)):
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns))
    return sorted(found)


@lru_cache(maxsize=8)
def _read(folder: Path, stamps: tuple[_Stamp, ...]) -> tuple[str, int, str]:
    """The checksum of the files' names and bytes, then what `_shape` says."""
    whole = hashlib.sha256()
    for name, *_ in stamps:
        path = Path(name)
        with path.open("rb") as file:
            own = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()} {own}\n".encode())
    try:
        return whole.hexdigest(), *_shape(folder)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(folder, error) from error


def _damaged(folder: Path, error: Exception) -> BadSettings:
    return BadSettings(
        f"semantic_model: {folder} cannot be loaded ({type(error).__name__}: {error}); restore it"
    )


def _shape(folder: Path) -> tuple[int, str]:
    """How many numbers a vector has, and how those of a text's tokens become one.

    The last module that says how many is right. Pooling is written `pooling_mode: mean`, or by
    older versions `pooling_mode_mean_tokens: true`.
    """
    dimension, pooling = 0, ""
    for module in json.loads((folder / _MODULES).read_bytes()):
        config = folder / module["path"] / "config.json"
        said = json.loads(config.read_bytes()) if config.is_file() else {}
        dimension = next((said[key] for key in _SIZES if key in said), dimension)
        if _POOLING in said:
            pooling = str(said[_POOLING])
        elif "Pooling" in module["type"]:
            modes = (key for key, holds in said.items() if holds is True)
            pooling = ", ".join(sorted(key.removeprefix(f"{_POOLING}_") for key in modes))
    return dimension, pooling


@contextmanager
def _quietly() -> Iterator[None]:
    """No bar for the loading of weights, which is no part of an answer."""
    from transformers.utils import logging

    was_shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_shown:
            logging.enable_progress_bar()


@lru_cache(maxsize=2)
def _loaded(model: Model, device: str) -> Encoder:
    return Encoder(model, device)
