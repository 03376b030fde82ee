"""What is a mutant: a real function, changed in a few places, with the call that plain Python and its conversions run?

program = mutant(from_seed("library/7"), "library")
program.source    # the parts of the module that the call reaches, and `main`, which makes the call

Numbers depend on this Python's library, and so on its version.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from . import extracting, mutations, originals
from .choices import Choices, from_seed
from .compare_mutants import python_runs
from .originals import Original
from .programs import Program
from .running import loaded, run

MIXES: dict[str, Callable[[], Any]] = {"library": originals.library, "numeric": originals.arrays}
TRACED = frozenset({"traced"})
TRIALS = 30  # at a mutation that leaves Python
FUEL = (
    60  # iterations of a `while` over arrays, which would otherwise be compiled to a loop that nothing ends
)


def mutant(c: Choices, mix: str, runs: int = 3) -> Program:
    """One of the mix's functions with one to six mutations."""
    chosen: list[Original] = list(_known(mix))
    original = c.pick(chosen)
    tree = ast.parse(_text(original))
    functions = [node for node in _outermost(tree) if node.name != "main"]
    # A function that the call does not come to could be anything.
    functions = [node for node in functions if _first_line(node) in _called(original)] or functions
    wanted = c.pick([1, 2, 3, 4, 6])
    for _ in range(TRIALS):
        if not wanted:
            break
        function = c.pick(functions)
        before = copy.deepcopy(vars(function))
        if mutations.mutate(function, c) and _is_python(function) and _runs(tree, original, c):
            wanted -= 1
        else:
            vars(function).update(before)
    if original.traced:
        _limit_loops(tree)
    source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    inputs = tuple(original.arguments(c) for _ in range(1 if original.traced else runs))
    return Program(source, inputs, TRACED if original.traced else frozenset())


@functools.cache
def _known(mix: str) -> tuple[Original, ...]:
    return tuple(MIXES[mix]())


@functools.cache
def _text(original: Original) -> str:
    """What the call reaches, and `main`."""
    module = original.module
    whole = extracting.read_file(module) if isinstance(module, Path) else extracting.read(module)
    wanted = extracting.names_in(original.call) - set(original.parameters.split(", "))
    body = [_over_any_library(statement) for statement in extracting.reached(whole, wanted)]
    main = f"def main({original.parameters}):\n    return {original.call}\n"
    return ast.unparse(ast.Module([*body, *ast.parse(main).body], []))


def _outermost(tree: ast.AST) -> list[ast.FunctionDef]:
    """The functions of a module and the methods of its classes, without those inside of functions."""
    found = []
    for node in ast.iter_child_nodes(tree):
        found += [node] if isinstance(node, ast.FunctionDef) else _outermost(node)
    return found


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _over_any_library(statement: ast.stmt) -> ast.stmt:
    """`import numpy as np` becomes a choice of the library by whoever runs the program; loops are for Python to run."""
    if isinstance(statement, ast.Import) and statement.names[0].asname == "np":
        return ast.parse("np = xp").body[0]
    return ast.parse(ast.unparse(statement).replace("autograph_lite.range(", "range(")).body[0]


@functools.cache
def _called(original: Original) -> frozenset[int]:
    """The first lines of the functions that the call comes to, with a few arguments."""
    lines: set[int] = set()
    with loaded(_text(original), xp=np, note=lambda tag, value: value) as namespace:
        path = namespace["main"].__code__.co_filename

        def watch(frame: types.FrameType, event: str, argument: Any) -> None:
            if event == "call" and frame.f_code.co_filename == path:
                lines.add(frame.f_code.co_firstlineno)

        for seed in range(6):
            arguments = original.arguments(from_seed(seed))
            sys.setprofile(watch)
            try:
                run(namespace["main"], arguments, [])
            finally:
                sys.setprofile(None)
    return frozenset(lines)


def _is_python(function: ast.FunctionDef) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):  # of `1 is 1`
            compile(ast.unparse(ast.fix_missing_locations(function)), "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _runs(tree: ast.Module, original: Original, c: Choices) -> bool:
    """Whether a call over arrays, which is to be compiled, gives a value; any other may raise."""
    if not original.traced or c.chance(10):
        return True
    program = Program(ast.unparse(ast.fix_missing_locations(tree)), (original.arguments(c),), TRACED)
    try:
        with warnings.catch_warnings(action="ignore"):
            return python_runs(program, program.inputs)[0].error is None
    except Exception:  # in the module's own statements
        return False


def _limit_loops(tree: ast.Module) -> None:
    """Gives each `while` a limit: `fuel0 = 60`, `while fuel0 > 0 and TEST: fuel0 -= 1`."""
    numbers = itertools.count()
    for node in list(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            for loop in [statement for statement in block if isinstance(statement, ast.While)]:
                fuel = f"fuel{next(numbers)}"
                loop.test = ast.BoolOp(ast.And(), [_expression(f"{fuel} > 0"), loop.test])
                loop.body.insert(0, ast.parse(f"{fuel} -= 1").body[0])
                place = next(i for i, statement in enumerate(block) if statement is loop)
                block.insert(place, ast.parse(f"{fuel} = {FUEL}").body[0])


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
