"""Rolling: is the body of a loop the same program for each item, and which loop is made of it?

The body was traced once, with arrays in place of the items. The loop is rolled where it then gives what Python's loop
gives: no number goes beyond what the arrays hold, none is divided by zero, and what Python's loop would leave as a number
is left as one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals, recorded_equations
from autograph_lite.jax_internals.dataflow.scan_ir import live
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.jax_internals.loops.loop_binding import How
from autograph_lite.jax_internals.references.storages import Storage
from autograph_lite.operators.aliasing import loop_rows
from autograph_lite.operators.branches.truth import truth
from autograph_lite.operators.effects import container_identity, journal
from autograph_lite.operators.iteration import python_carries, python_number_flow
from autograph_lite.operators.iteration.item_columns import Columns, position_of
from autograph_lite.operators.iteration.python_carries import Foretold
from autograph_lite.operators.lane_eval import exact_rows, number_functions, primitive_rules, rule_table
from autograph_lite.operators.lane_eval.exact_rows import ExactRows
from autograph_lite.operators.lane_eval.path_conditions import Foreseen, Split
from autograph_lite.operators.lane_eval.primitive_rules import Known
from autograph_lite.operators.loops import unrolled_size
from autograph_lite.operators.loops.carry import Carry
from autograph_lite.operators.loops.unrolled_size import Few
from autograph_lite.operators.purity import trial
from autograph_lite.operators.purity.trial import Refused
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import known_value
from autograph_lite.syntax import codes


class Trial:
    """A loop that is to be rolled.

    Args:
      source: its items.
      sources: the lists of Python's and the arrays that the items come from.
      body_fun: its body.
      few: how many equations Python may make of it.
    """

    def __init__(
        self, source: Columns, sources: Sequence[Any], body_fun: Callable[..., Any], few: Few
    ) -> None:
        self.source, self.sources, self.body_fun, self.few = source, sources, body_fun, few
        self.figures = ""  # by which it is rolled, if they were asked for
        self._flags: list[int] = []  # those that are taken to be False in all iterations
        self._loop: Foreseen | None = None
        self._leaves = False
        self._left: list[Any] = []
        self._arrays: Sequence[Any] = []  # that the body got
        # Variables whose arrays are to be weakly typed from the start.
        self._weak: frozenset[int] = frozenset()
        self._body: Any = None  # if they are not

    def start(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The variables before the loop, of the types that they are tried with."""
        pairs = enumerate(values)
        return tuple(avals.as_type(v, v.dtype, weak=True) if n in self._weak else v for n, v in pairs)

    def left(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The variables after the loop, with the last item itself where one is that."""
        pairs = zip(values, self._left, strict=True)
        return tuple(value if item is None else item for value, item in pairs)

    def run(self, loop: Foreseen, stage: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """What `stage` gives, which calls `tracing` and `scan`; it is called again where a flag is not what it was taken for."""
        self._loop = loop
        while True:
            try:
                return stage()
            except _WrongGuessError:
                decision_log.forget_inside()

    @contextlib.contextmanager
    def tracing(
        self, carry: Carry, until: Callable[..., Any] | None, arrays: Sequence[Any]
    ) -> Iterator[None]:
        """Around the trace of the body.

        Args:
          carry: of the loop.
          until: variables -> whether the loop is to be left before the next item.
          arrays: that the body gets: carried ones, and rows.
        """
        assert self._loop is not None
        count, numbers = self._loop.count, carry.numbers()[0]
        self._arrays, rows = arrays, arrays[len(numbers) :]
        self._leaves = until is not None
        self._flags = [] if until is None else self._leaving(carry, until, numbers)
        started = {
            k: python_carries.started(number, arrays[k].aval)
            for k, number in enumerate(numbers)
            if k not in self._flags
        }
        first = [(arrays[k], number) for k, number in started.items() if number is not None]
        known = self._rows(rows, 1 if count is None else count)
        given = [(array, row) for array, row in zip(rows, known, strict=True) if row is not None]
        if count is None:
            first, given = [*first, *given], []
        never = Known(*[np.zeros(count or 0, bool)] * 3)
        with (
            self._loop.tracing([*given, *((arrays[k], never) for k in self._flags)], first),
            trial.variables(arrays, carry.start()),
            loop_rows.taking(rows, self.source),
        ):
            yield

    def _rows(self, rows: Sequence[Any], count: int) -> list[Known | None]:
        """What the rows are in so many iterations."""
        known = [*self.source.known(), primitive_rules.same_in_all_lanes(np.arange(count))][: len(rows)]
        return [row and _flat(row) for row in known]

    def _leaving(self, carry: Carry, until: Callable[..., Any], numbers: Sequence[Any]) -> list[int]:
        """The variables, by their places in the carry, that are False before the loop, and that end it."""

        def stop(arrays: list[Any]) -> tuple[None, list[Any]]:
            with journal.journal(outer=carry.outer):
                return None, [jnp.asarray(truth(until(*carry.read(arrays)[0])))]

        told = decision_log.decision_count()
        _, test = loop_binding.trace(stop, list(map(jax.typeof, carry.start())), self.body_fun)
        decision_log.forget_since(told)
        read = {v for eqn in test.jaxpr.eqns for v in eqn.invars if not hasattr(v, "val")}
        read.update(v for v in test.jaxpr.outvars if not hasattr(v, "val"))
        data = _by_data.get(self.body_fun.__code__) or ()
        inputs = enumerate(test.jaxpr.invars)
        return [k for k, v in inputs if v in read and numbers[k] is False and k not in data]

    def _check_flags(self, stay: Mapping[int, Foretold]) -> None:
        """To be called when the body has been traced. Raises Split: the loop is left by what Python knows."""
        wrong = [k for k in self._flags if k not in stay]
        if wrong:
            self._forget_flags(wrong)
        turns = [int(np.argmax(stay[k].before.python)) for k in self._flags if stay[k].before.python.any()]
        if not turns:
            return
        assert self._loop is not None
        split = self._loop.split([min(turns)], needed=True)
        if split is None:
            self._forget_flags(self._flags)
        raise split

    def _forget_flags(self, flags: Sequence[int]) -> NoReturn:
        _by_data[self.body_fun.__code__] = {*(_by_data.get(self.body_fun.__code__) or ()), *flags}
        raise _WrongGuessError

    def scan(
        self, carry: Carry, body: Any, start: Sequence[Any], rows: Sequence[Any], count: int, how: How
    ) -> tuple[list[Any], list[Any]]:
        """What `loop_binding.scan` gives for these arguments; the variables that stay numbers of Python's as such.

        Raises:
          Refused: the loop has to be run as Python.
          Small: it is to be.
        """
        known = self._rows(rows, count)
        numbers, windows, of_checks = carry.numbers()
        if windows and _is_of_numbers(body, start, [*numbers, *known], windows):
            raise Refused(_NUMBERS_ONLY)
        self.figures = unrolled_size.judge(
            body, [one is not None for one in (*numbers, *known)], count, self.few
        )
        self._refuse_changing(carry)
        stay = self._foretold(body, numbers, known, count)
        self._check_flags(stay)
        assert self._loop is not None
        self._loop.count = count
        if at := self._loop.check(self.numbers(stay, known)):
            raise Split(self._loop, at)
        if any(stay[k].after or stay[k].before.python.any() for k in of_checks & set(stay)):
            raise Refused("a check fails for one of the items")
        if windows & set(stay):
            raise Refused(_NUMBERS_ONLY)
        given = [stay[k].before if k in stay else None for k in range(len(start))]
        results, exact = rule_table.exact_run(body, count, refused_equation, [*given, *known])
        self._refuse_python(body, stay, known, results, len(start))
        stay = _numbers_of_functions(body.jaxpr, stay, results[: len(start)])
        python = python_number_flow.python_only(body, [n is not None for n in numbers], known)
        if not set(python) <= set(stay):
            raise Refused("a number stays one of Python's that no array can stand for")
        changing = carry.changing()
        if changing and not self._weak and (weak := _only_weaker(carry, changing)):
            self._weak, self._body = weak, body
            raise _WrongGuessError
        if changing or not (self._body is None or _same_but_for_weak_types(self._body, body)):
            changing = changing or [carry.names[n] for n in self._weak]
            raise Refused(
                f"'{changing[0]}' is of another type after an iteration than before the loop", peels=1
            )
        self._left = [None] * len(carry.names)
        for number, (name, value) in enumerate(zip(carry.names, carry.after[0][0], strict=True)):
            if container_identity.is_chosen(value.value):
                self._left[number] = None if self._leaves else self.source.original(value.value)
                if self._left[number] is None:
                    raise Refused(f"'{name}' is one of several objects after the loop")
        self._refuse_copies(carry)
        if trial.has_changed(self.body_fun):
            raise Refused("a variable is of another type after an iteration than before it", peels=1)
        if python_number_flow.become_python(body, stay, known):
            raise Refused("an array becomes a number of Python's", peels=1)
        floats = {k: row.python for k, row in enumerate(known) if row and row.python.dtype.kind == "f"}
        how = dataclasses.replace(how, floats=floats)
        stay.update(_lengths(body, carry, numbers, known, count))
        body, rows = _with_exact_rows(body, rows, exact)
        arrays, outputs = _scan(body, start, rows, count, stay, how, self.body_fun)
        return [start[k] if k in of_checks & set(stay) else a for k, a in enumerate(arrays)], outputs

    def turns(self, carry: Carry, body: Any, rows: Sequence[Any], count: int) -> list[int]:
        """What `Foreseen.check` finds in so many iterations; the arguments are those of `scan`."""
        assert self._loop is not None
        if not self._loop.has_tests():
            return []
        self._loop.count, known = count, self._rows(rows, count)
        stay = self._foretold(body, carry.numbers()[0], known, count)
        return self._loop.check(self.numbers(stay, known))

    def _foretold(
        self, body: Any, numbers: Sequence[Any], rows: Sequence[Known | None], count: int
    ) -> dict[int, Foretold]:
        try:
            return python_carries.foretell(body, numbers, rows, count, refused_equation)
        except (primitive_rules.UnlikePythonError, Refused) as found:
            if self._flags:  # it may be in an iteration that Python does not come to
                self._forget_flags(self._flags)
            raise (
                Refused(*found.args) if isinstance(found, primitive_rules.UnlikePythonError) else found
            ) from None

    def numbers(self, stay: Mapping[int, Foretold], rows: Sequence[Known | None]) -> list[tuple[Any, Known]]:
        """The arrays that the body got for numbers, with what they are in the iterations."""
        carried = [(self._arrays[k], value.before) for k, value in stay.items()]
        last = self._arrays[len(self._arrays) - len(rows) :]
        return [*carried, *((array, row) for array, row in zip(last, rows, strict=True) if row is not None)]

    def _refuse_changing(self, carry: Carry) -> None:
        held: list[Any] = [*carry.slots.values(), *carry.growths.values(), *carry.bounds.values()]
        owners = [one.place.owner for one in held]
        owners = [one.handle if isinstance(one, Storage) else one for one in owners]
        if any(owner is one for owner in owners for one in self.sources):
            raise Refused("what it runs over changes")

    def _refuse_copies(self, carry: Carry) -> None:
        """Refuses what leaves an array of the items in a variable, a place or a list: the loop goes through copies of them."""
        values, contents = carry.after[0]
        left = [
            *((f"'{name}'", each.value) for name, each in zip(carry.names, values, strict=True)),
            *((carry.slots[key].place.label(key[1]), each.value) for key, each in contents.items()),
            *(("a list", leaf) for leaves in carry.kept.values() for leaf in leaves),
        ]
        for shown, value in left:
            if self.source.has_copy(value):
                raise Refused(f"{shown} has an array of the items after the loop, which goes through copies")

    def _refuse_python(
        self, body: Any, stay: dict[int, Foretold], known: Sequence[Known | None],
        results: Sequence[Known | None], carried: int,
    ) -> None:  # fmt: skip
        jaxpr = body.jaxpr
        put_out = jaxpr.outvars[carried:]
        # Ints of more than 32 bits have no lanes.
        follow = python_number_flow.follow_from_numbers(body, stay, known)[carried:] if put_out else []
        for value, follows, variable in zip(results[carried:], follow, put_out, strict=True):
            if (follows or value is not None) and (
                variable.aval.dtype == bool or avals.is_weak(variable.aval)
            ):
                raise Refused("a list that gets longer holds numbers of Python's only")
        same = [k in stay or jaxpr.outvars[k] is jaxpr.invars[k] for k in range(carried)]
        if all(same) and not put_out and not body.effects:
            raise Refused("nothing in it is traced")


def _lengths(
    body: Any, carry: Carry, numbers: Sequence[Any], rows: Sequence[Known | None], count: int
) -> dict[int, Foretold]:
    """The lengths of lists to which iterations append under conditions on Python's numbers alone."""
    if not (lengths := carry.lengths()):
        return {}
    start = [lengths.get(k, number) for k, number in enumerate(numbers)]
    try:
        found = python_carries.foretell(body, start, rows, count, refused_equation)
    except (primitive_rules.UnlikePythonError, Refused):  # a buffer will do
        return {}
    return {k: found[k] for k in lengths if k in found}


def scan_rows(
    body: Any, carry: Carry, start: Sequence[Any], rows: Sequence[Any], count: Any, how: How,
    user: Callable[..., Any],
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """`loop_binding.scan` over rows of arrays; lists that each iteration makes longer by as many items have known lengths."""
    few = type(count) is int and count <= _ITEMS
    stay = _lengths(body, carry, [None] * len(start), [None] * len(rows), count) if few else {}
    return _scan(body, start, rows, count, stay, how, user)


# Iterations from which on a list that has a buffer stays one: to take 10,000 items apart, and to put them together, takes 20 s.
_ITEMS = 256


class _WrongGuessError(Exception):
    """A flag that was taken to be False in all iterations is not; or a variable is of another type."""


_NUMBERS_ONLY = "a list that gets longer holds numbers of Python's only"


def _is_of_numbers(body: Any, start: Sequence[Any], numbers: Sequence[Any], windows: Collection[int]) -> bool:
    """Whether all that a loop computes follows from Python's values, where lists get longer in it: these hold such, too."""
    others = [k for k, number in enumerate(numbers) if number is None]
    in_lists = all(k in windows and known_value(start[k]) is not None for k in others)
    return in_lists and not any(isinstance(held, jax.Array) for held in body.consts)


def _only_weaker(carry: Carry, changing: Sequence[str]) -> frozenset[int]:
    """The variables that become weakly typed arrays, as `np.where(x, 1, 0)` is; none where an iteration changes others, too."""
    ends = zip(carry.start_values, carry.after[0][0], strict=True)
    pairs = [(start.value, end.value) for start, end in ends]
    found = frozenset(
        n
        for n, (start, end) in enumerate(pairs)
        if isinstance(start, jax.Array) and isinstance(end, jax.Array) and start.shape == end.shape != ()
        if start.dtype == end.dtype and avals.weak_type(end) and not avals.weak_type(start)
    )  # fmt: skip
    return found if {carry.names[n] for n in found} >= {*changing} else frozenset()


def _same_but_for_weak_types(one: Any, other: Any) -> bool:
    """Whether two closed jaxprs compute the same, to the dtypes of what they compute."""
    consts = zip(one.consts, other.consts, strict=False)
    return _equations(one.jaxpr) == _equations(other.jaxpr) and all(a is b for a, b in consts)


def _equations(jaxpr: Any) -> list[Any]:
    """What a jaxpr computes, with numbers in place of its variables."""
    numbers, names = itertools.count(), dict[Any, Any]()

    def name(atom: Any) -> Any:
        if hasattr(atom, "val"):
            return str(np.asarray(atom.val)), atom.aval.dtype
        return names[atom] if atom in names else names.setdefault(atom, next(numbers))

    found: list[Any] = [*map(name, [*jaxpr.constvars, *jaxpr.invars])]
    for eqn in jaxpr.eqns:
        given, types = [*map(name, eqn.invars)], [(v.aval.shape, v.aval.dtype) for v in eqn.outvars]
        if eqn.primitive.name == "convert_element_type" and eqn.invars[0].aval.dtype == types[0][1]:
            names[eqn.outvars[0]] = given[0]
            continue
        params = re.sub(r"weak_type=\w+", "", str(eqn.params))
        found.append((eqn.primitive.name, given, params, [*map(name, eqn.outvars)], types))
    return [*found, *map(name, jaxpr.outvars)]


# By the code of bodies, those flags that traced values decide.
_by_data = codes.ByCode[set[int]]()


def _flat(row: Known) -> Known:
    """The numbers of a row, a lane for each iteration."""
    if row.python.ndim == 1:
        return row
    return Known(row.python[0], row.program[0], np.zeros(row.python.shape[1], bool))


def refused_equation(eqn: Any, why: str) -> Refused:
    """What ends the trial where an equation does something else than Python."""
    place = recorded_equations.equation_place(eqn)
    return Refused(why, source_places.at(*place) if place else ())


def _numbers_of_functions(
    jaxpr: Any, stay: Mapping[int, Foretold], results: Sequence[Known | None]
) -> dict[int, Foretold]:
    """The variables that stay numbers, as NumPy's where they follow from `np.sin(i)`.

    Raises:
      Refused: a number of such a function is in a variable that was an array, or is NumPy's in some iterations only, or
        meets an array of a narrower type.
    """
    called = {*filter(None, map(number_functions.function_called, recorded_equations.equations(jaxpr)))}
    for k, value in enumerate(results if called else ()):
        equations, _ = live(jaxpr.eqns, [] if value is None else [jaxpr.outvars[k]])
        if k not in stay and any(map(number_functions.function_called, equations)):
            raise Refused("an array becomes a number of Python's", peels=1)
    if not any(map(number_functions.gives_numpys_number, called)):
        return dict(stay)
    if _has_narrow_floats(jaxpr):
        raise Refused("a number of NumPy's, of 64 bits, meets an array of narrower floats")
    found, kinds = dict(stay), python_number_flow.numpys_after(jaxpr, len(results))
    for k, number in stay.items():
        if isinstance(number.after, float) and True in kinds[k]:
            if False in kinds[k]:
                raise Refused("a number is NumPy's in some iterations, and Python's in others")
            found[k] = Foretold(number.before, np.float64(number.after))
    return found


def _has_narrow_floats(jaxpr: Any) -> bool:
    """Whether there are floats beside which a float of Python's is of their type, and `np.float64` is not."""
    widest = jnp.result_type(float)
    inner = [v.aval for eqn in recorded_equations.equations(jaxpr) for v in (*eqn.invars, *eqn.outvars)]
    types = {aval.dtype for aval in [*(v.aval for v in jaxpr.invars), *inner] if not avals.is_weak(aval)}
    return any(jnp.issubdtype(t, np.inexact) and jnp.promote_types(t, widest) != t for t in types)


def _with_exact_rows(body: Any, rows: Sequence[Any], exact: ExactRows) -> tuple[Any, Sequence[Any]]:
    """The closed jaxpr of an iteration, and its rows, with those of numbers that the program computes less exactly."""
    if not exact.wanted:
        return body, rows
    jaxpr, more = exact_rows.given(body.jaxpr, exact)
    return body.replace(jaxpr=jaxpr), [*rows, *more]


def _scan(
    body: Any,
    start: Sequence[Any],
    rows: Sequence[Any],
    count: int,
    stay: dict[int, Foretold],
    how: How,
    user: Callable[..., Any],
) -> tuple[list[Any], list[Any]]:
    """`loop_binding.scan`, where some of the variables are given to the iterations as rows."""
    if not stay:
        return loop_binding.scan(body, start, rows, count, how)
    jaxpr, carried = body.jaxpr, len(start)
    kept = [k for k in range(carried) if k not in stay]
    read = {v for eqn in jaxpr.eqns for v in eqn.invars if not hasattr(v, "val")} | {
        v for k, v in enumerate(jaxpr.outvars) if k not in stay and not hasattr(v, "val")
    }
    order = slice(None, None, -1) if how.reverse else slice(None)  # the first iteration has the last row
    tables = {k: _table(stay[k], jaxpr.invars[k].aval)[order] for k in stay if jaxpr.invars[k] in read}
    run = jaxpr_as_fun(body)

    def step(arrays: list[Any]) -> tuple[None, list[Any]]:
        inputs: list[Any] = [None] * carried
        for k, array in zip(
            [*kept, *tables], [*arrays[: len(kept)], *arrays[len(arrays) - len(tables) :]], strict=True
        ):
            inputs[k] = avals.as_type(array, array.dtype, avals.is_weak(jaxpr.invars[k].aval))
        for k in stay:
            if k not in tables:
                inputs[k] = start[k]
        results = run(*inputs, *arrays[len(kept) : len(arrays) - len(tables)])
        return None, [*(results[k] for k in kept), *results[carried:]]

    all_rows = [*rows, *tables.values()]
    init = [start[k] for k in kept]
    types = [*map(jax.typeof, init), *map(loop_binding.row_type, all_rows)]
    _, rolled = loop_binding.trace(step, types, user)
    found = {len(rows) + n: position_of(table) for n, table in enumerate(tables.values())}
    counted = {n: place for n, place in found.items() if place is not None}
    pythons = enumerate((stay[k].before.python[order] for k in tables), len(rows))
    floats = {n: python for n, python in pythons if python.dtype.kind == "f"}
    how = dataclasses.replace(how, positions={**how.positions, **counted}, floats={**how.floats, **floats})
    after, outputs = loop_binding.scan(rolled, init, all_rows, count, how)
    arrays = dict(zip(kept, after, strict=True))
    return [arrays[k] if k in arrays else stay[k].after for k in range(carried)], outputs


def _table(value: Foretold, aval: Any) -> Any:
    return np.asarray(value.before.program, aval.dtype)
