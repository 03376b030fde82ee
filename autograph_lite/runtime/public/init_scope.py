"""How does code leave the trace that it stands in? `init_scope` runs it while tracing, on values that are known.

with autograph_lite.init_scope():     no trace, no journal and no frame of checks is active inside
    self.table = load()               happens each time the function is traced, and not when its program runs
"""

from __future__ import annotations

import contextlib
import types

import jax

from autograph_lite.errors import InitScopeError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import carried_checks, concretization_errors
from autograph_lite.operators.effects import journal
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.state import variable_frames


def init_scope() -> contextlib.AbstractContextManager[None]:
    """A context that leaves the trace: the code inside runs while the function is traced, on values that are known.

    It runs as Python, once for each time that the function is traced, whatever branch or loop it stands in, and not when the
    compiled program does. A converted function that is called inside runs compiled. Where nothing is traced the context
    changes nothing.

        @autograph_lite.convert
        def scale(x):
            with autograph_lite.init_scope():
                table = jnp.arange(3) ** 2    # computed once: a constant of the program
                print("tables:", table)       # an array, no tracer
            return x * table

    Returns:
      The context, for a `with` statement.

    Raises:
      InitScopeError: the code inside computes with a traced value, or stores one in an object.
    """
    return _Left()


def inside_function() -> bool:
    """Whether the code that runs is being traced as part of a converted function.

    Returns:
      False in plain Python, in `init_scope`, and while functions run eagerly.
    """
    return carried_checks.within_program()


class _Left:
    def __init__(self) -> None:
        self.place = source_places.here()
        self.contexts = contextlib.ExitStack()
        self.written: journal.Journal | None = None

    def __enter__(self) -> None:
        if tracing_state.is_tracing() or journal.active() is not None:
            self.written = self.contexts.enter_context(carried_checks.suspended_checks())
            self.contexts.enter_context(variable_frames.outside_traces())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: types.TracebackType | None
    ) -> None:
        if self.written is None:
            return
        refusal = self._refusal(error)
        self.contexts.close()
        if refusal is not None:
            raise refusal from None

    def _refusal(self, error: BaseException | None) -> InitScopeError | None:
        if error is None:
            return self._stored()
        if not (
            isinstance(error, jax.errors.UnexpectedTracerError)
            or concretization_errors.is_about_tracer(error)
        ):
            return None
        return InitScopeError(
            "A traced value is used inside 'init_scope'.",
            where=(source_places.raised_at(error, ownership.is_library_file), self.place),
            why="The code inside runs while the function is traced, when the value is not known.",
            fix="compute with it outside of the `with` statement.",
        )

    def _stored(self) -> InitScopeError | None:
        """What a traced value that is stored in an object is refused with; the object becomes what it was."""
        assert self.written is not None
        for place, old in self.written.places.values():
            for key, value in place.read().items():
                if value is not old.get(key) and any(
                    isinstance(leaf, Tracer) for leaf in pytrees.leaves(value)
                ):
                    place.write(old)
                    return InitScopeError(
                        f"A traced value is stored in '{place.label(key)}' inside 'init_scope'.",
                        where=self.place,
                        why="What is stored there stays when the trace is over, and the value is known only in the program.",
                        fix="store it outside of the `with` statement.",
                    )
        return None
