"""What does a py_function do? Python runs at each execution of the program, in order, on arrays of NumPy's."""

from __future__ import annotations

import logging
import threading
import traceback
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite.runtime.host.host_calls import HostCall, in_program
from autograph_lite.runtime.tracing.trace import Options
from tests.errors.messages import shown

SCALAR = jax.ShapeDtypeStruct((), jnp.float32)


def doubling(log: list[Any], **options: Any) -> Any:
    @autograph_lite.py_function(result=lambda x: x, **options)
    def double(x):
        log.append(x.tolist())
        return 2 * x

    return double


def slope(args, result, cotangent):
    return (2 * cotangent,)


def test_the_guides_example_runs_python_at_each_call() -> None:
    log = []

    @autograph_lite.py_function(result=SCALAR)
    def plus(x, y):
        log.append("executing")
        return x + y

    @autograph_lite.convert
    def wrapper(x, y):
        log.append("tracing")
        return plus(x, y)

    assert wrapper(jnp.float32(1), jnp.float32(2)) == 3
    assert wrapper(jnp.float32(2), jnp.float32(2)) == 4
    assert log == ["tracing", "executing", "executing"]


def test_a_direct_call() -> None:
    @autograph_lite.convert
    def f(x):
        return autograph_lite.py_function(np.cbrt, (x,), result=x) + 1

    assert f(jnp.float32(8)) == 3


def test_the_function_gets_arrays_of_numpy_and_everything_else_as_it_is() -> None:
    seen = []

    def look(x, name, k, flags):
        seen.append((type(x), name, k, flags))

    @autograph_lite.convert
    def f(x):
        assert autograph_lite.py_function(look, (x, "loss", 3, [True, None])) is None
        return x

    f(jnp.ones(2))
    assert seen == [(np.ndarray, "loss", 3, [True, None])]


def test_it_is_not_converted() -> None:
    code = []

    def host(x):
        import sys

        code.append(sys._getframe().f_code)
        return x if x > 0 else -x

    @autograph_lite.convert
    def f(x):
        return autograph_lite.py_function(host, (x,), x)

    assert f(jnp.float32(-2)) == 2
    assert code == [host.__code__]


def test_a_tree_comes_back_as_a_tree() -> None:
    result = {"sum": SCALAR, "sizes": [jax.ShapeDtypeStruct((2,), jnp.int32)]}

    @autograph_lite.py_function(result=result)
    def host(xs):
        return {"sum": xs.sum(), "sizes": [xs.shape]}

    @autograph_lite.convert
    def f(xs):
        return host(xs)

    found = f(jnp.ones((2, 3)))
    assert found["sum"] == 6
    assert found["sizes"][0].tolist() == [2, 3]


def test_outside_of_a_trace_it_is_called_at_once() -> None:
    log: list[Any] = []
    found = doubling(log)(jnp.float32(2))
    assert isinstance(found, jax.Array)
    assert (found, log) == (4, [2])


def test_effects_in_loops_and_branches_happen_in_order() -> None:
    log: list[Any] = []
    double = doubling(log)

    def host(i):
        log.append(f"i={i}")

    @autograph_lite.convert
    def f(n):
        total = 0.0
        for i in range(n):
            if i % 2 == 0:
                total = double(total) + 1
            autograph_lite.py_function(host, (i,))
        while total < 20:
            total = double(total)
        return total

    assert f(jnp.int32(4)) == 24
    assert log == [0, "i=0", "i=1", 1, "i=2", "i=3", 3, 6, 12]


def test_a_method_gets_its_instance() -> None:
    class Table:
        rows = (10.0, 20.0)

        @autograph_lite.py_function(result=SCALAR)
        def find(self, key):
            return self.rows[int(key)]

        @autograph_lite.convert
        def price(self, key):
            return self.find(key) + 1

    assert Table().price(jnp.int32(1)) == 21


def test_vmap_calls_it_row_by_row() -> None:
    log: list[Any] = []
    f = autograph_lite.convert(lambda x, y: doubling(log)(x) + y)
    assert jax.vmap(f)(jnp.arange(3.0), jnp.ones(3)).tolist() == [1, 3, 5]
    assert log == [0, 1, 2]


