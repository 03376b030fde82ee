"""How many traces does a function have after a call, and how often has Python run?

f = Probe(echo)
assert f(C(1)) == "1/1"                one trace, and the body has run once
assert f(C(2)) == "1/1"                the same trace served
"""

from __future__ import annotations

import collections
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite

_runs: collections.Counter[str] = collections.Counter()
_lock = threading.Lock()


@autograph_lite.do_not_convert
def ran(body: str = "f") -> None:
    """Counts a run of the body that it stands in; unlike a list of the user's, no trace undoes that."""
    with _lock:
        _runs[body] += 1


def forget() -> None:
    """Counts from 0 again."""
    _runs.clear()


def runs(body: str = "f") -> int:
    """How often the body has run."""
    return _runs[body]


def C(value: Any, dtype: Any = None) -> jax.Array:
    """An array of int32, float32 or bool, as TensorFlow makes of such values; its dtype is no weak one."""
    array = np.asarray(value, dtype)
    narrow = {"i": np.int32, "f": np.float32}.get(array.dtype.kind) if dtype is None else None
    return jnp.asarray(array.astype(narrow) if narrow else array)


def shaped(*shape: int, dtype: Any = "float32") -> jax.Array:
    """An array of ones."""
    return jnp.ones(shape, dtype)


def echo(x: Any) -> Any:
    """Returns what it is given."""
    ran()
    return x


def see(x: Any) -> None:
    """Takes anything, and returns nothing."""
    ran()


class Probe:
    """A converted function that tells its counts in place of its result.

    Attributes:
      value: what the latest call has returned.

    Args:
      fn: the function, converted or not.
      body: what it calls itself for `ran`.
      **options: of `autograph_lite.convert`, where the function is not converted.
    """

    def __init__(self, fn: Any, body: str = "f", **options: Any) -> None:
        self.function = fn if hasattr(fn, "trace_count") else autograph_lite.convert(fn, **options)
        self._body = body
        self.value: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        """Calls the function: "traces/runs", and what it has raised: "0/1 ValueError: no"."""
        self.value = None
        try:
            self.value = self.function(*args, **kwargs)
        except Exception as error:
            return f"{self.counts} {type(error).__name__}: {str(error).splitlines()[0]}"
        return self.counts

    @property
    def counts(self) -> str:
        """The traces, and the runs of Python."""
        return f"{self.function.trace_count}/{runs(self._body)}"
