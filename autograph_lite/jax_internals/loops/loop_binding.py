"""Loop binding: how is a body traced exactly once, and becomes the loop as it is? It uses JAX's insides.

`lax.scan` and `lax.while_loop` trace the functions that they are handed. Here the trace is made first, and looked at;
then the loop is made of it. Checked on jax 0.10.2 and 0.12.0.1; where another JAX differs, the public functions get
the equations of the trace.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import config, core
from jax._src.interpreters import partial_eval
from jax._src.lax.control_flow import loops
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import recorded_equations, tracing_state, while_lanes
from autograph_lite.jax_internals.conditionals import branch_traces
from autograph_lite.jax_internals.dataflow import scan_ir, value_ranges
from autograph_lite.jax_internals.dataflow.affine_indices import Position
from autograph_lite.jax_internals.dataflow.intervals import ANY, Ends
from autograph_lite.jax_internals.loops import while_primitive, wide_loops
from autograph_lite.jax_internals.numpy_constants import folding_tracer, keep_constants
from autograph_lite.jax_internals.scan_passes import passes, vectorize

R = TypeVar("R")


def row_type(array: Any) -> Any:
    """The type of a row of `array`."""
    return core.mapped_leading_aval(array.shape[0], jax.typeof(array))


def trace(
    fun: Callable[[list[Any]], tuple[R, Sequence[Any]]], types: Sequence[Any], user: Callable[..., Any]
) -> tuple[R, Any]:
    """What `fun` gives besides arrays, and its closed jaxpr.

    Args:
      fun: a list of arrays -> something, arrays.
      types: of the arrays that `fun` takes, as `jax.typeof` gives them.
      user: the function that JAX's messages are to name.
    """
    results: list[R] = []

    def run(*arrays: Any) -> Sequence[Any]:
        keep_constants()
        result, outputs = fun([*map(folding_tracer, arrays)])
        results.append(result)
        return outputs

    with while_primitive.within_a_loop():
        if branch_traces.branch_trace() is branch_traces.ClosedTrace:
            jaxpr: Any = jax.make_jaxpr(run)(*types)
        else:
            jaxpr = branch_traces.OpenTrace(run, user, types).closed()
    return results[0], jaxpr


def while_loop(
    cond: Any,
    body: Any,
    init: Sequence[Any],
    options: while_lanes.Options | None = None,
    tell: wide_loops.Tell | None = None,
) -> list[Any]:
    """`lax.while_loop` of two closed jaxprs, as a loop that can be differentiated in reverse; see `wide_loops` for `tell`."""
    wide = None if _is_part_of_a_loop(tell) else wide_loops.with_wide_numbers([cond, body], init, tell=tell)
    if wide is not None:
        test, step = wide.jaxprs
        return wide.numbers(_while_loop(test, step, wide.init, options))
    return _while_loop(cond, body, init, options)


def _is_part_of_a_loop(tell: wide_loops.Tell | None) -> bool:
    """Whether a loop is an equation of another one, and so is looked at with that: not if `jax.vmap` makes another of it."""
    recorded = isinstance(core.trace_ctx.trace, partial_eval.DynamicJaxprTrace)
    return while_primitive.is_within_a_loop() and (recorded or tell is None)


def _while_loop(
    cond: Any, body: Any, init: Sequence[Any], options: while_lanes.Options | None = None
) -> list[Any]:
    if not cond.effects and _made_directly(body, len(init)):
        return _while(cond, body, init, options)
    test, step = jaxpr_as_fun(cond), jaxpr_as_fun(body)

    def loop(arrays: Sequence[Any]) -> tuple[list[Any], None]:
        now = lax.while_loop(lambda now: test(*now)[0], lambda now: list(step(*now)), list(arrays))
        return list(now), None

    if config.disable_jit.value or cond.effects or not all(map(while_primitive.is_of_callback, body.effects)):
        return loop(init)[0]
    return while_primitive.with_our_loops(while_primitive.bind_while, {"options": options}, loop, init)[0]


@dataclasses.dataclass(frozen=True)
class How:
    """How a scan goes through its rows."""

    reverse: bool = False  # from the last to the first
    # which of the rows are numbers that follow from the number of the iteration, and how
    positions: Mapping[int, Position] = dataclasses.field(default_factory=dict)
    unroll: int = 1  # how many iterations are run as one
    # called where all iterations are computed at once, when the loop around it is made or before
    told: Callable[[], None] | None = None
    # what some of the rows are, as doubles: floats of Python's
    floats: Mapping[int, Any] = dataclasses.field(default_factory=dict)
    tell: wide_loops.Tell | None = None  # is told of ints of Python's that do not fit


# By the body of a scan, whom to tell.
_told: weakref.WeakKeyDictionary[Any, Callable[[], None]] = weakref.WeakKeyDictionary()


def scan(
    body: Any, init: Sequence[Any], rows: Sequence[Any], length: int, how: How
) -> tuple[list[Any], list[Any]]:
    """`lax.scan` of a closed jaxpr: the arrays after the last iteration, and what the iterations put out.

    Args:
      body: carried arrays, rows -> carried arrays, outputs.
      init: the carried arrays before the loop.
      rows: arrays whose rows the iterations take.
      length: the number of iterations.
      how: they go.
    """
    inside = _is_part_of_a_loop(how.tell) and not how.floats
    ends = _ends(0, len(rows), length, how) if isinstance(length, int) else []
    wide = None if inside else wide_loops.with_wide_numbers([body], init, rows, how.floats, ends, how.tell)
    if wide is not None:
        [step] = wide.jaxprs
        now, outputs = _scan_loop(step, wide.init, wide.rows, length, how)
        return wide.numbers(now), outputs
    return _scan_loop(body, init, rows, length, how)


def _scan_loop(
    body: Any, init: Sequence[Any], rows: Sequence[Any], length: int, how: How
) -> tuple[list[Any], list[Any]]:
    if isinstance(length, int):
        body = value_ranges.within(body, _ends(len(init), len(rows), length, how), simplifies=False)
    if _made_directly(body, len(init)):
        return _scan(body, init, rows, length, how)
    run = jaxpr_as_fun(body)

    def step(now: Any, row: Any) -> Any:
        results = run(*now, *row)
        return list(results[: len(init)]), list(results[len(init) :])

    now, outputs = lax.scan(
        step, list(init), list(rows), length=length, reverse=how.reverse, unroll=how.unroll
    )
    return now, outputs


def _ends(variables: int, rows: int, length: int, how: How) -> list[Ends]:
    """Between which numbers the inputs of a scan's body lie."""
    ends: list[Ends] = [ANY] * (variables + rows)
    for number, position in how.positions.items():
        ends[variables + number] = position.range(length)
    return ends


