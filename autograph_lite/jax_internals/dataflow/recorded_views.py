"""Views: which arrays is an array a part of, by the program that is being recorded? Those that it would be a view of in NumPy.

    row = m[i]                            a `dynamic_slice` of `m`
    y = np.rollaxis(m, 1)                 what a `jit` gives that transposes `m`
    y = x if c else x * 2                 what a `cond` gives, one of whose branches hands `x` on
    y = x * 2, or x.copy()                of none

No name tells: what a method called `mean` gives is the array that it hands out. What may be a part is one.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jax._src import core
from jax._src.interpreters import batching, partial_eval

from autograph_lite.jax_internals.dataflow import scan_ir
from autograph_lite.jax_internals.dataflow.primitive_traits import BARRIER, VIEWS, WRITES
from autograph_lite.jax_internals.references import storages, view_equations, view_writes
from autograph_lite.tracing import thread

# Functions under `jit` that give views in NumPy, by what they are called in a program, which does not show it otherwise.
_VIEWING = frozenset({"diagonal", "diag", "_diag", "sliding_window_view", *view_writes.CALLED_VIEWS})
_JAX = str(Path(core.__file__).parents[1])
_PACKING = str(Path(__file__).parents[2] / "operators" / "lists" / "packing.py")
_COPYING = frozenset({"_where"})  # and one that gives none, though its program may look so
# Of what an output is a part: operands by number, n, and other outputs, ~n; whether it has been written to since.
_Wholes = dict[int, bool]


def recorded_as(array: Any) -> Any:
    """What `array` is in the program that is being recorded: a tracer of `vmap` or `grad` holds that, others are it."""
    return _inwards(array)[-1]


def recorded_index(array: Any, index: Any) -> Any:
    """The index of items of `array` in what holds all of its lanes, by their first axis; `...` where nobody knows."""
    for each in _inwards(array):
        if isinstance(each, batching.BatchTracer) and each.batch_dim is not None and index is not ...:
            if each.batch_dim != 0:
                return ...
            index = (slice(None), *(index if isinstance(index, tuple) else (index,)))
    return index


def view_key(array: Any) -> tuple[int, int, int]:
    """By which numbers an array is known among what `parts_from` gives."""
    recorded = recorded_as(array)
    is_tracer = isinstance(recorded, partial_eval.DynamicJaxprTracer)
    return id(array), id(recorded), id(recorded.val if is_tracer else recorded)


def _inwards(array: Any) -> list[Any]:
    """`array` as it is now, what it holds if it is a tracer of `vmap` or `grad`, and so on."""
    array = storages.latest_version(array)
    found = [array]
    while isinstance(array, core.Tracer) and not isinstance(array, partial_eval.DynamicJaxprTracer):
        array = array.val if isinstance(array, batching.BatchTracer) else getattr(array, "primal", None)
        found.append(array)
    return found


def parts_from(array: Any, *, written: bool = False) -> list[Any]:
    """The arrays that `array` is a part of in the program that is being recorded, as it is there: `x`, of a row of `x`.

    Those of a tracer of `vmap` or `grad` are as `recorded_as` gives them; what else a statement leaves is a variable of the
    program, of whose array nothing but its `view_key` is known. Where `written`, those that it was before it was written to, too.
    """
    *tracers, array = _inwards(array)
    has_lanes = any(isinstance(each, batching.BatchTracer) for each in tracers)
    found: dict[int, Any] = {}
    todo = [array]
    while todo:
        new = [each for each in _wholes(todo.pop(), has_lanes, written) if id(each) not in found]
        found.update((id(each), each) for each in new)
        todo += map(recorded_as, new)  # around a body, a derivative may hold what a program around it records
    return [*found.values()]


def _wholes(array: Any, has_lanes: bool, written: bool) -> list[Any]:
    """What an equation, or the program around, makes an array a part of."""
    known: Any = thread.now.references
    if known is not None and id(array) in known.apart:
        return []
    equation = getattr(array, "parent", None)
    if equation is None:
        get_const = getattr(getattr(array, "_trace", None), "get_const", None)
        # Of the program around, for a branch or a body.
        whole = None if get_const is None else get_const(array)
        return [] if whole is None else [whole]
    number = equation.outvars.index(array.val) if equation.primitive.multiple_results else 0
    operands = equation.in_tracers
    found = _of_equation(equation, operands, number, has_lanes)
    if equation.primitive.name == "select_n":
        found = {n: any(_written(each) is operands[n] for each in operands) for n in found}
    return [
        operands[n] if n >= 0 else equation.outvars[~n]
        for n in found
        if (written or not found[n]) and (n < 0 or _axes(operands[n]) or _is_cell(operands[n]))
    ]


def _is_cell(operand: Any) -> bool:
    return storages.is_cell(operand) or storages.is_unclear(operand)


def _written(array: Any) -> Any:
    """The array to which equations write that make `array` of it; None where none does."""
    equation, before = getattr(array, "parent", None), None
    while equation is not None and equation.primitive.name in WRITES:
        before = equation.in_tracers[0]
        equation = getattr(before, "parent", None)
    return before


def _axes(operand: Any) -> int:
    """How many axes it has: a number is a copy."""
    return len(getattr(getattr(operand, "aval", None), "shape", ()))


def _of_equation(equation: Any, operands: Sequence[Any], number: int, has_lanes: bool) -> _Wholes:
    """The operands and the other outputs of an equation that an output is a part of."""
    name, params = equation.primitive.name, equation.params
    if view_equations.is_of_items(equation) or view_equations.is_copied(equation):
        return {}
    if name in VIEWS or (name == "gather" and (has_lanes or _is_of_one_place(*operands))):
        return {0: False}
    if name in ("dynamic_update_slice", "concatenate") and _packs(equation):
        return dict.fromkeys(range(len(operands) if name == "concatenate" else 2), False)
    if name in WRITES:
        return {0: True}
    if name == BARRIER:  # gives its operands, in their order
        return {number: False}
    if name == "select_n":  # of a statement; a user's chooses items
        return dict.fromkeys(range(1, len(operands)), False) if has_lanes or not _axes(operands[0]) else {}
    if not equation.primitive.multiple_results or params.get("name") in _COPYING:
        return {}
    if params.get("name") in _VIEWING:
        is_new = _axes(operands[0]) == 1 and params["name"] in ("diag", "_diag")  # the matrix of a vector
        return {} if is_new else {0: False}
    if name == "cond":
        ways = [_through(branch, number) for branch in params["branches"]]
        return {n + 1 if n >= 0 else n: any(way.get(n) for way in ways) for way in ways for n in way}
    if name == "scan":
        consts, carried, _ = map(len, scan_ir.groups(equation, list(operands)))
        return _carried(params["jaxpr"], number, 0, consts, carried)
    if name == "while":
        first, consts = params["cond_nconsts"], params["body_nconsts"]
        return _carried(params["body_jaxpr"], number, first, consts, len(equation.outvars))
    # `jit`, `checkpoint`, functions with a derivative of their own.
    for inner in core.jaxprs_in_params(params):
        jaxpr = getattr(inner, "jaxpr", inner)
        if (len(jaxpr.invars), len(jaxpr.outvars)) == (len(operands), len(equation.outvars)):
            return _through(jaxpr, number)
    return {}


def _packs(equation: Any) -> bool:
    """Whether an equation puts items of a list into a buffer: the list holds them as they are, and no copies."""
    for frame in getattr(equation.source_info.traceback, "frames", ()):
        if not frame.file_name.startswith(_JAX):
            return str(frame.file_name) == _PACKING
    return False


def _is_of_one_place(array: Any, indices: Any) -> bool:
    """Whether a `gather` may be a slice: of an array whose sizes are not known, or at one place."""
    return _axes(indices) == 1 or not all(isinstance(size, int) for size in array.aval.shape)


def _carried(body: Any, number: int, first: int, consts: int, carried: int) -> _Wholes:
    """Of what a loop's output is a part.

    Args:
      body: a jaxpr, of constants, the variables that are carried, and rows.
      number: of the output.
      first: the operand that is the first constant.
      consts: how many constants there are.
      carried: how many variables; outputs behind them are rows, which are copied.
    """
    if number >= carried:
        return {}
    found: _Wholes = {first + consts + number: False}
    todo = [number]
    while todo:
        for n, written in _through(body, todo.pop()).items():
            whole = n if n < 0 else n + first
            if whole not in found and consts <= n < consts + carried:
                todo.append(n - consts)
            found[whole] = written or found.get(whole, False)
    return found


_known: weakref.WeakKeyDictionary[Any, dict[int, _Wholes]] = weakref.WeakKeyDictionary()


def _through(jaxpr: Any, number: int) -> _Wholes:
    """The inputs and the other outputs of a jaxpr that an output is a part of."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    known = _known.setdefault(jaxpr, {})
    if number not in known:
        known[number] = _inside(jaxpr, number)
    return known[number]


def _inside(jaxpr: Any, number: int) -> _Wholes:
    made: dict[Any, tuple[Any, int]] = {
        out: (eqn, n) for eqn in jaxpr.eqns for n, out in enumerate(eqn.outvars)
    }
    found: dict[Any, bool] = {}
    todo = [(jaxpr.outvars[number], False)]
    while todo:
        var, written = todo.pop()
        if isinstance(var, core.Literal) or not _axes(var) or found.get(var) in (True, written):
            continue
        found[var] = written
        if var not in made:
            continue
        eqn, n = made[var]
        wholes = _of_equation(eqn, eqn.invars, n, False)
        todo += [(eqn.invars[n] if n >= 0 else eqn.outvars[~n], written or w) for n, w in wholes.items()]
    outputs = [
        (n, var) for n, var in enumerate(jaxpr.outvars) if n != number and not isinstance(var, core.Literal)
    ]
    places = [*enumerate(jaxpr.invars), *((~n, var) for n, var in outputs)]
    return {n: found[var] for n, var in places if var in found}
