"""A hidden Markov model: likelihood, most likely path, and Baum and Welch's training."""

import numpy as np


class HMM:
    """Discrete states and observations.

    pi: first state, A: transitions, B: emissions.
    """

    def __init__(self, pi, A, B):
        self.pi = pi
        self.A = A
        self.B = B
        self.n_states = len(pi)

    def forward(self, obs):
        """Scaled alphas, and the scales."""
        T = len(obs)
        alpha = np.zeros((T, self.n_states))
        scale = np.zeros(T)
        for t in range(T):
            for j in range(self.n_states):
                if t == 0:
                    alpha[t, j] = self.pi[j] * self.B[j, obs[0]]
                else:
                    alpha[t, j] = np.dot(alpha[t - 1], self.A[:, j]) * self.B[j, obs[t]]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        return alpha, scale

    def backward(self, obs, scale):
        T = len(obs)
        beta = np.zeros((T, self.n_states))
        beta[T - 1] = 1
        for t in range(T - 2, -1, -1):
            for i in range(self.n_states):
                total = 0.0
                for j in range(self.n_states):
                    total += self.A[i, j] * self.B[j, obs[t + 1]] * beta[t + 1, j]
                beta[t, i] = total / scale[t + 1]
        return beta

    def viterbi(self, obs):
        """The most likely states and their log probability."""
        T = len(obs)
        delta = np.zeros((T, self.n_states))
        psi = np.zeros((T, self.n_states), dtype=int)
        logA, logB = np.log(self.A), np.log(self.B)
        delta[0] = np.log(self.pi) + logB[:, obs[0]]
        for t in range(1, T):
            for j in range(self.n_states):
                scores = delta[t - 1] + logA[:, j]
                best = np.argmax(scores)
                psi[t, j] = best
                delta[t, j] = scores[best] + logB[j, obs[t]]
        path = np.zeros(T, dtype=int)
        path[-1] = np.argmax(delta[-1])
        for t in range(T - 2, -1, -1):
            path[t] = psi[t + 1, path[t + 1]]
        return path, delta[-1].max()

    def reestimate(self, obs):
        """One step of Baum and Welch's; the log likelihood before it."""
        T = len(obs)
        alpha, scale = self.forward(obs)
        beta = self.backward(obs, scale)
        gamma = alpha * beta
        gamma /= gamma.sum(axis=1, keepdims=True)
        xi = np.zeros((self.n_states, self.n_states))
        for t in range(T - 1):
            step = np.outer(alpha[t], self.B[:, obs[t + 1]] * beta[t + 1]) * self.A
            xi += step / step.sum()
        emitted = np.zeros_like(self.B)
        for t in range(T):
            emitted[:, obs[t]] += gamma[t]
        self.pi = gamma[0]
        self.A = xi / xi.sum(axis=1, keepdims=True)
        self.B = emitted / gamma.sum(axis=0)[:, None]
        return np.sum(np.log(scale))


def switches(path):
    """How often the state changes, and the longest stay."""
    count = 0
    longest = run = 1
    for before, after in zip(path[:-1], path[1:]):
        if before != after:
            count += 1
            run = 1
        else:
            run += 1
            longest = max(longest, run)
    return count, longest


def hidden_markov(pi, A, B, observations, max_iter=30, tol=1e-3):
    """Trains until the likelihood hardly grows; the model, the likelihoods, the path, and how often it switches."""
    model = HMM(pi, A, B)
    history = np.full(max_iter, np.nan)
    previous = -np.inf
    iterations = 0
    for it in range(max_iter):
        loglik = model.reestimate(observations)
        history[it] = loglik
        iterations = it + 1
        if loglik - previous < tol:
            break
        previous = loglik
    path, score = model.viterbi(observations)
    count, longest = switches(path)
    return model.pi, model.A, model.B, history, iterations, path, score, count, longest