def test_vmap_of_vmap_and_of_a_loop() -> None:
    log: list[Any] = []
    double = doubling(log)

    @autograph_lite.convert
    def f(x, xs):
        for y in xs:
            x = double(x) + y
        return x

    found = jax.vmap(f, in_axes=(0, None))(jnp.arange(2.0), jnp.ones(2))
    assert found.tolist() == [3, 7]
    assert log == [0, 1, 1, 3]
    found = jax.vmap(jax.vmap(double))(jnp.ones((2, 2)))
    assert found.tolist() == [[2, 2], [2, 2]]


def test_a_vectorized_one_is_called_once_for_all_rows() -> None:
    log: list[Any] = []

    @autograph_lite.py_function(result=SCALAR, vectorized=True)
    def add(x, y):
        log.append((x.shape, y.shape))
        return x + y

    found = jax.vmap(add, in_axes=(0, None))(jnp.arange(3.0), jnp.float32(1))
    assert found.tolist() == [1, 2, 3]
    assert log == [((3,), (3,))]


def test_a_pure_one_under_a_vmap_that_makes_a_branch_a_choice() -> None:
    double = doubling([], pure=True)

    @autograph_lite.convert
    def f(x):
        if x > 0:
            x = double(x)
        return x

    assert jax.vmap(f)(jnp.array([-1.0, 2.0])).tolist() == [-1, 4]


def test_a_pure_one_under_checkpoint() -> None:
    double = doubling([], pure=True, vjp=slope)
    assert jax.grad(jax.checkpoint(lambda x: double(x) * x))(3.0) == 12


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_a_gradient_by_its_rule(transform) -> None:
    double = doubling([], vjp=slope)

    @autograph_lite.convert
    def f(x):
        for _ in autograph_lite.range(3):
            x = double(x) if x > 0 else x
        return x

    assert transform(jax.grad(f))(2.0) == 8
    assert transform(jax.vmap(jax.grad(double)))(jnp.arange(2.0)).tolist() == [2, 2]


def test_a_rule_gives_none_and_an_integer_has_no_derivative() -> None:
    @autograph_lite.py_function(
        result=lambda x, n, name: x,
        vjp=lambda args, y, dy: (args[1] * args[0] ** (args[1] - 1) * dy, None, None),
    )
    def power(x, n, name):
        return x**n

    f = autograph_lite.convert(lambda x, n: power(x, n, "power"))
    assert jax.grad(f)(jnp.float32(3), jnp.int32(2)) == 6


def test_without_a_rule_what_does_not_depend_on_it_is_differentiated() -> None:
    double = doubling([])

    @autograph_lite.convert
    def f(x):
        for _ in autograph_lite.range(2):
            x = x * double(jax.lax.stop_gradient(x))
        return x

    assert jax.grad(f)(jnp.float32(1)) == 8 * 1.0


def test_without_a_rule_it_is_not_differentiated() -> None:
    def f(x):
        return autograph_lite.py_function(np.cbrt, (x,), result=x)

    with pytest.raises(autograph_lite.NotDifferentiableError) as caught:
        jax.grad(autograph_lite.convert(f))(8.0)
    assert shown(caught.value, f) == (
        "NotDifferentiableError: 'cbrt' is differentiated, and has no rule for it.\n"
        "  test.py:1 in f\n"
        "      return autograph_lite.py_function(np.cbrt, (x,), result=x)\n"
        "  It is a py_function: Python computes its result, in a way that JAX does not see.\n"
        "  Fix: give py_function a vjp=, or call it with jax.lax.stop_gradient(...) of the arguments."
    )


class Full(Exception):
    pass


def storing(limit: int) -> Any:
    stored: list[float] = []

    def store(x):
        if len(stored) == limit:
            raise Full(f"{limit} are stored", x.item())
        stored.append(float(x))

    return store, stored


