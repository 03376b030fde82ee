"""What does `set_loop_options` make of a loop?"""

from __future__ import annotations

import linecache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec, NotDifferentiableError, convert, set_loop_options, to_graph


def doubled(x, limit, most):
    while x < limit:
        set_loop_options(maximum_iterations=most)
        x = x * 2
    return x


def summed(items, most):
    total = jnp.float32(0)
    for item in items:
        set_loop_options(maximum_iterations=most)
        total = total + item**2
    return total


def left(n, most):
    total = jnp.float32(0)
    for i in range(n):
        set_loop_options(maximum_iterations=most)
        if total > 8:
            break
        total += i
    return total


@pytest.mark.parametrize("limit", [0.5, 6.0, 1e9])
def test_a_while_loop_ends_after_as_many_iterations(limit) -> None:
    wanted = min(1.0 * 2 ** np.ceil(np.log2(max(limit, 1))), 16.0)
    assert jax.jit(convert(doubled), static_argnums=2)(1.0, limit, 4) == wanted
    assert convert(doubled)(1.0, limit, 4) == wanted  # Python knows the condition


def test_a_for_loop_over_rows_ends_after_as_many_iterations() -> None:
    rows = jnp.arange(10.0)
    f = convert(summed)
    assert f(rows, 4) == 0 + 1 + 4 + 9
    assert f(rows, 40) == jnp.sum(rows**2)
    assert f([1.0, 2.0, 3.0], 2) == 5
    assert convert(lambda xs: summed(reversed(xs), 2))(rows) == 81 + 64
    assert convert(lambda xs: summed(enumerated(xs), 2))(rows) == 1


def enumerated(xs):
    return [i * x for i, x in zip(range(10), xs, strict=True)]


def test_a_for_loop_with_a_traced_bound_ends_after_as_many_iterations() -> None:
    f = jax.jit(convert(left), static_argnums=1)
    assert [float(f(n, 4)) for n in (0, 3, 100)] == [0, 3, 6]
    assert float(f(100, 50)) == 10


def test_the_bound_of_an_outer_loop_is_not_that_of_an_inner_one() -> None:
    def nested(n):
        count = 0
        for i in range(n):
            set_loop_options(maximum_iterations=3)
            for _ in range(n + i):
                count += 1
        return count

    assert jax.jit(convert(nested))(5) == 5 + 6 + 7


def first_three(xs):
    total = 0.0
    for x in xs:
        set_loop_options(maximum_iterations=3)
        total = total * 0.5 + jnp.sin(x)
    return total


def test_a_loop_over_an_axis_of_any_size_ends_after_as_many_iterations() -> None:
    f = convert(first_three, input_signature=[ArraySpec((None,), jnp.float32)])
    xs = np.linspace(0.1, 0.7, 5, dtype=np.float32)
    for size in range(1, 6):
        x = jnp.asarray(xs[:size])
        np.testing.assert_allclose(f(x), np.float32(first_three(x[:3])), rtol=1e-5)
        wanted = jax.grad(lambda x: first_three(x[:3]))(x)
        np.testing.assert_allclose(jax.grad(f)(x), wanted, rtol=1e-5)


def test_plain_python_is_not_changed() -> None:
    assert doubled(1.0, 100.0, 2) == 128


@pytest.mark.parametrize("most", [6, 1 << 30])
def test_gradient_of_a_loop_with_a_bound(most) -> None:
    def f(x):
        while x < 100.0:
            set_loop_options(maximum_iterations=most)
            x = x * x
        return x

    gradient = jax.jit(jax.vmap(jax.grad(convert(f))))(jnp.array([1.5, 20.0, 200.0]))
    np.testing.assert_allclose(gradient, [16 * 1.5**15, 40, 1], rtol=1e-4)


def test_a_bound_keeps_the_derivatives_in_the_forward_run() -> None:
    def f(x, most):
        while x < 100.0:
            set_loop_options(maximum_iterations=most)
            x = x * x
        return x

    def loops(most):
        return str(jax.make_jaxpr(jax.grad(lambda x: convert(f)(x, most)))(1.5)).count("while[")

    assert loops(10) == 2 < loops(None)


@pytest.mark.parametrize("kept", [1, 2, 5, 64])
def test_gradient_with_few_checkpoints(kept) -> None:
    def f(x, n):
        for _ in range(n):
            set_loop_options(checkpoints=kept)
            x = jnp.sin(x)
        return x

    def unrolled(x):
        for _ in range(70):
            x = jnp.sin(x)
        return x

    np.testing.assert_allclose(jax.jit(jax.grad(convert(f)))(0.5, 70), jax.grad(unrolled)(0.5), rtol=1e-5)


