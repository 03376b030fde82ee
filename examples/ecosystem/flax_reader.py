"""When has a network read enough? A Flax NNX model that stops reading when it is sure, trained with Optax.

`nnx.jit` brings out what the function changes in the model and in the optimizer, as Flax users are used to; `to_graph` converts
the function that it compiles.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from watching import plot, progress

from autograph_lite import to_graph

SURE = 0.95


class Reader(nnx.Module):
    """A recurrent cell that goes over a sequence."""

    def __init__(self, features: int, units: int, *, rngs: nnx.Rngs):
        self.cell = nnx.GRUCell(features, units, rngs=rngs)
        self.out = nnx.Linear(units, 1, rngs=rngs)

    def __call__(self, items: Any) -> tuple[Any, Any]:
        """The answer, and how many items were read for it."""
        state = jnp.zeros(self.cell.hidden_features)
        answer = 0.0
        read = 0
        for item in items:
            state, _ = self.cell(state, item)
            answer = self.out(state)[0]
            read += 1
            chance = jax.nn.sigmoid(answer)
            if chance > SURE or chance < 1 - SURE:
                break
        return answer, read


def loss(model: Reader, x: Any, y: Any) -> tuple[Any, Any]:
    """The cross entropy of a batch, and how many items were read on average."""
    answers, read = jax.vmap(model)(x)
    return optax.sigmoid_binary_cross_entropy(answers, y).mean(), read.mean()


traces = []  # one entry each time that Python runs the step, which is when JAX traces it


def step(model: Reader, optimizer: nnx.Optimizer, x: Any, y: Any) -> tuple[Any, Any]:
    """One step of training, which changes the model and the optimizer."""
    traces.append(jnp.shape(x))
    (value, read), gradients = nnx.value_and_grad(loss, has_aux=True)(model, x, y)
    optimizer.update(model, gradients)
    return value, read


train_step = nnx.jit(to_graph(step))


def data(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Noisy sequences around 1/2 and -1/2, and which of them it is."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1, 1], n)
    x = rng.normal(0.5, 1, (n, 12, 1)) * sign[:, None, None]
    return x.astype(np.float32), (sign > 0).astype(np.float32)


def train(steps: int = 150) -> tuple[Reader, list[float]]:
    """A trained model and the loss at each step."""
    model = Reader(1, 8, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.01), wrt=nnx.Param)
    losses = []
    for i in progress(range(steps)):
        value, _ = train_step(model, optimizer, *data(32, seed=i))
        losses.append(float(value))
    return model, losses


if __name__ == "__main__":
    trained, losses = train()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {len(traces)} trace")
    plot(losses, "flax_reader.png")
