"""Views without axes of NumPy's arrays, `a.reshape(())` and `a.squeeze()`: what is written to one is seen in both."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import autograph_lite


def reshaped_before(x):
    a = np.zeros(1)
    c = a.reshape(())
    a[0] = x[1]
    return c * 1, a


def written_through(x):
    a = np.zeros(1)
    c = a.reshape(())
    c[...] = x[1]
    return a, c * 1


def squeezed(x):
    a, b = np.zeros(1), np.zeros((1, 1))
    c, d = np.squeeze(a), b.squeeze()
    a[0] = x[1]
    b += x[1]
    return c * 1, d * 1


def a_part_of_one_item(x):
    a = np.zeros(4) + x
    c = a[1:2].reshape(())
    a[1] = 5
    return c * 1, a


def augmented(x):
    a = np.zeros(1)
    c = a.reshape(())
    c += x[1]
    c *= 2
    return a, c


def there_and_back(x):
    a = np.zeros(1)
    c = a.reshape(())
    d = c.reshape(1)
    d[0] = x[1]
    return a, c * 1


def in_a_loop(x):
    a = np.zeros(1)
    c = a.reshape(())
    for v in x:
        a[0] += v
    return c * 1


def on_a_path(x):
    a = np.zeros(1)
    c = a.reshape(())
    if x[1] > 0:
        a[0] = x[1]
    return c * 1


def of_the_callers(x):
    a = x[:1]
    b = a.squeeze()
    if b > 0:
        b *= 2
    else:
        b -= 1
    return a, b, x


def kept(x):
    a = x[:1].copy()
    out = [a.squeeze()]
    a += 1
    return out


def of_a_product(x):
    out = []
    for k in range(4):
        p = (x[k : k + 1, None] @ x[:1, None]).squeeze()
        p += 1.0
        out.append(p)
        p *= 2  # what the list has, too
    return out


def a_number_as_an_array(x):
    out = []
    for k in range(4):
        p = np.array(x[k])
        p += 1
        out.append(p)
        p *= 2
    return out


def an_item_is_a_number(x):
    a = x[:1]
    b = a[0]
    b += 5
    return a, b, x


@pytest.mark.parametrize(
    "f",
    [
        reshaped_before, written_through, squeezed, a_part_of_one_item, augmented, there_and_back, in_a_loop, on_a_path,
        of_the_callers, kept, of_a_product, a_number_as_an_array, an_item_is_a_number,
    ],
)  # fmt: skip
def test_writes_are_seen_in_both(f) -> None:
    given, handed = np.array([-3.0, 2.5, 1.0, 4.0]), np.array([-3.0, 2.5, 1.0, 4.0])
    want, got = (
        jax.tree.leaves((f(given), given)),
        jax.tree.leaves((autograph_lite.convert(f)(handed), handed)),
    )
    assert len(want) == len(got)
    for one, other in zip(want, got, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6)
        assert np.shape(other) == np.shape(one)
