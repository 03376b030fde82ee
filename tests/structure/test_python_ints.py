"""Python's ints that outgrow the program's in a loop that a traced value ends: Python's number, or an error at the line."""

import dataclasses
import inspect
import linecache

import hypothesis
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, to_graph


def powers(x):
    p = 1
    for _ in range(100):
        p = p * 2
        if x * p > 1e12:
            break
    return p


def generator(x):
    seed = 42
    while x < 5:
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        x = x + seed / 0x7FFFFFFF
    return seed


def modulus(x):
    seed = 1
    while x < 5:
        seed = (seed * 1103515245 + 12345) % 2147483648
        x = x + seed / 2147483648
    return seed


def factorial(x):
    n, f = 0, 1
    while f * x < 1:
        n += 1
        f = f * n
    return f


def hashes(x):
    h, k = 5381, 0
    while k < x:
        h = h * 33 + k
        k += 1
    return h


def collatz(x):
    n, steps = 837799, 0
    while n != 1 and steps < x:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return n


def shifts(x):
    k = 0
    while x * (1 << k) < 1:
        k += 1
    return k


def fibonacci(x):
    a, b = 0, 1
    while a < x:
        a, b = b, a + b
    return a


def binomial(x):
    c, k = 1, 0
    while c < x:
        c = c * (60 - k) // (k + 1)
        k += 1
    return c


def bytes_read(x):
    n = 0
    while x < 8:
        n += 1024 * 1024 * 512
        x = x + 1
    return n


def guarded(x):
    p = 1
    while x < 40:
        if p < 2**28:
            p = p * 4
        x = x + 1
    return p


def in_branch(x):
    p = 1
    while x < 40:
        if x > 35:
            p = p * 1000
            for _ in range(3):
                p = p + 1
        x = x + 1
    return p


class Counter:
    def __init__(self):
        self.total = 1


def attribute(x):
    counter = Counter()
    while x < 40:
        counter.total = counter.total * 3
        x = x + 1
    return counter.total


def in_a_list(x):
    s = [1]
    while x < 40:
        s[0] *= 3
        x = x + 1
    return s[0]


def in_a_dict(x):
    d = {"p": 1}
    while x < 40:
        d["p"] = d["p"] * 3
        x = x + 1
    return d["p"]


@dataclasses.dataclass
class State:
    p: int = 1
    n: int = 0


def in_a_dataclass(x):
    state = State()
    while x < 40:
        state.p = state.p * 2 + state.n
        state.n += 1
        x = x + 1
    return state.p


def power(x):
    k, t = 0, 0
    while k < x:
        t = 3**k
        k += 1
    return t


def beside_an_array(x):
    p, total = 1, jnp.int32(0)
    while x < 40:
        p *= 2
        total = total + p
        x = x + 1
    return total


def unrolled(x):
    p = 1
    for name, factor in [("a", 3), ("b", 5), ("a", 70)] * 5:
        p = p * factor if name == "a" else p + 1
        x = x - 1
        if x < 0:
            break
    return p


def unrolled_list(x):
    s = [1]
    for name, factor in [("a", 3), ("b", 5), ("a", 70)] * 5:
        if name == "a":
            s[0] = s[0] * factor
        x = x - 1
        if x < 0:
            break
    return s[0]


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    line = next(n for n, each in enumerate(lines) if text in each)
    return first + line


