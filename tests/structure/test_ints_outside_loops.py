"""Python's ints outside of loops: where 32 bits are not enough, Python's number, or an error at the line."""

import linecache
import math
import types

import hypothesis
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify

from autograph_lite import convert, to_graph


def remainder(c):
    k = 70000 if c > 0 else 3
    return (k * k) % 1000007


def decision(c):
    k = 70000 if c > 0 else 3
    if k * k > 4_000_000_000 // 2:
        return 1
    return 0


def in_branches(c):
    k = 70000 if c > 0 else 3
    if c > 1:
        return k * k * k % 7
    return k * k % 13


def after_a_loop(c):
    p = 1
    while c > 0:
        p = p * 2
        c = c - 1
    return p * p * p // 1000 % 1009


def before_a_loop(c):
    n = (46000 if c > 0 else 3) ** 2 + 1
    while n > c * 1e8:
        n = n // 2
        c = c + 1
    return n * n % 97


def unrolled(c):
    k, n = 2**20 if c > 0 else 3, 0
    for _ in range(3):
        k = k * 1000
        n = n + k % 7
    return n


def quotient(c):
    k = 70000 if c > 0 else 3
    return (k * k) / 2


def bits(c):
    h = 5381 if c > 0 else 7
    for ch in "hello world":
        h = ((h << 5) + h + ord(ch)) & 0x7FFFFFFF
    return h


def shown(c):
    k = 70000 if c > 0 else 3
    jax.debug.callback(lambda k: None, k)
    return (k * k) % 1009


FUNCTIONS = (
    remainder, decision, in_branches, after_a_loop, before_a_loop, unrolled, quotient, bits, shown,
)  # fmt: skip


def of_somebody_else(function):
    """Under a `jax.jit` of the user's."""
    return jax.jit(to_graph(function))


def derived(function):
    """Where the derivative is asked for, too."""
    return jax.jit(lambda c: jax.value_and_grad(lambda c: to_graph(function)(c) + 0.0)(c)[0])


@pytest.mark.parametrize("form", [of_somebody_else, derived])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_what_is_larger_on_the_way_is_pythons_in_somebody_elses_program(function, form):
    converted = form(function)
    for c in (-2.0, 1.0, 3.0, 19.0):
        assert np.float32(converted(jnp.float32(c))) == np.float32(function(np.float32(c))), c


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_what_is_larger_on_the_way_is_pythons(function):
    converted = convert(function)
    for c in (-2.0, 1.0, 3.0, 19.0):
        assert np.float32(converted(jnp.float32(c))) == np.float32(function(np.float32(c))), c
    assert converted.trace_count == 1


def returned(c):
    k = 70000 if c > 0 else 3
    return k * k


def printed(c):
    k = 70000 if c > 0 else 3
    jax.debug.callback(lambda k: None, k * k)
    return k


def left(c):
    k = 70000 if c > 0 else 3
    x = jnp.arange(3)
    return x.at[k * k % 3].set(k * k)


@pytest.mark.parametrize("function", [returned, printed, left])
def test_what_leaves_with_more_bits_is_an_error(function):
    with pytest.raises(OverflowError, match=r"k \* k.*does not fit int32; Python's ints have no end"):
        convert(function)(jnp.float32(1))
    np.testing.assert_array_equal(convert(function)(jnp.float32(-1)), function(np.float32(-1)))
    theirs = of_somebody_else(function)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"OverflowError: .*k \* k.*does not fit int32"):
        jax.block_until_ready(theirs(jnp.float32(1)))
    np.testing.assert_array_equal(theirs(jnp.float32(-1)), function(np.float32(-1)))


def test_more_than_64_bits_is_an_error():
    def cube(c):
        k = 2**30 if c > 0 else 3
        return k * k * k % 7

    with pytest.raises(OverflowError, match=r"return k \* k \* k % 7"):
        convert(cube)(jnp.float32(1))
    assert convert(cube)(jnp.float32(-1)) == cube(-1)


def test_lanes_and_derivatives():
    def scaled(x):
        k = 70000 if x > 0 else 3
        return x * (k * k)

    xs = jnp.array([1.0, -1.0, 2.0])
    converted = convert(scaled)
    np.testing.assert_allclose(jax.vmap(converted)(xs), [4.9e9, -9.0, 9.8e9])
    np.testing.assert_allclose(jax.vmap(jax.grad(converted))(xs), [4.9e9, 9.0, 4.9e9])


