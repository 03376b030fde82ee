"""How does a call find its program by JAX's public names alone? By the types and literals, and then by `jax.jit`.

For each combination of types and literals there is one function of `jax.jit`, which tells dtypes and shapes apart. Where
it meets new ones, JAX traces it, and the policy chooses the program that it becomes.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite import _jax, _jax_dispatch
from autograph_lite.runtime import positional, spelled, tracebacks
from autograph_lite.runtime.array_spec import ArraySpec, is_array
from autograph_lite.runtime.object_type import objects_in
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.structures import from_value
from autograph_lite.runtime.trace_types import TraceType, TracingContext, registered
from autograph_lite.runtime.traces import Resolved, Traces

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class _Unknown(Exception):
    """The call can't be kept."""


class _Outputs:
    """The outputs of a program, from which its `finish` makes what a call returns."""

    def __init__(self, program: Program, arrays: Sequence[Any]) -> None:
        self.program, self.arrays = program, arrays


def _rebuilt(reference: weakref.ref[Program], arrays: Sequence[Any]) -> _Outputs:
    program = reference()
    assert program is not None
    return _Outputs(program, arrays)


jax.tree_util.register_pytree_node(
    _Outputs,
    # JAX remembers structures for long: what keeps the program is the entry that runs it.
    lambda outputs: (outputs.arrays, weakref.ref(outputs.program)),
    _rebuilt,
)


Chosen = tuple[Program, Sequence[spelled.Source]]


class _Entry:
    """Calls of one combination of types and literals.

    Args:
      name: of the user's function.
      choose: the call, with types in place of arrays, as far as it is known -> the program, and the order of its arrays.
      static: positions of literals among the arguments.
    """

    def __init__(
        self, name: str, choose: Callable[[tuple[Any, ...]], Chosen], static: tuple[int, ...] = ()
    ) -> None:
        literals = frozenset(static)
        programs: set[Program] = set()

        def run(*args: Any) -> Any:
            if _jax.is_within_another_trace():
                raise _Unknown
            types = [arg if i in literals else _type(arg) for i, arg in enumerate(args)]
            # As if nothing was traced: the program is one of its own.
            with _jax.no_trace():
                program, sources = choose(tuple(types))
            programs.add(program)
            arrays = spelled.in_order(sources, [arg for i, arg in enumerate(args) if i not in literals])
            outputs = program.jit_for(arrays)(*arrays)
            return program.returned(outputs) if program.returns_arrays else _Outputs(program, outputs)

        run.__name__ = run.__qualname__ = name
        self.jit = jax.jit(run, static_argnums=static)


