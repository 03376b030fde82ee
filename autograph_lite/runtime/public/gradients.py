"""Gradients with respect to Variables: `value_and_grad(loss, [w, b])(x)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.errors import VariableError
from autograph_lite.operators.effects import journal
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import describe
from autograph_lite.runtime.state import variable_frames
from autograph_lite.runtime.state.variable import Variable


def value_and_grad(
    fun: Callable[..., Any], variables: Any, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that gives what `fun` gives, and its gradient with respect to Variables.

    The gradient is by what the Variables hold when `fun` begins. What `fun` assigns to Variables lasts.

    Args:
      fun: gives a scalar, or a pair of a scalar and anything else where `has_aux` is true.
      variables: a Variable, or a list, tuple or dict of such, of a floating dtype.
      has_aux: whether `fun` gives a pair.

    Returns:
      A function of the arguments of `fun`: (value, gradients), the gradients in the structure of `variables`.

    Raises:
      VariableError: there is something else than Variables of a floating dtype in `variables`.
    """
    found, structure = pytrees.flatten(variables)
    for leaf in found:
        if not isinstance(leaf, Variable) or not jnp.issubdtype(leaf.dtype, jnp.inexact):
            raise _no_variable(leaf)
    chosen = {id(variable): variable for variable in found}

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        def inner(values: dict[int, Any]) -> Any:
            frame = variable_frames.Frame()
            with variable_frames.inside(frame):
                for key, value in values.items():
                    variable_frames.hold(chosen[key], value)
                before = dict(frame.values)
                result = pytrees.unbox_leaves(fun(*args, **kwargs))
                changed = [held for key, held in frame.values.items() if held is not before.get(key)]
                new = [variable_frames.variable_value(variable) for variable, _ in changed]
            written.extend(variable for variable, _ in changed)
            value, aux = result if has_aux else (result, None)
            return value, (aux, new)

        written: list[Variable] = []
        now = journal.active()
        if now is not None:
            for variable in found:
                now.note(variable.place)  # before it holds a tracer, which would outlive the derivative there
        start = {key: Variable.read(variable) for key, variable in chosen.items()}
        (value, (aux, new)), gradients = jax.value_and_grad(inner, has_aux=True)(start)
        for variable, held in zip(written, new, strict=True):
            variable_frames.hold(variable, held)
        result = (value, aux) if has_aux else value
        return result, jax.tree.unflatten(structure, [gradients[id(variable)] for variable in found])

    return run


def grad(fun: Callable[..., Any], variables: Any, *, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of `fun` with respect to Variables.

    Args:
      fun: as for `value_and_grad`.
      variables: as for `value_and_grad`.
      has_aux: whether `fun` gives a pair; the second is given, too.

    Returns:
      A function of the arguments of `fun`: the gradients, in the structure of `variables`; a pair where `has_aux`.

    Raises:
      VariableError: there is something else than Variables of a floating dtype in `variables`.
    """
    both = value_and_grad(fun, variables, has_aux=has_aux)

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return run


def _no_variable(found: Any) -> VariableError:
    what = f"a Variable of {found.dtype}" if isinstance(found, Variable) else describe(found)
    return VariableError(
        f"A gradient is asked for with respect to {what}.",
        why="Gradients are taken with respect to Variables of a floating dtype.",
        fix="give such Variables, for example module.trainable_variables.",
    )