def test_ints_that_fit_cost_nothing():
    def small(c):
        k = 700 if c > 0 else 3
        return k * k + 1

    for form in (convert, to_graph):
        jaxpr = jax.make_jaxpr(form(small))(jnp.float32(1)).pretty_print()
        assert "i64" not in jaxpr
        assert "select_n" not in jaxpr


def test_a_program_in_somebody_elses_is_the_same_whoever_has_traced_it_first():
    inner = jax.jit(to_graph(remainder))
    assert jax.jit(lambda c: inner(c) + 1)(jnp.float32(1)) == remainder(1) + 1
    assert inner(jnp.float32(1)) == remainder(1)
    steps = jax.jit(lambda xs: jax.lax.scan(lambda c, x: (c, to_graph(remainder)(x)), 0, xs)[1])
    np.testing.assert_array_equal(steps(jnp.array([1.0, -1.0])), [remainder(1), remainder(-1)])


def test_checks_are_what_the_function_says():
    assert jax.jit(to_graph(returned, checks=False))(jnp.float32(1)) is not None
    error, _ = jax.jit(checkify.checkify(to_graph(returned, checks="checkify")))(jnp.float32(1))
    assert "does not fit int32" in str(error.get())


_STEPS = (
    "k = k * {n}", "k = k + {n}", "k = {n} - k", "k = k // {d}", "k = k % {d}", "k = k * j", "j = k - j", "k = k << 3",
    "k = k >> 2", "k = k & 65535", "j = k | 5", "k = -k", "k = abs(k)", "k = max(k, j)", "k, j = j, k", "j = j + 1",
    "k = k * k if k < {n} else j", "y = y + (1 if k > {n} else 2)", "y = y + k / {d}", "j = k ** 2",
    "k = k % {long}", "k = k & {long}", "j = {long} - k", "k = k ^ {long}", "j = {long} // (abs(k) + 1)",
    "y = y + (1 if k < {long} else 2)", "y = y + (1 if k != {long} else 2)", "k = min(k, {long})", "y = y + k / {long}",
)  # fmt: skip


@st.composite
def _program(draw):
    lines = [
        draw(st.sampled_from(_STEPS)).format(
            n=draw(st.sampled_from([2, 3, 1000, 46341, 2**30])),
            d=draw(st.sampled_from([3, 7, 1000])),
            long=draw(st.sampled_from([2**31, 2**32 - 1, 5_000_000_000, 2**40, 2**62, -(2**33)])),
        )
        for _ in range(draw(st.integers(1, 6)))
    ]
    for at in draw(st.sets(st.integers(0, len(lines) - 1), max_size=2)):
        lines[at] = f"if c > {draw(st.sampled_from([0, 1]))}: {lines[at]}"
    if draw(st.booleans()):  # in a loop, whose ints come from before it, and go on after it
        at, turns = (
            draw(st.integers(0, len(lines) - 1)),
            draw(st.sampled_from(["c * 3 + i < 7", "i < 3 and k != 9"])),
        )
        lines[at:] = ["i = 0", f"while {turns}:", *(f"    {each}" for each in lines[at:]), "    i = i + 1"]
        lines += draw(
            st.lists(st.sampled_from(["k = k % 4099 * 3", "j = k - j", "y = y + k / 8589934592"]), max_size=2)
        )
    start = draw(st.sampled_from([3, 1000, 70000, 2**31 - 1]))
    body = "\n    ".join([f"k = {start} if c > 0 else 5", "j, y = k - 1, 0.0", *lines])
    return f"def f(c):\n    {body}\n    return k % 1009, j % 1013, y\n"


@hypothesis.given(_program())
def test_as_python_or_an_error(text):
    namespace: dict = {}
    name = f"<ints {hash(text)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), namespace)
    for form in (convert, of_somebody_else):
        converted = form(namespace["f"])
        for c in (-1.0, 1.0, 2.0):
            try:
                expected = namespace["f"](np.float32(c))
            except OverflowError:  # an int of Python's that no float can hold
                continue
            try:
                ours = jax.block_until_ready(converted(jnp.float32(c)))
            except (OverflowError, jax.errors.JaxRuntimeError) as error:
                assert "OverflowError" in repr(error)
                continue
            np.testing.assert_allclose(ours, np.float32(expected), rtol=1e-5, err_msg=text)


