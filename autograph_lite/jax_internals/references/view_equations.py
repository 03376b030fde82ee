"""View equations: which operations give a view in NumPy, and how is an array written through it?

y = x[1:]                  a `slice`; writing `y` is a `dynamic_update_slice` of `x`
y = jnp.delete(x, 0)       may be one as well, and is a copy: which function of JAX's was called says the traceback
"""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax._src import core, source_info_util
from jax._src.core import Tracer

from autograph_lite.jax_internals.references.view_writes import CALLED_VIEWS, PUT, place_of_result
from autograph_lite.tracing import thread

# What stands among JAX's frames, too.
_JAX = (
    str(Path(jax.__file__).parent),
    *(str(Path(__file__).with_name(name)) for name in ("forwarding.py", "eager_views.py")),
)
# Where converted code takes `x[i : i + 2]`, and loops take rows.
_WINDOWS = tuple(
    str(Path("operators", *names))
    for names in (("ragged", "blocks.py"), ("ragged", "indexing.py"), ("iteration", "iterables.py"))
)
_PACKAGE = Path(__file__).parents[2]
# What gives `abs(x)`, `+x` and `int(x)`, and methods as NumPy has them, `x.clip(0, 1)`.
_OPERATORS = tuple(
    str(_PACKAGE / Path(*names))
    for names in (
        ("operators", "python"),
        ("operators", "numpy_calls", "in_place_calls.py"),
        ("operators", "numpy_calls", "array_methods.py"),
        ("jax_internals", "avals.py"),
    )
)
_COPIES = str(_PACKAGE / "jax_internals" / "dataflow" / "recorded_copies.py")  # functions in place of JAX's
_known: dict[int, tuple[weakref.ref[Any], str | None]] = {}  # by the id of an equation, which can't be hashed
# By what the outermost function of JAX's is called, without the underscore of methods.
VIEWING = frozenset({
    "__iter__", "array_split", "asarray", "dsplit", "expand_dims", "flip", "fliplr", "flipud", "getitem", "hsplit", "imag",
    "imag_property", "iter", "matrix_transpose", "moveaxis", "permute_dims", "ravel", "real", "real_property", "reshape",
    "rewriting_take", "rollaxis", "rot90", "split", "squeeze", "swapaxes", "transpose", "transpose_property", "vsplit",
    "matrix_transpose_property",
})  # fmt: skip
_AROUND = (
    "_forward_",
    "reraise_with_filtered_traceback",
    "cache_miss",
    "_run_python_pjit",
    "_cpp_pjit",
    "api_boundary",
)
_ITERATING = frozenset({"__iter__", "_iter"})
_OF_JIT = frozenset({"reshape", "transpose", "squeeze"})  # what the functions that say no more are made of


def gives_view(equation: Any) -> bool:
    """Whether an equation gives a view of its first operand."""
    return _viewing(equation) is not None


def gives_cell(equation: Any) -> bool:
    """Whether an equation gives the item of an array as an array without axes, `x.reshape(())`: a view, and no number."""
    name = _viewing(equation)
    return name in _GIVING_CELLS or (name in _OF_CELLS and not equation.in_tracers[0].ndim)


_GIVING_CELLS = frozenset({"reshape", "squeeze"})
_OF_CELLS = frozenset({"imag", "imag_property", "real", "real_property", "transpose", "transpose_property"})


def _viewing(equation: Any) -> str | None:
    """What the function is called that gives a view by an equation; None where it gives none."""
    key = id(equation)
    found = _known.get(key)
    if found is None:
        found = _known[key] = weakref.ref(equation, lambda _: _known.pop(key, None)), _name_of_view(equation)
    return found[1]


