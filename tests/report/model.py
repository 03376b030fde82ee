"""The functions whose reports the tests look at; their lines are counted below."""

import jax.numpy as jnp

from autograph_lite import do_not_convert


def scaled(x):
    if x > 3:
        return jnp.sin(x)
    return x


def step(xs, n, label="</script><b>bold</b>"):
    """Says </script><script>document.title = 'broken'</script>."""
    total = 0.0
    for x in xs:
        if x > 1:
            total = total + scaled(x)
        else:
            total = total - x
    for name in ("<i>", label):
        total = total + len(name)
    while total > 1:
        total = total / 2
    match n:
        case 0:
            total = jnp.cos(total)
        case 1:
            total = jnp.exp(total)
        case _:
            total = total * n
    return total


class Layer:
    """An object whose method is converted."""

    def __init__(self, rate):
        self.rate = rate

    def halved(self, x):
        while x > self.rate:
            x = x / 2
        return x

    def apply(self, x):
        return self.halved(x) + 1


def straight(x):
    return x + 1


@do_not_convert
def left_alone(x):
    return jnp.tanh(x)


def calls(x):
    return left_alone(x) + 1
