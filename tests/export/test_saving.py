"""Does a loaded function do what the saved one did: values, state, checks, sizes, gradients, in a process of its own?"""

from __future__ import annotations

import collections
import copy
import json
import subprocess
import sys
import zipfile
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

X = al.ArraySpec([3], jnp.float32)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "saved.zip"


def again(path, function, *signatures, **options):
    al.save(path, function, *signatures, **options)
    return al.load(path)


def test_a_loaded_function_computes_what_the_saved_one_did(path):
    @al.convert
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    f = again(path, collatz, (jnp.int32(0),))
    assert [int(f(jnp.int32(n))) for n in (1, 6, 27)] == [0, 8, 111]


def test_calls_are_spelled_as_those_of_the_saved_function(path):
    f = al.convert(lambda x, n=2, *, k=1: n * x + k)
    calls = [f.get_concrete_function(X), f.get_concrete_function(X, 3, k=5)]
    g = again(path, calls)
    x = jnp.ones(3)
    for args, kwargs in [((x,), {}), ((x, 2), {"k": 1}), ((x, 3), {"k": 5}), ((), {"x": x, "n": 3, "k": 5})]:
        np.testing.assert_array_equal(g(*args, **kwargs), f(*args, **kwargs))
    assert str(g.__signature__) == "(x, n=2, *, k=1)"


@pytest.mark.parametrize(
    "value",
    [None, True, 1, 2**70, 1.0, float("nan"), -0.0, 1j, "é\ud800", b"\0\xff", ..., slice(0, 3), range(4),
     np.dtype("int8"), jnp.bfloat16, np.float32, int],
)  # fmt: skip
def test_literals_are_told_apart_by_type_and_value(path, value):
    f = al.convert(lambda x, n: (x, [n]))
    g = again(path, f, (X, value), (X, "other"))
    _, (back,) = g(jnp.ones(3), value)
    assert type(back) is type(value)
    assert repr(back) == repr(value)


def test_equal_literals_of_other_types_are_other_signatures(path):
    g = again(path, al.convert(lambda x, n: x + n), (X, 1))
    for other in (1.0, True):
        with pytest.raises(al.UnsavedSignatureError):
            g(jnp.ones(3), other)


class Pair(NamedTuple):
    left: object
    right: object


def test_structures_go_in_and_come_out(path):
    def f(tree):
        return {"sum": tree["a"][0] + tree["a"][1], "rest": (Pair(tree["b"], None), [1, "x"])}

    arguments = {
        "a": [jnp.ones(3), np.ones(3, np.float32)],
        "b": Pair(jnp.int32(1), {(0, 1): 2.5, "k": None}),
    }
    g = again(path, al.convert(f), (arguments,))
    found, expected = g(arguments), f(arguments)
    np.testing.assert_array_equal(found["sum"], expected["sum"])
    pair, rest = found["rest"]
    assert (type(pair).__name__, pair._fields, pair.right, rest) == (
        "Pair",
        ("left", "right"),
        None,
        [1, "x"],
    )
    assert pair.left.left == 1
    assert pair.left.right == {(0, 1): 2.5, "k": None}


def test_ordered_dicts_stay_ordered(path):
    g = again(path, al.convert(lambda x: collections.OrderedDict(b=x, a=2)), (X,))
    assert list(g(jnp.ones(3))) == ["b", "a"]


def test_numpy_arrays_of_a_result_and_weak_types_stay_what_they_are(path):
    table = np.arange(3)
    g = again(path, al.convert(lambda x: (table, np.float32(2), x * 2)), (jnp.asarray(1.0),))
    array, scalar, weak = g(jnp.asarray(1.0))
    assert (type(array), type(scalar)) == (np.ndarray, np.float32)
    assert jax.typeof(weak).weak_type


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4", "bool", "complex64", "uint8"])
def test_variables_of_any_dtype_are_kept(path, dtype):
    v = al.Variable(jnp.array([0, 1], dtype))
    g = again(path, al.convert(lambda: v.value), ())
    assert g().dtype == dtype
    np.testing.assert_array_equal(np.asarray(g()), np.asarray(v.value))


