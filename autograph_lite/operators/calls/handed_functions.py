"""Handed functions: what does a converted function do that JAX is handed? It begins a program of JAX's, or is recorded first.

lax.scan(step, 0, xs)                 the body that JAX records has an end, as somebody else's program has
jax.vmap(step)(xs)                    what lanes compute is recorded for one of them, and then done for all
jax.grad(loss)(w)                     so is what is differentiated, in a program
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import weakref
from typing import Any

import jax

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.branches import handed_calls
from autograph_lite.operators.effects import augmented_assignments
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.user_code.conversion import is_compiled, is_converted, plain, stands_for
from autograph_lite.operators.values import retracing
from autograph_lite.syntax import codes
from autograph_lite.tracing import entered, thread

_BEGINNING = "__ag_beginning__"
_ASSIGNING = {"assign", "assign_add", "assign_sub"}  # a Variable may get what all lanes share
_closures = weakref.WeakKeyDictionary[types.CodeType, weakref.WeakSet[types.FunctionType]]()
_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def beginning(fn: Any, *, bound: bool = False, called: bool = False) -> Any:
    """`fn`, if it is converted, to be called by JAX.

    Args:
      fn: what is handed to it.
      bound: whether it is a method, whose first argument is none of JAX's.
      called: whether others call it, too.
    """
    compiled = is_compiled(fn)
    if not (compiled or (isinstance(fn, types.FunctionType) and is_converted(plain(fn)))):
        return fn
    known = fn.__dict__.setdefault(_BEGINNING, {})
    if (bound, called) in known:
        return known[bound, called]
    user = inspect.unwrap(fn) if compiled else plain(fn)
    while isinstance(user, functools.partial):
        user = user.func
    code = getattr(user, "__code__", None)
    can_begin_again = code is not None and not (code.co_flags & _LATER or _ASSIGNING & {*code.co_names})

    @functools.wraps(fn)
    def made(*args: Any, **kwargs: Any) -> Any:
        if called and not _is_jax(sys._getframe(1)):
            return fn(*args, **kwargs)
        own, given = args[:bound], args[bound:]
        if can_begin_again and tracing_state.is_computed():
            if compiled:
                return _inside_of_jit(fn, args, kwargs)
            if code is None or tracing_state.is_in_lanes() or _is_recorded(code):
                return handed_calls.call_recorded(functools.partial(fn, *own), given, kwargs)
            return _unless_it_writes(code, fn, args, kwargs)
        tracing_state.begin_inside(jax.tree.leaves((given, kwargs)))
        return fn(*args, **kwargs)

    known[bound, called] = made if compiled else stands_for(made, plain(fn))
    return known[bound, called]


def _inside_of_jit(fn: Any, args: Any, kwargs: Any) -> Any:
    """What a compiled function of ours gives, which is a program of its own, and says itself what it can't change there."""
    run, values = handed_calls.as_function_of_values(fn, args, kwargs)
    return jax.jit(run)(*values)


def _is_recorded(code: types.CodeType) -> bool:
    """Whether what a function computes for a derivative is recorded first, so that what it writes to arrays is followed.

    JAX takes twice the time to trace a derivative of what is recorded. So a program of ours begins without that.
    """
    known = thread.now.references
    return (
        known is None
        or not known.is_whole
        or _key(code) in known.told
        or any(augmented_assignments.operators(each) for each in codes.nested_codes(code))
    )


def _unless_it_writes(code: types.CodeType, fn: Any, args: Any, kwargs: Any) -> Any:
    """What a function gives that a derivative calls; where it writes to arrays, the program is traced again, and records it.

    Raises:
      Reborn: it changes an array in place; or it fails, which may be for what nobody knows of its arrays.
    """
    tracing_state.begin_inside(())
    try:
        with entered(handed=_key(code)):
            return fn(*args, **kwargs)
    except Exception:  # what JAX's values of a derivative can't do, those of a program may
        raise retracing.Reborn([], told=[_key(code)]) from None


def _key(code: types.CodeType) -> tuple[Any, ...]:
    return code.co_filename, code.co_firstlineno, code.co_name


def _is_jax(frame: types.FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename.startswith(source_places.JAX)


def begins_computed() -> bool:
    """Whether the function that calls this, and has just begun, is computed with values of JAX's, and can be begun again.

    JAX has called it: who else does may hand it, and get from it, what belongs to the program around.
    """
    if not tracing_state.is_computed():
        return False
    frame = sys._getframe(1)
    code, around = frame.f_code, frame.f_back
    if code.co_flags & _LATER or _ASSIGNING & {*code.co_names}:
        return False
    return _is_jax(around)


def begun_again() -> Any:
    """What the function gives that calls this, and has just begun: it is recorded first."""
    frame = sys._getframe(1)
    given = dict(frame.f_locals)
    fn = _function(frame.f_code, frame.f_globals, given)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in inspect.signature(fn).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            kwargs.update(given[name])
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            kwargs[name] = given[name]
        else:
            args += given[name] if parameter.kind is inspect.Parameter.VAR_POSITIONAL else (given[name],)
    return handed_calls.call_recorded(fn, args, kwargs)


def note_cells(fn: Any) -> None:
    """Remembers a function that JAX may call, for the sake of its cells."""
    fn = getattr(fn, "__func__", fn)
    if isinstance(fn, types.FunctionType) and fn.__closure__:
        _closures.setdefault(fn.__code__, weakref.WeakSet()).add(fn)


def _function(code: types.CodeType, space: dict[str, Any], given: dict[str, Any]) -> types.FunctionType:
    """The function of that code whose captured variables are these."""
    for fn in _closures.get(code, ()):
        cells = zip(code.co_freevars, fn.__closure__ or (), strict=True)
        same = fn.__code__ is code and fn.__globals__ is space  # codes of one text are equal
        if same and all(_holds(cell, given, name) for name, cell in cells):
            return fn
    copies = [types.CellType(given[name]) if name in given else types.CellType() for name in code.co_freevars]
    return types.FunctionType(code, space, code.co_name, None, tuple(copies))


def _holds(cell: types.CellType, given: dict[str, Any], name: str) -> bool:
    try:
        return name in given and cell.cell_contents is given[name]
    except ValueError:  # it is empty
        return name not in given
