"""Automatic differentiation of `while`: what are the loop's tangents and cotangents? It uses JAX's insides.

Forwards, as JAX does: each variable has its tangent beside it in the loop. Where the tangents are not known yet, which is reverse
mode, the loop is run without them; what stands for them is an equation that `checkpoints` transposes.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax._src.interpreters.partial_eval import partial_eval_jaxpr_nounits, separate_consts
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir, partial_eval

from autograph_lite.errors import NotDifferentiableError
from autograph_lite.jax_internals import while_lanes
from autograph_lite.jax_internals.dataflow import value_ranges
from autograph_lite.jax_internals.loops import callbacks, checkpointing, lane_masking, loop_binding
from autograph_lite.jax_internals.loops.while_primitive import (
    INNER,
    OUTER,
    loop_of,
    with_our_loops,
    within_a_loop,
)
from autograph_lite.jax_internals.while_lanes import JAXS, Options

Flags = list[bool]


def _jvp(made: Any, primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[Any, Any]:
    params = value_ranges.of_loop(params, value_ranges.of_values(primals))
    params, primals, tangents = _with_whole_lanes(params, primals, tangents)
    moving = [type(tangent) is not ad.Zero for tangent in tangents]

    def rule(arrays: Sequence[Any]) -> tuple[Sequence[Any], Flags]:
        given = iter(arrays[len(primals) :])
        now = [next(given) if moves else t for t, moves in zip(tangents, moving, strict=True)]
        outputs, changes = ad.primitive_jvps[JAXS](arrays[: len(primals)], now, **loop_of(params))
        moved = [type(tangent) is not ad.Zero for tangent in changes]
        return [*outputs, *(t for t, moves in zip(changes, moved, strict=True) if moves)], moved

    given = [t for t, moves in zip(tangents, moving, strict=True) if moves]
    params = _with_tangents(params, moving)
    try:
        results, moved = with_our_loops(made.bind, params, rule, [*primals, *given])
    except (ValueError, NotImplementedError) as error:
        if not callbacks.is_without_derivative(error):
            raise
        raise callbacks.no_derivative(callbacks.result_of_callback(params["body_jaxpr"])) from None
    outputs, changes = results[: len(moved)], iter(results[len(moved) :])
    return outputs, [
        next(changes) if moves else ad.Zero(jax.typeof(output).to_tangent_aval())
        for output, moves in zip(outputs, moved, strict=True)
    ]


def _with_whole_lanes(
    params: dict[str, Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """The loop whose body holds an item for each lane, or one for all, in each array; with its arrays and tangents."""
    options, sizes = params.get("options"), _lanes(params)
    if options is None or options.lanes is None or options.lanes.are_whole() or not options.lanes.one:
        return params, list(arrays), list(tangents)
    lanes = options.lanes
    axes = [*[None] * len(lanes.test), *lanes.body]
    axes += [None] * (len(arrays) - len(axes))

    def wide(items: Sequence[Any]) -> list[Any]:
        pairs = zip(items, axes, strict=True)
        return [
            x if a is None or type(x) is ad.Zero else while_lanes.broadcast_lanes(x, a, sizes)
            for x, a in pairs
        ]

    whole = lanes.whole()
    params = {**whole.params(), "options": dataclasses.replace(options, lanes=whole)}
    return params, wide(arrays), wide(tangents)


def _with_tangents(params: dict[str, Any], moving: Flags) -> dict[str, Any]:
    """Those of the loop with tangents: those of what the body holds follow on it."""
    options = params.get("options")
    if options is None or options.lanes is None:
        return params
    lanes = options.lanes
    consts = moving[params["cond_nconsts"] :][: params["body_nconsts"]]
    both = while_lanes.Lanes(lanes.test, (*lanes.body, *_which(lanes.body, consts, True)))
    return {**params, "options": dataclasses.replace(options, lanes=both)}


def _run_once_more(params: dict[str, Any]) -> dict[str, Any]:
    """The loop as it runs for the gradient: what it prints, it has printed."""
    quiet = callbacks.quiet(params["body_jaxpr"])
    if quiet.effects:
        raise NotDifferentiableError(
            "A loop with an impure callback in its body is differentiated.",
            where=callbacks.result_of_callback(quiet),
            why="The gradient runs the body once more, and would call it again.",
            fix="say that it is pure: autograph_lite.py_function(..., pure=True) or jax.pure_callback.",
        )
    return {**params, "body_jaxpr": quiet}


@dataclasses.dataclass(frozen=True)
class _Parted:
    """A loop in two: what is known, and what is linear in what is not."""

    consts: Flags  # of those that the body holds, which are linear
    carry: Flags  # of the variables, which are linear
    known: Any  # closed jaxpr of an iteration of what is known; gives what `linear` needs of it, too
    linear: Any  # closed jaxpr of an iteration of the rest, from what it needs, constants and variables


def _part(linear: Flags, params: dict[str, Any]) -> _Parted:
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    consts, carry = linear[first:last], linear[last:]
    while True:
        known, rest, found, _ = partial_eval_jaxpr_nounits(params["body_jaxpr"], [*consts, *carry], carry)
        if list(found) == carry:
            return _Parted(consts, carry, known, rest)
        carry = list(map(operator.or_, carry, found))


def _which(arrays: Sequence[Any], flags: Flags, value: bool) -> list[Any]:
    return [array for array, flag in zip(arrays, flags, strict=True) if flag is value]


def _loop(
    parted: _Parted, arrays: Sequence[Any], params: dict[str, Any]
) -> tuple[checkpointing.Loop, list[Any]]:
    """The loop as it is run backwards, and what it starts with."""
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    types = params["body_jaxpr"].in_avals
    consts = _which(arrays[first:last], parted.consts, False)
    init = list(map(jnp.asarray, _which(arrays[last:], parted.carry, False)))
    moving = [t.to_tangent_aval() for t in _which(types, [*parted.consts, *parted.carry], True)]
    axes = _axes(parted, params)
    fixed = _fixed(parted.known, consts, axes, init)
    run = jaxpr_as_fun(parted.known)

    def iterate(state: list[Any], live: Any = None) -> tuple[list[Any], list[Any]]:
        held = zip(consts, axes, strict=True)
        given = (
            consts
            if live is None
            else [lane_masking.fill_from_live_lane(live, array, axis) for array, axis in held]
        )
        results = run(*given, *state)
        needs = zip(results[len(init) :], fixed, strict=True)
        return list(results[: len(init)]), [need for need, same in needs if same is None]

    def back(tape: list[Any], cotangents: list[Any]) -> tuple[list[Any], list[Any]]:
        varying = iter(tape)
        needs = [next(varying) if same is None else same for same in fixed]
        linear = functools.partial(jaxpr_as_fun(parted.linear), *needs)
        found = jax.linear_transpose(lambda *now: list(linear(*now)), *moving)(cotangents)
        return list(found[: sum(parted.consts)]), list(found[sum(parted.consts) :])

    in_lanes = lane_masking.iterate(lambda held, state: list(run(*held, *state)[: len(init)]), axes)

    def step(state: list[Any], live: Any = None) -> list[Any]:
        return iterate(state)[0] if live is None else list(in_lanes(live, consts, state))

    needed = zip(parted.known.out_avals[len(init) :], fixed, strict=True)
    loop = checkpointing.Loop(
        functools.partial(_live, parted, arrays[:first], params), step, iterate,
        [t for t, same in needed if same is None], back, moving[: sum(parted.consts)],
    )  # fmt: skip
    return loop, init


def _axes(parted: _Parted, params: dict[str, Any]) -> list[Any]:
    """The axes of the lanes in each known array that the body holds; None where they share it."""
    options = params.get("options")
    lanes = options.lanes if options else None
    axes = lanes.of_body() if lanes else [None] * params["body_nconsts"]
    return _which(axes, parted.consts, False)


def _lanes(params: dict[str, Any]) -> tuple[int, ...]:
    shape: tuple[int, ...] = params["cond_jaxpr"].out_avals[0].shape
    return shape


def _live(parted: _Parted, held: Sequence[Any], params: dict[str, Any], state: list[Any]) -> Any:
    """Whether there is another iteration; what is linear does not matter for that."""
    known = iter(state)
    types = params["body_jaxpr"].out_avals
    variables = [
        jnp.zeros(t.shape, t.dtype) if linear else next(known)
        for t, linear in zip(types, parted.carry, strict=True)
    ]
    return jaxpr_as_fun(params["cond_jaxpr"])(*held, *variables)[0]


def _fixed(known: Any, consts: Sequence[Any], axes: Sequence[Any], init: Sequence[Any]) -> list[Any]:
    """What the derivative of an iteration needs and is the same in all of them; None for the rest of it."""
    jaxpr = getattr(known, "jaxpr", known)
    varying = set(map(id, jaxpr.invars[len(consts) :]))
    varying |= {id(v) for v, axis in zip(jaxpr.invars, axes, strict=False) if axis is not None}
    for eqn in jaxpr.eqns:
        if eqn.effects or any(id(atom) in varying for atom in eqn.invars):
            varying |= set(map(id, eqn.outvars))
    needed = jaxpr.outvars[len(init) :]
    given = {id(v): array for v, array in zip(jaxpr.invars, consts, strict=False)}
    if all(id(atom) in varying or id(atom) in given for atom in needed):
        return [None if id(atom) in varying else given[id(atom)] for atom in needed]
    found = jaxpr_as_fun(known)(*consts, *init)[len(init) :]
    return [None if id(atom) in varying else value for atom, value in zip(needed, found, strict=True)]


def _forward(
    parted: _Parted, arrays: Sequence[Any], params: dict[str, Any]
) -> tuple[checkpointing.Loop, checkpointing.Sizes, list[Any], checkpointing.Marks]:
    loop, init = _loop(parted, arrays, params)
    loop = lane_masking.undo_finished_lanes(loop, _lanes(params))
    sizes = checkpointing.Sizes.fitting(
        list(map(jax.typeof, init)), loop.tape, params.get("options") or Options()
    )
    results, marks = checkpointing.forward(loop, sizes, init)
    return loop, sizes, results, marks


def _partial_eval(made: Any, trace: Any, *tracers: Any, **params: Any) -> list[Any]:
    """The loop of what is known, and an equation for the rest of it."""
    tracers = tuple(map(trace.to_jaxpr_tracer, tracers))
    unknown = [not tracer.is_known() for tracer in tracers]
    first = params["cond_nconsts"]
    if not any(unknown) or all(unknown):
        return list(trace.default_process_primitive(made, tracers, params))
    parted = _part(unknown, params)
    if any(unknown[:first]) or _decides(parted, params):
        return list(trace.default_process_primitive(made, tracers, params))
    quiet = _run_once_more(params)
    arrays = [
        None if flag else tracer.pval.get_known() for tracer, flag in zip(tracers, unknown, strict=True)
    ]
    if made is OUTER:
        _, sizes, results, marks = _forward(parted, arrays, params)
        leaves = [marks.count, marks.spacing, *marks.states]
        added = [trace.instantiate_const(trace.new_const(leaf)) for leaf in leaves]
        rest = trace.default_process_primitive(
            MARKED, [*added, *tracers], {**quiet, "sizes": sizes, "linear": tuple(parted.carry)}
        )
    else:
        results = _known_loop(parted, arrays, params)
        rest = _which(trace.default_process_primitive(made, tracers, quiet), parted.carry, True)
    known, found = iter(results), iter(rest)
    return [next(found) if linear else next(known) for linear in parted.carry]


def _decides(parted: _Parted, params: dict[str, Any]) -> bool:
    """Whether the condition depends on what is not known."""
    cond, first = params["cond_jaxpr"], params["cond_nconsts"]
    found = partial_eval_jaxpr_nounits(cond, [*[False] * first, *parted.carry], False)[2]
    return bool(found[0])


def _known_loop(parted: _Parted, arrays: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """The loop of what is known, and nothing else."""
    options = params.get("options")
    if options and options.lanes:
        return _known_lanes(parted, arrays, params, options.lanes)
    loop, init = _loop(parted, arrays, params)
    types = list(map(jax.typeof, init))
    _, test = loop_binding.trace(lambda state: (None, [loop.live(state)]), types, _known_loop)
    _, step = loop_binding.trace(lambda state: (None, loop.step(state)), types, _known_loop)
    with within_a_loop():
        return loop_binding.while_loop(test, step, init)


def _known_lanes(
    parted: _Parted, arrays: Sequence[Any], params: dict[str, Any], of_all: while_lanes.Lanes
) -> list[Any]:
    """The same of a loop that ends lane by lane: of what it holds, is kept where the lanes are."""
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    held, consts = arrays[:first], _which(arrays[first:last], parted.consts, False)
    init = list(map(jnp.asarray, _which(arrays[last:], parted.carry, False)))
    run = jaxpr_as_fun(parted.known)

    def live(now: list[Any]) -> tuple[None, list[Any]]:
        return None, [_live(parted, now[:first], params, now[first:])]

    def step(now: list[Any]) -> tuple[None, list[Any]]:
        return None, list(run(*now)[: len(init)])

    def traced(fun: Any, given: Sequence[Any]) -> tuple[Any, list[Any], list[Any]]:
        """Its jaxpr, the constants in it, and the axes of lanes in these."""
        jaxpr, found = separate_consts(loop_binding.trace(fun, list(map(jax.typeof, given)), _known_loop)[1])
        return jaxpr, found, [(None,) * len(_lanes(params))] * len(found)

    test, of_test, test_axes = traced(live, [*held, *init])
    body, of_body, body_axes = traced(step, [*consts, *init])
    axes = _which(of_all.body, parted.consts, False)
    known = while_lanes.Lanes((*test_axes, *of_all.test), (*body_axes, *axes))
    return list(INNER.bind(
        *of_test, *held, *of_body, *consts, *init,
        cond_nconsts=len(of_test) + first, cond_jaxpr=test, body_nconsts=len(of_body) + len(consts), body_jaxpr=body,
        options=dataclasses.replace(params["options"], lanes=known),
    ))  # fmt: skip


def _partial_eval_custom(
    made: Any, saveable: Any, unknown: Sequence[bool], present: Sequence[bool], eqn: Any
) -> tuple[Any, ...]:
    """The same in a jaxpr, for `jax.checkpoint`: nothing is kept."""
    eqn_known, *rest = partial_eval.partial_eval_jaxpr_custom_rules[JAXS](saveable, unknown, present, eqn)
    return (eqn_known and _without_lanes(eqn_known).replace(primitive=made)), *rest


def _without_lanes(eqn: Any) -> Any:
    """A loop whose lanes are not known."""
    options = eqn.params.get("options")
    if options is None:
        return eqn
    return eqn.replace(params={**eqn.params, "options": dataclasses.replace(options, lanes=None)})


def _transpose(cotangents: Sequence[Any], *arrays: Any, **params: Any) -> list[Any]:
    linear = list(map(ad.is_undefined_primal, arrays))
    options = params.get("options")
    if options is not None and not options.reverse:
        raise NotDifferentiableError(
            "A loop with set_loop_options(differentiable=False) is differentiated in reverse.",
            where=options.place,
            why="The option leaves it to `lax.while_loop`, which has forward derivatives alone.",
            fix="leave out differentiable=False, or take jax.lax.stop_gradient of what the loop gives.",
        )
    params = _run_once_more(params)
    parted = _part(linear, params)
    loop, sizes, _, marks = _forward(parted, arrays, params)
    wanted = _which(cotangents, parted.carry, True)
    return _found(parted, loop, sizes, marks, wanted, linear, params)


def _found(
    parted: _Parted, loop: checkpointing.Loop, sizes: checkpointing.Sizes, marks: checkpointing.Marks,
    cotangents: Sequence[Any], linear: Flags, params: dict[str, Any],
) -> list[Any]:  # fmt: skip
    """For each array that the loop is applied to its cotangent, where one is asked for."""
    consts, carry = checkpointing.backward(loop, sizes, marks, list(map(ad.instantiate_zeros, cotangents)))
    moving = [False] * params["cond_nconsts"] + parted.consts + parted.carry
    found = iter([*consts, *carry])
    given = [next(found) if moves else None for moves in moving]
    return [value if asked else None for value, asked in zip(given, linear, strict=True)]


def _marked() -> Any:
    """The primitive for the tangents of a loop that has left marks: it is the loop with its tangents, but for those."""
    made = Primitive("tangents_of_while")
    made.multiple_results = True

    def run(*arrays: Any, **params: Any) -> list[Any]:
        return _tangents(OUTER.bind(*_unmarked(arrays, params), **_of_loop(params)), params)

    def types(*avals: Any, **params: Any) -> Any:
        found, effects = OUTER.abstract_eval(*_unmarked(avals, params), **_of_loop(params))
        return _tangents(found, params), effects

    def jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> Any:
        both = _jvp(OUTER, _unmarked(primals, params), _unmarked(tangents, params), **_of_loop(params))
        return tuple(_tangents(found, params) for found in both)

    def batched(axis: Any, arrays: Sequence[Any], dims: Sequence[Any], **params: Any) -> Any:
        rule = batching.fancy_primitive_batchers[OUTER]
        both = rule(axis, _unmarked(arrays, params), _unmarked(dims, params), **_of_loop(params))
        return tuple(_tangents(found, params) for found in both)

    def transpose(cotangents: Sequence[Any], *arrays: Any, **params: Any) -> list[Any]:
        marked = len(arrays) - len(_unmarked(arrays, params))
        loop_params, rest = _of_loop(params), _unmarked(arrays, params)
        linear = list(map(ad.is_undefined_primal, rest))
        last = len(rest) - len(params["linear"])
        parted = _part([*linear[:last], *params["linear"]], loop_params)
        loop, _ = _loop(parted, rest, loop_params)
        marks = checkpointing.Marks(arrays[0], arrays[1], list(arrays[2:marked]))
        found = _found(
            parted,
            lane_masking.undo_finished_lanes(loop, _lanes(loop_params)),
            params["sizes"],
            marks,
            cotangents,
            linear,
            loop_params,
        )
        return [None] * marked + found

    made.def_impl(run)
    made.def_effectful_abstract_eval(types)
    mlir.register_lowering(made, mlir.lower_fun(run, multiple_results=True))
    ad.primitive_jvps[made] = jvp
    ad.primitive_transposes[made] = transpose
    batching.fancy_primitive_batchers[made] = batched
    return made


def _of_loop(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in ("sizes", "linear")}


def _unmarked(items: Sequence[Any], params: dict[str, Any]) -> Sequence[Any]:
    """Those that belong to the loop."""
    count = params["cond_nconsts"] + params["body_nconsts"] + len(params["linear"])
    return items[len(items) - count :]


def _tangents(items: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    return _which(items, list(params["linear"]), True)


MARKED = _marked()


def install_derivatives() -> None:
    """Gives the loops their derivatives."""
    for made in (OUTER, INNER):
        ad.primitive_jvps[made] = functools.partial(_jvp, made)
        ad.primitive_transposes[made] = _transpose
        partial_eval.custom_partial_eval_rules[made] = functools.partial(_partial_eval, made)
        partial_eval.partial_eval_jaxpr_custom_rules[made] = functools.partial(_partial_eval_custom, made)
