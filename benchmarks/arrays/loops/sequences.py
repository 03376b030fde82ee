"""What does a model of a sequence say of it?"""

import numpy as np


def hmm_forward(start, transition, emission, observed):
    """The log likelihood of what was observed."""
    alpha = start * emission[:, observed[0]]
    loglik = 0.0
    for t in range(1, len(observed)):
        total = alpha.sum()
        loglik += np.log(total)
        alpha = (alpha / total) @ transition * emission[:, observed[t]]
    return loglik + np.log(alpha.sum())


def viterbi(start, transition, emission, observed):
    """The most probable states, from log probabilities."""
    T = len(observed)
    n = len(start)
    best = np.zeros((T, n))
    back = np.zeros((T, n), dtype=np.int32)
    best[0] = start + emission[:, observed[0]]
    for t in range(1, T):
        scores = best[t - 1][:, None] + transition
        back[t] = np.argmax(scores, axis=0)
        best[t] = np.max(scores, axis=0) + emission[:, observed[t]]
    path = np.zeros(T, dtype=np.int32)
    path[T - 1] = np.argmax(best[T - 1])
    for t in range(T - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path


def gru(xs, W, U, b):
    """The last state of a gated recurrent unit."""
    n = U.shape[0]
    h = np.zeros(n, dtype=xs.dtype)
    for x in xs:
        gates = x @ W + b
        z = 1 / (1 + np.exp(-(gates[:n] + h @ U[:, :n])))
        r = 1 / (1 + np.exp(-(gates[n : 2 * n] + h @ U[:, n : 2 * n])))
        candidate = np.tanh(gates[2 * n :] + (r * h) @ U[:, 2 * n :])
        h = (1 - z) * h + z * candidate
    return h


def lstm(xs, W, U, b):
    """All outputs of a long short-term memory."""
    n = U.shape[0]
    h = np.zeros(n, dtype=xs.dtype)
    c = np.zeros(n, dtype=xs.dtype)
    outputs = []
    for x in xs:
        gates = x @ W + h @ U + b
        i = 1 / (1 + np.exp(-gates[:n]))
        f = 1 / (1 + np.exp(-gates[n : 2 * n]))
        g = np.tanh(gates[2 * n : 3 * n])
        o = 1 / (1 + np.exp(-gates[3 * n :]))
        c = f * c + i * g
        h = o * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs)


def smoothing(x, alpha, beta):
    """Holt's double exponential smoothing, and the sum of its squared errors."""
    n = len(x)
    fitted = np.zeros_like(x)
    level = x[0]
    trend = x[1] - x[0]
    error = 0.0
    for t in range(n):
        fitted[t] = level + trend
        error += (x[t] - fitted[t]) ** 2
        before = level
        level = alpha * x[t] + (1 - alpha) * (level + trend)
        trend = beta * (level - before) + (1 - beta) * trend
    return fitted, error


def kalman(zs, F, H, Q, R):
    """The filtered states of a linear model."""
    n = F.shape[0]
    x = np.zeros(n, dtype=zs.dtype)
    P = np.eye(n, dtype=zs.dtype)
    states = np.zeros((len(zs), n), dtype=zs.dtype)
    for t in range(len(zs)):
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ (zs[t] - H @ x)
        P = P - K @ H @ P
        states[t] = x
    return states
