"""How does a function run that was loaded from a file? As the one that was saved: its calls find their programs by type."""

from __future__ import annotations

import copy
import functools
import inspect
import operator
import threading
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutatedArgumentError, PicklingError, UnsavedSignatureError
from autograph_lite.jax_internals import exported_derivatives, tracing_state
from autograph_lite.operators.checks.raising import CODE
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.saving import call_types, saved_checks
from autograph_lite.runtime.saving.archive import Reader
from autograph_lite.runtime.saving.saved_values import Json, with_plain_namedtuples
from autograph_lite.runtime.state.variable import WRITING, Variable
from autograph_lite.runtime.tracing.trace_cache import TraceCache
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.input_signature import accept
from autograph_lite.runtime.types.trace_type import TracingContext


class LoadedProgram:
    """A program for one type of calls.

    Args:
      name: of the function that was saved.
      exported: as of `jax.export`.
      state: the Variables that it takes after the arrays: one of the file's, or the number of one among the arguments.
      row: what the manifest says of it.
      reader: of the file.

    Attributes:
      platforms: that it was lowered for.
      vjp_order: how often it can be differentiated.
      used: the number after the last output that is in its result.
    """

    def __init__(
        self, name: str, exported: Any, state: Sequence[Variable | int], row: Json, reader: Reader
    ) -> None:
        self._state, self.row, self.reader, self._array = state, row, reader, reader.array
        self.platforms, self.vjp_order = exported.platforms, _order_of(exported)
        refuse = functools.partial(_underived, name)
        self._run = jax.jit(exported_derivatives.refusing_derivatives(exported, refuse).call)
        outputs = Outputs()
        # Fails now, and not at a call.
        self._empty = call_types.read_value(row["result"], reader.array, outputs)
        self.used = outputs.end

    @property
    def state(self) -> Sequence[Variable | int]:
        """The Variables that it takes after the arrays, or their numbers among those of a call."""
        return self._state

    @property
    def variables(self) -> list[Variable]:
        """The Variables of the file that it reads or writes."""
        return [slot for slot in self._state if isinstance(slot, Variable)]

    def __call__(self, arrays: Sequence[Any], arguments: Sequence[Variable]) -> Any:
        """Runs it; raises what its checks found; gives the Variables their new values."""
        state = [slot if isinstance(slot, Variable) else arguments[slot] for slot in self._state]
        with WRITING:
            outputs = self._run(*arrays, *[variable.read() for variable in state])
            self._raise(outputs[len(outputs) - len(self.row["check_outputs"]) :])
            for variable, number in zip(state, self.row["after"], strict=True):
                if number is not None:
                    _give(variable, outputs[number])
        return call_types.read_value(self.row["result"], self._array, outputs)

    def copied(self, memo: dict[int, Any]) -> LoadedProgram:
        """The same program with Variables of its own."""
        new = copy.copy(self)
        new._state = [copy.deepcopy(slot, memo) for slot in self._state]
        return new

    def _raise(self, values: Sequence[Any]) -> None:
        if [*CODE] not in self.row["check_outputs"]:
            return
        if any(isinstance(value, Tracer) for value in values):
            jax.debug.callback(self._report, *values)
        else:
            self._report(*values)

    def _report(self, *values: Any) -> None:
        contents = {tuple(key): value for key, value in zip(self.row["check_outputs"], values, strict=True)}
        number = int(contents[CODE])
        for check in self.row["checks"] if number else ():
            if check["number"] == number:
                keys = sorted(key for key in contents if key[0] == number)
                raise saved_checks.read_check(check, [jnp.asarray(contents[key]) for key in keys])


def _order_of(exported: Any) -> int:
    order = 0
    while exported.has_vjp():
        exported, order = exported.vjp(), order + 1
    return order


def _underived(name: str, order: int) -> UnsavedSignatureError:
    return UnsavedSignatureError(
        f"'{name}' was loaded from a file, and is differentiated in reverse mode.",
        why=f"It was saved with vjp_order={order}: the file holds no derivative beyond that.",
        fix=f"save it with vjp_order={order + 1}.",
    )