def _made_directly(body: Any, count: int) -> bool:
    """Whether a loop is what its body says, so that `lax.scan` and `lax.while_loop` would change nothing."""
    if config.disable_jit.value or body.effects or not jax.sharding.get_abstract_mesh().empty:
        return False
    if branch_traces.branch_trace() is branch_traces.ClosedTrace or not _offered():
        return False
    jaxpr = getattr(body, "jaxpr", body)
    # JAX takes out of the loop what an iteration hands on as it is.
    handed_on = any(map(operator.is_, jaxpr.invars[:count], jaxpr.outvars))
    rows = set(map(id, jaxpr.invars[count:]))
    put_out = any(id(variable) in rows for variable in jaxpr.outvars[count:])
    return not handed_on and not put_out and body.in_avals[:count] == body.out_avals[:count]


def _while(
    cond: Any, body: Any, init: Sequence[Any], options: while_lanes.Options | None = None
) -> list[Any]:
    cond, cond_consts = partial_eval.separate_consts(cond)
    body, body_consts = partial_eval.separate_consts(body)
    params = {
        "cond_nconsts": len(cond_consts), "cond_jaxpr": cond, "body_nconsts": len(body_consts), "body_jaxpr": body,
    }  # fmt: skip
    arrays = [*cond_consts, *body_consts, *init]
    if value_ranges.may_change(body.jaxpr):
        given = value_ranges.of_values(list(map(tracing_state.lowered, arrays)))
        params["body_jaxpr"] = value_ranges.repeated(params, given, simplifies=True)[1]
    return while_primitive.bind_while(*arrays, **params, options=options)


def _scan(
    body: Any, init: Sequence[Any], rows: Sequence[Any], length: int, how: How
) -> tuple[list[Any], list[Any]]:
    body, consts = partial_eval.separate_consts(body)
    if not how.positions:
        return _bound(body, consts, init, rows, length, how)
    parts = passes.rewritten(
        body, consts, init, rows, how.positions, length, how.reverse, _again, at_once=how.unroll == 1
    )
    inputs = parts.scan
    if inputs.at_once:
        if how.told is not None:
            how.told()
        return parts.joined([], vectorize.outputs(inputs, parts.body))
    given = list(inputs.consts.values()), list(inputs.carried.values()), list(inputs.rows.values())
    after = _bound(parts.body, *given, length, dataclasses.replace(how, reverse=inputs.reverse))
    return parts.joined(*after)


