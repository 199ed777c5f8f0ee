"""Our named tuples are those of `typing`, but for what it takes to declare them."""

import copy
import pickle
import sys
import typing

import pytest
from commands import printed_by

from indexing import typed


class Ours(typed.NamedTuple):
    """Three."""

    name: str
    size: int = 3
    tags: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        return 2 * self.size

    @staticmethod
    def small() -> "Ours":
        return Ours("small", 1)


class Theirs(typing.NamedTuple):
    """Three."""

    name: str
    size: int = 3
    tags: tuple[str, ...] = ()


class One(typed.NamedTuple):
    only: int


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (("a",), {}),
        (("a", 4), {"tags": ("x",)}),
        ((), {"size": 1, "name": "b"}),
        ((), {}),
        (("a",), {"name": "b"}),
        (("a", 1, (), 2), {}),
        (("a",), {"none": 1}),
    ],
)
def test_they_are_made_alike(values, named):
    def made(of):
        try:
            return tuple(of(*values, **named))
        except TypeError:
            return None

    assert made(Ours) == made(Theirs)


def test_they_behave_alike():
    ours, theirs = Ours("a", 4), Theirs("a", 4)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert (ours._fields, ours._field_defaults) == (theirs._fields, theirs._field_defaults)
    assert Ours.__match_args__ == Theirs.__match_args__
    assert Ours.__doc__ == Theirs.__doc__
    assert ours._asdict() == theirs._asdict()
    assert ours._replace(size=5) == theirs._replace(size=5)
    assert Ours._make(["a", 1, ()]) == Theirs._make(["a", 1, ()])
    assert (ours, hash(ours)) == (theirs, hash(theirs))
    assert isinstance(ours._replace(size=5), Ours)
    assert ours.twice == 8
    assert Ours.small() == ("small", 1, ())
    assert One(1) == (1,)


@pytest.mark.parametrize("wrong", [lambda of: of("a")._replace(none=1), lambda of: of._make("a")])
def test_they_refuse_alike(wrong):
    with pytest.raises((TypeError, ValueError)) as theirs:
        wrong(Theirs)
    with pytest.raises(theirs.type, match=str(theirs.value).replace("[", "\\[")):
        wrong(Ours)


def test_they_take_no_other_attribute():
    with pytest.raises(AttributeError):
        Ours("a").other = 1
    with pytest.raises(AttributeError):
        Ours("a").name = "b"


def test_they_go_from_process_to_process():
    ours = Ours("a", 4, ("x",))
    assert pickle.loads(pickle.dumps(ours)) == copy.deepcopy(ours) == ours
    assert type(pickle.loads(pickle.dumps(ours))) is Ours


def test_they_match_a_pattern():
    match Ours("a", 4):
        case Ours(name, size=4):
            assert name == "a"
        case _:
            raise AssertionError


def test_typing_is_not_imported():
    script = "import sys, indexing.typed; print('typing' in sys.modules)"
    assert printed_by(script) == f"{sys.version_info >= (3, 14)}\n"
