"""Handed calls: what does a function do that JAX calls with values of a derivative, or of lanes?

    def loss(p):
        row = p[1:]
        row[0] = 2 * p[0]                 in NumPy, this changes `p`
        return (p ** 2).sum()

    jax.grad(loss)(w)

JAX computes with such values, and nobody knows of what they were made. So the function is a statement with one path: what it
computes is recorded, as in a branch, and then computed with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from autograph_lite.converters.python_ops import NO_RETURN
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.branches.branch_paths import Path
from autograph_lite.operators.branches.branches import Writes
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.joins.join_types import detached, fill, rebuild
from autograph_lite.operators.values.values import Tracer
from autograph_lite.tracing import entered


def as_function_of_values(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Callable[..., Any], list[Any]]:
    """A call of `fn` as a function of those of its arguments that are traced, to be recorded; and these."""
    leaves, tree = jax.tree.flatten((args, kwargs))
    places = [n for n, leaf in enumerate(leaves) if isinstance(leaf, Tracer)]

    def run(*items: Any) -> Any:
        given = dict(zip(places, items, strict=True))
        args, kwargs = jax.tree.unflatten(tree, [given.get(n, leaf) for n, leaf in enumerate(leaves)])
        tracing_state.begin_inside(items)
        with entered(handed=None):
            return fn(*args, **kwargs)

    return run, [leaves[n] for n in places]


@tracing_state.without_leak_check
def call_recorded(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What `fn` gives for these arguments, where some are traced.

    What it writes to objects is theirs afterwards.

    Raises:
      BranchMismatchError: it gives an object that holds arrays, and can't be made to hold others.
    """
    run, values = as_function_of_values(fn, args, kwargs)
    path = Path(run, (), 1, None, 0, values)
    writes = Writes([path])
    for key, value in path.stray.items():
        raise join_errors.stray_error(NO_RETURN.name if isinstance(key, int) else key, value, fn)
    found = path.values[0]
    template = detached(found.template)

    def outputs() -> list[Any]:
        with path.memory():
            arrays = fill(found, template, path.at_end)
            for slot in writes.slots:
                arrays += fill(slot.options[0], slot.template, path.at_end)
        return arrays

    path.trace.finish(outputs)
    arrays = iter(path.trace.emit(*values))
    result = rebuild(template, arrays, NO_RETURN.name)
    writes.commit(arrays)
    carried_checks.flush()
    if path.raised is not None:
        raise carried_checks.error_after_branches(path.raised)
    return result
