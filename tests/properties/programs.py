"""What is a random program, and on which inputs does it run?

program = generate(from_seed(7), MIXES["loops"])
program.source    # the text of `main`, after the helpers and classes that it uses
program.inputs    # a few tuples of Python numbers and NumPy arrays
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import (
    classes as classes,  # registers classes among the compound statements
    loops as loops,  # and the loops
)
from .blocks import statement
from .choices import Choices
from .helpers import (
    GATE,
    LENGTHEN,
    write_classes,
    write_filler,
    write_helper,
    write_mutator,
    write_producer,
    write_recursive,
)
from .jumps import read_written, return_, unread
from .states import write_objects
from .writer import Shape, Shared, Writer

BASE = {
    "assign": 20,
    "augment": 12,
    "unpack": 3,
    "pack": 2,
    "chain": 1,
    "array": 4,
    "scratch": 1,
    "if": 12,
    "return": 3,
    "del": 1,
}
HABITS = {
    "truthiness": 10,
    "walrus": 6,
    "promotion": 4,
    "unassigned": 4,
    "nonlocal": 30,
    "closure writes": 5,
    "global": 3,
    "views": 4,
    "fills": 8,
}
HABITS |= {"calls": 3, "reductions": 2}
ORDINARY = BASE | HABITS
LOOPS = {
    "while": 9,
    "while True": 4,
    "for range": 9,
    "for array": 9,
    "for python": 4,
    "accumulate": 4,
    "leave": 5,
}
SOME_LOOPS = {"while": 4, "for range": 4, "for array": 5, "for python": 3, "leave": 3}
EXITS = {"with": 3, "try/finally": 3, "try/except": 2}
OBJECTS = {"mutate": 20, "call": 12, "with": 3, "objects": 100, "helpers": 60, "append": 15}

# How often each kind of statement stands there, relative to the others. Habits, "objects", "helpers" and
# "append", "parts read", "views" and "fills" are in per cent; "calls" and "reductions" are relative to other expressions.
MIXES: dict[str, dict[str, int]] = {
    "branches": ORDINARY | {"chain on one value": 8, "match": 8, "if": 20, "del": 4},
    "loops": ORDINARY | LOOPS,
    "jumps": ORDINARY
    | LOOPS
    | EXITS
    | {"for python": 0, "accumulate": 0, "with": 5, "leave": 12, "return": 8},
    "objects": ORDINARY | SOME_LOOPS | OBJECTS | {"calls": 8},
    "lists": ORDINARY
    | SOME_LOOPS
    | {"while": 1, "for range": 1, "for array": 12, "grow": 40, "queue": 4, "mutate": 8, "leave": 6},
    "functions": ORDINARY
    | SOME_LOOPS
    | {"def": 14, "class": 5, "call": 6, "helpers": 90, "recursion": 30, "calls": 25},
    "arrays": ORDINARY
    | SOME_LOOPS
    | {
        "array": 20,
        "for array": 12,
        "reductions": 15,
        "accumulate": 4,
        "unpack": 5,
        "views": 10,
        "fills": 40,
    },
    "slices": ORDINARY
    | SOME_LOOPS
    | {"part": 25, "parts read": 80, "reductions": 30, "array": 8, "for range": 8, "accumulate": 2},
    "checks": ORDINARY
    | SOME_LOOPS
    | EXITS
    | {"raise": 6, "assert": 8, "try/except": 8, "helpers": 40, "calls": 8},
    "states": ORDINARY
    | SOME_LOOPS
    | EXITS
    | {"state": 20, "try/except": 4, "raise": 2, "helpers": 40, "calls": 5, "return": 4}
    | {"rebind": 8, "mutate": 10, "objects": 40, "two classes": 60},
    "producers": ORDINARY
    | SOME_LOOPS
    | {"producers": 100, "for produced": 50, "helpers": 40, "calls": 14, "return": 5},
    "recursion": ORDINARY
    | {"for range": 3, "helpers": 100, "recursion": 100, "frames": 80, "recur": 25, "calls": 25, "if": 16},
    "everything": ORDINARY
    | SOME_LOOPS
    | EXITS
    | {
        "chain on one value": 3,
        "match": 3,
        "while True": 2,
        "accumulate": 2,
        "def": 3,
        "class": 2,
        "mutate": 6,
        "rebind": 2,
        "call": 4,
        "queue": 1,
    }
    | {"objects": 50, "helpers": 40, "raise": 1, "assert": 1, "append": 10, "no value": 2}
    | {"producers": 10, "for produced": 2, "recursion": 10, "frames": 50, "recur": 1},
}

PARAMETERS = (
    ("a", "int"),
    ("x", "float"),
    ("b", "int"),
    ("xs", "ints"),
    ("p", "bool"),
    ("ys", "floats"),
    ("m", "matrix"),
)


@dataclasses.dataclass(frozen=True)
class Program:
    """A program with its inputs.

    Attributes:
      source: the text of a module that defines `main`.
      inputs: argument tuples for `main`.
      features: what the program contains.
    """

    source: str
    inputs: tuple[tuple[Any, ...], ...]
    features: frozenset[str]


def generate(choices: Choices, mix: Mapping[str, int], runs: int = 3) -> Program:
    """A program of about five to twenty-five lines, with `runs` inputs."""
    shared = Shared()
    shape = Shape(
        choices.pick(["tuple", "value", "dict", "nested"]),
        tuple(
            choices.pick(["int", "int", "float", "int", "bool", "ints"]) for _ in range(2 + choices.below(3))
        ),
    )
    w = Writer(choices, mix, shared, shape, room=4 + choices.below(10))
    if w.likes("helpers"):
        write_helper(w)
        if w.likes("recursion"):
            write_recursive(w)
    if w.likes("producers"):
        write_producer(w)
        if choices.chance(30):
            write_producer(w)
    if w.likes("objects"):
        write_classes(w)
        write_mutator(w)
    if w.likes("fills"):
        write_filler(w)
    parameters = {name: kind for name, kind in PARAMETERS if choices.chance(60) or name in "axs"}
    if "ints" not in parameters.values():
        shape = w.shape = Shape(shape.form, tuple("int" if kind == "ints" else kind for kind in shape.kinds))
    for name, kind in parameters.items():
        w.taken.add(name)
        w.scope.define(name, kind)
    if w.likes("global"):
        w.taken.add("hits")
        w.emit("global hits", "global")
        w.emit("hits = 0")
        w.scope.define("hits", "int")
    if w.likes("two classes"):
        write_objects(w)
    jumped = False
    while w.room > 0 and not jumped:
        jumped = statement(w)
    if not jumped and choices.chance(50) and w.likes("no value"):
        read_written(w)
        shared.features.add("return without a value")  # it falls off its end
    elif not jumped:
        return_(w)
    else:
        unread(w)
    main = "\n".join([f"def main({', '.join(parameters)}):", *w.lines, ""])
    module = _used([GATE, LENGTHEN, *shared.module], main)
    text = "".join([*module, main])
    source = "\n\n".join([*(line for word, line in IMPORTS.items() if word in text), *module, main])
    size = choices.pick([3, 2, 4])
    inputs = tuple(tuple(_value(choices, kind, size) for kind in parameters.values()) for _ in range(runs))
    return Program(source, inputs, frozenset(shared.features))


IMPORTS = {
    "collections.": "import collections\n",
    "copy.copy(": "import copy\n",
    "enum.": "import enum\n",
    "functools.": "import functools\n",
    "np.": "import numpy as np\n",
    "@contextmanager": "from contextlib import contextmanager\n",
}


def _used(module: list[str], main: str) -> list[str]:
    """The parts of the module that `main` reaches."""
    kept: list[str] = []
    text = main
    for part in reversed(module):
        names = re.findall(r"^(?:def|class) (\w+)", part, flags=re.MULTILINE)
        if any(re.search(rf"\b{name}\b", text) for name in names):
            kept.insert(0, part)
            text += part
    return kept


def _value(choices: Choices, kind: str, size: int) -> Any:
    """An input of this kind: a small Python number or a NumPy array of 32-bit numbers."""
    if kind == "int":
        return choices.below(14) - 4
    if kind == "float":
        return (choices.below(18) - 8) / 2
    if kind == "bool":
        return bool(choices.below(2))
    shape = (2, 3) if kind == "matrix" else (size,)
    dtype = np.int32 if kind == "ints" else np.float32
    numbers = [choices.below(14) - 5 for _ in range(int(np.prod(shape)))]
    return (np.array(numbers, dtype) / (1 if kind == "ints" else 2)).astype(dtype).reshape(shape)
