"""Models of sequences."""

import jax
import jax.numpy as jnp
from jax import lax


def hmm_forward(start, transition, emission, observed):
    def step(state, o):
        alpha, loglik = state
        total = alpha.sum()
        return ((alpha / total) @ transition * emission[:, o], loglik + jnp.log(total)), None

    first = start * emission[:, observed[0]], jnp.zeros((), start.dtype)
    (alpha, loglik), _ = lax.scan(step, first, observed[1:])
    return loglik + jnp.log(alpha.sum())


def viterbi(start, transition, emission, observed):
    def forward(best, o):
        scores = best[:, None] + transition
        return jnp.max(scores, axis=0) + emission[:, o], jnp.argmax(scores, axis=0)

    def backward(state, back):
        state = back[state]
        return state, state

    best, back = lax.scan(forward, start + emission[:, observed[0]], observed[1:])
    last = jnp.argmax(best)
    _, path = lax.scan(backward, last, back, reverse=True)
    return jnp.append(path, last)


def gru(xs, W, U, b):
    n = U.shape[0]

    def step(h, x):
        gates = x @ W + b
        z, r = jnp.split(jax.nn.sigmoid(gates[: 2 * n] + h @ U[:, : 2 * n]), 2)
        candidate = jnp.tanh(gates[2 * n :] + (r * h) @ U[:, 2 * n :])
        return (1 - z) * h + z * candidate, None

    return lax.scan(step, jnp.zeros(n, xs.dtype), xs)[0]


def lstm(xs, W, U, b):
    n = U.shape[0]

    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ W + h @ U + b, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros(n, xs.dtype)
    return lax.scan(step, (zero, zero), xs)[1]


def smoothing(x, alpha, beta):
    def step(state, value):
        level, trend, error = state
        fitted = level + trend
        new = alpha * value + (1 - alpha) * fitted
        trend = beta * (new - level) + (1 - beta) * trend
        return (new, trend, error + (value - fitted) ** 2), fitted

    (_, _, error), fitted = lax.scan(step, (x[0], x[1] - x[0], jnp.zeros((), x.dtype)), x)
    return fitted, error


def kalman(zs, F, H, Q, R):
    n = F.shape[0]

    def step(state, z):
        x, P = state
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ jnp.linalg.inv(S)
        x = x + K @ (z - H @ x)
        return (x, P - K @ H @ P), x

    return lax.scan(step, (jnp.zeros(n, zs.dtype), jnp.eye(n, dtype=zs.dtype)), zs)[1]