def test_fewer_checkpoints_take_less_memory() -> None:
    def f(x, n, kept):
        for _ in range(n):
            set_loop_options(checkpoints=kept)
            x = jnp.sin(x)
        return jnp.sum(x)

    def memory(kept):
        gradient = jax.jit(jax.grad(lambda x, n: convert(f)(x, n, kept)))
        return gradient.lower(jnp.ones(10000), 5).compile().memory_analysis().temp_size_in_bytes

    assert memory(4) < memory(None) / 8


def squared(x):
    while x < 100.0:
        set_loop_options(differentiable=False)
        x = x * x
    return x


def squared_at_most(x):
    while x < 100.0:
        set_loop_options(differentiable=False, maximum_iterations=9)
        x = x * x
    return x


def counted(x):
    for i in range(jnp.int32(x / 20)):
        set_loop_options(differentiable=False)
        x = x * x * (i + 1)
    return x


def squared_in_a_loop(x):
    for _ in range(jnp.int32(1)):
        x = squared(x)
    return x


NOT_IN_REVERSE = [
    (squared, squared),
    (squared_at_most, squared_at_most),
    (counted, counted),
    (squared_in_a_loop, squared),
]


@pytest.mark.parametrize(("function", "loop"), NOT_IN_REVERSE, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "wrap", [convert, to_graph, lambda f: jax.jit(to_graph(f))], ids=["convert", "graph", "jit"]
)
def test_the_reverse_derivative_of_a_loop_that_is_not_to_have_one(function, loop, wrap) -> None:
    line = loop.__code__.co_firstlineno + 1
    if function is counted and wrap is to_graph:
        # `jax.grad` alone computes beside Python, which knows the bound of the range: it runs the loop.
        assert jax.grad(wrap(function))(jnp.float32(20.0)) == 40
        return
    with pytest.raises(NotDifferentiableError) as raised:
        jax.grad(wrap(function))(jnp.float32(20.0))
    assert str(raised.value) == (
        "A loop with set_loop_options(differentiable=False) is differentiated in reverse.\n"
        f"  {__file__}:{line} in {loop.__name__}\n"
        f"      {linecache.getline(__file__, line).strip()}\n"
        "  The option leaves it to `lax.while_loop`, which has forward derivatives alone.\n"
        "  Fix: leave out differentiable=False, or take jax.lax.stop_gradient of what the loop gives."
    )


@pytest.mark.parametrize(("function", "loop"), NOT_IN_REVERSE, ids=lambda f: f.__name__)
def test_the_forward_derivative_of_a_loop_without_a_reverse_one(function, loop) -> None:
    x = jnp.float32(20.0)
    assert jax.jvp(convert(function), (x,), (1.0,)) == (400, 40)
    assert jax.linearize(convert(function), x)[1](1.0) == 40
    assert jax.jacfwd(jax.jacfwd(convert(function)))(x) == 2
    assert jax.vmap(jax.jacfwd(convert(function)))(x[None]) == 40


def test_a_loop_without_a_reverse_derivative_is_a_constant_under_stop_gradient() -> None:
    @convert
    def f(x):
        return x * jax.lax.stop_gradient(squared(x))

    assert jax.grad(f)(jnp.float32(20.0)) == 400


def test_a_loop_without_a_reverse_derivative_is_compiled_as_that_of_lax() -> None:
    def by_hand(x):
        return jax.lax.while_loop(lambda x: x < 100.0, lambda x: x * x, x)

    texts = [jax.jit(f).lower(jnp.float32(20)).compile().as_text() for f in (to_graph(squared), by_hand)]
    assert texts[0].count(" = ") == texts[1].count(" = ")


def before_a_loop(x):
    set_loop_options(maximum_iterations=2)
    while x < 100:
        x = x * 2
    return x


def not_first(x):
    while x < 100:
        x = x * 2
        set_loop_options(maximum_iterations=2)
    return x


def not_first_in_an_inner_loop(x):
    while x < 100:
        for _ in range(2):
            x = x * 2
            set_loop_options(maximum_iterations=2)
    return x


def in_a_branch(x):
    while x < 100:
        if x > 5:
            set_loop_options(maximum_iterations=2)
        x = x * 2
    return x


def calls_a_function(x):
    while x < 100:
        says_it()
        x = x * 2
    return x


def says_it():
    set_loop_options(maximum_iterations=2)


@pytest.mark.parametrize(
    "fn", [before_a_loop, not_first, not_first_in_an_inner_loop, in_a_branch, calls_a_function]
)
def test_a_call_that_begins_no_body_is_refused(fn) -> None:
    first = (says_it if fn is calls_a_function else fn).__code__.co_firstlineno
    line = next(n for n in range(first, first + 9) if "set_loop" in linecache.getline(__file__, n))
    for run in (fn, convert(fn), to_graph(fn)):
        with pytest.raises(ValueError) as raised:
            run(jnp.float32(20))
        assert str(raised.value) == (
            f"set_loop_options: it is called at {__file__}:{line}, which does not begin the body of a loop; "
            "it may be the first statement in a `for` or a `while`."
        )


