"""Symbolic sizes: how does one trace serve all sizes? Dimensions that are `None` are symbols; calls put sizes in their place.

The user's Python runs once. XLA compiles each size: it has no programs for arrays of any size.
"""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax import export
from jax.extend.core import jaxpr_as_fun

from autograph_lite.errors import AutographError, Location, SymbolicSizeWarning
from autograph_lite.jax_internals import symbolic_comparisons
from autograph_lite.jax_internals.loops import symbolic_shapes
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.explaining.function_names import name_of
from autograph_lite.runtime.state.carried_state import Restart

Spec = tuple[Sequence[int | None], Any, bool]
Dimension = tuple[int, int]  # the number of an array, and an axis
PAIRS = 6  # of sizes that are equal in a call, and are taken for one in turn


class InconclusiveSize(Exception):
    """A function can't be traced with symbolic sizes; it may be traced with known ones."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        own = error.where if isinstance(error, AutographError) else ()
        self.where: Location | tuple[()] = (
            own[0] if own else source_places.raised_at(error, ownership.is_library_file)
        )
        super().__init__(str(error))


def symbolic_types(
    specs: Sequence[Spec], *, shared: bool = False, alike: Sequence[Sequence[Dimension]] = ()
) -> list[jax.ShapeDtypeStruct]:
    """Types of arrays with a symbol for each dimension that is None.

    Args:
      specs: shape, dtype and weak type of each array.
      shared: whether one symbol stands for the leading dimensions of all arrays.
      alike: dimensions for which one symbol stands.
    """
    scope = export.SymbolicScope()
    names = {dimension: f"m{number}" for number, same in enumerate(alike) for dimension in same}
    if shared:
        names.update({(number, 0): "n" for number in range(len(specs))})
    return [_type(spec, number, scope, names) for number, spec in enumerate(specs)]


def _type(
    spec: Spec, number: int, scope: export.SymbolicScope, known: Mapping[Dimension, str]
) -> jax.ShapeDtypeStruct:
    shape, dtype, weak = spec
    names = [known.get((number, axis), f"n{number}_{axis}") for axis in range(len(shape))]
    text = [name if dim is None else str(dim) for name, dim in zip(names, shape, strict=True)]
    dims = export.symbolic_shape(f"({', '.join(text)},)" if text else "()", scope=scope)
    return jax.ShapeDtypeStruct(dims, dtype, weak_type=weak)


def solve(types: Sequence[jax.ShapeDtypeStruct], shapes: Sequence[Sequence[int]]) -> dict[str, int] | None:
    """The size that each symbol has for arrays of these shapes; None where the types do not fit the shapes.

    A size may be 0, which a symbolic trace does not serve: JAX takes sizes for at least 1.
    """
    sizes: dict[str, int] = {}
    for kind, shape in zip(types, shapes, strict=True):
        if len(kind.shape) != len(shape):
            return None
        for dim, size in zip(kind.shape, shape, strict=True):
            wanted = sizes.setdefault(str(dim), size) if export.is_symbolic_dim(dim) else dim
            if wanted != size:
                return None
    return sizes


def instantiate_program(closed: Any, sizes: Mapping[str, int]) -> Any:
    """A closed jaxpr with symbolic sizes, with these ones. Raises InconclusiveSize: it means something else for them."""
    try:
        return symbolic_shapes.instantiate_jaxpr(closed, sizes)
    except Exception as error:
        raise InconclusiveSize(error) from error


class SymbolicTrace:
    """A function of arrays that was traced once, for all sizes.

    Attributes:
      types: of its arguments.
      jaxpr: with symbolic sizes.
      different: pairs of sizes that code which is not converted has taken for different.
    """

    def __init__(
        self,
        types: Sequence[jax.ShapeDtypeStruct],
        jaxpr: Any,
        different: Sequence[tuple[Any, Any]],
        name: str,
    ) -> None:
        self.types, self.jaxpr, self.different, self._name = types, jaxpr, different, name
        self._compiled: dict[Any, dict[Any, Callable[..., list[Any]]]] = {}  # by the shapes of the arrays
        self._lock = threading.RLock()

    def serves(self, shapes: Sequence[Sequence[int]]) -> bool:
        """Whether the trace is right for arrays of these shapes; where one is empty, it is not."""
        return tuple(map(tuple, shapes)) in self._compiled or self._sizes(shapes) is not None

    def _sizes(self, shapes: Sequence[Sequence[int]]) -> dict[str, int] | None:
        sizes = solve(self.types, shapes)
        if sizes is None or not all(sizes.values()):
            return None
        equal = any(
            symbolic_shapes.size(a, sizes) == symbolic_shapes.size(b, sizes) for a, b in self.different
        )
        return None if equal else sizes

    def sized(self, shapes: Sequence[Sequence[int]]) -> Any:
        """The closed jaxpr for arrays of these shapes, which it serves."""
        return instantiate_program(self.jaxpr, self._served(shapes))

    def call(self, *arrays: Any) -> list[Any]:
        """What the function gives for arrays, compiled for their sizes. Raises InconclusiveSize: it means something else."""
        return list(self.jit_for([array.shape for array in arrays])(*arrays))

    def jit_for(
        self, shapes: Sequence[Sequence[int]], given: tuple[int, ...] = ()
    ) -> Callable[..., list[Any]]:
        """The function of `jax.jit` for these shapes; may take the memory of `given`. Raises InconclusiveSize: as `call`."""
        made = self._compiled.setdefault(tuple(map(tuple, shapes)), {})
        if given not in made:
            with self._lock:
                run = jaxpr_as_fun(self.sized(shapes))
                made.setdefault(given, jax.jit(_named(run, self._name), donate_argnums=given))
        return made[given]

    @property
    def compiled_sizes(self) -> list[tuple[int, ...]]:
        """The sizes of the symbols for which there have been calls."""
        return [tuple(self._served(shapes).values()) for shapes in list(self._compiled)]

    def _served(self, shapes: Sequence[Sequence[int]]) -> dict[str, int]:
        sizes = self._sizes(shapes)
        if sizes is None:
            raise ValueError(f"A trace for {self.types} does not serve arrays of shapes {list(shapes)}.")
        return sizes


def _named(run: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*arrays: Any) -> Any:
        return run(*arrays)

    call.__name__ = call.__qualname__ = name
    return call


def alike(
    specs: Sequence[Spec], shapes: Sequence[Sequence[int]]
) -> Iterator[tuple[tuple[Dimension, ...], ...]]:
    """Which unknown sizes may be one, as a call has them: each two that are equal in it, then all that are.

    matrix[None, None] @ vector[None], called with (2, 3) and (3,): the second and the third
    """
    groups: dict[int, list[Dimension]] = {}
    for number, ((kinds, *_), shape) in enumerate(zip(specs, shapes, strict=True)):
        for axis, (kind, size) in enumerate(zip(kinds, shape, strict=True)):
            if kind is None:
                groups.setdefault(size, []).append((number, axis))
    whole = tuple(tuple(group) for group in groups.values() if len(group) > 1)
    pairs = [pair for group in whole for pair in itertools.combinations(group, 2)]
    yield from ((pair,) for pair in pairs[:PAIRS])
    if len(pairs) > 1:
        yield whole


def trace_symbolic(
    fn: Callable[..., Sequence[Any]],
    specs: Sequence[Spec],
    shapes: Sequence[Sequence[int]] | None = None,
    *,
    again: bool = False,
) -> SymbolicTrace:
    """The trace of a function for all sizes: a symbol for each None or, if that fails, one for several.

    First one for the leading dimensions of all arrays; then for those that a call has equal.

    Args:
      fn: arrays -> arrays.
      specs: shape, dtype and weak type of each argument.
      shapes: those of a call; None where there is none.
      again: whether there is a trace that does not serve these shapes: then it is to serve them.

    Raises:
      InconclusiveSize: Python has to know a size. Errors of the user's come as such, too: they may hang on a size.
    """
    kinds = [] if again else [symbolic_types(specs)]
    if not again and sum(bool(shape) and shape[0] is None for shape, _, _ in specs) > 1:
        kinds.append(symbolic_types(specs, shared=True))
    failure: Exception = ValueError("sizes that were one size in the program differ")
    for types in kinds:
        try:
            return _trace(fn, types)
        except Restart:
            raise
        except Exception as error:
            failure = error
    for same in alike(specs, shapes) if shapes is not None and (again or _is_of_shapes(failure)) else ():
        types = symbolic_types(specs, alike=same)
        try:
            if not again or solve(types, shapes or ()) is not None:
                return _trace(fn, types)
        except Restart:
            raise
        except Exception as error:
            if not _is_of_shapes(error):
                raise InconclusiveSize(error) from error
    raise InconclusiveSize(failure) from failure


def _is_of_shapes(error: Exception) -> bool:
    """Whether JAX may have refused shapes that do not fit each other: it is no error of ours, and none about one size."""
    text = str(error)
    of_one = isinstance(error, AutographError) or "symbolic dimension" in text.lower() or "_DimExpr" in text
    return isinstance(error, (TypeError, ValueError)) and not of_one


def _trace(fn: Callable[..., Sequence[Any]], types: Sequence[jax.ShapeDtypeStruct]) -> SymbolicTrace:
    if not symbolic_comparisons.installed:
        raise NotImplementedError("This version of JAX compares symbolic sizes in a way of its own.")
    with symbolic_comparisons.assuming() as different:
        jaxpr = jax.make_jaxpr(fn)(*types)
    if any(isinstance(const, Tracer) for const in jaxpr.consts):
        raise ValueError("A value of a trace around the function is used in it.")
    return SymbolicTrace(types, jaxpr, different, getattr(fn, "__name__", "call"))


def warn_of_symbolic_sizes(fn: Callable[..., Any], failure: InconclusiveSize) -> None:
    """Warns that `fn` is traced for each size, at the user's line that has asked for one."""
    place = failure.where or source_places.line_of_function(fn)
    if place:
        warnings.warn_explicit(symbolic_message(fn, failure), SymbolicSizeWarning, place.path, place.line)


def symbolic_message(fn: Callable[..., Any], failure: InconclusiveSize) -> str:
    """The text of the warning."""
    reason = str(failure.error).strip().splitlines()
    return str(
        AutographError(
            f"'{name_of(fn)}' is traced for each size of its arguments.",
            where=failure.where or source_places.line_of_function(fn),
            why=f"With sizes that are not known: {reason[0] if reason else type(failure.error).__name__}",
            fix="leave the size to JAX, with x.shape[0] in `range` or in arithmetic; or give all sizes in the ArraySpec.",
        )
    )