def test_an_exception_comes_out_as_itself_and_ends_the_program(caplog: pytest.LogCaptureFixture) -> None:
    store, stored = storing(2)

    @autograph_lite.convert
    def f(xs):
        for x in xs:
            autograph_lite.py_function(store, (x,))
        return xs

    with caplog.at_level(logging.DEBUG, "jax"), pytest.raises(Full) as caught:
        f(jnp.arange(5.0))
    assert caught.value.args == ("2 are stored", 2.0)
    assert stored == [0, 1]
    assert "Full" not in caplog.text
    lines = [(frame.name, frame.line) for frame in traceback.extract_tb(caught.tb)]
    assert lines[1:] == [
        ("f", "autograph_lite.py_function(store, (x,))"),
        ("store", 'raise Full(f"{limit} are stored", x.item())'),
    ]


def test_after_an_exception_the_program_runs_again() -> None:
    @autograph_lite.py_function(result=SCALAR)
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return np.sqrt(x)

    f = autograph_lite.convert(lambda x: root(x))
    for _ in range(3):
        with pytest.raises(ValueError, match="^negative$"):
            f(jnp.float32(-1))
        assert f(jnp.float32(4)) == 2


def test_exceptions_of_two_threads_come_out_where_they_belong() -> None:
    @autograph_lite.py_function(result=SCALAR)
    def fail(x):
        raise ValueError(float(x))

    f = autograph_lite.convert(lambda x: fail(x))
    found: dict[int, Any] = {}

    def call(k: int) -> None:
        try:
            f(jnp.float32(k))
        except ValueError as error:
            found[k] = error.args[0]

    threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: float(k) for k in range(8)}


def test_in_a_program_of_somebody_elses_jax_raises() -> None:
    store, _ = storing(0)
    f = autograph_lite.convert(lambda x: autograph_lite.py_function(store, (x,)))
    with pytest.raises(jax.errors.JaxRuntimeError, match="Full: "):
        jax.block_until_ready(jax.jit(lambda x: (f(x), x)[1])(jnp.float32(1)))
        jax.effects_barrier()


def test_a_result_of_another_type_than_declared() -> None:
    def one(x):
        return x.reshape(1)

    f = autograph_lite.convert(lambda x: autograph_lite.py_function(one, (x,), x))
    with pytest.raises(TypeError) as caught:
        f(jnp.float32(1))
    assert str(caught.value) == "one() gave float32[1]; its result was declared to be float32[]."
    f = autograph_lite.convert(lambda x: autograph_lite.py_function(one, (x,), (x, x)))
    with pytest.raises(TypeError) as caught:
        f(jnp.float32(1))
    assert str(caught.value) == "one() gave *; its result was declared to be (*, *)."


def test_a_result_that_says_no_shape() -> None:
    with pytest.raises(TypeError) as caught:
        autograph_lite.py_function(np.cbrt, (1.0,), result=jnp.float32)
    assert str(caught.value) == (
        "py_function: the result of 'cbrt' is declared as <class 'jax.numpy.float32'>, which has no shape and dtype; "
        "it may be jax.ShapeDtypeStruct((), jnp.float32), for example."
    )


def test_forms_of_the_call_that_mean_nothing() -> None:
    with pytest.raises(TypeError, match=r"^py_function: args is missing; "):
        autograph_lite.py_function(np.cbrt)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^py_function: args is float 1.0; it has to be a tuple"):
        autograph_lite.py_function(np.cbrt, 1.0)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^py_function: func is float 1.0; it has to be a function\.$"):
        autograph_lite.py_function(1.0, ())  # type: ignore[call-overload]


def test_a_rule_that_gives_something_else() -> None:
    double = doubling([], vjp=lambda args, y, dy: dy)
    with pytest.raises(
        TypeError, match=r"'double' gave float32\[\]; it has to give a tuple of 1, one for each argument\."
    ):
        jax.grad(double)(1.0)


