"""Single dispatch: which implementation of a generic function does a traced value get?

area.register(np.ndarray, total)      of an array that would be NumPy's in Python
area(x)                               total(x)
"""

from __future__ import annotations

import functools
from typing import Any

import jax

from autograph_lite.operators.calls import numpys_classes
from autograph_lite.operators.values.values import Tracer


def implementation(fn: Any, value: Any) -> Any:
    """What a function of `functools.singledispatch` calls for `value`: of a traced one, what it calls for it in Python.

    Where that is for any object, it is what is for JAX's arrays: an array of NumPy's is one in the program.
    """
    if isinstance(value, Tracer) and Tracer in fn.registry:
        return fn.dispatch(type(value))

    def dispatched(kind: type) -> Any:
        found = fn.dispatch(kind)
        return fn.dispatch(jax.Array) if found is fn.registry[object] and isinstance(value, Tracer) else found

    return numpys_classes.of_class(value, dispatched)


class DispatchMethod(functools.singledispatchmethod):  # type: ignore[type-arg]
    """A `singledispatchmethod` that knows the classes of traced values."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        method = super().__get__(instance, owner)

        @functools.wraps(method)
        def run(*args: Any, **kwargs: Any) -> Any:
            if not args:
                return method(*args, **kwargs)  # Python says what is wrong
            return implementation(self.dispatcher, args[0]).__get__(instance, owner)(*args, **kwargs)

        return run
