"""Does printed code look like a person's, and mean the same?"""

from __future__ import annotations

import ast
import textwrap

import gast
import pytest

from autograph_lite.syntax import quote
from autograph_lite.syntax.printing.printer import unparse


def printed(text: str) -> str:
    tree = gast.parse(textwrap.dedent(text))
    shown = unparse(tree)
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(textwrap.dedent(text)))
    return shown


AS_WRITTEN = """\
x = 1, 2
x, = y
(a, b), *c = x
return_ = x[1, 2:3, ...]
x = -a ** -b
x = (-a) ** b
x = (a ** b) ** c
x = a - (b - c) - d
x = not a == b
x = (not a) == b
x = a and (b or c) and not d
x = (a and b) and c
x = a < b < c
x = (a < b) < c
x = a if b else c if d else e
x = (a if b else c) if d else e
x = lambda: 0
x = lambda a, /, b=1, *c, d, **e: (a, b)
x = (lambda: 0)()
x = [a for a, b in c if d if e]
x = {a: b for a in (b if c else d)}
x = sum(a for a in b)
x = f(a, *b, c=d, **e)
x = {1: 2, **a}
x = {*a, 1}
x = {*()}
x = ()
x = a.b[c](d).e
x = (1).real + 1.0.real
x = 'it' + "it's"
x = f'{a!r:>{b}} {c}'
x: int = 3
(x): int = 3
x @= a
x = y = z
del a, (b, c)
global_ = (yield_ := 3)
f(n := 10)
print('a', end='')
assert a, 'b'
from .. import a as b
import a.b, c
"""


@pytest.mark.parametrize("line", AS_WRITTEN.splitlines())
def test_line_has_no_parentheses_that_python_does_not_need(line: str):
    assert printed(line) == line + "\n"


BLOCKS = {
    "if": "if a := b:\n    b\nelif d:\n    e\nelse:\n    f\n",
    "while": "while a := b:\n    break\nelse:\n    pass\n",
    "for": "for a, b in c, *d:\n    continue\nelse:\n    pass\n",
    "try": "try:\n    a\nexcept (B, C) as d:\n    raise E from d\nexcept F:\n    raise\nfinally:\n    c\n",
    "try star": "try:\n    try:\n        a\n    except B:\n        b\nexcept* C:\n    c\n",
    "with": "with a as (b, c), d:\n    pass\n",
    "with tuple": "with ((a, b)):\n    pass\n",
    "match": "match a, b:\n    case [C(x=1) | None, *_] if d:\n        e\n    case _:\n        f\n",
    "async": "async def f():\n    async with a as b:\n        return await c(*d)\n",
    "yield": "def f():\n    x = yield a, b\n    yield from c\n    return (yield)\n",
    "class": "@a.b\nclass C(D, metaclass=E):\n    x = 1\n\n    def f(self):\n        pass\n\n    y = 2\n",
    "signature": "def f(a: int, b: str = 'c', /, *d: e, g=1, **h: i) -> j:\n    return a, b\n",
    "docstring": 'def f():\n    """What f does.\n\n    More.\n    """\n',
    "decorated": "@a\n@b(c)\ndef f():\n    pass\n",
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=list(BLOCKS))
def test_block_is_printed_as_it_was_written(block: str):
    assert printed(block) == block


def test_nested_functions_have_blank_lines_around_them():
    text = "def f():\n\n    def g():\n        pass\n\n    def h():\n        pass\n\n    return g\n"
    assert printed(text) == text


def test_functions_of_a_module_have_two_blank_lines_between_them():
    text = "import a\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n\n\nf()\n"
    assert printed(text) == text


@pytest.mark.parametrize("text", ['"""', "a\\n\\t\n", 'ends with "', "\r\x00\ud800", " \n", "'"])
def test_docstring_survives(text: str):
    tree = ast.Module([ast.Expr(ast.Constant(text))], [])
    assert ast.literal_eval(unparse(tree).strip("\n")) == text


def test_long_call_is_broken_and_aligned():
    text = f"""\
return_value = ag.if_stmt({"steps" * 7} >= 1000, true_fun, false_fun, (n, steps, stop),
                          names=('n', 'steps', 'stop'))
"""
    assert printed(text) == text


def test_long_call_that_begins_late_is_indented():
    shown = printed(f"{'x' * 90} = function(argument_one, argument_two, argument_three)\n")
    assert shown.splitlines()[1] == "        argument_one, argument_two, argument_three)"


def test_inner_call_is_broken_where_it_alone_is_too_long():
    shown = printed(f"outer(a, inner({', '.join(f'argument_{i}' for i in range(20))}))\n")
    assert max(map(len, shown.splitlines())) <= 110
    assert shown.splitlines()[1].startswith("      inner(argument_0, argument_1, ")


@pytest.mark.parametrize("value", [-1, -2.5, float("inf"), float("-inf"), -2j, True, None, ..., b"b"])
def test_generated_constant_keeps_its_value_in_any_place(value: object):
    text = unparse(
        quote.expr("c.__class__, (c,), [c][0], lambda x: x ** c, x ** c if x else c", c=quote.constant(value))
    )
    got = eval(text, {"x": 0})
    assert (got[0], got[1], got[2], got[4]) == (type(value), (value,), value, value)


def test_expression_has_no_final_newline():
    assert unparse(quote.expr("a + b")) == "a + b"


def test_plain_ast_is_printed_too():
    assert unparse(ast.parse("x = (1, 2)")) == "x = 1, 2\n"


def test_tree_is_not_changed():
    tree = gast.parse("def f(x): return x")
    before = gast.dump(tree)
    unparse(tree)
    assert gast.dump(tree) == before


def test_text_in_an_f_string_that_no_f_string_can_hold_is_joined():
    tree = gast.parse("x = f'a {b!r:>3} {c}'")
    tree.body[0].value.values[3].value = quote.constant("\n'\"'''\"\"\"\\")
    scope = {"b": 1}
    exec(unparse(tree), scope)
    assert scope["x"] == "a   1 \n'\"'''\"\"\"\\"


def test_sum_deeper_than_the_recursion_limit_is_printed():
    text = " + ".join(["x"] * 900)
    assert unparse(ast.parse(text)) == text + "\n"
