"""What functions of NumPy's give: the array that they are handed, a view of it, a copy, or what nobody may write to."""

from __future__ import annotations

import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from autograph_lite import MutationError, convert, to_graph

V, C = np.arange(6.0), np.arange(12.0).reshape(3, 4)


def same_array_after_a_write(x, m):
    x[0] = 9
    a = x.ravel()
    x[1] = 9
    b = x.real
    x[2] = 9
    c = np.transpose(x)
    x[3] = 9
    m[0] = 1
    d = m.squeeze()
    m[1] = 1
    return a, b, c, d


def writes_to_the_same_array(x, m):
    m[0] = 9
    a = m.squeeze()
    a[1, 1] = 7
    b = m.real
    b[2] = 9
    x[1] = 2
    c = x.ravel()
    c[0] = 5
    return m.sum()


def copies_after_a_write(x, m):
    x[0] = 9
    a = x.round(1)
    a[1] = 8
    b = np.positive(x)
    b[2] = 7
    x[3] = 6
    return a, b, x


def same_array_in_a_callee(x, m):
    def first(u):
        u = u.ravel()
        u[0] += 1
        return u

    first(x)
    return first(x), first(m)


def same_array_in_a_loop(x, m):
    for i in range(3):
        x[i] = 9
        v = x.ravel()
        v[5] += 1
        w = m[i].squeeze()
        w[0] = i
    return v


def fortran_order_is_a_copy(x, m):
    a = m.reshape(4, 3, order="F")
    m[0] = 9
    b = np.ravel(m, order="F")
    m[1] = 8
    return a, b


def fortran_order_of_the_transposed_is_a_view(x, m):
    a = m.T.ravel(order="F")
    a[0] = -1
    b = m.T.reshape(3, 4, order="C")
    b = b + 1
    return a


def ravel_of_what_has_gaps_is_a_copy(x, m):
    a = x[::2].ravel()
    a[0] = 9
    b = x[::2].reshape(-1)
    b[1] = 7
    c = x[1:4].ravel()
    c[0] = 5
    d = np.ravel(x[::-1])
    d[0] = -5
    return a, b, c, d


def ravel_of_the_turned(x, m):
    y = np.flip(m + 1)
    a = y.ravel()
    a[0] = 9
    b = np.flip(m).reshape(-1)
    b[0] = 8
    return a, y, b


def ravel_of_a_product(x, m):
    h, t = m.T @ m, 0.0
    d = h.ravel()[:: len(h) + 1]
    d += x[0]
    for k in range(20):
        g = np.dot(m, m.T)
        e = g.reshape(-1)
        e += k
        t += np.cumsum(g, 0).ravel()[-1]
    return h, t


def zeros_of_another_shape(x, m):
    g, h = np.zeros(12), np.ones((3, 4))
    w = g.reshape(3, 4)
    w += x[1]
    w[0] = x[2]
    v = h[1:].ravel()
    v *= x[3]
    u = np.zeros(13)
    parts = u[:6].reshape(2, 3), u[6:12].reshape(3, 2)
    for k in range(20):
        u[:] = k
        for part in parts:
            part += x[5]
    return g, h, u


def ravel_of_what_is_computed_of_the_turned(x, m):
    y = (m.T + 1) * 2
    a = y.ravel()
    a += 1
    return y


def ravel_of_chosen_columns(x, m):
    y = m[:, [0, 2]] * 2
    a = y.ravel()
    a += 1
    return y


def ravel_of_an_einsum(x, m):
    y = np.einsum("ij,kj->ki", m, m)
    a = y.ravel()
    a += 1
    return y


def ravel_of_fortrans(x, m):
    y = np.exp(np.asfortranarray(m) * 2)
    a = y.ravel()
    a[0] = 1
    return y


def einsum_that_sums_nothing(x, m):
    t = np.einsum("ij->ji", m)
    t[0] = 9
    m[2] = 8
    return t, np.einsum("ij->j", m), np.einsum("ij,j->i", m, m[0]), np.einsum("ii", m[:, :3])


def diagonal_by_einsum(x, m):
    return np.einsum("ii->i", m[:, :3]), np.einsum("iij->ij", m.reshape(2, 2, 3)), np.einsum("ji", m)