def _name_of_view(equation: Any) -> str | None:
    name, params = equation.primitive.name, equation.params
    if not equation.in_tracers:
        return None  # a `jit` of constants: `np.linspace(0, 1, 3)`
    base = equation.in_tracers[0]
    if not all(type(size) is int for size in base.aval.shape):
        return None
    if not base.aval.shape and _is_number(base):
        return None  # no array has it: `np.atleast_1d(np.sum(x))`
    if name in CALLS:
        if params["name"] in CALLED_VIEWS:
            return str(params["name"])
        called = params["name"].lstrip("_")
        is_view = (
            called in VIEWING
            and len(equation.in_tracers) == 1
            and _is_chain(params["jaxpr"].jaxpr)
            and _is_in_order(equation, base)
        )
        return called if is_view else None
    if name == "gather" and len(equation.in_tracers[1].aval.shape) != 1:
        return None  # of several places
    if name == "convert_element_type" and params["new_dtype"] != base.aval.dtype:
        return None  # what `jnp.asarray` makes of a derivative's number is an equation of its own
    if name == "broadcast_in_dim" and math.prod(params["shape"]) != math.prod(base.aval.shape):
        return None
    if is_of_items(equation):
        return None
    called = _called(equation)
    is_view = (called in VIEWING or (called == "" and name in _OF_JIT)) and _is_in_order(equation, base)
    return called if is_view else None


def is_of_items(equation: Any) -> bool:
    """Whether an equation is that of `jnp.asarray([x])`, which NumPy copies: of `x` alone nothing has another shape there."""
    return equation.primitive.name == "broadcast_in_dim" and _called(equation) in ("array", "asarray")


def _is_number(value: Any) -> bool:
    """Whether NumPy has a number in place of an array without axes: an argument, or the result of a computation."""
    known = thread.now.references
    argument = None if known is None else known.arguments.get(id(value))
    if argument is not None:
        return bool(argument.is_number)
    equation = getattr(value, "parent", None)
    if (
        equation is None
        or equation.primitive.name in _STAGED
        or (known is not None and (id(value) in known.cells or id(value) in known.unclear))
    ):
        return False
    return not (equation.primitive.name in NAMES and gives_cell(equation))


_STAGED = frozenset({"cond", "while", "scan"})  # what they give may be either


def _is_chain(jaxpr: Any) -> bool:
    """Whether a jaxpr is a chain of views, each of the one before."""
    last = jaxpr.invars[:1]
    for equation in jaxpr.eqns:
        if equation.invars != last or equation.primitive.name not in PUT or len(equation.outvars) != 1:
            return False
        last = equation.outvars
    return bool(jaxpr.outvars == last)  # also of none: `x.squeeze()` of an array that has no axis of one item


def is_of_lanes(operands: Sequence[Any]) -> bool:
    """Whether a gather takes one place for each lane of `vmap`: in NumPy the part of a lane's array is a view."""
    if operands[1].ndim != 2:
        return False
    frames = getattr(source_info_util.current().traceback, "frames", ())
    return any(frame.file_name.endswith(_LANES) for frame in frames)


_LANES = str(Path("interpreters", "batching.py"))


def viewed_operand(jaxpr: Any, number: int) -> int | None:
    """The operand that a result of a compiled function is a view of; None where it is of none."""
    made = {result: equation for equation in jaxpr.eqns for result in equation.outvars}
    variable = jaxpr.outvars[number]
    while isinstance(variable, core.Var) and variable in made:
        equation = made[variable]
        place: int | None = 0
        if equation.primitive.name in CALLS:
            place = viewed_operand(equation.params["jaxpr"].jaxpr, equation.outvars.index(variable))
        elif equation.primitive.name not in PUT:
            return None
        if place is None:
            return None
        variable = equation.invars[place]
    return (
        jaxpr.invars.index(variable) if isinstance(variable, core.Var) and variable in jaxpr.invars else None
    )


def _called(equation: Any) -> str:
    """What the function of JAX's is called that others have called; nothing where no function of NumPy's says so."""
    frames = getattr(equation.source_info.traceback, "frames", ())
    found = ""
    for frame in frames:
        if not frame.file_name.startswith(_JAX):
            # JAX's `ravel` is its `flatten`; that of converted code gets a copy.
            if found == "_flatten" and "site-packages" not in frame.file_name:
                return "ravel"
            if not found and frame.file_name.endswith(_WINDOWS):
                return "getitem"
            break
        name = frame.function_name.partition(".<locals>")[0].rpartition(".")[2]
        if ("numpy" in frame.file_name or name in _ITERATING) and not name.startswith(_AROUND):
            found = name
    return found if found == "__iter__" else found.lstrip("_")


