"""Are copies of functions independent, in their state and in their traces, before and after the first trace?"""

from __future__ import annotations

import copy
import functools
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

from . import pickled

# Each test makes copies of its own, which is what the warning is about.
pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
DEEP = [copy.deepcopy, al.Function.clone]
ANY = [copy.copy, *DEEP]


def counting():
    """A function that counts its calls in a Variable of its closure."""
    count = al.Variable(0)

    @al.convert
    def step(x):
        count.assign_add(1)
        return x * count

    return step


def called(fn, traced):
    if traced:
        fn(jnp.int32(1))
    return fn


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("copied", DEEP)
def test_a_deep_copy_has_state_of_its_own(copied, traced):
    step = called(counting(), traced)
    other = copied(step)
    before = int(traced)
    assert [int(other(jnp.int32(1))) for _ in range(3)] == [before + 1, before + 2, before + 3]
    assert int(step(jnp.int32(1))) == before + 1


@pytest.mark.parametrize("traced", [False, True])
def test_a_shallow_copy_shares_the_state(traced):
    step = called(counting(), traced)
    other = copy.copy(step)
    other(jnp.int32(1))
    assert int(step(jnp.int32(1))) == 2 + traced


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("copied", ANY)
def test_a_copy_has_traces_of_its_own(copied, traced):
    step = called(counting(), traced)
    other = copied(step)
    assert (step.trace_count, other.trace_count) == (step.trace_count, 0)
    other(jnp.zeros(3, jnp.int32))
    other.clear_cache()
    assert len(step.concrete_functions) == int(traced)


@pytest.mark.parametrize("copied", ANY)
def test_a_copy_has_the_options(copied):
    f = al.convert(lambda x: x.sum(), input_signature=[al.ArraySpec([None], jnp.float32)])
    other = copied(f)
    assert other.input_signature == f.input_signature
    assert other(jnp.ones(2)) == 2
    assert other(jnp.ones(3)) == 3
    assert other.trace_count == 1


def test_functions_that_share_a_variable_share_its_copy():
    def make():
        count = 0

        @al.convert
        def add(x):
            nonlocal count
            count = count + x

        @al.convert
        def read(x):
            return count + x

        return add, read

    add, read = make()
    add(jnp.int32(5))
    other_add, other_read = copy.deepcopy((add, read))
    other_add(jnp.int32(10))
    assert (int(read(jnp.int32(0))), int(other_read(jnp.int32(0)))) == (5, 15)


def test_variables_beside_the_function_are_those_of_its_copy():
    v = al.Variable(1.0)
    f = al.convert(lambda x: v.assign_add(x).value)
    held = copy.deepcopy({"f": f, "v": v})
    held["f"](2.0)
    assert (float(v.value), float(held["v"].value)) == (1.0, 3.0)


def test_helpers_and_containers_in_the_closure_are_copied():
    v = al.Variable(0)
    helpers = [lambda x: v.assign_add(x), functools.partial(lambda n, x: v.assign_add(n * x), 10)]

    @al.convert
    def f(x):
        for helper in helpers:
            helper(x)
        return v.value

    assert int(copy.deepcopy(f)(jnp.int32(1))) == 11
    assert int(v.value) == 0


def test_a_function_that_is_in_its_own_closure_calls_its_copy():
    def make():
        calls = al.Variable(0)

        def down(n):
            calls.assign_add(1)
            return n if n == 0 else down(n - 1)

        return al.convert(lambda n: (down(n), calls.value))

    f = make()
    other = copy.deepcopy(f)
    assert int(other(3)[1]) == 4
    assert int(f(1)[1]) == 2


def test_state_that_the_function_creates_is_copied():
    def make():
        total = None

        @al.convert
        def f(x):
            nonlocal total
            if total is None:
                total = al.Variable(0.0)
            return total.assign_add(x).value

        return f

    f = make()
    f(jnp.float32(1))
    other = copy.deepcopy(f)
    assert float(other(jnp.float32(10))) == 11
    assert float(f(jnp.float32(1))) == 2
    assert float(copy.deepcopy(make())(jnp.float32(1))) == 1


def test_what_python_can_not_copy_is_shared():
    lock, array = threading.Lock(), jnp.ones(3)

    @al.convert
    def f(x):
        return (x * array).sum(), lock

    other = copy.deepcopy(f)
    assert other(jnp.ones(3))[1] is lock
    assert other.python_function.__closure__[0].cell_contents is array


class Model:
    def __init__(self):
        self.k = al.Variable(1)
        self.own = al.convert(lambda x: x * self.k)

    @al.convert
    def step(self, x):
        self.k.assign_add(1)
        return x * self.k


@pytest.mark.parametrize("traced", [False, True])
def test_a_deep_copy_of_an_object_binds_its_methods_to_the_copy(traced):
    model = Model()
    if traced:
        model.step(jnp.int32(1)), model.own(jnp.int32(1))
    other = copy.deepcopy(model)
    other.k.assign(10)
    assert (int(other.step(jnp.int32(1))), int(other.own(jnp.int32(1)))) == (11, 11)
    assert int(model.own(jnp.int32(1))) == 1 + traced


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda bound: bound.clone()])
def test_a_deep_copy_of_a_bound_method_has_an_instance_of_its_own(copied):
    model = Model()
    other = copied(model.step)
    other(jnp.int32(1))
    assert other.__self__ is not model
    assert int(model.k.value) == 1