def test_random_keys_are_arguments_and_state(path):
    v = al.Variable(jax.random.key(7))

    def f(key):
        return jax.random.uniform(key) + jax.random.uniform(v.value)

    g = again(path, al.convert(f), (jax.random.key(0),))
    assert float(g(jax.random.key(3))) == pytest.approx(float(f(jax.random.key(3))))


def test_state_lasts_from_call_to_call_and_is_apart_from_the_saved_one(path):
    count = al.Variable(5, name="count", trainable=False)

    @al.convert
    def step(x):
        count.assign_add(1)
        return x * count

    g = again(path, step, (jnp.int32(1),), (X,))
    assert [int(g(jnp.int32(1))) for _ in range(2)] == [6, 7]
    assert float(g(jnp.ones(3))[0]) == 8
    (variable,) = g.variables
    assert (variable.name, variable.trainable, int(variable.value)) == ("count", False, 8)
    assert int(count.value) == 5
    variable.assign(0)
    assert int(g(jnp.int32(1))) == 1


def test_variables_are_arguments(path):
    def f(v, w):
        v.assign_add(w.value)
        return v.value

    g = again(path, al.convert(f), (al.Variable(0.0), al.Variable(0.0)))
    v, w = al.Variable(1.0), al.Variable(2.0)
    assert (float(g(v, w)), float(v.value), float(w.value)) == (3.0, 3.0, 2.0)
    with pytest.raises(al.UnsavedSignatureError):
        g(v, v)


def test_functions_of_a_dict_share_their_variables(path):
    total = al.Variable(0.0)
    add = al.convert(lambda x: total.assign_add(x).value)
    read = al.convert(lambda: total.value)
    loaded = again(
        path, {"add": add.get_concrete_function(jnp.float32(0)), "read": [read.get_concrete_function()]}
    )
    loaded["add"](jnp.float32(3))
    assert float(loaded["read"]()) == 3
    assert loaded["read"].variables == loaded["add"].variables


class Dense(al.Module):
    def __init__(self):
        self.w = al.Variable(jnp.ones((3, 2)))
        self.unused = al.Variable(4.0, trainable=False)

    @al.convert
    def __call__(self, x):
        return x @ self.w

    @al.convert
    def train(self, x):
        self.w.assign_sub(0.1 * jax.grad(lambda w: (x @ w).sum())(self.w.value))

    @al.convert
    def never_called(self, x):
        return x


def test_a_module_comes_back_with_its_methods_and_variables(path):
    dense = Dense()
    dense(jnp.ones(3)), dense.train(jnp.ones(3))
    expected = np.asarray(dense.w.value)
    loaded = again(path, dense)
    np.testing.assert_array_equal(loaded(jnp.ones(3)), jnp.ones(3) @ expected)
    loaded.train(jnp.ones(3))
    np.testing.assert_allclose(loaded.named_variables["w"].value, expected - 0.1)
    np.testing.assert_array_equal(dense.w.value, expected)
    assert [*loaded.named_variables] == ["w", "unused"]
    assert len(loaded.trainable_variables) == 1
    with pytest.raises(
        AttributeError, match="has no method 'never_called': it has \\['__call__', 'train'\\]"
    ):
        loaded.never_called(1)


def test_sizes_that_are_none_stay_open(path):
    f = al.convert(lambda x, y: (x @ y, x.shape[0] * jnp.ones(x.shape[0])))
    g = again(path, f, (al.ArraySpec([None, 2], jnp.float32), al.ArraySpec([2, None], jnp.float32)))
    for n, m in ((1, 4), (5, 1)):
        x, y = jnp.ones((n, 2)), jnp.ones((2, m))
        for found, expected in zip(g(x, y), f(x, y), strict=True):
            np.testing.assert_array_equal(found, expected)
    with pytest.raises(al.UnsavedSignatureError):
        g(jnp.ones((0, 2)), jnp.ones((2, 1)))


def test_an_input_signature_is_saved_without_a_call(path):
    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)])
    def f(x):
        return x.sum()

    assert float(again(path, f)(jnp.ones(4))) == 4


