"""Forward, backward, Baum and Welch, and Viterbi by loops over the states."""

import numpy as np


def forward(pi, A, B, obs):
    T, n = len(obs), len(pi)
    alpha, scale = np.zeros((T, n)), np.zeros(T)
    for t in range(T):
        for j in range(n):
            if t == 0:
                total = pi[j]
            else:
                total = 0.0
                for i in range(n):
                    total += alpha[t - 1, i] * A[i, j]
            alpha[t, j] = total * B[j, obs[t]]
            scale[t] += alpha[t, j]
        for j in range(n):
            alpha[t, j] /= scale[t]
    return alpha, scale


def backward(A, B, obs, scale):
    T, n = len(obs), len(A)
    beta = np.ones((T, n))
    for t in range(T - 2, -1, -1):
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += A[i, j] * B[j, obs[t + 1]] * beta[t + 1, j]
            beta[t, i] = total / scale[t + 1]
    return beta


def reestimate(pi, A, B, obs):
    """The next model, and the log likelihood of this one."""
    T, n = len(obs), len(pi)
    alpha, scale = forward(pi, A, B, obs)
    beta = backward(A, B, obs, scale)
    first, xi, emitted = np.zeros(n), np.zeros((n, n)), np.zeros_like(B)
    step = np.zeros((n, n))
    for t in range(T):
        total = 0.0
        for i in range(n):
            total += alpha[t, i] * beta[t, i]
        for i in range(n):
            gamma = alpha[t, i] * beta[t, i] / total
            emitted[i, obs[t]] += gamma
            if t == 0:
                first[i] = gamma
        if t < T - 1:
            total = 0.0
            for i in range(n):
                for j in range(n):
                    step[i, j] = alpha[t, i] * B[j, obs[t + 1]] * beta[t + 1, j] * A[i, j]
                    total += step[i, j]
            xi += step / total
    for i in range(n):
        xi[i] /= xi[i].sum()
        emitted[i] /= emitted[i].sum()
    return first, xi, emitted, np.sum(np.log(scale))


def viterbi(pi, A, B, obs):
    T, n = len(obs), len(pi)
    delta, psi = np.zeros((T, n)), np.zeros((T, n), dtype=np.int64)
    logA, logB = np.log(A), np.log(B)
    delta[0] = np.log(pi) + logB[:, obs[0]]
    for t in range(1, T):
        for j in range(n):
            best, score = 0, -np.inf
            for i in range(n):
                if delta[t - 1, i] + logA[i, j] > score:
                    best, score = i, delta[t - 1, i] + logA[i, j]
            psi[t, j] = best
            delta[t, j] = score + logB[j, obs[t]]
    path = np.zeros(T, dtype=np.int64)
    path[-1] = np.argmax(delta[-1])
    for t in range(T - 2, -1, -1):
        path[t] = psi[t + 1, path[t + 1]]
    return path, delta[-1].max()


def switches(path):
    count, run, longest = 0, 1, 1
    for t in range(1, len(path)):
        if path[t] != path[t - 1]:
            count += 1
            run = 1
        else:
            run += 1
            longest = max(longest, run)
    return count, longest


def hidden_markov(pi, A, B, observations, max_iter=30, tol=1e-3):
    history = np.full(max_iter, np.nan)
    previous = -np.inf
    iterations = 0
    for it in range(max_iter):
        pi, A, B, loglik = reestimate(pi, A, B, observations)
        history[it] = loglik
        iterations = it + 1
        if loglik - previous < tol:
            break
        previous = loglik
    path, score = viterbi(pi, A, B, observations)
    count, longest = switches(path)
    return pi, A, B, history, iterations, path, score, count, longest
