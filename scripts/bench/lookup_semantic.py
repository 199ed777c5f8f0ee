#!/usr/bin/env python3
"""How long a warm lookup with vectors takes beside the encoding of its query alone.

    scripts/bench/lookup_semantic.py --model FOLDER [--sizes 2000] [--queries 40] [--rounds 5]

The memory is that of `corpus.py`; its vectors are kept in --vectors, since a text takes some
hundredths of a second. Both run in turn, one thread each, so that a machine that changes its speed
changes both; medians, and their ratio.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import corpus  # noqa: E402

from indexing.build import build_index  # noqa: E402
from indexing.settings import Settings  # noqa: E402
from retrieval import Memory, Query  # noqa: E402
from retrieval.encoder import encoder_of, model_of  # noqa: E402
from retrieval.tiers import parts  # noqa: E402
from retrieval.tiers.lexical import text_of  # noqa: E402


def seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def measured(folder: Path, size: int, args: argparse.Namespace) -> dict[str, float]:
    settings = Settings(semantic=1, semantic_model=str(args.model.resolve()))
    made = corpus.made(folder / "memory", size, args.queries)
    index = folder / "index"
    build_index([folder / "memory"], index, parts(settings, args.vectors), settings)
    memory = Memory(index, settings)
    encoder = encoder_of(model_of(settings), settings.semantic_device)
    # with files the vectors would not be asked for
    queries = [Query(title=each["title"], body=each["body"]) for each in made.queries]
    for query in queries[:3]:
        memory.lookup(query)
    encodes, lookups, plain = [], [], []
    for _ in range(args.rounds):
        for query in queries:
            encodes.append(seconds(lambda query=query: encoder.encode([text_of(query)])))
            lookups.append(seconds(lambda query=query: memory.lookup(query)))
            plain.append(seconds(lambda query=query: memory.lookup(query, semantic=False)))
    encode, lookup, without = map(statistics.median, (encodes, lookups, plain))
    return {
        "entries": size,
        "encode_ms": round(1000 * encode, 3),
        "lookup_ms": round(1000 * lookup, 3),
        "without_vectors_ms": round(1000 * without, 3),
        "ratio": round(lookup / encode, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000])
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--vectors", type=Path)
    args = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    for size in args.sizes:
        with tempfile.TemporaryDirectory(prefix="oncebitten-") as folder:
            print(json.dumps(measured(Path(folder), size, args)), flush=True)


if __name__ == "__main__":
    main()
