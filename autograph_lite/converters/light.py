"""Which code runs where nothing is traced? A second, light body: Python's control flow, with calls converted.

    def f(x):                             def f(x):
        if x > 0:                             if ag.begins(x):
            x = g(x)                              try:
        return x                                      if x > 0:
                                                          x = ag.light(g)(x)
                                                      return x
                                                  finally:
                                                      if ag.open_scopes:
                                                          ag.ends()
                                              try:
                                                  (the converted body)
                                              except ag.Failure as error:
                                                  ag.explain(error)
                                                  raise

Calls are converted there too, because what is called may hand functions to JAX. A function that somebody else
may call, under a trace, has both bodies: the one that is converted, those defined in it, and lambdas. What is
called from outside says where it begins and ends, so that in between the special methods of the user's classes
are converted ones (`operators.classes`), and an error about a traced value is one of ours; those defined in it
ask `ag.untraced()` alone. The callee of `ag.light` has the light body alone, since its caller has asked already. A
call by name remembers the first function that it calls,
`ag_known[1] if ag_known[0] is g else ag.light_at(g, ag_known, 0)`, which takes a quarter of the time of `ag.light(g)`.
Items are written through operators here too, so that arrays are updated as they are under a trace. Where `jax.vmap` or
`jax.grad` calls a function that says where it begins, this begins again, `ag.begun_again()`, and is recorded first.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import always_returns, blocks
from autograph_lite.analysis.views import AROUND
from autograph_lite.converters import PASSES, calls, functions_in, mutations, opaque, subscripts
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

# Builtins that call no function handed to them.
BARE = calls.BARE | {
    "range", "len", "abs", "enumerate", "zip", "reversed", "sum", "any", "all", "int", "float", "bool",
    "round", "divmod", "list", "tuple", "dict", "set", "frozenset", "print", "getattr", "setattr", "pow",
    "iter", "next", "StopIteration", "callable", "hasattr", "id", "isinstance", "issubclass", "ord", "type",
}  # fmt: skip
# Of Python's own classes: they hand nothing of the user's to anybody; `sort` does.
METHODS = frozenset(
    name
    for kind in (list, dict, set, str, collections.deque)
    for name in dir(kind)
    if not name.startswith("_")
) - {"sort"}
# What writes items where nothing is traced.
UNTRACED = {
    "set_item": "put", "store": "put_at", "store_shared": "put_shared", "update_item": "update_at",
    "update_shared": "update_at_shared",
}  # fmt: skip
SYMBOLS = {symbol: op for op, symbol in subscripts.AUGMENTED.items()}
EXPRESSIONS = tuple(
    step for step in PASSES if step.part == 2 and step.run is not None and step.name != "tidy"
)


def with_light_body(
    plain: Any,
    full: Any,
    functions: Sequence[gast.FunctionDef],
    context: Context,
    form: str,
    around: Sequence[str],
) -> Any:
    """The tree of a function with its light body.

    Args:
      plain: a copy of the tree as it was before the passes; changed in place.
      full: the tree after the passes.
      functions: what `functions_in(full)` was before the passes.
      context: the passes'.
      form: "light", "both" or "entered": whether the function itself keeps its converted body, too, and says where it
        begins and ends; those defined in it always keep theirs.
      around: variables from around it that may hold objects of the user's.
    """
    if opaque.is_opaque(full) if not isinstance(full, gast.Lambda) else False:
        return full  # its control flow is Python's already
    pairs = list(zip(functions_in(plain), functions, strict=True))
    light = [function for function, _ in pairs if not opaque.is_opaque(function)]
    for function in light:
        subscripts.run(function, context)
    mutations.rewrite_lost_stores(plain, context)
    _LightCalls(context, trees.names_bound(plain), calls.first_parameter(plain)).generic_visit(plain)
    for function, converted in pairs:
        if function not in light:
            function.body = converted.body
        elif form != "light" or function is not plain:
            entry = _entry(plain, context, around) if form == "entered" and function is plain else None
            function.body = _bodies(function.body, converted.body, context, entry)
    if isinstance(plain, gast.Lambda) and form == "both":
        plain.body = _either(plain.body, full.body, context)
    elif isinstance(plain, gast.Lambda) and form == "entered":
        text = (
            "ag.ending(lambda: light) if begins"
            " else ag.begun_again() if ag.begins_computed() else ag.explaining(lambda: full)"
        )
        begins = _entry(plain, context, around)
        both = quote.expr(text, ag=context.ag, light=plain.body, full=full.body, begins=begins)
        plain.body = quote.located(both, plain.body)
    return plain


def _entry(function: gast.FunctionDef | gast.Lambda, context: Context, around: Sequence[str]) -> gast.expr:
    """The test with which a function begins that is called from outside; it is told of the objects that it may meet."""
    names: list[gast.expr] = [quote.constant(name) for name in around]
    call = quote.expr("ag.begins()", ag=context.ag)
    assert isinstance(call, gast.Call)
    call.args = [quote.name(parameter) for parameter in scopes.parameter_names(function.args)]
    if names:
        call.keywords = [gast.keyword("around", gast.Tuple(names, gast.Load()))]
    return call


class _LightCalls(calls.Calls):
    def __init__(self, context: Context, shadowed: set[str], first: str | None) -> None:
        super().__init__(context, shadowed, first, "light", BARE)
        self.at_once: set[int] = set()  # the lambdas that operators call where they stand

    def may_select(self, node: gast.Call) -> bool:
        return False  # Python knows all lengths

    def visit_Call(self, node: gast.Call) -> gast.AST:
        match node.func:
            case gast.Attribute(value=gast.Name(id=self.context.ag), attr=name) as callee if name in UNTRACED:
                if name.startswith("update"):  # a lambda that is stored is the user's, and called elsewhere
                    self.at_once.add(id(node.args[-1]))
                node.args = _indexed(name, node.args)
                callee.attr, node.args = _untraced(name, node.args)
            case gast.Attribute(value=gast.Name(id=self.context.ag), attr="step"):
                self.at_once.add(id(node.args[0]))
                self.generic_visit(node)
                return node
        called = super().visit_Call(node)
        match node.func:
            case gast.Call(func=gast.Attribute(attr="light"), args=[gast.Name(id=name)]):
                node.func = quote.located(self._remembered(name), node.func)
            case gast.Call(
                func=gast.Attribute(attr="light") as operator, args=[gast.Attribute(attr="flatten")]
            ):
                operator.attr = "copying"
            case gast.Call(
                func=gast.Attribute(attr="light"), args=[gast.Attribute(value=gast.Name(id=name), attr=attr)]
            ) if attr in METHODS:
                node.func = quote.located(self._own_method(name, attr), node.func)
        return called

    def _own_method(self, name: str, attr: str) -> gast.expr:
        """What to call for a method that may be one of Python's own classes."""
        method = gast.Attribute(quote.name(name), attr, gast.Load())
        return quote.expr(
            "method if owner.__class__ in ag.BUILTIN else ag.light(again)",
            ag=self.context.ag, owner=name, method=method, again=trees.copy_tree(method),
        )  # fmt: skip

    def _remembered(self, name: str) -> gast.expr:
        """What to call for the function called `name`."""
        index = 2 * self.context.sites
        self.context.sites += 1
        return quote.expr(
            "known[light] if known[own] is callee else ag.light_at(callee, known, own)",
            ag=self.context.ag, known=self.context.known, callee=name,
            own=quote.constant(index), light=quote.constant(index + 1),
        )  # fmt: skip

    def visit_For(self, node: gast.For) -> gast.AST:
        """A loop over a part of an array, which its body may write."""
        node.iter = self._each(node.iter)
        self.generic_visit(node)
        return node

    def _each(self, iterable: gast.expr) -> gast.expr:
        match iterable:
            case gast.Call(func=gast.Name(id=name)) if name in BARE - AROUND:
                return iterable
            case gast.Subscript() | gast.Attribute() | gast.Call():
                return quote.expr_at(iterable, "ag.each(items)", ag=self.context.ag, items=iterable)
        return iterable

    def visit_Assign(self, node: gast.Assign) -> gast.AST:
        match node.value:
            case gast.Call(
                func=gast.Attribute(value=gast.Name(id=self.context.ag), attr="set_item"),
                args=[gast.Name(id=name) as base, index, gast.Name() | gast.Constant() as value],
            ):
                item = gast.Subscript(trees.copy_tree(base), trees.copy_tree(index), gast.Store())
                stored = gast.Assign([item], trees.copy_tree(value), None)
                self.generic_visit(stored)
                self.generic_visit(node)
                return self._either_store(name, stored, node)
        return self._updated(node, "update_item")

    def visit_Expr(self, node: gast.Expr) -> gast.AST | list[gast.stmt]:
        match node.value:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=self.context.ag), attr=name), args=args):
                node.value.args = _indexed(name, args)
        match node.value:
            case gast.Call(
                func=gast.Attribute(value=gast.Name(id=self.context.ag), attr="update_item"),
                args=[
                    gast.Name() as base,
                    gast.Constant() as attribute,
                    gast.Tuple(elts=[index]),
                    gast.Constant(value=symbol),
                    gast.Lambda(body=value),
                ],
            ):
                owner = self.context.fresh("owner")
                read = quote.located(quote.assign([owner], _read(base, attribute)), node)
                plain = self._plain(quote.name(owner), index, symbol, value)
                self.generic_visit(node)
                assert isinstance(node.value, gast.Call)
                node.value.args[2] = quote.name(owner)
                # What holds the owner on would keep an array of NumPy's from being resized.
                done = gast.Delete([quote.name(owner, gast.Del)])
                return [read, self._either_store(owner, plain, node), quote.located(done, node)]
        return self._updated(node, "update_shared")

    def _plain(self, base: gast.expr, index: gast.expr, symbol: str, value: gast.expr) -> gast.stmt:
        """`base[index] += value`, with calls converted."""
        base, index, value = map(trees.copy_tree, (base, index, value))
        plain = gast.AugAssign(gast.Subscript(base, index, gast.Store()), SYMBOLS[symbol](), value)
        self.generic_visit(plain)
        return plain

    def _either_store(self, owner: str, plain: gast.stmt, ours: gast.stmt) -> gast.stmt:
        test = quote.expr("x.__class__ in ag.CHANGED", ag=self.context.ag, x=owner)
        return quote.located(gast.If(test, [plain], [ours]), ours)

    def _updated(self, node: gast.Assign | gast.Expr, operator: str) -> gast.AST:
        """`ag.update_item(x, (i,), '+=', lambda: v)` as Python's own statement for what Python changes in place."""
        match node.value:
            case gast.Call(
                func=gast.Attribute(value=gast.Name(id=self.context.ag), attr=attr),
                args=[
                    gast.Name(id=name) as base,
                    gast.Tuple(elts=[index]),
                    gast.Constant(value=symbol),
                    gast.Lambda(body=value),
                ],
            ) if attr == operator:
                plain = self._plain(base, index, symbol, value)
                self.generic_visit(node)
                return self._either_store(name, plain, node)
        self.generic_visit(node)
        return node

    def visit_Lambda(self, node: gast.Lambda) -> gast.AST:
        if id(node) in self.at_once:
            self.generic_visit(node)
            return node
        converted = trees.copy_tree(node)
        for step in EXPRESSIONS:
            assert step.run is not None
            step.run(converted, self.context)
        self.generic_visit(node)
        node.body = _either(node.body, converted.body, self.context)
        return node


