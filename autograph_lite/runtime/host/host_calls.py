"""Host calls: how does a compiled program call Python? Through a callback that says where in the source it comes from.

An exception of the user's can't pass through XLA: it is kept here under a number that the text of JAX's error holds, and the
call of a converted function raises it as itself.
"""

from __future__ import annotations

import collections
import itertools
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from autograph_lite.errors import Location
from autograph_lite.jax_internals import configuration, recorded_equations, tracing_state
from autograph_lite.operators.checks import raising
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import array_text, describe
from autograph_lite.runtime.types.tree_paths import structure_text
from autograph_lite.scoped import Now

KEPT = 64  # exceptions that nobody may ask for: those of programs that are not ours
_MARK = re.compile(r"autograph_lite host call (\d+)")
_idents = itertools.count(1)
_failed: collections.OrderedDict[int, tuple[BaseException, HostCall]] = collections.OrderedDict()
_lock = threading.Lock()


class HostFailureError(Exception):
    """Tells XLA that a function of the user's has raised."""


configuration.no_log_of(HostFailureError)


class HostCall:
    """A function of the user's as a callback of a program: arrays in, arrays of known types out.

    Args:
      func: the user's function.
      rebuild: its result, given the operands' values.
      types: what its result's leaves have to be.
      tree: the structure of its result.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        rebuild: Callable[[Sequence[Any]], Any],
        types: Sequence[jax.ShapeDtypeStruct],
        tree: Any,
    ) -> None:
        self.rebuild, self.types, self.tree = rebuild, list(types), tree
        self.name: str = getattr(func, "__name__", type(func).__name__)  # of the function
        self.place: Location | tuple[()] = source_places.here()  # the user's line that calls it
        self.trace, _ = raising.user_trace(BaseException())
        # ids of the Variables that the program around uses, which have their new values when it has ended
        self.used: set[int] = set()
        self.written: set[int] = set()  # of those that it assigns

    def batched(self, size: int) -> HostCall:
        """The same call for all rows of its operands at once: its results have an axis in front."""
        new: HostCall = object.__new__(HostCall)
        vars(new).update(vars(self))
        new.types = [jax.ShapeDtypeStruct((size, *kind.shape), kind.dtype) for kind in self.types]
        return new

    def __call__(self, *values: Any) -> list[np.ndarray[Any, Any]]:
        """Called by the program. Raises HostFailureError: the user's function has raised, or its result does not fit."""
        try:
            with _running.being(self):
                return self.run(values)
        except BaseException as error:
            ident = next(_idents)
            with _lock:
                _failed[ident] = error, self
                if len(_failed) > KEPT:
                    _failed.popitem(last=False)
            text = f"{type(error).__name__}: {error} (autograph_lite host call {ident})"
            raise HostFailureError(text) from error

    def run(self, values: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """The leaves of the function's result for the operands' values, which it gets as arrays of NumPy's.

        Raises:
          TypeError: the result has another structure, or its leaves another shape or type.
        """
        result = self.rebuild([np.asarray(value) for value in values])
        try:
            leaves = pytrees.flatten_up_to(self.tree, result)
        except (ValueError, TypeError):
            found = _shown(pytrees.structure(result))
            raise TypeError(
                f"{self.name}() gave {found}; its result was declared to be {_shown(self.tree)}."
            ) from None
        return [self._fitting(leaf, kind) for leaf, kind in zip(leaves, self.types, strict=True)]

    def _fitting(self, leaf: Any, kind: jax.ShapeDtypeStruct) -> np.ndarray[Any, Any]:
        array = np.asarray(leaf)
        if array.shape != kind.shape or not np.can_cast(array.dtype, kind.dtype, "same_kind"):
            raise TypeError(
                f"{self.name}() gave {describe(array)}; its result was declared to be {array_text(kind)}."
            )
        return array.astype(kind.dtype, copy=False)


_running: Now[HostCall | None] = Now(None)


def running_host_call() -> HostCall | None:
    """The call of a program's that runs on this thread."""
    return _running.value


class Calling:
    """A running program with Variables, `used` and `written` by id, that calls functions by JAX's own callbacks."""

    running: ClassVar[list[Calling]] = []

    def __init__(self, used: frozenset[int], written: frozenset[int]) -> None:
        self.used, self.written = used, written
        self.failure: BaseException | None = None  # what a callback was refused

    def run(self, program: Callable[[], Any]) -> Any:
        """What the program gives, when it has ended. Raises BaseException: a callback was refused a Variable."""
        self.running.append(self)
        try:
            result = jax.block_until_ready(program())
            jax.effects_barrier()  # `jax.debug.callback` has no result to wait for
        except jax.errors.JaxRuntimeError:
            if self.failure is None:
                raise
        else:
            if self.failure is None:
                return result
        finally:
            self.running.remove(self)
        raise self.failure

    @classmethod
    def around(cls, variable: int) -> Calling | None:
        """The program that uses a Variable, where a callback of JAX's runs on this thread that may be its own."""
        found = [each for each in [*cls.running] if variable in each.used]
        if not found or not tracing_state.in_callback():
            return None
        return next((each for each in found if variable in each.written), found[0])


def _shown(tree: Any) -> str:
    return structure_text(tree, ["*"] * tree.num_leaves)


def in_program(jaxpr: Any) -> list[HostCall | Callable[..., Any]]:
    """The callbacks that a jaxpr reaches, in whatever it calls: ours as `HostCall`, those of JAX's as they are."""
    called = map(recorded_equations.callback_of, recorded_equations.equations(jaxpr))
    return [*{id(callback): callback for callback in called if callback is not None}.values()]


def raising_own(run: Callable[[], Any]) -> Any:
    """The result of a program with callbacks, when it is there; what a function of the user's raised comes out as itself."""
    try:
        return jax.block_until_ready(run())
    except jax.errors.JaxRuntimeError as error:
        number = _MARK.search(str(error))
        with _lock:
            known = _failed.pop(int(number[1]), None) if number else None
        if known is None:
            raise
    original, call = known
    tb = original.__traceback__
    for line in reversed(call.trace):
        tb = raising.traceback_entry(line, tb)
    raise original.with_traceback(tb)
