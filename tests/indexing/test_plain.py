import os
import socket
from pathlib import Path

import pytest

from indexing.plain import Place, odd, open_plain, read_plain


def test_a_file_is_read(tmp_path):
    (tmp_path / "file").write_bytes(b"\x00all of it\r\n")
    (tmp_path / "link").symlink_to("file")

    assert read_plain(tmp_path / "link") == b"\x00all of it\r\n"
    with open_plain(tmp_path / "file") as file:
        assert file.read(4) == b"\x00all"


def pipe(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def listening(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


def device(path):
    path.symlink_to(os.devnull)


def dangling(path):
    path.symlink_to("gone")


def looping(path):
    path.symlink_to(path)


ODD = [
    (pipe, "is a named pipe"),
    (listening, "is a socket"),
    (device, "is a device"),
    (dangling, "is a link to nothing"),
    (looping, "is a link in a loop of links"),
    (lambda path: None, "is not there"),
]


@pytest.mark.parametrize(("make", "what"), ODD)
def test_what_is_odd_is_told_and_never_waited_for(tmp_path, make, what):
    make(tmp_path / "x")

    assert odd(tmp_path / "x") == what
    with pytest.raises(OSError):
        read_plain(tmp_path / "x")


def test_files_and_folders_are_not_odd(tmp_path):
    (tmp_path / "file").touch()

    assert odd(tmp_path) == odd(tmp_path / "file") == ""
    with pytest.raises(OSError, match="is a folder"):
        open_plain(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["a", "a/b.c", "a/b/", "./a//b/./c", "/", "/a", "/a/b/", ".", "", "..", "../a", "a/..", ".mem"],
)
def test_a_place_is_named_as_a_path_is(text):
    place, path = Place(text), Path(text)
    assert str(place) == str(path)
    assert str(place / "b") == str(path / "b")
    assert str(place / "/b") == str(path / "/b")
    assert str(place.absolute()) == str(path.absolute())
    assert str(place.absolute().parent) == str(path.absolute().parent)
    assert place.absolute().name == path.absolute().name


def test_a_place_is_looked_at_as_a_path_is(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "to itself").symlink_to("to itself")
    for name in ("", "file", "none", "file/in it", "to itself", "nul\0"):
        place, path = Place(tmp_path) / name, tmp_path / name
        assert (place.exists(), place.is_dir()) == (path.exists(), path.is_dir()), name
    assert Place(tmp_path).stat() == tmp_path.stat()


@pytest.mark.parametrize("error", [PermissionError(13, "no"), OSError(5, "broken")])
def test_not_to_be_let_in_is_an_error(error, monkeypatch):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(os, "stat", refuse)
    with pytest.raises(type(error)):
        Place("a").is_dir()
