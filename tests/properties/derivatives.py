"""Are the derivatives of a converted program those of plain Python on JAX's own arrays?

Outside of `jax.jit`, plain Python control flow runs under `jax.jvp`, as every value is known. That is the
oracle for the compiled program's forward derivative, and for its reverse derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite
from autograph_lite.operators.values import one_of

from . import refusals
from .compare import FAST_COMPILE
from .findings import Finding, Report, crash
from .immutable import Keys, for_immutable_arrays, put
from .programs import Program
from .running import copied, loaded

# Moves the inputs off the points where `max`, `abs` and comparisons have no derivative.
OFF_THE_KINKS = 0.0859375
NOT_ON_JAX_ARRAYS = {"walked array written", "view", "raise", "assert", "maybe unassigned", "try/except"}


def compare_derivatives(program: Program) -> Report:
    """Compares derivatives with respect to the float arguments, at the program's first input."""
    report = Report()
    if program.features & NOT_ON_JAX_ARRAYS:
        return report
    inputs = program.inputs[0]
    floats = [i for i, value in enumerate(inputs) if _is_float(value)]
    point = [np.asarray(inputs[i], np.float32) + np.float32(OFF_THE_KINKS) for i in floats]
    tangent = [np.linspace(1, 2, value.size, dtype=np.float32).reshape(value.shape) for value in point]
    like: list[Any] = []
    plain = for_immutable_arrays(program.source)
    with loaded(plain, xp=jnp, note=_silent, put=put, key_of=Keys()) as namespace:
        try:
            wanted = jax.jvp(
                _of_floats(namespace["main"], inputs, floats, like), tuple(point), tuple(tangent)
            )
        except Exception:
            return report  # plain Python does not run it on JAX's arrays: there is nothing to compare with
    with loaded(program.source, xp=jnp, note=_silent) as namespace:
        main = namespace["main"]
        report.counts["derivatives"] += 1
        converted = _of_floats(autograph_lite.to_graph(main), inputs, floats, like)
        try:
            found = _compiled(lambda *at: jax.jvp(converted, at, tuple(tangent)), *point)
        except Exception as error:
            refusal = refusals.within(error)
            if refusal is None or not refusals.justified(refusal, program.features):
                report.findings.append(Finding("jvp", crash(error), program, inputs))
            else:
                report.refusals[type(refusal).__name__] += 1
            return report
        if not _close(found, wanted):
            detail = f"wrong derivative\n  ours   {found!r}\n  python {wanted!r}"
            report.findings.append(Finding("jvp", detail, program, inputs))
    report.add(_reverse(program, floats, point, tangent, wanted, like))
    return report


def _reverse(
    program: Program, floats: list[int], point: Any, tangent: Any, wanted: Any, like: list[Any]
) -> Report:
    """Compares the reverse derivative with the forward one: both give the same bilinear form."""
    report = Report()
    inputs = program.inputs[0]
    values, forward = wanted
    weights = [np.full(np.shape(leaf), 1.5, np.float32) for leaf in values]
    # A module of its own: what `to_graph` has made leaves tracers in the objects of a module that it changes.
    with loaded(program.source, xp=jnp, note=_silent) as namespace:
        converted = _of_floats(autograph_lite.to_graph(namespace["main"]), inputs, floats, like)
        try:
            gradient = _compiled(lambda *at: jax.vjp(converted, *at)[1](weights), *point)
        except Exception as error:
            report.findings.append(Finding("vjp", crash(error), program, inputs))
            return report
    report.counts["derivatives: reverse"] += 1
    ours = sum(float(np.vdot(g, t)) for g, t in zip(gradient, tangent, strict=True))
    right = sum(float(np.vdot(w, t)) for w, t in zip(weights, forward, strict=True))
    if not np.isclose(ours, right, rtol=1e-4, atol=1e-4):
        detail = f"wrong reverse derivative: ours {ours}, forward {right}"
        report.findings.append(Finding("vjp", detail, program, inputs))
    return report


def _compiled(function: Callable[..., Any], *arguments: Any) -> Any:
    """The function's result, computed by a program that was compiled quickly."""
    return jax.jit(function, compiler_options=FAST_COMPILE)(*arguments)


def _of_floats(
    function: Callable[..., Any], inputs: tuple[Any, ...], floats: list[int], like: list[Any]
) -> Callable[..., list[Any]]:
    """`function` of its float arguments alone, returning the leaves of its result as floats.

    `like` gets the structure that Python's result has; of a result that is one of several, the one like it is meant.
    Which of them are floats, Python decides by what it has run, and a compiled program by what it may run.
    """

    def of_floats(*values: Any) -> list[Any]:
        arguments = list(copied(inputs))  # plain Python writes into NumPy's
        for i, value in zip(floats, values, strict=True):
            arguments[i] = value
        result = function(*arguments)
        if type(result) is one_of.OneOf:  # under a transformation it comes out with all that it may be
            same = [each for each in one_of.options_of(result) if jax.tree.structure(each) in like]
            result = same[0] if len(same) == 1 else result
        else:
            like.append(jax.tree.structure(result))
        leaves = jax.tree.leaves(result)
        return [jnp.asarray(leaf).astype(jnp.float32) for leaf in leaves]

    return of_floats


def _is_float(value: Any) -> bool:
    return bool(np.asarray(value).dtype.kind == "f")


def _close(ours: Any, wanted: Any) -> bool:
    pairs = zip(jax.tree.leaves(ours), jax.tree.leaves(wanted), strict=True)
    return all(bool(np.allclose(a, b, rtol=1e-4, atol=1e-4)) for a, b in pairs)


def _silent(tag: object, value: object) -> object:
    """Stands for `note` in compiled programs, which keep no log."""
    return value
