"""What does a staged loop carry, and in which types?

The types start from the variables' values before the loop and grow until an iteration leaves them as they are. Places in
the user's objects that the body writes to are carried like variables. While the types settle the user's body may be
traced again, but what it did to Python objects is undone each time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite import _jax
from autograph_lite.converters.python_ops import Maybe
from autograph_lite.operators import checks, journal, mismatch
from autograph_lite.operators.places import MISSING, Contents, Place
from autograph_lite.operators.staging import enter
from autograph_lite.operators.templates import Mismatch, Template, fill, join, rebuild, template_of, widen
from autograph_lite.operators.values import traced

ATTEMPTS = 24


class Grow(Exception):
    """The types have to grow: traces the loop again with `carry`."""

    def __init__(self, carry: Carry) -> None:
        self.carry = carry


class Unjoinable(Exception):
    """A variable before the loop and after an iteration have no common type."""

    def __init__(self, name: str, found: Mismatch) -> None:
        self.name, self.found = name, found


@dataclasses.dataclass(frozen=True, eq=False)
class Slot:
    """A place that the loop carries.

    Attributes:
      place, key: where it is.
      before: its value before the loop.
      template: its type.
    """

    place: Place
    key: Hashable
    before: Any
    template: Template


@dataclasses.dataclass(frozen=True, eq=False)
class Carry:
    """The variables and places of a loop.

    Attributes:
      names: of the variables.
      values: before the loop.
      templates: their types.
      slots: places, by owner and key.
      outer: the trace around the loop.
    """

    names: tuple[str, ...]
    values: tuple[Any, ...]
    templates: tuple[Template, ...]
    slots: dict[tuple[Hashable, Hashable], Slot]
    outer: object

    @classmethod
    def of(cls, names: Sequence[str], values: Sequence[Any]) -> Carry:
        """The first guess: numbers that Python knows will be arrays, as a loop's variables change."""
        return cls(tuple(names), tuple(values), tuple(widen(template_of(v)) for v in values), {}, _jax.trace_state())

    def start(self) -> list[jax.Array]:
        """The arrays that enter the loop."""
        return self._arrays(self.values, {key: slot.before for key, slot in self.slots.items()})

    def _arrays(self, values: Iterable[Any], contents: dict[tuple[Hashable, Hashable], Any]) -> list[jax.Array]:
        arrays: list[jax.Array] = []
        for value, template in zip(values, self.templates, strict=True):
            arrays += fill(value, template)
        for key, slot in self.slots.items():
            arrays += fill(contents[key], slot.template)
        return arrays

    def read(self, arrays: Iterable[Any]) -> tuple[list[Any], dict[tuple[Hashable, Hashable], Any]]:
        """Variables and contents of places that `arrays` stand for."""
        arrays = iter(arrays)
        values = [rebuild(t, arrays, name) for t, name in zip(self.templates, self.names, strict=True)]
        contents = {key: rebuild(slot.template, arrays, slot.place.label(slot.key)) for key, slot in self.slots.items()}
        return values, contents

    def enter(self, contents: dict[tuple[Hashable, Hashable], Any]) -> None:
        """Puts the carried contents into the user's objects, for the time that a body is traced."""
        for place, new in self._merged(contents):
            journal.commit(place, new)

    def _merged(self, contents: dict[tuple[Hashable, Hashable], Any]) -> list[tuple[Place, Contents]]:
        merged: dict[Hashable, tuple[Place, Contents]] = {}
        for key, slot in self.slots.items():
            place, now = merged.setdefault(journal.key_of(slot.place), (slot.place, slot.place.read()))
            now[slot.key] = contents[key]
        return list(merged.values())

    def leave(self, values: Sequence[Any], written: journal.Journal, roots: Sequence[Any]) -> list[jax.Array]:
        """The arrays after an iteration.

        Raises:
          Grow: they do not fit the types.
          Unjoinable: no types hold both.
        """
        contents = {key: slot.before for key, slot in self.slots.items()}
        grown = dict(self.slots)
        for place, old, new in written.changes([*roots, checks.frame(), *(s.place.owner for s in self.slots.values())]).values():
            self._changed(place, old, new, contents, grown)
        for key, slot in self.slots.items():
            joined = _join(slot.place.label(slot.key), slot.template, contents[key])
            grown[key] = dataclasses.replace(slot, template=joined)
        templates = tuple(map(_join, self.names, self.templates, values))
        if templates != self.templates or _types(grown) != _types(self.slots):
            raise Grow(dataclasses.replace(self, templates=templates, slots=grown))
        return self._arrays(values, contents)

    def _changed(
        self, place: Place, old: Contents, new: Contents,
        contents: dict[tuple[Hashable, Hashable], Any], grown: dict[tuple[Hashable, Hashable], Slot],
    ) -> None:  # fmt: skip
        is_checks = isinstance(place.owner, checks.Frame)
        for k in dict.fromkeys([*old, *new]):
            key = journal.key_of(place), k
            before, after = old.get(k, MISSING), new.get(k, MISSING)
            if key in self.slots:
                contents[key] = after
            elif before is not after:
                if is_checks and before is MISSING:
                    before = 0 if k == checks.CODE else Maybe(False, None, "")
                    template = template_of(after)
                    if k != checks.CODE:
                        before = jnp.zeros(jnp.shape(after), jnp.result_type(after))
                elif MISSING in (before, after):
                    raise mismatch.place(place.label(k))
                else:
                    template = template_of(before)
                grown[key] = Slot(place, k, before, _join(place.label(k), widen(template), after))

    def finish(self, arrays: Iterable[Any]) -> tuple[Any, ...]:
        """The variables after the loop; writes the places."""
        values, contents = self.read(arrays)
        for place, new in self._merged(contents):
            journal.commit(place, new)
        checks.flush()
        return tuple(values)


