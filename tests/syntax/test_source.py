"""Does `read` find the very text of a function, wherever Python keeps it?"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import importlib.util
import linecache
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import gast
import pytest

from autograph_lite.errors import ConversionError, SourceNotFoundError
from autograph_lite.syntax.source_text import source

Importer = Callable[..., ModuleType]


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Importer:
    """Writes a module, and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write_and_import(text: str, name: str = "model", encoding: str = "utf-8") -> ModuleType:
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding=encoding)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write_and_import
    sys.modules.pop("model", None)


def defined(text: str, name: str = "f", path: str = "<registered>") -> FunctionType:
    """The function `name` of a text that is registered with linecache."""
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    namespace: dict[str, Any] = {}
    exec(compile(text, path, "exec"), namespace)
    return namespace[name]


def body_text(fn: FunctionType) -> str:
    return ast.unparse(gast.gast_to_ast(source.read_source(fn).node))


def marked(fn: FunctionType) -> FunctionType:
    return fn


def test_lines_and_columns_are_those_of_the_file():
    def f(x):
        return x + 1

    found = source.read_source(f)
    assert found.node.lineno == found.first_line == f.__code__.co_firstlineno
    assert found.node.col_offset == 4
    assert found.text == "    def f(x):\n        return x + 1\n"
    assert found.path == __file__


def test_columns_count_bytes_as_pythons_own_do():
    f = defined("def f(x): return 'é', x\n")
    name = next(
        n
        for n in gast.walk(source.read_source(f).node)
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)
    )
    assert name.col_offset == len("def f(x): return 'é', ".encode())


def test_text_begins_with_the_first_decorator():
    @marked
    @marked
    def f():
        pass

    assert source.read_source(f).text.split() == ["@marked", "@marked", "def", "f():", "pass"]


def test_function_whose_decorator_spans_lines_is_found():
    @functools.lru_cache(
        maxsize=3,
    )
    def f(x):
        return x

    assert source.read_source(f.__wrapped__).node.name == "f"


def test_second_definition_of_a_name_is_told_by_its_line():
    f = defined("def f(): return 1\ndef f(): return 2\n")
    assert "return 2" in body_text(f)


def test_function_with_assertions_that_pytest_rewrote_is_found():
    def f(x):
        assert x > 0, "positive"
        return x

    assert "assert x > 0, 'positive'" in body_text(f)


def test_lambdas_on_one_line_are_told_apart():
    double, square = (lambda x: 2 * x), (lambda x: x * x)
    assert [body_text(double), body_text(square)] == ["lambda x: 2 * x", "lambda x: x * x"]


def test_lambda_in_a_lambda_is_told_apart():
    outer = lambda: lambda: 1
    assert [body_text(outer), body_text(outer())] == ["lambda: lambda: 1", "lambda: 1"]


def test_lambda_as_the_default_of_a_lambda_is_told_apart():
    outer = lambda f=lambda: 1: f
    assert [body_text(outer), body_text(outer())] == ["lambda f=lambda: 1: f", "lambda: 1"]


def test_lambdas_with_a_constant_condition_are_told_apart():
    one, two = (lambda: 1 if True else 0), (lambda: 2 if True else 0)
    assert [body_text(one)[8:9], body_text(two)[8:9]] == ["1", "2"]


def test_lambdas_are_told_apart_by_their_parameters():
    one, two = (lambda x: x), (lambda *x: x)
    assert [body_text(one), body_text(two)] == ["lambda x: x", "lambda *x: x"]


