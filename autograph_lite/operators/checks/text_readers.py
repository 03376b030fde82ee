"""Readers of text: which functions would get the placeholder of text that is completed when the program has run?

"frame-N".replace("N", str(n))        makes text, which keeps the number
"a5c".find(str(n))                    reads it: refused
open(f"{n}.txt"), csv_writer.writerow([n])   write it: refused before they do
pprint.pformat([n])                   gives text that shows a traced value: refused
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks.traced_text import Text, format, has_traced_length, refuse_reading
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer, describe


def method(fn: Any) -> Any:
    """What to call for a method of Python's text, bound or not."""
    return fn if tracing_state.untraced() else functools.partial(_read, fn)


def _read(fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    text = next(_texts([*args, *kwargs.values()]), None)
    if text is None:
        return fn(*args, **kwargs)
    owner: Any = getattr(fn, "__self__", None)
    whole = args if owner is None else (owner, *args)
    if fn.__name__ == "replace" and len(whole) > 2 and isinstance(whole[2], Text):
        return _replaced(*whole, **kwargs)
    return refuse_reading(text, by=f" by '{fn.__name__}'")


def _replaced(text: str, old: str, new: Text, count: int = -1) -> str:
    """`text.replace(old, new, count)`, which keeps the numbers in `new`."""
    for each in (text, old):
        if isinstance(each, Text):
            refuse_reading(each, by=" by 'replace'")
    parts = text.replace(old, _HERE, count).split(_HERE)
    template = "{}".join(part.replace("{", "{{").replace("}", "}}") for part in parts)
    return format(template, *[new] * (len(parts) - 1))


_HERE = "\0new text\0"


def refuse_texts(values: Iterable[Any], fn: Any) -> None:
    """Raises PythonOnlyError: there is text that is not known yet in `values`, which `fn` reads."""
    text = next(_texts(values), None)
    if text is not None:
        refuse_reading(text, by=f" by '{_name(fn)}'")


def refuse_handing(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuses to call what is not the user's with text that is not known yet, unless it stores it, hands it on, or shows it."""
    values = [*args, *kwargs.values()]
    if fn is builtins.print:
        if not _is_shown(kwargs.get("file")):
            refuse_texts(values, fn)
            _refuse_traced(values, fn, lambda _: True)
    elif not _hands_on(fn):
        refuse_texts(values, fn)
        if _module(fn) == "_csv":
            _refuse_traced(values, fn, lambda _: True)


def known_results(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `fn`; one of `re`'s reads what a function gives in place of a match."""
    return (*map(_giving_known, args),) if _module(fn) == "re" else args


def _giving_known(value: Any) -> Any:
    if not isinstance(value, types.FunctionType):
        return value

    @functools.wraps(value)
    def run(*args: Any, **kwargs: Any) -> Any:
        found = value(*args, **kwargs)
        return refuse_reading(found, by=" by 'sub'", where=found.place) if isinstance(found, Text) else found

    return run


def watched(fn: Any) -> Any:
    """`fn`, a method of an object of C's, which is not handed text that is not known yet."""

    def run(*args: Any, **kwargs: Any) -> Any:
        refuse_handing(fn, args, kwargs)
        return fn(*args, **kwargs)

    return fn if tracing_state.untraced() else run


def refuse_made_of_text(fn: Any, values: Iterable[Any], result: Any) -> None:
    """Refuses what `fn`, which is not the user's, has made of text that is not known yet, if `values` has such: it has read it.

    Who stores the text, or hands it on, gives it, or nothing. And text that shows a traced value.
    """
    if type(result) is str:
        _refuse_traced(values, fn, lambda value: repr(value) in result or describe(value) in result)
    text = next(_texts(values), None)
    if text is None or _is_shown(getattr(fn, "__self__", sys)):
        return
    leaves = pytrees.leaves(result)
    if any(isinstance(leaf, _READ) for leaf in leaves) and not any(isinstance(leaf, Text) for leaf in leaves):
        refuse_texts((text,), fn)


_READ = (int, float, complex, str, bytes, bytearray, Exception)


def _refuse_traced(values: Iterable[Any], fn: Any, shown: Callable[[Any], bool]) -> None:
    for value in pytrees.leaves(values):
        if isinstance(value, Tracer) and isinstance(value, jax.Array) and shown(value):
            raise PythonOnlyError(
                f"'{_name(fn)}' makes text of a traced value, {describe(value)}.",
                why="The text is made while tracing, when the value is not known.",
                fix="return the value, and make the text of the result. autograph_lite.print prints when the program runs, and\n"
                "  autograph_lite.py_function calls Python then.",
            )


def _texts(values: Iterable[Any], depth: int = 3) -> Iterator[Text]:
    """The text among values, and in the lists, tuples and dicts there, that is not known yet."""
    for value in values:
        if isinstance(value, Text):
            yield value
        elif depth and type(value) in (list, tuple, dict) and not has_traced_length(value):
            yield from _texts(value.values() if type(value) is dict else value, depth - 1)


def _is_shown(file: Any) -> bool:
    """Whether a file is one of those that somebody looks at while the program is traced."""
    return any(file is each for each in (None, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))


def _hands_on(fn: Any) -> bool:
    """Whether what is not the user's stores what it is handed, hands it on, or shows it; or asks itself."""
    if isinstance(fn, functools.partial):
        return _hands_on(fn.func)
    if any(fn is each for each in _READING):
        return False
    if (owner := getattr(fn, "__self__", None)) is not None and _is_shown(owner):
        return True
    module = _module(fn)
    root = module.partition(".")[0]
    path = getattr(sys.modules.get(module), "__file__", None)
    if root.lstrip("_") in _HANDING_ON:
        return module not in _WRITING
    return root not in sys.stdlib_module_names and (path is None or not ownership.is_library_file(path))


def _module(fn: Any) -> str:
    """Where a function is from; of a method of C's, its class."""
    module = getattr(fn, "__module__", None)
    return module if isinstance(module, str) else type(getattr(fn, "__self__", fn)).__module__


_READING = (builtins.ascii, builtins.eval, builtins.exec, builtins.compile, builtins.ord)
_WRITING = ("jax._src.debugging",)
_HANDING_ON = frozenset({
    "abc", "argparse", "asyncio", "autograph_lite", "bisect", "builtins", "collections", "concurrent", "contextlib",
    "contextvars", "copy", "dataclasses", "enum", "functools", "heapq", "inspect", "itertools", "jax", "jaxlib", "logging",
    "operator", "queue", "thread", "threading", "types", "typing", "warnings", "weakref",
})  # fmt: skip


def _name(fn: Any) -> str:
    fn = fn.func if isinstance(fn, functools.partial) else fn
    return getattr(fn, "__qualname__", None) or type(fn).__name__
