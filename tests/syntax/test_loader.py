"""Does a loaded function take the place of the user's own?"""

from __future__ import annotations

import ast
import asyncio
import inspect
import linecache
import sys
import traceback
import types
from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast
import pytest

import autograph_lite
from autograph_lite.syntax import loader, quote
from autograph_lite.syntax.source_text import source

COUNTER = 0


def loaded(fn: Any, **injected: object) -> Any:
    """`fn` from its own tree, unchanged."""
    return loader.load_function(source.read_source(fn).node, fn, injected)


def with_body(fn: Any, text: str, *generated: str, **injected: object) -> Any:
    """`fn` with statements in place of its body."""
    node = source.read_source(fn).node
    node.body = quote.all_located(quote.stmts(text), node.body[0])
    return loader.load_function(node, fn, injected, frozenset(generated))


def registered(text: str, **names: object) -> dict[str, Any]:
    """What a text defines that is registered with linecache."""
    linecache.cache["<loaded>"] = len(text), None, text.splitlines(True), "<loaded>"
    namespace = dict(names)
    exec(compile(text, "<loaded>", "exec", dont_inherit=True), namespace)
    return namespace


def test_attributes_are_the_users():
    def f(a, /, b: int = 3, *c: str, d: "Undefined" = [], **e) -> float:  # noqa: F821
        """Adds."""
        return a

    f.mark = object()
    g = loaded(f)
    assert inspect.signature(g) == inspect.signature(f)
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__dict__"):
        assert getattr(g, attribute) == getattr(f, attribute)
    assert g.__globals__ is f.__globals__
    assert g.__dict__ is not f.__dict__


def test_defaults_are_the_same_objects_and_are_not_evaluated_again():
    evaluated = []

    def f(a=evaluated.append(1), *, b=evaluated):
        return a, b

    g = loaded(f)
    assert g() == (None, [1])
    assert g.__defaults__ is f.__defaults__
    assert g.__kwdefaults__ is f.__kwdefaults__


def test_decorators_are_not_evaluated_again_and_keep_the_first_line():
    calls = []

    def count(fn):
        calls.append(fn)
        return fn

    @count
    @count
    def f():
        return 1

    g = loaded(f)
    assert (g(), len(calls)) == (1, 2)
    assert g.__code__.co_firstlineno == f.__code__.co_firstlineno


def test_cells_are_the_very_same():
    total, unused = 1, 2

    def f():
        nonlocal total
        total += 1
        return unused and None

    g = loaded(f)
    g()
    assert total == 2
    assert all(cell in f.__closure__ for cell in g.__closure__)


def test_globals_are_live():
    global COUNTER

    def f():
        return COUNTER

    g = loaded(f)
    COUNTER = 41
    assert g() == 41


def test_cell_that_is_not_bound_yet_works_once_it_is():
    def f():
        return later

    g = loaded(f)
    with pytest.raises(NameError, match="'later'"):
        g()
    later = 5
    assert g() == 5


def test_recursive_function_calls_what_its_name_stands_for():
    def f(n):
        return n and f(n - 1)

    g = loaded(f)
    assert g(3) == 0
    f = lambda n: "rebound"
    assert g(3) == "rebound"


def test_recursive_function_of_a_module_finds_itself_among_the_globals():
    module = registered("def f(n):\n    return n and f(n - 1)\n")
    g = loaded(module["f"])
    assert g(3) == 0
    module["f"] = lambda n: "rebound"
    assert g(3) == "rebound"


def test_free_variables_that_the_tree_no_longer_mentions_are_dropped():
    x, y = 1, 2

    def f():
        return x + y

    assert with_body(f, "return x").__code__.co_freevars == ("x",)


def test_injected_names_are_seen_and_are_not_put_into_the_globals():
    def f(x):
        return x

    g = with_body(f, "return [ag for _ in x]", ag="operators")
    assert g((1, 2)) == ["operators", "operators"]
    assert "ag" not in f.__globals__


