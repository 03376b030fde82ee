"""How does a call find its program by JAX's public names alone? By the types and literals, and then by `jax.jit`.

For each combination of types and literals there is one function of `jax.jit`, which tells dtypes and shapes apart. Where
it meets new ones it is traced, says so by `_Unknown`, and is traced again with the program that the policy has chosen.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.runtime import positional, spelled, tracebacks
from autograph_lite.runtime.array_spec import ArraySpec
from autograph_lite.runtime.compiling import measured
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.structures import from_value
from autograph_lite.runtime.trace_types import TraceType, TracingContext
from autograph_lite.runtime.traces import Traces

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]
_LITERALS = (
    int,
    bool,
    str,
    bytes,
    type(None),
)  # which `jax.jit` tells apart as the policy does, given the types


class _Unknown(Exception):
    """Arrays of these dtypes and shapes were not seen."""


class _Outputs:
    """The outputs of a program, from which its `finish` makes what a call returns."""

    def __init__(self, program: Program, arrays: Sequence[Any]) -> None:
        self.program, self.arrays = program, arrays


jax.tree_util.register_pytree_node(
    _Outputs,
    lambda outputs: (outputs.arrays, outputs.program),
    lambda program, arrays: _Outputs(program, arrays),
)


class _Entry:
    """Calls of one combination of types and literals.

    Args:
      name: of the user's function.
      static: positions of literals among the arguments.
    """

    def __init__(self, name: str, static: tuple[int, ...] = ()) -> None:
        self._static = frozenset(static)
        self._chosen = threading.local()

        def run(*args: Any) -> Any:
            return self._body(args)

        run.__name__ = run.__qualname__ = name
        self.jit = jax.jit(run, static_argnums=static)

    def _body(self, args: tuple[Any, ...]) -> Any:
        chosen = getattr(self._chosen, "now", None)
        if chosen is None:
            raise _Unknown
        program, sources = chosen
        arrays = [arg for i, arg in enumerate(args) if i not in self._static]
        outputs = _run(program, spelled.in_order(sources, arrays))
        return program.returned(outputs) if program.returns_arrays else _Outputs(program, outputs)

    def run(self, program: Program, sources: Sequence[spelled.Source], args: Sequence[Any]) -> Any:
        """Runs the program, and keeps it for arrays of these dtypes and shapes."""
        self._chosen.now = program, sources
        try:
            with measured(program.compiling):
                return self.jit(*args)
        finally:
            self._chosen.now = None


class PublicDispatch:
    """Calls by public names.

    Args:
      traces: of the function.
      slow: runs a call that can't be kept.
      inline: whether calls are not to be compiled now.
    """

    def __init__(self, traces: Traces, slow: Slow, inline: Callable[[], bool]) -> None:
        self._traces, self._slow, self._inline = traces, slow, inline
        self._name = getattr(traces.fn, "__name__", "f")
        parameters = traces.signature.parameters.values()
        self._keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        self._positional = len(parameters) - len(self._keywords)
        self._by_types: dict[Any, Callable[..., Any]] = {}
        self._by_structure: dict[Any, _Entry] = {}
        qualname = getattr(traces.fn, "__qualname__", self._name)
        generated = positional.generated(traces.signature, qualname, self._by_types.get, self._new)
        self.call: Callable[..., Any] = self._spelled if generated is None else generated

    def clear(self) -> None:
        """Forgets which programs serve which calls."""
        self._by_types.clear()
        self._by_structure.clear()

    def _new(self, *args: Any) -> Any:
        """The first call with arguments of these types, in the order of the parameters."""
        types = tuple(map(type, args))
        kinds = [_kind(kind) for kind in types]
        if None in kinds:
            return self._spelled(
                *args[: self._positional], **dict(zip(self._keywords, args[self._positional :], strict=True))
            )
        call = self._call(_Entry(self._name, tuple(i for i, kind in enumerate(kinds) if kind == "literal")))
        self._by_types[types] = call
        return call(*args)

    def _call(self, entry: _Entry) -> Callable[..., Any]:
        jit, first = entry.jit, self._first

        def call(*args: Any) -> Any:
            try:
                result = jit(*args)
            except _Unknown:
                pass  # and go on outside of the handler, whose exception a user's own would show as its context
            else:
                return result.program.finish(result.arrays)[0] if type(result) is _Outputs else result
            return first(entry, args)

        return call

    def _first(self, entry: _Entry, args: tuple[Any, ...]) -> Any:
        """A call by position, with arrays of dtypes and shapes that the entry has not seen."""
        keywords = dict(zip(self._keywords, args[self._positional :], strict=True))
        positional_ = args[: self._positional]
        if self._inline():
            return self._slow(positional_, keywords)
        resolved = self._traces.resolve(positional_, keywords)
        if not resolved.program.plain or resolved.program.state.slots:
            return self._traces.call(positional_, keywords)
        return _finished(entry.run(resolved.program, range(len(resolved.arrays)), args))

    def _spelled(self, *args: Any, **kwargs: Any) -> Any:
        """A call with containers, objects, or any number of arguments."""
        try:
            if self._inline():
                return self._slow(args, kwargs)
            return self._by_leaves(args, kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise

    def _by_leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        key: Any = tree
        if not _arrays().issuperset(map(type, leaves)):
            types = [None if isinstance(leaf, jax.Array) else _leaf_type(leaf) for leaf in leaves]
            if any(type is not None and type.parts() for type in types):
                return self._slow(args, kwargs)  # arrays in what is a leaf to JAX
            leaves = [leaf for leaf, type in zip(leaves, types, strict=True) if type is None]
            key = tree, tuple(types)
        entry = self._by_structure.get(key)
        try:
            result = (entry or _Entry(self._name)).jit(*leaves)
        except _Unknown:
            pass  # as above
        else:
            return _finished(result)
        return self._first_of_structure(key, leaves, args, kwargs)

    def _first_of_structure(
        self, key: Any, leaves: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        resolved = self._traces.resolve(args, kwargs)
        if not resolved.program.plain or resolved.program.state.slots:
            return self._traces.call(args, kwargs)
        entry = self._by_structure.setdefault(key, _Entry(self._name))
        return _finished(entry.run(resolved.program, spelled.sources(resolved, args, kwargs), leaves))


def _run(program: Program, arrays: Sequence[Any]) -> Any:
    return program.jit_for(arrays)(*arrays)


def _finished(result: Any) -> Any:
    return result.program.finish(result.arrays)[0] if type(result) is _Outputs else result


def _leaf_type(leaf: Any) -> TraceType | None:
    """The type of a literal or an object; None for an array."""
    found = from_value(leaf, TracingContext())
    return None if isinstance(found, ArraySpec) else found


@functools.cache
def _arrays() -> frozenset[type]:
    """The types of arrays that are no tracers."""
    return frozenset([type(jnp.zeros(())), np.ndarray, *(np.dtype(code).type for code in "?bhilqBHILQefdFD")])


def _kind(kind: type) -> str | None:
    """Whether values of a type are arrays, literals, or what has to be looked at."""
    if kind in _arrays():
        return "array"
    return "literal" if kind in _LITERALS else None
