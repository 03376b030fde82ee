"""Variables: what lives from call to call?

    count = Variable(0)

    @convert
    def step(x):
        count.assign_add(1)               # read and written at each execution
        return x * count

Between calls it holds a plain array. A compiled program takes that as an input and gives the new one as an output.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError, VariableError
from autograph_lite.jax_internals import (
    avals,
    configuration,
    constant_folding,
    tangents_of_state,
    tracing_state,
)
from autograph_lite.operators.effects import journal, mutual_exclusion
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.user_code import place_names
from autograph_lite.operators.values.boxes import Box, unboxed
from autograph_lite.operators.values.place import Place
from autograph_lite.operators.values.values import Tracer, array_text, describe
from autograph_lite.runtime.host import host_calls
from autograph_lite.runtime.state import buffer_donation, creations, function_copies, variable_frames
from autograph_lite.runtime.state.array_operators import Arithmetic
from autograph_lite.runtime.state.variable_metadata import VariableKind, own_attributes
from autograph_lite.runtime.types import structure
from autograph_lite.runtime.types.trace_type import TraceType, TracingContext, VariableType, register_leaf
from autograph_lite.tracing import thread

KEY = "value"  # of what a Variable's place holds
# The ids of Variables whose array somebody else may hold, so that no program may take its memory.
LENT: set[int] = set()
DEBUGGED = 0  # among them while JAX looks for nans: see `taken`
WRITING = mutual_exclusion.LOCK


def exclusive_memory() -> AbstractContextManager[object]:
    """Inside, no program on another thread takes the memory of Variables' arrays.

    Not while this thread traces: a thread that calls a program may hold the lock, and wait until that trace is made.
    """
    return contextlib.nullcontext() if thread.now.in_program else WRITING


class Variable(Arithmetic):
    """An array that may be replaced by another of its shape and dtype.

    Args:
      initial_value: an array, a number or nested lists of such; or a function without arguments that gives it.
      dtype: of the Variable; that of the initial value if None.
      trainable: whether `Module.trainable_variables` holds it.
      name: for messages.

    Raises:
      VariableError: it is created by a converted function that has been called before, or of a traced value.
    """

    __slots__ = ("__weakref__", "_copied", "_lent", "_value", "name", "trainable")
    _value: Any
    _lent: bool  # whether somebody else may hold the array, so that no program may take its memory
    _copied: bool  # whether it is a copy that JAX has made in a trace, to which a write would be lost

    def __init__(
        self,
        initial_value: Any | Callable[[], Any],
        dtype: Any = None,
        trainable: bool = True,
        name: str | None = None,
    ) -> None:
        frame = variable_frames.program()
        if frame is not None and frame.creations is not None:
            frame.refuse(frame.creations.refusal(name))
        self.name, self.trainable, self._copied = name, trainable, False
        self._settle(_initial(initial_value, dtype, name))
        if frame is not None:
            frame.created.append(self)

    @property
    def value(self) -> Any:
        """The array that it holds now."""
        return self.read()

    def read(self) -> Any:
        """The array that it holds now."""
        if self._copied:
            return self._value
        _refuse_old(self)
        with exclusive_memory():
            value = variable_frames.read_variable(self)
            if not isinstance(value, Tracer):
                self.refuse_gone()
                self.lend()
        if isinstance(value, Tracer) and not tracing_state.is_alive(value):
            raise join_errors.foreign_error(self._label(), self)
        return value

    def lend(self) -> None:
        """Notes that somebody else holds the array from now on: no program may take its memory."""
        self._lent = True
        LENT.add(id(self))

    def assign(self, value: Any) -> Variable:
        """Makes it hold `value`.

        Gradients flow through it into the next read of the Variable, as long as they are taken.

        Args:
          value: of the Variable's shape, and of a dtype that gives way to its.

        Raises:
          VariableError: of another shape or dtype.
          MutationError: where the value is one of a transformation that ends before the Variable could get it.
        """
        new = self._cast(unboxed(value))
        return self._hold(new if isinstance(new, Tracer) else jnp.array(new))

    def assign_add(self, value: Any) -> Variable:
        """Adds `value`; returns the Variable."""
        with exclusive_memory():
            return self._hold(self._cast(self.read() + self._operand(value)))

    def assign_sub(self, value: Any) -> Variable:
        """Subtracts `value`; returns the Variable."""
        with exclusive_memory():
            return self._hold(self._cast(self.read() - self._operand(value)))

    def _operand(self, value: Any) -> Any:
        """A value that is added: a list of numbers is an array, as for `assign`."""
        value = unboxed(value)
        return self._cast(value) if isinstance(value, (list, tuple)) else value

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(jax.Array, name):
            raise AttributeError(
                f"A Variable has no attribute '{name}': it is the array's. Write .value.{name}",
                name=name,
                obj=self,
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def _hold(self, new: Any) -> Variable:
        _refuse_early(self)
        self._refuse_lost(new)
        now = journal.active()
        if now is not None:
            place_names.wrote(self)
            now.note(self.place)
        variable_frames.hold(self, new)
        return self

    def _cast(self, value: Any) -> Any:
        try:
            array = jnp.asarray(value)
        except TypeError:
            raise self._misfit(value) from None
        if array.shape != self.shape or jnp.result_type(array, self.dtype) != self.dtype:
            raise self._misfit(array)
        return avals.as_type(array, self.dtype, False)

    def _misfit(self, value: Any) -> VariableError:
        place_names.wrote(self)
        return VariableError(
            f"{variable_name(self)} of {array_text(self)} is given {describe(value)}.",
            why="A Variable keeps its shape and dtype: programs are compiled for them.",
            fix="bring the value to them, with .reshape, jnp.broadcast_to or .astype.",
        )

    def _refuse_lost(self, new: Any) -> None:
        """Refuses a write that would be done while tracing only, or that would leave a tracer here."""
        now = journal.active() if variable_frames.program() is not None else None
        recorded = now.program() if now is not None else None
        number = tangents_of_state.number_of(new)
        if (
            not self._copied
            and tracing_state.program_trace()() is recorded
            and tracing_state.is_recorded(number)
        ):
            return
        place_names.wrote(self)
        if self._copied:
            raise _lost_in_copy(self)
        if now is not None:
            raise join_errors.foreign_error(self._label(), self)
        raise _lost_in_trace(self)

    def _settle(self, value: Any) -> None:
        """Makes it hold an array that nobody else holds."""
        self._value, self._lent = value, False
        LENT.discard(id(self))

    def __del__(self, discard: Callable[[int], None] = LENT.discard) -> None:  # globals may be gone by then
        discard(id(self))

    def taken(self) -> Any:
        """The array, for a program that takes its memory: a copy where somebody else may hold it, or needs it once more.

        Where `jax.debug_nans` finds a nan, the program runs again; it raises, and the Variable keeps its value.
        """
        self.refuse_gone()
        return jnp.copy(self._value) if self._lent or configuration.debugging() else self._value

    @property
    def held(self) -> Any:
        """The array, for those who only ask which one it is."""
        return self._value

    def refuse_gone(self) -> None:
        """Refuses to read an array that somebody has given away."""
        if buffer_donation.is_gone(self._value):
            raise buffer_donation.donated_error(
                f"{variable_name(self)} holds", self._value, "pass a copy to that call: jnp.copy(v.value)"
            ) from None

    def forget(self) -> None:
        """Lets go of what a trace has put into it, which it stands in for."""
        for name in own_attributes(self):
            object.__delattr__(self, name)

    @property
    def place(self) -> Place:
        """Where it holds the array, for those who put it back."""
        return Place(
            self,
            lambda: {KEY: self._value if self._copied else variable_frames.variable_value(self)},
            lambda new: variable_frames.hold(self, new[KEY]),
            lambda _: self.name or "Variable",
            ours=True,
        )

    def _label(self) -> place_names.Label:
        return place_names.label(self, KEY, self.name or "Variable")

    @property
    def stands_in(self) -> bool:
        """Whether it stands for whatever Variable a call brings."""
        return isinstance(self._value, jax.ShapeDtypeStruct)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        shape: tuple[int, ...] = self._value.shape
        return shape

    @property
    def dtype(self) -> Any:
        """Dtype of the array."""
        return self._value.dtype

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many items it has."""
        return int(np.prod(self.shape))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        jax.tree_util.register_pytree_node(cls, _parts, _whole)  # which JAX knows for exactly one class

    def __repr__(self) -> str:
        named = f"name={self.name!r}, " if self.name else ""
        with exclusive_memory():
            value = self._value if self._copied else variable_frames.variable_value(self)
            shown = value if isinstance(value, Tracer) else np.array(value)
        return f"{type(self).__name__}({named}shape={self.shape}, dtype={self.dtype}, value={shown})"

    def clone(self) -> Variable:
        """A Variable of its own, which holds the same value."""
        return self.__copy__()

    def __copy__(self) -> Variable:
        made = _of_class(type(self), Variable.read(self), self.dtype, self.trainable, self.name)
        VariableKind.of(self).give(made)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        made = memo[id(self)] = _of_class(
            type(self), Variable.read(self), self.dtype, self.trainable, self.name
        )
        for name, value in own_attributes(self).items():
            object.__setattr__(made, name, function_copies.deep_copy(value, memo))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = np.array(Variable.read(self)), self.dtype, self.trainable, self.name
        if type(self) is Variable:
            return Variable, arguments
        return _of_class, (type(self), *arguments), (None, own_attributes(self))  # as of slots


