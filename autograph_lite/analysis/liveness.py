"""Liveness: which variables does each compound statement read from before it, and owe to what comes after it?

Structured data flow: after the pass *jumps* a function body has no break, continue or early return, so liveness needs
no control-flow graph, only one backward walk over the statement lists. A statement inside `try` may be left at any
point for a handler, so what the handlers read is live throughout the body; likewise after a `with`, which may
swallow an exception. The textbook analysis: Aho, Lam, Sethi and Ullman, "Compilers" (2006), 9.2.5.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import until_of

Names = frozenset[str]
COMPOUND = (gast.If, gast.While, gast.For)


@dataclasses.dataclass(frozen=True)
class Facts:
    """Data-flow facts of one `if`, `while` or `for`."""

    live_in: Names  # may be read, before being overwritten, from the statement's entry on
    live_out: Names  # may be read after the statement
    live_body: Names  # live at the entry of the body (or of either branch)


def liveness(
    body: Sequence[gast.stmt], always: Names = frozenset()
) -> tuple[dict[gast.AST, Facts], dict[gast.AST, Names]]:
    """Facts of every `if`, `while` and `for` of a function body, nested functions excluded.

    The second result gives, for each `try` and `with`, the names that are live where an exception may leave its body for:
    the handlers, the `finally` block, or what follows a `with` that swallows exceptions.

    Args:
      body: the function's statements, free of break, continue and early return.
      always: names that may be read at any time: captured by nested functions, global or nonlocal.
    """
    walk = Walk(always)
    walk.block(body, frozenset())
    return walk.facts, walk.rescued


class Walk:
    """The backward walk over the statements of a function, for analyses that follow more than names, too."""

    def __init__(self, always: Names) -> None:
        self.facts: dict[gast.AST, Facts] = {}
        self.rescued: dict[gast.AST, Names] = {}
        self.always = always
        self.reads: dict[gast.AST, Names] = {}  # a loop's body is walked until its facts settle

    def read(self, node: gast.AST) -> Names:
        """What a statement or an expression reads."""
        found = self.reads.get(node)
        if found is None:
            found = self.reads[node] = scopes.names_read(node)
        return found

    def block(self, body: Sequence[gast.stmt], live: Names) -> Names:
        """What is live before `body`, if `live` is after it."""
        for statement in reversed(body):
            live = self.statement(statement, live | self.always)
        return live

    def statement(self, node: gast.stmt, live: Names) -> Names:
        """What is live before a statement."""
        match node:
            case gast.If():
                entry = self.block(node.body, live) | self.block(node.orelse, live)
                result = entry | self.read(node.test)
                self.facts[node] = Facts(result, live, entry)
                return result
            case gast.While():
                head = live | self.read(node.test)
                head = self.fixpoint(lambda at_end: self.block(node.body, at_end), head)
                self.facts[node] = Facts(head, live, head)
                return head
            case gast.For():
                return self.for_loop(node, live)
            case gast.Try() | gast.TryStar():
                return self.try_statement(node, live)
            case gast.With() | gast.AsyncWith():
                self.rescued[node] = live
                entry = self.throughout(node.body, live, live)
                for item in reversed(node.items):
                    if item.optional_vars is not None:
                        stored = frozenset(scopes.bound([item.optional_vars]))
                        entry = (entry - stored) | self.read(item.optional_vars) | live
                    entry |= self.read(item.context_expr)
                return entry
            case gast.Match():
                entry = live
                for case in node.cases:
                    entry |= self.block(case.body, live) | self.read(case)
                return entry | self.read(node.subject)
            case gast.Return() | gast.Raise():
                return self.read(node) | self.always
            case gast.AugAssign():
                return live | self.read(node)
            case gast.Delete():
                # Deleting an unbound name raises, so the name must be there.
                return live | self.read(node) | scopes.names_deleted([node])
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            return (live - {node.name}) | self.read(node)
        return (live - _surely_bound(node)) | self.read(node)

    def for_loop(self, node: gast.For, live: Names) -> Names:
        """What is live before a `for`."""
        test, iterable = until_of(node)
        target = frozenset(scopes.bound([node.target]))
        at_head = live | self.read(node.target) | (self.read(test) if test is not None else frozenset())
        head = self.fixpoint(lambda at_end: self.block(node.body, at_end) - target, at_head)
        result = head | self.read(iterable)
        self.facts[node] = Facts(result, live, head)
        return result

    def try_statement(self, node: gast.Try, live: Names) -> Names:
        """What is live before a `try`."""
        after = live
        if node.finalbody:
            after = self.block(node.finalbody, live)
        handlers = after if node.finalbody else frozenset()
        for handler in node.handlers:
            stored = frozenset({handler.name.id}) if handler.name is not None else frozenset()
            handlers |= (
                self.throughout(handler.body, after, after if node.finalbody else frozenset()) - stored
            )
            if handler.type is not None:
                handlers |= self.read(handler.type)
        self.rescued[node] = handlers
        orelse = self.throughout(node.orelse, after, after if node.finalbody else frozenset())
        return self.throughout(node.body, orelse, handlers)

    def throughout(self, body: Sequence[gast.stmt], live: Names, also: Names) -> Names:
        """`block`, where the names `also` are live at every point of the body."""
        outer, self.always = self.always, self.always | also
        entry = self.block(body, live | also)
        self.always = outer
        return entry | also

    def fixpoint(self, step: Callable[[Names], Names], live: Names) -> Names:
        """What is live at the head of a loop, whose body `step` walks."""
        while (bigger := live | step(live)) != live:
            live = bigger
        return live


def _surely_bound(node: gast.stmt) -> Names:
    """Names that a simple statement binds whenever it completes: not those of a walrus that may be skipped."""
    match node:
        case gast.Assign():
            return frozenset(scopes.bound(node.targets))
        case gast.AnnAssign() if node.value is not None:
            return frozenset(scopes.bound([node.target]))
        case gast.Import() | gast.ImportFrom():
            return frozenset(scopes.bound([node]))
    return frozenset()
