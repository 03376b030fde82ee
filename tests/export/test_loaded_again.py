"""Does a loaded function take what the live one takes, and can it be trained and saved again?"""

from __future__ import annotations

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


@pytest.fixture
def path(tmp_path):
    return tmp_path / "saved.zip"


def loaded(path, f, *signatures, **options):
    al.save(path, f, *signatures, **options)
    return al.load(path)


def product(x, y):
    return x * y if x > 1 else x + y


@pytest.mark.parametrize(
    "args",
    [(10.0, 2.0), (2.5, 3), (jnp.asarray(10.0), 2), (np.float64(3), jnp.float32(1))],
    ids=str,
)
def test_weak_types_and_pythons_numbers_take_the_dtype_that_was_saved(path, args):
    f = al.convert(product)
    result = loaded(path, f, (jnp.float32(1), jnp.float32(1)))(*args)
    assert result == product(*args)
    assert result.dtype == jnp.float32


def test_of_several_programs_the_one_of_the_numbers_own_dtype(path):
    f = loaded(path, al.convert(product), (jnp.float32(1), jnp.float32(1)), (jnp.int32(1), jnp.int32(1)))
    assert (f(3, 4).dtype, f(3.0, 4).dtype, f(jnp.float32(3), 4).dtype) == (
        jnp.int32,
        jnp.float32,
        jnp.float32,
    )
    assert [f(3, 4), f(3.0, 4)] == [12, 12]


def test_a_list_of_numbers_is_an_array(path):
    f = loaded(path, al.convert(lambda x: x.sum()), (al.ArraySpec([None], jnp.float32),))
    assert f([1.0, 2.5]) == f(np.array([1.0, 2.5])) == 3.5


@pytest.mark.parametrize("args", [("a", 1.0), (jnp.int32(3), 1.0), (2.0, jnp.ones(2)), (True, 1.0)], ids=repr)
def test_what_is_of_another_kind_is_refused(path, args):
    f = loaded(path, al.convert(lambda x, y: x + y), (jnp.int8(1), jnp.float32(1)))
    with pytest.raises(al.UnsavedSignatureError):
        f(*args)


def total(x, y):
    s = y.sum() * 0
    for row in x:
        s = s + row.sum()
    return s + y.sum(), x * 2, x.shape[0]


def test_arrays_of_no_items(path):
    f = loaded(
        path, al.convert(total), (al.ArraySpec([None, 3], jnp.float32), al.ArraySpec([None], jnp.float32))
    )
    for n, m in ((0, 0), (2, 3)):
        result, expected = f(jnp.ones((n, 3)), jnp.ones(m)), total(np.ones((n, 3)), np.ones(m))
        for got, wanted in zip(result, expected, strict=True):
            np.testing.assert_allclose(got, wanted)
    with pytest.raises(al.UnsavedSignatureError):
        f(jnp.ones((0, 3)), jnp.ones(2))


def test_no_items_where_the_function_takes_one(path):
    f = loaded(path, al.convert(lambda x: x.max()), (al.ArraySpec([None], jnp.float32),))
    assert f(jnp.array([1.0, 3.0])) == 3
    with pytest.raises(al.UnsavedSignatureError):
        f(jnp.ones(0))


def test_a_derivative_of_no_items(path):
    f = loaded(path, al.convert(lambda x: (x**2).sum()), (al.ArraySpec([None], jnp.float32),), vjp_order=1)
    assert jax.grad(f)(jnp.array([1.0, 2.0])).tolist() == [2, 4]
    assert jax.grad(f)(jnp.ones(0)).shape == (0,)


class Line(al.Module):
    def __init__(self):
        self.w, self.steps = al.Variable(0.0), al.Variable(0, trainable=False)

    @al.convert
    def __call__(self, x):
        return self.w * x if x > 0 else x * 0

    @al.convert
    def train(self, x, y, rate=0.1):
        self.w.assign(self.w - rate * 2 * (self.w * x - y) * x)
        self.steps.assign_add(1)
        return self.steps.value


def test_load_train_save_load(path):
    line = Line()
    line(jnp.float32(1)), line.train(jnp.float32(1), jnp.float32(1))
    al.save(path, line)
    for round_ in (2, 3, 4):
        again = al.load(path)
        assert again.train(jnp.float32(1), jnp.float32(1)) == round_
        al.save(path, again)
        line.train(jnp.float32(1), jnp.float32(1))
        assert again.named_variables["w"].value == line.w.value
    assert al.load(path)(jnp.float32(2)) == line(jnp.float32(2))
    assert [v.trainable for v in al.load(path).variables] == [True, False]


def test_functions_of_two_files_and_a_live_one_in_one(path, tmp_path):
    w = al.Variable(1.0)
    grow, shrink = (
        al.convert(lambda x: w.assign(w * x)),
        al.convert(lambda x, by=np.float32(2): w.assign(w / x / by)),
    )
    grow(jnp.float32(1)), shrink(jnp.float32(1))
    one = loaded(path, {"grow": grow, "shrink": shrink})
    other = loaded(
        tmp_path / "other.zip", al.convert(lambda x: {"file": x, "variable": x + 1}), (jnp.float32(1),)
    )
    al.save(
        path,
        {
            "one": one["grow"],
            "two": one["shrink"],
            "other": other,
            "live": al.convert(lambda x: x + 5).get_concrete_function(jnp.float32(0)),
        },
    )
    found = al.load(path)
    before = float(found["one"].variables[0].value)
    found["one"](jnp.float32(6)), found["two"](jnp.float32(3))
    assert found["two"].variables[0].value == before
    assert found["other"](jnp.float32(1)) == {"file": 1, "variable": 2}
    assert found["live"](jnp.float32(1)) == 6


def test_a_copy_is_saved_with_its_own_variables(path):
    count = al.Variable(0)
    f = al.convert(lambda x: count.assign_add(x))
    one = loaded(path, f, (jnp.int32(1),))
    other = copy.deepcopy(one)
    other(jnp.int32(5))
    al.save(path, other)
    assert (al.load(path).variables[0].value, one.variables[0].value) == (5, 0)


def test_checks_and_derivatives_stay(path):
    def root(x):
        if x < 0:
            raise ValueError(f"no root of {x}")
        return x**0.5

    al.save(path, loaded(path, al.convert(root), (jnp.float32(0),), vjp_order=1))
    f = al.load(path)
    assert jax.grad(f)(jnp.float32(4)) == 0.25
    with pytest.raises(ValueError, match="no root of -1.0"):
        f(jnp.float32(-1))


def test_what_the_file_does_not_hold_is_refused(path):
    f = loaded(path, al.convert(lambda x: x + 1), (jnp.float32(0),))
    with pytest.raises(al.SaveError) as error:
        al.save(path, f, vjp_order=1)
    assert "That file holds its derivatives up to order 0.\n  Fix: leave out `vjp_order`" in str(error.value)
    with pytest.raises(al.SaveError) as error:
        al.save(path, f, platforms=["cpu", "tpu"])
    assert "Its programs were lowered for cpu.\n  Fix: leave out `platforms`" in str(error.value)
    with pytest.raises(al.SaveError, match="Signatures are given for something else"):
        al.save(path, f, (jnp.float32(0),))