def is_by_operator(equation: Any) -> bool:
    """Whether an operator or a method of an array has made an equation, and no function of JAX's that the user has called."""
    return _is_of_operator(equation.source_info)


def is_constant_of_operator(array: Any) -> bool:
    """Whether a constant of a program was an array of NumPy's that an operator was given, `np.ones(3) * x`."""
    get_const = getattr(array, "get_const", None)
    found = get_const() if get_const is not None and array.parent is None else None
    if found is None or isinstance(found, (Tracer, jax.Array)) or array._line_info is None:
        return False
    return _is_of_operator(array._line_info)


def _is_of_operator(source_info: Any) -> bool:
    found = called = ""
    for frame in getattr(source_info.traceback, "frames", ()):
        if not frame.file_name.startswith((*_JAX, _COPIES)):
            return (
                found.endswith("array_methods.py")
                or frame.file_name.startswith(_OPERATORS)
                or called.endswith("__iter__")  # `a, b = x`
            )
        called = frame.function_name
        if "numpy" in frame.file_name:
            found = frame.file_name
    return found.endswith("array_methods.py")


def _is_in_order(equation: Any, base: Any) -> bool:
    """Whether NumPy needs no copy for another shape: it lays out what it computes in C's order, and views as they are."""
    if _called(equation) == "ravel":
        return lies_in_a_row(base, equation.params.get("dimensions"))
    if all(each.primitive.name != "reshape" for each in _steps(equation)):
        return True
    layout = _layout_of(base)
    return layout is not None and _laid_out(equation, layout) is not None


def lies_in_a_row(array: Any, order: Any = None) -> bool:
    """Whether `ravel` gives a view in NumPy, `order` being that of the axes: of what has no gaps, where `reshape` takes some."""
    layout = _layout_of(array)
    return layout is not None and bool(
        (layout if order is None else layout.transpose(order)).flags.c_contiguous
    )


def lies_otherwise(array: Any, order: str) -> bool:
    """Whether an array does not lie in a row, as is known, in the order "C" or "F": NumPy copies one that is to lie so."""
    layout = _layout_of(array, is_sure=True)
    return layout is not None and not layout.flags[f"{order}_CONTIGUOUS"]


def axes_as_they_lie(array: Any, order: str) -> tuple[int, ...] | None:
    """The axes of an array as the order "K" or "A" goes through them, the last one first; None where nobody knows.

    Source: https://numpy.org/doc/stable/reference/generated/numpy.ravel.html
    """
    layout = _layout_of(array, is_sure=True)
    if layout is None:
        return None
    axes = range(layout.ndim)
    if layout.flags.c_contiguous or layout.flags.f_contiguous or order == "A":
        return (*(axes if layout.flags.c_contiguous or not layout.flags.f_contiguous else axes[::-1]),)
    steps = [*map(abs, layout.strides)]
    return None if 0 in steps else (*sorted(axes, key=lambda axis: -steps[axis]),)


def note_in_order(array: Any) -> Any:
    """Notes that NumPy makes an array in C's order, whatever that of its operands is; gives it."""
    if (known := thread.now.references) is not None:
        known.laid[id(array)] = array, _in_order(array.shape).strides
    return array


def _steps(equation: Any) -> list[Any]:
    """The equations that a function which JAX compiles is made of, or the equation itself."""
    return equation.params["jaxpr"].jaxpr.eqns if equation.primitive.name in CALLS else [equation]


