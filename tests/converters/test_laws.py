"""What holds for the conversion of every function?"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import autograph_lite
from autograph_lite import transpiler
from autograph_lite.operators.calls import callables
from autograph_lite.syntax import loader
from tests.converters.samples import INPUTS, SAMPLES
from tests.examples import share

ROOT = Path(__file__).parents[2]
PRINT_TEXTS = "from tests.converters import samples; print(samples.texts())"
every_sample = pytest.mark.parametrize("fn", SAMPLES, ids=lambda fn: fn.__name__)


def outcome(fn: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """What calling `fn` comes to: its result, or the exception and its arguments."""
    try:
        return "returns", fn(*args)
    except Exception as error:
        return type(error).__name__, error.args


@every_sample
@pytest.mark.parametrize("after", transpiler.PART_ONE)
def test_each_pass_of_part_one_keeps_the_meaning_as_plain_python(fn: Any, after: str) -> None:
    converted = transpiler.convert_part_one(fn, after=after)
    assert [outcome(converted, *i) for i in INPUTS] == [outcome(fn, *i) for i in INPUTS]


@every_sample
def test_the_converted_function_is_the_function_on_python_values(fn: Any) -> None:
    converted = autograph_lite.to_graph(fn)
    assert [outcome(converted, *i) for i in INPUTS] == [outcome(fn, *i) for i in INPUTS]


def test_the_text_does_not_depend_on_the_hash_seed() -> None:
    def start(seed: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", PRINT_TEXTS]
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)

    first, second = (process.communicate()[0] for process in (start("1"), start("2")))
    assert first == second
    assert len(first) > 1000


@every_sample
def test_converting_twice_is_converting_once(fn: Any) -> None:
    once = autograph_lite.to_graph(fn)
    assert autograph_lite.to_graph(fn) is once
    assert autograph_lite.to_graph(once) is once


def test_the_text_of_a_converted_function_is_that_of_the_original() -> None:
    fn = SAMPLES[0]
    assert autograph_lite.to_code(autograph_lite.to_graph(fn)) == autograph_lite.to_code(fn)
    assert autograph_lite.to_code(autograph_lite.convert(fn)) == autograph_lite.to_code(fn)


def outer(scale: int) -> Any:
    def inner(x: int, y: "str" = "b", /, *rest: int, flag: bool = True, **options: float) -> int | None:
        """Says what it does."""
        if flag:
            x = x + scale
        return x

    return inner


@pytest.mark.parametrize(
    "name", ["__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__"]
)
def test_names_documentation_and_defaults_are_kept(name: str) -> None:
    fn = outer(2)
    assert getattr(autograph_lite.to_graph(fn), name) == getattr(fn, name)


def test_signature_and_annotations_are_kept() -> None:
    fn = outer(2)
    converted = autograph_lite.to_graph(fn)
    assert inspect.signature(converted) == inspect.signature(fn)
    assert inspect.get_annotations(converted) == inspect.get_annotations(fn)


def test_attributes_of_the_function_are_kept() -> None:
    fn = outer(2)
    fn.mark = "kept"
    assert autograph_lite.to_graph(fn).mark == "kept"


def test_the_closure_is_live() -> None:
    scale = 2

    def scaled(x: int) -> int:
        return x * scale if x > 0 else x

    converted = autograph_lite.to_graph(scaled)
    scale = 3
    assert converted(5) == 15


def test_globals_are_live(monkeypatch: pytest.MonkeyPatch) -> None:
    converted = autograph_lite.to_graph(reads_a_global)
    monkeypatch.setitem(globals(), "SETTING", 7)
    assert converted(True) == 7


SETTING = 1


def reads_a_global(flag: bool) -> int:
    return SETTING if flag else 0


@every_sample
def test_every_generated_node_has_the_place_of_a_user_line(fn: Any) -> None:
    lines, first = inspect.getsourcelines(fn)
    tree, _ = transpiler.convert_tree(fn, lambda *_: False)
    places = {n.lineno for n in ast.walk(tree) if isinstance(n, (ast.stmt, ast.expr)) or hasattr(n, "lineno")}
    assert places <= set(range(first, first + len(lines)))


@every_sample
def test_every_line_of_the_loaded_code_is_a_user_line(fn: Any) -> None:
    lines, first = inspect.getsourcelines(fn)
    for code in _codes(autograph_lite.to_graph(fn).__code__):
        assert code.co_filename == fn.__code__.co_filename
        found = {line for _, _, line in code.co_lines() if line is not None}
        assert found <= set(range(first, first + len(lines)))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def own_modules() -> list[str]:
    """All modules; where fewer examples are drawn, each second one, or third, and so on."""
    found = pkgutil.walk_packages(autograph_lite.__path__, "autograph_lite.")
    names = [module.name for module in found if module.name != "autograph_lite.__main__"]
    return names[:: len(names) // share(len(names))]


@pytest.mark.parametrize("module", own_modules())
def test_our_own_source_converts(module: str) -> None:
    for fn in _functions(importlib.import_module(module)):
        tree, context = transpiler.convert_tree(fn, lambda *_: False)
        loaded = loader.load_function(tree, fn, {context.ag: None}, frozenset(context.generated))
        assert loaded.__code__.co_filename == fn.__code__.co_filename


def _functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    members = [*vars(module).values()]
    members += [
        m
        for k in members
        if isinstance(k, type) and k.__module__ == module.__name__
        for m in vars(k).values()
    ]
    for member in members:
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        if isinstance(member, property):
            member = member.fget
        if isinstance(member, functools.cached_property):
            member = member.func
        written_here = getattr(member, "__module__", None) == module.__name__
        if written_here and isinstance(member, types.FunctionType) and "<" not in member.__code__.co_filename:
            if not hasattr(member, "__wrapped__") and member.__code__.co_filename == module.__file__:
                yield member


def test_a_comprehension_has_a_variable_of_its_own() -> None:
    def f(v):
        log = []
        for i in range(2):
            for j in [v + 1 for v in (0, 2)]:
                log.append(v if i else j)
            log.append([{v: [v for v in (v, 8)]} for v in (v, 5)])
        return log

    assert callables.convert_callable(f)(7) == autograph_lite.to_graph(f)(7) == f(7)
