"""Command: what a verb's module gives; numbers from 1."""

from collections.abc import Callable

from indexing.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


class Command(NamedTuple):
    """A verb: its arguments, what it does, and how it is called.

    `run` gives the exit code: `streams.FOUND`, `NOTHING` or `FAILED`; it may raise `MemError`.
    """

    arguments: "Callable[[ArgumentParser], None]"
    run: "Callable[[Namespace], int]"
    example: str


def whole_number(text: str) -> int:
    """A number from 1, as an argument's `type`."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"expected a whole number from 1, found '{text}'")
    return number
