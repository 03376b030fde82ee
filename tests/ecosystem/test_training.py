"""Do models with control flow of their own learn, in one trace, what their plain Python would?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .examples import load


@pytest.fixture
def ponder():
    return load("equinox_ponder", "equinox", "optax")


@pytest.fixture
def reader():
    return load("flax_reader", "flax", "optax")


def by_hand(model, x, most):
    """An Equinox Ponder's answer and steps in arrays alone: a scan that goes on to the end and selects."""

    def step(carry, i):
        state, answer, left, steps = carry
        state = model.cell(x, state)
        share = jax.nn.sigmoid(model.halt(state)[0])
        share = jnp.where((share > left - 0.01) | (i == most - 1), left, share)
        done = left <= 0
        new = state, answer + share * model.read(state)[0], left - share, steps + 1
        return jax.tree.map(lambda old, new: jnp.where(done, old, new), carry, new), None

    start = jnp.zeros(model.cell.hidden_size), jnp.float32(0), jnp.float32(1), jnp.int32(0)
    (_, answer, _, steps), _ = jax.lax.scan(step, start, jnp.arange(most))
    return answer, steps


def test_an_equinox_model_that_ponders_learns_in_one_trace(ponder):
    before = ponder.train_step.trace_count
    model, losses = ponder.train(100)
    assert np.mean(losses[-10:]) < 0.5 * losses[0]
    assert ponder.train_step.trace_count - before == 1
    x, y = ponder.data(64, seed=1000)
    answers, steps = jax.vmap(autograph_lite.to_graph(lambda x: model(x)))(x)
    assert ((answers > 0) == (y > 0.5)).mean() > 0.95
    for i in range(4):
        answer, count = model(x[i])  # plain Python
        np.testing.assert_allclose(answers[i], answer, rtol=1e-4)
        assert steps[i] == count


def test_the_gradient_of_an_equinox_model_that_ponders_is_that_by_hand(ponder):
    eqx = pytest.importorskip("equinox")
    model = ponder.Ponder(2, 8, key=jax.random.key(3))
    x, y = ponder.data(8)

    def loss_by_hand(model):
        answers, steps = jax.vmap(lambda x: by_hand(model, x, ponder.MOST))(x)
        wrong = ponder.optax.sigmoid_binary_cross_entropy(answers, y).mean()
        return wrong + ponder.PRICE * steps.mean()

    ours = autograph_lite.convert(lambda model: eqx.filter_grad(lambda m: ponder.loss(m, x, y)[0])(model))(
        model
    )
    theirs = eqx.filter_jit(eqx.filter_grad(loss_by_hand))(model)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_flax_model_that_stops_reading_learns_in_one_trace(reader):
    reader.traces.clear()
    model, losses = reader.train(100)
    assert np.mean(losses[-10:]) < 0.7 * losses[0]
    assert len(reader.traces) == 1
    x, y = reader.data(64, seed=1000)
    answers, read = jax.vmap(autograph_lite.to_graph(lambda items: model(items)))(x)
    assert read.min() < 12
    assert ((answers > 0) == (y > 0.5)).mean() > 0.8
    for i in range(3):
        answer, count = model(x[i])  # plain Python
        np.testing.assert_allclose(answers[i], answer, rtol=1e-4, atol=1e-5)
        assert read[i] == count


def test_a_training_is_plotted(tmp_path):
    watching = load("watching", "matplotlib")
    assert watching.plot([1.0, 0.5, 0.25], str(tmp_path / "loss.png"))
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_a_training_has_a_progress_bar(capsys):
    watching = load("watching", "tqdm")
    assert list(watching.progress(range(3))) == [0, 1, 2]
    assert "3/3" in capsys.readouterr().err
