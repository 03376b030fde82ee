"""Do samplers draw from converted densities what the densities' plain Python says?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from .examples import load


@pytest.fixture
def changepoint():
    return load("numpyro_changepoint", "numpyro")


@pytest.fixture
def throw():
    return load("blackjax_throw", "blackjax")


def by_hand(at, counts):
    """The change point's potential with selections in the place of branches, all years at once."""
    place = jax.nn.sigmoid(at["year"])
    early, late = jnp.exp(at["rates"])
    share = jnp.clip(place * len(counts) - jnp.arange(len(counts)), 0, 1)
    rate = share * early + (1 - share) * late
    prior = at["rates"].sum() - early - late + jnp.log(place * (1 - place))
    return -(prior + (counts * jnp.log(rate) - rate).sum())


@pytest.mark.parametrize("year", [-8.0, -0.6, 0.013, 2.0])
def test_a_potential_and_its_gradient_are_those_by_hand(changepoint, year):
    at = {"rates": jnp.array([1.1, -0.1]), "year": jnp.float32(year)}
    ours = jax.jit(jax.value_and_grad(changepoint.converted))(at, changepoint.DISASTERS)
    theirs = jax.value_and_grad(by_hand)(at, changepoint.DISASTERS)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3), ours, theirs)


def test_numpyro_finds_the_year_of_the_change(changepoint):
    found = changepoint.sample(300)
    np.testing.assert_allclose(found["rates"].mean(axis=0), [3.1, 0.92], atol=0.2)
    assert abs(found["year"].mean() - 1890) < 3


def test_blackjax_walks_as_a_loop_of_python_does(throw):
    start, key = jnp.array([8.0, 0.8]), jax.random.key(1)
    warm_up, enough, at_most = 5, 10, 60
    mean, moves, accepted = throw.walk(start, key, *map(jnp.int32, (warm_up, enough, at_most)))
    kernel = throw.blackjax.additive_step_random_walk.normal_random_walk(
        throw.log_density, jnp.array([0.5, 0.1])
    )
    state, visited, taken = kernel.init(start), [], 0
    for i in range(at_most):
        key, now = jax.random.split(key)
        state, info = kernel.step(now, state)  # BlackJAX itself, on concrete values
        if i >= warm_up:
            visited.append(np.asarray(state.position))
            taken += int(info.is_accepted)
        if taken == enough:
            break
    assert (int(moves), int(accepted)) == (len(visited), taken)
    np.testing.assert_allclose(mean, np.mean(visited, axis=0), rtol=1e-4)


def test_other_numbers_of_moves_are_no_other_trace(throw):
    before = throw.walk.trace_count
    for enough in (10, 200):
        _, _, accepted = throw.walk(
            jnp.array([8.0, 0.8]), jax.random.key(0), *map(jnp.int32, (5, enough, 10_000))
        )
        assert accepted == enough
    assert throw.walk.trace_count <= max(before, 1)
