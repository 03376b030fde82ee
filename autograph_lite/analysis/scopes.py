"""Scopes: which names does a piece of code bind and read, and which does a nested function capture?

bound([...])      names bound by statements, in the order of their first binding
names_read(node)        names read by a node, those of nested functions included
captured(body)    names that functions defined in `body` may use later, whenever they are called
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import gast

from autograph_lite.syntax import trees
from autograph_lite.syntax.names import is_operators

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
BLOCKS = (gast.If, gast.While, gast.For, gast.With, gast.Try, gast.TryStar, gast.Match)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
# Builtins that exhaust a generator expression at once, so that it is no function that somebody calls later.
CONSUMERS = frozenset(
    {"sum", "any", "all", "min", "max", "list", "tuple", "set", "dict", "sorted", "frozenset"}
)


Known: TypeAlias = dict[gast.AST, dict[str, None]]


def bound(body: Iterable[gast.AST], known: Known | None = None) -> list[str]:
    """Names bound by `body` in this scope, in the order of their first binding.

    Args:
      body: statements or expressions.
      known: what statements bind is looked up and kept here; for as long as the tree does not change.
    """
    found: dict[str, None] = {}
    for node in body:
        _bind(node, found, known)
    return list(found)


def _bind(node: gast.AST, found: dict[str, None], known: Known | None) -> None:
    if known is None or not isinstance(node, gast.stmt):
        _bind_parts(node, found, known)
        return
    if node not in known:
        known[node] = {}
        _bind_parts(node, known[node], known)
    found.update(known[node])


def _bind_parts(node: gast.AST, found: dict[str, None], known: Known | None) -> None:
    if node.__class__ in _BINDS_NOTHING:
        for part in trees.children(node):
            if isinstance(part, gast.Name):
                if isinstance(part.ctx, gast.Store):
                    found[part.id] = None
            elif part.__class__ is not gast.Constant:
                _bind(part, found, known)
        return
    parts: Iterable[gast.AST] = ()
    match node:
        case gast.Name():
            if isinstance(node.ctx, gast.Store):
                found[node.id] = None
        case gast.Constant() | gast.Attribute(value=gast.Name(ctx=gast.Load())):
            pass
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef() | gast.Lambda():
            parts = _outside(node)
        case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
            # Only a walrus binds outside of the comprehension.
            parts = [inner.target for inner in trees.walk(node) if isinstance(inner, gast.NamedExpr)]
        case gast.Import() | gast.ImportFrom():
            found.update((alias.asname or alias.name.split(".")[0], None) for alias in node.names)
        case gast.Assign() | gast.AnnAssign() | gast.AugAssign() | gast.NamedExpr() if node.value is not None:
            parts = (node.value, *(part for part in trees.children(node) if part is not node.value))
        case _:
            if isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name:
                found[node.name] = None
            elif isinstance(node, gast.MatchMapping) and node.rest:
                found[node.rest] = None
            parts = trees.children(node)
    for part in parts:
        _bind(part, found, known)
    if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        found[node.name] = None


# The commonest nodes that bind nothing themselves, and none of whose parts is special.
_BINDS_NOTHING = frozenset({
    gast.Attribute, gast.BinOp, gast.BoolOp, gast.Call, gast.Compare, gast.Constant, gast.Expr, gast.If, gast.Return,
    gast.Subscript, gast.Tuple, gast.UnaryOp, gast.keyword,
})  # fmt: skip


def names_deleted(body: Iterable[gast.AST]) -> set[str]:
    """Names that `del` unbinds."""
    targets = [
        target for n in trees.statements(body, _SCOPES) if isinstance(n, gast.Delete) for target in n.targets
    ]
    return {n.id for n in own_nodes(targets) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Del)}


def names_read(node: gast.AST) -> frozenset[str]:
    """Names that `node` may read, whether now or when a function defined in it is called."""
    found = set()
    for n in trees.walk(node):
        if isinstance(n, gast.Name):
            if isinstance(n.ctx, gast.Load):
                found.add(n.id)
        elif isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
            found.add(n.target.id)
    return frozenset(found)


def declared(body: Iterable[gast.AST], *kinds: type[gast.Global] | type[gast.Nonlocal]) -> frozenset[str]:
    """Names that `global` statements of this scope name, or `nonlocal` ones; those of both if no kind is said."""
    wanted = kinds or (gast.Global, gast.Nonlocal)
    return frozenset(
        name for n in trees.statements(body, _SCOPES) if isinstance(n, wanted) for name in n.names
    )


def bound_by_others(nodes: Iterable[gast.AST]) -> set[str]:
    """Names bound by more than a `Name` among a scope's own nodes: shared with other scopes, defined, imported, matched."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case gast.Name() | gast.Attribute():
                pass
            case gast.Global(names=names) | gast.Nonlocal(names=names):
                found.update(names)
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
                inner = [n for n in trees.walk(node) if isinstance(n, gast.Nonlocal)]
                found.update((node.name, *(name for n in inner for name in n.names)))
            case gast.Import() | gast.ImportFrom() | gast.MatchAs() | gast.MatchStar() | gast.MatchMapping():
                found.update(bound([node]))
    return found