def test_the_most_specific_signature_serves_a_call(path):
    def f(x):
        return jnp.int32(x.shape[0] if isinstance(x.shape[0], int) else -1)

    general, special = al.ArraySpec([None], jnp.float32), al.ArraySpec([3], jnp.float32)
    g = again(path, al.convert(f), (general,), (special,))
    assert [int(g(jnp.ones(n))) for n in (3, 4)][0] == 3


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_are_saved_up_to_an_order(path, order):
    f = al.convert(lambda x: x**4)
    g = again(path, f, (jnp.float32(1),), vjp_order=order)
    grad, expected = g, f
    for _ in range(order):
        grad, expected = jax.grad(grad), jax.grad(expected)
    assert float(grad(jnp.float32(2))) == pytest.approx(float(expected(jnp.float32(2))))


def test_gradients_with_respect_to_variables(path):
    w = al.Variable(3.0)
    f = al.convert(lambda x: (w.value * x) ** 2)
    g = again(path, f, (jnp.float32(1),), vjp_order=1)
    assert float(al.grad(g, g.variables)(jnp.float32(2))[0]) == 24


def test_a_loaded_function_is_part_of_programs_around_it(path):
    v = al.Variable(1.0)
    g = again(path, al.convert(lambda x: v.assign_add(x).value), (jnp.float32(1),))

    @al.convert
    def twice(x):
        g(x)
        return g(x)

    assert float(twice(jnp.float32(2))) == 5
    assert float(twice(jnp.float32(2))) == 9
    assert float(g.variables[0].value) == 9


class Heavy(Exception):
    pass


def checked(mass, kind):
    if mass > 100:
        if kind == "own":
            raise Heavy(f"{mass:.1f} kg", "too much")
        raise ValueError(f"{mass:.1f} kg of {kind}") from KeyError(kind)
    assert mass > 0, mass
    return mass


def test_checks_raise_what_they_raised(path):
    f = al.convert(checked)
    g = again(path, f, (jnp.float32(1), "iron"))
    assert float(g(jnp.float32(5), "iron")) == 5
    for mass in (101.26, -1.0):
        errors = []
        for fn in (f, g):
            with pytest.raises((ValueError, AssertionError)) as error:
                fn(jnp.float32(mass), "iron")
            errors.append(error.value)
        assert type(errors[0]) is type(errors[1])
        assert str(errors[0]) == str(errors[1])
        assert repr(errors[0].__cause__) == repr(errors[1].__cause__)
    line = checked.__code__.co_firstlineno + 5
    assert errors[1].__notes__ == [f"Raised at {__file__}:{line} in checked, in the source that was saved."]


def annotated(mass):
    try:
        if mass > 100:
            raise KeyError("heavy")
    except KeyError as error:
        error.add_note(f"{mass:.1f} kg")
        error.mass = mass
        raise
    if mass < 0:
        try:
            if mass > -10:
                raise KeyError("k")
        except KeyError:
            raise ValueError("negative")  # noqa: B904
    return mass


def test_what_was_set_in_an_exception_and_its_context_come_back(path):
    f = al.convert(annotated)
    g = again(path, f, (jnp.float32(1),))
    with pytest.raises(KeyError, match="heavy") as heavy:
        g(jnp.float32(101.5))
    assert heavy.value.__notes__[0] == "101.5 kg"
    assert float(heavy.value.mass) == 101.5
    with pytest.raises(ValueError, match="negative") as negative:
        g(jnp.float32(-1))
    assert repr(negative.value.__context__) == "KeyError('k')"


def test_a_container_in_an_exception_comes_back_as_its_text(path):
    def full(x):
        if x > 2:
            raise ValueError("full", collections.deque([x, {"a": 1}], 5))
        return x

    g = again(path, al.convert(full), (jnp.float32(1),))
    with pytest.raises(ValueError) as error:
        g(jnp.float32(3))
    assert error.value.args == ("full", "deque([3.0, {'a': 1}], maxlen=5)")


def test_exceptions_of_the_users_come_back_by_name(path):
    g = again(path, al.convert(checked), (jnp.float32(1), "own"))
    with pytest.raises(al.SavedCheckError) as error:
        g(jnp.float32(101.26), "own")
    line = test_exceptions_of_the_users_come_back_by_name.__code__.co_firstlineno + 3
    assert str(error.value) == (
        "Heavy: 101.3 kg, too much\n"
        f"  {__file__}:{line} in test_exceptions_of_the_users_come_back_by_name\n"
        '      g(jnp.float32(101.26), "own")\n'
        f"  The function raised '{__name__}.Heavy', a class that the file does not hold.\n"
        "  Fix: catch autograph_lite.SavedCheckError, or raise one of Python's own exceptions."
    )


