"""Under `jax.vmap` a branch runs for lanes that do not take it, a body for those that have left: do loops in there end?

    if x > 0:                             lanes with x <= 0 go through the branch, too, and what they compute is dropped
        while x != 1:                     for them the loop has ended before it begins
            x = step(x)

So a loop's condition also holds whether the code around is reached. Outside of `vmap` that is known, and the condition
stays as it is: the same program, to the last instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from autograph_lite.operators.effects import journal
from autograph_lite.tracing import thread

# The condition of a loop, and whether the code around it is reached.
_while_reached = Primitive("while_reached")


def lanes_reached(taken: Callable[[], Any], *, loop: bool) -> tuple[Any, ...]:
    """To be entered as `lanes_reached` for a branch or a `loop`'s body; `taken` gives whether it runs, a scalar bool."""
    return (*thread.now.reached, (journal.depth() + 1, loop, taken))


def while_reached(test: Any) -> Any:
    """`test`, the condition of a loop, which no lane fulfils that does not reach the loop."""
    # What lies further out belongs to traces whose tracers are not to be seen here.
    _, base = journal.base_trace()
    reached: Any = None
    for depth, is_loop, taken in reversed(thread.now.reached):
        if depth <= base:
            break
        reached = taken() if reached is None else jnp.logical_and(reached, taken())
        if is_loop:  # whose own condition has all of what is around it
            break
    return test if reached is None else _while_reached.bind(jnp.asarray(test), reached)


_while_reached.def_impl(lambda test, _: test)
_while_reached.def_abstract_eval(lambda test, _: test)
mlir.register_lowering(_while_reached, mlir.lower_fun(lambda test, _: test, multiple_results=False))


def _batched(operands: Sequence[Any], dimensions: Sequence[int | None]) -> tuple[jax.Array, int | None]:
    test, reached = operands
    if dimensions[0] is None:  # all lanes do the same, so that they may go on together
        return jnp.logical_and(test, jnp.any(reached)), None
    return jnp.logical_and(test, reached), 0


def _tangent(primals: Sequence[Any], _: Sequence[Any]) -> tuple[Any, Any]:
    result = _while_reached.bind(*primals)
    zero: Any = ad.Zero
    return result, zero.from_primal_value(result)


batching.primitive_batchers[_while_reached] = _batched
ad.primitive_jvps[_while_reached] = _tangent
