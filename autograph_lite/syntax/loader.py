"""Loading: how does a converted tree become a function that takes the place of the user's own?

The tree is compiled under the user's file name, with the user's line and column numbers, inside a factory
whose parameters are the names that the function takes from around it:

    def factory(ag, rate):          # what is handed in, and the function's own closure
        def step(x): ...

The factory never runs. Its only use is that Python compiles `step` with `ag` and `rate` as free variables;
the function is then made from that code, the user's globals and the user's own closure cells. So defaults,
decorators and annotations are not evaluated again, and nothing is added to the user's module.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
from collections.abc import Iterable, Mapping
from typing import Any

import gast

from autograph_lite.syntax import codes, translation
from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.mangling import class_in, mangled, unmangled
from autograph_lite.syntax.source_text import compiling

_FACTORY = "__autograph_lite_factory__"
_NAME = "__autograph_lite_function__"
_ITERABLE_COROUTINE = 0x100  # set by types.coroutine; no syntax gives it


def load_function(
    node: gast.AST,
    fn: types.FunctionType,
    injected: Mapping[str, object],
    generated: frozenset[str] = frozenset(),
) -> types.FunctionType:
    """The function that `node` defines, in place of `fn`.

    Args:
      node: the converted FunctionDef, AsyncFunctionDef or Lambda; not changed.
      fn: the user's function. Globals, closure cells, defaults and `__dict__`'s values are shared with it.
      injected: what generated code refers to, by names that the tree does not use otherwise.
      generated: names of functions in the tree that the user did not write: tracebacks show the user's.
    """
    with deep_recursion():
        code = _compiled(node, fn.__code__, dict.fromkeys([*fn.__code__.co_freevars, *injected]))
    name, qualname = fn.__code__.co_name, fn.__code__.co_qualname
    code = _Renaming(generated)(code, name, qualname, class_in(qualname))
    code = code.replace(co_flags=code.co_flags | fn.__code__.co_flags & _ITERABLE_COROUTINE)
    for each in codes.nested_codes(code):
        _converted[each] = None
    return function_from_code(code, fn, injected)


_converted = codes.ByCode[None]()


def is_loaded(code: types.CodeType) -> bool:
    """Whether `code` is that of a function made by `load_function`, or of a piece of one."""
    return code in _converted


def function_from_code(
    code: types.CodeType, fn: types.FunctionType, injected: Mapping[str, object]
) -> types.FunctionType:
    """A function in place of `fn` that runs `code`, made by `load_function` for a function of the same code."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    cells |= {name: types.CellType(value) for name, value in injected.items()}
    closure = tuple(cells[name] for name in code.co_freevars)
    new = types.FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    return _like(new, fn)


def _like(new: types.FunctionType, fn: types.FunctionType) -> types.FunctionType:
    """`new` with the attributes of `fn`."""
    new.__kwdefaults__ = fn.__kwdefaults__
    new.__qualname__, new.__module__, new.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
    annotate = getattr(fn, "__annotate__", None)  # Python 3.14: evaluated when asked for, and not before
    if annotate is not None:
        setattr(new, "__annotate__", annotate)  # noqa: B010
    else:
        new.__annotations__ = fn.__annotations__
    if type_params := getattr(fn, "__type_params__", ()):
        setattr(new, "__type_params__", type_params)  # noqa: B010
    new.__dict__.update(fn.__dict__)
    return new


def _compiled(node: gast.AST, code: types.CodeType, outside: Iterable[str]) -> types.CodeType:
    line = code.co_firstlineno
    definition = translation.to_python(node, (line, 0, line, 0))
    assert isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    _strip(definition)
    place: dict[str, Any] = {"lineno": line, "col_offset": 0, "end_lineno": line, "end_col_offset": 0}
    body = ast.Expr(definition, **place) if isinstance(definition, ast.Lambda) else definition
    parameters = ast.arguments([], [ast.arg(name, **place) for name in outside], None, [], [], None, [])
    factory = ast.FunctionDef(_FACTORY, parameters, [body], [], None, None, **place)
    setattr(factory, "type_params", [])  # noqa: B010
    compiled = compiling.compile_module(
        ast.Module([factory], []), code.co_filename, code.co_flags & compiling.FEATURES
    )
    return _only_code(_only_code(compiled))


def _strip(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
    """Drops what Python evaluates where a function is defined: it was, and `fn` holds the results."""
    args = definition.args
    args.defaults, args.kw_defaults = [], [None] * len(args.kwonlyargs)
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None:
            arg.annotation = None
    if isinstance(definition, ast.Lambda):
        return
    definition.name = _NAME  # its own would be a variable of the factory, and hide a global that `fn` calls
    definition.returns = None
    setattr(definition, "type_params", [])  # noqa: B010
    # A constant in place of the first decorator: the function's first line stays that of the decorator.
    first = definition.decorator_list[:1]
    definition.decorator_list = [ast.copy_location(ast.Constant(None), decorator) for decorator in first]


def _only_code(code: types.CodeType) -> types.CodeType:
    (inner,) = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return inner


@dataclasses.dataclass(frozen=True)
class _Renaming:
    """Gives code objects the names that they have in the user's program."""

    generated: frozenset[str]

    def __call__(self, code: types.CodeType, name: str, qualname: str, private: str | None) -> types.CodeType:
        """`code` as `name`, and what is defined in it accordingly; `private` is the class around it."""
        if _is_class_body(code):
            private = name
        shown = {code.co_qualname: qualname} if code.co_qualname.startswith(_FACTORY) else {}
        inner = {
            index: self._inner(const, code.co_qualname, name, qualname, private)
            for index, const in enumerate(code.co_consts)
            if isinstance(const, types.CodeType)
        }
        # Classes are named by constants: their bodies hold `__qualname__`, the code around them `__name__`.
        shown |= {mangled(c.co_name, private): c.co_name for c in inner.values() if _is_class_body(c)}
        consts = [
            inner.get(index) or (shown.get(const, const) if isinstance(const, str) else const)
            for index, const in enumerate(code.co_consts)
        ]
        return code.replace(co_name=name, co_qualname=qualname, co_consts=tuple(consts))

    def _inner(
        self, code: types.CodeType, compiled: str, name: str, qualname: str, private: str | None
    ) -> types.CodeType:
        if code.co_name in self.generated:
            return self(code, name, qualname, private)
        user_name = unmangled(code.co_name, private)
        if code.co_qualname.startswith(compiled + "."):  # no prefix: the name is declared global
            path = code.co_qualname.removeprefix(compiled).removesuffix(code.co_name)
            return self(code, user_name, qualname + path + user_name, private)
        return self(code, user_name, code.co_qualname, private)


def _is_class_body(code: types.CodeType) -> bool:
    return not code.co_flags & inspect.CO_OPTIMIZED
