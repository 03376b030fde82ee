"""What each pass of part 1 makes of a few lines; all of it is plain Python again."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap

import pytest

from autograph_lite.converters import PASSES, python_ops
from tests.converters.rewriting import rewritten

DESUGAR = {
    "an annotation without a value is dropped where the name is assigned": ("x: int\nx = 2", "pass\nx = 2"),
    "it stays where nothing else makes the name local": (
        "def f():\n    x: int\n    return x",
        "def f():\n    x: int\n    return x",
    ),
    "an annotated attribute": ("self.x: int = 1", "self.x = 1"),
    "only names are undefined by del": ("del x, y[0], z.a", "x = ag.deleted(x, 'x')\ndel y[0]\ndel z.a"),
    "del of a tuple": ("del (x, y)", "x = ag.deleted(x, 'x')\ny = ag.deleted(y, 'y')"),
    "a captured name is deleted by Python": ("f = lambda: x\ndel x", "f = lambda: x\ndel x"),
    "a walrus in a test with an else": (
        "while (k := f()) > 0:\n    use(k)\nelse:\n    done()",
        "finished = False\nwhile True:\n    if not (k := f()) > 0:\n        finished = True\n        break\n    use(k)\n"
        "if finished:\n    done()",
    ),
    "a walrus in an operand of an operand": (
        "if a or b and (c := f()):\n    use(c)",
        "test = ag.truth(a)\nif not test:\n    test = ag.truth(b)\n    if test:\n        test = ag.truth(c := f())\n"
        "if test:\n    use(c)",
    ),
    "a walrus in a conditional expression": (
        "x = (y := a) if not c else b",
        "if not c:\n    value = (y := a)\nelse:\n    value = b\nx = value",
    ),
    "a walrus in an operand that is returned": (
        "return not (a and (b := f()))",
        "value = a\nif value:\n    value = (b := f())\nvalue = not value\nreturn value",
    ),
    "a walrus that is always evaluated stays": ("x = (y := a) and b", "x = (y := a) and b"),
}
MATCH = {
    "a variable is compared as it is": (
        "match k:\n    case 1 | 2:\n        a()\n    case _:\n        b()",
        "if k == 1 or k == 2:\n    a()\nelse:\n    b()",
    ),
    "any other subject is evaluated once": (
        "match f(k):\n    case 0:\n        a()",
        "subject = f(k)\nif subject == 0:\n    a()",
    ),
    "a capture with a guard": (
        "match k:\n    case None:\n        a()\n    case n if n > 0:\n        b(n)\n    case _:\n        c()",
        "subject = k\nif subject is None:\n    a()\nelse:\n    n = subject\n    if n > 0:\n        b(n)\n    else:\n        c()",
    ),
    "a guard after a test shares what follows": (
        "match k:\n    case (0 | 1) as n if n > m:\n        a()\n    case 5:\n        b()",
        "subject = k\nmatched = False\nif subject == 0 or subject == 1:\n    n = subject\n    matched = n > m\n"
        "if matched:\n    a()\nelif subject == 5:\n    b()",
    ),
    "structure is matched by Python": (
        "match k:\n    case P(x=x):\n        a(x)\n    case {'k': v}:\n        b(v)",
        "subject = k\nmatched = False\nif ag.each_variant(subject):\n    kind = ag.class_pattern(lambda: P)\n"
        "    match ag.python_structure(subject, False):\n        case kind(x=x):\n"
        "            matched = True\nif matched:\n    a(ag.assigned(x))\nelse:\n    matched_2 = False\n    if ag.each_variant(subject):\n"
        "        match ag.python_structure(subject, False):\n            case {'k': v}:\n                matched_2 = True\n"
        "    if matched_2:\n        b(ag.assigned(v))",
    ),
    "a sequence may be an array, which keeps its name": (
        "match k:\n    case [0, y] as whole:\n        a(y)",
        "subject = k\nmatched = False\nif ag.each_variant(subject):\n    match ag.python_structure(subject, False, 1):\n        case [value, y]:\n"
        "            whole = subject\n            matched = value == 0\nif matched:\n    a(ag.assigned(y))",
    ),
}
SUBSCRIPTS = {
    "slices": ("x[1:, ::2] = v", "x = ag.set_item(x, (ag.slice(1, None), ag.slice(None, None, 2)), v)"),
    "an index that calls something comes after the value": ("x[g()] = v", "x = ag.store(v, x, (g(),))"),
    "a container of the module": ("TABLE[0] = v", "ag.store(v, TABLE, (0,))"),
    "an attribute's item": ("x.a.b[0] += 1", "ag.update_item(x, 'a', 'b', (0,), '+=', lambda: 1)"),
    "an item's item": ("x[0][1] -= 2", "x = ag.update_item(x, (0,), (1,), '-=', lambda: 2)"),
    "several targets take one value": (
        "x[0] = v[0] = g()",
        "value = g()\nx = ag.set_item(x, 0, value)\nv = ag.set_item(v, 0, value)",
    ),
    "a starred item": (
        "x[0], *x[1:], z = v",
        "item, *item_2, z = v\nx = ag.set_item(x, 0, item)\nx = ag.set_item(x, ag.slice(1, None), item_2)",
    ),
    "the target of a loop": (
        "for x[0] in v:\n    use(x)",
        "for item in v:\n    x = ag.set_item(x, 0, item)\n    use(x)",
    ),
    "the target of a with": (
        "with v as x[0]:\n    use(x)",
        "with v as item:\n    x = ag.set_item(x, 0, item)\n    use(x)",
    ),
    "a walrus binds in the function": (
        "x[i] += (i := 1)",
        "index = i\nitem = x[index]\nitem += (i := 1)\nx = ag.set_item(x, index, item)",
    ),
    "what holds the item is read before its index": (
        "x.a[g()] = v\nx.a[g()] += v",
        "ag.store(v, x, 'a', ag.step(lambda: g()))\nag.update_item(x, 'a', ag.step(lambda: g()), '+=', lambda: v)",
    ),
    "attributes are left alone": ("x.a = v", "x.a = v"),
}


@pytest.mark.parametrize("case", DESUGAR)
def test_desugar(case: str) -> None:
    source, expected = DESUGAR[case]
    assert rewritten("desugar", source) == expected


@pytest.mark.parametrize("case", MATCH)
def test_match(case: str) -> None:
    source, expected = MATCH[case]
    assert rewritten("match", source) == expected


@pytest.mark.parametrize("case", SUBSCRIPTS)
def test_subscripts(case: str) -> None:
    source, expected = (textwrap.indent(f"{lines}\nreturn x, v", "    ") for lines in SUBSCRIPTS[case])
    assert rewritten("subscripts", f"def f(x, v):\n{source}") == f"def f(x, v):\n{expected}"


def test_an_item_whose_container_is_not_read_again() -> None:
    source = "def f(x):\n    x[0] = 1\n    x[1] = 2"
    assert (
        rewritten("subscripts", source) == "def f(x):\n    x = ag.set_item(x, 0, 1)\n    ag.store(2, x, (1,))"
    )


@pytest.mark.parametrize("step", [each for each in PASSES if each.part == 1], ids=lambda step: step.name)
def test_what_a_pass_calls_is_there_in_plain_python(step) -> None:
    code = inspect.getsource(sys.modules[step.run.__module__])
    missing = {name for name in re.findall(r"\bag\.([a-zA-Z_]+)", code) if not hasattr(python_ops, name)}
    assert not missing