def results_into_arrays(x, m):
    x.clip(1, 3, out=x)
    m.cumsum(axis=1, out=m)
    o = np.zeros(4)
    m.sum(axis=0, out=o)
    x.round(out=x)
    return o, x.clip(1, 2), m.mean(axis=0), x.std(ddof=1), x.dot(x)


def not_a_number_in_place(x, m):
    x[1] = np.nan
    y = np.nan_to_num(x)
    np.nan_to_num(x, copy=False)
    np.nan_to_num(m, False)
    return y


def windows(x, m):
    of = np.lib.stride_tricks.sliding_window_view
    return of(x, 3), of(x, 3).mean(-1), of(m, (2, 2)), of(m, 2, axis=1), of(m, 2, axis=-1).max(-1)


def whole_floats(x, m):
    return x[2].is_integer(), (x[2] * 1.1).is_integer()


def copies_that_look_like_views(x, m):
    a, b, c, d = np.repeat(x, 2), np.full(6, x), np.hstack([m]), np.meshgrid(x, x)[0][0]
    e, f, g, h = np.r_[x], np.c_[x], x.repeat(2), x.astype(x.dtype)
    for each in (a, c, d):
        each.fill(3)
    b += 1
    e[0] = f[0] = 7
    np.add(g, 1, out=g)
    h.sort()
    return a, b, c, d, e, f, g, h


def absolute_values(x, m):
    u = x.astype(np.uint8)
    v = abs(u)
    v[0] = 9
    return u, v


def copies_of_rows(x, m):
    m[[0, 1]][0] = 9
    m[m[:, 0] > 3][:, 1] = 8
    m[np.array([0, 2])][0] += 7
    m[:, [1, 2]][0, 0] = 6
    m[x[:3] > 0, 1:][0] = 5
    m[1:][0, 0] = 4
    return m.sum()


def turned_by_quarters(x, m):
    a = np.rot90(m)
    a[0] = 9
    m[1] = 8
    b = np.rot90(m, 2)[0]
    b.fill(7)
    c = np.rot90(m, -1, (1, 0))
    c[0, 0] = 6
    return a, b, c


def arrays_that_lie_so(x, m):
    a = np.ascontiguousarray(x)
    a += 1
    b = np.asfortranarray(m.T)
    b[0] = 9
    c = np.ascontiguousarray(m.T)
    c[0] = 8
    d = np.asfortranarray(m)
    d += 7
    e = np.ascontiguousarray(m[1:])
    e[0, 0] = 6
    return a, b, c, d, e


def with_more_axes(x, m):
    a, b, c, d = np.atleast_1d(x), np.atleast_2d(x), np.atleast_3d(m), np.atleast_2d(m)
    a[0] = 9
    b[0, 1] = 8
    c[1, 1, 0] = 7
    d += 6
    e, f = np.atleast_1d(x, 5)
    e[2] = 5
    return a, b, c, d, e, f


def rows_of_one_of_several(x, m):
    v, w = np.gradient(m)[0], np.unstack(m)[1]
    for row in v:
        row += 1
    w += 1
    y = np.vectorize(lambda item: item)(x)
    y[0] = 9
    return v, y


def arrays_of_lists_of_one(x, m):
    b = np.array([x])
    b[0, 1] = 5
    c = np.asarray([m[0:1]])
    c[0] = 7
    d = np.array((x[2:],))
    d += 1
    e = np.array([m[2 * k] for k in range(1)])

    def fill(rows):
        for k in range(len(rows)):
            rows[k] = m.sum(axis=0)

    fill(e)
    return b, c, d, e


def done_no_times(x, m):
    a = np.diff(x, n=0)
    a[0] = 9
    b = np.linalg.matrix_power(m[:, :3], 1)
    b[1] = 8
    c, d = np.polyint(x, 0), np.polyder(x, m=0)
    c[2] = 7
    for _ in range(3):
        d += 1
    e = np.apply_over_axes(np.sum, m, [])
    if x[1] > 0:
        e[2, 3] = 6
    i = x.astype(np.int32)
    f = np.polyint(i, 0)
    f[1] = 5
    return (
        a,
        b,
        c,
        d,
        e,
        i,
        np.polyint(x, 2),
        np.polyint(x, m=2, k=[1, 2]),
        np.diff(x, prepend=0),
        np.polyder(i),
    )


