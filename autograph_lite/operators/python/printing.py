"""Printing when the program runs, where the builtin prints while it is traced."""

from __future__ import annotations

import builtins
import sys
from typing import Any, TextIO

import jax

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import carried_checks, traced_text


def print(
    *values: Any,
    sep: str | None = " ",
    end: str | None = "\n",
    file: TextIO | None = None,
    flush: bool = False,
) -> None:
    """`print(...)` at each execution, in order, of the program that is being traced; as Python's where none is.

    Under `jax.vmap` it prints once for each row. Where the rows take different branches, a vmap computes all branches for all
    rows, and prints all their lines.

    Args:
      *values: anything; traced values are shown as NumPy shows them.
      sep: as for the builtin.
      end: as for the builtin.
      file: as for the builtin; None is `sys.stdout` at the time of the execution.
      flush: as for the builtin; a program that prints always flushes.
    """
    late: list[Any] = []
    rebuild = traced_text.into_payload(values, late)

    if late or tracing_state.is_tracing():

        def on_host(alive: Any, *known: Any) -> None:
            if alive:  # else Python would have raised before it came here
                builtins.print(*rebuild(known), sep=sep, end=end, file=file or sys.stdout, flush=True)

        jax.debug.callback(on_host, carried_checks.alive(), *late, ordered=True)
    else:
        builtins.print(*values, sep=sep, end=end, file=file, flush=flush)