def own_nodes(body: Iterable[gast.AST]) -> Iterator[gast.AST]:
    """All nodes of `body` but the insides of nested functions and classes."""
    stack = [*body]
    stack.reverse()
    while stack:
        node = stack.pop()
        yield node
        kind = node.__class__
        if kind is gast.Name or kind is gast.Constant:
            continue
        inner = _outside(node) if kind in _SCOPES else trees.children(node)
        if inner:
            inner.reverse()
            stack += inner


_SCOPES = frozenset({gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef})


def _outside(node: gast.AST) -> list[gast.AST]:
    """What of a function or class is evaluated where it is defined."""
    match node:
        case gast.Lambda():
            return _argument_expressions(node.args)
        case gast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case gast.FunctionDef() | gast.AsyncFunctionDef():
            return [*node.decorator_list, *_argument_expressions(node.args)]
    return []


def captured(body: Iterable[gast.AST]) -> frozenset[str]:
    """Free names of the functions, classes and lazy generators defined in `body`, at any depth of statements."""
    found: set[str] = set()
    for node in body:
        found |= _captured(node, lazy_generators=True)
    return frozenset(found)


def _captured(node: gast.AST, *, lazy_generators: bool) -> set[str]:
    if isinstance(node, (*FUNCTIONS, gast.ClassDef)) or (
        isinstance(node, gast.GeneratorExp) and lazy_generators
    ):
        return set(free(node))
    if isinstance(node, gast.Call) and is_generated_call(node):
        # The lambdas that part 1 makes are called while the statement runs, and never again.
        parts = [a.body if isinstance(a, gast.Lambda) else a for a in node.args]
        return {name for part in parts for name in _captured(part, lazy_generators=True)}
    if isinstance(node, gast.Call) and _consumes(node):
        found = _captured(node.func, lazy_generators=True)
        for argument in (*node.args, *node.keywords):
            found |= _captured(argument, lazy_generators=False)
        return found
    found = set()
    for child in trees.children(node):
        # `lazy_generators` is False only for the argument itself, not for what lies in it.
        found |= _captured(child, lazy_generators=True)
    return found


def _consumes(call: gast.Call) -> bool:
    """Whether a generator expression among the arguments is exhausted before the call returns."""
    match call.func:
        case gast.Name(id=name):
            return name in CONSUMERS
        case gast.Attribute(attr="join"):
            return True
    return False


def is_generated_call(call: gast.Call) -> bool:
    """Whether a call is one that part 1 has made with a lambda."""
    match call.func:
        case gast.Attribute(value=gast.Name(id=root), attr="until" | "update_item" | "step"):
            return is_operators(root)
    return False


def free(function: gast.AST) -> frozenset[str]:
    """Names that a nested function, class or comprehension takes from the scopes around it."""
    body, own = _scope(function)
    names = set()
    for node in own_nodes(body):
        if isinstance(node, gast.Name) and node.id not in own:
            names.add(node.id)
        elif isinstance(node, gast.Nonlocal):
            names.update(node.names)
        if node is not function and isinstance(node, (*FUNCTIONS, gast.ClassDef, *COMPREHENSIONS)):
            names |= free(node) - own
    globals_ = declared(body, gast.Global)
    return frozenset(names - globals_)


def _scope(function: gast.AST) -> tuple[list[gast.AST], frozenset[str]]:
    """The nodes evaluated inside a scope and the names that are its own."""
    match function:
        case gast.Lambda():
            return [function.body], frozenset({*parameter_names(function.args), *bound([function.body])})
        case gast.FunctionDef() | gast.AsyncFunctionDef():
            body: list[gast.AST] = list(function.body)
            own = {*parameter_names(function.args), *bound(body), *names_deleted(body)}
            return body, frozenset(own - declared(body))
        case gast.ClassDef():
            # Names bound in a class body are not seen by its methods, but reads of them are harmless here.
            return list(function.body), frozenset()
    assert isinstance(function, COMPREHENSIONS)
    targets = [generator.target for generator in function.generators]
    return list(trees.children(function)), frozenset(bound(targets))


def parameter_names(args: gast.arguments) -> list[str]:
    """Names of all parameters, in the order of the signature."""
    positional = [*args.posonlyargs, *args.args]
    stars = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [a.id for a in (*positional, *args.kwonlyargs, *stars)]


def _argument_expressions(args: gast.arguments) -> list[gast.AST]:
    """Defaults and annotations: evaluated outside of the function."""
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(a for a in (args.vararg, args.kwarg) if a)]
    annotations = [a.annotation for a in named if a.annotation is not None]
    return [*args.defaults, *(d for d in args.kw_defaults if d is not None), *annotations]


def first_statement(body: Sequence[gast.stmt]) -> int:
    """The index of the first statement after a docstring, or after `global` and `nonlocal`."""
    match body:
        case [gast.Expr(value=gast.Constant(value=str())), *_]:
            return 1
    index = 0
    while index < len(body) and isinstance(body[index], (gast.Global, gast.Nonlocal)):
        index += 1
    return index
