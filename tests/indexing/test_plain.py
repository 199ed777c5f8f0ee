import os
import socket

import pytest

from indexing.plain import odd, open_plain, read_plain


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
