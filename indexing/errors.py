"""Every error a caller may expect, drawn as a tree.

MemError
├── BadQuery            what was asked cannot be answered as asked
├── BadSettings         config.toml or a MEM_ variable holds what it must not
├── NoMemory            no .mem here or above
├── UnreadableMemory    a memory file could not be read; the others were
├── JournalBusy         another process holds the journal's lock for too long
├── IndexBusy           another process builds the same index for too long
├── BadIndex            there is no index, it is damaged, or another version made it
│   ├── StaleRecipe     the index was made with other rules; a rebuild mends it
│   └── NoVectors       the index was made without vectors; a rebuild with --semantic mends it
└── MissingExtra        an optional library is not installed; names the command

One line each: where, what, and how to mend it. Only the command line catches `MemError`.
"""


class MemError(Exception):
    """Something a caller may expect; its text is one line for a person."""


class BadQuery(MemError):
    """What was asked cannot be answered as asked."""


class BadSettings(MemError):
    """`config.toml` or a `MEM_` variable holds what it must not."""


class NoMemory(MemError):
    """No `.mem` here or above."""


class UnreadableMemory(MemError):
    """A memory file could not be read; the others were."""


class JournalBusy(MemError):
    """Another process holds the journal's lock for too long."""


class IndexBusy(MemError):
    """Another process builds the same index for too long."""


class BadIndex(MemError):
    """There is no index, it is damaged, or another version made it."""


class StaleRecipe(BadIndex):
    """The index was made with other rules; a rebuild mends it."""


class NoVectors(BadIndex):
    """The index was made without vectors; a rebuild with `--semantic` mends it."""


class MissingExtra(MemError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed; pip install 'oncebitten[{extra}]'")
