"""What is known of a bool that is made of others, some of which are known?

False and b is False; True and b is b; not False is True.
"""

from __future__ import annotations

from collections.abc import Sequence

# With this, the other operand is the result.
_NEUTRAL = {"and": True, "or": False}
NAMES = frozenset({*_NEUTRAL, "not", "convert_element_type", "copy"})
"""The primitives of which something is known."""

Truth = bool | None


def decided(name: str, operands: Sequence[Truth]) -> Truth:
    """The result of a primitive of bools; None where it is not known.

    Args:
      name: of the primitive, one of `NAMES`.
      operands: what is known of them.
    """
    first = operands[0]
    if name not in _NEUTRAL:
        return None if first is None else first is not (name == "not")
    neutral = _NEUTRAL[name]
    if (not neutral) in operands:
        return not neutral
    return None if None in operands else neutral


def equal(name: str, operands: Sequence[Truth]) -> int | None:
    """The number of the operand that the result equals; None where that is not known."""
    if name in _NEUTRAL and len(operands) == 2 and _NEUTRAL[name] in operands and None in operands:
        return operands.index(None)
    return None
