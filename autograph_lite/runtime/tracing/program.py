"""One signature of a function, traced and compiled: arrays and state in, arrays, state and checks out."""

from __future__ import annotations

import contextlib
import functools
import inspect
import random
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import checkify
from jax.extend.core import jaxpr_as_fun

from autograph_lite.errors import AutographError, PythonOnlyError
from autograph_lite.jax_internals import (
    avals,
    configuration,
    constant_folding,
    numpy_constants,
    recorded_equations,
    tracing_state,
)
from autograph_lite.jax_internals.loops import wide_programs
from autograph_lite.jax_internals.references import storages
from autograph_lite.jax_internals.references.storages import References
from autograph_lite.operators.aliasing import arrays_left_twice, shared_memory
from autograph_lite.operators.calls import calls, method_patching
from autograph_lite.operators.checks import (
    carried_checks,
    concretization_errors,
    exception_templates,
    raising,
)
from autograph_lite.operators.effects import (
    births,
    clocks,
    container_identity,
    journal,
    mutual_exclusion,
    outside_arrays,
)
from autograph_lite.operators.effects.outside_arrays import Once
from autograph_lite.operators.items import in_place
from autograph_lite.operators.lists import capacity
from autograph_lite.operators.loops import integer_overflow, rolling
from autograph_lite.operators.object_graph import python_iterators, reachability
from autograph_lite.operators.trace_context import decision_log, path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees, retracing
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.host import host_calls
from autograph_lite.runtime.results import (
    list_trimming,
    numpy_arguments,
    outside_arguments,
    refusals,
    result_objects,
)
from autograph_lite.runtime.results.argument_mutations import (
    WrittenBack,
    is_registered,
    mutables_in,
    numbers_of,
)
from autograph_lite.runtime.results.creations_in_arguments import bring_out
from autograph_lite.runtime.state import left_arrays, tracer_leaks, variable_frames
from autograph_lite.runtime.state.carried_state import KEPT, Bindings, Restart, Retyped, State
from autograph_lite.runtime.state.discovery import iterators_around
from autograph_lite.runtime.state.variable import WRITING, Variable
from autograph_lite.runtime.tracing import symbolic_sizes
from autograph_lite.runtime.tracing.compile_times import Compiling, measured
from autograph_lite.runtime.types import value_leaves
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.leaf_partition import Split
from autograph_lite.tracing import entered

# What arrays of the program raise where NumPy's would do something.
_UNLIKE_NUMPYS = (PythonOnlyError, NotImplementedError, AttributeError)
_ARRAYS = inspect.signature(lambda *arrays: None)  # what JAX calls the inputs of a program


