"""How is a compiled program checked against the user's Python? Both are called, the program last, whose effects stay.

Python runs on the values that the program gets: arrays of JAX's in place of NumPy's, everything else as it was passed.
What it changes is put back before the program runs. Where a result differs, both run once more, to find the statement.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite.errors import AutographError
from autograph_lite.operators.calls import callables
from autograph_lite.operators.effects import clocks, journal
from autograph_lite.operators.object_graph.places import object_places
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.functions import eager
from autograph_lite.runtime.functions.function_protocol import Converted
from autograph_lite.runtime.results.argument_mutations import mutables_in
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.verifying import outcomes
from autograph_lite.runtime.verifying.first_difference import Untold, first_difference
from autograph_lite.runtime.verifying.observations import Seen, differing
from autograph_lite.runtime.verifying.outcomes import Outcome
from autograph_lite.runtime.verifying.report import Difference, Verification, line_of
from autograph_lite.runtime.verifying.snapshots import Kept, Part
from autograph_lite.runtime.verifying.tolerance import Tolerance

_IMMUTABLE = "JAX arrays are immutable"
_ITEMS = "Python ran with `x[i] = v` meaning `x = x.at[i].set(v)`: arrays of JAX's don't change."


class Comparison:
    """One call, in Python and compiled.

    Raises:
      TypeError: the arguments do not fit, or hold what only one of the two could use.
    """

    def __init__(
        self, function: Converted, args: tuple[Any, ...], kwargs: dict[str, Any], tolerance: Tolerance
    ) -> None:
        self.function, self.args, self.kwargs, self.tolerance = function, args, kwargs, tolerance
        self.type, self.known = function.traces.known_values(args, kwargs)
        _refuse(self.type, (args, kwargs))
        self.fn = function.python_function
        self.notes: list[str] = []
        self._adds = False  # whether Python runs with what the conversion adds to it
        self.kept = Kept(self.fn, self.known)
        self.python = self._in_python()

    def _in_python(self) -> Outcome:
        """What Python does; everything is as before afterwards."""
        found = self._tried(self.fn)
        if isinstance(found.error, TypeError) and _IMMUTABLE in str(found.error):
            self._adds = True
            self.notes.append(_ITEMS)
            found = self._tried(self.fn)
        return found

    def _tried(self, fn: Callable[..., Any]) -> Outcome:
        args, kwargs = self.known
        called = callables.convert_callable(fn, recursive="entered") if self._adds else fn
        self.kept.restore(self.kept.before)
        try:
            with _eagerly():
                return outcomes.outcome(lambda: called(*args, **kwargs), self.kept, shown=False)
        finally:
            self.kept.restore(self.kept.before)

    def run(self) -> Outcome:
        """What the compiled program does; its effects stay."""
        with clocks.collecting_clocks() as asked:
            ours = outcomes.outcome(self._called, self.kept, shown=True)
        if asked:
            self.notes.append(
                f"While it was traced, the function asked {', '.join(dict.fromkeys(asked))}: all calls of the program get "
                "the same answer, and each call of Python another."
            )
        return ours

    def _called(self) -> Any:
        """The call, whose changes of its arguments are made to the values that Python has run on, too."""
        owners = zip(mutables_in(self._values()), mutables_in(self._values(known=True)), strict=False)
        pairs = [pair for pair in owners if pair[0] is not pair[1]]
        before = [[place.read() for place in object_places(mine)] for mine, _ in pairs]
        try:
            return self.function.compiled(*self.args, **self.kwargs)
        finally:
            stands_for = {id(mine): known for mine, known in pairs}
            for (mine, known), olds in zip(pairs, before, strict=True):
                for place, its, old in zip(object_places(mine), object_places(known), olds, strict=True):
                    new = place.read()
                    if journal.differ(place, old, new):
                        its.write({key: stands_for.get(id(value), value) for key, value in new.items()})

    def _values(self, *, known: bool = False) -> list[Any]:
        args, kwargs = self.known if known else (self.args, self.kwargs)
        bound = self.function.traces.bind(tuple(args), kwargs)
        return self.type.values(bound)

    def compare(self, ours: Outcome) -> Verification:
        """What differs between Python and the compiled program, which has run."""
        found = tuple(self._differences(ours))
        refused = isinstance(ours.error, AutographError)  # which names its line itself
        first = self._first() if found and not refused else None
        self._note_prints(ours)
        call = f"{getattr(self.fn, '__name__', 'f')}{self.type}"
        return Verification(call, found, first, tuple(self.notes), _line(self.fn), ours.value, ours.error)

    def _differences(self, ours: Outcome) -> Iterator[Difference]:
        yield from _of_errors(self.python.error, ours.error)
        if isinstance(ours.error, AutographError):
            return
        if self.python.error is None and ours.error is None:
            yield from self._of_values("result", self.python.returned, ours.returned)
        if self.python.error is None or ours.error is None:  # a program that raises changes nothing
            for part in dict.fromkeys([*self.python.changed, *ours.changed]):
                yield from self._of_values(
                    self.kept.label(part), self._at(self.python, part), self._at(ours, part)
                )
        if self.python.printed != ours.printed:
            yield Difference("printed text", repr(self.python.printed), repr(ours.printed))

    def _at(self, outcome: Outcome, part: Part) -> Seen:
        return outcome.changed.get(part) or self.kept.first(part)

    def _of_values(self, name: str, python: Seen, ours: Seen) -> Iterator[Difference]:
        for path, wanted, found in differing(python, ours, self.tolerance):
            yield Difference(name + path, str(wanted), str(found))

    def _first(self) -> Any:
        after = self.kept.now()
        try:
            found = first_difference(self.fn, self._tried, self._compiled, self.tolerance)
            if found is None:
                self._note_stale()
            return found
        except Untold as reason:
            self.notes.append(f"The first statement that differs can't be told: {reason}.")
        except AutographError as error:
            self.notes.append(f"The first statement that differs can't be told: {error.what}")
        finally:
            self.kept.restore(after)
        return None

    def _note_stale(self) -> None:
        self.notes.append(
            "Traced again, each statement does what it does in Python. The program that was there does not repeat "
            "what Python has done while it was traced."
        )

    def _compiled(self, fn: Callable[..., Any]) -> None:
        """Compiles a function that takes the place of the user's, and runs it."""
        self.kept.restore(self.kept.before)
        ours = outcomes.outcome(
            lambda: self.function.of(fn, verify=None).compiled(*self.known[0], **self.known[1]),
            self.kept,
            shown=False,
        )
        if isinstance(ours.error, AutographError):
            raise ours.error

    def _note_prints(self, ours: Outcome) -> None:
        for place, text in self.python.prints.items():
            if ours.prints.get(place) != text:
                self.notes.append(f"{line_of(place)}: `print` shows its text at each call in Python, and only while "
                                  "the program is traced; autograph_lite.print does at each call.")  # fmt: skip