def signs_that_functions_ask_for(x, m):
    a = operator.pos(x)
    a[0] = 9
    (b,) = map(operator.pos, [x])
    b += 1
    u = x.astype(np.uint8)
    c, d = operator.abs(u), u.__abs__()
    c[1] = d[2] = 5
    for k in range(2):
        e = operator.pos(x)
        e[k] += x[1]
    return a, b, c, d, e, u, operator.pos(x[3])


def methods_by_their_names(x, m):
    a = operator.methodcaller("flatten")(x)
    a[0] = 9
    b = operator.methodcaller("astype", x.dtype, copy=True)(x)
    b[1] = 8
    (c,) = map(operator.methodcaller("reshape", 2, 3), [x])
    c[0] = 7
    operator.methodcaller("fill", 2.0)(m[1])
    return a, b, c, operator.methodcaller("sum", axis=0)(m)


def parts_of_complex_numbers(x, m):
    z = x + 1j * x[::-1]
    z.imag[2] += 7
    z.real[1:] *= 2
    im = z.imag
    if x[1] > 0:
        im[0] = 5
    for k in range(3):
        z.real[k] = im[k] * 2
    z[1:].imag[0] = 4
    z.reshape(2, 3)[1].real[:] = 3
    held = [np.real(z), {"im": np.imag(z)}]
    held[0][5] = 2
    held[1]["im"][0] += 1
    flat = z.real.ravel()
    flat[0] = 99
    return im, z.real, z.imag, flat


def parts_of_complex_numbers_as_a_whole(x, m):
    z, w = x + 0j, x * 1j
    y = z
    z.imag = m[0, :3].sum()
    z.real = x * 2
    w.imag = 3
    x.real = 5
    w.real = [x[0], 2, 3, 4, 5, 6]
    return y.real, y.imag, w.real, w.imag


def parts_without_axes(x, m):
    v = x[1, ...]
    v[...] = 9
    i = np.argmax(m[0])
    w = m[i - 1, ..., 2]
    w += 5
    if x[2] > 0:
        w *= 2
    m[2, 2] += 1
    for k in range(3):
        u = x[k, ...]
        u += k
    y = x * 2
    a = y[i, ...]
    a -= 1
    born = np.zeros(4)
    c = born[i, ...]
    c += x[1]
    held = {"v": x[4, ...]}
    held["v"] += 3
    np.add(x[5, ...], 3, out=x[5, ...])
    n = x[3]
    n += 1
    return v, w, a, y, born, c, x[..., 2]


def diagonal_that_einsum_gives(x, m):
    d = np.einsum("ii->i", m[:, :3])
    d[:] = 9
    return m


RIGHT = [
    diagonal_that_einsum_gives,
    parts_without_axes,
    done_no_times, signs_that_functions_ask_for, methods_by_their_names, parts_of_complex_numbers,
    parts_of_complex_numbers_as_a_whole,
    arrays_of_lists_of_one,
    rows_of_one_of_several,
    copies_that_look_like_views, absolute_values, copies_of_rows, turned_by_quarters, arrays_that_lie_so, with_more_axes,
    same_array_after_a_write, writes_to_the_same_array, copies_after_a_write, same_array_in_a_callee, same_array_in_a_loop,
    fortran_order_of_the_transposed_is_a_view, einsum_that_sums_nothing, diagonal_by_einsum, results_into_arrays, not_a_number_in_place, windows,
    whole_floats, ravel_of_a_product, zeros_of_another_shape,
]  # fmt: skip


# Refused, if not right: `a = y.ravel()` is taken for a view by what it looks like.
CAREFUL = [
    fortran_order_is_a_copy, ravel_of_what_has_gaps_is_a_copy, ravel_of_the_turned, ravel_of_what_is_computed_of_the_turned,
    ravel_of_chosen_columns, ravel_of_an_einsum, ravel_of_fortrans,
]  # fmt: skip


