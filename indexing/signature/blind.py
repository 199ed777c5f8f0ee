"""Which expressions tell digits apart; the others match alike whatever digits stand in a text."""

from collections.abc import Iterable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

from indexing.typed import Any

_DIGITS = frozenset(map(ord, "0123456789"))
_CLASSES = (op.CATEGORY_DIGIT, op.CATEGORY_WORD, op.CATEGORY_NOT_SPACE)
"""The classes that hold all digits; the opposite ones hold none."""


def tells_digits_apart(expression: str, flags: int = 0, digits: str = "0123456789") -> bool:
    """Whether a text that is ASCII may match when another with others of the digits does not."""
    return not _blind(parser.parse(expression, flags), frozenset(map(ord, digits)))


def _blind(tree: Iterable[tuple[Any, Any]], alike: frozenset[int]) -> bool:
    return all(_is_blind(kind, value, alike) for kind, value in tree)


def _is_blind(kind: Any, value: Any, alike: frozenset[int]) -> bool:
    match kind, value:
        case ((op.LITERAL | op.NOT_LITERAL), int(code)):
            return code not in alike
        case op.IN, list(members):
            return _digits_in(members) & alike in (frozenset(), alike)
        case op.BRANCH, (_, list(branches)):
            return all(_blind(branch, alike) for branch in branches)
        case op.SUBPATTERN, (_, _, _, inner):
            return _blind(inner, alike)
        case ((op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT), (_, _, inner)):
            return _blind(inner, alike)
        case ((op.ASSERT | op.ASSERT_NOT), (_, inner)):
            return _blind(inner, alike)
        case op.ATOMIC_GROUP, inner:
            return _blind(inner, alike)
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