def _types(slots: dict[tuple[Hashable, Hashable], Slot]) -> dict[tuple[Hashable, Hashable], Template]:
    return {key: slot.template for key, slot in slots.items()}


def _join(name: str, template: Template, value: Any) -> Template:
    try:
        return join(template, template_of(value))
    except Mismatch as found:
        raise Unjoinable(name, found) from None


def settle(carry: Carry, body_fun: Callable[..., Any], stage: Callable[[Carry], Any]) -> tuple[Carry, Any]:
    """The result of `stage`, called with growing types until they hold."""
    for _ in range(ATTEMPTS):
        try:
            return carry, stage(carry)
        except Grow as grow:
            carry = grow.carry
        except Unjoinable as error:
            raise mismatch.carry(error.name, error.found, body_fun) from None
    raise mismatch.unsettled(carry.names, body_fun)


def run_body(
    carry: Carry, body_fun: Callable[..., Any], arrays: Iterable[Any], item: Sequence[Any],
    after: Callable[[list[Any]], Any] | None = None,
) -> list[jax.Array]:  # fmt: skip
    """One iteration, while it is traced: the arrays after it.

    Args:
      carry: what the loop carries.
      body_fun: item, variables -> variables.
      arrays: before the iteration.
      item: the arguments of `body_fun` before the variables.
      after: called with the variables after the body, in the same trace; its result, an array, comes first.
    """
    values, contents = carry.read(arrays)
    with journal.journal(outer=carry.outer) as written:
        carry.enter(contents)
        enter(body_fun, values)
        extra: list[Any] = []
        try:
            new = list(body_fun(*item, *values))
            extra = [after(new)] if after is not None else []
        except BaseException as error:
            if not checks.is_explicit(error):
                raise
            checks.fail_if(True, error)
            new = values
            extra = [jnp.asarray(False)] if after is not None else []
        return [*extra, *carry.leave(new, written, [body_fun, *carry.values, *item])]


def failed() -> Any:
    """Whether a check has failed: a loop stops then, as the exception would have stopped it."""
    return checks.frame().failed


def unless_failed(test: Any) -> Any:
    """`test`, and no check has failed."""
    stop = failed()
    return jnp.logical_and(test, jnp.logical_not(stop)) if traced(stop) or stop else test
