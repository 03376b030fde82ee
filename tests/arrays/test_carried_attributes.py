"""Is an array of NumPy's that a loop carries in an attribute or a list NumPy's in its body, so that a part is written in place?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph_lite import convert

PRICES = np.array([2.0, 4.0, 3.0, 1.0])


class Cart:
    def __init__(self) -> None:
        self.items, self.n = np.zeros(4), 0


def at_a_place_of_the_object(prices: Any) -> Any:
    cart, s = Cart(), 0.0
    for price in prices:
        cart.items[cart.n] = price
        cart.n += 1
        row = cart.items[:2]
        row *= 0.5
        s += row[0]
    return cart.items, s


def at_a_known_place(prices: Any) -> Any:
    cart = Cart()
    for price in prices:
        cart.items[1] = price
        row = cart.items[:2]
        row *= 0.5
    return cart.items


def in_a_list(prices: Any) -> Any:
    rows = [np.zeros(4), np.zeros(2)]
    for price in prices:
        rows[0][1] = price
        row = rows[0][:2]
        row *= 0.5
    return rows


def put(cart: Cart, price: Any, limit: float) -> None:
    if cart.items.sum() + price > limit:
        raise ValueError("over the limit")
    cart.items[cart.n] = price
    cart.n += 1
    row = cart.items[:2]
    row *= 0.5


def in_a_callee_in_a_try(prices: Any) -> Any:
    cart, refused = Cart(), 0
    for price in prices:
        try:
            put(cart, price, 5.0)
        except ValueError:
            refused += 1
    return cart.items, cart.n, refused


@pytest.mark.parametrize(
    "program", [at_a_place_of_the_object, at_a_known_place, in_a_list, in_a_callee_in_a_try]
)
def test_it_is_numpys(program: Callable[..., Any]) -> None:
    found, expected = convert(program)(PRICES.copy()), program(PRICES.copy())
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
