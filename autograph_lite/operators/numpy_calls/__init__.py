"""NumPy's functions on traced values: what of JAX's computes a call of `np`, `scipy`, `math` or `cmath`?"""

__all__ = [
    "arrays_without_axes",
    "counterparts",
    "exact_values",
    "in_place_calls",
    "polynomials",
    "refused_results",
    "vectorized",
]