def test_injected_name_comes_before_a_cell_of_the_same_name():
    ag = "of an outer conversion"

    def f():
        return ag

    assert loaded(f, ag="operators")() == "operators"


def test_name_that_becomes_local_hides_the_cell():
    x = 1

    def f():
        return x

    g = with_body(f, "x = 2\nreturn x")
    assert (g(), x) == (2, 1)


def test_class_cell_resolves():
    class C:
        def f(self):
            return __class__, super().__repr__()

    assert loaded(C.f)(C())[0] is C


def test_private_names_work_outside_the_class():
    class C:
        __x = 3

        def f(self, __y=4):
            class __D: ...

            def __g(): ...

            return self.__x, __y, __D, __g

    x, y, D, g = loaded(C.f)(C())
    prefix = "test_private_names_work_outside_the_class.<locals>.C.f.<locals>."
    assert (x, y, D.__name__, g.__name__) == (3, 4, "__D", "__g")
    assert (D.__qualname__, g.__qualname__) == (prefix + "__D", prefix + "__g")


def test_inner_functions_and_classes_keep_their_names():
    def f():
        global elsewhere

        def g():
            return lambda: 1

        class D:
            def m(self): ...

        def elsewhere(): ...

        return g, g(), D, D.m, elsewhere

    def names(fn: Callable[[], Any]) -> list[tuple[str, str]]:
        return [(each.__name__, each.__qualname__) for each in fn()]

    assert names(loaded(f)) == names(f)


def test_lambda_gives_a_function():
    k = 2
    f = lambda x, *, y=5: x * y * k
    g = loaded(f)
    assert (g(3), g.__name__, inspect.signature(g)) == (30, "<lambda>", inspect.signature(f))


def test_generated_functions_bear_the_users_name_in_tracebacks():
    def f(x):
        return x

    g = with_body(
        f,
        """
        def true_fun():
            def user():
                return [x[0] for _ in (1,)][0]
            return user()
        return true_fun()
        """,
        "true_fun",
    )
    with pytest.raises(TypeError) as error:
        g(1)
    frames = traceback.extract_tb(error.tb)[1:]
    assert [frame.name for frame in frames if frame.name != "<listcomp>"] == ["f", "f", "user"]
    assert {frame.lineno for frame in frames} == {f.__code__.co_firstlineno + 1}
    assert {frame.filename for frame in frames} == {__file__}


def test_functions_inside_generated_ones_are_the_users():
    def f():
        pass

    g = with_body(f, "def true_fun():\n    def user(): pass\n    return user\nreturn true_fun()", "true_fun")
    assert g().__qualname__ == f.__qualname__ + ".<locals>.user"


def test_carets_point_to_the_users_columns():
    def f(x):
        return x + (x / 0)

    with pytest.raises(ZeroDivisionError) as error:
        loaded(f)(1)
    position = traceback.extract_tb(error.tb)[-1]
    assert (position.line[position.colno - 8 : position.end_colno - 8]) == "x / 0"


def test_nodes_without_or_with_broken_locations_are_compiled():
    def f(x):
        return x

    node = source.read_source(f).node
    value = quote.expr("g(x)", g=quote.located(quote.name("abs"), node))
    value.lineno, value.col_offset, value.end_lineno, value.end_col_offset = (
        node.lineno + 1,
        60,
        node.lineno + 1,
        5,
    )
    node.body = [gast.Return(value)]
    assert loader.load_function(node, f, {})(-2) == 2


def test_tree_is_not_changed():
    @pytest.mark.usefixtures()
    def f(x: int = 1):
        return x

    node = source.read_source(f).node
    before = gast.dump(node)
    loader.load_function(node, f, {})
    assert gast.dump(node) == before


