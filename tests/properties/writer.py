"""What is known at each point of a program that is being written: lines, names, kinds, room left?

Every name has one kind for its whole life, so that any expression is well typed wherever Python can reach
it. Values stay small and exact: integers below a hundred or so, floats multiples of one half, so that
Python's numbers, int32 and float32 agree to the last bit and no wrong answer can hide in a tolerance.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping

from .choices import Choices

NAMES = {
    "int": "abcegn",
    "float": "xyzuw",
    "bool": "pqr",
    "ints": ("xs", "ks", "js"),
    "floats": ("ys", "zs", "us"),
    "matrix": ("m",),
    "box": ("box", "bin"),
    "dict": ("d", "table"),
    "list": ("items", "queue"),
    "queue": ("todo", "waiting"),
    "pair": ("pair", "best"),
    "fun": ("f", "g"),
    "counter": "ijklt",
    "error": ("error",),
    "text": ("mode", "phase"),
    "state": ("state", "status"),
    "last": ("last", "least"),
    "level": ("level", "grade"),
    "step": ("step", "rule"),
    "shape": ("shape", "form"),
}


@dataclasses.dataclass
class Scope:
    """The names of a function at one point.

    Attributes:
      kinds: names that are assigned on every path that leads here, with their kinds.
      maybe: names that are assigned on some of the paths only.
      fixed: names that may be read here but not assigned: loop targets, and the enclosing function's.
      locked: arrays whose items may not be written: a loop walks over a part of them, or a view of them exists.
      walked: arrays that a loop walks over, which may be written to and not bound anew.
    """

    kinds: dict[str, str] = dataclasses.field(default_factory=dict)
    maybe: dict[str, str] = dataclasses.field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    locked: frozenset[str] = frozenset()
    walked: frozenset[str] = frozenset()

    def copy(self) -> Scope:
        """The same facts, free to change on one path."""
        return Scope(dict(self.kinds), dict(self.maybe), self.fixed, self.locked, self.walked)

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of these kinds that can be read here."""
        return [name for name, kind in self.kinds.items() if kind in kinds]

    def assignable(self, kind: str) -> list[str]:
        """The names of this kind that an assignment here may bind again."""
        return [name for name in self.of_kind(kind) if name not in self.fixed]

    def define(self, name: str, kind: str) -> None:
        """Records that `name` is assigned now."""
        self.kinds[name] = kind
        self.maybe.pop(name, None)

    def forget(self, name: str) -> None:
        """Records that `name` may be unassigned now."""
        self.maybe[name] = self.kinds.pop(name)


def join(before: Scope, paths: list[Scope]) -> Scope:
    """What is known where `paths` meet again."""
    seen = {name: kind for path in paths for name, kind in (path.maybe | path.kinds).items()}
    kinds = {name: kind for name, kind in seen.items() if all(name in path.kinds for path in paths)}
    maybe = {name: kind for name, kind in seen.items() if name not in kinds}
    return Scope(kinds, maybe, before.fixed, before.locked, before.walked)


@dataclasses.dataclass
class Shared:
    """What all functions of one program share.

    Attributes:
      module: the text of the helper functions and classes written so far.
      helpers: names of functions from two integers to one that may be called.
      mutators: names of functions from an object and an integer to nothing.
      fillers: names of functions that write to the array of integers that they are given, and give an integer.
      recursive: names of functions that call themselves, from a count and an integer to an integer.
      producers: names of generator functions, from a count and an integer to integers.
      nesting: how deep loops over these may nest; less where one goes through another.
      methods: methods of `Box` from one integer to one that may be called.
      features: what the program contains, for the statistics and for the tests of the generator.
      tags: how many `note` calls there are.
    """

    module: list[str] = dataclasses.field(default_factory=list)
    helpers: list[str] = dataclasses.field(default_factory=list)
    mutators: list[str] = dataclasses.field(default_factory=list)
    fillers: list[str] = dataclasses.field(default_factory=list)
    recursive: list[str] = dataclasses.field(default_factory=list)
    producers: list[str] = dataclasses.field(default_factory=list)
    nesting: int = 2
    methods: list[str] = dataclasses.field(default_factory=list)
    features: set[str] = dataclasses.field(default_factory=set)
    tags: int = 0


