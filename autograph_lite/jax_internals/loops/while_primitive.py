"""The `while` primitive: what is a loop with a derivative in reverse? JAX's, with other rules. It uses JAX's insides.

The primitive is written `while` in a jaxpr, takes what JAX's takes, and is compiled as JAX's: where no derivative is asked for,
nothing is paid for it. `while_autodiff` says what is done where one is.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax._src import checkify
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir, partial_eval

from autograph_lite.jax_internals import while_lanes
from autograph_lite.jax_internals.dataflow import value_ranges
from autograph_lite.jax_internals.while_lanes import JAXS, Options
from autograph_lite.scoped import Now

R = TypeVar("R")
UNUSED: Any = partial_eval.dce_rules
"""What is left of an equation where some of its results are not used."""


def _primitive() -> Any:
    made: Any = Primitive("while")
    made.multiple_results = True
    made.def_impl(_run)
    made.def_effectful_abstract_eval(lambda *avals, **params: JAXS.abstract_eval(*avals, **loop_of(params)))
    mlir.register_lowering(made, mlir.lower_fun(_run, multiple_results=True))
    batching.fancy_primitive_batchers[made] = _batched(made)
    checkify.error_checks[made] = _checked
    if JAXS in UNUSED:  # 0.12
        UNUSED[made] = _without_unused
    if "to_lojax" in vars(JAXS):
        made.is_high = lambda *avals, **params: JAXS.is_high(*avals, **loop_of(params))
        made.to_lojax = _lowered(made)
    return made


def _run(*arrays: Any, **params: Any) -> Any:
    return JAXS.bind(*arrays, **loop_of(params))


def _checked(error: Any, enabled: Any, *arrays: Any, **params: Any) -> Any:
    return checkify.error_checks[JAXS](error, enabled, *arrays, **loop_of(params))


def loop_of(params: dict[str, Any]) -> dict[str, Any]:
    """Those parameters that JAX's primitive has, too."""
    return {name: value for name, value in params.items() if name != "options"}


def _batched(made: Any) -> Callable[..., Any]:
    def rule(axis: Any, arrays: Sequence[Any], dims: Sequence[Any], **params: Any) -> Any:
        jaxs = batching.fancy_primitive_batchers[JAXS]
        params = value_ranges.of_loop(params, value_ranges.of_values(arrays))

        def bind(*now: Any, **new: Any) -> list[Any]:
            return list(made.bind(*now, **_with_lanes(new, params, axis, dims)))

        return with_our_loops(bind, params, lambda now: jaxs(axis, now, dims, **loop_of(params)), arrays)

    return rule


def _lowered(made: Any) -> Callable[..., Any]:
    """The loop in terms of what XLA knows, where its body has operations that JAX writes as such only late, as `jnp.nonzero`."""

    def rule(*arrays: Any, **params: Any) -> list[Any]:
        def bind(*now: Any, **new: Any) -> list[Any]:
            return list(made.bind(*now, **new))

        return with_our_loops(
            bind, params, lambda now: (JAXS.to_lojax(*now, **loop_of(params)), None), arrays
        )[0]

    return rule


def _with_lanes(
    new: dict[str, Any], old: dict[str, Any], axis: Any, dims: Sequence[int | None]
) -> dict[str, Any]:
    """The parameters of a loop under one more `vmap`, with its lanes."""
    before, after = (len(params["cond_jaxpr"].out_avals[0].shape) for params in (old, new))
    options: Options = new.get("options", Options())
    if not before:
        lanes = while_lanes.of_one(axis, dims, old) if after else None
    elif options.lanes is None:
        lanes = None
    else:
        lanes = (options.lanes.under if after > before else options.lanes.beside)(axis, dims)
    return new if lanes is None else {**new, "options": dataclasses.replace(options, lanes=lanes)}


def _without_unused(used: list[bool], live: Any, eqn: Any) -> Any:
    """What a loop is where some of its results are not used."""
    kept, new = UNUSED[JAXS](used, live, eqn)
    options = eqn.params.get("options")
    if new is not None and options is not None and options.lanes:
        axes = (*options.lanes.test, *options.lanes.body)
        left = [of_array for of_array, is_kept in zip(axes, kept, strict=False) if is_kept]
        lanes = while_lanes.Lanes(
            tuple(left[: new.params["cond_nconsts"]]), tuple(left[new.params["cond_nconsts"] :])
        )
        new = new.replace(params={**new.params, "options": dataclasses.replace(options, lanes=lanes)})
    return kept, new


def with_our_loops(
    bind: Callable[..., Any],
    params: dict[str, Any],
    rule: Callable[[Sequence[Any]], tuple[Sequence[Any], R]],
    arrays: Sequence[Any],
) -> tuple[list[Any], R]:
    """What a rule for JAX's primitive gives, with the loops in it made of ours.

    Args:
      bind: applies our primitive.
      params: of the loop that the rule is for.
      rule: arrays -> arrays, and something else.
      arrays: what the rule is for.
    """
    results: list[R] = []

    def run(*now: Any) -> Sequence[Any]:
        outputs, result = rule(now)
        results.append(result)
        return list(outputs)

    closed: Any = jax.make_jaxpr(run)(*arrays)
    return _emit(bind, params, closed, arrays), results[0]


def _emit(bind: Callable[..., Any], params: dict[str, Any], closed: Any, arrays: Sequence[Any]) -> list[Any]:
    jaxpr = getattr(closed, "jaxpr", closed)
    known: dict[Any, Any] = dict(
        zip((*jaxpr.constvars, *jaxpr.invars), (*closed.consts, *arrays), strict=True)
    )

    def read(atom: Any) -> Any:
        return atom.val if hasattr(atom, "val") else known[atom]

    for eqn in jaxpr.eqns:
        inputs = list(map(read, eqn.invars))
        if eqn.primitive is JAXS:
            found = bind(*inputs, **{**params, **eqn.params})
        else:
            found = eqn.primitive.bind(*inputs, **eqn.primitive.get_bind_params(eqn.params))
        known.update(zip(eqn.outvars, found if eqn.primitive.multiple_results else [found], strict=True))
    return list(map(read, jaxpr.outvars))


OUTER, INNER = _primitive(), _primitive()
"""A loop, and one within a loop: it keeps no states until its gradient is taken, as there would be some for each round.

So does one if the user has said that no gradient is taken of it.
"""


_depth: Now[int] = Now(0)


def within_a_loop() -> contextlib.AbstractContextManager[int]:
    """A context in which the body of a loop is traced."""
    return _depth.being(_depth.value + 1)


def is_within_a_loop() -> bool:
    """Whether the body of a loop is being traced."""
    return _depth.value > 0


def is_of_callback(effect: Any) -> bool:
    """Whether an effect is that of a callback: the only ones that a loop which can be differentiated may have."""
    name = type(effect).__name__.lstrip("_")
    return name in ("DebugEffect", "OrderedDebugEffect", "IOEffect", "OrderedIOEffect")


def bind_while(*arrays: Any, **params: Any) -> list[Any]:
    """The arrays after a loop, given what its condition and body hold and what it starts with; maybe with `options`."""
    count = params["cond_nconsts"] + params["body_nconsts"]
    options: Options = params.pop("options", None) or Options()
    if not any(jnp.issubdtype(array.dtype, jnp.inexact) for array in map(jax.typeof, arrays[count:])):
        return list(JAXS.bind(*arrays, **params))
    if options != Options():  # else the loop looks as one of JAX's
        params["options"] = options
    return list((INNER if _depth.value or not options.reverse else OUTER).bind(*arrays, **params))