@pytest.mark.parametrize("kind", ["generator", "coroutine", "asyncgen", "types.coroutine"])
def test_kind_of_function_is_kept(kind: str):
    def generator():
        yield 1

    async def coroutine():
        return 2

    async def asyncgen():
        yield await coroutine()

    iterable = types.coroutine(generator)
    fn = {"generator": generator, "coroutine": coroutine, "asyncgen": asyncgen}.get(kind, iterable)
    kinds = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | 0x100
    assert loaded(fn).__code__.co_flags & kinds == fn.__code__.co_flags & kinds


def test_coroutine_runs():
    async def f(x):
        return x + 1

    assert asyncio.run(loaded(f)(1)) == 2


def test_future_features_are_those_of_the_users_module():
    text = "def f():\n    def g(x: undefined): ...\n    return g.__annotations__\n"
    with pytest.raises(NameError):
        loaded(registered(text)["f"])()["x"]
    future = registered("from __future__ import annotations\n" + text)["f"]
    assert loaded(future)() == {"x": "undefined"}


def test_compiling_repeats_no_warning():
    with pytest.warns(SyntaxWarning):
        f = registered("def f(x):\n    return x is 1\n")["f"]
    assert loaded(f)(1) is True


def test_chain_deeper_than_the_recursion_limit_is_loaded():
    chain = "".join(f"    elif x == {i}: return {i}\n" for i in range(1, 500))
    f = registered("def f(x):\n    if x == 0: return 0\n" + chain)["f"]
    limit = sys.getrecursionlimit()
    assert loaded(f)(499) == 499
    assert sys.getrecursionlimit() == limit


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_type_parameters_are_kept_and_seen():
    f = registered("def f[T](x: T):\n    def g[U](y: T, z: U): ...\n    return T, g.__type_params__\n")["f"]
    g = loaded(f)
    assert g.__type_params__ is f.__type_params__
    assert (g(1)[0], g(1)[1][0].__name__) == (f.__type_params__[0], "U")


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are lazy since 3.14")
def test_annotations_stay_lazy():
    f = registered("def f(x: Later): ...\n")
    g = loaded(f["f"])
    f["Later"] = int
    assert g.__annotations__ == {"x": int}


def test_generated_code_is_debuggable_line_by_line():
    def f(x):
        y = x + 1
        return y

    lines = []

    def trace(frame: types.FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "f":
            lines.append((event, frame.f_lineno))
        return trace

    def traced(fn: FunctionType) -> list[tuple[str, int]]:
        lines.clear()
        outer = sys.gettrace()
        sys.settrace(trace)
        try:
            fn(1)
        finally:
            sys.settrace(outer)
        return list(lines)

    assert traced(loaded(f)) == traced(f)


def test_every_function_of_a_module_compiles_to_the_code_it_had():
    functions = [f for f in vars(ast).values() if isinstance(f, FunctionType)]
    assert len(functions) > 10
    for f in functions:
        f = inspect.unwrap(f)
        g = loaded(f)
        assert (g.__code__.co_code, g.__code__.co_names) == (f.__code__.co_code, f.__code__.co_names)
        assert list(g.__code__.co_positions()) == list(f.__code__.co_positions())


def test_functions_of_equal_code_are_loaded_at_once() -> None:
    ifs = "".join(f"{'    ' * depth}if x > {depth}:\n" for depth in range(1, 18))
    text = f"def f(x):\n{ifs}{'    ' * 18}x = x + 1\n    return x\n"
    linecache.cache["<equal>"] = len(text), None, text.splitlines(keepends=True), "<equal>"
    found = []
    for _ in range(
        2
    ):  # as when a cell runs again: to compare two codes takes twice as long for each level of functions
        space: dict[str, Any] = {}
        exec(compile(text, "<equal>", "exec"), space)
        found.append(autograph_lite.to_graph(space["f"]))

    assert [fn(20) for fn in found] == [21, 21]
    assert found[0].__code__ is not found[1].__code__
    assert all(loader.is_loaded(fn.__code__) for fn in found)
