"""Vectorized functions: what is a call of what `np.vectorize` has made, on traced values? The function under `vmap`.

    area = np.vectorize(lambda r: r * r if r > 0 else 0.0)
    area(x)                               jnp.vectorize(...)(x): called once, for all items

Numbers of Python's stay numbers, as NumPy hands them on. What `np.frompyfunc` makes is the same, and gives an array of numbers
where NumPy's is one of objects; which function it has, the garbage collector knows.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError, PythonOnlyError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.effects import journal
from autograph_lite.operators.numpy_calls import counterparts, function_table, in_place_calls
from autograph_lite.operators.user_code import place_names

_KEPT = (bool, int, float, complex, str, type(None))


def under_vmap(vectorized: np.vectorize, call: Callable[[Any], Any]) -> Callable[..., Any]:
    """What a call of `vectorized` does; `call` gives what converted code calls in place of a function."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if not counterparts.has_traced_argument(args, kwargs):
            return vectorized(*args, **kwargs)
        excluded: set[Any] = vectorized.excluded
        named = {key: value for key, value in kwargs.items() if key not in excluded}
        rest = {key: value for key, value in kwargs.items() if key in excluded}
        values = [each if isinstance(each, _KEPT) else jnp.asarray(each) for each in (*args, *named.values())]
        whole = {n for n, each in enumerate(values) if isinstance(each, _KEPT) or n in excluded}
        fn, count = in_place_calls.not_writing(call(vectorized.pyfunc), "np.vectorize"), len(args)

        def each(*items: Any) -> Any:
            with journal.journal(outer=tracing_state.trace_state(), keep=True) as written:
                found = fn(*items[:count], **dict(zip(named, items[count:], strict=True)), **rest)
                changes = written.changes([vectorized.pyfunc])
            for change in changes.values():
                raise _changed(change.place.label(next(iter(change.new), None)))
            if any(isinstance(leaf, str) for leaf in jax.tree.leaves(found)):
                raise PythonOnlyError(
                    "A function that np.vectorize calls with a traced value gives text.",
                    why="The arrays of a program hold numbers and truth values.",
                    fix="give numbers, and look the texts up when the program has run: names[int(n)].",
                )
            return jax.tree.map(jnp.asarray, found)

        signature = vectorized.signature
        found = jnp.vectorize(each, excluded=whole, signature=signature)(*values)
        found = recorded_copies.made_new(found, values, {})
        otypes: str | None = vectorized.otypes
        kinds = [function_table.canonical(np.dtype(kind)) for kind in otypes or ""]
        if isinstance(found, tuple):
            each_kind = kinds or [array.dtype for array in found]
            found = tuple(array.astype(kind) for array, kind in zip(found, each_kind, strict=True))
            return tuple(map(numpys_arrays.as_cell, found))
        return numpys_arrays.as_cell(found.astype(kinds[0]) if kinds else found)

    return run


def _changed(label: str) -> MutationError:
    return MutationError(
        f"'{label}' is changed by a function that np.vectorize calls with a traced value.",
        where=place_names.written_line(label),
        why="Python calls it for each item, and the program has it once for all of them.",
        fix="return what is to be kept; or write a loop over the items.",
    )


def is_made_of_python(ufunc: Any) -> bool:
    """Whether `np.frompyfunc` has made it."""
    return isinstance(ufunc, np.ufunc) and set("".join(ufunc.types)) <= {"O", "-", ">"}


def ufunc_under_vmap(ufunc: np.ufunc, call: Callable[[Any], Any]) -> Callable[..., Any]:
    """What a call of a ufunc that `np.frompyfunc` has made does; see `under_vmap`.

    Raises:
      PythonOnlyError: of a traced value, by what is no function written in Python, or with `out=` and the like.
    """
    [function] = [each for each in gc.get_referents(ufunc) if callable(each)] or [None]

    def run(*args: Any, **kwargs: Any) -> Any:
        if not counterparts.has_traced_argument(args, kwargs):
            return ufunc(*args, **kwargs)
        if isinstance(function, types.FunctionType) and not kwargs and len(args) == ufunc.nin:
            return under_vmap(np.vectorize(function), call)(*args)
        raise PythonOnlyError(
            f"'{ufunc.__name__}', which np.frompyfunc has made, is called with a traced value.",
            why="It makes arrays of Python's objects, which a compiled program can't hold. A call with its arguments alone, of\n"
            "a function that is written in Python, gives an array of numbers.",
            fix="make it by np.vectorize(f), which is jax.vmap for traced values.",
        )

    return run
