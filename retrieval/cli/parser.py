"""Parser: argparse in our manner."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, NoReturn

from retrieval.cli import streams

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


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


class Help(RawDescriptionHelpFormatter):
    """Of a fixed width: asking the terminal for it imports `shutil`, and with it compression."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=96)
