"""A vehicle is tracked from noisy positions, some of which are missing: Kalman filter, smoother, likelihood."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Model:
    """x' = F x + w, z = H x + v."""

    F: np.ndarray
    H: np.ndarray
    Q: np.ndarray
    R: np.ndarray


@dataclass
class Estimate:
    mean: np.ndarray
    cov: np.ndarray


@dataclass
class History:
    predicted: list = field(default_factory=list)
    filtered: list = field(default_factory=list)
    loglik: float = 0.0
    updates: int = 0


def constant_velocity(dt, sigma_a, sigma_z):
    """Position and velocity in the plane."""
    F = np.eye(4)
    F[0, 2] = dt
    F[1, 3] = dt
    H = np.zeros((2, 4))
    H[0, 0] = H[1, 1] = 1
    G = np.array([[dt**2 / 2, 0], [0, dt**2 / 2], [dt, 0], [0, dt]])
    return Model(F, H, sigma_a**2 * G @ G.T, sigma_z**2 * np.eye(2))


def predict(model, state):
    return Estimate(model.F @ state.mean, model.F @ state.cov @ model.F.T + model.Q)


def inverse_2x2(S):
    det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
    return np.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / det, det


def update(model, state, z):
    """The estimate after a measurement, in Joseph's form, and the measurement's log likelihood."""
    residual = z - model.H @ state.mean
    S = model.H @ state.cov @ model.H.T + model.R
    S_inv, det = inverse_2x2(S)
    K = state.cov @ model.H.T @ S_inv
    mean = state.mean + K @ residual
    I_KH = np.eye(len(mean)) - K @ model.H
    cov = I_KH @ state.cov @ I_KH.T + K @ model.R @ K.T
    loglik = -0.5 * (residual @ S_inv @ residual + np.log(det) + 2 * np.log(2 * np.pi))
    return Estimate(mean, cov), loglik


def run_filter(model, start, measurements):
    history = History()
    state = start
    for z in measurements:
        state = predict(model, state)
        history.predicted.append(state)
        if not np.isnan(z).any():
            state, loglik = update(model, state, z)
            history.loglik += loglik
            history.updates += 1
        history.filtered.append(state)
    return history


def smooth(model, history):
    """The pass backwards: each state by all measurements."""
    n = len(history.filtered)
    means = np.zeros((n, 4))
    covs = np.zeros((n, 4, 4))
    means[n - 1] = history.filtered[-1].mean
    covs[n - 1] = history.filtered[-1].cov
    for k in range(n - 2, -1, -1):
        now, later = history.filtered[k], history.predicted[k + 1]
        C = np.linalg.solve(later.cov, model.F @ now.cov).T
        means[k] = now.mean + C @ (means[k + 1] - later.mean)
        covs[k] = now.cov + C @ (covs[k + 1] - later.cov) @ C.T
    return means, covs


def kalman_smoother(measurements, dt=0.5, sigma_a=0.3, sigma_z=0.8):
    """Filtered and smoothed paths, the smoothed deviations, the log likelihood and how many measurements were used."""
    model = constant_velocity(dt, sigma_a, sigma_z)
    start = Estimate(np.zeros(4), 10 * np.eye(4))
    history = run_filter(model, start, measurements)
    means, covs = smooth(model, history)
    filtered = np.array([state.mean for state in history.filtered])
    deviations = np.sqrt(np.stack([np.diag(c) for c in covs]))
    moved = 0.0
    for k in range(1, len(means)):
        moved += np.linalg.norm(means[k, :2] - means[k - 1, :2])
    return filtered, means, deviations, history.loglik, history.updates, moved