Box.ours.add(Variable)


def _initial(value: Any, dtype: Any, name: str | None) -> jax.Array:
    """The initial value as an array of its own, of a dtype that does not give way to others."""
    with jax.ensure_compile_time_eval():
        if callable(value) and not isinstance(value, Variable):
            with variable_frames.outside_traces():
                value = value()
        array = constant_folding.fold_constant(unboxed(value))  # `jnp.zeros(x.shape)` is traced, too
        if not any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(array)):
            array = jnp.array(array, dtype=dtype)
            return avals.as_type(array, array.dtype, False)
    raise creations.refuse_traced(name, describe(array))


def variable_name(variable: Variable) -> str:
    """How messages call a Variable."""
    name = variable.name or place_names.owner_spelling(variable)
    return f"Variable '{name}'" if name else "A Variable"


def _refuse_old(variable: Variable) -> None:
    """Refuses to read what a program assigns in a function that the program calls."""
    call, around = host_calls.running_host_call(), host_calls.Calling.around(id(variable))
    if call is not None and id(variable) in call.written:
        raise _read_while_written(variable, f"'{call.name}', a py_function")
    if around is not None and id(variable) in around.written:
        around.failure = _read_while_written(variable, "a callback")
        raise around.failure


def _refuse_early(variable: Variable) -> None:
    """Refuses to assign what a program uses in a function that the program calls."""
    call, around = host_calls.running_host_call(), host_calls.Calling.around(id(variable))
    if call is not None and id(variable) in call.used:
        raise _written_while_used(variable, f"'{call.name}', a py_function")
    if around is not None:
        around.failure = _written_while_used(variable, "a callback")
        raise around.failure


