"""How long should a network think? An Equinox model that decides for each input, trained with Optax.

The network goes over its input again and again, until the probabilities of halting that it gives itself add up to one. So
each input of a batch takes as many steps as it needs, and the loss asks for few.

Source: Graves, "Adaptive computation time for recurrent neural networks", 2016.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from watching import plot, progress

from autograph_lite import convert

MOST = 10  # steps for one input
PRICE = 0.01  # of a step, in the loss


class Ponder(eqx.Module):
    """A recurrent cell that is applied until it has seen enough."""

    cell: eqx.nn.GRUCell
    halt: eqx.nn.Linear
    read: eqx.nn.Linear

    def __init__(self, features: int, units: int, *, key: jax.Array):
        cell_key, halt_key, read_key = jax.random.split(key, 3)
        self.cell = eqx.nn.GRUCell(features, units, key=cell_key)
        self.halt = eqx.nn.Linear(units, 1, key=halt_key)
        self.read = eqx.nn.Linear(units, 1, key=read_key)

    def __call__(self, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The answer for one input, and the number of steps that it took."""
        state = jnp.zeros(self.cell.hidden_size)
        answer = 0.0
        left = 1.0
        steps = 0
        while left > 0 and steps < MOST:
            state = self.cell(x, state)
            steps += 1
            share = jax.nn.sigmoid(self.halt(state)[0])
            if share > left - 0.01 or steps == MOST:
                share = left  # the last step takes what is left
            answer += share * self.read(state)[0]
            left -= share
        return answer, steps


def loss(model: Ponder, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The cross entropy of a batch with the price of its steps, and their mean number."""
    answers, steps = jax.vmap(model)(x)
    wrong = optax.sigmoid_binary_cross_entropy(answers, y).mean()
    return wrong + PRICE * steps.mean(), steps.mean()


optimizer = optax.adam(0.01)


@convert
def train_step(model, optimizer_state, x, y):
    """One step of training: the model and the optimizer's state after it, the loss and the mean number of steps."""
    (value, steps), gradients = eqx.filter_value_and_grad(loss, has_aux=True)(model, x, y)
    size = optax.tree.norm(gradients)
    if jnp.isfinite(size):
        if size > 1:
            gradients = jax.tree.map(lambda g: g / size, gradients)
        updates, optimizer_state = optimizer.update(gradients, optimizer_state)
        model = eqx.apply_updates(model, updates)
    return model, optimizer_state, value, steps


def data(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of signs, and whether they differ: what no linear model can tell."""
    x = np.random.default_rng(seed).choice([-1.0, 1.0], (n, 2)).astype(np.float32)
    return x, (x[:, 0] != x[:, 1]).astype(np.float32)


def train(steps: int = 150) -> tuple[Ponder, list[float]]:
    """A trained model and the loss at each step."""
    model = Ponder(2, 8, key=jax.random.key(0))
    optimizer_state = optimizer.init(eqx.filter(model, eqx.is_array))
    losses = []
    for i in progress(range(steps)):
        model, optimizer_state, value, _ = train_step(model, optimizer_state, *data(32, seed=i))
        losses.append(float(value))
    return model, losses


if __name__ == "__main__":
    trained, losses = train()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {train_step.trace_count} trace")
    plot(losses, "equinox_ponder.png")
