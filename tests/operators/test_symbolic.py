"""Does converted code do with a symbolic size what Python does with each known one?"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import autograph_lite as al
from autograph_lite.errors import IterationError, TracedIndexError
from autograph_lite.runtime.tracing import symbolic_sizes

ANY_SIZE = [((None,), jnp.float32, False)]
SIZES = range(1, 6)


def traced(f):
    converted = al.to_graph(f)
    return symbolic_sizes.trace_symbolic(lambda x: [converted(x)], ANY_SIZE)


def values(count):
    return np.arange(count, dtype=np.float32) * 1.5 + 1


def agrees(f, sizes=SIZES):
    trace = traced(f)
    for count in sizes:
        found, wanted = trace.call(jnp.asarray(values(count)))[0], f(values(count))
        assert jnp.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-4)


def over_range(x):
    y = 0.0
    for i in range(x.shape[0]):
        y = y * 0.5 + x[i]
    return y


def over_rows(x):
    y = 0.0
    for row in x:
        y = y * 0.5 + row
    return y


def with_break(x):
    y = 0.0
    for i in range(len(x)):
        if x[i] > 3:
            break
        y = y * 0.5 + x[i]
    return y


def with_return(x):
    for i in range(len(x)):
        if x[i] > 3:
            return x[i]
    return -1.0


def with_steps(x):
    y = 0.0
    for i in range(1, x.shape[0], 2):
        y = y * 0.5 + x[i]
    for i in range(x.shape[0] - 1, -1, -2):
        y = y * 0.5 + x[i]
    return y


def backwards(x):
    y = 0.0
    for row in reversed(x):
        y = y * 0.5 + row
    return y


def enumerated(x):
    y = 0.0
    for i, row in enumerate(x):
        y = y * 0.5 + row * i
    return y


def zipped(x):
    y = 0.0
    for a, b in zip(x, x[1:]):
        y = y * 0.5 + a * b
    return y


def nested(x):
    y = 0.0
    for i in range(len(x)):
        for j in range(i):
            y += x[i] * x[j]
        for j in range(len(x)):
            y += x[j]
    return y


def while_below(x):
    i, y = 0, 0.0
    while i < x.shape[0]:
        y = y * 0.5 + x[i]
        i += 1
    return y


def halvings(x):
    n, k = len(x), 0
    while n > 1:
        n, k = n // 2, k + 1
    return k


def assigned_in_the_loop(x):
    for row in x:
        last = row
    return last


def none_before_the_loop(x):
    y = None
    for row in x:
        y = row
    return y


def set_items(x):
    x = x + 0
    for i in range(len(x)):
        x[i] = x[i] * i
    x[len(x) - 1] += 5.0
    x[len(x) // 2 :] *= 7.0
    return x


LOOPS = [
    over_range, over_rows, with_break, with_return, with_steps, backwards, enumerated, zipped, nested, while_below,
    halvings, assigned_in_the_loop, none_before_the_loop, set_items,
]  # fmt: skip


@pytest.mark.parametrize("f", LOOPS)
def test_loops_run_as_often_as_the_size_says(f):
    agrees(f)


def branches(x):
    n = x.shape[0]
    if n == 3:
        y = x.sum()
    elif n != 4 and n > 2:
        y = x[0]
    else:
        y = x[-1] * n
    if 4 < n:
        y = y * 2
    if not n - 1:
        y = y + 3
    return y


def chained(x):
    n = len(x)
    return x.sum() if 2 <= n < 4 else x[0]


def against_a_value(x):
    n = len(x)
    return x.sum() if x[0] < n < 2.5 * x[0] or n * 1.5 > 6 else -x.sum()


def parity(x):
    q, r = divmod(len(x), 2)
    return x[:q].sum() * 3 if x.shape[0] % 2 == 0 else x.sum() * r


def member(x):
    return x.sum() if x.shape[0] in (2, 4) and x.shape[0] not in [3, 5] else -x.sum()


def whole_shape(x):
    return x.sum() if x.shape == (3,) else -x.sum()


def matched(x):
    match x.shape:
        case (3,):
            return x.sum()
        case (n,):
            return x.sum() * n


def named(x):
    if (n := len(x)) > 2:
        return x.sum() * n
    return x.sum()


def as_values(x):
    n = x.shape[0]
    return (n == 3) * 1.0 + (n != 4) * 2 + (3 == n) * 4 + (n >= 2) * 8


def chosen_number(x):
    n = x.shape[0] if x.sum() > 6 else 3
    return n * 2.0


@pytest.mark.parametrize(
    "f",
    [
        branches,
        chained,
        against_a_value,
        parity,
        member,
        whole_shape,
        matched,
        named,
        as_values,
        chosen_number,
    ],
)
def test_conditions_on_sizes_are_decided_by_each_size(f):
    agrees(f)


def extremes(x):
    n, k = max(x.shape), min(len(x), 3)
    return jnp.ones(n)[:k].sum() + max(2, len(x), 4) + min(x.shape[0] - 1, 2)


def numbers(x):
    n = x.shape[0]
    return int(n) + float(n) + abs(n - 3) + x.size + x.ndim + n // 2 + n**2 + round(n / 4) + bool(n)


def builtins_over_rows(x):
    return (
        sum(x) + sum(row * 2 for row in x) + max(x) + min(x) + max(row * row for row in x) + sum(map(abs, x))
    )


def quantified(x):
    return any(row > 3 for row in x) * 1.0 + all(row > 3 for row in x) * 2.0


def reduced(x):
    return functools.reduce(lambda a, b: a * 0.5 + b, x)


def last(x):
    return x[len(x) - 1] + x[: len(x) // 2 + 1].sum() + x[-len(x)]


@pytest.mark.parametrize("f", [extremes, numbers, builtins_over_rows, quantified, reduced, last])
def test_builtins_and_indices_take_sizes(f):
    agrees(f)


def test_a_check_that_always_holds_is_none():
    @al.to_graph
    def f(x):
        assert x.shape[0] > 0
        if x.shape[0]:
            return x + 1
        return x

    (n,) = export.symbolic_shape("n")
    jaxpr = jax.make_jaxpr(f)(jax.ShapeDtypeStruct((n,), jnp.float32))
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == ["add"]


def test_a_check_of_a_size_is_made_when_the_size_is_known():
    seen = []

    @al.do_not_convert
    def f(x):
        trace = traced(guarded)
        for count in (2, 3):
            try:
                jax.block_until_ready(trace.call(jnp.asarray(values(count))))
                jax.effects_barrier()
            except Exception as error:
                seen.append((count, "three: 3" in str(error)))

    f(None)
    assert seen == [(3, True)]


def guarded(x):
    if len(x) == 3:
        raise ValueError(f"three: {len(x)}")
    return x


def test_loops_can_be_differentiated_in_reverse():
    trace = traced(over_range)
    x = jnp.asarray(values(4))
    np.testing.assert_allclose(jax.grad(lambda x: trace.call(x)[0])(x), [0.125, 0.25, 0.5, 1.0])


def test_a_converted_function_is_exported_for_all_sizes():
    (n,) = export.symbolic_shape("n")
    exported = export.export(jax.jit(al.to_graph(branches)))(jax.ShapeDtypeStruct((n,), jnp.float32))
    for count in SIZES:
        np.testing.assert_allclose(exported.call(jnp.asarray(values(count))), branches(values(count)))


def test_sizes_outside_of_converted_code_are_compared_as_jax_does():
    (n,) = export.symbolic_shape("n")
    assert (n == 8) is False
    assert (n != 8) is True
    assert (n > 0) is True
    with pytest.raises(jax.errors.InconclusiveDimensionOperation):
        bool(n > 8)


def refusal(f, kind):
    with pytest.raises(symbolic_sizes.InconclusiveSize) as caught:
        traced(f)
    assert isinstance(caught.value.error, kind)
    assert caught.value.where.line == f.__code__.co_firstlineno + 1
    return str(caught.value.error).replace(__file__, "model.py")


def listed(x):
    return jnp.stack(list(x))


def test_a_list_of_rows_is_refused():
    line = listed.__code__.co_firstlineno + 1
    assert refusal(listed, IterationError) == (
        "A list or tuple is made of the rows of an array, float32[n0_0].\n"
        f"  model.py:{line} in listed\n"
        "      return jnp.stack(list(x))\n"
        "  How many rows there are, n0_0, is not known while tracing for all sizes.\n"
        "  Fix: keep the array, which can be indexed and iterated over as the list can, or trace for a known size."
    )


def looked_up(x):
    return {1: 10.0, 3: 30.0}[len(x)] + x


def test_a_size_as_a_key_is_refused():
    line = looked_up.__code__.co_firstlineno + 1
    assert refusal(looked_up, TracedIndexError) == (
        "'{1: 10.0, 3: 30.0}[len(x)]' indexes a dict with a traced value, the symbolic size n0_0.\n"
        f"  model.py:{line} in looked_up\n"
        "      return {1: 10.0, 3: 30.0}[len(x)] + x\n"
        "  The keys of a dict are Python values.\n"
        "  Fix: use `match` or `if` on the value, or an array indexed by it."
    )


def first_of_three(x):
    if len(x) == 3:
        yield x[0]


def test_a_size_may_decide_what_a_generator_yields():
    agrees(lambda x: sum(first_of_three(x)) + x[0])


def test_a_size_in_a_generator_that_python_runs_is_refused():
    def f(x):
        return tuple(first_of_three(x))

    with pytest.raises(
        symbolic_sizes.InconclusiveSize, match=r"A traced value, bool\[\], decides where only Python can"
    ):
        traced(f)


def gathered(x):
    return jnp.stack([row * 2 for row in x])


def test_a_list_of_a_symbolic_length_is_refused():
    line = gathered.__code__.co_firstlineno + 1
    assert refusal(gathered, IterationError) == (
        "The number of items depends on the symbolic size n0_0.\n"
        f"  model.py:{line} in gathered\n"
        "      return jnp.stack([row * 2 for row in x])\n"
        "  A compiled program has no list whose length depends on its data.\n"
        "  Fix: reduce the items with sum, any, all, min or max, or use a mask: jnp.where(condition, x, 0)."
    )
