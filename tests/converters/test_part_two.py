"""What each pass of part 2 makes of a few lines: calls of operators, which know traced values."""

from __future__ import annotations

import pytest

from tests.converters.rewriting import rewritten

UNDEFINED = {
    "after the docstring": (
        "def f(c):\n    'doc'\n    if c:\n        y = 1\n    return y",
        'def f(c):\n    """doc"""\n    y = ag.Undefined(\'y\')\n    if c:\n        y = 1\n    return ag.defined(y)',
    ),
    "an augmented assignment reads": (
        "def f(xs):\n    for x in xs:\n        y = x\n    y += 1",
        "def f(xs):\n    y = ag.Undefined('y')\n    for x in xs:\n        y = x\n    y = ag.defined(y)\n    y += 1",
    ),
    "a nested function may be called at any time": (
        "def f(c):\n    if c:\n        y = 1\n    return lambda: y",
        "def f(c):\n    y = ag.Undefined('y')\n    if c:\n        y = 1\n"
        "    return lambda: ag.defined(y, free=True)",
    ),
    "the body of a class": (
        "def f(c):\n    if c:\n        y = 1\n\n    class A:\n        z = y\n    return A",
        "def f(c):\n    y = ag.Undefined('y')\n    if c:\n        y = 1\n\n    class A:\n"
        "        z = ag.defined(y, free=True)\n\n    return A",
    ),
    "a nested function that deletes": (
        "def f(c):\n    if c:\n        y = 1\n\n    def g():\n        nonlocal y\n        del y\n    return g",
        "def f(c):\n    y = ag.Undefined('y')\n    if c:\n        y = 1\n\n    def g():\n        nonlocal y\n"
        "        ag.defined(y, free=True)\n        del y\n\n    return g",
    ),
    "read before anything assigns it": (
        "def f(n):\n    for i in n:\n        g(y)\n    y = 1",
        "def f(n):\n    y = ag.Undefined('y')\n    for i in n:\n        g(ag.defined(y))\n    y = 1",
    ),
    "assigned on every path": (
        "def f(c):\n    if c:\n        y = 1\n    else:\n        y = 2\n    return y",
        "def f(c):\n    if c:\n        y = 1\n    else:\n        y = 2\n    return y",
    ),
    "a test that binds it": (
        "def f(c):\n    if (y := c) > 0:\n        y = y + 1\n    return y",
        "def f(c):\n    if (y := c) > 0:\n        y = y + 1\n    return y",
    ),
}
FAILURES = {
    "an assert without a message": ("assert x", "ag.assert_(x)"),
    "a raise of what is handled": ("raise", "raise"),
    "a format with a nested width": (
        "raise E from f'{x!r:>{n}} {{'",
        "raise ag.raised(E) from ag.format('{!r:>{}} {{', x, n)",
    ),
    "a finally that may raise": (
        "try:\n    a()\nfinally:\n    b()",
        "try:\n    ag.trying()\n    a()\nfinally:\n    with ag.finishing():\n        b()",
    ),
    "a finally that raises nothing": (
        "try:\n    a()\nfinally:\n    b = 1",
        "try:\n    a()\nfinally:\n    b = 1",
    ),
}
ITEMS = {
    "a slice": ("x[i:j]", "ag.item(x, ag.slice(i, j))"),
    "several indices": ("x[i, :, None]", "ag.item(x, (i, ag.slice(None, None), None))"),
    "a constant index": ("x[-1, 1:]", "x[-1, 1:]"),
    "a type": ("list[int]", "list[int]"),
    "a deletion": ("del x[i]", "del x[i]"),
    "annotations are left alone": (
        "def f(x: T[i] = y[i]) -> T[i]:\n    z: T[i] = x[0]",
        "def f(x: T[i] = ag.item(y, i)) -> T[i]:\n    z: T[i] = x[0]",
    ),
}
MUTATIONS = {
    "the object whose attribute is written": ("x.a.b = 1", "ag.record(x.a).b = 1"),
    "a deleted attribute": ("del x.a", "del ag.record(x).a"),
    "a loop's target": ("for x.a in xs:\n    pass", "for ag.record(x).a in xs:\n    pass"),
    "reading changes nothing": ("x.a", "x.a"),
}
COMPREHENSIONS = {
    "several conditions": (
        "[f(x) for x in xs if x if y]",
        "ag.list_of(xs, lambda x: f(x), lambda x: x and y)",
    ),
    "a set refuses a traced condition": (
        "{x for x in xs if x > 0}",
        "{x for x in xs if ag.filter_test(x > 0)}",
    ),
    "one that binds a name": ("[(y := x) for x in xs]", "[(y := x) for x in xs]"),
    "functions that keep its variable": ("[lambda: x for x in xs]", "[lambda: x for x in xs]"),
    "a reduction needs no list": ("sum([x for x in xs])", "sum(ag.list_of(xs, lambda x: x, reduced=True))"),
    "a nested target": (
        "[a for a, (b, c) in xs]",
        "ag.list_of(xs, lambda item: [a for a, (b, c) in [item]][0])",
    ),
}
LOGICAL = {
    "several operands": ("a or b or c", "ag.or_(a, lambda: b, lambda: c)"),
    "not of an operand": ("not a and b", "ag.and_(ag.not_(a), lambda: b)"),
    "a chain with a plain middle": ("a < b < c", "ag.and_(a < b, lambda: b < c)"),
    "a long chain": ("a < f() < g() < d", "ag.compare(a, '<', f(), '<', lambda: g(), '<', lambda: d)"),
    "membership": ("x not in s", "ag.not_in(x, s)"),
    "equality with a display": ("x == (1, 2)", "ag.equal(x, (1, 2))"),
    "identity": ("x is None", "ag.compare(x, 'is', None)"),
    "a choice by a literal": ("a if True else b", "a if True else b"),
    "an operand that binds a name": ("a and (b := c)", "ag.python_test(a) and (b := c)"),
}
CALLS = {
    "all kinds of arguments": ("f(x, *a, k=1, **kw)", "ag.call(f, spread=True)(x, *a, k=1, **kw)"),
    "a library function": ("math.sqrt(x)", "math.sqrt(x)"),
    "a builtin without an array meaning": ("ValueError(x)", "ValueError(x)"),
    "a builtin that asks for a type": ("type(x)", "ag.call(type)(x)"),
    "a builtin that makes text": ("str(x)", "ag.call(str)(x)"),
    "a parameter with the name of a builtin": (
        "def f(str):\n    return str(1)",
        "def f(str):\n    return ag.call(str)(1)",
    ),
    "the callee first, then the arguments": ("obj.method(f(x))", "ag.call(obj.method)(ag.call(f)(x))"),
    "our own operators": ("ag.item(x, i)", "ag.item(x, i)"),
    "super names its class": (
        "def f(self):\n    return super().f()",
        "def f(self):\n    return ag.call(super(__class__, self).f)()",
    ),
}
CONTROL_FLOW = {
    "a test that is never traced": (
        "def f(x):\n    if __debug__:\n        x = 0\n    return x",
        "def f(x):\n    if __debug__:\n        x = 0\n    return x",
    ),
    "branches that return": (
        "def f(x):\n    if x:\n        return 1\n    else:\n        return 2",
        "def f(x):\n\n    def true_fun():\n        return 1\n\n    def false_fun():\n        return 2\n\n"
        "    return ag.if_stmt(x, true_fun, false_fun)",
    ),
    "a global name is written in place": (
        "def f(x):\n    global g\n    if x:\n        g = 1",
        "def f(x):\n    global g\n\n    def true_fun():\n        global g\n        g = 1\n\n"
        "    def false_fun():\n        pass\n\n    ag.if_stmt(x, true_fun, false_fun)",
    ),
    "a target of several names": (
        "def f(xs, s):\n    for i, x in xs:\n        s += x\n    return s",
        "def f(xs, s):\n\n    def body_fun(item, s):\n        i, x = item\n        s += x\n        return s,\n\n"
        "    s, = ag.for_stmt(xs, body_fun, (s,))\n    return s",
    ),
    "a loop variable that is read after its loop": (
        "def f(xs, x):\n    for x in ag.until(lambda: x, xs):\n        pass\n    return x",
        "def f(xs, x):\n\n    def body_fun(item, x):\n        x = item\n        pass\n        return x,\n\n"
        "    x, = ag.for_stmt(xs, body_fun, (x,), until=lambda x: x)\n    return x",
    ),
    "a generator keeps its statements": (
        "def f(x):\n    while x:\n        yield x",
        "def f(x):\n    while ag.python_test(x):\n        yield x",
    ),
}
TABLES = {
    "undefined": UNDEFINED,
    "failures": FAILURES,
    "items": ITEMS,
    "mutations": MUTATIONS,
    "comprehensions": COMPREHENSIONS,
    "logical": LOGICAL,
    "calls": CALLS,
    "control_flow": CONTROL_FLOW,
}


