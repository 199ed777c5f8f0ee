"""Which expressions tell digits apart; the others match alike whatever digits stand in a text."""

from collections.abc import Iterable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

from indexing.typed import Any

_DIGITS = frozenset(range(ord("0"), ord("9") + 1))
_CLASSES = (op.CATEGORY_DIGIT, op.CATEGORY_WORD, op.CATEGORY_NOT_SPACE)
"""The classes that hold all digits; the opposite ones hold none."""


def tells_digits_apart(expression: str, flags: int = 0) -> bool:
    """Whether a text that is ASCII may match when another with other digits does not."""
    return not _blind(parser.parse(expression, flags))


def _blind(tree: Iterable[tuple[Any, Any]]) -> bool:
    return all(_is_blind(kind, value) for kind, value in tree)


def _is_blind(kind: Any, value: Any) -> bool:
    match kind, value:
        case ((op.LITERAL | op.NOT_LITERAL), int(code)):
            return code not in _DIGITS
        case op.IN, list(members):
            return _digits_in(members) in (frozenset(), _DIGITS)
        case op.BRANCH, (_, list(branches)):
            return all(map(_blind, branches))
        case op.SUBPATTERN, (_, _, _, inner):
            return _blind(inner)
        case ((op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT), (_, _, inner)):
            return _blind(inner)
        case ((op.ASSERT | op.ASSERT_NOT), (_, inner)):
            return _blind(inner)
        case op.ATOMIC_GROUP, inner:
            return _blind(inner)
        case ((op.ANY | op.AT), _):
            return True
        case _:  # what was found before comes again
            return False


def _digits_in(members: Iterable[tuple[Any, Any]]) -> frozenset[int]:
    """The digits that a class names; of one that is negated, those it does not hold."""
    named: set[int] = set()
    for kind, value in members:
        match kind, value:
            case op.LITERAL, int(code):
                named.add(code)
            case op.RANGE, (int(low), int(high)):
                named.update(range(low, high + 1))
            case op.CATEGORY, _ if value in _CLASSES:
                named.update(_DIGITS)
    return _DIGITS & named
