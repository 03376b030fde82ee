"""Argument binding: how is a call made one by position, whatever its spelling? Python binds it, as fast as it can.

def f(**kw): ...                  run(args, names, values), which have an order; C++ sorts the keywords of a call

def f(x, n=3, *, k="s"): ...      def f(x, n=_1, *, k=_2):
                                      return table((type(x), type(n), type(k)))(x, n, k)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograph_lite.runtime.explaining import tracebacks

OWN = "_autograph_lite_"  # before the names that are not the user's
_FUNCTION = """\
def bound({parameters}):
    try:
{body}
    except BaseException as {own}error:
        {own}hide({own}error)
        raise  # without a frame of this call: a bare `raise` adds none
"""
_CALL = """\
        {own}entry = {own}table(({types},))
        return {own}other({arguments}) if {own}entry is None else {own}entry({arguments})
"""


# What the hash and equality of a static argument tell apart as its trace type does, given the types.
LITERALS = (int, bool, str, bytes, type(None))


def bind_arguments(keywords: Sequence[str], args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """All arguments of a call, in the order of the parameters, as positional ones and those by keyword only."""
    count = len(args) - len(keywords)
    return args[:count], dict(zip(keywords, args[count:], strict=True))


def packs_keywords(signature: inspect.Signature) -> bool:
    """Whether a function sees the order of its keywords, so that C++ is handed them as two tuples."""
    return any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())


def arguments_of_cpp(
    packs: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that C++ was handed, in the order in which it finds their arrays."""
    if packs:
        positional, names, values = args
        return positional, dict(zip(names, values, strict=True))
    return args, dict(sorted(kwargs.items()))


class Parameters(NamedTuple):
    """The parameters of a function, as text."""

    text: str  # as in a `def`
    arguments: str  # as in a call that hands them on to C++
    defaults: dict[str, Any]  # what the names of defaults in `text` stand for


def parameters_of(signature: inspect.Signature) -> Parameters:
    """The parameters of a function with that signature."""
    if packs_keywords(signature):
        return Parameters("*args, **kwargs", "args, (*kwargs,), (*kwargs.values(),)", {})
    parts, arguments, defaults = [], [], {}
    parameters = list(signature.parameters.values())
    kinds = [parameter.kind for parameter in parameters]
    if any(kind is inspect.Parameter.VAR_POSITIONAL for kind in kinds):
        return Parameters("*args, **kwargs", "*args, **kwargs", {})
    for i, parameter in enumerate(parameters):
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        if keyword and parameter.KEYWORD_ONLY not in kinds[:i]:
            parts.append("*")
        has_default = parameter.default is not parameter.empty
        parts.append(f"{parameter.name}={OWN}default{i}" if has_default else parameter.name)
        arguments.append(f"{parameter.name}={parameter.name}" if keyword else parameter.name)
        defaults[f"default{i}"] = parameter.default
        if parameter.kind is parameter.POSITIONAL_ONLY and kinds[i + 1 : i + 2] != [
            parameter.POSITIONAL_ONLY
        ]:
            parts.append("/")
    return Parameters(", ".join(parts), ", ".join(arguments), defaults)


def compile_function(
    name: str, parameters: Parameters, body: str, known: dict[str, Any]
) -> Callable[..., Any]:
    """A function with these parameters, whose frame tracebacks do not show.

    Args:
      name: its qualified name, which Python's messages about wrong arguments show.
      parameters: of the user's function.
      body: indented statements inside of a `try`; names that are not parameters begin with `OWN`.
      known: what these names stand for, without `OWN`.
    """
    names = {"hide": tracebacks.hide_frames, **known, **parameters.defaults}
    scope = {f"{OWN}{key}": value for key, value in names.items()}
    source = _FUNCTION.format(own=OWN, parameters=parameters.text, body=body.rstrip())
    exec(compile(source, __file__, "exec"), scope)
    made: Callable[..., Any] = scope["bound"]
    made.__name__, made.__qualname__ = name.rpartition(".")[2], name
    return made


def compile_dispatch(
    signature: inspect.Signature, name: str, known: dict[str, Any]
) -> Callable[..., Any] | None:
    """A function with that signature that calls what a table has for the types of the arguments.

    With all arguments, defaults included, by position. None for a signature with `*args` or `**kwargs`.

    Args:
      signature: of the user's function.
      name: its qualified name.
      known: `table`, which gives for types, in the order of the parameters, what is to be called; and `other`, which is
        called where it gives None.
    """
    names = list(signature.parameters)
    parameters = parameters_of(signature)
    if not names or parameters.text.startswith("*args"):
        return None
    types = ", ".join(f"{OWN}type({name})" for name in names)
    body = _CALL.format(own=OWN, types=types, arguments=", ".join(names))
    return compile_function(name, parameters, body, {"type": type, **known})