@pytest.mark.parametrize(
    ("function", "argument", "text", "name"),
    [
        (powers, 1, "p = p * 2", "p"),
        (factorial, 1e-12, "f = f * n", "f"),
        (hashes, 9, "h = h * 33 + k", "h"),
        (fibonacci, 1e10, "a, b = b, a + b", "b"),
        (binomial, 1e13, "c = c * (60 - k) // (k + 1)", "c"),
        (bytes_read, 0, "n += 1024 * 1024 * 512", "n"),
        (in_branch, 0, "p = p + 1", None),
        (attribute, 0, "counter.total = counter.total * 3", "counter.total"),
        (shifts, 1e-25, "while x * (1 << k) < 1:", None),
        (in_a_list, 0, "s[0] *= 3", "s[0]"),
        (in_a_dict, 0, 'd["p"] = d["p"] * 3', "d['p']"),
        (in_a_dataclass, 0, "state.p = state.p * 2 + state.n", "state.p"),
        (power, 30, "t = 3**k", "t"),
        (beside_an_array, 0, "total = total + p", "total"),
        (unrolled, 20, 'p = p * factor if name == "a" else p + 1', "p"),
        (unrolled_list, 20, "s[0] = s[0] * factor", "s[0]"),
    ],
)
def test_one_that_does_not_fit_is_an_error(function, argument, text, name):
    if function is in_branch:
        assert convert(function)(jnp.float32(37)) == function(37)
    with pytest.raises(OverflowError) as raised:
        jax.block_until_ready(convert(function)(jnp.float32(argument)))
    of = f" of '{name}'" if name else ""
    place = f"{__file__}:{line_of(function, text)}"
    message = str(raised.value)
    if function is in_branch:
        message = message.replace(" of 'p'", "")
    assert message == (
        f"`{text}` computes an int{of} that does not fit int32; Python's ints have no end ({place}). To fix it, make it a "
        "float, as in 1.0, or have ints of 64 bits: jax.config.update('jax_enable_x64', True)."
    )


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (powers, 1e5), (generator, 0), (factorial, 1e-6), (hashes, 3), (collatz, 20), (shifts, 1e-6), (fibonacci, 1e8),
        (binomial, 1e6), (bytes_read, 6), (guarded, 0), (in_branch, 37), (attribute, 30), (collatz, 1000), (shifts, 1e-11),
        (in_a_list, 25), (in_a_dict, 25), (in_a_dataclass, 20), (power, 9), (beside_an_array, 20), (unrolled, 3),
        (unrolled_list, 3),
    ],
)  # fmt: skip
def test_one_that_fits_is_pythons(function, argument):
    assert int(convert(function)(jnp.float32(argument))) == function(np.float32(argument))


def random_numbers(x):
    seed = 42
    while x < 5:
        seed = seed * 16807 % 2147483647
        x = x + seed / 2147483647
    return seed


def modular_power(x):
    base, modulus, result, e = 3, 1000000007, 1, 1000003
    while e > 0 and x < 100:
        if e % 2 == 1:
            result = result * base % modulus
        base = base * base % modulus
        e //= 2
        x = x + 1
    return result


def is_prime(x):
    n, k = x.astype(np.int32) * 0 + 2147483647, 46330
    while k * k <= n:
        if n % k == 0:
            return k
        k += 1
    return -1


def fibonacci_modulo(x):
    a, b = 0, 1
    while x < 50:
        a, b = b, (a + b) % 1000000007
        x = x + 1
    return a


def sum_of_squares(x):
    s, k = 0, 59000
    while k < 60000 + x:
        s = (s + k * k) % 1000003
        k += 1
    return s


def hash_of_numbers(x):
    h, k = 5381, 0
    while k < 20 + x:
        h = ((h << 5) + h + k) & 0x7FFFFFFF
        k += 1
    return h


def reversed_digits(x):
    n, r = 987654321, 0
    while n > x:
        r = r * 10 + n % 10
        n //= 10
    return r, n


def greatest_common_divisor(x):
    a, b = 1134903170, 701408733
    while b > x:
        a, b = b, a % b
    return a


@pytest.mark.parametrize(
    "function",
    [
        random_numbers, modular_power, is_prime, fibonacci_modulo, sum_of_squares, hash_of_numbers,
        reversed_digits, greatest_common_divisor,
    ],
)  # fmt: skip
def test_what_is_larger_on_the_way_is_pythons(function):
    found = convert(function)(jnp.float32(0))
    assert [int(each) for each in jax.tree.leaves(found)] == [*jax.tree.leaves(function(np.float32(0)))]


def test_a_product_on_the_way_has_64_bits_and_is_not_carried():
    program = convert(random_numbers).get_concrete_function(np.float32(0)).jaxpr
    (loop,) = [eqn for eqn in program.jaxpr.eqns if eqn.primitive.name == "while"]
    assert sorted(str(v.aval) for v in loop.outvars) == ["float32[]", "~int32[]"]
    assert "i64" in str(program)


def test_lanes_and_derivatives():
    def series(x):
        n, f, total = 0, 1, x * 0
        while n < 2 or x**n / f > 1e-4:
            total = total + x**n / f
            n += 1
            f = f * n
        return total

    converted = to_graph(series)
    xs = jnp.array([0.1, 0.5, 1.0])
    want = [series(x) for x in np.asarray(xs)]
    np.testing.assert_allclose(jax.vmap(converted)(xs), want, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(converted)(jnp.float32(0.5)), np.exp(0.5), rtol=1e-3)
    lanes = convert(lambda xs: jax.vmap(to_graph(hashes))(xs))
    assert lanes(jnp.array([1.0, 3.0])).tolist() == [hashes(1), hashes(3)]
    with pytest.raises(OverflowError, match="h = h"):
        jax.block_until_ready(lanes(jnp.array([1.0, 9.0])))


def test_counters_cost_nothing():
    def counts(x):
        n, m = 0, 0
        while x < 100:
            if x > 50:
                m += 1
            n += 2
            x = x + 2 * n + m % 7
        return n, m

    program = str(jax.make_jaxpr(to_graph(counts))(1.0))
    assert "xor" not in program
    assert program.count(" abs ") == 0


