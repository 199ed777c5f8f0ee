"""What a lookup needs of `typing` and `pathlib`, whose import takes longer than a log's signature.

Type checkers see the names themselves. At run time `Path` is for annotations alone, a protocol is a
plain class, and a named tuple behaves as those of `typing`, though it is declared in a tenth of the
time.
"""

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from pathlib import Path as Path
    from typing import Any as Any
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import cast as cast
elif sys.version_info >= (3, 14):  # which keeps a class's annotations in another way
    from typing import Any, NamedTuple, NoReturn, Protocol, cast

    Path = object
else:
    from collections import _tuplegetter

    Any = Path = Protocol = object
    NoReturn = None

    class _Record(tuple):
        """What named tuples share, as `collections.namedtuple` gives it to each."""

        __slots__ = ()

        def __new__(cls, *values, **named):
            cls.__new__ = made = _maker(cls)  # when the first is made, and many kinds never are
            return made(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **named):
            made = self._make(map(named.pop, self._fields, self))
            if named:
                raise ValueError(f"Got unexpected field names: {list(named)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            told = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({told})"

        def __getnewargs__(self):
            return tuple(self)

    def _maker(cls):
        names = ", ".join(cls._fields)
        made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})
        made.__defaults__ = tuple(cls._field_defaults.values())
        return staticmethod(made)

    class _Named(type):
        def __new__(meta, name, bases, space):
            if not bases:
                return super().__new__(meta, name, bases, space)
            fields = tuple(space.get("__annotations__", ()))
            space["_field_defaults"] = {each: space[each] for each in fields if each in space}
            space["_fields"] = space["__match_args__"] = fields
            space["__slots__"] = ()
            space |= {each: _tuplegetter(at, "") for at, each in enumerate(fields)}
            return type(name, (_Record,), space)

    class NamedTuple(metaclass=_Named):
        """As that of `typing`."""

    def cast(of, value):
        """The value."""
        return value
