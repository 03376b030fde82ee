"""How is a statement of a function changed: wrapped, inserted, moved, turned into another form?"""

from __future__ import annotations

import ast
import copy

from .choices import Choices
from .mutation_parts import blocks_of, filled, names_of, parsed, some_spot, some_test, some_value

LEAVES = (ast.Break, ast.Continue, ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Nonlocal, ast.Global)


WRAPPINGS = {
    "if": "if TEST:\n  ...",
    "if, else": "if TEST:\n  ...\nelse:\n  ...",
    "while": "going = True\nwhile going:\n  going = False\n  ...",
    "while True": "while True:\n  ...\n  break",
    "for": "for _ in range({k}):\n  ...",
    "for, else": "for turn in range({k}):\n  if TEST:\n    break\n  ...\nelse:\n  ...",
    "try, finally": "try:\n  ...\nfinally:\n  note('finally', {k})",
    "finally alone": "try:\n  note('try', {k})\nfinally:\n  ...",
    "try, except": "try:\n  ...\nexcept Exception as caught:\n  note('caught', isinstance(caught, NameError) or type(caught).__name__)",
    "try, else": "try:\n  ...\nexcept ZeroDivisionError:\n  raise\nelse:\n  ...",
    "with": "with __import__('contextlib').nullcontext({k}) as entered:\n  ...",
    "match": "match {k}:\n  case 0 if TEST:\n    ...\n  case 1 | 2:\n    ...\n  case _:\n    ...",
}


def wrap(function: ast.FunctionDef, c: Choices) -> bool:
    block, i = some_spot(function, c)
    last = min(len(block), i + 1 + c.below(2))
    form = WRAPPINGS[c.pick(list(WRAPPINGS))].format(k=c.below(4))
    bodies = [copy.deepcopy(block[i:last]) for _ in range(form.count("..."))]
    block[i:last] = filled(form, *bodies, test=some_test(function, c))
    return True


INSERTIONS = {
    "break": "if TEST:\n  break",
    "continue": "if TEST:\n  continue",
    "return": "if TEST:\n  return VALUE",
    "bare break": "break",
    "bare continue": "continue",
    "bare return": "return VALUE",
    "raise": "if TEST:\n  raise ValueError('here')",
    "assert": "assert TEST, 'no longer'",
    "print": "print('at', {k}, type(NAME).__name__)",
    "note": "note({k}, VALUE)",
    "del": "del NAME",
    "copy": "NAME = OTHER",
    "pass": "pass",
}
# Jumps are what converters get wrong.
_LIKELY = {
    "break": 6,
    "continue": 6,
    "return": 6,
    "bare return": 2,
    "raise": 3,
    "assert": 3,
    "note": 2,
    "copy": 2,
}


def insert(function: ast.FunctionDef, c: Choices) -> bool:
    kind = c.weighted({name: _LIKELY.get(name, 1) for name in INSERTIONS})
    text = INSERTIONS[kind].format(k=c.below(9))
    text = text.replace("NAME", c.pick(names_of(function))).replace("OTHER", c.pick(names_of(function)))
    text = text.replace("VALUE", ast.unparse(some_value(function, c)))
    blocks = blocks_of(function)
    if "break" in kind or "continue" in kind:
        loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
        if not loops:
            return False
        blocks = blocks_of(ast.Module(c.pick(loops).body, []))
    block = c.pick(blocks)
    position = c.below(len(block) + 1)
    block[position:position] = filled(text, test=some_test(function, c))
    return True


def drop(function: ast.FunctionDef, c: Choices) -> bool:
    block, i = some_spot(function, c)
    block[i : i + 1] = [] if len(block) > 1 else [ast.Pass()]
    return True


def double(function: ast.FunctionDef, c: Choices) -> bool:
    block, i = some_spot(function, c)
    block.insert(i, copy.deepcopy(block[i]))
    return True


