"""The arguments of a verb from plain words, without `argparse`, whose import a lookup would feel.

Plain are options in full, with their values in words of their own, and names that begin with no
`-`. Whatever else is said, or wrong, is for `parser.py`, which has the same arguments.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace

from indexing.typed import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_ACTIONS = ("store", "store_true", "append")


class NotPlain(Exception):
    """It takes `argparse` to read this."""


def plainly(add: "Callable[[ArgumentParser], None]", words: Sequence[str]) -> "Namespace":
    """The arguments, as `argparse` would give them.

    Args:
        add: Adds the arguments to a parser.
        words: Those of the command line, behind the verb.

    Raises:
        NotPlain: Arguments or words are other than plain.
    """
    known = _Arguments()
    add(cast("ArgumentParser", known))
    return cast("Namespace", SimpleNamespace(**known.values(words)))


class _Argument(NamedTuple):
    name: str
    action: str
    default: Any
    of: Callable[[str], Any]
    choices: Sequence[str] | None


class _Arguments:
    """Takes what `ArgumentParser.add_argument` takes, as far as it is plain."""

    def __init__(self) -> None:
        self._options: dict[str, _Argument] = {}
        self._names: list[_Argument] = []

    def __getattr__(self, name: str) -> Any:
        raise NotPlain  # whatever else a parser has

    def add_argument(
        self,
        *flags: str,
        action: str = "store",
        nargs: str | None = None,
        default: Any = None,
        type: Callable[[str], Any] = str,
        choices: Sequence[str] | None = None,
        help: str = "",
        metavar: str = "",
        **others: Any,
    ) -> None:
        """Note the argument."""
        name = flags[-1].lstrip("-").replace("-", "_")
        if action == "store_true":
            default = False
        made = _Argument(name, action, default, type, choices)
        is_option = flags[0].startswith("-")
        if others or action not in _ACTIONS or nargs != (None if is_option else "?"):
            raise NotPlain
        if is_option:
            self._options |= dict.fromkeys(flags, made)
        else:
            self._names.append(made)

    def values(self, words: Sequence[str]) -> dict[str, Any]:
        """The value of each argument by its name."""
        found = {each.name: each.default for each in (*self._options.values(), *self._names)}
        names, rest = iter(self._names), iter(words)
        for word in rest:
            option = self._options.get(word)
            if option is None:
                option = next(names, None)
                text = word
            elif option.action == "store_true":
                found[option.name] = True
                continue
            else:
                text = next(rest, "--")
            if option is None or (text.startswith("-") and text != "-"):
                raise NotPlain
            value = _value(option, text)
            if option.action == "append":
                value = [*(found[option.name] or ()), value]
            found[option.name] = value
        return found


def _value(argument: _Argument, text: str) -> Any:
    try:
        value = argument.of(text)
    except Exception as error:  # `argparse` has the words for it
        raise NotPlain from error
    if argument.choices is not None and value not in argument.choices:
        raise NotPlain
    return value