class _Calling(threading.local):
    """The call that is being made on this thread."""

    now: tuple[tuple[Any, ...], dict[str, Any]] | None = None


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
        self._keywords = positional.keywords_of(traces.signature)
        self._by_types: dict[Any, Callable[..., Any]] = {}
        self._by_structure: dict[Any, _Entry | None] = {}  # None where JAX's structure says too little
        self._calling = _Calling()
        qualname = getattr(traces.fn, "__qualname__", self._name)
        generated = positional.generated(traces.shown, qualname, self._by_types.get, self._new)
        self.call: Callable[..., Any] = self._spelled if generated is None else generated
        if traces.allowed is not None:  # arguments are cast before anything can be looked up
            self.call = self._in_policy

    def clear(self) -> None:
        """Forgets which programs serve which calls."""
        self._by_types.clear()
        self._by_structure.clear()

    def forget_dead(self) -> None:
        """Forgets what serves calls with objects that are gone; to forget all would compile all again."""
        for key in [key for key in list(self._by_structure) if _is_dead(key)]:
            self._by_structure.pop(key, None)

    def _new(self, *args: Any) -> Any:
        """The first call with arguments of these types, in the order of the parameters."""
        types = tuple(map(type, args))
        kinds = [_kind(kind) for kind in types]
        if None in kinds:
            positional_, keywords = positional.parted(self._keywords, args)
            return self._spelled(*positional_, **keywords)
        static = tuple(i for i, kind in enumerate(kinds) if kind == "literal")
        call = self._by_types[types] = self._call(_Entry(self._name, self._choose, static))
        return call(*args)

    def _call(self, entry: _Entry) -> Callable[..., Any]:
        jit, slow, keywords = entry.jit, self._slow, self._keywords

        def call(*args: Any) -> Any:
            try:
                result = jit(*args)
            except _Unknown:
                pass  # and go on outside of the handler, whose exception a user's own would show as its context
            except TypeError:
                if not any(isinstance(arg, np.ndarray) and not is_array(arg) for arg in args):
                    raise  # else JAX has no dtype for it; the policy says whose
            else:
                return result.program.finish(result.arrays)[0] if type(result) is _Outputs else result
            return slow(*positional.parted(keywords, args))

        return call

    def _choose(self, args: tuple[Any, ...]) -> Chosen:
        resolved = self._resolve(*positional.parted(self._keywords, args), types=True)
        return resolved.program, range(len(resolved.arrays))

    def _resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, types: bool = False) -> Resolved:
        if self._inline():
            raise _Unknown
        resolved = self._traces.resolve(args, kwargs, types=types)
        if not resolved.program.plain or resolved.program.state.slots:
            raise _Unknown
        return resolved

    def _spelled(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call with containers, objects, or any number of arguments."""
        try:
            if self._inline() or not _jax_dispatch.ITERATORS.isdisjoint(map(type, (*args, *kwargs.values()))):
                return self._slow(args, kwargs)
            return self._by_leaves(args, kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise

    def _in_policy(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._slow(args, kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise

    def _by_leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            key, leaves = _key_and_arrays((args, kwargs))
        except Exception:  # a dict of which JAX can't sort the keys, or what can't be an argument
            return self._slow(args, kwargs)
        if key not in self._by_structure:
            hidden = _has_hidden_types((args, kwargs))
            self._by_structure[key] = None if hidden else _Entry(self._name, self._choose_spelled)
        entry = self._by_structure[key]
        if entry is None:
            return self._slow(args, kwargs)
        before, self._calling.now = self._calling.now, (args, kwargs)
        try:
            result = entry.jit(*leaves)
        except _Unknown:
            pass  # as above
        else:
            return _finished(result)
        finally:
            self._calling.now = before
        return self._slow(args, kwargs)

    def _choose_spelled(self, _: tuple[Any, ...]) -> Chosen:
        if self._calling.now is None:
            raise _Unknown
        args, kwargs = self._calling.now
        resolved = self._resolve(args, kwargs)
        return resolved.program, spelled.sources(resolved, args, kwargs)


def _type(array: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=_jax.weak_type(array))


def _finished(result: Any) -> Any:
    return result.program.finish(result.arrays)[0] if type(result) is _Outputs else result


def _is_dead(key: tuple[Any, tuple[TraceType | None, ...]]) -> bool:
    objects = [found for type in key[1] if type is not None for found in objects_in(type)]
    return any(found.referent() is None for found in objects)


def _key_and_arrays(arguments: Any) -> tuple[Any, list[Any]]:
    """The structure and literals of a call, and its arrays.

    Raises:
      _Unknown: `jax.jit` does not see some of the arrays.
    """
    leaves, tree = jax.tree.flatten(arguments)
    if _arrays().issuperset(map(type, leaves)):
        return (tree, ()), leaves
    types = [None if isinstance(leaf, jax.Array) else _leaf_type(leaf) for leaf in leaves]
    if any(type is not None and type.parts() for type in types):
        raise _Unknown
    return (tree, tuple(types)), [leaf for leaf, type in zip(leaves, types, strict=True) if type is None]


def _has_hidden_types(arguments: Any) -> bool:
    """Whether one type is that of a whole structure of JAX's, or of a leaf that holds arrays."""
    values = jax.tree.leaves(arguments, is_leaf=lambda value: registered(value) is not None)
    typed = [value for value in values if registered(value) is not None]
    hold_arrays = (from_value(value, TracingContext()).arrays(value) for value in typed)
    return not jax.tree_util.all_leaves(typed) or any(hold_arrays)


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
    return "literal" if kind in positional.LITERALS else None