def item_of_a_broadcast(x, m):
    b = np.broadcast_to(x, (2, 6))
    b[0, 0] = 1
    return b


def broadcast_in_place(x, m):
    b = np.broadcast_to(x, (6,))
    b += 1
    return b


def broadcast_number(x, m):
    b = np.broadcast_to(2.5, (2, 6))
    b[0, 0] = x[1]
    return b


def locked(x, m):
    b = np.zeros(3)
    b.flags.writeable = False
    b[0] = x[1]
    return b


def diagonal_of_a_constant(x, m):
    b = np.diagonal(np.eye(3))
    b[0] = x[1]
    return b


def item_of_windows(x, m):
    w = np.lib.stride_tricks.sliding_window_view(x, 3)
    w[0] = 1
    return w


def diagonal_by_its_method(x, m):
    d = m.diagonal()
    d[0] = 1
    return d


def imaginary_part_of_what_is_real(x, m):
    y = x.imag
    y[0] = 1
    return y


READ_ONLY = [
    imaginary_part_of_what_is_real,
    diagonal_by_its_method,
    item_of_a_broadcast, broadcast_in_place, broadcast_number, locked, diagonal_of_a_constant, item_of_windows,
]  # fmt: skip


def broadcast_that_is_read_later(x, m):
    b = np.broadcast_to(x, (2, 6))
    x[0] = 9
    return b


def broadcast_of_one_born_here(x, m):
    b = np.zeros((2, 2))
    c = np.broadcast_to(b, (3, 2, 2))
    b[0, 0] = x[1]
    return c


def windows_of_one_born_here(x, m):
    b = np.zeros(4)
    c = np.lib.stride_tricks.sliding_window_view(b, 2)
    b[0] = x[1]
    return c


REFUSED = [
    broadcast_that_is_read_later, broadcast_of_one_born_here, windows_of_one_born_here,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_what_is_seen_through_it(function):
    check(function)


@pytest.mark.parametrize("function", CAREFUL, ids=lambda function: function.__name__)
def test_copy_that_looks_like_a_view(function):
    try:
        check(function)
    except MutationError as error:
        assert "shares its memory" in str(error) or "what it is taken from is read later" in str(error)


def test_what_is_computed_of_an_array_of_fortrans_lies_so():
    def f(m):
        y = m * 2
        a = y.ravel()
        a += 1
        return y

    with pytest.raises(MutationError, match="and what it is taken from is read later"):
        convert(f)(np.asfortranarray(C))
    np.testing.assert_allclose(convert(f)(C), f(C))


@pytest.mark.parametrize(
    "function",
    [
        same_array_after_a_write,
        same_array_in_a_loop,
        signs_that_functions_ask_for,
        parts_of_complex_numbers,
    ],
    ids=lambda function: function.__name__,
)
def test_in_a_program_of_somebody_elses(function):
    found = jax.jit(to_graph(function))(jnp.asarray(V), jnp.asarray(C))

    for a, b in zip(flat(function(V.copy(), C.copy())), flat(found), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: lax.cond(x[0] > 0, lambda y: y, lambda y: y, x),
        lambda x: lax.cond(x[0] > 0, lambda: x, lambda: x),
        lambda x: lax.switch(x[0].astype(int), [lambda y: y, lambda y: y], x),
        lambda x: lax.map(lambda item: item, x),
        lambda x: lax.scan(lambda carry, item: (carry, item), x, x)[0],
        lambda x: lax.scan(lambda carry, item: (carry, item), 0.0, x)[1],
        lambda x: lax.fori_loop(0, 3, lambda i, y: y, x),
    ],
    ids=("cond", "cond_of_closures", "switch", "map", "carry", "rows", "fori_loop"),
)
@pytest.mark.parametrize("is_computed", [False, True])
def test_what_jax_hands_back_of_control_flow_is_a_new_array(call, is_computed):
    @convert
    def f(x):
        x = x * 1 if is_computed else x
        y = call(x)
        x[2] = 9
        return x, y

    x, y = f(V.copy())

    assert x[2] == 9
    np.testing.assert_array_equal(y, V)


