"""Are generated names unused ones, the same in every run?"""

from __future__ import annotations

import gast
from hypothesis import given, strategies as st

from autograph_lite.syntax.names import Fresh, used_names


def test_first_use_has_no_number():
    assert Fresh(())("true_fun") == "true_fun"


def test_numbers_count_up_from_two():
    fresh = Fresh(())
    assert [fresh("f") for _ in range(3)] == ["f", "f_2", "f_3"]


@given(
    st.sets(st.sampled_from(["f", "f_2", "f_3", "f_2_2", "g"])), st.lists(st.sampled_from(["f", "f_2", "g"]))
)
def test_names_are_never_used_and_never_repeated(used: set[str], bases: list[str]):
    fresh = Fresh(used)
    names = [fresh(base) for base in bases]
    assert len(set(names)) == len(names)
    assert not set(names) & used


def test_every_kind_of_binding_is_a_use():
    tree = gast.parse("""
def a(b, /, c, *d, e=f, **g):
    import h, i.j, k as l
    from m import n as o
    global p
    with q as r: pass
    try: pass
    except s as t: pass
    match u:
        case [v, *w] | {'': 0, **x} | y: pass
    class z: pass
    return [aa := lambda bb: cc for dd in ee]
""")
    names = used_names(tree)
    assert names >= set("abcdefghilopqrstuvwxyz") | {"aa", "bb", "cc", "dd", "ee"}
    assert not names & set("jkmn")


def test_attributes_and_keywords_are_free():
    assert used_names(gast.parse("f(x.a, b=1)")) == {"f", "x"}
