"""Instrumentation: what would a function be that tells the values of its variables after each statement?

y = 2 * x                       y = 2 * x
if y > limit:                   probe(0, y)
    y = limit                   if y > limit:
return y                            y = limit
                                    probe(1, y)
                                probe(2, y)
                                probe(3)
                                return y

Functions that it calls may be made to tell, too: `helper(x)` becomes `into(helper)(x)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast

from autograph_lite.analysis import scopes
from autograph_lite.syntax import trees

_LEAVES = (gast.Return, gast.Break, gast.Continue, gast.Raise)
_SILENT = (gast.Global, gast.Nonlocal, gast.Import, gast.ImportFrom, gast.Pass, gast.FunctionDef, gast.ClassDef,
           gast.AsyncFunctionDef)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Site:
    """A place after a statement, or before one that leaves."""

    line: int  # of the statement, or of the head of one that has others in it
    shown: tuple[str, ...]  # what may have changed there, as the user calls it


Wanted = Callable[[int, str], bool]  # of a site and of what may have changed there


def follow(function: gast.FunctionDef, name: str, follows: Callable[[str], bool]) -> None:
    """Lets what a function calls be what `name` gives for it, in place.

    Args:
      function: a definition.
      name: of what is called with each function that is to tell, too.
      follows: whether that is so for what stands under a name.
    """
    following = _Following(name, follows)
    function.body = [following.visit(statement) for statement in function.body]


class _Following(trees.Transformer):
    def __init__(self, name: str, follows: Callable[[str], bool]) -> None:
        self._name, self._follows = name, follows

    def visit_Call(self, node: gast.Call) -> gast.Call:
        self.generic_visit(node)
        if self._follows(trees.dotted(node.func)):
            called = gast.Call(_name(self._name), [node.func], [])
            node.func = gast.copy_location(called, node.func)
            gast.copy_location(called.func, called)
        return node

    def _leave(self, node: gast.AST) -> gast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave


def insert_probes(function: gast.FunctionDef, name: str, wanted: Wanted) -> list[Site]:
    """Adds calls of `name` to a function, in place.

    Args:
      function: a definition; not a lambda.
      name: of what is called with the number of the site, and with what is wanted there.
      wanted: what that is.

    Returns:
      The sites, by their numbers: the same for the same function, whatever is wanted.
    """
    inserting = _Inserting(name, wanted)
    start = scopes.first_statement(function.body)
    known = frozenset(scopes.parameter_names(function.args))
    function.body[start:] = inserting.block(function.body[start:], known)
    return inserting.sites


class _Inserting:
    def __init__(self, name: str, wanted: Wanted) -> None:
        self._name, self._wanted = name, wanted
        self.sites: list[Site] = []

    def block(self, body: Sequence[gast.stmt], known: frozenset[str]) -> list[gast.stmt]:
        """Statements with calls after them; `known` are the variables that are assigned before."""
        new: list[gast.stmt] = []
        for statement in body:
            if isinstance(statement, _LEAVES):
                new += [self._call(statement, []), statement]
                continue
            new.append(statement)
            if isinstance(statement, scopes.BLOCKS):
                self._open(statement, known)
                names = [name for name in scopes.bound([statement]) if name in known]
                new += [self._call(statement, map(_name, names))] if names else []
            elif not (isinstance(statement, _SILENT) or _only_declares(statement)):
                new.append(self._call(statement, _changed(statement)))
                known |= frozenset(scopes.bound([statement]))
            known -= scopes.names_deleted([statement])
        return new

    def _open(self, statement: Any, known: frozenset[str]) -> None:
        """Adds calls to the bodies of a statement."""
        match statement:
            case gast.For():
                statement.body = self._after(statement, [statement.target], statement.body, known)
            case gast.With():
                targets = [item.optional_vars for item in statement.items if item.optional_vars is not None]
                statement.body = self._after(statement, targets, statement.body, known)
            case gast.Match():
                for case in statement.cases:
                    case.body = self._after(statement, [case.pattern], case.body, known)
            case _:
                statement.body = self.block(statement.body, known)
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.block(handler.body, known)
        for name in ("orelse", "finalbody"):
            if getattr(statement, name, None):
                setattr(statement, name, self.block(getattr(statement, name), known))

    def _after(
        self, statement: Any, targets: Sequence[gast.AST], body: Sequence[gast.stmt], known: frozenset[str]
    ) -> list[gast.stmt]:
        """A body at whose start `targets` are assigned."""
        names = scopes.bound(targets)
        told = [self._call(statement, map(_name, names))] if names else []
        return [*told, *self.block(body, known | frozenset(names))]

    def _call(self, statement: Any, values: Iterable[Any]) -> gast.stmt:
        values = list(values)
        number = len(self.sites)
        self.sites.append(Site(statement.lineno, tuple(map(trees.dotted, values))))
        told = [value for value in values if self._wanted(number, trees.dotted(value))]
        call = gast.Call(_name(self._name), [gast.Constant(number, None), *told], [])
        made = gast.Expr(call)
        for node in trees.walk(made):
            gast.copy_location(node, statement)
        return made


def _only_declares(statement: gast.stmt) -> bool:
    """Whether a statement annotates a variable, and assigns nothing."""
    return isinstance(statement, gast.AnnAssign) and statement.value is None


def _name(name: str) -> Any:
    return gast.Name(name, gast.Load(), None, None)


def _changed(statement: gast.stmt) -> list[Any]:
    """What a statement assigns, as expressions: variables, attributes, and what the items belong to."""
    found = {name: _name(name) for name in scopes.bound([statement])}
    for target in _targets(statement):
        while isinstance(target, (gast.Subscript, gast.Starred)):
            target = target.value
        if isinstance(target, (gast.Attribute, gast.Name)) and (shown := trees.dotted(target)):
            read = trees.copy_tree(target)
            read.ctx = gast.Load()
            found.setdefault(shown, read)
    return list(found.values())


def _targets(statement: Any) -> list[Any]:
    match statement:
        case gast.Assign():
            return [part for target in statement.targets for part in getattr(target, "elts", [target])]
        case gast.AnnAssign() | gast.AugAssign():
            return [statement.target]
    return []
