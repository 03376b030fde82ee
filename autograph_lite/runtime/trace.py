"""What has been traced for one type of call? The programs, and the state that they carry.

There is more than one program where the function writes to objects whose attributes change in shape or dtype from call
to call, or where it is called inside somebody else's trace.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from autograph_lite import _jax
from autograph_lite.errors import MutationError
from autograph_lite.operators import where
from autograph_lite.operators.values import Tracer
from autograph_lite.runtime import symbolic, symbolic_warnings
from autograph_lite.runtime.array_spec import ArraySpec, specs_in
from autograph_lite.runtime.creations import Creations
from autograph_lite.runtime.function_type import FunctionType
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.state import Restart, State
from autograph_lite.runtime.trace_types import VariableType

Key = tuple[
    bool, Hashable, Hashable
]  # whether it is nobody else's trace, the state's types, the shapes of arrays
RESTARTS = 24  # of one trace, each of which may find more state that is carried


@dataclasses.dataclass(frozen=True)
class Options:
    """How a function is converted and traced; see `autograph_lite.convert`."""

    recursive: bool | str = True
    checks: bool | str = True
    static_loops: str = "unroll"
    input_signature: Any = None
    reduce_retracing: bool = False
    max_traces: int | None = None


class Placeholders:
    """The values that the function sees in place of the arguments: traced arrays, in order, and literals."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self._arrays = iter(arrays)

    def array(self, spec: Any) -> Any:
        """The next array."""
        return next(self._arrays)

    def variable(self, type: VariableType) -> Any:
        """A Variable stands for itself."""
        raise NotImplementedError


class Trace:
    """What was traced for one type of call.

    Args:
      fn: the user's function.
      converted: gives what it was converted to.
      function_type: the type of the call.
      options: of the function.
      creations: the Variables that the function has created.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        converted: Callable[[], Callable[..., Any]],
        function_type: FunctionType,
        options: Options,
        creations: Creations,
    ) -> None:
        self.fn, self.function_type = fn, function_type
        self._converted, self._options = converted, options
        self.state = State(creations=creations)
        self.seconds = 0.0  # of tracing
        self._programs: dict[Key, Program] = {}
        specs = specs_in(function_type.types)
        self._specs = specs if any(spec.is_general for spec in specs) else []
        self._per_size = any(spec.shape is None for spec in specs)  # nothing stands for an array of any rank

    def __call__(self, arrays: Sequence[Any]) -> Any:
        """Runs the program for these arrays; makes it first if there is none.

        Raises:
          MutationError: each trace finds other objects that change.
        """
        for _ in range(RESTARTS):
            try:
                return self.program(arrays)(arrays)
            except Restart:
                continue
        raise self._endless()

    def program(self, arrays: Sequence[Any]) -> Program:
        """The program for these arrays and for what the state holds now; traces it if there is none."""
        owned = not _jax.tracing() and not any(isinstance(leaf, Tracer) for leaf in arrays)
        for _ in range(RESTARTS):
            try:
                return self._known(arrays, owned=owned)
            except Restart:
                continue
        raise self._endless()

    def _known(self, arrays: Sequence[Any], *, owned: bool) -> Program:
        state = self.state.read().key() if self.state.slots else None
        if self._has_symbols(arrays):
            try:
                return self._kept((owned, state, None), arrays, self._specs)
            except symbolic.InconclusiveSize as failure:
                program = self._kept((owned, state, _shapes(arrays)), arrays, None)
                self._per_size = True  # only now: what fails for known sizes, too, is the user's mistake
                symbolic_warnings.warn(self.fn, failure)
                return program
        return self._kept((owned, state, _shapes(arrays) if self._specs else None), arrays, None)

    def _has_symbols(self, arrays: Sequence[Any]) -> bool:
        """Whether one program serves arrays of all sizes. JAX's symbols stand for sizes of at least 1."""
        return bool(self._specs) and not self._per_size and all(array.size for array in arrays)

    def _kept(self, key: Key, arrays: Sequence[Any], specs: Sequence[ArraySpec] | None) -> Program:
        known = self._programs.get(key)
        if known is None:
            known = self._traced(arrays, specs, owned=key[0])
            self._programs[key] = known  # only now: a trace that raises leaves nothing behind
        return known

    def _traced(self, arrays: Sequence[Any], specs: Sequence[ArraySpec] | None, *, owned: bool) -> Program:
        objects = [found.referent() for found in self.function_type.objects()]
        self.state.search([self._converted(), *objects])
        program = Program(
            self._converted,
            getattr(self.fn, "__qualname__", "f"),
            self._arguments,
            self.state,
            checked=bool(self._options.checks),
            outside="checkify" if self._options.checks == "checkify" else "callback",
            owned=owned,
            rolled=self._options.static_loops == "stage",
        )
        start = time.perf_counter()
        program.prepare(arrays, specs)
        self.seconds += time.perf_counter() - start
        return program

    def _arguments(self, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = self.function_type.placeholder_arguments(Placeholders(arrays))
        return tuple(args), kwargs

    def owned_programs(self) -> Iterator[Program]:
        """The programs that are part of nobody else's trace, in the order in which they were traced."""
        return (program for program in self._programs.values() if program.owned)

    def _endless(self) -> MutationError:
        slots = list(self.state.slots.values())[-3:]
        places = ", ".join(dict.fromkeys(f"'{place.label(key)}'" for place, key in slots))
        return MutationError(
            f"{places}: each trace of '{self.fn.__name__}' changes other objects than the one before.",
            where=where.of_function(self.fn),
            why="What a call changes is read from the objects before it, and so has to be there before.",
            fix="make the objects once, outside of the function.",
        )


def _shapes(arrays: Sequence[Any]) -> Hashable:
    return tuple(array.shape for array in arrays)