def check(function):
    expected, given = (V.copy(), C.copy()), (V.copy(), C.copy())

    wanted = function(*expected)
    found = convert(function)(*given)

    for a, b in zip((*expected, *flat(wanted)), (*given, *flat(found)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def numbers_of_arrays_without_axes(a, x):
    b, c, held = a[()], a[...], [a[()]]
    a[()] = 5
    if x > 0:
        c[...] += 7
    b += 1
    born = np.zeros(())
    d = born[()]
    born += x
    return b, c, held[0], d, born[()], x[()]


def test_array_without_axes_gives_numbers():
    expected, given = np.array(2.0), np.array(2.0)

    wanted = numbers_of_arrays_without_axes(expected, np.float32(3))
    found = convert(numbers_of_arrays_without_axes)(given, np.float32(3))

    assert [expected, *wanted] == [given, *found]


def flat(found):
    return found if isinstance(found, tuple) else (found,)


def as_floats(x):
    y = np.asarray(x, dtype=float)
    y += 1
    return y


def as_narrow_floats(x):
    y = x.astype(np.float32, copy=False)
    y[0] = 9
    return y


def as_integers(x):
    z = np.int64(x)
    z[0] = 8
    y = np.asarray(x, dtype=int)
    y[1:] = 9
    return y, z


def as_what_it_is(x):
    y = np.asarray(x, dtype=x.dtype)
    y[0] = 9
    z = np.array(x, dtype=np.float64, copy=None)
    z[1] = 8
    return y, z


def born_as(x):
    z = np.zeros(4)
    same = z
    z[0] = x[0]
    y = np.asarray(z, dtype=float)
    y[1] = 8
    w = np.asarray(z, dtype=np.float32)
    w[2] = 7
    return same, y, w


@pytest.mark.parametrize(
    "function",
    [as_floats, as_narrow_floats, as_integers, as_what_it_is, born_as],
    ids=lambda each: each.__name__,
)
def test_a_type_of_64_bits_is_another_one(function):
    converted = convert(function)
    for dtype in (np.float64, np.float32, np.int64, np.int32, np.float64):
        expected, given = np.arange(4).astype(dtype), np.arange(4).astype(dtype)

        wanted, found = function(expected), converted(given)

        for a, b in zip((expected, *flat(wanted)), (given, *flat(found)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_what_is_computed_may_be_of_either_type():
    def doubled(x):
        y = x * 2
        z = np.asarray(y, dtype=float)
        z[0] = 9
        return y, z

    with pytest.raises(MutationError):
        convert(doubled)(V.copy())


@pytest.mark.parametrize("function", READ_ONLY, ids=lambda function: function.__name__)
def test_what_nobody_may_write_to(function):
    for way in (lambda function: function, convert):
        with pytest.raises(ValueError, match="read-only"):
            way(function)(V.copy(), C.copy())


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_view_that_the_program_has_as_a_copy(function):
    with pytest.raises(MutationError):
        convert(function)(V.copy(), C.copy())


def of_an_argument(x):
    y, z, w, v = np.atleast_1d(x), np.reshape(x, 1), np.expand_dims(x, 0), x[None]
    y[0], z[0], w[0], v[0] = 3, 4, 5, 6
    return x, y, z, w, v


def of_a_sum(x):
    total = np.sum(x * np.ones(3))
    y, z = np.atleast_2d(total), total.reshape(1)
    y[0, 0], z[0] = 3, 4
    return total, y, z


@pytest.mark.parametrize("function", [of_an_argument, of_a_sum])
def test_a_number_has_no_memory_that_an_array_made_of_it_shares(function):
    for given in (np.float32(2), np.float64(2)):
        for a, b in zip(convert(function)(given), function(given), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_an_array_without_axes_has_memory():
    def f(x):
        y = np.atleast_1d(x)
        y[0] = 3
        return y

    given = np.array(2.0)
    convert(f)(given)
    assert given == 3


def part_of_jaxs_complex_numbers(z):
    z.imag *= 2
    return z


def test_part_of_jaxs_complex_numbers() -> None:
    with pytest.raises(MutationError) as caught:
        jax.jit(to_graph(part_of_jaxs_complex_numbers))(V + 1j)

    assert caught.value.what == "The imaginary part of an array, complex64[6], is set."
