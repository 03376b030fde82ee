"""A call by position, whatever its spelling: Python binds the arguments, as fast as it can.

def f(x, n=3, *, k="s"): ...      def f(x, n=_1, *, k=_2):
                                      return table((type(x), type(n), type(k)))(x, n, k)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from autograph_lite.runtime import tracebacks

_CALL = """\
def bound({parameters}):
    try:
        {own}entry = {own}table(({types},))
        return {own}other({arguments}) if {own}entry is None else {own}entry({arguments})
    except BaseException as {own}error:
        {own}hide({own}error)
        raise  # without a frame of this call: a bare `raise` adds none
"""
_OWN = "_autograph_lite_"  # before the names that are not the user's


def generated(
    signature: inspect.Signature,
    name: str,
    table: Callable[[Any], Any],
    other: Callable[..., Any],
) -> Callable[..., Any] | None:
    """A function with that signature that calls what `table` gives for the types of the arguments, or `other`.

    Both are called with all arguments, defaults included, by position. None for a signature with `*args` or `**kwargs`.

    Args:
      signature: of the user's function.
      name: its qualified name, which Python's messages about wrong arguments show.
      table: types, in the order of the parameters -> what to call; None for types that it does not know.
      other: called for these.
    """
    parameters = list(signature.parameters.values())
    kinds = [parameter.kind for parameter in parameters]
    if not parameters or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    names = [parameter.name for parameter in parameters]
    known: dict[str, Any] = {f"{_OWN}table": table, f"{_OWN}other": other, f"{_OWN}type": type}
    known[f"{_OWN}hide"] = tracebacks.hide_frames
    parts = []
    for i, (parameter, own) in enumerate(zip(parameters, names, strict=True)):
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.KEYWORD_ONLY not in kinds[:i]:
            parts.append("*")
        has_default = parameter.default is not parameter.empty
        parts.append(f"{own}={_OWN}default{i}" if has_default else own)
        known[f"{_OWN}default{i}"] = parameter.default
        if parameter.kind is parameter.POSITIONAL_ONLY and kinds[i + 1 : i + 2] != [
            parameter.POSITIONAL_ONLY
        ]:
            parts.append("/")
    types = ", ".join(f"{_OWN}type({own})" for own in names)
    source = _CALL.format(own=_OWN, parameters=", ".join(parts), types=types, arguments=", ".join(names))
    exec(compile(source, __file__, "exec"), known)
    bound: Callable[..., Any] = known["bound"]
    bound.__name__, bound.__qualname__ = name.rpartition(".")[2], name
    return bound
