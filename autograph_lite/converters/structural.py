"""One case of a `match` whose pattern looks at structure, and whose guard, or values in the pattern, may be traced.

    case (0, int(y)) if y > x:            matched = False
        ...                               if each_variant(subject):
                                              kind = class_pattern(lambda: int)
                                              match subject:
                                                  case (value, kind(y)):
                                                      matched = value == 0
                                          if matched:
                                              matched = y > x

Python finds out about the structure and binds the names, as it does; a value in the pattern becomes a name that is compared
afterwards. Names are bound even where such a comparison fails, which Python leaves open. A class in the pattern becomes one
that asks what `isinstance` asks in converted code; of `int() | float()` it is one for both.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters import assigned
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

Fresh = Callable[[str], str]


def _known(subject: str, pattern: gast.pattern, context: Context) -> gast.expr:
    """The subject of a `match` that Python decides, which has to know the structure that the pattern asks for."""
    kinds = (gast.MatchClass, gast.MatchMapping, gast.MatchSequence)
    deep = sum(isinstance(node, kinds) for node in gast.walk(pattern)) > 1
    shapes = [*_shapes(pattern)]
    in_parts = any(isinstance(node, gast.MatchSequence) and node not in shapes for node in _in_parts(pattern))
    sequences = 2 if in_parts else int(asks_items(pattern))
    return quote.expr(
        f"ag.python_structure(subject, deep{f', {sequences}' if sequences else ''})",
        ag=context.ag,
        subject=quote.name(subject),
        deep=quote.constant(deep),
    )


def _in_parts(pattern: gast.pattern) -> Iterator[gast.AST]:
    """What a pattern asks of the parts of its subject."""
    while isinstance(pattern, gast.MatchAs) and pattern.pattern is not None:
        pattern = pattern.pattern
    alternatives = pattern.patterns if isinstance(pattern, gast.MatchOr) else [pattern]
    for each in alternatives:
        yield from itertools.islice(gast.walk(each), 1, None)


def _shapes(pattern: gast.pattern) -> Iterator[gast.AST]:
    """The patterns for the shapes of arrays, which are tuples: `np.ndarray(shape=(n, 3))`."""
    for node in gast.walk(pattern):
        if isinstance(node, gast.MatchClass) and trees.dotted(node.cls).endswith(("ndarray", "Array")):
            parts = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
            yield from (part for name, part in parts if name == "shape")


def asks_items(pattern: gast.pattern) -> bool:
    """Whether a pattern asks for the items of its subject."""
    if isinstance(pattern, gast.MatchOr):
        return any(map(asks_items, pattern.patterns))
    if isinstance(pattern, gast.MatchAs):
        return pattern.pattern is not None and asks_items(pattern.pattern)
    return isinstance(pattern, gast.MatchSequence)


def is_wildcard(pattern: gast.pattern) -> bool:
    """Whether a pattern matches anything and binds nothing."""
    return isinstance(pattern, gast.MatchAs) and pattern.pattern is None and pattern.name is None


def match_case_stmts(subject: str, case: gast.match_case, matched: str, context: Context) -> list[gast.stmt]:
    """Statements that leave in `matched` whether the case is the one; marks the reads of the names that it binds."""
    fresh = context.fresh
    names = frozenset(scopes.bound([case.pattern]))
    case.body = assigned.marked_body(case.body, names, context.ag)
    done = quote.stmts("matched = False", matched=matched)
    joined = _JoinedClasses().visit(case.pattern)
    alternatives = joined.patterns if isinstance(joined, gast.MatchOr) else [joined]
    for number, alternative in enumerate(alternatives):
        tests: list[gast.expr] = []
        whole = None
        if (
            isinstance(alternative, gast.MatchAs)
            and alternative.pattern is not None
            and asks_items(alternative)
        ):
            whole, alternative = alternative.name, alternative.pattern
        pattern = _opened(alternative, tests, fresh)
        found: gast.expr = quote.constant(True) if not tests else tests[0]
        if len(tests) > 1:
            found = gast.BoolOp(gast.And(), tests)
        body = quote.stmts("matched = found", matched=matched, found=found)
        if whole is not None:  # its items may stand for it in the `match`
            body.insert(0, quote.assign([whole], quote.name(subject)))
        known = _known(subject, pattern, context)
        named = _name_classes(pattern, context)
        one = gast.Match(known, [gast.match_case(pattern, None, body)])
        each = quote.expr("ag.each_variant(subject)", ag=context.ag, subject=quote.name(subject))
        attempt: gast.stmt = gast.If(each, [*named, one], [])
        if number:
            attempt = gast.If(gast.UnaryOp(gast.Not(), quote.name(matched)), [attempt], [])
        done.append(attempt)
    if case.guard is not None:
        guard = assigned.mark_assigned(case.guard, names, context.ag)
        asked = quote.stmts("matched = guard", matched=matched, guard=guard)
        done.append(gast.If(quote.name(matched), asked, []))
    return quote.all_located(done, case.body[0])


class _JoinedClasses(trees.Transformer):
    """Makes one pattern of `int() | float()`, for a tuple of classes: a number may have one class or the other."""

    def visit_MatchOr(self, node: gast.MatchOr) -> gast.pattern:
        self.generic_visit(node)
        patterns: list[gast.pattern] = []
        for _, alternatives in itertools.groupby(node.patterns, _is_bare_class):
            found = [*alternatives]
            classes = [each.cls for each in found if isinstance(each, gast.MatchClass)]
            if len(classes) > 1 and _is_bare_class(found[0]):
                found = [quote.located(gast.MatchClass(gast.Tuple(classes, gast.Load()), [], [], []), node)]
            patterns += found
        node.patterns = patterns
        return node if len(patterns) > 1 else patterns[0]


def _is_bare_class(pattern: gast.pattern) -> bool:
    return isinstance(pattern, gast.MatchClass) and not pattern.patterns and not pattern.kwd_patterns


def _name_classes(pattern: gast.pattern, context: Context) -> list[gast.stmt]:
    """Statements that name the classes which stand for those in `pattern`; puts the names there."""
    named: list[gast.stmt] = []
    for node in gast.walk(pattern):
        if isinstance(node, gast.MatchClass):
            kind = context.fresh("kind")
            text = "kind = ag.class_pattern(lambda: asked)"
            named += quote.stmts(text, kind=kind, ag=context.ag, asked=node.cls)
            node.cls = quote.name(kind)
    return named


def _opened(pattern: gast.pattern, tests: list[gast.expr], fresh: Fresh) -> gast.pattern:
    """`pattern` with a new name for each value in it; the comparisons go to `tests`, in their order."""
    if isinstance(pattern, gast.MatchOr) and all(
        isinstance(p, (gast.MatchValue, gast.MatchSingleton)) for p in pattern.patterns
    ):
        name = fresh("value")
        values = [p for p in pattern.patterns if isinstance(p, (gast.MatchValue, gast.MatchSingleton))]
        tests.append(gast.BoolOp(gast.Or(), [_equals(name, p) for p in values]))
        return gast.MatchAs(None, name)
    if isinstance(pattern, gast.MatchOr):
        return pattern  # Python decides which of them it is
    if isinstance(pattern, (gast.MatchValue, gast.MatchSingleton)):
        name = fresh("value")
        tests.append(_equals(name, pattern))
        return gast.MatchAs(None, name)
    opened = trees.copy_tree(pattern)
    for field in ("patterns", "kwd_patterns"):
        if getattr(opened, field, None):
            setattr(opened, field, [_opened(p, tests, fresh) for p in getattr(opened, field)])
    if isinstance(opened, gast.MatchAs) and opened.pattern is not None:
        opened.pattern = _opened(opened.pattern, tests, fresh)
    return opened


def _equals(name: str, pattern: gast.MatchValue | gast.MatchSingleton) -> gast.expr:
    if isinstance(pattern, gast.MatchValue):
        return quote.located(gast.Compare(quote.name(name), [gast.Eq()], [pattern.value]), pattern)
    return quote.located(
        gast.Compare(quote.name(name), [gast.Is()], [quote.constant(pattern.value)]), pattern
    )
