"""How does a converted function run Python at each execution? It hands arrays to a function that is not compiled.

    @autograph_lite.py_function(result=jax.ShapeDtypeStruct((), jnp.float32))
    def lookup(key):                      # gets arrays of NumPy's, each time that the program runs
        return database[int(key)]

Every call is an ordered callback of the program's. `vmap` calls it row by row, or once where it is `vectorized`; a rule
makes it differentiable.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import jax
import jax.numpy as jnp
from jax import export

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer, describe
from autograph_lite.runtime.host.host_calls import HostCall
from autograph_lite.runtime.host.python_calls_in_programs import Given, Staged, Vjp

F = TypeVar("F", bound=Callable[..., Any])


@overload
def py_function(
    func: Callable[..., Any],
    args: Sequence[Any],
    result: Any = ...,
    *,
    vjp: Vjp | None = ...,
    vectorized: bool = ...,
    pure: bool = ...,
) -> Any: ...
@overload
def py_function(
    *, result: Any = ..., vjp: Vjp | None = ..., vectorized: bool = ..., pure: bool = ...
) -> Callable[[F], F]: ...
def py_function(
    func: Any = None,
    args: Any = None,
    result: Any = None,
    *,
    vjp: Vjp | None = None,
    vectorized: bool = False,
    pure: bool = False,
) -> Any:
    """Runs a Python function at each execution of the program that is being traced, on arrays of NumPy's.

    It is not converted. Its calls happen in the order in which the program reaches them, once for each iteration of a staged
    loop, and only in the branch that is taken. What it raises comes out of the call of the converted function. Where nothing is
    traced it is called at once. A program that reaches it can't be exported.

        @autograph_lite.convert
        def f(x):
            return autograph_lite.py_function(np.cbrt, (x,), result=x) + 1

        @autograph_lite.py_function(result=lambda x: x, vjp=lambda args, y, dy: (dy / (3 * y * y),))
        def cbrt(x):
            return np.cbrt(x)

    Args:
      func: the function; None where `py_function` is used as a decorator.
      args: the function's arguments. Arrays reach it as NumPy's when the program runs, everything else as it is.
      result: what it returns: a pytree of values with a shape and a dtype, such as `jax.ShapeDtypeStruct` or an array that is
        like it; a function that gives these from the arguments' shapes and dtypes; None if it returns None.
      vjp: its derivative: `vjp(args, result, cotangent)` gives the cotangents of `args`, None for an argument that has none. It
        is traced, with jax.numpy's functions, and may call a py_function in turn.
      vectorized: whether it takes arrays with an axis in front of their shape, and gives such: `vmap` then calls it once.
      pure: whether it has no side effects. Calls may then be repeated, reordered or left out, and are possible where
        JAX allows no side effect: under `jax.checkpoint`, on several devices, under a `vmap` that makes a branch a choice.

    Returns:
      The function's result as arrays of JAX's; a decorator where `func` is None.

    Raises:
      TypeError: `result` has a leaf without shape and dtype, or the function gives something else when it runs.
      NotDifferentiableError: it is differentiated, and has no `vjp`.
    """
    if func is None:
        return lambda decorated: PyFunction(decorated, result, vjp, vectorized, pure)
    if args is None:
        raise TypeError(
            "py_function: args is missing; it is py_function(func, args, result), or @py_function(result=...)."
        )
    if not isinstance(args, (tuple, list)):
        raise TypeError(f"py_function: args is {describe(args)}; it has to be a tuple of the arguments.")
    return PyFunction(func, result, vjp, vectorized, pure)(*args)


class PyFunction:
    """A Python function that compiled programs call; see `py_function`."""

    def __init__(
        self, func: Callable[..., Any], result: Any, vjp: Vjp | None, vectorized: bool, pure: bool
    ) -> None:
        if not callable(func):
            raise TypeError(f"py_function: func is {describe(func)}; it has to be a function.")
        self.func, self.result, self.vjp = func, result, vjp
        self.vectorized, self.pure = vectorized, pure
        self.__doc__ = func.__doc__
        self.__name__: str = getattr(func, "__name__", type(func).__name__)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the function when the program runs; at once where nothing is traced."""
        given = Given.of(args, kwargs)
        leaves, tree = pytrees.flatten(self._result_of(given))
        kinds = [self._kind(leaf) for leaf in leaves]
        for value in (*given.operands, *kinds):
            if any(map(export.is_symbolic_dim, value.shape)):  # each size is traced by itself, then
                raise TypeError(
                    f"py_function: '{self.__name__}' gets arrays of NumPy's, whose sizes are known."
                )
        call = HostCall(self.func, lambda values: self._run(given, values), kinds, tree)
        if not tracing_state.is_tracing() and not any(isinstance(value, Tracer) for value in given.operands):
            return jax.tree.unflatten(tree, list(map(jnp.asarray, call.run(given.operands))))
        staged = Staged(call, vectorized=self.vectorized, pure=self.pure)
        function = staged.not_differentiable() if self.vjp is None else staged.with_rule(self.vjp, given)
        return jax.tree.unflatten(tree, function(*map(jnp.asarray, given.operands)))

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function bound to an instance, as a method."""
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<autograph_lite.py_function {self.__name__}>"

    def _run(self, given: Given, values: Sequence[Any]) -> Any:
        args, kwargs = given.rebuilt(values)
        return self.func(*args, **kwargs)

    def _result_of(self, given: Given) -> Any:
        if not callable(self.result) or hasattr(self.result, "shape") or isinstance(self.result, type):
            return self.result
        kinds = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in given.operands]
        args, kwargs = given.rebuilt(kinds)
        return self.result(*args, **kwargs)

    def _kind(self, leaf: Any) -> jax.ShapeDtypeStruct:
        if isinstance(leaf, type) or not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
            raise TypeError(
                f"py_function: the result of '{self.__name__}' is declared as {leaf!r}, which has no shape and dtype; "
                "it may be jax.ShapeDtypeStruct((), jnp.float32), for example."
            )
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
