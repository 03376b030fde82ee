"""Operands: how do the branches of a conditional come to take the same inputs? It uses JAX's insides.

`lax.cond` does it in two steps, which go through all equations. Here each branch keeps its variables for what it holds, and gets
new ones for what only others hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
from jax._src import core
from jax._src.interpreters import partial_eval
from jax._src.lax.control_flow import common

from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr


def merged(branches: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """The branches as functions of what any of them holds, and the values of that.

    Args:
      branches: closed jaxprs without inputs and effects.
    """
    separated, held = zip(*map(partial_eval.separate_consts, branches), strict=True)
    inputs = {id(const): const for consts in held for const in consts}
    types = {key: jax.typeof(const) for key, const in inputs.items()}
    alike = all(type(kind) is core.ShapedArray for kind in types.values())
    if not alike or any(len(set(map(id, consts))) < len(consts) for consts in held):
        branches, values = common._merge_common_consts(separated, held)
        return branches, values
    made = []
    for branch, consts in zip(separated, held, strict=True):
        own = dict(zip(map(id, consts), open_jaxpr(branch).invars, strict=True))
        made.append(_of(branch, own, types))
    return made, [*inputs.values()]


def _of(branch: Any, own: Mapping[int, Any], types: Mapping[int, Any]) -> Any:
    """The branch as a function of all inputs: `own` are its variables for some of them."""
    if list(own) == list(types):
        return branch
    jaxpr = open_jaxpr(branch)
    jaxpr = jaxpr.replace(invars=[own.get(key) or core.Var(kind) for key, kind in types.items()])
    return jaxpr if branch is open_jaxpr(branch) else branch.replace(jaxpr=jaxpr)
