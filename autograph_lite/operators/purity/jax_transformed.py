"""What stands in for a function of the user's that JAX has wrapped: by `jax.jit`, `jax.custom_jvp`, `jax.custom_vjp`?

    @jax.jit                              ag.call(step)     jax.jit(converted step), made once
    def step(x): ...

Such a wrapper holds the user's function inside, where no call of converted code sees it.
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

import jax

from autograph_lite.jax_internals import configuration
from autograph_lite.operators.user_code import ownership

KINDS = (type(jax.jit(lambda: None)), jax.custom_jvp, jax.custom_vjp)
PARTS = ("fun", "jvp", "fwd", "bwd")  # of custom_jvp and custom_vjp
_made: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def wraps_users(fn: Any) -> bool:
    """Whether a function, a method or a partial is the user's, or what a library has made of such."""
    while callable(fn):
        if isinstance(fn, (types.FunctionType, types.MethodType)) and ownership.is_users(
            getattr(fn, "__func__", fn)
        ):
            return True
        inner = getattr(fn, "func", None) if isinstance(fn, functools.partial) else inspect.unwrap(fn)
        if inner is fn:
            return False
        fn = inner
    return False


def convert_transformed(callee: Any, convert: Callable[[types.FunctionType], Any]) -> Any:
    """`callee` around the converted form of the user's function; None where JAX has not wrapped one."""
    user: Any = getattr(callee, "__wrapped__", None) if isinstance(callee, KINDS) else None
    if not wraps_users(user):
        return None
    if isinstance(callee, (jax.custom_jvp, jax.custom_vjp)):
        return _once(callee, lambda: _derived(callee, convert))
    info = configuration.jit_info(callee)
    if info is None or info.user_specified_in_shardings or not _is_default(info):
        return None
    return _once(
        callee,
        lambda: jax.jit(
            convert(user),
            static_argnums=info.static_argnums or None,
            static_argnames=info.static_argnames or None,
        ),
    )


def _is_default(info: Any) -> bool:
    """Whether a compiled function says nothing of where its results lie, nor how to compile it."""
    unspecified = all(type(leaf).__name__ == "UnspecifiedValue" for leaf in info.out_shardings_leaves)
    return unspecified and info.device is None and info.backend is None and not info.compiler_options_kvs


def _derived(callee: Any, convert: Callable[[types.FunctionType], Any]) -> Any:
    made = object.__new__(type(callee))  # its constructor would begin again
    vars(made).update(vars(callee))
    for name in PARTS:
        part = getattr(callee, name, None)
        if isinstance(part, types.FunctionType) and ownership.is_users(part):
            setattr(made, name, convert(part))
    return made


def _once(callee: Any, make: Callable[[], Any]) -> Any:
    made = _made.get(callee)
    if made is None:
        made = _made[callee] = make()
    return made
