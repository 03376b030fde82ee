"""Which of JAX's own tools work on converted functions? `jax.debug`, `checkify`, `jax.profiler` and `jax.export`.

All of them get the same function, a square root by Newton's method.
"""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import jax
import jax.export
import jax.numpy as jnp
from jax.experimental import checkify

from autograph_lite import convert, to_graph


def root(square: Any, watch: Callable[[Any], None] = lambda _: None) -> Any:
    """The square root of a number that is not negative."""
    if square < 0:
        raise ValueError("no real number has this square")
    guess = jnp.maximum(square, 1.0)
    steps = 0
    # The bound is for checkify, under which a program goes on after a check that has failed.
    while abs(guess * guess - square) > 1e-5 * square and steps < 50:
        guess = (guess + square / guess) / 2
        steps += 1
        watch(guess)
    return guess


def printed(square: Any) -> Any:
    """Prints each guess, on the device that computes it: `jax.debug.print`."""
    return convert(root)(square, lambda guess: jax.debug.print("guess {}", guess, ordered=True))


def recorded(square: Any) -> list[float]:
    """All guesses, which a function of Python's gets while the program runs: `jax.debug.callback`."""
    guesses: list[float] = []

    def keep(guess: Any) -> None:
        guesses.append(float(guess))

    convert(root)(square, lambda guess: jax.debug.callback(keep, guess, ordered=True))
    jax.effects_barrier()
    return guesses


def checked(square: Any) -> tuple[str | None, Any]:
    """The message of the `raise`, or None, and the root: `checkify`, under the user's own `jax.jit`."""
    functional = checkify.checkify(to_graph(root, checks="checkify"), errors=checkify.user_checks)
    error, answer = jax.jit(functional)(square)
    return error.get(), answer


def profiled(square: Any, folder: str) -> list[str]:
    """The files of a profile; the program is shown in it under the function's name: `jax.profiler`."""
    converted = convert(root)
    with jax.profiler.trace(folder), jax.profiler.TraceAnnotation("finding a root"):
        converted(square).block_until_ready()
    return [str(path) for path in pathlib.Path(folder).rglob("*") if path.is_file()]


def exported(shape: str = "n") -> bytes:
    """A program for arrays of any size, as bytes that need none of this code: `jax.export`."""
    many = jax.jit(jax.vmap(to_graph(root, checks=False)))
    sizes = jax.export.symbolic_shape(shape)
    return bytes(jax.export.export(many)(jax.ShapeDtypeStruct(sizes, jnp.float32)).serialize())


if __name__ == "__main__":
    printed(2.0)
    print("guesses", recorded(2.0))
    print("checked", checked(jnp.float32(2))[1], checked(jnp.float32(-2))[0])
    with tempfile.TemporaryDirectory() as folder:
        print("profile", len(profiled(jnp.float32(2), folder)), "files")
    program = jax.export.deserialize(bytearray(exported()))
    print("exported", program.call(jnp.array([1.0, 4.0, 9.0])))