def _layout_of(array: Any, *, is_sure: bool = False) -> Any:
    """An array of one byte that is laid out as NumPy's would be; None where that is not known (see `_may_be_turned`)."""
    known, array = thread.now.references, _as_held(array)
    equation = getattr(array, "parent", None)
    if known is not None and (argument := known.arguments.get(id(array))) is not None and argument.strides:
        return _strided(array.aval.shape, argument.strides)
    if known is not None and id(array) in known.laid:
        return _strided(array.aval.shape, known.laid[id(array)][1])
    if equation is not None and equation.primitive.name in NAMES:
        if gives_view(equation):
            base = _layout_of(equation.in_tracers[0], is_sure=is_sure)
            return None if base is None else _laid_out(equation, base, array.aval.shape)
        if equation.primitive.name not in CALLS and any(each.aval.shape for each in equation.in_tracers):
            return None
    if equation is None:
        get_const = getattr(getattr(array, "_trace", None), "get_const", None)
        outer = None if get_const is None else get_const(array)
        if isinstance(outer, Tracer) and _as_held(outer) is not array:  # of the program around
            return _layout_of(outer, is_sure=is_sure)
        before = [_as_held(old) for loop in thread.now.aliases for new, old in loop.same if new is array]
        known_before = (old for old in before if isinstance(old, Tracer) and old is not array)
        layouts = (_layout_of(old, is_sure=is_sure) for old in known_before)
        if not all(each is not None and each.flags.c_contiguous for each in layouts):
            return None
    is_unknown = len(array.aval.shape) > 1 and _may_be_turned(array, is_sure=is_sure)
    return None if is_unknown else _in_order(array.aval.shape)


def _as_held(array: Any) -> Any:
    """What the user's code holds in place of a tracer that a write has made."""
    known = thread.now.references
    while known is not None and (id(array) in known.versions or id(array) in known.again):
        array = known.versions[id(array)].handle if id(array) in known.versions else known.again[id(array)][1]
    return array


def _may_be_turned(array: Any, *, is_sure: bool = False) -> bool:
    """Whether NumPy may have another order than C's for an array: what is computed of others is laid out as these are.

    With `is_sure`, also of a constant, which the program has in C's order, whatever NumPy's was.

    Source: https://numpy.org/doc/stable/reference/generated/numpy.nditer.html, of the order "K"
    """
    known = thread.now.references
    ordered = {} if known is None or is_sure else known.ordered
    todo, seen = [array], dict[int, Any]()
    while todo:
        array = _as_held(todo.pop())
        if id(array) in seen or id(array) in ordered or getattr(array, "ndim", 0) < 2:
            continue
        seen[id(array)] = array
        equation = getattr(array, "parent", None)
        if known is not None and id(array) in known.laid:
            if not _descend(known.laid[id(array)][1]):
                return True
        elif equation is None:
            is_argument = known is not None and id(array) in known.arguments
            if _is_turned(array) or (is_sure and not is_argument):
                return True
            todo += [old for loop in thread.now.aliases for new, old in loop.same if new is array]
        elif equation.primitive.name == "dot_general":  # a product has C's order, whatever its operands have
            if _called(equation) == "einsum":
                return True
        elif _turns([equation]):
            return True
        else:
            todo += equation.in_tracers
    ordered.update(seen)
    return False


def _is_turned(array: Any) -> bool:
    """Whether an array that no equation has made, a constant or an argument, has another order than C's."""
    argument = None if thread.now.references is None else thread.now.references.arguments.get(id(array))
    if argument is not None:
        return argument.strides is not None and not _descend(argument.strides)
    get_const = getattr(array, "get_const", None)
    found = array if get_const is None else get_const()
    return isinstance(found, np.ndarray) and not _descend(found.strides)


def _descend(strides: Sequence[int]) -> bool:
    return all(abs(one) >= abs(other) for one, other in itertools.pairwise(strides))


def _turns(equations: Sequence[Any]) -> bool:
    """Whether equations may give arrays in another order than their operands have: `x.T`, `x[:, [0, 2]]`."""
    return any(
        each.primitive.name in ("transpose", "gather")
        or "einsum" in str(each.params.get("name"))
        or any(_turns(getattr(inner, "jaxpr", inner).eqns) for inner in core.jaxprs_in_params(each.params))
        for each in equations
    )


def may_be_view(array: Any) -> bool:
    """Whether NumPy may have a view for an array that is none here, since nobody knows how lies what it is made of."""
    equation = getattr(array, "parent", None)
    return (
        equation is not None
        and equation.primitive.name in NAMES
        and any(each.primitive.name == "reshape" for each in _steps(equation))
        and _layout_of(equation.in_tracers[0]) is None
    )


