#!/usr/bin/env python3
"""Rebuild the index from memory files; the same as `mem index rebuild`."""

import sys

from retrieval.cli import main

if __name__ == "__main__":
    sys.exit(main(["index", "rebuild", *sys.argv[1:]]))
