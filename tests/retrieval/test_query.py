from pathlib import Path, PureWindowsPath

import pytest
from commands import LOG, RAW

from indexing.errors import BadQuery
from retrieval import Query


@pytest.mark.parametrize("kind", [str.encode, lambda log: bytearray(log.encode()), str])
def test_a_log_is_text_or_bytes_of_any_kind(kind):
    assert Query(kind(LOG)).signature == Query(LOG).signature
    assert Query(memoryview(LOG.encode())).signature.raw == RAW


def test_a_log_does_not_change_with_the_buffer_it_was_given_in():
    buffer = bytearray(LOG.encode())
    query = Query(buffer)
    buffer[:] = b""

    assert query.signature is not None


def test_the_name_of_a_log_is_not_the_log():
    with pytest.raises(BadQuery, match=r"log: build\.log is a path; .*read_bytes"):
        Query(Path("build.log"))


def test_files_may_be_paths():
    files = [Path("src") / "a.py", "src/b.py", PureWindowsPath("src\\c.py")]

    assert Query(files=files).files == ("src/a.py", "src/b.py", "src/c.py")
    assert Query(files=iter(["a.py"])).files == ("a.py",)


@pytest.mark.parametrize(
    "spelt", ["./src/a.py", "src//a.py", "src\\a.py", ".\\src\\a.py", "src/./a.py", "x/../src/a.py"]
)
def test_a_file_is_spelt_one_way(spelt):
    assert Query(files=[spelt, "src/a.py"]).files == ("src/a.py",)


def test_files_not_known_are_not_no_files():
    assert Query().files is None
    assert Query(files=[]).files == Query(files=["", " ", "."]).files == ()


def test_what_an_issue_does_not_have_may_be_none():
    query = Query(title=None, body=None, labels=None, tool=None)

    assert (query.title, query.body, query.labels, query.tool) == ("", "", (), None)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"files": "a.py"}, r"files: 'a\.py' is one; give a list of them, \['a\.py'\]"),
        ({"files": b"a.py"}, "is one; give a list"),
        ({"files": Path("a.py")}, "is one; give a list"),
        ({"files": 3}, "files: expected a list of texts, found int"),
        ({"files": [None]}, "files: expected texts, found NoneType among them"),
        ({"files": [b"a.py"]}, "files: expected texts, found bytes among them"),
        ({"labels": "bug"}, "labels: 'bug' is one; give a list"),
        ({"labels": [1]}, "labels: expected texts, found int among them"),
        ({"title": b"x"}, "title: expected text, found bytes"),
        ({"body": 1}, "body: expected text, found int"),
        ({"tool": 1}, "tool: expected text, found int"),
        ({"log": 1}, "log: expected text or bytes, found int"),
        ({"log": ["line"]}, "log: expected text or bytes, found list"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, says):
    with pytest.raises(BadQuery, match=says):
        Query(**given)
