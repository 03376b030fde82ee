"""Which names does a piece of code bind and read, and which does a nested function capture?

    bound([...])      names bound by statements, in the order of their first binding
    read(node)        names read by a node, those of nested functions included
    captured(body)    names that functions defined in `body` may use later, whenever they are called
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
# Builtins that exhaust a generator expression at once, so that it is no function that somebody calls later.
CONSUMERS = frozenset({"sum", "any", "all", "min", "max", "list", "tuple", "set", "dict", "sorted", "frozenset"})


def bound(body: Iterable[gast.AST]) -> list[str]:
    """Names bound by `body` in this scope, in the order of their first binding."""
    found: dict[str, None] = {}
    for node in body:
        found.update(dict.fromkeys(_bound(node)))
    return list(found)


def _bound(node: gast.AST) -> Iterator[str]:
    match node:
        case gast.FunctionDef() | gast.AsyncFunctionDef():
            for outer in (*node.decorator_list, *_argument_expressions(node.args)):
                yield from _bound(outer)
            yield node.name
            return
        case gast.ClassDef():
            for outer in (*node.decorator_list, *node.bases, *node.keywords):
                yield from _bound(outer)
            yield node.name
            return
        case gast.Lambda():
            for outer in _argument_expressions(node.args):
                yield from _bound(outer)
            return
        case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
            # Only a walrus binds outside of the comprehension.
            for inner in gast.walk(node):
                if isinstance(inner, gast.NamedExpr) and isinstance(inner.target, gast.Name):
                    yield inner.target.id
            return
        case gast.Name(ctx=gast.Store()):
            yield node.id
        case gast.Import() | gast.ImportFrom():
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0]
        case gast.MatchAs() | gast.MatchStar() if node.name:
            yield node.name
        case gast.MatchMapping() if node.rest:
            yield node.rest
        case gast.NamedExpr():
            yield from _bound(node.value)
            yield from _bound(node.target)
            return
        case gast.Assign() | gast.AnnAssign() | gast.AugAssign() if node.value is not None:
            yield from _bound(node.value)
    for child in gast.iter_child_nodes(node):
        yield from _bound(child)


def deleted(body: Iterable[gast.AST]) -> set[str]:
    """Names that `del` unbinds."""
    return {n.id for n in own_nodes(body) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Del)}


def read(node: gast.AST) -> frozenset[str]:
    """Names that `node` may read, whether now or when a function defined in it is called."""
    found = {n.id for n in gast.walk(node) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)}
    for n in gast.walk(node):
        if isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
            found.add(n.target.id)
    return frozenset(found)


def declared(body: Iterable[gast.AST], kind: type[gast.AST]) -> frozenset[str]:
    """Names that `global` (or `nonlocal`) statements of this scope name."""
    return frozenset(name for n in own_nodes(body) if isinstance(n, kind) for name in n.names)


def own_nodes(body: Iterable[gast.AST]) -> Iterator[gast.AST]:
    """All nodes of `body` but the insides of nested functions and classes."""
    for node in body:
        yield node
        match node:
            case gast.FunctionDef() | gast.AsyncFunctionDef():
                yield from own_nodes((*node.decorator_list, *_argument_expressions(node.args)))
            case gast.Lambda():
                yield from own_nodes(_argument_expressions(node.args))
            case gast.ClassDef():
                yield from own_nodes((*node.decorator_list, *node.bases, *node.keywords))
            case _:
                yield from own_nodes(gast.iter_child_nodes(node))


def captured(body: Iterable[gast.AST]) -> frozenset[str]:
    """Free names of the functions, classes and lazy generators defined in `body`, at any depth of statements."""
    found: set[str] = set()
    for node in body:
        found |= _captured(node, lazy_generators=True)
    return frozenset(found)


def _captured(node: gast.AST, *, lazy_generators: bool) -> set[str]:
    if isinstance(node, (*FUNCTIONS, gast.ClassDef)) or (isinstance(node, gast.GeneratorExp) and lazy_generators):
        return set(free(node))
    if isinstance(node, gast.Call) and _is_ours(node):
        # The lambdas that part 1 makes are called while the statement runs, and never again.
        parts = [a.body if isinstance(a, gast.Lambda) else a for a in node.args]
        return {name for part in parts for name in _captured(part, lazy_generators=True)}
    if isinstance(node, gast.Call) and _consumes(node):
        found = _captured(node.func, lazy_generators=True)
        for argument in (*node.args, *node.keywords):
            found |= _captured(argument, lazy_generators=False)
        return found
    found = set()
    for child in gast.iter_child_nodes(node):
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


def _is_ours(call: gast.Call) -> bool:
    """Whether a call is one that part 1 has made with a lambda."""
    match call.func:
        case gast.Attribute(value=gast.Name(id=root), attr="until" | "update_item"):
            return bool(root.startswith("ag"))
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
            return [function.body], frozenset({*parameters(function.args), *bound([function.body])})
        case gast.FunctionDef() | gast.AsyncFunctionDef():
            body: list[gast.AST] = list(function.body)
            own = {*parameters(function.args), *bound(body), *deleted(body)}
            return body, frozenset(own - declared(body, gast.Nonlocal) - declared(body, gast.Global))
        case gast.ClassDef():
            # Names bound in a class body are not seen by its methods, but reads of them are harmless here.
            return list(function.body), frozenset()
    targets = {
        n.id
        for generator in function.generators
        for n in gast.walk(generator.target)
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
    }
    return list(gast.iter_child_nodes(function)), frozenset(targets)


def parameters(args: gast.arguments) -> list[str]:
    """Names of all parameters, in the order of the signature."""
    positional = [*args.posonlyargs, *args.args]
    stars = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [a.id for a in (*positional, *args.kwonlyargs, *stars)]


def _argument_expressions(args: gast.arguments) -> list[gast.AST]:
    """Defaults and annotations: evaluated outside of the function."""
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(a for a in (args.vararg, args.kwarg) if a)]
    annotations = [a.annotation for a in named if a.annotation is not None]
    return [*args.defaults, *(d for d in args.kw_defaults if d is not None), *annotations]
