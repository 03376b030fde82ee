"""Counterparts: what of JAX's takes the place of a call that needs the value of a traced array?

math.floor(x), np.where(x > 0, x, 0)     jnp.floor, jnp.where
x.item(), x.tolist()                     x, list(x)
"""

from __future__ import annotations

import ast
import types
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special

from autograph_lite.operators.user_code import source_places

_SPECIAL = {"lgamma": "gammaln"}  # of `math`, by its name in jax.scipy.special
_NUMPY = {"numpy": jnp, "numpy.linalg": jnp.linalg, "numpy.fft": jnp.fft}
_SIZED = ("arange", "linspace")  # they want sizes, which JAX wants to know as well
_METHODS = {
    "item": "write {0} in place of {0}.item(): a program takes it for a number.",
    "tolist": "write list({0}) in place of {0}.tolist().",
}


def instead(error: BaseException, frame: types.FrameType, lasti: int) -> str:
    """What to write in place of the call of `frame`, at that instruction, that has raised `error`; nothing for another call."""
    try:
        tree = ast.parse(source_places.segment(frame.f_code, lasti), mode="eval").body
    except SyntaxError:  # the place of the instruction is no expression, or is not known
        return ""
    if not isinstance(tree, ast.Call):
        return ""
    written = ast.unparse(tree.func)
    if isinstance(tree.func, ast.Attribute) and tree.func.attr in _METHODS and not tree.args:
        return _METHODS[tree.func.attr].format(written.removesuffix(f".{tree.func.attr}"))
    fn = _meant(tree.func, frame)
    if getattr(fn, "__module__", None) == "math":
        found = _of_math(getattr(fn, "__name__", ""))
    elif isinstance(error, jax.errors.TracerArrayConversionError):  # and no size, which a program has to know
        found = _of_numpy(fn)
    else:
        found = ""
    return f"use {found} in place of {written}." if found else ""


def _meant(name: ast.expr, frame: types.FrameType) -> Any:
    """The object that a dotted name means; None for another expression."""
    if isinstance(name, ast.Name):
        return frame.f_locals.get(name.id, frame.f_globals.get(name.id))
    if isinstance(name, ast.Attribute):
        owner = _meant(name.value, frame)
        return getattr(owner, name.attr, None) if isinstance(owner, types.ModuleType) else None
    return None


def _of_math(name: str) -> str:
    """The function of JAX's that computes what that one of `math` does, as one writes it."""
    if hasattr(jnp, name):
        return f"jnp.{name}"
    name = _SPECIAL.get(name, name)
    return f"jax.scipy.special.{name}" if hasattr(jax.scipy.special, name) else ""


def _of_numpy(fn: Any) -> str:
    """The function of JAX's that computes what that one of NumPy's does, as one writes it."""
    module, name = getattr(fn, "__module__", None), getattr(fn, "__name__", "")
    if module not in _NUMPY or name in _SIZED or not hasattr(_NUMPY[module], name):
        return ""
    return f"jnp{module.removeprefix('numpy')}.{name}"
