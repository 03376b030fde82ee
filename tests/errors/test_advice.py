"""Can the remedy that an error gives be followed?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al


def fix(f, *args, error=al.MutationError):
    with pytest.raises(error) as raised:
        f(*args)
    return str(raised.value).partition("Fix: ")[2].splitlines()[0]


class Box:
    def __init__(self, x):
        x[0] = 1.0
        self.x = x


def test_a_constructor_returns_nothing():
    def f(x):
        box = Box(x)
        return box.x + x

    assert fix(lambda x: jax.jvp(al.to_graph(f), (x,), (x,)), jnp.ones(3)) == (
        "read the array from the object afterwards, and not 'x'; where 'x' is to stay as it is, hand over x.copy()."
    )

    def followed(x):
        box = Box(x)
        return box.x + box.x

    assert al.convert(followed)(jnp.zeros(2)).tolist() == [2, 0]


def pair(x):
    x[0] = 5.0
    return x, x.sum()


def test_a_function_that_returns_something_already():
    def f(x):
        p, s = pair(x)
        return x + s

    assert fix(lambda x: jax.jvp(al.to_graph(f), (x,), (x,)), jnp.ones(3)) == (
        "let 'pair' return the array among its results, and read that one afterwards in place of 'x'; where 'x' is to stay as "
        "it is, hand over x.copy()."
    )

    def followed(x):
        p, s = pair(x)
        return p + s

    assert al.convert(followed)(jnp.zeros(2)).tolist() == [10, 5]


def test_methods_of_arrays_are_those_of_a_variables_value():
    v = al.Variable(jnp.array([1.0, 2.0]))
    for f in (lambda: v.sum(), al.convert(lambda: v.sum())):
        with pytest.raises(
            AttributeError, match=r"^A Variable has no attribute 'sum': it is the array's. Write .value.sum"
        ):
            f()
    with pytest.raises(AttributeError, match="'Variable' object has no attribute 'summ'"):
        v.summ  # noqa: B018
    assert not hasattr(v, "sum")


def test_a_list_is_added_to_a_variable():
    v = al.Variable(jnp.array([1.0, 2.0]))
    v.assign_add([1.0, 1])
    al.convert(lambda x: v.assign_sub((x, 0.5)))(jnp.float32(3))
    assert v.value.tolist() == [-1, 2.5]
    with pytest.raises(al.VariableError, match=r"of float32\[2\] is given float32\[3\]"):
        v.assign_add([1.0, 1.0, 1.0])


def test_save_takes_the_path_first(tmp_path):
    f = al.convert(lambda x: x)
    f(jnp.float32(1))
    with pytest.raises(
        al.SaveError, match="The first argument is a 'Function' object, and the path of a file comes first."
    ):
        al.save(f, tmp_path / "f.zip")


def test_a_library_that_says_nothing_in_a_branch(tmp_path, monkeypatch):
    import importlib.util

    from autograph_lite.operators.user_code import ownership

    path = tmp_path / "sampling.py"
    path.write_text("def sample(x):\n    assert x is None\n    return x\n")
    monkeypatch.setattr(ownership, "FOLDERS", (*ownership.FOLDERS, str(tmp_path)))
    spec = importlib.util.spec_from_file_location("sampling", path)
    sampling = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sampling)

    def f(x):
        if x > 0:
            return sampling.sample(x)
        return x

    with pytest.raises(
        al.PythonOnlyError, match=r"'sampling.sample' raised AssertionError inside of a staged statement"
    ) as error:
        jax.jit(al.to_graph(f))(jnp.float32(1))
    assert "Fix: call it before the statement, on every path, and choose between the results." in str(
        error.value
    )
