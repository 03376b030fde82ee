"""Compiled definitions: is one that of a function? It is if it compiles to the code that the function has.

    import jax.numpy as jnp         # a name that the same compilation imports is called in another way, since Python 3.12
    def f(x):                       # compiled alone, in a function whose parameters are what `f` takes from around it
        return jnp.sin(x) + rate

A file is compiled as a whole, a cell or a block at the prompt statement by statement. Where the code was first is not
compared, nor what only tells of it: lines, columns, qualified names.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from autograph_lite.syntax.source_text import compiling

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"

_ITERABLE_COROUTINE = 0x100  # set by types.coroutine
_METHOD = 0x8000000  # set by Python 3.14 where a class is around
_AROUND = inspect.CO_NESTED | _ITERABLE_COROUTINE | _METHOD  # flags that the body has no part in
_NAME = "__autograph_lite_definition__"


def compiles_to(
    node: Definition, code: types.CodeType, enclosing_class: str | None, imports: Iterable[frozenset[str]]
) -> bool:
    """Whether `node`, without its decorators, defaults and annotations, compiles to `code`.

    Args:
      node: it is not changed.
      code: of a function.
      enclosing_class: the class whose private names the definition sees.
      imports: the names that were imported where it was compiled, for each way in which that may have been.
    """
    ways = dict.fromkeys((names, False) for names in imports)
    # Is called in another way where the module speaks of it outside of functions, too.
    if "super" in code.co_names:
        ways |= dict.fromkeys((names, True) for names, _ in ways)
    for names, super_is_named in ways:
        made = _compiled(node, code, enclosing_class, names, super_is_named)
        if made is not None and _same(made, code):
            return True
    return False


def imported(statements: Iterable[ast.AST]) -> frozenset[str]:
    """The names that statements import, outside of the functions and classes in them."""
    return frozenset(_imported(statements))


def _imported(statements: Iterable[ast.AST]) -> Iterator[str]:
    for each in statements:
        if isinstance(each, ast.Import):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in each.names)
        elif isinstance(each, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in each.names)
        elif isinstance(each, _BLOCKS):
            yield from _imported(ast.iter_child_nodes(each))


_BLOCKS = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.ExceptHandler),
    *(ast.With, ast.AsyncWith, ast.Match, ast.match_case),
)


def _compiled(
    node: Definition,
    code: types.CodeType,
    enclosing_class: str | None,
    names: frozenset[str],
    super_is_named: bool,
) -> types.CodeType | None:
    line = node.lineno
    place: dict[str, Any] = {"lineno": line, "col_offset": 0, "end_lineno": line, "end_col_offset": 0}
    body: list[ast.stmt] = [_bare(node, place)]
    if enclosing_class is not None:
        kind = ast.ClassDef(
            name=enclosing_class, bases=[], keywords=[], body=body, decorator_list=[], **place
        )
        setattr(kind, "type_params", [])  # noqa: B010
        # The function may name the class, which is no variable of the function around it but where the code says so.
        known = enclosing_class in code.co_freevars
        body = [kind] if known else [ast.Global([enclosing_class], **place), kind]
    taken = [ast.arg(name, **place) for name in code.co_freevars]
    around = ast.FunctionDef(_NAME, _parameters(taken), body, [], None, None, **place)
    setattr(around, "type_params", [])  # noqa: B010
    statements: list[ast.stmt] = [around]
    if names:
        statements.append(ast.Import([ast.alias(name, **place) for name in sorted(names)], **place))
    if super_is_named:
        statements.append(ast.Expr(ast.Name("super", ast.Load(), **place), **place))
    try:
        made = compiling.compile_module(
            ast.Module(statements, []), code.co_filename, code.co_flags & compiling.FEATURES
        )
    except (SyntaxError, ValueError):
        return None
    for _ in range(2 if enclosing_class is None else 3):
        made = next(const for const in made.co_consts if isinstance(const, types.CodeType))
    return made


def _bare(node: Definition, place: dict[str, Any]) -> ast.stmt:
    args = node.args
    plain = [ast.arg(each.arg, **place) for each in (*args.posonlyargs, *args.args)]
    parameters = _parameters(plain[len(args.posonlyargs) :])
    parameters.posonlyargs = plain[: len(args.posonlyargs)]
    parameters.vararg = args.vararg and ast.arg(args.vararg.arg, **place)
    parameters.kwarg = args.kwarg and ast.arg(args.kwarg.arg, **place)
    parameters.kwonlyargs = [ast.arg(each.arg, **place) for each in args.kwonlyargs]
    parameters.kw_defaults = [None] * len(args.kwonlyargs)
    if isinstance(node, ast.Lambda):
        return ast.Expr(ast.Lambda(parameters, node.body, **place), **place)
    # Its own name would be a variable of the function around it, and hide a global that it calls.
    bare = type(node)(_NAME, parameters, node.body, [], None, None, **place)
    setattr(bare, "type_params", [])  # noqa: B010
    return bare


def _parameters(args: list[ast.arg]) -> ast.arguments:
    return ast.arguments([], args, None, [], [], None, [])


def _same(made: types.CodeType, code: types.CodeType) -> bool:
    return (
        made.co_code == code.co_code
        and _shape(made) == _shape(code)
        and len(made.co_consts) == len(code.co_consts)
        and all(
            _same_constants(ours, theirs, made, code)
            for ours, theirs in zip(made.co_consts, code.co_consts, strict=True)
        )
    )


def _shape(code: types.CodeType) -> tuple[Any, ...]:
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~_AROUND
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    return (*counts, *names, code.co_exceptiontable)


def _same_constants(ours: Any, theirs: Any, made: types.CodeType, code: types.CodeType) -> bool:
    if isinstance(ours, types.CodeType):
        return isinstance(theirs, types.CodeType) and ours.co_name == theirs.co_name and _same(ours, theirs)
    if not made.co_flags & inspect.CO_OPTIMIZED and ours == made.co_qualname:
        return bool(theirs == code.co_qualname)  # a class tells its name, and since 3.13 its line
    if not made.co_flags & inspect.CO_OPTIMIZED and (ours, theirs) == (
        made.co_firstlineno,
        code.co_firstlineno,
    ):
        return True
    return bool(_key(ours) == _key(theirs))


def _key(value: Any) -> Any:
    """What tells constants apart that are equal: 1 and 1.0, 0.0 and -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    if isinstance(value, frozenset):
        return frozenset(map(_key, value))
    return type(value), repr(value) if isinstance(value, (float, complex)) else value