@pytest.mark.parametrize(("step", "case"), [(step, case) for step, table in TABLES.items() for case in table])
def test_one_pass(step: str, case: str) -> None:
    source, expected = TABLES[step][case]
    assert rewritten(step, source) == expected


def test_exceptions_are_made_by_one_operator() -> None:
    assert (
        rewritten("calls", "raise Heavy(f'{m}')", "failures") == "raise ag.error(Heavy)(ag.format('{}', m))"
    )


def test_a_chain_on_integers_is_one_switch() -> None:
    source = "def f(k):\n    if k == 0:\n        return 1\n    elif k in (1, -2):\n        return 2\n    else:\n        return 3"
    assert rewritten("control_flow", source, "switches").endswith(
        "    return ag.switch_stmt(k, ((0,), (1, -2)), (case, case_2, otherwise))"
    )


def test_a_case_that_is_no_integer_has_a_test() -> None:
    source = "def f(s):\n    if s == 'a':\n        return 1\n    elif s is B.C or s == 3:\n        return 2\n    else:\n        return 3"
    assert rewritten("control_flow", source, "switches").endswith(
        "    return ag.switch_stmt(s, (lambda s: s == 'a', lambda s: s is B.C or s == 3), (case, case_2, otherwise))"
    )


def test_a_comparison_with_a_variable_is_no_case() -> None:
    source = (
        "def f(s, lo, hi):\n    if s == lo:\n        s = 1\n    elif s == hi:\n        s = 2\n    return s"
    )
    assert "switch_stmt" not in rewritten("control_flow", source, "switches")


def test_a_single_comparison_is_no_switch() -> None:
    assert "if_stmt" in rewritten(
        "control_flow", "def f(k):\n    if k == 0:\n        k = 1\n    return k", "switches"
    )


def test_a_name_of_the_users_is_never_taken() -> None:
    source = "def f(true_fun, x):\n    if x:\n        x = true_fun\n    return x"
    assert "def true_fun_2(x)" in rewritten("control_flow", source)
