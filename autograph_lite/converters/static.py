"""Which tests can no traced value decide, so that Python's own `if` is right?"""

from __future__ import annotations

import gast

from autograph_lite.syntax import trees


def is_static(test: gast.AST) -> bool:
    """Whether the test is made of literals."""
    match test:
        case gast.Constant():
            return True
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return is_static(operand)
        case gast.BoolOp(values=values):
            return all(map(is_static, values))
        case gast.Name(id="__debug__"):
            return True
    return False


FRAMES = frozenset({"_getframe", "_getframemodulename", "currentframe"})


def counts_frames(node: gast.If) -> bool:
    """Whether an `if` that asks for identity counts frames: a branch would be one more, so that Python decides."""
    match node.test:  # see `logical`
        case gast.Call(
            func=gast.Attribute(attr="compare"), args=[_, gast.Constant(value="is" | "is not"), _]
        ):
            return any(isinstance(n, gast.Attribute) and n.attr in FRAMES for n in trees.walk(node))
    return False


def binds_or_suspends(expression: gast.AST) -> bool:
    """Whether an expression can't move into a lambda: a walrus would bind there, a yield would suspend there."""
    kinds = (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)
    return any(isinstance(node, kinds) for node in trees.walk(expression))