class Outputs:
    """Gives an array for each output, to try whether a result can be made."""

    def __init__(self) -> None:
        self.end = 0  # the number after the last one that was asked for

    def __getitem__(self, number: int) -> Any:
        if type(number) is not int or number < 0:
            raise ValueError(f"{number!r} is no number of an output")
        self.end = max(self.end, number + 1)
        return jnp.zeros(())


def _give(variable: Variable, value: Any) -> None:
    if isinstance(value, Tracer) or tracing_state.is_tracing():
        variable.assign(value)
    else:
        ((key, _),) = variable.place.read().items()
        variable.place.write({key: value})


class LoadedFunction:
    """A function that was loaded from a file: it takes the calls that it was saved for.

    Attributes:
      __name__: of the function that was saved.
      function_types: of the calls that it takes.
      parameters: what the manifest says of its parameters.

    Raises:
      TypeError: the arguments of a call do not fit the function's parameters.
      UnsavedSignatureError: they are of other types than those that it was saved for.
    """

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        programs: Sequence[tuple[FunctionType, LoadedProgram]],
        parameters: Json,
    ) -> None:
        self.parameters = parameters
        self.__name__ = self.__qualname__ = name
        self.__signature__ = signature
        kinds = [kind for kind, _ in programs]
        self.function_types = [kind for kind in kinds if not _is_of_no_items(kind, kinds)]
        self._programs: TraceCache[LoadedProgram] = TraceCache()
        for kind, program in programs:
            self._programs.add(kind, program)
        self._lock = threading.Lock()

    @property
    def programs(self) -> list[LoadedProgram]:
        """Its programs, in the order of the file."""
        return [*self._programs]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The Variables that it reads or writes."""
        found = [variable for program in self._programs for variable in program.variables]
        return tuple({id(variable): variable for variable in found}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of them that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the program that was saved for arguments of these types.

        Python's numbers, weakly typed arrays and NumPy's take the dtype of one that was saved, where that is of their kind, as
        with an `input_signature`.
        """
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments.update({k: with_plain_namedtuples(v) for k, v in bound.arguments.items()})
        found = FunctionType.from_bound(self.__signature__, bound, TracingContext())
        given = found.arrays(bound)
        program = self._program(found, given)
        if program is None:
            bound, found, program = self._cast(bound) or (bound, found, None)
        if program is None:
            raise self._unsaved(found)
        if any(isinstance(given[number], np.ndarray) for number in program.row.get("writes", ())):
            raise self._unwritten()
        arrays = found.arrays(bound)
        try:
            return program(arrays, found.variables(bound))
        except NotImplementedError as error:  # jax.export has no rule for it (JAX 0.12)
            if "call_exported" not in str(error):
                raise
            raise self._unmapped() from None
        except TypeError as error:
            if "forward-mode autodiff" not in str(error):
                raise
            raise self._without_tangents() from None
        except ValueError as error:
            if "polymorphic shapes specification" not in str(error):
                raise
            raise self._unsaved(found, "Sizes that were one size in the saved program differ.") from None

    def _program(self, kind: FunctionType, arrays: Sequence[Any]) -> LoadedProgram | None:
        """What serves calls of a type with these arrays."""
        with self._lock:
            program = self._programs.lookup(kind)
        if program is not None and any(not array.size for array in arrays) and self._is_symbolic(program):
            return None
        return program

    def _cast(
        self, bound: inspect.BoundArguments
    ) -> tuple[inspect.BoundArguments, FunctionType, LoadedProgram] | None:
        """Arguments as of a call that was saved, its type and program; of several, that with the fewest other dtypes."""
        fitting = []
        for kind in self.function_types:
            try:
                made = accept(kind, self.__signature__, bound.args, bound.kwargs)
            except TypeError:
                continue
            found = FunctionType.from_bound(self.__signature__, made, TracingContext())
            program = self._program(found, found.arrays(made))
            if program is not None:
                fitting.append((_changed(bound, made), made, found, program))
        return min(fitting, key=operator.itemgetter(0))[1:] if fitting else None

    def _unwritten(self) -> MutatedArgumentError:
        return MutatedArgumentError(
            f"'{self.__name__}' was loaded from a file, and writes to an array of NumPy's that it is passed.",
            why="A saved program gives what the function returns, and not what it writes to its arguments.",
            fix="pass an array of JAX's, jnp.asarray(x), and return what is written.",
        )

    def _unmapped(self) -> UnsavedSignatureError:
        return UnsavedSignatureError(
            f"'{self.__name__}' was loaded from a file, and is called in jax.vmap.",
            why="A saved program takes arrays of the shapes that it was saved for, and has no form for many at once.",
            fix="save jax.vmap of the function, call it in jax.lax.map, or convert the function where its source is.",
        )

    def _without_tangents(self) -> UnsavedSignatureError:
        return UnsavedSignatureError(
            f"'{self.__name__}' was loaded from a file, and is differentiated in forward mode.",
            why="A saved program holds derivatives in reverse mode only: those that `vjp_order` asks for.",
            fix="use jax.grad or jax.vjp, or save the function that calls jax.jvp.",
        )

    def _is_symbolic(self, program: LoadedProgram) -> bool:
        """Whether a program takes arrays of any size; JAX's symbols stand for sizes of at least 1."""
        kinds = [kind for kind, known in self._programs.items() if known is program]
        return any(spec.is_general for kind in kinds for spec in specs_in(kind.types))

    def _unsaved(self, found: FunctionType, sizes: str = "") -> UnsavedSignatureError:
        saved = "\n".join(f"  {self.__name__}{_shown(kind)}" for kind in self.function_types)
        return UnsavedSignatureError(
            f"'{self.__name__}' is called as {self.__name__}{_shown(found)}, for which it was not saved.",
            why=f"It was saved for\n{saved}\n{sizes}".rstrip(),
            fix="convert the arguments, or save the function for that signature, too.",
        )

    def __copy__(self) -> LoadedFunction:
        return LoadedFunction(self.__name__, self.__signature__, self._programs.items(), self.parameters)

    def __deepcopy__(self, memo: dict[int, Any]) -> LoadedFunction:
        programs = [(kind, program.copied(memo)) for kind, program in self._programs.items()]
        return LoadedFunction(self.__name__, self.__signature__, programs, self.parameters)

    def __reduce__(self) -> Any:
        raise PicklingError(
            f"'{self.__name__}' was loaded from a file, and can't be pickled.",
            why="A pickle is read as code; the file is data, and has all that the function is.",
            fix="pickle the path of the file, and load the function where it is wanted.",
        )

    def __repr__(self) -> str:
        return f"<autograph_lite.LoadedFunction {self.__name__}{self.__signature__}>"


def _is_of_no_items(kind: FunctionType, others: Sequence[FunctionType]) -> bool:
    """Whether a type is that of another one with arrays of size 0, for which a program of any size is not made."""
    has_none = any(0 in (spec.shape or ()) for spec in specs_in(kind.types))
    return has_none and any(kind is not other and kind.is_subtype_of(other) for other in others)


def _changed(before: inspect.BoundArguments, after: inspect.BoundArguments) -> int:
    """How many of the arrays have other dtypes than JAX would give them."""
    pairs = zip(
        jax.tree.leaves([*before.arguments.values()]),
        jax.tree.leaves([*after.arguments.values()]),
        strict=False,
    )
    return sum(isinstance(new, jax.Array) and jnp.result_type(old) != new.dtype for old, new in pairs)


def _shown(kind: FunctionType) -> str:
    """The types of a call, as users write them."""
    return f"({', '.join(f'{slot.name}: {type}' for slot, type in kind.items())})"
