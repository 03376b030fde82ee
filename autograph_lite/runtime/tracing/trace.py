"""Trace: what has been traced for one type of call? The programs, and the state that they carry.

There is more than one program where the function writes to objects whose attributes change in shape or dtype from call
to call, or where it is called inside somebody else's trace.
"""

from __future__ import annotations

import dataclasses
import time
import types
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import jax

from autograph_lite.errors import (
    AutographError,
    BranchMismatchError,
    CarryMismatchError,
    DynamicShapeError,
    MutatedArgumentError,
    MutationError,
    PythonOnlyError,
    TracedIndexError,
    VariableError,
)
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.effects import mutual_exclusion
from autograph_lite.operators.effects.outside_arrays import Once
from autograph_lite.operators.lists import capacity
from autograph_lite.operators.lists.capacity import OutgrownError
from autograph_lite.operators.loops import rolling
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import retracing
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.explaining.function_names import name_of
from autograph_lite.runtime.explaining.trace_differences import Served
from autograph_lite.runtime.reading import shared_state
from autograph_lite.runtime.results import numpy_arguments, outside_arguments, refusals
from autograph_lite.runtime.results.argument_mutations import mutables_in
from autograph_lite.runtime.state import buffer_donation, left_arrays
from autograph_lite.runtime.state.carried_state import Bindings, Restart, State
from autograph_lite.runtime.state.creations import Creations
from autograph_lite.runtime.state.variable import Variable, stand_in, variable_name
from autograph_lite.runtime.state.weak_places import HeldPlace
from autograph_lite.runtime.tracing import symbolic_sizes
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.types.array_spec import ArraySpec, specs_in
from autograph_lite.runtime.types.function_type import FunctionType, Slot
from autograph_lite.runtime.types.trace_type import VariableType

# Whether it is nobody else's trace, the state's types, the shapes of arrays or their equal sizes, which are NumPy's.
Key = tuple[bool, Hashable, Hashable, numpy_arguments.Key]
# What a trace may raise where numbers and arrays are its inputs that Python knows.
_OF_INPUTS = (
    BranchMismatchError, CarryMismatchError, DynamicShapeError, MutatedArgumentError, PythonOnlyError, TracedIndexError,
)  # fmt: skip
_NEED_VALUES = (AutographError, TypeError, IndexError, AttributeError, NotImplementedError)
RESTARTS = 24  # of one trace; each may find more state that is carried


@dataclasses.dataclass(frozen=True)
class Options:
    """How a function is converted and traced; see `autograph_lite.convert`."""

    recursive: bool | str = True
    checks: bool | str = True
    static_loops: str | tuple[str, int] = "auto"
    input_signature: Any = None
    reduce_retracing: bool = False
    max_traces: int | None = None
    verify: str | tuple[str, float] | None = None
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: tuple[str, ...] = ()
    write_back: bool = True


class Placeholders:
    """The values that the function sees in place of the arguments: traced arrays, in order, and literals."""

    def __init__(self, arrays: Sequence[Any], stand_in: Callable[[VariableType], Variable]) -> None:
        self._arrays, self._stand_in = iter(arrays), stand_in

    def array(self, spec: Any) -> Any:
        """The next array."""
        return next(self._arrays)

    def variable(self, type: VariableType) -> Any:
        """What stands for whatever Variable of the type a call brings."""
        return self._stand_in(type)


class Keeper(Protocol):
    """What keeps programs for later processes."""

    def prepare(
        self, trace: Trace, program: Program, arrays: Sequence[Any], make: Callable[[], None]
    ) -> None:
        """Gives a program what it needs to run: what was kept, or by `make`, which traces it."""


class _Placed(NamedTuple):
    """Programs for arrays from outside that were in certain places, with the slots of the state that they carry."""

    outside: list[Any]
    programs: dict[Key, Program]
    written: set[int]
    slots: set[Any]


