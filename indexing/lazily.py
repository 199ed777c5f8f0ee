"""What costs more than a lookup may cost is made when it is first used."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module

from indexing.typed import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import hashlib


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
        with suppress(ImportError):
            return cast("Callable[[bytes | memoryview], hashlib._Hash]", import_module(name).sha256)
    raise AssertionError("hashlib is everywhere")
