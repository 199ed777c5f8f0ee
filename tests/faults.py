"""Faults for tests: a call to the system that fails, a disk that is full after so many bytes."""

import os
from pathlib import Path

STEPS = ("fsync", "mkdir", "rename", "replace", "rmdir", "unlink", "open")


class FaultError(Exception):
    """What was put in the way."""


def failing_at(monkeypatch, step):
    """From now on the `step`th of a build's calls to the system fails, and all after it."""
    count = 0

    def counted(call):
        def wrapper(*args, **kwargs):
            nonlocal count
            count += 1
            if count >= step:
                raise FaultError
            return call(*args, **kwargs)

        return wrapper

    for name in STEPS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))


def ended_before(monkeypatch, step, act):
    """Whether `act` comes to its end when the `step`th call fails, and all after it."""
    with monkeypatch.context() as patch:
        failing_at(patch, step)
        try:
            act()
        except FaultError:
            return False
    return True


def bits_turned(path):
    """Turn a bit of the file's first byte, then of its middle and last; where, each time.

    When all have been seen the file is as it was.
    """
    whole = path.read_bytes()
    for at in sorted({0, len(whole) // 2, len(whole) - 1}) if whole else ():
        turned = bytearray(whole)
        turned[at] ^= 1
        path.write_bytes(turned)
        yield at
    path.write_bytes(whole)


class _Short:
    """A file that takes what there is room for, and then no more."""

    def __init__(self, file, disk):
        self._file = file
        self._disk = disk

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, data):
        data = memoryview(data).cast("B")
        room = self._disk.size - self._disk.written
        self._disk.written += self._file.write(data[:room])
        if len(data) > room:
            raise OSError(28, "No space left on device", self._file.name)
        return len(data)


class Disk:
    """A disk that has room for so many bytes; what is written is cut short where it is full."""

    def __init__(self, monkeypatch, size):
        self.size = size
        self.written = 0
        open_path = Path.open

        def opened(path, mode="r", *args, **kwargs):
            if mode != "wb":
                return open_path(path, mode, *args, **kwargs)
            return _Short(open_path(path, mode, 0), self)

        monkeypatch.setattr(Path, "open", opened)
