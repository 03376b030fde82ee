"""Which variables surely mean new arrays, of which NumPy would have no other name?

y = x.astype(np.float32)      NumPy copies, also where the type is the same, and JAX gives `x` back
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Mapping

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.liveness import Names
from autograph_lite.analysis.views import FUNCTIONS, NAMESPACES

_METHODS = frozenset({"astype", "copy", "flatten", "round", "clip", "repeat", "dot", "sum", "mean", "cumsum"})


def is_copy(value: gast.expr) -> bool:
    """Whether an expression makes a new array."""
    match value:
        case gast.BinOp() | gast.UnaryOp() | gast.Compare():
            return True
        case gast.Call(func=gast.Attribute(value=gast.Name(id=module), attr=attr)) if module in NAMESPACES:
            return attr not in FUNCTIONS
        case gast.Call(func=gast.Attribute(attr=attr)):
            return attr in _METHODS
        case gast.IfExp(body=body, orelse=orelse):
            return is_copy(body) and is_copy(orelse)
    return False


@functools.lru_cache(maxsize=256)
def fresh(function: gast.FunctionDef) -> Mapping[str, Names]:
    """The variables of a function, as it was written, that are bound to new arrays only; each with those these are made of."""
    nodes = [*scopes.own_nodes(function.body)]
    bound = collections.Counter(
        node.id for node in nodes if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)
    )
    made_of: dict[str, Names] = {}
    for node in nodes:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if is_copy(value):
                bound[name] -= 1
                made_of[name] = made_of.get(name, frozenset()) | scopes.read(value)
            case gast.AugAssign(target=gast.Name(id=name)):
                bound[name] -= 1  # `y += 1` makes a new array
    others = {*scopes.parameters(function.args), *scopes.bound_by_others(nodes)}
    return {name: names for name, names in made_of.items() if not bound[name] and name not in others}