def _read_while_written(variable: Variable, function: str) -> VariableError:
    return VariableError(
        f"{variable_name(variable)} is read in {function} of a program that assigns it.",
        why="A program gives Variables their new values when it has ended: the function would get the old one.",
        fix="pass the value to the function.",
    )


def _written_while_used(variable: Variable, function: str) -> VariableError:
    return VariableError(
        f"{variable_name(variable)} is assigned in {function} of a program that uses it.",
        why="A program reads Variables when it begins, and gives them their new values when it has ended.",
        fix="return the new value from the function, and assign it in the converted function.",
    )


def _lost_in_copy(variable: Variable) -> MutationError:
    return MutationError(
        f"{variable_name(variable)} is assigned, which is JAX's copy of a Variable that was passed to a transformation.",
        why="The transformation has taken the Variable apart, as it does with every pytree: the write would be lost.",
        fix="use the Variable itself, from outside of the transformed function, or return the new value.",
    )


def _lost_in_trace(variable: Variable) -> MutationError:
    return MutationError(
        f"{variable_name(variable)} is assigned while jax.jit, jax.vmap, jax.lax.scan or the like traces the code.",
        why="The code runs while it is traced only: later executions would not assign, and the value may be a tracer.",
        fix="assign in a function under autograph_lite.convert, or return the new value and assign it outside.",
    )


def _of_class(cls: type[Variable], *arguments: Any) -> Variable:
    """A Variable of a class whose own constructor may take anything, without its attributes."""
    made = cls.__new__(cls)
    Variable.__init__(made, *arguments)
    return made


def _parts(variable: Variable) -> tuple[tuple[Any], VariableKind]:
    return (Variable.read(variable),), VariableKind.of(variable)


def _whole(kind: VariableKind, parts: Any) -> Variable:
    (value,) = parts
    return remade(value, kind)


def remade(value: Any, kind: VariableKind) -> Variable:
    """A Variable that holds what JAX has put in the place of another's value."""
    made: Variable = object.__new__(kind.cls)
    made.name, made.trainable, made._value, made._lent = kind.name, kind.trainable, value, True
    made._copied = tracing_state.is_tracing()
    kind.give(made)
    return made


def stand_in(like: Variable | VariableType) -> Variable:
    """A Variable to trace a program with that is called with others of its kind: see `State.read`.

    What a class of the user's keeps in it is there while a trace runs.
    """
    cls = like.cls or Variable if isinstance(like, VariableType) else type(like)
    made = remade(jax.ShapeDtypeStruct(like.shape, like.dtype), VariableKind(None, like.trainable, cls))
    made._copied = False
    return made


jax.tree_util.register_pytree_node(Variable, _parts, _whole)


def _type_of(variable: Variable, context: TracingContext) -> TraceType:
    attributes: tuple[tuple[str, TraceType], ...] = ()
    cls = None if type(variable) is Variable else type(variable)
    known = context.has_seen(variable)  # as one that holds itself
    number = context.alias(variable)
    if cls is not None and not known:
        held = own_attributes(variable).items()
        attributes = tuple((name, structure.from_value(value, context)) for name, value in held)
    shape, dtype = variable.shape, variable.dtype
    return VariableType(shape, dtype, variable.trainable, number, cls, attributes)  # type: ignore[abstract]


register_leaf(Variable, _type_of)
configuration.on_debugging(lambda on: (LENT.add if on else LENT.discard)(DEBUGGED))
