"""`match` becomes a chain of `if`, where the patterns are those that make sense on a traced scalar.

    match k:                              subject = k
        case 0:                           if subject == 0:
            y = a                             y = a
        case 1 | 2 if y > 0:              elif (subject == 1 or subject == 2) and y > 0:
            y = b                             y = b
        case n:                           else:
            y = n                             n = subject
                                              y = n

Value, singleton, or-, wildcard and capture patterns are translated. A class, mapping or sequence pattern looks at Python
structure: a small `match` is left for it, one for each case, which is tried for each variant of what is one of several. What
may be traced, guards and the values inside such a pattern, is asked after it (see `structural`).
"""

from __future__ import annotations

import gast

from autograph_lite.converters import structural
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

Block = list[gast.stmt]


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    function.body = _Match(context).block(function.body)


class _Match(trees.ScopeTransformer):
    def __init__(self, context: Context) -> None:
        self.context, self.fresh = context, context.fresh

    def visit_Match(self, node: gast.Match) -> Block:
        self.generic_visit(node)
        if isinstance(node.subject, gast.Name) and _is_settled(node):
            return quote.all_located(self.chain(node.subject.id, node.cases), node)
        subject = self.fresh("subject")
        before = [quote.assign([subject], node.subject)]
        if all(_simple(case.pattern) for case in node.cases):
            return quote.all_located([*before, *self.chain(subject, node.cases)], node)
        return quote.all_located([*before, *self.one_by_one(subject, node.cases)], node)

    def chain(self, subject: str, cases: list[gast.match_case]) -> Block:
        if not cases:
            return [gast.Pass()]
        case, rest = cases[0], cases[1:]
        test = _test(subject, case.pattern)
        capture = _capture(subject, case.pattern)
        body = case.body
        if case.guard is not None and capture:
            # A capture binds before its guard is asked, and stays bound if the guard fails.
            body = [
                *capture,
                quote.located(gast.If(case.guard, body, self.chain(subject, rest)), case.body[0]),
            ]
            capture = []
            return body if test is None else self.either(subject, test, body, case, rest)
        if case.guard is not None and test is not None:
            test = quote.located(gast.BoolOp(gast.And(), [test, case.guard]), case.pattern)
        elif case.guard is not None:
            test = case.guard
        body = [*capture, *body]
        if test is None:  # matches anything; what follows is never reached
            return body
        return [quote.located(gast.If(test, body, self.chain(subject, rest) if rest else []), case.body[0])]

    def either(
        self, subject: str, test: gast.expr, body: Block, case: gast.match_case, rest: list[gast.match_case]
    ) -> Block:
        # `case 0 | 1 as n if guard`: both failures lead to the same rest, so it is found by a flag.
        matched = self.fresh("matched")
        guard = case.guard
        assert guard is not None
        find = quote.stmts("matched = False", matched=matched)
        inner = [
            *_capture(subject, case.pattern),
            *quote.stmts("matched = guard", matched=matched, guard=guard),
        ]
        find.append(gast.If(test, inner, []))
        return quote.all_located(
            [*find, gast.If(quote.name(matched), case.body, self.chain(subject, rest) if rest else [])],
            case.body[0],
        )

    def one_by_one(self, subject: str, cases: list[gast.match_case]) -> Block:
        """A chain of `if`, each of them after a `match` that tries one case."""
        if not cases:
            return []
        case = cases[0]
        if structural.is_wildcard(case.pattern) and case.guard is None:
            return case.body
        matched = self.fresh("matched")
        tried = structural.match_case_stmts(subject, case, matched, self.context)
        chosen = gast.If(quote.name(matched), case.body, self.one_by_one(subject, cases[1:]))
        return quote.all_located([*tried, chosen], case.body[0])


def _is_settled(node: gast.Match) -> bool:
    """Whether nothing can rebind a variable, the subject, before the case is found."""
    return all(
        case.guard is None and _simple(case.pattern) and not _capture("", case.pattern) for case in node.cases
    )


def _simple(pattern: gast.pattern) -> bool:
    match pattern:
        case gast.MatchValue() | gast.MatchSingleton():
            return True
        case gast.MatchAs(pattern=inner):
            return inner is None or _simple(inner)
        case gast.MatchOr(patterns=patterns):
            return all(_simple(p) and not _capture("", p) for p in patterns)
    return False


def _test(subject: str, pattern: gast.pattern) -> gast.expr | None:
    """The condition under which the pattern matches; None if it always does."""
    match pattern:
        case gast.MatchValue(value=value):
            return quote.located(gast.Compare(quote.name(subject), [gast.Eq()], [value]), pattern)
        case gast.MatchSingleton(value=value):
            return quote.located(
                gast.Compare(quote.name(subject), [gast.Is()], [quote.constant(value)]), pattern
            )
        case gast.MatchOr(patterns=patterns):
            tests = [_test(subject, p) for p in patterns]
            found = [t for t in tests if t is not None]
            return quote.located(gast.BoolOp(gast.Or(), found), pattern) if len(found) == len(tests) else None
        case gast.MatchAs(pattern=inner) if inner is not None:
            return _test(subject, inner)
    return None


def _capture(subject: str, pattern: gast.pattern) -> Block:
    if isinstance(pattern, gast.MatchAs):
        inner = _capture(subject, pattern.pattern) if pattern.pattern is not None else []
        own = (
            [quote.located(quote.assign([pattern.name], quote.name(subject)), pattern)]
            if pattern.name
            else []
        )
        return inner + own
    return []
