"""Eager execution: do converted functions run as the user's own Python, for a debugger's sake, or compiled?"""

from __future__ import annotations

import weakref
from typing import Protocol


class Switched(Protocol):
    """What runs eagerly or not."""

    def eagerness_changed(self) -> None:
        """Lets Python run the calls, or the compiled programs again."""


_on = False
_functions: weakref.WeakSet[Switched] = weakref.WeakSet()


def register(function: Switched) -> None:
    """Has `function` told when that changes: nothing of ours runs in a call whose program is known."""
    _functions.add(function)


def converted_functions() -> list[Switched]:
    """The converted functions that there are."""
    return list(_functions)


def run_functions_eagerly(flag: bool) -> None:
    """Makes converted functions run as the Python that the user wrote, line by line, until it is switched off again.

    A debugger stops in them, `print` prints at each call, and every value is an array that can be looked at. What the
    conversion adds to Python, such as `x[0] = 1` for an array of JAX's, is not there meanwhile. Traces that were made
    before are neither used nor lost. A function that is called while another one is being traced is part of its trace.

        @autograph_lite.convert
        def double(x):
            print("in Python", x)
            return 2 * x

        autograph_lite.run_functions_eagerly(True)
        double(jnp.float32(2))                # prints: in Python 2.0
        double(jnp.float32(3))                # prints: in Python 3.0
        autograph_lite.run_functions_eagerly(False)

    Args:
      flag: True for Python, False for compiled programs, in all threads.

    Raises:
      TypeError: `flag` is not a bool.
    """
    global _on
    if not isinstance(flag, bool):
        raise TypeError(f"run_functions_eagerly: flag is {flag!r}; it may be True or False.")
    _on = flag
    for function in converted_functions():
        function.eagerness_changed()


def functions_run_eagerly() -> bool:
    """Whether converted functions run as the user's own Python.

    Returns:
      What `run_functions_eagerly` was called with last; False before.
    """
    return _on


on = functions_run_eagerly
