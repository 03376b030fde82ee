"""What does `%load_ext autograph_lite` give IPython and Jupyter? A magic that shows generated code, and fresh traces.

    %%autograph                       runs the cell, and shows what the functions that it defines are converted to
    def step(x): ...

    %autograph step                   shows it for a function that is there

When a statement of a cell, or `%autoreload`, defines a function or class again, converted functions that have read the old one
are traced again.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from autograph_lite import api
from autograph_lite.errors import ConversionError
from autograph_lite.runtime.functions import eager
from autograph_lite.runtime.public.function import Function
from autograph_lite.syntax.source_text.compiling import parse

MAGIC = "autograph"
_EVENT = "post_run_cell"


def load_ipython_extension(shell: Any) -> None:
    """Gives the shell the magic; called by `%load_ext autograph_lite`."""
    magic = _Magic(shell)
    shell.register_magic_function(magic.cell, "cell", MAGIC)
    shell.register_magic_function(magic.line, "line", MAGIC)
    shell.events.register(_EVENT, forget_outdated)
    shell.run_code = _Watched(shell.run_code)
    rules = importlib.import_module("IPython.extensions.autoreload").UPDATE_RULES
    if _RULE not in rules:
        rules.append(_RULE)


def unload_ipython_extension(shell: Any) -> None:
    """Takes the magic away; called by `%unload_ext autograph_lite`."""
    for kind in ("cell", "line"):
        shell.magics_manager.magics[kind].pop(MAGIC, None)
    shell.events.unregister(_EVENT, forget_outdated)
    vars(shell).pop("run_code", None)


def forget_outdated(result: object = None) -> None:
    """Forgets the traces of functions that have got other code since, or have called such; each call looks at the rest."""
    for function in eager.converted_functions():
        if isinstance(function, Function):
            function.follow_code()
            if function.traces.is_recoded():
                function.clear_cache()


class _Watched:
    """Runs a cell's statements by the shell's `run_code`: what is defined again in a cell is new in the next statement."""

    def __init__(self, run_code: Any) -> None:
        self._run_code = run_code

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the code of a statement."""
        forget_outdated()
        return await self._run_code(*args, **kwargs)


def _both_converted(old: object, new: object) -> bool:
    return isinstance(old, Function) and isinstance(new, Function)


def _update(old: Function, new: Function) -> None:
    """Gives the body that `%autoreload` has loaded to those who hold the old function, as it does with Python's own."""
    was, now = old.python_function, new.python_function
    if isinstance(was, types.FunctionType) and isinstance(now, types.FunctionType):
        with contextlib.suppress(ValueError):  # it takes another number of variables from around it
            was.__code__ = now.__code__
            was.__defaults__, was.__kwdefaults__, was.__doc__ = (
                now.__defaults__,
                now.__kwdefaults__,
                now.__doc__,
            )


_RULE = _both_converted, _update


class _Magic:
    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def cell(self, line: str, cell: str) -> None:
        """Runs the cell, and shows what its functions, or those that the line names, are converted to."""
        if not self._shell.run_cell(cell).success:
            return
        names = line.split() or [*_defined(self._shell.transform_cell(cell))]
        self._show([(name, value) for name in names if callable(value := self._value(name))])

    def line(self, line: str) -> None:
        """Shows what functions are converted to."""
        self._show([(name, self._value(name)) for name in line.split()])

    def _value(self, name: str) -> Any:
        try:
            return self._shell.ev(name)
        except (NameError, AttributeError) as error:
            # Which the shell shows without a traceback.
            usage_error = sys.modules["IPython.core.error"].UsageError
            raise usage_error(f"%{MAGIC}: {error}") from None

    def _show(self, named: list[tuple[str, Any]]) -> None:
        if not named:
            return
        text = "\n\n".join(code.strip("\n") for each in named for code in _code(*each))
        # A terminal prints the one, a notebook colours the other.
        self._shell.display_pub.publish({"text/plain": text, "text/markdown": f"```python\n{text}\n```"})


def _defined(text: str) -> Iterator[str]:
    """The functions and classes that a cell defines."""
    for statement in parse(text, "<cell>").body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name


def _code(name: str, value: Any) -> Iterator[str]:
    """The generated code of a function, or of the methods of a class."""
    if not isinstance(value, type):
        yield api.to_code(value)
        return
    for attribute, method in vars(value).items():
        try:
            code = api.to_code(method)
        except (
            ConversionError,
            TypeError,
        ):  # what Python has made, as `__init__` of a dataclass; or no function
            continue
        yield f"# {name}.{attribute}\n{code}"
