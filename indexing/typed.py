"""What a lookup needs of `typing`, whose import takes longer than a log's signature.

Type checkers see the names of `typing` itself. At run time a protocol is a plain class, and a
named tuple is one of `collections`.
"""

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import cast as cast
elif sys.version_info >= (3, 14):  # which keeps a class's annotations in another way
    from typing import Any, NamedTuple, NoReturn, Protocol, cast
else:
    from collections import namedtuple

    Any = Protocol = object
    NoReturn = None

    class _Named(type):
        def __new__(meta, name, bases, space):
            if not bases:
                return super().__new__(meta, name, bases, space)
            fields = space.get("__annotations__", {})
            defaults = [space.pop(field) for field in fields if field in space]
            made = namedtuple(name, fields, defaults=defaults, module=space.pop("__module__"))
            for each, value in space.items():
                setattr(made, each, value)
            return made

    class NamedTuple(metaclass=_Named):
        """As that of `typing`."""

    def cast(of, value):
        """The value."""
        return value
