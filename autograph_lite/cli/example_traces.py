"""What do example arguments give? The jaxpr of the converted function, its HLO, or what became of its statements."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from autograph_lite import api
from autograph_lite.cli.example_values import parse_arguments
from autograph_lite.cli.named_functions import Found
from autograph_lite.cli.named_modules import summary, where_raised
from autograph_lite.cli.usage import UsageError
from autograph_lite.errors import AutographError
from autograph_lite.syntax import signatures

ARRAYS = (jax.Array, np.ndarray, np.generic, int, float, complex)


def jaxpr(found: Found, arguments: Iterable[str]) -> str:
    """The text of the jaxpr that the arguments give.

    Raises:
      UsageError: an argument is wrong, or they don't fit the function's signature.
      AutographError: the function can't be converted, or what it does can't be traced.
    """
    return _text(lambda program, arrays: str(jax.make_jaxpr(program)(*arrays)), found, arguments)


def hlo(found: Found, arguments: Iterable[str]) -> str:
    """The text of the optimised HLO on this machine's default device; otherwise as `jaxpr`."""
    return _text(
        lambda program, arrays: jax.jit(program).lower(*arrays).compile().as_text() or "", found, arguments
    )


def decisions_text(found: Found, arguments: Iterable[str]) -> str:
    """A table of the statements of control flow, and what the arguments make of each; otherwise as `jaxpr`."""
    args, kwargs = _arguments(found, arguments)
    return _reported(lambda: str(api.explain(found.call)(*args, **kwargs)), found)


def report_page(found: Found, arguments: Iterable[str]) -> str:
    """A page that shows what the arguments make of the function, line by line; otherwise as `jaxpr`."""
    args, kwargs = _arguments(found, arguments)
    return _reported(lambda: api.convert(found.call).report(*args, **kwargs).html, found)


def _text(
    of_program: Callable[[Callable[..., Any], list[Any]], str], found: Found, texts: Iterable[str]
) -> str:
    args, kwargs = _arguments(found, texts)
    return _reported(lambda: of_program(*_program(found, args, kwargs)), found)


def _arguments(found: Found, texts: Iterable[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if found.is_method:
        example = f"FILE.py:instance.{found.name.rpartition('.')[2]}"
        raise UsageError(f"{found.name!r} is a method and needs an instance: name one, such as {example}")
    args, kwargs = parse_arguments(texts)
    _check_signature(found, args, kwargs)
    return args, kwargs


def _reported(text: Callable[[], str], found: Found) -> str:
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what Python prints while it traces
            return text()
    except AutographError:
        raise
    except Exception as error:  # the user's own, or JAX's about what the user's code did
        where = where_raised(error, Path(found.code.co_filename)) or f"{found.code.co_filename}:{found.line}"
        raise AutographError(f"{where}: {summary(error)}".splitlines()[0]) from error


def _program(
    found: Found, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], list[Any]]:
    """A function of the arrays among the arguments, and their shapes and dtypes; literals are fixed in it."""
    leaves, treedef = jax.tree.flatten((args, kwargs))
    traced = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.ShapeDtypeStruct)]
    converted = api.to_graph(found.call)

    @functools.wraps(found.function)  # the program's name in the HLO
    def program(*arrays: jax.Array) -> Any:
        values = list(leaves)
        for i, array in zip(traced, arrays, strict=True):
            values[i] = array
        args, kwargs = jax.tree.unflatten(treedef, values)
        # What is no array comes back from a call as it is, and is no part of the program.
        return [leaf for leaf in jax.tree.leaves(converted(*args, **kwargs)) if isinstance(leaf, ARRAYS)]

    return program, [leaves[i] for i in traced]


def _check_signature(found: Found, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    signature = signatures.signature(found.call)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise UsageError(f"{found.name}{signature}: {error}") from error