def without_columns(program: str, tmp_path: Path) -> str:
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    command = [sys.executable, "-X", "no_debug_ranges", "program.py"]
    root = str(Path(source.__file__).parents[3])
    env = {
        "PYTHONPATH": root,
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # or our own modules would stay without columns
    run = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert not run.stderr, run.stderr
    return run.stdout


def test_lambdas_that_close_over_a_variable_are_told_apart_by_what_they_compile_to(tmp_path: Path):
    program = """
        from autograph_lite.syntax.source_text import source
        def made(k):
            return lambda x: k * x, lambda x: x * k
        print(*(source.read_source(f).node.col_offset for f in made(2)))
        """
    assert without_columns(program, tmp_path) == "11 28\n"


def test_lambdas_are_told_apart_by_what_they_compile_to(tmp_path: Path):
    program = """
        import ast, gast
        from autograph_lite.syntax.source_text import source
        a, b = lambda x, y=lambda: 3: 2 * x, lambda x, y=0: x * x
        print(*(ast.unparse(gast.gast_to_ast(source.read_source(f).node)) for f in (a, b)), sep="; ")
        """
    assert without_columns(program, tmp_path) == "lambda x, y=lambda: 3: 2 * x; lambda x, y=0: x * x\n"


def test_equal_lambdas_need_not_be_told_apart(tmp_path: Path):
    program = """
        from autograph_lite.syntax.source_text import source
        a, b = lambda x: x, lambda x: x
        print(source.read_source(b).first_line)
        """
    assert without_columns(program, tmp_path) == "3\n"


@pytest.mark.parametrize(
    ("name", "enclosing"),
    [("method", "C"), ("inner", "C"), ("deepest", "D"), ("plain", None), ("base", None)],
)
def test_enclosing_class_is_the_innermost_around_the_text(name: str, enclosing: str | None):
    base = lambda: object

    class C(base()):
        def method(self):
            def inner():
                class D:
                    def deepest(self): ...

                return D

            return inner

    def plain(): ...

    inner = C().method()
    functions = dict(method=C.method, inner=inner, deepest=inner().deepest, plain=plain, base=base)
    assert source.read_source(functions[name]).enclosing_class == enclosing


def test_tree_belongs_to_the_caller():
    def f(x):
        return x

    source.read_source(f).node.body.clear()
    assert body_text(f) == "def f(x):\n    return x"


def test_registered_text_is_read_again_when_it_changes():
    assert "return 1" in body_text(defined("def f(): return 1\n"))
    assert "return 2" in body_text(defined("def f(): return 2\n"))


def test_file_is_read_again_after_an_edit_and_a_reload(imported: Importer):
    assert "return 1" in body_text(imported("def f():\n    return 1\n").f)
    assert "return 200" in body_text(imported("def f():\n    return 200\n").f)


def test_other_parameters_in_the_file_are_an_error(imported: Importer):
    f = imported("def f(x):\n    return x\n").f
    Path(f.__code__.co_filename).write_text("def f(x, y):\n    return x\n")
    with pytest.raises(ConversionError) as error:
        source.read_source(f)
    assert str(error.value).splitlines() == [
        "The source of 'f' has changed since it was defined.",
        f"  {f.__code__.co_filename}:1 in f",
        "      def f(x, y):",
        "  line 1 no longer defines 'f' with the same parameters.",
        "  Fix: import the module again, or restart Python.",
    ]


@pytest.mark.parametrize("text", ["\n\n\ndef f(x):\n    return x\n", "def g(x):\n    y = x\n    return y\n"])
def test_function_that_moved_or_went_is_an_error(imported: Importer, text: str):
    f = imported("def f(x):\n    y = x\n    return y\n").f
    Path(f.__code__.co_filename).write_text(text)
    with pytest.raises(ConversionError, match="has changed since it was defined"):
        source.read_source(f)


def test_shorter_body_in_the_file_is_an_error(imported: Importer):
    f = imported("def f(x):\n    y = x\n    return y\n").f
    Path(f.__code__.co_filename).write_text("def f(x):\n    return x\n")
    with pytest.raises(ConversionError, match="has changed since it was defined"):
        source.read_source(f)


def test_method_is_read_where_the_rest_of_the_file_is_not_python(imported: Importer):
    text = "x = 1\nclass C:\n    def f(self):\n        return self.__x\n"
    f = imported(text).C.f
    Path(f.__code__.co_filename).write_text(text + "while being edited\n")
    found = source.read_source(f)
    assert (found.node.lineno, found.node.col_offset, found.enclosing_class) == (3, 4, "C")
    assert "return self._C__x" in body_text(f)


def test_definition_that_is_not_python_is_an_error(imported: Importer):
    f = imported("def f(x):\n    return x\n").f
    Path(f.__code__.co_filename).write_text("def f(x):\n    return x +\n")
    with pytest.raises(ConversionError) as error:
        source.read_source(f)
    assert str(error.value).splitlines() == [
        "The source of 'f' could not be read: its file is not valid Python.",
        f"  {f.__code__.co_filename}:1 in f",
        "      def f(x):",
        "  line 2: invalid syntax",
        "  Fix: undo or finish the change to the file, then import it again.",
    ]


def test_file_in_another_encoding_is_read(imported: Importer):
    f = imported("# -*- coding: latin-1 -*-\ndef f():\n    return 'é'\n", encoding="latin-1").f
    assert "return 'é'" in body_text(f)


def test_module_in_an_archive_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as archive:
        archive.writestr("zipped_model.py", "def f(x):\n    return x + 7\n")
    monkeypatch.syspath_prepend(str(tmp_path / "library.zip"))
    assert "return x + 7" in body_text(importlib.import_module("zipped_model").f)


def _registered(name: str, text: str, kept: list[str]) -> FunctionType:
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    linecache.cache[name] = (len(text), None, kept, name)
    found: FunctionType = names["f"]
    return found


def test_registered_text_without_the_ends_of_its_lines_is_read():
    text = "def f(x):\n    return x"
    assert source.read_source(_registered("<without ends>", text, text.split("\n"))).text == f"{text}\n"


@pytest.mark.parametrize("kept", ["def g():\n    pass\n", "def f(x:\n", "def f(x): return -x\n"])
def test_registered_text_of_another_function_is_an_error(kept: str):
    fn = _registered("<another's>", "def f(x): return x", kept.splitlines(keepends=True))
    with pytest.raises(ConversionError):
        source.read_source(fn)


def test_lambdas_on_one_line_that_are_constants_are_told_apart():
    first, second, third = (lambda x: 1.0, lambda x: 2, lambda x: 2.0)
    assert [body_text(f) for f in (first, second, third)] == ["lambda x: 1.0", "lambda x: 2", "lambda x: 2.0"]


def test_function_of_a_doctest_is_read():
    text = ">>> def f(x):\n...     return x + 5\n>>> body_text(f)\n'def f(x):\\n    return x + 5'\n"
    test = doctest.DocTestParser().get_doctest(text, {"body_text": body_text}, "a doctest", None, None)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_text_of_a_warning_is_parsed_in_silence():
    with pytest.warns((SyntaxWarning, DeprecationWarning)):
        f = defined(r"def f(): return '\d'" + "\n")
    assert r"return '\\d'" in body_text(f)


def test_chain_deeper_than_the_recursion_limit_is_read():
    text = "def f(x):\n    if x == 0: return 0\n" + "".join(
        f"    elif x == {i}: return {i}\n" for i in range(1, 700)
    )
    assert isinstance(source.read_source(defined(text)).node, gast.FunctionDef)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_function_with_type_parameters_is_read():
    f = defined("def f[T](x: T) -> T:\n    return x\n")
    assert body_text(f).startswith("def f[T](x: T)")


@pytest.mark.parametrize("fn", [len, "".join, functools.partial(print), Path])
def test_what_is_no_python_function_has_no_source(fn: Any):
    with pytest.raises(SourceNotFoundError, match="It is not written in Python"):
        source.read_source(fn)


def test_function_without_text_is_an_error_that_names_it():
    namespace: dict[str, Any] = {}
    exec("def f(x): return x", namespace)
    with pytest.raises(SourceNotFoundError) as error:
        source.read_source(namespace["f"])
    assert isinstance(error.value, OSError)
    assert str(error.value).splitlines() == [
        "No source for 'f'.",
        "  Python has kept no text for '<string>'.",
        "  Fix: define it in a file or a notebook cell, or register its text with `linecache`.",
    ]


class Rewriting(SourceFileLoader):
    """A loader that compiles another tree than that of the text, as import hooks do."""

    @staticmethod
    def source_to_code(data: Any, path: Any = "", **_: Any) -> CodeType:
        tree = ast.parse(data)
        for each in ast.walk(tree):
            if isinstance(each, ast.FunctionDef):
                each.body.insert(0, ast.copy_location(ast.parse("checked = True").body[0], each.body[0]))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def test_function_that_an_import_hook_has_compiled_is_read_until_its_file_is_edited(tmp_path: Path):
    path = tmp_path / "hooked.py"
    path.write_text("def f(x):\n    return x + 1\ndef g(x):\n    return x + 1\n")
    spec = importlib.util.spec_from_file_location("hooked", path, loader=Rewriting("hooked", str(path)))
    module = sys.modules["hooked"] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        assert body_text(module.f) == "def f(x):\n    return x + 1"
        path.write_text("def f(x):\n    return x + 1\ndef g(x):\n    return x + 2\n")
        with pytest.raises(ConversionError, match="has changed since it was defined"):
            source.read_source(module.g)
        assert body_text(module.f) == "def f(x):\n    return x + 1"
    finally:
        del sys.modules["hooked"]


def test_function_that_pytest_has_rewritten_is_read_from_a_new_file(tmp_path: Path):
    (tmp_path / "test_new.py").write_text(
        "from autograph_lite.syntax.source_text import source\n"
        "def test_read():\n"
        "    def f(x):\n"
        "        assert x > 0, 'positive'\n"
        "        return x\n"
        "    assert 'assert x > 0' in source.read_source(f).text\n"
    )
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        assert pytest.main(["-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(tmp_path)]) == 0
    finally:
        sys.dont_write_bytecode = bytecode


def test_function_of_a_block_that_is_compiled_statement_by_statement_is_read():
    text = "import math, os.path as p\nf = lambda x: math.floor(x) + len(p.join('a', x))\n"
    linecache.cache["<block>"] = len(text), None, text.splitlines(True), "<block>"
    names: dict[str, Any] = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), "<block>", "exec"), names)
    assert body_text(names["f"]).startswith("lambda x: math.floor(x)")


