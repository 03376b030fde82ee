"""If-conversion: when are both branches of an `if` computed, and one result taken? In a loop, where that is cheaper.

    for x in xs:
        y = y + x if x > 0 else y - 1     select(x > 0, y + x, y - 1), and no `cond`

Only arithmetic on numbers that can't fail, and whose derivative is finite whatever the operands are: the branch that is
not taken may have got any. Where the results are integers or bools, items of arrays may be read. Such a loop takes 0.6 to
0.8 of the time; a branch outside of loops is as fast as a select. Source: Allen, Kennedy, Porterfield and Warren, "Conversion of
control dependence to data dependence" (1983).

    if u < exp(x - new):              each iteration waits for the exponential of the one before,
        x = new                       where a processor that foresees the branch goes on

Such an `if` stays a branch on CPUs: a loop of 100,000 took 1.7 to 3.6 times as long with a select of it, and 1.0 to 1.25 times
where no branch could be foreseen.
On a GPU the host waits for the condition of each branch, so that there it is a select for arrays, too; the program for a CPU
is the same, instruction for instruction, as if nothing were said of GPUs, and so is that of its gradient.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal, jaxpr_as_fun

from autograph_lite.jax_internals import provenance
from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.operators.trace_context import loop_options

MOST = 8  # equations of both branches
# Elements that a GPU computes in less than the 8 us or more that a branch in a loop is reported to cost there.
ELEMENTS_ON_GPU = 65536
_COPIES = tuple(map(int, importlib.metadata.version("jaxlib").split(".")[:3])) < (0, 11, 1)
# Below jaxlib 0.11.1 a branch in a loop copies what it takes: 6.8 times a select on 64 numbers, 1.9 times on 4,096.
ELEMENTS = 4096 if _COPIES else 0

_CHEAP = primitive_traits.CHEAP | {"broadcast_in_dim"}
# Which take so long that it is no loss not to foresee a branch after them.
_SLOW = primitive_traits.TRANSCENDENTAL | {"pow"}


def may_be_cheap() -> bool:
    """Whether branches are worth a look: in a loop that JAX stages."""
    config: Any = jax.config
    return loop_options.in_loop() and not config.jax_disable_jit


def is_awaited(test: jax.Array, branches: Sequence[Any]) -> bool:
    """Whether the condition takes long to compute from what the loop carries, and a branch may leave as it is."""
    known = [dict(zip(branch.jaxpr.constvars, branch.consts, strict=True)) for branch in branches]
    kept = [
        values[atom]
        for values, branch in zip(known, branches, strict=True)
        for atom in branch.jaxpr.outvars
        if not isinstance(atom, Literal) and atom in values and loop_options.is_carried(values[atom])
    ]
    return provenance.follows_through(test, _SLOW, kept)


def are_cheap(branches: Sequence[Any]) -> tuple[bool, bool]:
    """Whether closed jaxprs are to be computed all, and not one of them: everywhere, and on GPUs."""
    if any(jaxpr.effects for jaxpr in branches):
        return False, False
    jaxprs = [getattr(jaxpr, "jaxpr", jaxpr) for jaxpr in branches]
    if sum(len(jaxpr.eqns) for jaxpr in jaxprs) > MOST:
        return False, False
    made = outputs = [each for jaxpr in jaxprs for each in jaxpr.outvars]
    for equation in (equation for jaxpr in jaxprs for equation in jaxpr.eqns):
        if _is_cheap(equation):
            made = [*made, *equation.outvars]
        # Items that are read from arrays have a derivative that is an array.
        elif not _is_item(equation) or any(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in outputs):
            return False, False
    most = max((_elements(each.aval) for each in made), default=0)
    return most <= ELEMENTS, most <= ELEMENTS_ON_GPU


def select(test: jax.Array, branches: Sequence[Any]) -> list[Any]:
    """The outputs of the first of two closed jaxprs without inputs where `test` holds, else those of the second."""
    taken, other = map(_outputs, branches)
    return [a if a is b else lax.select_n(test, b, a) for a, b in zip(taken, other, strict=True)]


def _outputs(branch: Any) -> list[Any]:
    jaxpr = branch.jaxpr
    if jaxpr.eqns:
        return list(jaxpr_as_fun(branch)())
    known = dict(zip(jaxpr.constvars, branch.consts, strict=True))
    return [atom.val if isinstance(atom, Literal) else known[atom] for atom in jaxpr.outvars]


def by_platform(test: jax.Array, branches: Sequence[Any], branch: Callable[[], list[Any]]) -> list[Any]:
    """What `select` gives, on GPUs as a select, elsewhere from `branch`."""

    def on_gpu() -> list[Any]:
        return select(test, branches)

    outputs: list[Any] = lax.platform_dependent(cuda=on_gpu, rocm=on_gpu, default=branch)
    return outputs


def _elements(kind: Any) -> float:
    """How many numbers an array of a type has, 0 where it is a number; infinity where nobody knows, or they are none."""
    number = isinstance(getattr(kind, "dtype", None), np.dtype)
    if not number or not all(isinstance(size, int) for size in kind.shape):
        return math.inf
    return math.prod(kind.shape) if kind.shape else 0


def _is_cheap(equation: Any) -> bool:
    if equation.primitive.name == "mul":
        return _is_finite_product(equation.invars)
    return equation.primitive.name in _CHEAP


def _is_item(equation: Any) -> bool:
    """Whether an equation reads one item of an array, which JAX does wherever that is."""
    return equation.primitive.name in ("dynamic_slice", "squeeze") and all(
        isinstance(n, int) and n == 1 for n in equation.outvars[0].aval.shape
    )


def _is_finite_product(factors: Sequence[Any]) -> bool:
    """Whether a product has a finite derivative: not that of a number with infinity, which the other branch may guard."""
    if jnp.issubdtype(factors[0].aval.dtype, jnp.integer):
        return True
    return any(isinstance(factor, Literal) and bool(np.isfinite(factor.val)) for factor in factors)
