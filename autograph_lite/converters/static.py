"""Which tests can no traced value decide, so that Python's own `if` is right?"""

from __future__ import annotations

import gast

from autograph_lite.syntax import trees

PREDICATES = frozenset({"isinstance", "issubclass", "callable", "hasattr"})


def is_static(test: gast.AST) -> bool:
    """Whether the test looks at Python structure only: `x is None`, `isinstance(...)`, a literal."""
    match test:
        case gast.Constant():
            return True
        case gast.Compare(ops=ops):
            return all(isinstance(op, (gast.Is, gast.IsNot)) for op in ops) and not asks_for_bool(test)
        case gast.Call(func=gast.Name(id=name)):
            return name in PREDICATES
        case gast.Call(func=gast.Call(func=gast.Attribute(attr="call"), args=[gast.Name(id="isinstance")])):
            return True  # see `calls`
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return is_static(operand)
        case gast.BoolOp(values=values):
            return all(map(is_static, values))
        case gast.Name(id="__debug__"):
            return True
    return False


def asks_for_bool(test: gast.Compare) -> bool:
    """Whether a comparison is with True or False, as `done is True`: a program may have computed that bool."""
    return any(
        isinstance(side, gast.Constant) and isinstance(side.value, bool)
        for side in (test.left, *test.comparators)
    )


def binds_or_suspends(expression: gast.AST) -> bool:
    """Whether an expression can't move into a lambda: a walrus would bind there, a yield would suspend there."""
    kinds = (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)
    return any(isinstance(node, kinds) for node in trees.walk(expression))