def is_copied(equation: Any) -> bool:
    """Whether NumPy is known to copy for another shape, `x.T.ravel()`: of what lies otherwise it gives no view."""
    operands: Sequence[Any] = getattr(equation, "in_tracers", ())  # none of an equation in a jaxpr
    return (
        len(operands) == 1
        and equation.primitive.name in NAMES
        and any(each.primitive.name == "reshape" for each in _steps(equation))
        and all(type(size) is int for size in operands[0].aval.shape)
        and _layout_of(operands[0], is_sure=True) is not None
        and not gives_view(equation)
    )


def _laid_out(equation: Any, base: Any, shape: Sequence[int] = ()) -> Any:
    """The layout of what an equation gives of an array that is laid out as `base`; None where NumPy copies it.

    Of one that gives several arrays, `shape` is that of the one that is meant.
    """
    if equation.params.get("name") == "np.ndarray.view" and base is not None and base.flags.c_contiguous:
        return _in_order(equation.outvars[0].aval.shape)
    for step in _steps(equation):
        base = None if base is None else _laid_out_by(step, base, shape)
    return base


def _laid_out_by(equation: Any, base: Any, part: Sequence[int]) -> Any:
    name, params = equation.primitive.name, equation.params
    if name == "slice":
        return base[
            tuple(
                map(
                    slice,
                    params["start_indices"],
                    params["limit_indices"],
                    params["strides"] or (1,) * base.ndim,
                )
            )
        ]
    if name == "dynamic_slice":
        return base[tuple(map(slice, params["slice_sizes"]))]
    if name == "split" and part:
        return base[(*(slice(None),) * params["axis"], slice(part[params["axis"]]))]
    if name == "unstack":
        return base[(*(slice(None),) * params["axis"], 0)]
    if name == "squeeze":
        return base.squeeze(tuple(params["dimensions"]))
    if name == "transpose":
        return base.transpose(params["permutation"])
    if name == "reshape" and params["dimensions"] is not None:  # `m.reshape(-1, order="F")`
        base = base.transpose(params["dimensions"])
    if name == "rev":
        return np.flip(base, params["dimensions"])
    if name in ("real", "imag"):
        return _strided(base.shape, [2 * step for step in base.strides])
    if name == "convert_element_type":
        return base
    if name not in ("reshape", "expand_dims", "broadcast_in_dim"):
        return None
    shape = equation.outvars[0].aval.shape
    if base.flags.c_contiguous:
        return _in_order(shape)
    try:
        return np.reshape(base, shape, copy=False)
    except (ValueError, TypeError):  # it has to be copied; or an older NumPy doesn't tell
        return None


def _in_order(shape: tuple[int, ...]) -> Any:
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return _strided(shape, steps)


def _strided(shape: tuple[int, ...], steps: Sequence[int]) -> Any:
    return np.lib.stride_tricks.as_strided(np.empty(1, np.int8), shape, steps)


def made_of(equation: Any, result: Any, base: Any) -> Any:
    """What `result` of an equation is with another first operand."""
    params = equation.primitive.get_bind_params(equation.params)
    found = equation.primitive.bind(base, *equation.in_tracers[1:], **params)
    return found[place_of_result(equation, result)] if equation.primitive.multiple_results else found


Update = Callable[[Any, Any, Callable[[Any, Any], Any]], Any]


def write_through(equation: Any, result: Any, base: Any, new: Any, update: Update) -> Any:
    """`base` with `new` in the place of the part of it that `result` of an equation is; see `overlapping_updates.update`."""
    if equation.primitive.name in ("imag", "real"):
        return PUT[equation.primitive.name](equation, 0, base, new)
    if (put_in := CALLED_VIEWS.get(equation.params.get("name"))) is not None:
        return put_in(equation, 0, base, new)
    if equation.primitive.name not in CALLS:
        put, number = PUT[equation.primitive.name], place_of_result(equation, result)
        return update(base, new, lambda base, new: put(equation, number, base, new))
    inner, bases = equation.params["jaxpr"].jaxpr.eqns, [base]
    for each in inner:
        bases.append(each.primitive.bind(bases[-1], **each.params))
    for each, before in zip(reversed(inner), reversed(bases[:-1]), strict=True):
        new = PUT[each.primitive.name](each, 0, before, new)
    return new


CALLS = frozenset({"jit", "pjit"})
NAMES = frozenset(PUT) | CALLS