def verify(
    function: Converted, args: tuple[Any, ...], kwargs: dict[str, Any], tolerance: Tolerance
) -> Verification:
    """Compares one call in Python with the same call of the compiled program, which is the one that counts."""
    comparison = Comparison(function, args, kwargs, tolerance)
    return comparison.compare(comparison.run())


@contextlib.contextmanager
def _eagerly() -> Iterator[None]:
    """Inside, converted functions run as the user's Python."""
    before = eager.functions_run_eagerly()
    eager.run_functions_eagerly(True)
    try:
        yield
    finally:
        eager.run_functions_eagerly(before)


def _of_errors(python: Exception | None, ours: Exception | None) -> Iterator[Difference]:
    if python is None and ours is None:
        return
    if not _is_one_error(python, ours):
        yield Difference("exception", _told(python), _told(ours))


def _is_one_error(python: Exception | None, ours: Exception | None) -> bool:
    if python is None or not isinstance(ours, type(python)):
        return False
    own = outcomes.is_raised_by_user(python) and not isinstance(ours, AutographError)
    return not own or str(python) == str(ours)


def _told(error: Exception | None) -> str:
    return "none" if error is None else f"{type(error).__name__}: {error}"


def _refuse(found: FunctionType, arguments: Any) -> None:
    leaves = pytrees.leaves(arguments)
    if any(isinstance(leaf, Tracer) for leaf in leaves):
        raise TypeError("verify: an argument is traced; verify compares calls with known values.")
    if any(map(pytrees.is_iterator, leaves)):
        raise TypeError(
            "verify: an argument is an iterator, whose items only one call can take; pass a list."
        )


def _line(fn: Any) -> Any:
    function = getattr(fn, "__func__", fn)
    return source_places.line_of_function(function) if hasattr(function, "__code__") else ()