def test_a_program_tells_which_functions_it_calls_and_where() -> None:
    def f(x):
        if x > 0:
            x = autograph_lite.py_function(np.cbrt, (x,), result=x)
        return x

    jaxpr = jax.make_jaxpr(autograph_lite.convert(f))(jnp.float32(1))
    (call,) = in_program(jaxpr)
    assert isinstance(call, HostCall)
    assert call.name == "cbrt"
    assert isinstance(call.place, autograph_lite.errors.Location)
    assert call.place.line == f.__code__.co_firstlineno + 2
    assert in_program(jax.make_jaxpr(jnp.sin)(1.0)) == []


def test_what_prints_is_among_the_callbacks_of_a_program() -> None:
    jaxpr = jax.make_jaxpr(autograph_lite.convert(lambda x: autograph_lite.print(x)))(jnp.float32(1))
    assert len(in_program(jaxpr)) == 1


def test_a_function_for_all_sizes_is_traced_for_each_size() -> None:
    log: list[Any] = []
    double = doubling(log)

    def f(x):
        return double(x) + 1

    options = Options(input_signature=[autograph_lite.ArraySpec([None], jnp.float32)])
    sized = autograph_lite.Function(f, options)
    with pytest.warns(autograph_lite.SymbolicSizeWarning) as caught:
        assert sized(jnp.ones(2)).tolist() == [3, 3]
    assert sized(jnp.ones(3)).tolist() == [3, 3, 3]
    assert log == [[1, 1], [1, 1, 1]]
    assert caught[0].lineno == f.__code__.co_firstlineno + 1


def test_state_stays_as_it_was_where_it_raises() -> None:
    count = autograph_lite.Variable(0)

    @autograph_lite.py_function()
    def refuse(x):
        raise Full

    @autograph_lite.convert
    def f(x):
        count.assign_add(1)
        refuse(x)
        return count.value

    for _ in range(2):
        with pytest.raises(Full):
            f(jnp.float32(1))
    assert count.value == 0


def in_lines(*lines: str) -> str:
    return "\n".join(lines)


def test_a_variable_that_the_program_assigns_can_not_be_read() -> None:
    v = autograph_lite.Variable(1.0, name="v")

    def plus(x):
        return x + np.asarray(v)

    @autograph_lite.convert
    def f(x):
        v.assign_add(x)
        return autograph_lite.py_function(plus, (x,), SCALAR)

    for _ in range(2):
        with pytest.raises(autograph_lite.VariableError) as caught:
            f(jnp.float32(1))
        assert str(caught.value) == in_lines(
            "Variable 'v' is read in 'plus', a py_function of a program that assigns it.",
            f"  {__file__}:{plus.__code__.co_firstlineno + 1} in plus",
            "      return x + np.asarray(v)",
            "  A program gives Variables their new values when it has ended: the function would get the old one.",
            "  Fix: pass the value to the function.",
        )
    assert float(v) == 1


def test_a_variable_that_the_program_reads_can_be_read_and_not_assigned() -> None:
    v = autograph_lite.Variable(1.0, name="v")

    def plus(x, write):
        if write:
            v.assign(100.0)
        return x + np.asarray(v)

    @autograph_lite.convert
    def f(x, write):
        return autograph_lite.py_function(plus, (x, write), SCALAR) + v

    assert float(f(jnp.float32(1), False)) == 3
    with pytest.raises(autograph_lite.VariableError) as caught:
        f(jnp.float32(1), True)
    assert str(caught.value) == in_lines(
        "Variable 'v' is assigned in 'plus', a py_function of a program that uses it.",
        f"  {__file__}:{plus.__code__.co_firstlineno + 2} in plus",
        "      v.assign(100.0)",
        "  A program reads Variables when it begins, and gives them their new values when it has ended.",
        "  Fix: return the new value from the function, and assign it in the converted function.",
    )
    assert float(f(jnp.float32(1), False)) == 3


def test_a_variable_that_the_program_does_not_use_is_read_and_assigned() -> None:
    log = autograph_lite.Variable(0.0)

    @autograph_lite.py_function(result=SCALAR)
    def keep(x):
        log.assign_add(x)
        return np.asarray(log)

    f = autograph_lite.convert(lambda x: keep(x) * 2)
    assert [float(f(jnp.float32(3))) for _ in range(2)] == [6, 12]
    assert float(log) == 6