STEPS = [
    "n = n * {}",
    "n = n + {}",
    "n = n - {}",
    "n = n * {} % 1009",
    "n = (n * {}) & 4095",
    "n = n // {}",
    "n, m = m, n + m",
]


@hypothesis.settings(max_examples=8, deadline=None)
@hypothesis.given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(2, 70000)), min_size=1, max_size=3),
    st.integers(1, 40),
)
def test_as_python_or_an_error(steps, turns):
    body = "".join(f"        {step.format(k)}\n" for step, k in steps)
    text = f"def function(x):\n    n, m = 3, 1\n    while x < {turns}:\n{body}        x = x + 1\n    return n, m\n"
    names: dict = {}
    exec(compile(text, "<steps>", "exec"), names)
    function = names["function"]
    linecache.cache["<steps>"] = (len(text), None, text.splitlines(keepends=True), "<steps>")
    want = function(0)
    try:
        found = [int(v) for v in jax.block_until_ready(convert(function)(jnp.float32(0)))]
    except OverflowError as error:
        assert "does not fit int32" in str(error)
        peak = 0
        scope = {"n": 3, "m": 1}
        lines = [line.strip() for line in body.splitlines()]
        for _ in range(turns):
            for line in lines:
                operands = scope["n"] * 70000 if "*" in line else 0
                exec(line, scope)
                peak = max(peak, abs(operands), abs(scope["n"]), abs(scope["m"]))
        assert peak > 2**31 - 1
    else:
        assert found == [*want]


def linear(n):
    h = 5
    while n > 0:
        h = h * 31 + 7
        n = n - 1
    return h


def hashed(n):
    h, total = 1, 0
    for i in range(n):
        for j in range(i + 2):
            h = (h * 31 + j) % 1000003
            total += h * h % 1009 if h % 3 else 1
    return total


def in_a_shard_map(f, check_vma, *args, axis_names=frozenset({"d", "e"})):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("d", "e"))
    spec = jax.sharding.PartitionSpec("d")
    mapped = jax.shard_map(
        f, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=check_vma, axis_names=axis_names
    )
    return jax.jit(mapped)(*args)


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("last", [5, 6])
def test_in_a_shard_map(last, check_vma):
    n = np.arange(3, last + 1, dtype=np.int32)
    each = jax.vmap(to_graph(linear))
    if last == 5:
        found = in_a_shard_map(each, check_vma, n)
        assert found.tolist() == [linear(int(v)) for v in n]
    else:
        for names in ({"d", "e"}, {"d"}):  # of some axes, ints have 32 bits
            with pytest.raises(Exception, match="computes an int .*that does not fit int32"):
                jax.block_until_ready(in_a_shard_map(each, check_vma, n, axis_names=names))


@pytest.mark.parametrize("check_vma", [True, False])
def test_ints_and_floats_of_nests_in_a_shard_map(check_vma):
    def decays(x):
        t = 0.0
        while t < 1.0 and x < 5.0:
            x = x * 1.01 + t * 0.001
            t += 0.1
        return x

    def each(n):
        return (to_graph(hashed)(n[0]) + to_graph(decays)(n[0] * 0.5) * 1000)[None]

    [found] = in_a_shard_map(each, check_vma, np.array([6], np.int32))
    np.testing.assert_allclose(found, hashed(6) + decays(3.0) * 1000, rtol=1e-6)


@pytest.mark.parametrize("check_vma", [True, False])
def test_ints_outside_of_loops_in_a_shard_map(check_vma):
    each = jax.vmap(to_graph(lambda n: int(n) * 70000))
    assert in_a_shard_map(each, check_vma, np.array([3], np.int32)).tolist() == [210000]
    with pytest.raises(Exception, match="that does not fit int32"):
        found = in_a_shard_map(each, check_vma, np.array([70000], np.int32))
        jax.block_until_ready(found)


def test_a_list_of_ints_of_more_than_32_bits_is_pythons() -> None:
    def crc(data):
        table = []
        for byte in range(256):
            rest = byte
            for _ in range(8):
                rest = (rest >> 1) ^ 0xEDB88320 if rest & 1 else rest >> 1
            table.append(rest)
        table = np.array(table, np.uint32)
        found = np.uint32(0xFFFFFFFF)
        for byte in data:
            found = table[(found ^ byte) & 0xFF] ^ (found >> 8)
        return found ^ np.uint32(0xFFFFFFFF)

    assert int(convert(crc)(np.frombuffer(b"123456789", np.uint8))) == 0xCBF43926