def test_a_check_that_fails_leaves_the_state_as_it_was(path):
    v = al.Variable(1.0)

    @al.convert
    def f(x):
        v.assign(x)
        assert x > 0
        return v.value

    g = again(path, f, (jnp.float32(1),))
    with pytest.raises(AssertionError):
        g(jnp.float32(-1))
    assert float(g.variables[0].value) == 1


def test_a_default_that_is_no_data_may_be_left_out(path):
    def f(x, act=jax.nn.relu):
        return act(x)

    g = again(path, al.convert(f), (X,))
    np.testing.assert_array_equal(g(jnp.array([-1.0, 0, 1])), [0, 0, 1])
    with pytest.raises(al.UnsavedSignatureError):
        g(jnp.ones(3), jax.nn.gelu)


def test_what_is_saved_is_what_was_traced(path):
    rate = 2
    f = al.convert(lambda x: rate * x)
    f(jnp.ones(3)), f(jnp.int32(1))
    rate = 3
    g = again(path, f)
    assert int(g(jnp.int32(1))) == 2
    assert len(g.function_types) == 2


def test_a_method_is_saved_without_its_instance(path):
    dense = Dense()
    g = again(path, dense.__call__, (X,))
    np.testing.assert_array_equal(g(jnp.ones(3)), [3, 3])


def test_another_process_runs_a_file_without_the_source(path):
    w = al.Variable(2.0)

    @al.convert
    def f(x, n):
        total = w.value
        for i in range(n):
            if x[i] > 0:
                total = total + x[i]
        w.assign(total)
        assert total < 100, f"{total}"
        return total

    al.save(path, f, (al.ArraySpec([None], jnp.float32), 2), vjp_order=1)
    program = (
        "import sys, jax, jax.numpy as jnp, autograph_lite as al\n"
        "f = al.load(sys.argv[1])\n"
        "print(float(f(jnp.array([1.0, -1.0]), 2)), float(f(jnp.array([4.0, 5.0, 6.0]), n=2)))\n"
        "try: f(jnp.array([99.0, 1.0]), 2)\n"
        "except AssertionError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["3.0", "12.0", "112.0"]


def test_the_manifest_tells_people_what_is_saved(path):
    al.save(path, al.convert(lambda x, n: n * x), (al.ArraySpec([None], jnp.float32), 3))
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert not [name for name in archive.namelist() if name.endswith((".pkl", ".pickle", ".py"))]
    program, empty = manifest["functions"]["function"]["programs"]
    assert [each["type"][0]["type"]["array"]["shape"] for each in (program, empty)] == [[None], [0]]
    assert program["shown"] == "(x: float32[?], n: Literal[3]) -> float32[n0_0]"
    assert program["type"][1] == {
        "parameter": "n", "key": None, "kind": "POSITIONAL_OR_KEYWORD", "type": {"literal": {"int": 3}},
    }  # fmt: skip


def test_a_deep_copy_of_a_loaded_function_has_variables_of_its_own(path):
    count = al.Variable(0)
    al.save(path, al.convert(lambda x: count.assign_add(1) * x), (jnp.int32(1),))
    loaded = al.load(path)
    loaded(jnp.int32(1))
    deep, shallow = copy.deepcopy(loaded), copy.copy(loaded)
    assert [int(f(jnp.int32(1))) for f in (deep, deep, loaded, shallow)] == [2, 3, 2, 3]
    assert [int(f.variables[0]) for f in (deep, loaded, shallow)] == [3, 3, 3]


def test_a_deep_copy_of_a_loaded_module_has_variables_of_its_own(path):
    class Count(al.Module):
        def __init__(self):
            self.n = al.Variable(0)

        @al.convert
        def add(self, x):
            self.n.assign_add(x)

        @al.convert
        def twice(self):
            return self.n * 2

    model = Count()
    model.add(jnp.int32(1)), model.twice()
    al.save(path, model)
    loaded = al.load(path)
    deep = copy.deepcopy(loaded)
    deep.add(jnp.int32(10))
    assert [int(m.twice()) for m in (loaded, deep)] == [2, 22]
    assert [int(m.named_variables["n"]) for m in (loaded, deep)] == [1, 11]