class Trace:
    """What was traced for one type of call.

    Attributes:
      reader: what it reads of the state that others change.
      keeper: where programs are looked for before they are traced; `enable_compilation_cache` says where.

    Args:
      fn: the user's function.
      converted: gives what it was converted to.
      function_type: the type of the call.
      options: of the function.
      creations: the Variables that the function has created.
      made: told of each program that was traced: the seconds that it took, and the calls that it serves.
      donated: the arguments that calls give away.
      dropped: called where programs are not to be used any more.
    """

    keeper: ClassVar[Keeper | None] = None

    def __init__(
        self,
        fn: Callable[..., Any],
        converted: Callable[[], Callable[..., Any]],
        function_type: FunctionType,
        options: Options,
        creations: Creations,
        made: Callable[[Trace, Program, float, Served], None],
        donated: Collection[Slot] = (),
        dropped: Callable[[], object] = lambda: None,
    ) -> None:
        self.fn, self.function_type = fn, function_type
        self.donated, self._given = donated, buffer_donation.donated_positions(function_type, donated)
        self._converted, self._options, self._made = converted, options, made
        self.state = State(creations=creations)
        self._room = capacity.FIRST
        self._programs: dict[Key, Program] = {}
        self._stand_ins: dict[int, Variable] = {}
        specs = specs_in(function_type.types)
        self._specs = specs if any(spec.is_general for spec in specs) else []
        self._values: Callable[[], Sequence[Any]] = tuple  # of the call that a program is made for
        self._written: set[int] = set()  # the arrays that programs may write to
        self._reborn: set[retracing.Site] = set()  # calls of NumPy's that make arrays of the program
        self._told: set[Any] = set()  # see `References.told`
        self._endless_loops: set[types.CodeType] = set()  # see `Capacity.loops`
        self._outside: list[Any] = []  # arrays of NumPy's that nobody passes, and programs write to
        self._elsewhere: list[_Placed] = []  # what there was when these were in other places
        self._once: Once | None = None  # of the programs, if any of them does that
        self._tells_state_apart = False  # whether it matters which arrays of the state are NumPy's
        self._unequal: set[Key] = set()  # for which there is no program of all sizes
        self._per_size = any(spec.shape is None for spec in specs)  # nothing stands for an array of any rank
        self.reader = shared_state.Reader(self._roots, lambda: self.state, dropped)

    def __call__(
        self,
        arrays: Sequence[Any],
        variables: Sequence[Variable] = (),
        copies: Bindings | None = None,
        values: Callable[[], Sequence[Any]] = tuple,
    ) -> Any:
        """Runs the program for these arrays; makes it first if there is none.

        Args:
          arrays: the traced arrays among the arguments.
          variables: the distinct Variables among them.
          copies: Variables in the place of others that the function uses, by the ids of these.
          values: gives the arguments as the caller has them.

        Raises:
          MutationError: each trace finds other objects that change.
          VariableError: a Variable is an argument, and is used from outside, too.
        """
        return mutual_exclusion.run_exclusively(lambda: self._run(arrays, variables, copies, values))

    def _run(
        self,
        arrays: Sequence[Any],
        variables: Sequence[Variable],
        copies: Bindings | None,
        values: Callable[[], Sequence[Any]],
    ) -> Any:
        for _ in range(RESTARTS):
            program = None
            try:
                if not self.state.is_ours:
                    mutual_exclusion.claim()
                program = self.program(arrays, variables, values)
                if not self.state.is_ours and program.calls_users:
                    mutual_exclusion.release_objects()  # what it calls may wait for them
                if program.once:
                    self._forget(program)
                bindings = {**self._bindings(variables), **(copies or {})}
                result = program(
                    self._with_outside(arrays),
                    bindings,
                    lambda: mutables_in(values()),
                    self.objects,
                    lambda: self._originals(self._with_outside(arrays), values),
                )
            except Restart:
                continue
            except OutgrownError:
                if program is None or not self._grow(program):
                    raise
                continue
            if not program.owned:  # it was not traced before that
                self._settle(program)
            targets = self._originals(self._with_outside(arrays), values) if program.lends else ()
            self.reader.wrote(targets[number] for number in program.lends)
            if program.raises:
                self._forget(program)
            return result
        raise self._endless()

    def program(
        self,
        arrays: Sequence[Any],
        variables: Sequence[Variable] = (),
        values: Callable[[], Sequence[Any]] = tuple,
    ) -> Program:
        """The program for these arrays and for what the state holds now; traces it if there is none."""
        owned = not tracing_state.is_tracing() and not any(isinstance(leaf, Tracer) for leaf in arrays)
        moved = (
            [place for each in self._programs.values() for place in each.seen.moved()]
            if self._outside
            else []
        )
        if moved and not self._exchanged(moved):
            self.reader.moved(moved)
            self._outside, self._programs, self._written, self._elsewhere = [], {}, set(), []
        self.reader.look()
        if self.reader.is_outdated:
            self._take_in_shared()
        for _ in range(RESTARTS):
            try:
                self._values = values
                program = self._known(self._with_outside(arrays), self._bindings(variables), owned=owned)
            except Restart:
                continue
            except _NEED_VALUES as error:
                if isinstance(error, AutographError) and error.is_final:
                    raise
                is_own = isinstance(error, AutographError) and not isinstance(error, _OF_INPUTS)
                if not (self.state.need_values() or (not is_own and self._give_up_shared())):
                    raise
                continue
            finally:
                self._values = tuple
                self.reader.traced()
            if self.state.is_gone:
                continue  # only what was watched before that trace had held the object
            # What it writes to may be an argument of this call, and not of that of the trace.
            if not self.state.is_ours:
                owners = [held.owner for held, _ in self.state.slots.values() if not held.ours]
                refusals.mutated_arguments(values(), owners)
            self._refuse_captured(variables, program)
            return program
        raise self._endless()

    def _exchanged(self, moved: Sequence[tuple[HeldPlace, Any, Any]]) -> bool:
        """Whether places have exchanged arrays, `u, v = v, u`; then takes the programs of when they had them as now, if any."""
        outside = [*self._outside]
        for held, key, _ in moved:
            array: Any = None if held.owner is None else held().read().get(key)
            if not outside_arguments.may_be_one(array):
                return False
            if not any(array is each for each in outside):
                if not self.reader.has_read(array) or len(outside) == outside_arguments.MOST:
                    return False
                outside.append(array)
        self.reader.leaves_out(outside)
        ids, slots = {*map(id, outside)}, {*self.state.slots}
        known = [*self._elsewhere, _Placed(self._outside, self._programs, self._written, slots)]
        known = [each for each in known if ids == {*map(id, each.outside)} and each.slots == slots]
        found = next(
            (each for each in known if not any(p.seen.moved() for p in each.programs.values())), None
        )
        self._elsewhere = [each for each in known if each is not found][-outside_arguments.MOST :]
        found = found or _Placed(outside, {}, set(), slots)
        self._outside, self._programs, self._written = found.outside, found.programs, found.written
        return True

    def _take_in_shared(self) -> None:
        """Has no program for what others have changed, and what they change as inputs of the next ones."""
        self._elsewhere = []
        if self.reader.is_replaced:
            self.reader.begin_again()
            self.state, self._outside = State(creations=self.state.creations, fixed=self.state.fixed), []
        places, arrays = self.reader.taken()
        self.state.take(places)
        self._outside += [each for each in arrays if not any(each is known for known in self._outside)]
        self._programs, self._written = {}, set()

    def _give_up_shared(self) -> bool:
        """Has what others change as constants again, where that can't be inputs: as a size, in a tuple."""
        refused = self.reader.refused()
        if not refused:
            return False
        self._outside = [each for each in self._outside if id(each) not in refused]
        self._programs, self._written, self._elsewhere = {}, set(), []
        kept = {slot for slot in self.state.slots if slot not in refused or self.state.needs_value(slot)}
        self.state.slots = {slot: held for slot, held in self.state.slots.items() if slot in kept}
        return True

    def _originals(self, arrays: Sequence[Any], values: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """The traced arrays of a call as the caller has them, not as an input signature casts them."""
        given = values() if self._options.input_signature is not None else ()
        if not given:
            return arrays
        found = [
            array
            for type, value in zip(self.function_type.types, given, strict=True)
            for array in type.arrays(value)
        ]
        return [*found, *self._outside]

    def _with_outside(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """The arrays of a call, and those that nobody passes."""
        return [*arrays, *self._outside] if self._outside else arrays

    def _lent(self, arrays: Sequence[Any], values: Callable[[], Sequence[Any]]) -> numpy_arguments.Key:
        if self._options.write_back:
            return numpy_arguments.lent(self._originals(arrays, values))
        count = len(arrays) - len(self._outside)
        return (*([None] * count), *numpy_arguments.lent(arrays[count:])) if self._outside else ()

    def _grow(self, program: Program) -> bool:
        """Takes a program away whose lists have too little room; whether there may be one with more."""
        if not program.can_grow:
            return False
        self._room = program.capacity.items * capacity.FACTOR
        self._forget(program)
        return True

    def _forget(self, program: Program) -> None:
        self._programs = {key: known for key, known in self._programs.items() if known is not program}

    def objects(self) -> list[Any]:
        """The objects that a call brings, the instance of a method among them."""
        referents = [found.referent() for found in self.function_type.objects()]
        return [*referents, getattr(self._converted(), "__self__", None)]

    @property
    def programs(self) -> list[Program]:
        """The programs, in the order in which they were traced."""
        return [*self._programs.values()]

    @property
    def options(self) -> Options:
        """Of the function."""
        return self._options

    @property
    def instance(self) -> Any:
        """What the function is bound to, where it is a method; else None."""
        return getattr(self._converted(), "__self__", None)

    @property
    def main(self) -> Program:
        """The program that was traced first; one that is nobody else's trace, and that writes to no arrays of NumPy's, if any."""
        known = [*self._programs.values()]
        return next(
            (p for p in known if p.owned and not p.lends), next((p for p in known if p.owned), known[0])
        )

    def _bindings(self, variables: Sequence[Variable]) -> Bindings:
        """The Variables of a call, by the ids of those that were traced in their place."""
        return {id(self._stand_in_for(v, alias)): v for alias, v in enumerate(variables)}

    def alias_of(self, variable: Variable) -> int | None:
        """The number, among the Variables of a call, of what `variable` stands for; None if it is a Variable itself."""
        return next((alias for alias, known in self._stand_ins.items() if known is variable), None)

    def _stand_in_for(self, kind: Variable | VariableType, alias: int) -> Variable:
        if alias not in self._stand_ins:
            self._stand_ins[alias] = stand_in(kind)
        return self._stand_ins[alias]

    def _refuse_captured(self, variables: Sequence[Variable], program: Program) -> None:
        captured = {id(variable) for variable in self.state.variables}
        if captured.isdisjoint(map(id, variables)):
            return
        # Of those that were found, as that of a default is, it may use none; part of another trace, it can't write to any.
        captured = {id(variable) for variable in program.used()} if program.owned else set()
        for variable in variables:
            if id(variable) in captured:
                raise VariableError(
                    f"{variable_name(variable)} is an argument of '{name_of(self.fn)}', which uses it from outside, too.",
                    why="Another Variable may be passed in its place, so that the two are not the same in the program.",
                    fix="pass it, or use it from outside, but not both.",
                )

    def _known(self, arrays: Sequence[Any], bindings: Bindings, *, owned: bool) -> Program:
        if self.state.is_gone:
            self.state, self._programs = State(creations=self.state.creations), {}
            self._elsewhere = []
        held = self.state.looked_at(bindings) if self.state.slots else None
        state: Hashable = None
        if held is not None:
            numbers = {id(array): number for number, array in enumerate(self._outside)}
            outside = [(n, numbers[id(a)]) for n, a in enumerate(held.arrays) if id(a) in numbers]
            of_numpys = left_arrays.without_axes(held.arrays), tuple(outside)
            state = (held.key(), of_numpys), left_arrays.kinds(held.arrays)
        lent = self._lent(arrays, self._values)
        if self._has_symbols(arrays):
            try:
                program = self._kept((owned, state, None, lent), arrays, bindings, self._specs)
                if program.serves(arrays):
                    return program
                other = self._of_equal_sizes((owned, state), lent, arrays, bindings)
                if other is not None:
                    return other
            except symbolic_sizes.InconclusiveSize as failure:
                program = self._kept((owned, state, _shapes(arrays), lent), arrays, bindings)
                self._per_size = True  # only now: what fails for known sizes, too, is the user's mistake
                symbolic_sizes.warn_of_symbolic_sizes(self.fn, failure)
                return program
        return self._kept((owned, state, _shapes(arrays) if self._specs else None, lent), arrays, bindings)

    def _of_equal_sizes(
        self, key: tuple[bool, Hashable], lent: numpy_arguments.Key, arrays: Sequence[Any], bindings: Bindings
    ) -> Program | None:
        """A program for arrays of all sizes that are equal where these are; None where there can't be one."""
        kinds = [(spec.shape or (), spec.dtype, spec.weak_type) for spec in self._specs]
        whole = [*symbolic_sizes.alike(kinds, [array.shape for array in arrays])][-1:]
        for equal in whole:
            if (*key, equal, lent) in self._unequal:
                continue
            try:
                program = self._kept((*key, equal, lent), arrays, bindings, self._specs, again=True)
            except symbolic_sizes.InconclusiveSize:
                self._unequal.add((*key, equal, lent))
                continue
            if program.serves(arrays):
                return program
        return None

    def _has_symbols(self, arrays: Sequence[Any]) -> bool:
        """Whether one program serves arrays of all sizes. JAX's symbols stand for sizes of at least 1."""
        return (
            bool(self._specs)
            and not (self._per_size or self._outside)
            and all(array.size for array in arrays)
        )

    def _kept(
        self,
        key: Key,
        arrays: Sequence[Any],
        bindings: Bindings,
        specs: Sequence[ArraySpec] | None = None,
        *,
        again: bool = False,
    ) -> Program:
        known = self._programs.get(self._told_apart(key))
        if known is None:
            start = time.perf_counter()
            known = self._traced(bindings, owned=key[0], lent=key[3])
            known.values = self._values
            try:
                if self.keeper is not None and key[0] and specs is None:
                    self.keeper.prepare(self, known, arrays, lambda: known.prepare(arrays, bindings))
                else:
                    known.prepare(arrays, bindings, specs, again=again)
            except BaseException:
                known.values = tuple  # it keeps the caller's arrays no longer
                raise
            if known.raises:
                self._raise(known, arrays, bindings)
                return known
            known.values = tuple
            known.once = known.once or self._once
            self._once = None if known.once is None or known.once.puts else known.once
            self._settle(known)
            buffer_donation.note_donation(name_of(self.fn), self.function_type, known.given, arrays)
            known.seen.traced()
            self._tells_state_apart = self._tells_state_apart or known.tells_state_apart
            self.reader.carries(self._roots(), self.objects(), self._outside)
            self.reader.wrote(known.by_python)
            if self._outside:  # what it has put in other places are no longer the arrays of others
                moved = [each for each in self._programs.values() if each.seen.moved()]
                self._programs = {key: each for key, each in self._programs.items() if each not in moved}
            # Only now: a trace that raises leaves nothing behind.
            self._programs[self._told_apart(key)] = known
            sizes: Any = key[2]
            served = Served(
                None if again else sizes,
                sizes if again else None,
                not key[0],
                self._told_apart(key)[3],
                known.once,
            )
            self._made(self, known, time.perf_counter() - start, served)
        return known

    def _told_apart(self, key: Key) -> Key:
        """The key of a program: which arrays are NumPy's matters where it may write to them. JAX traces another's part later."""
        owned, state, sizes, lent = key
        written = self._written if owned else range(len(lent))
        apart = numpy_arguments.told_apart(lent, written) if written and lent else ()
        state = state if self._tells_state_apart or not isinstance(state, tuple) else state[0]
        return owned, state, sizes, apart if any(apart) else ()

    def _settle(self, program: Program) -> None:
        """Keeps no object of the call's alive; and serves none that is only equal to one that it writes to or returns."""
        roots = self.objects()
        self.state.loosen(roots)
        for found in self.function_type.objects():
            if found.may_equal_others and (
                self.state.leads([found.referent()])
                or program.seen.leads([found.referent()])
                or program.returns(found.referent())
            ):
                found.tie()
                self.state.tied = True
        program.loosen(roots)

    @staticmethod
    def _raise(program: Program, arrays: Sequence[Any], bindings: Bindings) -> None:
        """Raises what a program always raises, or a check before that; Python may decide otherwise at the next call."""
        if not any(isinstance(array, jax.ShapeDtypeStruct) for array in arrays):
            program(arrays, bindings)
        elif program.only_raises:
            program.raise_()

    def _traced(self, bindings: Bindings, *, owned: bool, lent: numpy_arguments.Key) -> Program:
        roots = self._roots()
        self.reader.watch(roots)
        if self.reader.has_found:
            self._take_in_shared()
            raise Restart
        self.state.search(roots)
        return Program(
            self._converted,
            getattr(self.fn, "__qualname__", "f"),
            self._arguments,
            self.state,
            self.state.looked_at(bindings),
            checked=bool(self._options.checks),
            outside="checkify" if self._options.checks == "checkify" else "callback",
            owned=owned,
            rolled=rolling.rule(self._options.static_loops),
            room=self._room,
            given=self._given if owned else [],
            lent=lent,
            written=self._written,
            reborn=self._reborn,
            told=self._told,
            endless=self._endless_loops,
            outside_arrays=self._outside,
        )

    def _roots(self) -> list[Any]:
        """What the function could see."""
        objects = [found.referent() for found in self.function_type.objects()]
        return [
            self._converted(),
            *objects,
            *self.function_type.classes(),
            *self._stand_ins.values(),
        ]

    def _arguments(self, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = self.function_type.placeholder_arguments(
            Placeholders(arrays, lambda type: self._stand_in_for(type, type.alias))
        )
        return tuple(args), kwargs

    def _endless(self) -> MutationError:
        slots = self.state.places[-3:]
        places = ", ".join(dict.fromkeys(f"'{place.label(key)}'" for place, key in slots))
        return MutationError(
            f"{places}: each trace of '{name_of(self.fn)}' changes other objects than the one before.",
            where=source_places.line_of_function(self.fn),
            why="What a call changes is read from the objects before it, and so has to be there before.",
            fix="make the objects once, outside of the function.",
        )


def _shapes(arrays: Sequence[Any]) -> Hashable:
    return tuple(array.shape for array in arrays)
