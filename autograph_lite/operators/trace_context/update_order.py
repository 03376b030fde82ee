"""In-place updates: how are several of one array made so in a loop's body? With reads that are over before the next.

    x[i], x[i + 1] = x[i + 1], x[i]       both items are read, then both are written

XLA for CPUs reads an item where it is used. Where that comes after an update, it needs the array as it was before, and
copies all of it in each iteration: 0.36 ms where 0.01 would do, for 3,000 swaps in an array as long (jax 0.12). A barrier
behind each read, from which the array goes on, leaves nothing to read later. A loop with one update gets none: there it
costs up to a tenth; but for what it reads of unknown length, `v = R[k:, k]`, which is computed again for each item of an
update of a part of the matrix, `R[k:, k:] -= np.outer(v, w)`: with it, a matrix of 104 rows took 1.6 times as long.
"""

from __future__ import annotations

import collections
import dataclasses
import dis
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals import overlapping_updates, provenance, tracing_state
from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.object_graph.reachability import by_code
from autograph_lite.operators.trace_context import loop_options
from autograph_lite.operators.user_code import source_places
from autograph_lite.syntax import codes
from autograph_lite.tracing import thread

WRITES = frozenset({"set_item", "update_item", "store"})


@dataclasses.dataclass
class Barriers:
    """Those in the body of a loop with updates."""

    trace: Any  # of the body
    repeats: bool  # whether there are several updates
    # by the id of an array and of a trace within: the array, what it is there behind the last barrier, and its version then
    behind: dict[tuple[int, int], tuple[Any, Any, Any]] = dataclasses.field(default_factory=dict)


def barriers(fun: Callable[..., Any]) -> Barriers | None:
    """Those of the body of a loop that `fun` is, to be called in its trace; None where it needs none."""
    updates = max(_writes(fun).values(), default=0) if overlapping_updates.barriers_hold() else 0
    return Barriers(tracing_state.current_trace(), updates > 1) if updates else None


def read_in_order(base: Any, value: Any, *, unknown: bool = False) -> Any:
    """`value`, a part of the array `base` that has been read from `latest(base)`; `unknown`: of unknown length."""
    now: Barriers | None = thread.now.barriers
    if now is None or not (now.repeats or (unknown and base.ndim > 1)):
        return value
    if not _is_part(value, base) or not any(
        tracing_state.is_of(base, trace) for trace in (now.trace, tracing_state.current_trace())
    ):  # it comes from outside of the loop
        return value
    before = latest(base), value
    array, value = map(storages.note_behind, lax.optimization_barrier(before), before)
    now.behind[id(base), id(tracing_state.current_trace())] = base, array, _version(base)
    return value


def pin_update(array: Any) -> Any:
    """The array after an update, which is not computed once more where it is read."""
    now: Barriers | None = thread.now.barriers
    return lax.optimization_barrier(array) if now is not None and (now.behind or now.repeats) else array


def computed(array: Any) -> Any:
    """An array that is computed once, and not again where its items are used: on CPUs, in loops."""
    return (
        lax.optimization_barrier(array)
        if overlapping_updates.barriers_hold() and loop_options.in_loop()
        else array
    )


def write_out_of_place(base: Any, new: Any, write: Callable[[Any, Any], Any]) -> Any:
    """`write(base, new)`, not in place where `base` is a row that a loop takes, or a part of an array.

    There, XLA for CPUs may write over what it still reads: of `row[0:4] = before[1:5] + row[0]`, with a `row` out of
    `for row in rows`, each item was computed with the new `row[0]` (jax 0.10.2 and 0.12.0.1).
    """
    if jnp.issubdtype(base.dtype, jax.dtypes.extended):
        return write(base, new)
    if all(isinstance(size, int) and size == 1 for size in new.shape):
        return write(base, new)
    if loop_options.in_loop() and jax.default_backend() == "cpu":
        lies = provenance.origin(base)
        if lies is not None and not loop_options.is_carried(lies):
            return overlapping_updates.out_of_place(base, new, write)
    return overlapping_updates.update(base, new, write)


def latest(base: Any) -> Any:
    """The array `base` behind its last barrier."""
    now: Barriers | None = thread.now.barriers
    if now is None:
        return base
    _, array, version = now.behind.get((id(base), id(tracing_state.current_trace())), (None, None, None))
    return base if array is None or version is not _version(base) else array


def _version(base: Any) -> Any:
    """What the array that a name stands for, or the one that it is a part of, is by now: another one after each write."""
    return storages.latest_version(storages.root(base))


def _is_part(value: Any, base: Any) -> bool:
    if not isinstance(value, jax.Array) or not all(isinstance(n, int) for n in (*value.shape, *base.shape)):
        return False
    return bool(value.size < base.size)


def _writes(fun: Any) -> collections.Counter[str]:
    """How many statements of a body write to items of each variable, with those of a user's body in a wrapper of ours."""
    code = getattr(fun, "__code__", None)
    if code is None:
        return collections.Counter()
    inner = [
        value
        for value in codes.closure_variables(fun).values()
        if isinstance(value, types.FunctionType)
        and (value.__name__.startswith("body_fun") or value.__code__.co_qualname == source_places.PLACED)
    ]
    return sum(map(_writes, inner), _written_in(code))


@by_code
def _written_in(code: types.CodeType) -> collections.Counter[str]:
    """How many operators of a code object write to items of each variable that they are given first, on one path."""
    found: collections.Counter[str] = collections.Counter()
    instructions = list(dis.get_instructions(code))
    for number, instruction in enumerate(instructions):
        if instruction.argval in WRITES:
            loads = (i.argval for i in instructions[number + 1 :] if i.opname.startswith("LOAD_"))
            first = next(loads, "")
            found[str(first[0] if isinstance(first, tuple) else first)] += 1
    branches: dict[str, collections.Counter[str]] = {}
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            _, branch, suffix = const.co_name.rpartition("_fun")
            statement = suffix if branch and const.co_name.startswith(("true", "false")) else const.co_name
            branches[statement] = branches.get(statement, collections.Counter()) | _written_in(const)
    return sum(branches.values(), found)