def xorshift(c):
    s = 123456789 if c > 0 else 362436069
    n = 0.0
    while n < 3 * c:
        s ^= (s << 13) & 0xFFFFFFFF
        s ^= s >> 17
        s ^= (s << 5) & 0xFFFFFFFF
        n += 1
    return s / 2**32


def checksum(c):
    table = 0xFFFFFFFF
    for byte in (1, 2, 3, 200):
        table = table ^ (byte + int(c))
        for _ in range(8):
            table = (table >> 1) ^ 0xEDB88320 if table & 1 else table >> 1
    return (table ^ 0xFFFFFFFF) % 1009


def turns(c):
    h, n = 3 if c > 0 else 5, 0
    while h < 5_000_000_000 * abs(c):
        h, n = h * 3, n + 1
    return n


def fnv(c):
    h = 2166136261
    for ch in "hello":
        h = ((h ^ ord(ch)) * 16777619) % 2**32
        if c > 3:
            h = h ^ 1
    return h % 1000


def cold(c):
    h = -2
    n = 0
    while n < c + 40:
        h = h * 2
        n += 1
        if h == -(2**33):
            return 33
        if h <= -(2**40) or not h > -(2**34):
            return -1
    return n


def digits(c):
    n = (int(c) + 10) * 100000
    n, total = n * n, 0
    while n > 0:
        total += n % 10
        n //= 10
    return total


def squares(c):
    s = (int(c) + 5) * 100000
    s = s * s
    q, r = divmod(s, 2**33)
    return q + r % 1000 + min(s, 2**40) % 7 + max(s, 2**40) % 7 + s.bit_length() + pow(s, 3, 1000007) % 97


LONG = (xorshift, checksum, turns, fnv, cold, digits, squares)


@pytest.mark.parametrize("form", [convert, of_somebody_else, lambda fn: jax.vmap(to_graph(fn))])
@pytest.mark.parametrize("function", LONG, ids=lambda fn: fn.__name__)
def test_numbers_of_the_text_and_those_at_loops_have_more_than_32_bits(function, form):
    values = np.float32([-2.0, 1.0, 4.0])
    converted = form(function)
    given = (
        [converted(jnp.float32(c)) for c in values]
        if form in (convert, of_somebody_else)
        else converted(values)
    )
    np.testing.assert_allclose(given, [function(c) for c in values], rtol=1e-6)


def test_a_compiled_function_that_a_converted_one_hands_to_jax():
    compiled = convert(remainder)

    def handed(xs):
        return (
            jax.vmap(compiled)(xs),
            jax.vmap(jax.vmap(compiled))(xs[None])[0],
            jax.lax.map(compiled, xs),
            jax.lax.scan(lambda carry, x: (carry, compiled(x)), 0, xs)[1],
        )

    values = np.float32([-2.0, 1.0, 4.0])
    for found in (*convert(handed)(values), *jax.jit(to_graph(handed))(values)):
        np.testing.assert_array_equal(found, [remainder(c) for c in values])


def test_a_number_of_the_text_that_has_no_room_is_an_error():
    def masked(c):
        k = 3 if c > 0 else 5
        return k & 0xFFFFFFFFFFFFFFFF

    with pytest.raises(OverflowError, match=r"0xFFFFFFFFFFFFFFFF"):
        convert(masked)(jnp.float32(1))
    with pytest.raises(OverflowError):
        jax.vmap(lambda c: jax.lax.fori_loop(0, 2, lambda i, k: to_graph(masked)(c), 0))(jnp.ones(2))


def test_powers_by_a_modulus():
    def prime(n, a):
        return pow(a, n - 1, n), pow(a, 0, n)

    for n in (2147483647, 1000003, 91):
        assert convert(prime)(jnp.int32(n), jnp.int32(2)) == prime(n, 2)
    with pytest.raises(ValueError, match="exponent"):
        convert(lambda n: pow(3, n, 7))(jnp.int32(-1))
    with pytest.raises(TypeError, match="3rd argument"):
        convert(lambda x: pow(x, 2, 7))(jnp.float32(1))
    with pytest.raises(ValueError, match="pow\\(\\) 3rd argument cannot be 0"):
        convert(lambda n: pow(3, n, n))(jnp.int32(0))


