"""Array operators: what do `v + 1`, `v < limit`, `v[0]`, `len(v)` and `float(v)` give for an object that holds an array?"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.values.boxes import Box, unboxed


def _forward(operate: Callable[[Any, Any], Any]) -> Any:
    def method(self: Arithmetic, other: Any) -> Any:
        return operate(self.read(), unboxed(other))

    return method


def _reflected(operate: Callable[[Any, Any], Any]) -> Any:
    def method(self: Arithmetic, other: Any) -> Any:
        return operate(other, self.read())

    return method


def _in_place(operate: Callable[[Any, Any], Any]) -> Any:
    def method(self: Arithmetic, other: Any) -> Any:
        return self.assign(operate(self.read(), unboxed(other)))

    return method


def _all(operate: Callable[[Any, Any], Any]) -> tuple[Any, Any, Any]:
    return _forward(operate), _reflected(operate), _in_place(operate)


def _unary(operate: Callable[[Any], Any]) -> Any:
    def method(self: Arithmetic) -> Any:
        return operate(self.read())

    return method


class Arithmetic(Box):
    """An object that computes as the array that it holds; `v += 1` changes it in place, as an array of NumPy's."""

    __slots__ = ()
    __array_priority__ = 1000  # NumPy's arrays leave `array + v` to `v`

    __add__, __radd__, __iadd__ = _all(operator.add)
    __sub__, __rsub__, __isub__ = _all(operator.sub)
    __mul__, __rmul__, __imul__ = _all(operator.mul)
    __truediv__, __rtruediv__, __itruediv__ = _all(operator.truediv)
    __floordiv__, __rfloordiv__, __ifloordiv__ = _all(operator.floordiv)
    __mod__, __rmod__, __imod__ = _all(operator.mod)
    __pow__, __rpow__, __ipow__ = _all(operator.pow)
    __matmul__, __rmatmul__, __imatmul__ = _all(operator.matmul)
    __and__, __rand__, __iand__ = _all(operator.and_)
    __or__, __ror__, __ior__ = _all(operator.or_)
    __xor__, __rxor__, __ixor__ = _all(operator.xor)
    __lshift__, __rlshift__, __ilshift__ = _all(operator.lshift)
    __rshift__, __rrshift__, __irshift__ = _all(operator.rshift)
    __divmod__, __rdivmod__ = _forward(divmod), _reflected(divmod)
    __eq__, __ne__ = _forward(operator.eq), _forward(operator.ne)
    __lt__, __le__ = _forward(operator.lt), _forward(operator.le)
    __gt__, __ge__ = _forward(operator.gt), _forward(operator.ge)
    __hash__ = None  # type: ignore[assignment]  # `==` compares elements, as that of arrays
    __neg__, __pos__ = _unary(operator.neg), _unary(operator.pos)
    __abs__, __invert__ = _unary(abs), _unary(operator.invert)
    __bool__, __int__, __float__ = _unary(bool), _unary(int), _unary(float)
    __complex__, __index__, __len__ = _unary(complex), _unary(operator.index), _unary(len)
    __jax_array__ = _unary(lambda array: array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.read(), dtype=dtype)  # what shares memory would change with the next program

    def __getitem__(self, index: Any) -> Any:
        return self.read()[tuple(map(unboxed, index)) if type(index) is tuple else unboxed(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        now = self.read()
        index = tuple(map(unboxed, index)) if type(index) is tuple else unboxed(index)
        self.assign(now.at[index].set(jnp.asarray(unboxed(value)).astype(now.dtype)))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read())

    def __contains__(self, item: Any) -> bool:
        return bool((self.read() == unboxed(item)).any())

    def __reversed__(self) -> Iterator[Any]:
        return iter(self.read()[::-1])

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.read(), digits)

    def __format__(self, spec: str) -> str:
        array = self.read()
        return format(array if spec or array.ndim else array[()], spec)

    @property
    def at(self) -> Any:
        """Indexed updates that give a new array: `v.at[0].set(x)`."""
        return self.read().at

    @property
    def T(self) -> Any:
        """The array, transposed."""
        return self.read().T
