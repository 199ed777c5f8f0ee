"""Command: what a verb's module gives; Parser: argparse in our manner; numbers from 1."""

import sys
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable

from indexing.typed import TYPE_CHECKING, NamedTuple, NoReturn
from retrieval.cli import streams

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Command(NamedTuple):
    """A verb: its arguments, what it does, and how it is called.

    `run` gives the exit code: `streams.FOUND`, `NOTHING` or `FAILED`; it may raise `MemError`.
    """

    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
    example: str


class Parser(ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(streams.FAILED, f"{self.prog}: {message}; see {self.prog} --help\n")

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        if file is not None and file is sys.stdout:
            streams.write(message)
        else:
            streams.say(message.rstrip("\n"))


def whole_number(text: str) -> int:
    """A number from 1, as an argument's `type`."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentTypeError(f"expected a whole number from 1, found '{text}'")
    return number


class Help(RawDescriptionHelpFormatter):
    """Of a fixed width: asking the terminal for it imports `shutil`, and with it compression."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=96)
