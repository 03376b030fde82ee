"""Exits of context managers: what may leaving a `with` do with an exception, as far as its text says?

    def __exit__(self, *error):           it suppresses nothing, and does the same without an exception
        self.seconds += clock() - self.start

    @contextmanager
    def timed(log):                       so does this: nothing follows its `yield` but what is in `finally`
        try:
            yield log
        finally:
            log.append(clock())

A manager without a text that can be read may do anything, but for those that are known here.
"""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import jumps_out
from autograph_lite.converters import python_ops
from autograph_lite.errors import AutographError
from autograph_lite.operators.user_code.conversion import plain
from autograph_lite.syntax import codes, trees
from autograph_lite.syntax.source_text import source
from autograph_lite.transpiler import original

_HARMLESS = ("jax", "jaxlib", "_io", "_thread", "threading", "warnings")


def suppressed(manager: Any) -> Any:
    """The exceptions that leaving `manager` may suppress."""
    if isinstance(manager, python_ops.Suppress):
        return ()
    if isinstance(manager, contextlib.suppress):
        return manager._exceptions  # type: ignore[attr-defined]
    leave = _leave(manager)
    return Exception if isinstance(leave, types.FunctionType) and _read(leave).suppresses else ()


def does_the_same(manager: Any) -> bool:
    """Whether leaving `manager` does the same whether an exception leaves the code in it or none."""
    kind = type(manager)
    if kind is python_ops.Suppress or kind.__module__.partition(".")[0] in _HARMLESS:
        return True
    leave = _leave(manager)
    return isinstance(leave, types.FunctionType) and _read(leave).does_the_same


def _leave(manager: Any) -> Any:
    """The function that is run when `manager` is left."""
    if isinstance(manager, contextlib._GeneratorContextManager):
        return _of_user(manager.func)
    return _of_user(getattr(type(manager), "__exit__", None))


def _of_user(fn: Any) -> Any:
    return original(plain(fn)) if isinstance(fn, types.FunctionType) else fn


class Exit(NamedTuple):
    """What the text of an `__exit__`, or of the generator that makes a manager, says of exceptions."""

    suppresses: bool  # some of them, it may be
    does_the_same: bool  # whether there is one or none


_read_before: codes.ByCode[Exit] = codes.ByCode()


def _read(fn: types.FunctionType) -> Exit:
    known = _read_before.get(fn.__code__)
    if known is None:
        try:
            node = source.read_source(fn).node
        except AutographError:
            return Exit(suppresses=True, does_the_same=False)
        is_generator = fn.__code__.co_flags & inspect.CO_GENERATOR
        known = _of_generator(node) if is_generator else _of_method(node)
        _read_before[fn.__code__] = known
    return known


def _of_method(node: gast.AST) -> Exit:
    own = [*scopes.own_nodes(node.body)] if isinstance(node, gast.FunctionDef) else []
    gives = [each.value for each in own if isinstance(each, gast.Return) and each.value is not None]
    suppresses = not own or not all(isinstance(v, gast.Constant) and not v.value for v in gives)
    told = {*scopes.parameter_names(node.args)[1:]} if isinstance(node, gast.FunctionDef) else set()
    return Exit(suppresses, not suppresses and not _asks(node, told))


def _asks(node: gast.AST, told: set[str]) -> bool:
    """Whether code reads these parameters, or asks Python what is handled."""
    return any(
        (isinstance(each, gast.Name) and each.id in told and isinstance(each.ctx, gast.Load))
        or (isinstance(each, gast.Attribute) and each.attr in _ASKING)
        for each in trees.walk(node)
    )


_ASKING = frozenset({"exc_info", "exception", "format_exc", "print_exc"})


def _of_generator(node: gast.AST) -> Exit:
    if not isinstance(node, gast.FunctionDef):
        return Exit(suppresses=True, does_the_same=False)
    suppresses = any(
        isinstance(each, (gast.Try, gast.TryStar))
        and _yields(each.body)
        and (each.handlers or jumps_out(each.finalbody))
        for each in scopes.own_nodes(node.body)
    )
    return Exit(suppresses, not suppresses and _ends_in_yield(node.body) and not _asks(node, set()))


def _yields(body: Sequence[gast.stmt]) -> int:
    return sum(isinstance(each, (gast.Yield, gast.YieldFrom)) for each in scopes.own_nodes(body))


def _ends_in_yield(body: Sequence[gast.stmt]) -> bool:
    """Whether nothing follows the only `yield` but what is in `finally`, and what managers do that are asked themselves."""
    if _yields(body) != 1:
        return False
    match body[-1]:
        case gast.Expr(value=gast.Yield()) | gast.Assign(value=gast.Yield()):
            return True
        case gast.Try(body=inner, orelse=[], finalbody=final):
            return _ends_in_yield(inner) and not _yields(final)
        case gast.With(body=inner):
            return _ends_in_yield(inner)
    return False
