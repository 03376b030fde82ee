"""Runge-Kutta-Fehlberg with matrices of coefficients, in a `while_loop`."""

import jax.numpy as jnp
from jax import lax

MU = 0.012277471
A = (
    (),
    (1 / 4,),
    (3 / 32, 9 / 32),
    (1932 / 2197, -7200 / 2197, 7296 / 2197),
    (439 / 216, -8, 3680 / 513, -845 / 4104),
    (-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40),
)
B4 = (25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0)
B5 = (16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55)


def _three_body(y):
    x1, x2, v1, v2 = y
    d1 = ((x1 + MU) ** 2 + x2**2) ** 1.5
    d2 = ((x1 - 1 + MU) ** 2 + x2**2) ** 1.5
    a1 = x1 + 2 * v2 - (1 - MU) * (x1 + MU) / d1 - MU * (x1 - 1 + MU) / d2
    a2 = x2 - 2 * v1 - (1 - MU) * x2 / d1 - MU * x2 / d2
    return jnp.stack([v1, v2, a1, a2])


def _jacobi_constant(y):
    x1, x2, v1, v2 = y
    r1, r2 = jnp.hypot(x1 + MU, x2), jnp.hypot(x1 - 1 + MU, x2)
    return x1**2 + x2**2 + 2 * ((1 - MU) / r1 + MU / r2) - v1**2 - v2**2


def _attempt(y, h):
    k = []
    for row in A:
        k.append(_three_body(y + h * sum(a * ki for a, ki in zip(row, k, strict=True))))
    k = jnp.stack(k)
    y4, y5 = y + h * (jnp.array(B4) @ k), y + h * (jnp.array(B5) @ k)
    return y5, jnp.max(jnp.abs(y5 - y4))


def runge_kutta_fehlberg(start, t_end=3.0, tol=1e-6, max_steps=400, keep=64):
    def goes_on(s):
        return (s["t"] < t_end) & (s["taken"] + s["refused"] < max_steps) & s["finite"]

    def step(s):
        h = jnp.where(s["t"] + s["h"] > t_end, t_end - s["t"], s["h"])
        y, error = _attempt(s["y"], h)
        finite = jnp.isfinite(error)
        good = finite & (error <= tol)
        factor = jnp.clip(0.9 * (tol / error) ** 0.2, 0.1, 4.0)
        t = jnp.where(good, s["t"] + h, s["t"])
        y = jnp.where(good, y, s["y"])
        at = jnp.where(good, s["taken"], keep)
        return {
            "t": t,
            "y": y,
            "h": jnp.where(finite, jnp.clip(h * factor, 1e-7, 0.1), h),
            "taken": s["taken"] + good,
            "refused": s["refused"] + (finite & ~good),
            "shortest": jnp.where(good, jnp.minimum(s["shortest"], h), s["shortest"]),
            "times": s["times"].at[at].set(t, mode="drop"),
            "path": s["path"].at[at].set(y, mode="drop"),
            "finite": finite,
        }

    s = lax.while_loop(
        goes_on,
        step,
        {
            "t": jnp.array(0.0),
            "y": start,
            "h": jnp.array(0.01),
            "taken": jnp.array(0),
            "refused": jnp.array(0),
            "shortest": jnp.array(jnp.inf),
            "times": jnp.zeros(keep),
            "path": jnp.zeros((keep, 4)),
            "finite": jnp.array(True),
        },
    )
    drift = _jacobi_constant(s["y"]) - _jacobi_constant(start)
    return s["y"], s["t"], s["times"], s["path"], s["taken"], s["refused"], s["shortest"], drift
