"""NumPy's functions on traced values: what of JAX's computes a call of `np`, `scipy`, `math` or `cmath`?"""

__all__ = ["counterparts", "in_place_calls", "vectorized"]
