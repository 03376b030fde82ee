"""Handed functions: what does a converted function do that JAX is handed? It begins a program of JAX's, or runs in lanes.

lax.scan(step, 0, xs)                 the body that JAX records has an end, as somebody else's program has
jax.vmap(step)(xs)                    what lanes compute is recorded for one of them, and then done for all
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from typing import Any

import jax

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.values.values import Tracer

_BEGINNING = "__ag_beginning__"
_ASSIGNING = {"assign", "assign_add", "assign_sub"}  # a Variable may get what all lanes share
_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def beginning(fn: Any) -> Any:
    """`fn`, a converted function, to be called by JAX."""
    made = fn.__dict__.get(_BEGINNING)
    if made is None:

        @functools.wraps(fn)
        def made(*args: Any, **kwargs: Any) -> Any:
            if tracing_state.is_in_lanes() and not _ASSIGNING & {*fn.__code__.co_names}:
                return _recorded(fn, args, kwargs)
            tracing_state.begin_inside()
            return fn(*args, **kwargs)

        fn.__dict__[_BEGINNING] = made
    return made


def begins_in_lanes() -> bool:
    """Whether the function that calls this, and has just begun, runs in the lanes of a `vmap`, and can be begun again."""
    code = sys._getframe(1).f_code
    return tracing_state.is_in_lanes() and not (code.co_flags & _LATER or _ASSIGNING & {*code.co_names})


def of_lane() -> Any:
    """What the function gives that calls this, and has just begun: it is recorded for one lane."""
    frame = sys._getframe(1)
    code, given = frame.f_code, dict(frame.f_locals)
    cells = tuple(
        types.CellType(given[name]) if name in given else types.CellType() for name in code.co_freevars
    )
    fn = types.FunctionType(code, frame.f_globals, code.co_name, None, cells)
    named = {parameter.name: parameter.kind for parameter in inspect.signature(fn).parameters.values()}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, kind in named.items():
        if kind is inspect.Parameter.VAR_KEYWORD:
            kwargs.update(given[name])
        elif kind is inspect.Parameter.KEYWORD_ONLY:
            kwargs[name] = given[name]
        else:
            args += given[name] if kind is inspect.Parameter.VAR_POSITIONAL else (given[name],)
    return _recorded(fn, args, kwargs)


def _recorded(fn: Any, args: Any, kwargs: Any) -> Any:
    leaves, tree = jax.tree.flatten((args, kwargs))
    places = [n for n, leaf in enumerate(leaves) if isinstance(leaf, Tracer)]

    def run(*values: Any) -> Any:
        tracing_state.begin_inside()
        given = dict(zip(places, values, strict=True))
        args, kwargs = jax.tree.unflatten(tree, [given.get(n, leaf) for n, leaf in enumerate(leaves)])
        return fn(*args, **kwargs)

    return jax.jit(run, inline=True)(*[leaves[n] for n in places])
