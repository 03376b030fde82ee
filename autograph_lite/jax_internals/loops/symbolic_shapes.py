"""Specialization: what does a program with symbolic sizes become where the sizes are known? It uses JAX's insides.

Its equations are emitted again, with the sizes in place of the symbols: the user's Python is not run. What that gives is an
ordinary program, which goes under `jit`, `grad` and `vmap`.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export, lax
from jax._src import core, linear_util, source_info_util
from jax.extend.core import (  # type: ignore[attr-defined,unused-ignore]
    ClosedJaxpr,  # pyright: ignore[reportPrivateImportUsage]
    jaxpr_as_fun,
)

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.loops import loop_binding

Sizes = Mapping[str, int]

_OPERATIONS: dict[str, Any] = {
    "floordiv": int.__floordiv__, "mod": int.__mod__, "max": max, "min": min, "__builtins__": {},
}  # fmt: skip


def size(dim: Any, sizes: Sizes) -> int:
    """The number that a dimension is, for these sizes of its symbols."""
    return int(eval(_code(str(dim)), _OPERATIONS, dict(sizes))) if export.is_symbolic_dim(dim) else int(dim)


@functools.lru_cache(maxsize=4096)
def _code(text: str) -> Any:
    # In Python's ints: JAX's own evaluation is one of int32, in which a product of sizes may not fit.
    return compile(text.replace("^", "**"), "<size>", "eval")


def instantiate_jaxpr(closed: Any, sizes: Sizes) -> Any:
    """A closed jaxpr with symbolic sizes, as the closed jaxpr for these sizes.

    Args:
      closed: of a function that was traced with symbolic sizes.
      sizes: of each symbol, at least 1.

    Raises:
      SizeError: the program has other types for these sizes than its symbolic types say.
    """
    return Sized(sizes).jaxpr(closed)


class SizeError(Exception):
    """A program with symbolic sizes means something else for known ones."""


class Sized:
    """Replaces symbols by sizes in all that an equation may hold."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self._done: dict[int, tuple[Any, Any]] = {}

    def jaxpr(self, jaxpr: Any) -> Any:
        """A jaxpr, closed or open, once: the same one stays the same one."""
        if id(jaxpr) not in self._done:
            self._done[id(jaxpr)] = jaxpr, self._jaxpr(jaxpr)
        return self._done[id(jaxpr)][1]

    def _jaxpr(self, jaxpr: Any) -> Any:
        is_closed = hasattr(jaxpr, "consts")
        inputs = jaxpr.in_avals if is_closed else [v.aval for v in jaxpr.invars]
        if not is_closed and jaxpr.constvars:
            raise SizeError("A function within the program holds values of the program around it.")
        types = [self.value(aval) for aval in inputs]
        consts = jaxpr.consts if is_closed else ()
        body = getattr(jaxpr, "jaxpr", jaxpr)
        _, made = loop_binding.trace(
            lambda args: (None, self._emit(body, consts, args)), types, instantiate_jaxpr
        )
        expected = [self.value(v.aval) for v in body.outvars]
        if [(a.shape, a.dtype) for a in made.out_avals if hasattr(a, "shape")] != [
            (a.shape, a.dtype) for a in expected if hasattr(a, "shape")
        ]:
            raise SizeError(f"The program gives {made.out_avals} where its symbolic types say {expected}.")
        return made if is_closed else getattr(made, "jaxpr", made)

    def _emit(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        """The outputs, computed in the current trace."""
        known: dict[Any, Any] = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args), strict=True))

        def read(v: Any) -> Any:
            return v.val if isinstance(v, core.Literal) else known[v]

        for eqn in jaxpr.eqns:
            source = eqn.source_info
            stack = source_info_util.current_name_stack() + source.name_stack
            with source_info_util.user_context(source.traceback, name_stack=stack), eqn.ctx.manager:
                outputs = self._bind(eqn, list(map(read, eqn.invars)))
            known.update(zip(eqn.outvars, outputs, strict=True))
        return [_array(read(v), v.aval) for v in jaxpr.outvars]

    def _bind(self, eqn: Any, inputs: Sequence[Any]) -> Iterable[Any]:
        if eqn.primitive.name == "dim_as_value":
            return [size(eqn.params["dim"], self.sizes)]  # a Python int, which is what its type says
        params = {name: self.param(name, value) for name, value in eqn.params.items()}
        if eqn.primitive.name == "while" and (found := _counted(params, inputs)) is not None:
            return found
        found = eqn.primitive.bind(*inputs, **eqn.primitive.get_bind_params(params))
        return found if eqn.primitive.multiple_results else [found]

    def param(self, name: str, value: Any) -> Any:
        """A parameter of an equation."""
        if name in ("jvp_jaxpr_fun", "fwd_jaxpr_thunk"):  # of functions with derivatives of their own
            return self._rule(value)
        if name == "_prim":  # an operation that holds its types itself
            operation = copy.copy(value)
            vars(operation).update(self.value(vars(value)))
            return operation
        if isinstance(value, jax.tree_util.PyTreeDef):  # an index of a reference holds its shape in there
            places = jax.tree.unflatten(value, [_Leaf() for _ in range(value.num_leaves)])
            return jax.tree.structure(jax.tree.map(self.value, places, is_leaf=_is_whole))
        return self.value(value)

    def value(self, value: Any) -> Any:
        """Anything that may hold symbols, or be made of what does."""
        if export.is_symbolic_dim(value):
            return size(value, self.sizes)
        if isinstance(value, (tuple, list)):
            items = [self.value(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        if hasattr(value, "eqns"):
            return self.jaxpr(value)
        if hasattr(value, "inner_aval"):
            return value.update(inner_aval=self.value(value.inner_aval))
        if isinstance(value, (core.ShapedArray, jax.ShapeDtypeStruct)):
            update: Any = value.update
            return update(shape=self.value(value.shape))
        if isinstance(value, functools.partial):
            return functools.partial(
                self.value(value.func), *self.value(value.args), **self.value(value.keywords)
            )
        return self._wrapped(value) if isinstance(value, linear_util.WrappedFun) else self._fields(value)

    def _fields(self, value: Any) -> Any:
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        changed = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
        new = {name: self.value(held) for name, held in changed.items()}
        same = all(new[name] is held for name, held in changed.items())
        return value if same else dataclasses.replace(value, **new)

    def _wrapped(self, fun: Any) -> Any:
        """The rule for the cotangents, which compares them with the types of the arguments."""
        run = self.value(fun.f_transformed)
        # A function of its own: JAX takes two for the same that were made of one.
        return linear_util.wrap_init(lambda *args: run(*args), debug_info=fun.debug_info)

    def _rule(self, rule: Any) -> Any:
        """What gives the jaxpr of a derivative when it is asked for, as one that gives it for the sizes."""

        def sized(*zeros: Any) -> Any:
            jaxpr, consts, *rest = rule.call_wrapped(*zeros)
            made = self._jaxpr(ClosedJaxpr(jaxpr, consts))
            return getattr(made, "jaxpr", made), made.consts, *rest

        return linear_util.wrap_init(sized, debug_info=rule.debug_info)


def _counted(params: dict[str, Any], inputs: Sequence[Any]) -> list[Any] | None:
    """The results of `lax.fori_loop` over known numbers: a `scan`, as JAX makes it, which can be differentiated."""
    count = params["body_nconsts"]
    cond, body = (getattr(params[name], "jaxpr", params[name]) for name in ("cond_jaxpr", "body_jaxpr"))
    consts, carry = inputs[:count], inputs[count:]
    if (
        params["cond_nconsts"]
        or not all(type(v) is int or _is_number(v) for v in carry[:2])
        or len(carry) < 2
    ):
        return None
    if not (_is_step(cond, "lt", cond.invars[:2]) and body.outvars[1] is body.invars[count + 1]):
        return None
    if not any(q.outvars[0] is body.outvars[0] and _adds_one(q, body.invars[count]) for q in body.eqns):
        return None
    lower, upper = map(int, carry[:2])
    run = jaxpr_as_fun(params["body_jaxpr"])
    end = [_array(number, v.aval) for number, v in zip((lower, upper), body.invars[count:], strict=False)]
    results = lax.fori_loop(
        lower, upper, lambda index, now: list(run(*consts, index, end[1], *now)[2:]), list(carry[2:])
    )
    return [max(lower, upper), upper, *results]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, np.generic, np.ndarray)) and np.ndim(value) == 0


def _is_step(jaxpr: Any, name: str, inputs: Sequence[Any]) -> bool:
    """Whether a jaxpr is one equation on these inputs."""
    return [(q.primitive.name, list(q.invars), list(q.outvars)) for q in jaxpr.eqns] == [
        (name, list(inputs), list(jaxpr.outvars))
    ]


def _adds_one(eqn: Any, index: Any) -> bool:
    first, *rest = eqn.invars
    one = len(rest) == 1 and isinstance(rest[0], core.Literal) and rest[0].val == 1
    return eqn.primitive.name == "add" and first is index and one


def _array(value: Any, aval: Any) -> Any:
    """A size, which is a Python int within a program, as the program gives it."""
    return avals.as_type(value, aval.dtype, aval.weak_type) if type(value) is int else value


class _Leaf:
    """Stands for an array in a tree."""


def _is_whole(value: Any) -> bool:
    return not isinstance(value, _Leaf) and dataclasses.is_dataclass(value)