def _indexed(name: str, args: list[gast.expr]) -> list[gast.expr]:
    """The arguments with the index itself where the owner of the item is read before it anyway."""
    match name, args:
        case "store", [value, gast.Name() as base, gast.Constant() as attribute, gast.Call() as step]:
            return [value, base, attribute, _index(step)]
        case "update_item", [gast.Name() as base, gast.Constant() as attribute, gast.Call() as step, _, _]:
            return [base, attribute, _index(step), *args[3:]]
    return args


def _index(step: gast.Call) -> gast.expr:
    index = step.args[0]
    assert isinstance(index, gast.Lambda)
    return gast.Tuple([index.body], gast.Load())


def _untraced(name: str, args: list[gast.expr]) -> tuple[str, list[gast.expr]]:
    """The operator that writes an item where nothing is traced, a quicker one for the commonest targets; its arguments."""
    match name, args:
        case "store", [value, gast.Name() as base, gast.Constant() as attribute, gast.Tuple(elts=[index])]:
            return "put_of", [value, base, attribute, _read(base, attribute), index]
        case "store_shared", [value, base, gast.Tuple(elts=[index])]:
            return "put_into", [value, base, index]
        case "update_item", [
            gast.Name() as base,
            gast.Constant() as attribute,
            gast.Tuple(elts=[index]),
            _,
            _,
        ]:
            return "update_of", [base, attribute, _read(base, attribute), index, *args[3:]]
    return UNTRACED[name], args


