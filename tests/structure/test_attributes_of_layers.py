"""Attributes that a loop makes in its first iteration, as layers keep what they were given: the others are rolled."""

import numpy as np

from autograph_lite import convert, explain


class Dense:
    def __init__(self, weights):
        self.weights = weights.copy()

    def forward(self, x):
        self.x = x
        return x @ self.weights

    def backward(self, gradient):
        self.change = self.x.T @ gradient
        return gradient @ self.weights.T


def one_pass(weights, rows):
    layer = Dense(weights)
    for start in range(0, 60, 2):
        out = layer.forward(rows[start : start + 2])
        layer.backward(out - 1)
        layer.weights -= 0.01 * layer.change
    return layer.weights, layer.x, layer.change


def until_it_gets_no_better(weights, rows):
    layer, best, waited = Dense(weights), np.inf, 0
    for epoch in range(30):
        for start in range(0, 60, 2):
            out = layer.forward(rows[start : start + 2])
            layer.backward(out - 1)
            layer.weights -= 0.01 * layer.change
        loss = np.mean((layer.forward(rows) - 1) ** 2)
        if loss < best - 1e-4:
            best, waited = loss, 0
        else:
            waited += 1
            if waited >= 3:
                break
    return layer.weights, best, epoch


def an_object_of_the_caller(layer, rows):
    total = 0.0
    for start in range(0, 60, 2):
        total += layer.forward(rows[start : start + 2]).sum()
    return total


def given():
    return np.full((3, 3), 0.1, np.float32), np.linspace(0, 1, 180, dtype=np.float32).reshape(60, 3)


def test_they_are_rolled_and_right():
    for function in (one_pass, until_it_gets_no_better):
        for ours, expected in zip(convert(function)(*given()), function(*given()), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-4)
        loops = [each for each in explain(convert(function))(*given()) if each.statement.startswith("for")]
        assert all(each.became == "scan of 29 steps" for each in loops)


def test_the_callers_object_has_them_afterwards():
    weights, rows = given()
    ours, expected = Dense(weights), Dense(weights)
    wanted = an_object_of_the_caller(expected, rows)
    np.testing.assert_allclose(convert(an_object_of_the_caller)(ours, rows), wanted, rtol=1e-5)
    np.testing.assert_allclose(ours.x, expected.x)


def test_a_loop_that_an_array_bounds_makes_them_in_its_first_iteration():
    def fn(weights, rows):
        layer, total = Dense(weights), 0.0
        for row in rows:
            total += layer.forward(row).sum()
        return total, layer.x

    for ours, expected in zip(convert(fn)(*given()), fn(*given()), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5)