def _again(
    body: Any, init: Sequence[Any], rows: Sequence[Any], positions: Mapping[int, Position], params: Mapping[str, Any]
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """A scan in place of one of these parameters."""
    how = How(params["reverse"], positions, params["unroll"], _told.get(params["jaxpr"]))
    return _scan(body, init, rows, params["length"], how)


def _bound(
    body: Any, consts: Sequence[Any], init: Sequence[Any], rows: Sequence[Any], length: int, how: How
) -> tuple[list[Any], list[Any]]:
    if how.told is not None:
        _told[body] = how.told
    count, put_out = len(init), len(body.out_avals) - len(init)
    groups = scan_ir.group_params(len(consts), count, len(rows), put_out)
    unroll = min(how.unroll, max(length, 1)) if isinstance(length, int) else 1
    results = loops.scan_p.bind(
        *consts, *init, *rows, reverse=how.reverse, length=length, jaxpr=body, unroll=unroll, **groups
    )
    return results[:count], results[count:]


@functools.cache
def _offered() -> bool:
    """Whether this JAX has what is needed here, and the loops made of it are those that the public functions make."""

    def body(now: Any, k: Any) -> Any:
        return [now[1] * k, now[0] + 1]

    def ours(x: Any, k: Any, xs: Any) -> Any:
        init = [x, x * 2]
        types = [jax.typeof(x), jax.typeof(x)]
        _, test = trace(lambda now: (None, [now[0] < k]), types, body)
        _, step = trace(lambda now: (None, body(now, k)), types, body)
        _, row = trace(lambda now: (None, [*body(now[:2], k), now[2] + 1]), [*types, row_type(xs)], body)
        return _while(test, step, init), _scan(row, init, [xs], 3, How(reverse=True))

    def public(x: Any, k: Any, xs: Any) -> Any:
        init = [x, x * 2]
        return (
            lax.while_loop(lambda now: now[0] < k, lambda now: body(now, k), init),
            lax.scan(lambda now, row: (body(now, k), [row + 1]), init, xs, reverse=True),
        )

    one, three = np.float32(1), np.ones(3, np.float32)
    try:
        programs = [str(jax.make_jaxpr(f)(one, one, three)) for f in (ours, public)]
    except Exception:  # whatever another version of JAX raises where its insides have changed
        return False
    return programs[0] == programs[1]


def settle_weak_types(jaxprs: Sequence[Any], first: int, last: int) -> bool:
    """Whether a loop gives its variables in the types in which it takes them; may change these types.

    A number that Python knew becomes one that came from arrays. Where no promotion in the loop depends on which of the
    two it is, it is taken for one that came from arrays from the start.

    Args:
      jaxprs: of the loop; that of its body is the last.
      first: where the variables begin among the inputs; what is before them keeps its type.
      last: where they end.
    """
    body = jaxprs[-1]
    before, after = body.in_avals, body.out_avals
    grown = [i for i in range(first, last) if before[i] != after[i]]
    if any(not before[i].weak_type or before[i].strip_weak_type() != after[i] for i in grown):
        return False
    if config.numpy_dtype_promotion.value != "standard":
        return False
    kinds = {_kind(after[i].dtype): after[i].dtype for i in grown}
    if any(t.weak_type and _kind(t.dtype) in kinds for t in after[first:]):
        return False
    for jaxpr in jaxprs:
        if any(kinds.get(_kind(t.dtype), t.dtype) != t.dtype for t in _types(jaxpr)):
            return False
    for jaxpr in jaxprs:
        for i in grown:
            getattr(jaxpr, "jaxpr", jaxpr).invars[i].aval = after[i]
    return True


def _kind(dtype: Any) -> str:
    """Numbers of one kind are promoted to each other where both came from arrays: integers; all others but bools."""
    if jnp.issubdtype(dtype, jnp.integer):
        return "integer"
    return "inexact" if jnp.issubdtype(dtype, jnp.inexact) else str(dtype)


def _types(jaxpr: Any) -> Iterator[Any]:
    """Types of the arrays in a jaxpr and in those that it calls."""
    for eqn in recorded_equations.equations(jaxpr):
        yield from (atom.aval for atom in (*eqn.invars, *eqn.outvars) if hasattr(atom.aval, "dtype"))
