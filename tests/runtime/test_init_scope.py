"""What happens in `init_scope`? Code runs while the function is traced, as Python, on values that are known."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from tests.errors.messages import shown


def test_the_code_inside_runs_at_trace_time_on_arrays() -> None:
    seen = []

    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            table = jnp.arange(3) ** 2
            seen.append([float(value) for value in table])
        return x * table

    assert f(jnp.float32(2)).tolist() == [0, 2, 8]
    assert f(jnp.float32(3)).tolist() == [0, 3, 12]
    assert seen == [[0, 1, 4]]


def test_control_flow_inside_is_pythons() -> None:
    steps = []

    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            k = jnp.int32(0)
            while k < 3:
                steps.append(int(k))
                k = k + 1
            if k > 2:
                steps.append("end")
        return x + k

    assert f(jnp.int32(1)) == 4
    assert steps == [0, 1, 2, "end"]


def test_it_runs_in_a_branch_that_is_not_taken() -> None:
    seen = []

    @autograph_lite.convert
    def f(x):
        if x > 0:
            with autograph_lite.init_scope():
                offset = jnp.float32(10)
                seen.append(1)
            x = x + offset
        return x

    assert f(jnp.float32(-1)) == -1
    assert f(jnp.float32(1)) == 11
    assert seen == [1]


def test_an_object_changed_in_a_staged_loop_keeps_the_change_and_the_loop_does_not_carry_it() -> None:
    class Cache:
        def __init__(self):
            self.table = None
            self.total = 0.0

    cache = Cache()

    @autograph_lite.convert
    def f(n):
        cache.total = 0.0
        for i in range(n):
            if cache.table is None:
                with autograph_lite.init_scope():
                    cache.table = jnp.arange(4.0)
            cache.total += cache.table[i]
        return cache.total

    assert f(jnp.int32(3)) == 3
    assert f(jnp.int32(4)) == 6
    assert cache.table.tolist() == [0, 1, 2, 3]
    assert cache.total == 6
    jaxpr = str(jax.make_jaxpr(autograph_lite.to_graph(f.python_function))(jnp.int32(3)))
    assert "arange" not in jaxpr
    assert "iota" not in jaxpr


def test_the_guides_counter_guards_an_update() -> None:
    class Model:
        def __init__(self):
            self.counter = 0
            self.v = jnp.int32(0)

        @autograph_lite.convert
        def __call__(self, x):
            if self.counter == 0:
                with autograph_lite.init_scope():
                    self.counter += 1
                    self.v = self.v + 1
            return self.v + x

    model = Model()
    assert [int(model(jnp.int32(0))) for _ in range(3)] == [1, 1, 1]
    assert model.counter == 1


def test_a_variable_of_the_module_that_is_counted_up() -> None:
    @autograph_lite.convert
    def f(x):
        global COUNTER
        if x > 0:
            with autograph_lite.init_scope():
                COUNTER += 1
        return x

    f(jnp.float32(1))
    f(jnp.float32(2))
    assert COUNTER == 1


COUNTER = 0


def test_a_converted_function_called_inside_runs_compiled() -> None:
    traced = []

    @autograph_lite.convert
    def square(x):
        traced.append(autograph_lite.inside_function())
        return x * x if x > 1 else x

    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            found = square(jnp.float32(3))
            assert isinstance(float(found), float)
        return x + found

    assert f(jnp.float32(1)) == 10
    assert square(jnp.float32(2)) == 4
    assert traced == [True]
    assert f(jnp.float32(2)) == 11


def test_whether_code_is_inside_a_function() -> None:
    seen = []

    @autograph_lite.convert
    def f(x):
        seen.append(autograph_lite.inside_function())
        with autograph_lite.init_scope():
            seen.append(autograph_lite.inside_function())
        seen.append(autograph_lite.inside_function())
        return x

    f(jnp.float32(1))
    assert seen == [True, False, True]
    assert not autograph_lite.inside_function()


def test_outside_of_a_trace_it_changes_nothing() -> None:
    with autograph_lite.init_scope():
        x = jnp.float32(2) + 1
    assert x == 3


@pytest.mark.parametrize("transform", [jax.jit, jax.grad, lambda f: lambda x: jax.vmap(f)(x[None])[0]])
def test_it_leaves_the_traces_of_jax(transform) -> None:
    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            two = float(jnp.float32(1) + 1)
        return x * two if x > 0 else x

    assert transform(f)(jnp.float32(3)) in (2, 6)


def test_an_exception_inside_comes_out() -> None:
    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            if jnp.float32(1) > 0:
                raise KeyError("missing")
        return x

    with pytest.raises(KeyError, match="missing"):
        f(jnp.float32(1))


def test_a_traced_value_inside_is_an_error() -> None:
    def f(x):
        with autograph_lite.init_scope():
            y = x + 1
        return y

    with pytest.raises(autograph_lite.InitScopeError) as caught:
        autograph_lite.convert(f)(jnp.float32(1))
    assert shown(caught.value, f) == (
        "InitScopeError: A traced value is used inside 'init_scope'.\n"
        "  test.py:2 in f\n"
        "      y = x + 1\n"
        "  test.py:1 in f\n"
        "      with autograph_lite.init_scope():\n"
        "  The code inside runs while the function is traced, when the value is not known.\n"
        "  Fix: compute with it outside of the `with` statement."
    )


def _if(x):
    with autograph_lite.init_scope():
        if x:
            pass
    return x


def _for(x):
    with autograph_lite.init_scope():
        for _ in range(x):
            pass
    return x


def _while(x):
    with autograph_lite.init_scope():
        k = 0
        while k < x:
            k += 1
    return x


def _float(x):
    with autograph_lite.init_scope():
        return float(x)


def _item(x):
    with autograph_lite.init_scope():
        rows = jnp.zeros(3)
        rows[x] = 1
    return x


def _called(x):
    with autograph_lite.init_scope():
        return autograph_lite.convert(lambda y: y + 1)(x)


def _assert(x):
    with autograph_lite.init_scope():
        assert x > 0
    return x


@pytest.mark.parametrize("fn", [_if, _for, _while, _float, _item, _called, _assert])
def test_every_statement_that_needs_a_traced_value_is_an_error(fn) -> None:
    with pytest.raises(autograph_lite.InitScopeError, match="A traced value is used inside 'init_scope'"):
        autograph_lite.convert(fn)(jnp.int32(1))


def test_a_traced_value_that_is_stored_inside_is_an_error_and_is_not_left_there() -> None:
    class Holder:
        value = None

    holder = Holder()

    def f(x):
        with autograph_lite.init_scope():
            holder.value = x
        return x

    with pytest.raises(autograph_lite.InitScopeError) as caught:
        autograph_lite.convert(f)(jnp.float32(1))
    assert shown(caught.value, f) == (
        "InitScopeError: A traced value is stored in 'holder.value' inside 'init_scope'.\n"
        "  test.py:1 in f\n"
        "      with autograph_lite.init_scope():\n"
        "  What is stored there stays when the trace is over, and the value is known only in the program.\n"
        "  Fix: store it outside of the `with` statement."
    )
    assert holder.value is None


def test_what_is_printed_inside_is_printed_while_tracing(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            autograph_lite.print("table", jnp.arange(2))
        return x

    f(jnp.float32(1))
    f(jnp.float32(2))
    assert capsys.readouterr().out == "table [0 1]\n"


def test_a_return_inside_and_a_scope_in_a_scope() -> None:
    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            with autograph_lite.init_scope():
                two = float(jnp.float32(2))
            if two > 1:
                return two
        return x

    assert f(jnp.float32(1)) == 2


def test_a_variable_is_updated_for_good_and_the_program_goes_on_with_the_new_value() -> None:
    v = autograph_lite.Variable(1.0)

    @autograph_lite.convert
    def f(x):
        with autograph_lite.init_scope():
            v.assign(float(v.value) + 10)
        v.assign_add(x)
        return v.value

    assert [float(f(jnp.float32(1))) for _ in range(3)] == [12, 13, 14]


def test_after_an_exception_inside_the_trace_goes_on() -> None:
    held = []

    @autograph_lite.convert
    def f(x):
        try:
            with autograph_lite.init_scope():
                raise ValueError("inside")
        except ValueError:
            x = x + 1
        if x > 0:
            x = 2 * x
        held.append(x)
        return x

    assert f(jnp.float32(1)) == 4
    assert f(jnp.float32(-3)) == -2
    assert [float(x) for x in held] == [4, -2]