def _read(base: gast.Name, attribute: gast.Constant) -> gast.expr:
    return gast.Attribute(quote.name(base.id), attribute.value, gast.Load())


def _either(light: gast.expr, full: gast.expr, context: Context) -> gast.expr:
    text = "light if ag.untraced() else full"
    return quote.expr_at(light, text, ag=context.ag, light=light, full=full)


def _bodies(
    light: list[gast.stmt], full: list[gast.stmt], context: Context, entry: gast.expr | None = None
) -> list[gast.stmt]:
    """The test and the light body, then the converted one; docstring and declarations come first, once."""
    kept = light[:1] if _is_text(light[0]) else []
    light, full = light[len(kept) :], full[1:] if _is_text(full[0]) else full
    origin = (light or kept)[0]
    for kind in (gast.Nonlocal, gast.Global):
        if names := sorted(scopes.declared([*light, *full], kind)):
            kept.append(quote.located(kind(names), origin))
    light, full = _undeclared(light), _undeclared(full)
    if not always_returns(light):
        light.append(gast.Return(None))
    if entry is not None:
        light = [gast.Try(light, [], [], quote.stmts("if ag.open_scopes:\n    ag.ends()", ag=context.ag))]
        raised = context.fresh("error")
        told = quote.stmts("ag.explain(error)\nraise", ag=context.ag, error=raised)
        caught = quote.expr("ag.Failure", ag=context.ag)  # the user may have another `Exception`
        handler = gast.ExceptHandler(caught, quote.name(raised, gast.Store), told)
        full = [quote.located(gast.Try(full, [handler], [], []), origin)]
        if not scopes.declared(kept, gast.Nonlocal):
            again = quote.stmts("if ag.begins_computed():\n    return ag.begun_again()", ag=context.ag)
            full = [*(quote.located(each, origin) for each in again), *full]
    test = gast.If(entry or quote.expr("ag.untraced()", ag=context.ag), light, [])
    return [*kept, quote.located(test, origin), *full]


def _is_text(node: gast.stmt) -> bool:
    return (
        isinstance(node, gast.Expr)
        and isinstance(node.value, gast.Constant)
        and isinstance(node.value.value, str)
    )


def _undeclared(body: list[gast.stmt]) -> list[gast.stmt]:
    """`body` without `global` and `nonlocal`."""
    for node in body:
        for inner in blocks(node):
            if inner:
                inner[:] = _undeclared(inner) or [quote.located(gast.Pass(), node)]
    return [node for node in body if not isinstance(node, (gast.Global, gast.Nonlocal))]
