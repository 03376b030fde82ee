"""Symbolic sizes: what is a comparison that Python can't decide? Traced, where converted code asks. JAX's insides again.

JAX answers `n == 8` with False for a symbolic `n`, and `n > 8` with an error. Where converted code asks, the answer is a traced
bool here. Where a library asks for `==` while we trace, its False is kept, and with it the condition under which the trace holds:
it serves other sizes than 8. For JAX's own code, and without this package at work, nothing changes.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import export
from jax._src import core

from autograph_lite.scoped import Now
from autograph_lite.syntax.loader import is_loaded

Undecided = jax.errors.InconclusiveDimensionOperation
_FOLDERS = (
    f"{pathlib.Path(__file__).resolve().parents[1]}/",
    f"{pathlib.Path(jax.__file__).resolve().parent}/",
)
_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
}  # fmt: skip
_GIVEN = ("__eq__", "__ne__")


_assumed: Now[list[tuple[Any, Any]] | None] = Now(None)


@contextlib.contextmanager
def assuming() -> Iterator[list[tuple[Any, Any]]]:
    """Gives the pairs of sizes that code which is not converted has taken for different, without knowing it."""
    found: list[tuple[Any, Any]] = []
    with _assumed.being(found):
        yield found


def size_as_array(dim: Any) -> jax.Array:
    """A symbolic size as a traced scalar, which adds to others as a Python int does."""
    return jnp.asarray(dim)


def compare_sizes(compared: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """`left < right` and the like, where one is a symbolic size: a bool where JAX can decide, else traced."""
    if not (_is_size(left) and _is_size(right)):
        left, right = (
            size_as_array(side) if export.is_symbolic_dim(side) else side for side in (left, right)
        )
        return compared(left, right)
    try:
        return compared(left, right)
    except Undecided:
        return compared(size_as_array(left), right)


def sizes_equal(left: Any, right: Any) -> Any:
    """`left == right`, where one is a symbolic size: a bool where JAX can decide, else traced."""
    if not _is_size(left) or not _is_size(right):
        known = isinstance(left, (jax.Array, float, complex)) or isinstance(
            right, (jax.Array, float, complex)
        )
        return compare_sizes(operator.eq, left, right) if known else False
    if left == right:
        return True
    return False if _differs(left, right) else size_as_array(left) == size_as_array(right)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) or export.is_symbolic_dim(value) or core.is_constant_dim(value)


def _differs(left: Any, right: Any) -> bool:
    """Whether two sizes are known to be different."""
    for compared in (operator.lt, operator.gt):
        with contextlib.suppress(Undecided):
            if compared(left, right):
                return True
    return False


def larger(left: Any, right: Any) -> Any:
    """The larger one of two sizes, as a size."""
    return core.max_dim(left, right)


def smaller(left: Any, right: Any) -> Any:
    """The smaller one of two sizes, as a size."""
    return core.min_dim(left, right)


def _caller() -> Any:
    """The code that compares, two frames out; None where it is JAX's or ours.

    The method that a dataclass was given compares for who compares its objects, as JAX's caches do with their keys.
    """
    frame = sys._getframe(2)
    while frame.f_code.co_filename == "<string>" and frame.f_code.co_name in _GIVEN and frame.f_back:
        frame = frame.f_back
    code = frame.f_code
    return None if code.co_filename.startswith(_FOLDERS) else code


def _ordered(name: str, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @functools.wraps(original)
    def method(self: Any, other: Any) -> Any:
        code = _caller()
        return compare_sizes(_ORDER[name], self, other) if code and is_loaded(code) else original(self, other)

    return method


def _equality(original: Callable[[Any, Any], Any], *, negated: bool) -> Callable[[Any, Any], Any]:
    @functools.wraps(original)
    def method(self: Any, other: Any) -> Any:
        code = _caller()
        if code is not None and is_loaded(code):
            same = sizes_equal(self, other)
            return (not same if isinstance(same, bool) else jnp.logical_not(same)) if negated else same
        same = bool(original(self, other)) is not negated
        if code is not None and not same and _assumed.value is not None and _is_size(other):
            _assumed.value.append((self, other))
        return same is not negated

    return method


def _install() -> bool:
    (dim,) = export.symbolic_shape("n")
    kind: Any = type(dim)
    try:
        for name in _ORDER:
            setattr(kind, name, _ordered(name, vars(kind)[name]))
        kind.__eq__ = _equality(kind.__eq__, negated=False)
        kind.__ne__ = _equality(kind.__ne__, negated=True)
    except (KeyError, AttributeError, TypeError):  # another JAX, in which sizes are something else
        return False
    return True


installed = _install()