def exchange(function: ast.FunctionDef, c: Choices) -> bool:
    block, i = some_spot(function, c)
    if i + 1 == len(block):
        return False
    block[i], block[i + 1] = block[i + 1], block[i]
    return True


def move(function: ast.FunctionDef, c: Choices) -> bool:
    """A statement moves to another block."""
    block, i = some_spot(function, c)
    target = c.pick(blocks_of(function))
    statement = block[i]
    if any(target is inner for inner in blocks_of(ast.Module([statement], []))[1:]):
        return False
    target.insert(c.below(len(target) + 1), copy.deepcopy(statement))
    place = next(j for j, other in enumerate(block) if other is statement)
    block[place : place + 1] = [] if len(block) > 1 else [ast.Pass()]
    return True


def loop_else(function: ast.FunctionDef, c: Choices) -> bool:
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    if loops:
        block, i = some_spot(function, c)
        c.pick(loops).orelse = [copy.deepcopy(block[i])]
    return bool(loops)


def iterated(function: ast.FunctionDef, c: Choices) -> bool:
    """A loop goes over the same things counted, backwards, or in a list."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.comprehension)]
    if not loops:
        return False
    loop = c.pick(loops)
    form = c.pick(["list", "reversed", "enumerate", "zip", "iter"])
    over: list[ast.expr] = [loop.iter] + ([copy.deepcopy(loop.iter)] if form == "zip" else [])
    loop.iter = ast.Call(ast.Name(form, ast.Load()), over, [])
    if form in ("enumerate", "zip"):
        loop.target = ast.Tuple([ast.Name("count", ast.Store()), loop.target], ast.Store())
    return True


def ternary(function: ast.FunctionDef, c: Choices) -> bool:
    """`if t: x = a` becomes `x = a if t else x`, or `x = (t and a) or x`; `x = a if t else b` becomes a statement."""
    spots = [(block, i, block[i]) for block in blocks_of(function) for i in range(len(block))]
    ifs = [(b, i, s) for b, i, s in spots if isinstance(s, ast.If) and isinstance(s.body[0], ast.Assign)]
    chosen = [
        (b, i, s)
        for b, i, s in spots
        if isinstance(s, ast.Assign | ast.Return) and isinstance(s.value, ast.IfExp)
    ]
    if not ifs and not chosen:
        return False
    block, i, statement = c.pick([*ifs, *chosen])
    if isinstance(statement, ast.If):
        first = statement.body[0]
        assert isinstance(first, ast.Assign)
        target = first.targets[0]
        other: ast.expr = parsed(ast.unparse(target))
        if statement.orelse and isinstance(statement.orelse[0], ast.Assign):
            other = statement.orelse[0].value
        block[i] = ast.Assign([target], ast.IfExp(statement.test, first.value, other))
        return True
    assert isinstance(statement, ast.Assign | ast.Return) and isinstance(statement.value, ast.IfExp)  # noqa: PT018
    choice, sides = statement.value, [copy.deepcopy(statement), copy.deepcopy(statement)]
    sides[0].value, sides[1].value = choice.body, choice.orelse
    block[i] = ast.If(choice.test, [sides[0]], [sides[1]])
    return True


def inner(function: ast.FunctionDef, c: Choices) -> bool:
    """Statements move into a function of their own, which is called where they stood."""
    block, i = some_spot(function, c)
    last = min(len(block), i + 1 + c.below(2))
    moved = ast.Module(block[i:last], [])
    if any(isinstance(n, LEAVES) or (isinstance(n, ast.Name) and n.id == "super") for n in ast.walk(moved)):
        return False
    assigned = {n.id for n in ast.walk(moved) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    shared = sorted(assigned.intersection(names_of(function)))
    named = f"  nonlocal {', '.join(shared)}\n" if shared else ""
    block[i:last] = filled(f"def inner():\n{named}  ...\ninner()", moved.body)
    return True
