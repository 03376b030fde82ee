"""Are private names written out as CPython does it?"""

from __future__ import annotations

import ast
import types

import gast
import pytest

from autograph_lite.syntax.mangling import class_in, mangle, mangled, unmangled

METHOD = """
    def method(self, __a, *, __k=1, **__kw):
        f(__x=1, **self.__y)
        import __mod, __z as __w
        from pkg import name as __nm
        match __a:
            case P(__attr=__cap): pass
            case {'a': 1, **__rest}: pass
            case [*__st]: pass
        try: pass
        except E as __e: print(__e)
        for __i in __dunder__, _one: self.__i = __i
        global __g
        del __g
        class __D(__Base):
            __v = __Base
        def __inner(__p=__q): return __p
        return [lambda __l: __l for __c in __a], __D
"""


def codes(code: types.CodeType) -> list[types.CodeType]:
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return [code, *(c for i in inner for c in codes(i))]


@pytest.mark.parametrize("name", ["C", "_C", "__C__", "__"])
def test_every_name_becomes_what_cpython_makes_of_it_in_the_class(name: str):
    in_class = compile(f"class {name}:{METHOD}", "f", "exec").co_consts[0].co_consts
    expected = next(const for const in in_class if isinstance(const, types.CodeType))
    node = ast.parse(f"class {name}:{METHOD}").body[0].body[0]
    alone = gast.gast_to_ast(mangle(gast.ast_to_gast(node), name))
    module = compile(ast.Module([alone], []), "f", "exec").co_consts
    got = next(const for const in module if isinstance(const, types.CodeType))
    for a, b in zip(codes(got), codes(expected), strict=True):
        assert (a.co_names, a.co_varnames, a.co_freevars) == (b.co_names, b.co_varnames, b.co_freevars)


def test_names_in_a_nested_class_take_its_own_name():
    tree = mangle(gast.parse("class D(__b):\n    x = __v\n    def m(self): self.__y\n"), "C")
    assert ast.unparse(gast.gast_to_ast(tree)).splitlines()[:2] == ["class D(_C__b):", "    x = _D__v"]
    assert "self._D__y" in ast.unparse(gast.gast_to_ast(tree))


@pytest.mark.parametrize("name", ["x", "_x", "__x__", "__", "a.__b"])
def test_names_that_are_not_private_stay(name: str):
    assert mangled(name, "C") == name


def test_no_name_is_private_outside_of_a_class():
    assert mangled("__x", None) == "__x"


@pytest.mark.parametrize("class_name", ["C", "__C", "_1"])
def test_unmangled_is_the_inverse(class_name: str):
    assert unmangled(mangled("__x", class_name), class_name) == "__x"


@pytest.mark.parametrize(
    ("qualname", "expected"),
    [("f", None), ("C.f", "C"), ("C.D.f", "D"), ("f.<locals>.C.g", "C"), ("C.f.<locals>.<lambda>", "C")],
)
def test_class_is_found_in_a_qualified_name(qualname: str, expected: str | None):
    assert class_in(qualname) == expected