def power(c):
    n = 1 if c > 0 else 2
    return 2**n * 70000 * 70000 % 1009 + n**n * 90000 * 90000 % 97 + pow(3, n) * 80000 * 80000 % 89


def powers_in_a_loop(c):
    k = n = 0
    while n < 7 + c:
        n += 1
        k = k * 31 + 2**n
    return k % 65537


@pytest.mark.parametrize("form", [convert, of_somebody_else])
@pytest.mark.parametrize("function", [power, powers_in_a_loop])
def test_a_power_of_pythons_ints_is_one(function, form):
    for c in (-1.0, 1.0, 4.0):
        assert form(function)(jnp.float32(c)) == function(c)


def test_what_python_makes_of_an_array_is_a_number_of_pythons():
    def kinds(x):
        n, y = int(x), float(x)
        return [
            isinstance(each, int) for each in (n, n + 1, n // 2, n % 3, -n, abs(n), max(n, 3), y, n / 2, x)
        ], [isinstance(each, float) for each in (y, y * 2, n / 2, math.sqrt(y) + 1, n)]

    assert convert(kinds)(jnp.int32(7)) == ([True] * 7 + [False] * 3, [True] * 4 + [False])


def test_functions_of_the_users_that_have_names_of_jaxs():
    @jax.jit
    def remainder(a, b):
        return a * 1000 + b

    @jax.jit
    def floor_divide(a, b, c):
        return a // b + c

    def named(c):
        k, n = 70000 if c > 0 else 3, 7
        r = remainder(k, 1009)
        while c < 3:
            n = remainder(n, floor_divide(n, 3, 1)) % 1009
            c = c + 1
        return r * r % 1013, n

    assert convert(named)(jnp.float32(1)) == ((70000 * 1000 + 1009) ** 2 % 1013, named(1.0)[1])


def test_a_number_of_pythons_that_an_array_cannot_take_names_its_line():
    def scaled(x):
        y = x + 1
        return y * 6227020800

    with pytest.raises(
        OverflowError, match=r"`return y \* 6227020800` computes an int that does not fit int32"
    ) as raised:
        convert(scaled)(jnp.int32(2))
    assert f"({__file__}:" in str(raised.value)


@pytest.mark.parametrize("form", [convert, of_somebody_else])
def test_an_int_of_many_bits_beside_a_float_is_a_float(form):
    def series(x):
        return x / 6227020800 + 10**12 * x - 2**40 + (2**35 - x) / 10**11, x // 10**10

    x = np.float32(2.5)
    np.testing.assert_allclose(form(series)(jnp.asarray(x)), series(np.float64(x)), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda x: convert(series)(x)[0])(jnp.asarray(x)), 1e12, rtol=1e-6)


def test_a_quotient_of_ints_of_many_bits_is_a_float():
    def uniform(n):
        return n / 2147483648, 2**40 / n, n / 2**40

    assert convert(uniform)(jnp.int32(12345)) == tuple(map(np.float32, uniform(12345)))
    np.testing.assert_allclose(
        convert(uniform)(np.arange(1, 4, dtype=np.int32)), uniform(np.arange(1, 4)), rtol=1e-6
    )


def scanned(function):
    """In the body of a `lax.scan`."""
    return lambda c: jax.lax.scan(lambda total, c: (total, function(c)), 0, c[None])[1][0]


def _jitted(function):
    """In lanes of what the user has wrapped before."""
    wrapped = jax.jit(function)
    return lambda c: jax.vmap(wrapped)(c[None])[0]


HANDED = {
    "scan": scanned,
    "map": lambda function: lambda c: jax.lax.map(function, c[None])[0],
    "checkpoint": lambda function: lambda c: jax.checkpoint(function)(c),
    "vmap": lambda function: lambda c: jax.vmap(function)(c[None])[0],
    "vmap of a jit": _jitted,
    "vmap of scan": lambda function: lambda c: jax.vmap(scanned(function))(c[None])[0],
    "gradient": lambda function: lambda c: jax.vmap(jax.value_and_grad(lambda c: function(c) + 0.0))(c[None])[0][0],
}  # fmt: skip