@autograph_lite.do_not_convert
def counts_in_python():
    count = 0
    for _ in range(9):
        set_loop_options(maximum_iterations=2)
        count += 1
    return count


def test_a_loop_that_is_not_converted_says_nothing_of_the_one_around() -> None:
    def f(n):
        total = 0
        for _ in range(n):
            total += counts_in_python()
        return total

    assert to_graph(f)(jnp.int32(5)) == convert(f)(5) == 45


def over_a_generator(xs):
    total = 0.0
    for y in (
        x * 2  # two lines
        for x in xs
    ):
        set_loop_options(maximum_iterations=3)
        total += y
    return total


def while_walrus(xs):
    total = 0.0
    while (y := total + xs[1]) < 100.0:
        set_loop_options(
            maximum_iterations=3,
        )
        total = y
    return total


def over_pairs(xs):
    total = 0.0
    for i, (a, _b) in enumerate(zip(xs, xs)):  # noqa: B905
        set_loop_options(maximum_iterations=3)
        if a > 50:
            continue
        total += a * i
        if total > 50:
            return total
    return total


@pytest.mark.parametrize(("fn", "wanted"), [(over_a_generator, 6), (while_walrus, 3), (over_pairs, 5)])
def test_loops_of_all_kinds_take_it(fn, wanted) -> None:
    assert convert(fn)(jnp.arange(10.0)) == wanted
    assert convert(fn)([float(x) for x in range(10)]) == wanted


def over_a_filter(xs, most):
    total = 0.0
    for y in filter(lambda x: x > 1, xs):
        set_loop_options(maximum_iterations=most, checkpoints=5)
        total += y
    return total


def over_an_inner_loop(xs, most):
    total = 0.0
    for y in (x * k for x in xs for k in range(3)):
        set_loop_options(maximum_iterations=most, checkpoints=5)
        total += y
    return total


@pytest.mark.parametrize("fn", [over_a_filter, over_an_inner_loop])
def test_items_that_nobody_counts_have_no_largest_number(fn) -> None:
    xs = jnp.arange(4.0)
    assert convert(fn)(xs, None) == fn(xs, None)
    with pytest.raises(ValueError) as raised:
        convert(fn)(xs, 2)
    assert str(raised.value) == (
        f"set_loop_options: maximum_iterations is set at {__file__}:{fn.__code__.co_firstlineno + 3}, in a loop over items "
        "that a condition chooses, or an inner loop gives: nobody counts them. Count in the body, and leave it by `break`."
    )


@pytest.mark.parametrize("value", [0, -1, 2.0, True])
def test_a_number_of_iterations_is_a_positive_int(value) -> None:
    with pytest.raises(ValueError) as raised:
        set_loop_options(maximum_iterations=value)
    message = f"set_loop_options: maximum_iterations is {value!r}; it may be None or an int from 1 on."
    assert str(raised.value) == message


def test_it_is_public() -> None:
    assert "set_loop_options" in autograph_lite.__all__


def decayed(rows, n):
    total = rows[0] * 0
    for row in rows:
        set_loop_options(unroll=n)
        total = total * 0.5 + row
    return total


@pytest.mark.parametrize("n", [1, 3, 10, 64])
def test_iterations_of_known_number_are_run_as_one(n) -> None:
    rows = jnp.arange(10.0)
    program = jax.make_jaxpr(convert(decayed), static_argnums=1)(rows, n)
    assert f"unroll={min(n, 10)}" in str(program)
    assert convert(decayed)(rows, n) == decayed(np.arange(10.0), n)
    assert np.allclose(jax.grad(convert(decayed))(rows, n), 0.5 ** np.arange(9.0, -1.0, -1.0))


def test_a_rolled_loop_is_unrolled_by_as_many() -> None:
    def powers(x):
        for i in range(100):
            set_loop_options(unroll=4)
            x = x * 0.99 + i
        return x

    rolled = convert(powers, static_loops="stage")
    assert "unroll=4" in str(jax.make_jaxpr(rolled)(1.0))
    assert np.allclose(rolled(jnp.float32(1)), powers(1.0))


def test_a_loop_whose_length_the_data_decides_runs_one_by_one() -> None:
    def doubled_(x, limit):
        while x < limit:
            set_loop_options(unroll=4)
            x = x * 2
        return x

    assert convert(doubled_)(jnp.float32(1), 50.0) == 64


@pytest.mark.parametrize("n", [0, -1, 1.5, None, True])
def test_what_is_no_number_of_iterations_is_refused(n) -> None:
    with pytest.raises(ValueError, match="unroll is .*; it may be an int from 1 on"):
        convert(decayed)(jnp.arange(3.0), n)
