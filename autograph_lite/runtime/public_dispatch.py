"""How does a call find its program by JAX's public names alone? By the types and literals, and then by `jax.jit`.

For each combination of types and literals there is one function of `jax.jit`, which tells dtypes and shapes apart. Where
it meets new ones, JAX traces it, and the policy chooses the program that it becomes.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite import _jax
from autograph_lite._jax_dispatch import ITERATORS
from autograph_lite.operators import trees
from autograph_lite.runtime import positional, spelled, tracebacks
from autograph_lite.runtime.array_spec import array_types, is_array
from autograph_lite.runtime.by_structure import ByStructure
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.traces import Resolved, Traces

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]
# `again` runs outside of the handlers, whose exception a user's own would show as its context.
_CALL = """\
        {own}entry = {own}table(({types},))
        if {own}entry is None:
            return {own}other({arguments})
        try:
            {own}result = {own}entry({arguments})
        except {own}Unknown:
            pass
        except {own}TypeError:
            if not {own}untyped({arguments}):
                raise
        else:
            return {own}finished({own}result) if {own}result.__class__ is {own}Outputs else {own}result
        return {own}again({arguments})
"""


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
        self._by_structure = ByStructure(lambda: _Entry(self._name, self._choose_spelled))
        self._is_leaf: Callable[[Any], bool] | None = None
        self._calling = _Calling()
        generated = self._generated()
        self.call: Callable[..., Any] = self._spelled if generated is None else generated
        if traces.allowed is not None:  # arguments are cast before anything can be looked up
            self.call = self._in_policy

    def _generated(self) -> Callable[..., Any] | None:
        known = {
            "table": self._by_types.get, "other": self._new, "again": self._again, "untyped": _untyped,
            "finished": _finished, "Outputs": _Outputs, "Unknown": _Unknown, "TypeError": TypeError,
        }  # fmt: skip
        qualname = getattr(self._traces.fn, "__qualname__", self._name)
        return positional.generated(self._traces.shown, qualname, known, _CALL)

    def clear(self) -> None:
        """Forgets which programs serve which calls."""
        self._by_types.clear()
        self._by_structure.clear()

    def forget_dead(self) -> None:
        """Forgets what serves calls with objects that are gone; to forget all would compile all again."""
        self._by_structure.forget_dead()

    def _new(self, *args: Any) -> Any:
        """The first call with arguments of these types, in the order of the parameters."""
        types = tuple(map(type, args))
        kinds = [_kind(kind) for kind in types]
        if None in kinds:
            self._by_types[types] = self._by_position if self._keywords else self._spelled
            return self._by_position(*args)
        static = tuple(i for i, kind in enumerate(kinds) if kind == "literal")
        self._by_types[types] = _Entry(self._name, self._choose, static).jit
        by_position, keywords = positional.parted(self._keywords, args)
        return self.call(*by_position, **keywords)  # finds it now

    def _by_position(self, *args: Any) -> Any:
        by_position, keywords = positional.parted(self._keywords, args)
        return self._spelled(*by_position, **keywords)

    def _again(self, *args: Any) -> Any:
        return self._slow(*positional.parted(self._keywords, args))

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
            entry, leaves = self._found(args, kwargs)
            if entry is None:
                return self._slow(args, kwargs)
            before, self._calling.now = self._calling.now, (args, kwargs)
            try:
                result = entry.jit(*leaves)
            except _Unknown:
                pass  # and go on outside of the handler, as above
            else:
                return _finished(result) if result.__class__ is _Outputs else result
            finally:
                self._calling.now = before
            return self._slow(args, kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[_Entry | None, list[Any]]:
        if not ITERATORS.isdisjoint(map(type, args)) or not ITERATORS.isdisjoint(map(type, kwargs.values())):
            return None, []
        try:
            return self._by_structure.find(args, kwargs, self._is_leaf)
        except Exception:  # a dict of which JAX can't sort the keys, or what can't be an argument
            if trees.holds_unordered((args, kwargs)):
                self._is_leaf = trees.is_unordered  # see `trees.flatten`: JAX is not asked again to sort them
            return None, []

    @tracebacks.hiding
    def _in_policy(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._slow(args, kwargs)

    def _choose_spelled(self, _: tuple[Any, ...]) -> Chosen:
        if self._calling.now is None:
            raise _Unknown
        args, kwargs = self._calling.now
        resolved = self._resolve(args, kwargs)
        if not spelled.lasting(resolved, args, kwargs):
            raise _Unknown
        return resolved.program, spelled.sources(resolved, args, kwargs)


def _type(array: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=_jax.weak_type(array))


def _finished(result: _Outputs) -> Any:
    return result.program.finish(result.arrays)[0]


def _untyped(*args: Any) -> bool:
    """Whether JAX has no dtype for one of the arrays; the policy says for which."""
    return any(isinstance(arg, np.ndarray) and not is_array(arg) for arg in args)


def _kind(kind: type) -> str | None:
    """Whether values of a type are arrays, literals, or what has to be looked at."""
    if kind in array_types():
        return "array"
    return "literal" if kind in positional.LITERALS else None