@pytest.mark.parametrize(
    "text",
    [
        "usual = super\nclass A(dict):\n    def f(self): return super().copy()\n",
        "class A:\n    def f(self): return A, self.__x, -0.0, (1, 1.0), {1, 2}\n",
        "class A:\n    def f(self):\n        class B:\n            '''Of B.'''\n            def g(self): return __class__\n        return B\n",
        "from __future__ import annotations\nclass A:\n    def f(self, x: A) -> A:\n        y: A = x\n        return y\n",
        "class A:\n    async def f(self, *a, b=lambda: 1, **c):\n        async with a as d: return [await e async for e in d]\n",
    ],
)
def test_what_is_around_a_method_does_not_make_it_another(text: str):
    method = defined(text, "A", "<around>").f
    assert source.read_source(method).node.name == "f"


def test_registered_text_of_another_body_is_no_source_of_a_function():
    fn = _registered("<another's>", "def f(x): return x\n", ["def f(x): return -x\n"])
    with pytest.raises(SourceNotFoundError) as error:
        source.read_source(fn)
    assert str(error.value).splitlines() == [
        "No source for 'f'.",
        "  The text that is kept for '<another's>' is that of another function.",
        "  Fix: define it in a file or a notebook cell, or register its text with `linecache`.",
    ]
