"""Random programs whose loops write to arrays in place and make variables other arrays give what NumPy gives, or are refused."""

from __future__ import annotations

import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

from . import rows, steps
from .choices import from_seed
from .compare import FAST_COMPILE, chosen
from .running import loaded
from .steps import INTEGERS
from .test_programs import BUDGET

SEEDS = range(max(10, BUDGET // 8))
BATCH = 10


def lanes(fn: Any) -> Any:
    """`jax.vmap` of NumPy's arrays: one call after the other."""
    return lambda *columns: tuple(map(np.stack, zip(*map(fn, *columns), strict=True)))


# what JAX gives that calls a function of NumPy's arrays
CALLS = types.SimpleNamespace(
    jvp=lambda fn, values, _: (fn(*values), None),
    linearize=lambda fn, *values: (fn(*values), None),
    vmap=lanes,
    jit=lambda fn: fn,
    checkpoint=lambda fn: fn,
    lax=types.SimpleNamespace(
        scan=lambda fn, first, xs: (first, lanes(lambda *x: fn(first, x)[1])(*xs)),
        map=lambda fn, xs: lanes(lambda *x: fn(x))(*xs),
    ),
)


def arguments(dtype: Any = np.float32) -> tuple[Any, ...]:
    a = np.arange(6, dtype=dtype).reshape(3, 2) / 2
    return a, 3 - a[::-1].copy()


def in_python(source: str, dtype: Any) -> tuple[Any, Any]:
    """What NumPy's program gives, and its arguments afterwards."""
    given = arguments(dtype)
    with loaded(source, xp=np, jax=CALLS) as namespace:
        return namespace["main"](*given, 5), given


def outcome(source: str, way: str) -> str:
    """ "same", "refused", or how the compiled program differs from NumPy's; "unbound" where Python misses a variable.

    The way is "convert", with loops that are staged, "default", or "to_graph", of `jax.numpy`.

    Programs of integers have types of 64 bits, as NumPy's: what is stored in these is cut off.
    """
    with jax.enable_x64(INTEGERS in source):
        return _outcome(source, way)


def _outcome(source: str, way: str) -> str:
    try:
        wanted = in_python(source, np.float32)
    except UnboundLocalError:
        return "unbound"
    except Exception as error:
        wanted = error
    handed = arguments()
    with loaded(source, xp=jnp if way == "to_graph" else np, jax=jax) as namespace:
        try:
            if way != "to_graph":
                options = {} if way == "default" else {"static_loops": "stage"}
                found = al.convert(namespace["main"], **options)(*handed, np.int32(5))
            else:
                staged = al.to_graph(namespace["main"], static_loops="stage")
                found = chosen(jax.jit(staged, compiler_options=FAST_COMPILE)(*map(jnp.asarray, handed), 5))
        except al.AutographError:
            return "refused"
        except Exception as error:
            if isinstance(wanted, Exception):
                return "same"  # in a program of JAX's, a check's error is one of its own
            if "casting rule" in str(error):  # on a path that Python does not take
                return "refused"
            raise
    if isinstance(wanted, Exception):
        return f"\nours   {found}\npython {wanted}\n{source}"
    # arrays of JAX's stay what they are
    ours, theirs = (found, wanted[0]) if way == "to_graph" else ((found, handed), wanted)
    # NumPy's arrays are of 32 and 64 bits: `v.sum() < w.sum()` of equal ones is of one type with us
    if are_close(ours, theirs) or are_close(ours, of_one_type(source, way)):
        return "same"
    return f"\nours   {ours}\npython {theirs}\n{source}"


def of_one_type(source: str, way: str) -> Any:
    result, given = in_python(source, np.float64)
    return result if way == "to_graph" else (result, given)


def are_close(ours: Any, theirs: Any) -> bool:
    pairs = [*map(jax.tree.leaves, (ours, theirs))]
    return len(pairs[0]) == len(pairs[1]) and all(
        np.allclose(one, other, rtol=1e-3, atol=1e-4, equal_nan=True)
        for one, other in zip(*pairs, strict=True)
    )


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("way", ["convert", "default", "to_graph"])
@pytest.mark.parametrize("first", range(SEEDS.start, SEEDS.stop, BATCH))
@pytest.mark.parametrize("kind", [steps, rows], ids=["steps", "rows"])
def test_what_iterations_write_and_make_other_arrays(kind: Any, first: int, way: str) -> None:
    seeds = range(first, first + BATCH)
    programs = [kind.generate(from_seed(seed), augments=way != "to_graph") for seed in seeds]
    found = [outcome(program, way) for program in programs]
    assert {one for one in found if one not in ("same", "refused", "unbound")} == set()
    assert "same" in found