class Program:
    """A traced function.

    Args:
      fn: gives the converted function, which may be a method that must not keep its instance alive.
      name: of the user's function.
      arguments: the traced arrays of a call -> (args, kwargs) that the function is to see.
      state: the places that the function carries; grows while it is traced.
      held: what they hold.
      checked: whether the program carries checks.
      outside: what becomes of them where the call is part of a trace of somebody else's: 'callback' or 'checkify'.
      owned: whether it is not.
      rolled: by which rule loops that Python knows are rolled; None where none is.
      given: which of a call's arrays the program may take the memory of.
      lent: which of them are NumPy's, and are to hold afterwards what NumPy would have left in them.
      outside_arrays: arrays of NumPy's that nobody passes, and that it writes to: the last of a call's; grows likewise.
      reborn: the calls of NumPy's that make arrays of the program, as those get traced items; grows likewise.
      written: those that a program may write to, as far as that is known; grows while it is traced.
      endless: the bodies of loops that make lists longer as long as the data say; grows likewise.

    Attributes:
      held: the types of the state's arrays.
      passes: whether a call of it returns objects that it was given, or writes to them.
      writes: what it writes to them.
      raises: whether each call of it ends with an exception of the user's.
      by_python: the arrays of NumPy's from outside that Python has written to while tracing.
      once: one of them, and where: the program serves that one call.
      jit: the program as a function of `jax.jit`: arrays, then those of the state -> a list of arrays.
    """

    def __init__(
        self,
        fn: Callable[[], Callable[..., Any]],
        name: str,
        arguments: Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]],
        state: State,
        held: Split,
        *,
        checked: bool,
        outside: str,
        owned: bool,
        rolled: rolling.Rule | None,
        room: int = capacity.FIRST,
        given: Sequence[int] = (),
        lent: numpy_arguments.Key = (),
        written: set[int],
        reborn: set[retracing.Site],
        told: set[Any],
        endless: set[types.CodeType],
        outside_arrays: list[Any],
    ) -> None:
        self.fn, self.name, self.arguments, self.state = fn, name, arguments, state
        self.checked, self.outside, self.owned, self.rolled = checked, outside, owned, rolled
        self.capacity = capacity.Capacity(room, endless)
        self.before = held.emptied()
        self._kinds: Any = left_arrays.kinds(held.arrays)
        self.tells_state_apart = False  # whether it matters what these are in Python
        self._left: left_arrays.Outputs | None = None
        # the arrays of NumPy's that are in the state, by their numbers
        self._numpys = {n: weakref.ref(a) for n, a in enumerate(held.arrays) if type(a) is np.ndarray}
        self.held = [
            jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=avals.weak_type(a)) for a in held.arrays
        ]
        self.symbolic: symbolic_sizes.SymbolicTrace | None = None  # where sizes of arrays are symbols
        self.raises = self.passes = False
        self.by_python: list[Any] = []
        self.once: Once | None = None
        # Of the call that it is traced for, as the caller has them.
        self.values: Callable[[], Sequence[Any]] = tuple
        self.result: Split | None = None
        self.after: Split | None = None
        self.writes: WrittenBack | None = None
        # Other objects of a call, ids -> those of what the function sees beside its arguments.
        self.reads: Callable[[Sequence[Any], set[int]], set[int]] = lambda given, wanted: set()
        self.checks: list[Any] = []  # the keys of what its checks give
        self.sites: dict[int, raising.Site] = {}
        self.program: object = None
        self.inside = "inner" if owned else outside
        self.cuts = False  # whether it gives lists whose length only its data know
        self.jit: Any = jax.jit(self._named(self._body))
        self._keeping: Callable[..., Any] = self.jit  # the same, which takes nobody's memory
        self.traced: Any = None
        self.spelled: dict[Any, Any] = {}  # functions of `jax.jit` that run it for calls as they are spelled
        self.ready: Any = None  # what another process has compiled; see `warm`
        self.types: list[Any] = []  # of its inputs, where it was not traced
        self.compiling = Compiling()
        self.given = list(given)
        self._lent, self.lends = lent, list[int]()  # and the arrays of NumPy's that it gives other items
        self._written_arrays, self._reborn, self._told = written, reborn, told
        self._outside, self._unpassed = outside_arrays, [*outside_arrays]
        self.seen = outside_arguments.Seen()  # where it has found them
        self.donated: list[int] = []  # the slots of the state whose arrays the program takes
        # What runs in place of `jit`, for checks that are not outputs.
        self._around: Callable[..., Any] | None = None

    @property
    def plain(self) -> bool:
        """Whether a call is nothing but `jit`, `finish` and the Variables' arrays."""
        simple = self._around is None and not (self.raises or self.once or self.capacity.used or self.passes)
        return self.owned and simple and self.state.is_variables

    @property
    def written_arrays(self) -> list[int]:
        """The arrays of a call that the function may write to, so that it matters whether they are NumPy's."""
        return sorted(self._written_arrays)

    @property
    def can_grow(self) -> bool:
        """Whether the program may be run again with more room for lists: it does nothing but compute."""
        pure = not self.jaxpr.effects and not host_calls.in_program(self.jaxpr)
        return pure and not self.once and self.capacity.items < capacity.LAST

    @functools.cached_property
    def calls_users(self) -> bool:
        """Whether the program calls functions of the user's, on threads of XLA's; to print is ours."""
        if self.ready is not None:  # what calls Python is not kept, and to ask for the jaxpr would trace
            return False
        called = host_calls.in_program(self.jaxpr) if self.owned else []
        return not all(
            source_places.is_hidden_file(getattr(getattr(fn, "__code__", None), "co_filename", ""))
            for fn in called
        )

    @property
    def only_raises(self) -> bool:
        """Whether the program does nothing but raise, without a value in the message, a check or a print before it."""
        return self.raises and len(self.checks) == len(self.sites) == 1 and not self.jaxpr.effects

    def raise_(self) -> None:
        """Raises what a program raises that does nothing else."""
        raising.raise_failed({self.checks[0]: next(iter(self.sites))}, self.sites)

    @property
    def jaxpr(self) -> Any:
        """The closed jaxpr, where the program is nobody else's trace."""
        if self.symbolic is not None:
            return self.symbolic.jaxpr
        if self.traced is None:  # it was compiled by another process
            self.traced = self.jit.trace(*self.types)
        return self.traced.jaxpr

    def output_types(self, make: Callable[[Any], Any]) -> Any:
        """What a call returns, with what `make` gives for the type of each array in its place."""
        assert self.result is not None
        return self.result.merge([make(aval) for aval in self.jaxpr.out_avals[: len(self.result.arrays)]])

    @property
    def written(self) -> list[Variable]:
        """The Variables that the program gives new values."""
        assert self.after is not None
        values = self.after.merge([None] * len(self.after.arrays))
        places = zip(self.state.places, values, strict=True)
        return [place.owner for (place, _), value in places if place.ours and value is not KEPT]

    def jit_for(self, arrays: Sequence[Any]) -> Any:
        """The function of `jax.jit` that runs the program for arrays of these shapes."""
        keeps = configuration.debugging()  # JAX runs it again where it finds a nan, with the same arrays
        if self.symbolic is None:
            return self._keeping if keeps and (self.donated or self.given) else self.jit
        shapes = [array.shape for array in [*arrays, *self.held]]
        return self.symbolic.jit_for(shapes, () if keeps else tuple(self.given))

    def serves(self, arrays: Sequence[Any]) -> bool:
        """Whether the program is right for arrays of these shapes. Raises InconclusiveSize where its symbols can't tell."""
        if self.symbolic is None:
            return True
        if not self.symbolic.serves([array.shape for array in [*arrays, *self.held]]):
            return False
        self.jit_for(arrays)
        return True

    @property
    def returns_arrays(self) -> bool:
        """Whether a call returns a pytree of the program's first outputs, and nothing has to be done with them."""
        assert self.result is not None
        return not (self.sites or self.cuts or self.result.literals or self.result.unions)

    def __call__(
        self,
        arrays: Sequence[Any],
        bindings: Bindings | None = None,
        passed: Callable[[], Sequence[Any]] | None = None,
        others: Callable[[], Sequence[Any]] = tuple,
        originals: Callable[[], Sequence[Any]] = tuple,
    ) -> Any:
        """Runs the program; raises what its checks found; writes its state back.

        Args:
          arrays: the traced arrays of the call.
          bindings: the Variables of the call, by those that were traced in their place.
          passed: gives the objects of the call that it may return, or write to.
          others: gives the objects that it is tied to.
          originals: gives the traced arrays of the call as the caller has them.
        """
        if self.writes is not None and passed is not None:
            self.writes.refuse_seen_twice(passed(), functools.partial(self.reads, others()))
        targets = originals() if self.lends else ()
        if targets:
            numpy_arguments.refuse_overlap(self.name, targets, self.lends)
            count = len(targets) - len(self._unpassed)
            own = {id(storages.base_of(targets[number])) for number in self.lends if number < count}
            numpy_arguments.refuse_seen_from_outside(
                self.name, targets, self.lends, self.reads(others(), own)
            )
        with measured(self.compiling):
            run = self.jit_for(arrays) if self._around is None else self._around
            if self._around is not self.ready:  # the lock is not held: a function that it calls may need it
                flat = [*arrays, *self.state.lent(bindings).arrays]
                return self._written(run(*flat), flat, bindings, passed, targets)
            with WRITING if self.state.slots else contextlib.nullcontext():
                flat = [*arrays, *self.state.read(bindings, self.donated).arrays]
                return self._written(run(*flat), flat, bindings, passed, targets)

    def _written(
        self,
        outputs: Sequence[Any],
        given: Sequence[Any],
        bindings: Bindings | None,
        passed: Callable[[], Sequence[Any]] | None,
        targets: Sequence[Any],
    ) -> Any:
        objects = passed() if passed is not None and self.passes else None
        outputs = outputs if self._left is None else self._left.noted(outputs, given)
        result, values = self.finish(outputs, objects)
        if not self.owned:
            refusals.lost(self.state.given(values, bindings))
        self.state.write(values, bindings)
        self.seen.ran()
        if self.writes is not None and objects is not None:
            assert self.result is not None
            start = len(self.result.arrays)
            arrays = outputs[start : start + self.writes.count]
            self.writes.write(arrays, objects, bindings or {})
        if targets:
            assert self.result is not None
            start = len(self.result.arrays) + (0 if self.writes is None else self.writes.count)
            for number, array in zip(self.lends, outputs[start:], strict=False):
                numpy_arguments.write(targets[number], array)
        return result

    def returns(self, item: Any) -> bool:
        """Whether a call returns this very object, or has it in what it returns."""
        return self.result is not None and any(value is item for value in self.result.objects())

    def loosen(self, objects: Sequence[Any]) -> None:
        """Keeps none of these objects alive, which a call may return."""
        if self.result is not None:
            self.result = self.result.loosened(objects)

    def returned(self, outputs: Sequence[Any]) -> Any:
        """What a call returns, where it returns the first outputs."""
        assert self.result is not None
        return self.result.merge(outputs[: len(self.result.arrays)])

    def finish(self, outputs: Sequence[Any], passed: Sequence[Any] | None = None) -> tuple[Any, list[Any]]:
        """What a call returns, and the state's new values. Raises what the first check that failed raises."""
        assert self.result is not None
        assert self.after is not None
        n = len(self.result.arrays)
        start = n + (0 if self.writes is None else self.writes.count) + len(self.lends)
        m = start + len(self.after.arrays)
        keys = self.checks
        if raising.CODE in keys and not raising.all_passed(outputs[m + keys.index(raising.CODE)]):
            self._raise(dict(zip(self.checks, outputs[m:], strict=True)))
        values, result = self.after.merge(outputs[start:m]), self.result.merge(outputs[:n], passed)
        if self.cuts:
            values, result = list_trimming.cut([values, result])
        return result, values

    def prepare(
        self,
        arrays: Sequence[Any],
        bindings: Bindings,
        specs: Sequence[ArraySpec] | None = None,
        *,
        again: bool = False,
    ) -> None:
        """Traces the function.

        Args:
          arrays: the traced arrays of a call, or their types.
          bindings: as for a call.
          specs: these types, where some of their sizes are symbols in the trace; None where all sizes are known.
          again: whether there is a program with symbols, which does not serve these arrays.

        Raises:
          Restart: it carries more state than was known.
          InconclusiveSize: it can't be traced with symbols.
        """
        if specs is not None:
            self._prepare_symbolic(specs, self.state.looked_at(bindings).arrays, arrays, again)
            return
        flat = [*arrays, *self.state.looked_at(bindings).arrays]
        if not self.owned:
            return
        self.traced = self.jit.trace(*flat)
        if self.checked and recorded_equations.has_checks(self.traced.jaxpr):
            self._around = self._bringing_out(flat)
        if self._around is not None or self.capacity.used:  # it may run again with the same arrays
            self.given = []
        noted = self._note_variables()
        called = noted or (self.state.slots and host_calls.in_program(self.traced.jaxpr))
        # A call that raises leaves the state as it was.
        self._donate(len(arrays), state=not (called or self.sites or self._around is not None))
        run = self._around or self.jit
        if noted:
            self._around = lambda *flat: host_calls.raising_own(lambda: run(*flat))
        elif called:
            self._around = self._calling(run)  # it may fail until it has ended: then it writes nothing

    def described(self, result: Split, after: Split, keys: list[Any], sites: dict[int, raising.Site]) -> None:
        """Takes what tracing would have told: what its outputs are, and its checks."""
        self.result, self.after, self.checks, self.sites = result, after, keys, sites
        self._donate(len(self.types) - len(self.held), state=not sites)

    def restored(self, ready: Any) -> None:
        """Takes what another process has compiled for a program that is described."""
        self._around = self.ready = ready
        self.state.creations.done()

    def _prepare_symbolic(
        self, specs: Sequence[ArraySpec], held: Sequence[Any], arrays: Sequence[Any], again: bool
    ) -> None:
        types = [*specs, *map(ArraySpec.from_array, held)]
        shapes = [array.shape for array in [*arrays, *held]]
        kinds = [(spec.shape or (), spec.dtype, spec.weak_type) for spec in types]
        self.symbolic = symbolic_sizes.trace_symbolic(self._named(self._body), kinds, shapes, again=again)
        if self.capacity.used:
            self.given = []
        if self.checked and recorded_equations.has_checks(self.symbolic.jaxpr):
            raise symbolic_sizes.InconclusiveSize(ValueError("checks inside of a transformation"))
        called = host_calls.in_program(self.symbolic.jaxpr)
        if any(isinstance(call, host_calls.HostCall) for call in called):
            raise symbolic_sizes.InconclusiveSize(ValueError("a py_function in the program"))
        if self.state.slots and called:
            self._around = self._calling(lambda *flat: self.jit_for(flat[: len(specs)])(*flat))

    def _calling(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """`run` to its end; meanwhile callbacks of JAX's read nothing that it assigns, and assign nothing that it uses."""
        used, written = frozenset(map(id, self.used())), frozenset(map(id, self.written))
        return lambda *flat: host_calls.Calling(used, written).run(lambda: run(*flat))

    def used(self) -> list[Variable]:
        """The Variables that the program reads or writes, of those that it has found."""
        jaxpr = self.jaxpr.jaxpr
        read = {id(var) for equation in jaxpr.eqns for var in equation.invars} | {*map(id, jaxpr.outvars)}
        inputs = jaxpr.invars[len(jaxpr.invars) - len(self.held) :]
        ours = [number for number, (held, _) in enumerate(self.state.slots.values()) if held.ours]
        starts = self.state.positions()
        found = [number for number in ours if id(inputs[starts[number]]) in read]
        return [*self.written, *(self.state.places[number][0].owner for number in found)]

    def _note_variables(self) -> bool:
        """Tells the functions of Python's that the program calls which Variables it has; whether it calls any."""
        found = [
            call for call in host_calls.in_program(self.traced.jaxpr) if isinstance(call, host_calls.HostCall)
        ]
        for call in found:
            call.used.update(map(id, self.used()))
            call.written.update(map(id, self.written))
        return bool(found)

    def _donate(self, start: int, *, state: bool) -> None:
        """Lets the program take the memory of what the caller gives, and of the Variables that it gives new values."""
        assert self.after is not None
        self.donated = self.state.donated(self.after.merge([None] * len(self.after.arrays))) if state else []
        if self.donated or self.given:
            places = self.state.positions() if self.donated else []
            traced = self._keeping = self.jit  # whose trace is kept: the function does not run again
            donate = [*self.given, *(start + places[number] for number in self.donated)]
            self.jit = jax.jit(self._named(lambda flat: traced(*flat)), donate_argnums=donate)

    def _bringing_out(self, flat: list[Any]) -> Callable[..., Any]:
        """The program with the checks in functions that the user handed to jax.vmap, jax.lax.scan and the like."""
        run = jax.jit(checkify.checkify(jaxpr_as_fun(self.traced.jaxpr), errors=checkify.user_checks))
        try:
            run.trace(*flat)
        except Exception:  # not out of everything: jax 0.12 refuses a `while_loop` under vmap
            return self._recorded()

        def call(*flat: Any) -> Any:
            error, outputs = run(*flat)
            raising.raise_inner(error, self.program)
            return outputs

        return call

    def _recorded(self) -> Callable[..., Any]:
        """The program with host callbacks, which are slower, in place of the checks that checkify can't bring out."""
        self.inside = "recorded"
        run = jax.jit(self._named(self._body))
        return lambda *flat: raising.run_recorded(lambda: run(*flat))

    def _named(self, body: Callable[[tuple[Any, ...]], Any]) -> Callable[..., Any]:
        """`body` under the name and place of the user's function, for JAX's messages, profiles and compiled programs."""

        def run(*flat: Any) -> Any:
            return body(flat)

        made: Any = run
        made.__name__, made.__qualname__ = self.name.rpartition(".")[2], self.name
        made.__signature__ = _ARRAYS
        fn = self.fn()
        made.__wrapped__ = getattr(fn, "__func__", fn)
        return run

    def _raise(self, contents: dict[Any, Any]) -> None:
        if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(contents)):
            carried_checks.emit(contents, self.sites, self.outside)
        else:
            raising.raise_failed(contents, self.sites)

    def _body(self, flat: tuple[Any, ...]) -> list[Any]:
        with variable_frames.inside(variable_frames.Frame(self.state.creations)):
            try:
                outputs = self._run(flat)
            except (Restart, Retyped):
                raise
            except BaseException:
                self.state.creations.undo()
                raise
            finally:
                for variable in self.state.variables:
                    if variable.stands_in:
                        variable.forget()
            if self.raises:
                self.state.creations.undo()
            else:
                self.state.creations.done()
            return outputs

    def _run(self, flat: tuple[Any, ...]) -> list[Any]:
        drawn = np.random.get_state(), random.getstate()
        with carried_checks.new_frame("outputs" if self.checked else "off", self.inside) as frame:
            try:
                outputs = self._without_checks(flat, frame)
            except (Restart, retracing.Reborn) as again:  # what it draws is drawn again
                np.random.set_state(drawn[0])
                random.setstate(drawn[1])
                if isinstance(again, Restart):
                    raise
                self._reborn |= again.sites
                self._told |= again.told
                self._outside += again.outside
                self.state.fix(again.outside)
                self.state.refusal = again.refusal or self.state.refusal
                raise Restart from None
            found: list[tuple[Any, Any]] = []
            keys, values = [*frame.contents], [*frame.contents.values()]
            outputs = wide_programs.with_wide_ints([*outputs, *values], lambda *told: found.append(told))
            frame.contents = dict(zip(keys, outputs[len(outputs) - len(keys) :], strict=True))
            for code, places in found:
                with journal.journal(outer=None, keep=True):
                    integer_overflow.fail(code, places)
            self.sites, self.program, self.checks = frame.sites, frame.program, [*frame.contents]
            constant_folding.drop_unused()
            return [*outputs[: len(outputs) - len(keys)], *frame.contents.values()]

    def _without_checks(self, flat: tuple[Any, ...], frame: carried_checks.Frame) -> list[Any]:
        """What the function returns and writes, and its state; `frame` has its checks then."""
        decision_log.restart()
        numpy_constants.keep_constants()
        count = len(flat) - len(self.before.arrays)
        known = References(change=in_place.change_in_place, reborn=self._reborn, told=self._told)
        arrays, state = (
            numpy_arguments.enter(self._lent, self._written_arrays, flat[:count], known),
            flat[count:],
        )
        args, kwargs = self.arguments(arrays)
        given = mutables_in([*args, *kwargs.values()])
        passed = refusals.Contents(filter(is_registered, given))
        variables = variable_frames.program()
        assert variables is not None
        variables.brings_out = self.owned and bool(given)
        fn = self.fn()
        with (
            container_identity.identities_of_program(),
            method_patching.converted_methods(),
            entered(rule=self.rolled, capacity=self.capacity if self.owned else None, program=known),
            journal.journal(outer=None) as written,
            entered(facts=path_facts.frames()),
        ):
            method_patching.seen_around(fn, args, kwargs)
            reached = [fn, *args, *kwargs.values(), *self.state.owners()]
            unpassed = arrays[len(arrays) - len(self._unpassed) :] if self._unpassed else []
            stands = outside_arguments.put_stands(self._unpassed, unpassed, reached, self.seen)
            held = {number: array() for number, array in self._numpys.items()} if self.owned else {}
            kinds = self._kinds if self.owned else ()
            seen = numpy_arguments.enter_state(held, kinds, state, stands, known)
            values = self.before.merge(seen)
            before = [*map(pytrees.flatten, values)]
            self.state.enter(values)
            for owner in filter(is_registered, given):
                # A library may change it, and the journal hears nothing of that.
                journal.note_change(owner, written=False)
            found = iterators_around([fn, *args, *kwargs.values()])
            written.positions = [(iterator, python_iterators.position(iterator)) for iterator in found]
            result = None
            known.is_outside = outside_arguments.claimed(written, reached, self._unpassed, owned=self.owned)
            try:
                result = calls.call(fn)(*args, **kwargs)  # notes the globals that it writes, too
                mutual_exclusion.confirm()
                outside_arguments.refuse_unseen(written, reached, self._unpassed)
                births.want_changed()
            except (mutual_exclusion.BusyError, retracing.Reborn):
                raise
            except BaseException as error:
                self._note_written(known)
                is_about_tracer = concretization_errors.is_about_tracer(error)
                if self.state.refusal and (is_about_tracer or isinstance(error, _UNLIKE_NUMPYS)):
                    raise self.state.refusal from None
                refusal = exception_templates.covered(error)
                if refusal is not None and not isinstance(error, AutographError):
                    raise refusal from None
                if is_about_tracer:
                    raise concretization_errors.needs_value(error) from error
                refusals.refuse_use_of_ended(error)
                if isinstance(error, OverflowError) and (told := integer_overflow.told(error)) is not error:
                    raise told from None
                if frame.mode == "off" or not carried_checks.is_raised_on_path(error):
                    raise
                # The function always ends in this `raise`, maybe after a check that fails first.
                carried_checks.fail_if(True, error)
                self.raises = True
            self._note_written(known)
            numpy_arguments.refuse_left(known, [*args, *kwargs.values()])
            list_trimming.refuse_deques(result)
            shared_memory.settle([place for place, _ in self.state.places], given)
            owners = self.state.owners()
            # As it is now: the changes are about to be undone.
            inside = [arg for arg in (*args, *kwargs.values()) if not isinstance(arg, Tracer)]
            still_held = {id(leaf) for leaf in value_leaves.flatten_value(inside)[0]} if self.given else set()
            results = result_objects.split_result(result, given, written, [fn, args, kwargs, *owners])
            container_identity.refuse_kept(lambda ids: written.reachable([fn, *owners], ids))
            changes = written.changes([fn, args, kwargs, *given, *owners])
            changes = outside_arguments.without_standing(changes, stands)
            journal.refuse_moved(written, fn)
            failures = changes.pop(frame.place.key, None)
            seen_by_fn = [fn, args, kwargs, *given, *owners]

            def was_there(array: Any) -> bool:
                return bool(written.reachable(seen_by_fn, {id(array)}))

            if self.owned:
                by_python = outside_arrays.written_from_outside(written, changes.values(), seen_by_fn)
                self.by_python = by_python
                for array in by_python:
                    if arrays_left_twice.others_of(array):
                        line = source_places.line_of_function(fn) if hasattr(fn, "__code__") else None
                        raise arrays_left_twice.refused(array, outside_arrays.named(array).line or line)
                if by_python:
                    self.once = outside_arrays.named(by_python[0])
                    outside_arguments.refuse_passed(
                        self.name, by_python, value_leaves.flatten_value(self.values())[0]
                    )
                elif put := outside_arguments.put_again(changes.values(), self._unpassed, was_there):
                    self.once = Once(put, None, puts=True)
                left = outside_arguments.given_up(changes.values(), known, self._unpassed, was_there)
                if left is not None:
                    raise retracing.Reborn([], [left])
        changes = refusals.without_caches(changes, (args, kwargs))
        written_back = self._of_arguments(changes, given) if self.owned else {}
        if variables.created:
            bring_out(
                variables, self.state.creations, [*written_back.values()], given, mutables_in(self.values())
            )
        others = [change for key, change in changes.items() if key not in written_back]
        owners = [change.place.owner for change in others if not change.place.ours]
        refusals.mutated_arguments((args, kwargs, self.values()), owners)
        refusals.changed_by_libraries(passed, fn)
        for key, change in changes.items():
            list_trimming.refuse_outside(change, given=key in written_back)
            clocks.changed(change.place.owner)
        clocks.warn_of_draws(known.drawn)
        refusals.left_in_libraries(changes)
        with entered(program=known):
            lent_arrays = [each.handle for each in numpy_arguments.written(known)]
            checked = failures.new.values() if failures is not None else ()
            gives = map(storages.latest_version, [*results.arrays, *lent_arrays, *checked])
            executed = [code for code, _ in written.codes.values()]
            self.state.count_while_tracing(
                changes, values, flat, gives, executed if self.owned else None, getattr(fn, "__self__", None)
            )
        kept = () if self.owned else self.state.only_read(changes, before)
        refusals.refuse_foreign_tracers(changes, kept, owned=self.owned)
        if self.owned:
            refusals.refuse_return_of_ended(results.arrays, fn)
        if written_back:
            roots = [fn, args, kwargs, *self.state.owners()]
            self.writes = WrittenBack(
                [*written_back.values()],
                given,
                lambda values: result_objects.split_result(values, given, written, roots, values=False),
                source_places.line_of_function(fn) if hasattr(fn, "__code__") else (),
            )
            tracer_leaks.refuse_hidden(
                self.writes.split.objects(), "An object that was passed as an argument", returned=True
            )
            changes = {key: change for key, change in changes.items() if key not in written_back}
        self.reads = functools.partial(
            reachability.reached_from_outside, getattr(fn, "__func__", fn), [*written.codes.values()]
        )
        with entered(program=known):
            standing = [array for array, _ in stands.values()]
            self.seen.puts(changes.values(), standing)
            after = self.state.after(changes, standing, before, was_there)
        if written.claimed:
            raise written.claimed[0]
        afters = Split.of(after)
        tracer_leaks.refuse_hidden(results.objects(), "The result", returned=True)
        tracer_leaks.refuse_hidden(afters.literals.values(), "An object from outside of the function")
        # What is written back has its items of before by now.
        self.cuts = list_trimming.to_cut([result, after]) or (self.writes is not None and self.writes.cuts)
        self.result, self.after = results.emptied(), afters.emptied()
        self.passes = self.writes is not None or any(made.passes for made in results.made())
        if self.passes:  # the caller's objects live on, with what they still hold
            self.given = [number for number in self.given if id(arrays[number]) not in still_held]
        contents = failures.new if failures is not None else {}
        if _all_pass(contents):
            frame.sites, contents = {}, {}
        writes = [] if self.writes is None else self.writes.taken()
        lent = numpy_arguments.left(known, owned=self.owned)
        self.lends = [*lent]
        asked = numpy_arguments.asks_for_kinds(known)
        one_of_two = any(kind is not None and kind[0] != n for n, kind in enumerate(kinds) if kind != "NumPy")
        self.tells_state_apart = one_of_two or numpy_arguments.tells_state_apart(known)
        self.passes = self.passes or bool(lent) or bool(self._unpassed) or asked
        outputs = [*results.arrays, *writes, *lent.values(), *afters.arrays]
        with entered(program=known):
            frame.contents = {key: storages.latest_version(value) for key, value in contents.items()}
            # what is lent is put into arrays of NumPy's, which are there
            lefts = [*writes, *(None for _ in lent), *afters.arrays]
            handles = [*arrays, *seen]
            had = {
                *range(count),
                *(count + number for number in self._numpys),
                *_kept(before, after, handles),
            }
            was_given = (
                left_arrays.Given(handles, count - len(unpassed), count, had, was_there)
                if self.owned
                else None
            )
            taken = _of_variables(self.state, values, after)
            taken |= {id(arrays[number]) for number in self.given}
            self._left = left_arrays.Outputs(lefts, len(results.arrays), was_given, taken)
            return [*map(storages.latest_version, outputs)]

    def _note_written(self, known: References) -> None:
        """Notes which arrays of the call the function may write to.

        Raises:
          Restart: one is there twice.
          Reborn: it writes to an array of NumPy's that an object held, and others may hold.
        """
        if outside := numpy_arguments.written_of_state(known):
            raise retracing.Reborn([], outside)
        written = {each.position for each in numpy_arguments.written(known)} - self._written_arrays
        self._written_arrays |= written
        if any(numpy_arguments.is_there_twice(self._lent, number) for number in written):
            raise Restart

    @staticmethod
    def _of_arguments(changes: dict[Any, journal.Change], given: Sequence[Any]) -> dict[Any, journal.Change]:
        """The changes to objects of the call, as the function sees them."""
        ids = numbers_of(given)
        return {key: change for key, change in changes.items() if id(change.place.owner) in ids}


def _kept(before: Sequence[Any], after: Sequence[Any], handles: Sequence[Any]) -> list[int]:
    """The numbers of the arrays that are in places of the state that stay as they are."""
    places = zip(before, after, strict=True)
    kept = {id(leaf) for (leaves, _), value in places if value is KEPT for leaf in leaves}
    return [number for number, handle in enumerate(handles) if id(handle) in kept]


def _of_variables(state: State, *held: Sequence[Any]) -> set[int]:
    """The ids of the arrays that Variables had, or get, whose memory a program may take; `held` is what all places hold."""
    ours = [number for number, (place, _) in enumerate(state.slots.values()) if place.ours]
    return {id(values[number]) for values in held for number in ours}


def _all_pass(contents: dict[Any, Any]) -> bool:
    """Whether no check can fail, as in a rolled loop whose indices are known: no callback is needed to look at them."""
    code = tracing_state.lowered(contents.get(raising.CODE))
    return code is not None and not isinstance(code, Tracer) and int(code) == 0
