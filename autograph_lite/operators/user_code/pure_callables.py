"""Purity: which functions and classes of libraries are known to leave nothing behind that Python would see?

    math.sqrt, np.sum, jnp.sin, str.upper         pure
    list.append, np.add.at, random.Random.random  they change an object whose contents the journal compares: known, too
    time.time, np.save, sqlite3.Cursor.execute    not pure, or nobody knows

This is the one list. What is in no row is not known.
"""

from __future__ import annotations

import functools

ALL: frozenset[str] = frozenset()

# The modules, with the names in them that are not pure; None where nothing in a module is known. What a module has no row for
# is as in the package around it.
_EXCEPT: dict[str, frozenset[str] | None] = {
    **dict.fromkeys((
        "_abc", "_bisect", "_collections", "_contextvars", "_functools", "_heapq", "_operator", "_statistics",
        "_struct", "array", "bisect", "cmath", "collections", "colorsys", "contextlib", "contextvars", "copy",
        "dataclasses", "enum", "fractions", "heapq", "itertools", "math", "numbers", "operator", "re",
        "reprlib", "statistics", "string", "struct", "textwrap", "types", "typing",
    ), ALL),
    "builtins": frozenset({
        "print", "open", "input", "exec", "eval", "breakpoint", "__import__", "help", "exit", "quit", "globals", "locals",
    }),
    "abc": frozenset({"ABCMeta.register"}),
    "datetime": frozenset({"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}),
    "decimal": frozenset({"Context", "getcontext", "setcontext", "localcontext"}),
    "functools": frozenset({"_lru_cache_wrapper", "singledispatch"}),  # what these keep would be missing
    "json": frozenset({"dump", "load"}),
    "weakref": frozenset({"finalize"}),
    "_weakref": ALL,
    # Arrays.
    "ml_dtypes": ALL,
    "numpy": frozenset({
        "fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez", "savez_compressed",
        "set_printoptions", "setbufsize", "seterr", "seterrcall", "vectorize", "ndarray.dump", "ndarray.tofile",
    }),
    **dict.fromkeys(("numpy.ctypeslib", "numpy.f2py", "numpy.random", "numpy.testing"), None),
    "opt_einsum": ALL,
    **dict.fromkeys(("scipy.fft", "scipy.linalg", "scipy.special"), ALL),
    # JAX, and libraries whose functions are pure: what Flax changes it does not change in another trace.
    "jax": ALL,
    "jaxlib": ALL,
    "jax._src.config": frozenset({"Config.update"}),
    **dict.fromkeys(("jax._src.monitoring", "jax._src.profiler"), None),
    "autograph_lite": ALL,
    **dict.fromkeys((
        "chex", "diffrax", "distrax", "einops", "equinox", "flax", "jaxopt", "jaxtyping", "jmp", "lineax", "optax", "optimistix",
    ), ALL),
}  # fmt: skip

# These run what they are handed when the program runs, and not while it is traced.
HOSTS = ("jax._src.callback", "jax._src.debugging", "autograph_lite.runtime.host.py_function")


@functools.lru_cache(maxsize=4096)
def is_pure(module: str | None, name: str) -> bool:
    """Whether what a module calls so is known to be pure; `name` may be qualified by a class: `ndarray.tofile`."""
    excepted = _row(module or "")
    return excepted is not None and name not in excepted and name.partition(".")[0] not in excepted


def _row(module: str) -> frozenset[str] | None:
    while module:
        if module in _EXCEPT:
            return _EXCEPT[module]
        module = module.rpartition(".")[0]
    return None
