"""How was the ball thrown? BlackJAX samples a converted log density that simulates how the ball bounces.

The ball comes to rest after as many bounces as it takes, which is a `while` in the density. The walk around BlackJAX's kernel
is converted, too: it ends when enough moves were accepted, or when it takes too long.
"""

from __future__ import annotations

from typing import Any

import blackjax
import jax
import jax.numpy as jnp

from autograph_lite import convert

RESTS_AT = 12.0  # metres away, give or take half a metre
GRAVITY = 9.81


def distance(speed: Any, angle: Any) -> Any:
    """Where a ball comes to rest that loses speed at each bounce."""
    up, along = speed * jnp.sin(angle), speed * jnp.cos(angle)
    x = 0.0
    while up > 0.5:
        x += along * 2 * up / GRAVITY
        up *= 0.6
        along *= 0.8
    return x


def log_density(throw: Any) -> Any:
    """The logarithm of the density of a speed and an angle, up to a constant."""
    speed, angle = throw
    if speed < 0 or angle < 0.1 or angle > 1.5:
        return -jnp.inf
    return -0.5 * ((distance(speed, angle) - RESTS_AT) / 0.5) ** 2 - 0.5 * ((speed - 8) / 2) ** 2


@convert
def walk(start: Any, key: Any, warm_up: Any, enough: Any, at_most: Any) -> tuple[Any, Any, Any]:
    """The mean of the throws, and how many moves were made and accepted after the first `warm_up`."""
    kernel = blackjax.additive_step_random_walk.normal_random_walk(log_density, jnp.array([0.5, 0.1]))
    state = kernel.init(start)
    total = jnp.zeros_like(start)
    moves = accepted = 0
    for i in range(at_most):
        key, now = jax.random.split(key)
        state, info = kernel.step(now, state)
        if i < warm_up:
            continue
        moves += 1
        total += state.position
        if info.is_accepted:
            accepted += 1
            if accepted == enough:
                break
    return total / max(moves, 1), moves, accepted


if __name__ == "__main__":
    numbers = jnp.int32(500), jnp.int32(5000), jnp.int32(100_000)
    (speed, angle), moves, accepted = walk(jnp.array([8.0, 0.8]), jax.random.key(0), *numbers)
    print(f"{speed:.1f} m/s at {jnp.degrees(angle):.0f} degrees; {accepted} of {moves} moves accepted")
