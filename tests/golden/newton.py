import jax.numpy as jnp


def newton(f, x, tolerance=1e-4):
    """Finds a root of `f`."""
    while (step := f(x)) is not None and jnp.abs(step) > tolerance:
        slope = (f(x + tolerance) - step) / tolerance
        if slope == 0:
            break
        x = x - step / slope
    return x
