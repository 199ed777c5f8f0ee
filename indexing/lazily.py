"""What costs more than a lookup may cost is made when it is first used."""

import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps

from indexing.typed import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import contextlib
    import hashlib
    from types import ModuleType

    context_manager = contextlib.contextmanager
else:

    def context_manager(made):
        """As `contextlib.contextmanager`, which is imported when one is used."""

        @wraps(made)
        def used(*args, **named):
            from contextlib import contextmanager

            return contextmanager(made)(*args, **named)

        return used


def module(name: str) -> "ModuleType":
    """The module of that full name; to import `importlib` for it would take longer."""
    __import__(name)
    return sys.modules[name]


def front_door(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that imports a module when a name of it is asked for.

    Args:
        package: Its name.
        places: The module of each name, within the package.
    """

    def found(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(module(f"{package}.{places[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return found


@lru_cache(maxsize=2048)
def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled on first use: all of them would cost more than a lookup."""
    return re.compile(expression, flags)


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, though nothing is compiled before it is used."""
    return cast(re.Pattern[str], _Expression(pattern, flags))


class _Expression:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        known = self.__dict__
        if "_compiled" not in known:
            known["_compiled"] = re.compile(self.pattern, self._flags)
        found = known[name] = getattr(known["_compiled"], name)
        return found


_LITTLE = 1 << 20
"""So many bytes take about as long without OpenSSL as it takes to load it."""


def sha256(data: bytes | memoryview = b"") -> "hashlib._Hash":
    """As `hashlib.sha256`; for little data without OpenSSL, which takes longer to load."""
    if memoryview(data).nbytes > _LITTLE:
        from hashlib import sha256

        return sha256(data)
    return _made_of()(data)


@lru_cache(maxsize=1)
def _made_of() -> "Callable[[bytes | memoryview], hashlib._Hash]":
    for name in ("_sha256", "_sha2", "hashlib"):  # until and since Python 3.12; anywhere
        try:
            return cast("Callable[[bytes | memoryview], hashlib._Hash]", module(name).sha256)
        except ImportError:
            continue
    raise AssertionError("hashlib is everywhere")
