"""A hidden Markov model: scans over vectors of states, and training in a `while_loop`."""

import jax.numpy as jnp
from jax import lax


def _reestimate(pi, A, B, obs):
    emitted = B.T[obs]

    def forward(alpha, b):
        alpha = alpha @ A * b
        scale = alpha.sum()
        return alpha / scale, (alpha / scale, scale)

    first = pi * emitted[0]
    scale0 = first.sum()
    _, (rest, scales) = lax.scan(forward, first / scale0, emitted[1:])
    alpha = jnp.concatenate([(first / scale0)[None], rest])

    def backward(beta, given):
        b, scale = given
        beta = A @ (b * beta) / scale
        return beta, beta

    last = jnp.ones_like(pi)
    _, betas = lax.scan(backward, last, (emitted[1:], scales), reverse=True)
    beta = jnp.concatenate([betas, last[None]])
    gamma = alpha * beta
    gamma /= gamma.sum(axis=1, keepdims=True)
    pairs = alpha[:-1, :, None] * (emitted[1:] * beta[1:])[:, None, :] * A
    xi = jnp.sum(pairs / pairs.sum(axis=(1, 2), keepdims=True), axis=0)
    counts = jnp.zeros_like(B.T).at[obs].add(gamma).T
    loglik = jnp.log(scale0) + jnp.log(scales).sum()
    return gamma[0], xi / xi.sum(axis=1, keepdims=True), counts / gamma.sum(axis=0)[:, None], loglik


def _viterbi(pi, A, B, obs):
    logA, logB = jnp.log(A), jnp.log(B)

    def forward(delta, seen):
        scores = delta[:, None] + logA
        return scores.max(axis=0) + logB[:, seen], jnp.argmax(scores, axis=0)

    delta, psi = lax.scan(forward, jnp.log(pi) + logB[:, obs[0]], obs[1:])

    def back(state, row):
        return row[state], state

    first, later = lax.scan(back, jnp.argmax(delta), psi, reverse=True)
    return jnp.concatenate([first[None], later]), delta.max()


def hidden_markov(pi, A, B, observations, max_iter=30, tol=1e-3):
    def goes_on(state):
        return (state[0] < max_iter) & ~state[-1]

    def iterate(state):
        it, model, history, previous, _ = state
        *model, loglik = _reestimate(*model, observations)
        return it + 1, tuple(model), history.at[it].set(loglik), loglik, loglik - previous < tol

    start = 0, (pi, A, B), jnp.full(max_iter, jnp.nan), jnp.asarray(-jnp.inf), False
    iterations, model, history, _, _ = lax.while_loop(goes_on, iterate, start)
    path, score = _viterbi(*model, observations)
    changed = path[1:] != path[:-1]

    def run(length, change):
        length = jnp.where(change, 1, length + 1)
        return length, length

    longest = jnp.maximum(lax.scan(run, 1, changed)[1].max(), 1)
    return *model, history, iterations, path, score, changed.sum(), longest