def test_a_shallow_copy_of_a_bound_method_has_traces_of_its_own():
    model = Model()
    model.step(jnp.int32(1))
    other = copy.copy(model.step)
    assert (other.trace_count, other.__self__) == (0, model)
    assert int(other(jnp.int32(1))) == 3


def test_nothing_is_stored_on_an_object_whose_methods_are_called():
    scale = pickled.Scale(3)
    scale.apply(jnp.int32(1))
    assert vars(scale) == {"rate": 3}


@pytest.mark.parametrize("copied", [copy.deepcopy, al.ConcreteFunction.clone])
def test_a_deep_copy_of_a_concrete_function_has_variables_of_its_own(copied):
    step = counting()
    concrete = step.get_concrete_function(jnp.int32(1))
    other = copied(concrete)
    assert [int(other(jnp.int32(1))) for _ in range(2)] == [1, 2]
    assert (int(other.variables[0].value), int(concrete.variables[0].value)) == (2, 0)
    assert int(copied(other)(jnp.int32(1))) == 3
    assert int(other.variables[0].value) == 2


def test_a_copy_of_a_concrete_function_reads_what_it_reads():
    rate = 2
    f = al.convert(lambda x: rate * x)
    concrete = f.get_concrete_function(jnp.int32(1))
    rate = 3
    assert int(copy.deepcopy(concrete)(jnp.int32(1))) == int(copy.copy(concrete)(jnp.int32(1))) == 3


def test_concrete_functions_of_one_trace_and_the_same_variables_are_equal():
    step = counting()
    concrete = step.get_concrete_function(jnp.float32(1))

    assert concrete == step.get_concrete_function(jnp.float32(2)) == copy.copy(concrete)
    assert concrete in set(step.concrete_functions)
    assert concrete != step.get_concrete_function(jnp.int32(1))
    assert concrete != copy.deepcopy(concrete)


def test_a_concrete_function_that_changes_objects_is_not_copied():
    class Counter:
        count = 0

        @al.convert
        def add(self, x):
            self.count = self.count + x

    add = Counter().add.get_concrete_function(jnp.int32(1))
    with pytest.raises(al.CopyError) as error:
        copy.deepcopy(add)
    assert str(error.value).splitlines()[0].endswith("is copied that changes 'Counter.count'.")


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", ["double", "tripled", "doubled_again", "partly"])
def test_functions_of_a_module_are_pickled(name, traced):
    f = called(getattr(pickled, name), traced)
    other = pickle.loads(pickle.dumps(f))
    assert int(other(jnp.int32(5))) == int(f(jnp.int32(5)))
    assert other._options == f._options


def test_a_function_that_its_module_has_comes_back_as_itself():
    assert pickle.loads(pickle.dumps(pickled.double)) is pickled.double
    assert pickle.loads(pickle.dumps(pickled.Scale.apply)) is pickled.Scale.apply


@pytest.mark.parametrize("traced", [False, True])
def test_an_object_with_converted_methods_is_pickled(traced):
    scale = pickled.Scale(3)
    if traced:
        scale.apply(jnp.int32(1))
    other, bound, renamed = pickle.loads(pickle.dumps((scale, scale.apply, scale.under_another_name)))
    assert int(other.apply(jnp.int32(2))) == int(bound(jnp.int32(2))) == 6
    assert int(renamed(jnp.int32(2))) == 5
    assert bound.__self__ is renamed.__self__ is other


def test_a_copy_of_a_function_is_pickled():
    assert pickle.loads(pickle.dumps(copy.deepcopy(pickled.double)))(jnp.int32(4)) == 8


def test_a_concrete_function_is_traced_again_where_it_is_unpickled():
    for f in (pickled.double, pickled.Scale(2).apply):
        concrete = f.get_concrete_function(jnp.ones(3))
        other = pickle.loads(pickle.dumps(concrete))
        np.testing.assert_array_equal(other(jnp.ones(3)), [2, 2, 2])


def test_another_process_reads_a_pickle(tmp_path):
    path = tmp_path / "pickled"
    concrete = pickled.tripled.get_concrete_function(jnp.int32(1))
    path.write_bytes(pickle.dumps((pickled.double, pickled.tripled, concrete, pickled.Scale(4))))
    program = (
        "import pickle, sys, jax.numpy as jnp\n"
        "f, g, c, s = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(*(int(each(jnp.int32(5))) for each in (f, g, c, s.apply)))\n"
    )
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env={**os.environ, "PYTHONPATH": f"{tests.parent}{os.pathsep}{tests}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["10", "15", "15", "20"]


def test_a_function_that_no_module_has_is_not_pickled():
    def local(x):
        return x

    f = al.convert(local)
    with pytest.raises(pickle.PicklingError) as error:
        pickle.dumps(f)
    line = local.__code__.co_firstlineno
    name = "test_a_function_that_no_module_has_is_not_pickled.<locals>.local"
    assert str(error.value) == (
        f"'{name}' can't be pickled: module '{__name__}' does not have it under that name.\n"
        f"  {__file__}:{line} in local\n"
        "      def local(x):\n"
        "  A function is pickled by its name. A lambda has none, and a function defined in another is a new one at each call.\n"
        "  Fix: define it at the top of a module; or use autograph_lite.save, which writes the program."
    )


def test_copies_work_under_transformations():
    v = al.Variable(2.0)
    other = copy.deepcopy(al.convert(lambda x: x * x * v))
    assert float(jax.grad(other)(3.0)) == 12