@pytest.mark.parametrize("around", HANDED.values(), ids=HANDED.keys())
@pytest.mark.parametrize("form", [convert, of_somebody_else])
def test_functions_that_jax_is_handed(around, form):
    for function in (remainder, after_a_loop, quotient):
        converted = form(around(function))
        for c in (-2.0, 3.0):
            assert np.float32(converted(jnp.float32(c))) == np.float32(function(np.float32(c))), (function, c)
    if around is HANDED["gradient"]:  # it is a float there
        assert form(around(returned))(jnp.float32(1)) == np.float32(returned(1))
        return
    with pytest.raises((OverflowError, jax.errors.JaxRuntimeError), match=r"k \* k.*does not fit int32"):
        jax.block_until_ready(form(around(returned))(jnp.float32(1)))


class Factor:
    def __init__(self, k):
        self.k = k

    def times(self, c, *rest, m=7, **more):
        k = self.k if c > 0 else 3
        return k * k % m + sum(rest) + more["n"]


@pytest.mark.parametrize("form", ["in Python", "in a jit", "in lanes"])
def test_lanes_of_what_somebody_else_has_wrapped(form):
    """`to_graph` records what lanes do for one of them."""
    cs, times, limit = jnp.array([1.0, -1.0, 2.0]), Factor(70000).times, jnp.float32(0)
    functions = [
        remainder, lambda c: times(c, 1, 2, m=1009, n=5), lambda c: (70000 if c > limit else 3) ** 2 % 11,
    ]  # fmt: skip
    for function in functions:
        lanes = jax.vmap(to_graph(function))
        if form != "in Python":
            lanes = (
                jax.jit(lanes) if form == "in a jit" else jax.vmap(lambda x, lanes=lanes: lanes(x[None])[0])
            )
        assert lanes(cs).tolist() == [function(float(c)) for c in cs]


class Model:
    def __init__(self):
        self.state = 1.0

    def step(self, x):
        k = 70000 if x > 0 else 3
        self.state = self.state + x
        return self.state + k * k % 1009

    def small(self, x):
        k = 7 if x > 0 else 3
        self.state = self.state * x
        return self.state + k


def _filled(xs, x):
    xs.append(x)
    return xs[0] * 2


def _plainly(function, c):
    """What Python does, to which `to_graph` is nothing."""
    space = {**function.__globals__, "to_graph": lambda fn: fn}
    return types.FunctionType(function.__code__, space, function.__name__, None, function.__closure__)(c)


def test_lanes_change_what_they_have_made():
    """What a lane has made is its own, and is changed there: `to_graph` begins no other program that would get it."""

    def objects(x):
        model = Model()
        to_graph(model.step)(x)
        return model.state + to_graph(model.small)(x)

    def lists(x):
        xs = [x]
        return to_graph(_filled)(xs, x) + xs[1]

    cs = jnp.array([1.0, -1.0])
    for function in (objects, lists):
        python = [_plainly(function, c) for c in cs.tolist()]
        np.testing.assert_array_equal(jax.vmap(function)(cs), python)
    with jax.disable_jit():
        assert jax.vmap(to_graph(lambda x: x * 2 + 1))(cs).tolist() == [3.0, -1.0]


def test_a_variable_that_lanes_share_with_others_is_what_it_is_by_then():
    def program():
        n = 1

        def bump():
            nonlocal n
            n = n + 1

        def main(x):
            k = 70000 if x > 0 else 3
            before = n
            bump()
            return before * 10 + n + k * k % 1009

        return main

    cs = [1.0, -1.0]
    assert jax.vmap(to_graph(program()))(jnp.array(cs)).tolist() == [program()(c) for c in cs]


def _written_after(a, xs, p):
    a = xs[(a + a) % 5 % 3] * 3
    if p:
        held = [xs, 0]
        held[0][:2] = a % 5
    return xs[0], a


def _written_before_and_after(a, xs, p):
    xs[0] = a
    row = xs[1:]
    first = row[(a * a) % 2] + xs[0]
    row[0] = first + (a + 7) % 3
    xs[:] = xs * 2
    return xs, row.sum(), first


@pytest.mark.parametrize("form", [convert, of_somebody_else])
@pytest.mark.parametrize("function", [_written_after, _written_before_and_after])
def test_what_is_computed_in_more_bits_takes_of_arrays_what_they_were(function, form):
    """An argument that is a number of Python's may be so large that its sum has more than 32 bits."""
    for a in (-3, 2, 4):
        xs = np.int32([6, 3, 4])
        python = function(a, xs.copy(), True)
        ours = form(function)(a, xs, True)
        for each, other in zip(ours, python, strict=True):
            np.testing.assert_array_equal(each, other)