class Writer:
    """One function being written.

    Attributes:
      choices: where decisions come from.
      mix: how often each kind of statement and each habit is used.
      shared: what belongs to the whole program.
      shape: the kinds of the values that the function returns, the same at every `return`.
      room: how many statements may still be written.
      depth: how deep compound statements may still nest.
      written: arrays whose items are written.
      renewed: names of arrays that are bound anew, so that what is written to the old one may be lost.
      hidden: arrays that a nested function writes, which no loop may walk over.
      loops: for each loop around this point, the names assigned before it; empty outside of loops.
      generators: how many loops over generators are around this point.
    """

    def __init__(
        self,
        choices: Choices,
        mix: Mapping[str, int],
        shared: Shared,
        shape: Shape,
        room: int,
        depth: int = 3,
    ) -> None:
        self.choices, self.mix, self.shared, self.shape = choices, mix, shared, shape
        self.room, self.depth = room, depth
        self.scope = Scope()
        self.lines: list[str] = []
        self.level = 1
        self.loops: list[frozenset[str]] = []
        self.generators = 0
        self.taken: set[str] = set()
        self.hidden: set[str] = set()
        self.written: set[str] = set()
        self.renewed: set[str] = set()

    def emit(self, line: str, feature: str = "") -> None:
        """Writes one line."""
        self.lines.append("    " * self.level + line)
        if feature:
            self.shared.features.add(feature)

    def to_be_written(self, *kinds: str) -> str | None:
        """An array of these kinds whose items may be written."""
        names = [name for name in self.scope.of_kind(*kinds) if name not in self.scope.locked]
        name = self.choices.pick(names) if names else None
        self.written |= {name} if name else set()
        self.note_lost()
        if name in self.scope.walked:
            self.shared.features.add("walked array written")
        return name

    def renew(self, name: str) -> None:
        """Records that the name of an array is bound anew."""
        self.renewed.add(name)
        self.note_lost()

    def note_lost(self) -> None:
        """In a loop, the line that binds anew may stand before the one that writes, or after it."""
        if self.written & self.renewed:
            self.shared.features.add("written array not read")

    @contextlib.contextmanager
    def inside(self, header: str, feature: str = "") -> Iterator[None]:
        """Writes `header` and indents what follows."""
        self.emit(header, feature)
        self.level += 1
        self.depth -= 1
        yield
        self.level -= 1
        self.depth += 1

    def fresh(self, kind: str) -> str:
        """A name of this kind that the function does not use yet."""
        pool = NAMES[kind]
        name = next((name for name in pool if name not in self.taken), "")
        number = 2
        while not name or name in self.taken:
            name, number = f"{pool[0]}{number}", number + 1
        self.taken.add(name)
        return name

    def tag(self) -> int:
        """The number of the next `note` call."""
        self.shared.tags += 1
        return self.shared.tags

    def likes(self, habit: str) -> bool:
        """True as often, in per cent, as the mix says."""
        return self.choices.chance(self.mix.get(habit, 0))


@dataclasses.dataclass(frozen=True)
class Shape:
    """What a function returns: `form` is 'value', 'tuple', 'nested', 'dict' or 'nothing'; `kinds` has one entry per leaf."""

    form: str
    kinds: tuple[str, ...]

    def show(self, values: list[str]) -> str:
        """The text of the returned value."""
        if self.form == "value":
            return values[0]
        if self.form == "nothing":
            return ""
        if self.form == "tuple":
            return ", ".join(values) + ("," if len(values) == 1 else "")
        if self.form == "nested":
            return f"{values[0]}, ({', '.join(values[1:])},)"
        return "{" + ", ".join(f"'r{i}': {value}" for i, value in enumerate(values)) + "}"


INTEGER = Shape("value", ("int",))
