"""Polynomials: what is an object that is one, once it is called with a traced value?

p = np.poly1d([1, -2, 1])
y = p(x)                              np.polyval(p.coeffs, x)
q = np.polynomial.Polynomial([1, 2])  of powers as well, whose domain is mapped to its window first
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_lite.operators.values.values import any_traced

KINDS = (np.poly1d, np.polynomial.Polynomial)


def evaluating(polynomial: Any, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What to call in place of a polynomial, whose coefficients NumPy has; `call` gives what to call for a function.

    Sources: https://numpy.org/doc/stable/reference/generated/numpy.poly1d.html and, of the window,
    https://numpy.org/doc/stable/reference/generated/numpy.polynomial.polynomial.Polynomial.html
    """

    @functools.wraps(polynomial.__call__)
    def evaluate(x: Any) -> Any:
        if not any_traced(x):
            return polynomial(x)
        if isinstance(polynomial, np.poly1d):
            return call(np.polyval)(polynomial.coeffs, x)
        offset, scale = polynomial.mapparms()
        return call(np.polyval)(polynomial.coef[::-1], x if (offset, scale) == (0, 1) else offset + scale * x)

    return evaluate
