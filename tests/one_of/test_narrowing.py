"""Narrowing: what a test tells of a value that is one of several, whatever it holds and however the tests are put together.

The programs are random: a traced number chooses the value, and tests of all kinds stand in `if`, `while`, `match`, expressions
and variables, with what only some of the values can do after them. Each gives what plain Python gives, for each choice.
"""

from __future__ import annotations

import enum
import itertools
import linecache
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, strategies as st

import autograph_lite
from tests.examples import examples
from tests.one_of.agreement import outcome, same


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Box:
    def __init__(self, n: float) -> None:
        self.n = n

    def step(self, x: Any) -> Any:
        return x + self.n


class Pile:
    """False where it is empty."""

    def __init__(self, n: float) -> None:
        self.n = n

    def __len__(self) -> int:
        return int(self.n)

    def step(self, x: Any) -> Any:
        return x * 2 + self.n


def double(x: Any) -> Any:
    return x * 2


def negative(x: Any) -> Any:
    return -x


NAMES = {
    "Color": Color, "Level": Level, "Box": Box, "Pile": Pile, "double": double, "negative": negative,
    "enum": enum,
}  # fmt: skip
VALUES = (
    "None", "x", "x * 2", "'a'", "'bb'", "''", "Color.RED", "Color.BLUE", "Level.LOW", "Level.HIGH",
    "box", "other", "empty", "full", "double", "negative", "('t', x)", "(1, 'a')",
)  # fmt: skip
TESTS = (
    "v is None", "v is not None", "v == 'a'", "v != 'bb'", "v == ''", "v is Color.RED", "v == Color.BLUE",
    "v != Color.RED", "v == Level.LOW", "v is Level.HIGH", "v == 2", "v in ('a', None)", "v not in ('bb', Color.RED)",
    "v in [Color.RED, Level.HIGH, 'a']", "v in {'a': 1, 'bb': 2}", "isinstance(v, Box)", "isinstance(v, (Box, Pile))",
    "isinstance(v, str)", "isinstance(v, Color)", "isinstance(v, Level)", "isinstance(v, enum.Enum)",
    "isinstance(v, tuple)", "isinstance(v, type(None))", "callable(v)", "v", "v is box", "v is not empty",
    "v is double", "v == negative", "hasattr(v, 'step')", "type(v) is Pile", "type(v) is str",
    "isinstance(v, str) and len(v) > 1", "isinstance(v, (Box, Pile)) and v.n > 2", "v is not None and callable(v)", "i > 1", "x > 0", "seen", "not seen", "out > 4",
)  # fmt: skip
USES = (
    "out += 1", "out += 2", "v = None", "v = 'a'", "v = box", "out += 3 if v is None else 4",
    "seen = v is None", "seen = isinstance(v, Box)", "seen = v == 'a' or seen",
)  # fmt: skip
# What only some values can do, and the tests that tell them.
GUARDED = (
    ("out += v.n", ("isinstance(v, (Box, Pile))", "hasattr(v, 'n')", "type(v) in (Box, Pile)", "v is box or v is full")),
    ("out += v.step(x)", ("isinstance(v, Box) or isinstance(v, Pile)", "hasattr(v, 'step')", "type(v) is Pile")),
    ("v.n = v.n + x", ("isinstance(v, Box)", "v is empty", "v in (box, other)")),
    ("out += v(x)", ("callable(v)", "v is double or v == negative", "v in (double, negative)")),
    ("out += len(v)", ("isinstance(v, (str, tuple))", "v == 'bb' or v == 'a'", "hasattr(v, '__len__') and isinstance(v, str)")),
    ("out += v[1]", ("isinstance(v, tuple) and v[0] == 't'",)),
    ("out += v.value", ("isinstance(v, (Color, Level))", "isinstance(v, enum.Enum)", "v is Color.RED or v is Color.BLUE")),
    ("out += v + 1", ("isinstance(v, Level)",)),
    ("out += {'a': 5, 'bb': 7}[v]", ("v == 'a' or v == 'bb'", "isinstance(v, str) and v != ''", "v in ('a', 'bb')")),
    ("out += {'a': 5, None: 7}.get(v, 1)", ("v is None or isinstance(v, str)",)),
)  # fmt: skip
PATTERNS = (
    "None", "'a'", "'bb' | ''", "Color.RED", "Color.BLUE | None", "Level.LOW", "str()", "Box()", "Pile(n=n)",
    "('t', y)", "(1, y)",
)  # fmt: skip

# What is refused, as the pages say: never a result that is another one.
REFUSED = (
    "asks for the identity of",
    "indexes a dict with a traced value",
    "asks whether a traced number is a member of an enum of ints",
    "A traced value, .* is a key of a dict or an item of a set",
)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> str:
    kind = draw(st.sampled_from(["one", "one", "not", "and", "or", "if"])) if depth else "one"
    if kind == "one":
        return draw(st.sampled_from(TESTS))
    inner = conditions(depth - 1)
    if kind == "not":
        return f"not ({draw(inner)})"
    if kind == "if":
        return f"(({draw(inner)}) if {draw(inner)} else ({draw(inner)}))"
    return f"({draw(inner)}) {kind} ({draw(inner)})"


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> list[str]:
    found: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        found += draw(statements(depth))
    return found


@st.composite
def guarded(draw: st.DrawFn) -> list[str]:
    """What only some values can do, after a test that tells them, in one of the ways in which Python's users write that."""
    use, guards = draw(st.sampled_from(GUARDED))
    guard, other = draw(st.sampled_from(guards)), draw(conditions(1))
    forms = (
        [f"if {guard}:", f"    {use}"],
        [f"if ({guard}) and ({other}):", f"    {use}", "else:", "    out += 8"],
        [f"if not ({guard}) or ({other}):", "    out += 8", "else:", f"    {use}"],
        [f"if {other}:", f"    if {guard}:", f"        {use}", "    else:", "        out += 8"],
        [f"known = {guard}", f"if known and ({other}):", f"    {use}"],
        [f"known = not ({guard})", f"if ({other}) or known:", "    out += 8", "else:", f"    {use}"],
        [f"if not ({guard}):", "    return out + 8", use],
        [
            f"out += ({use.removeprefix('out += ')}) if {guard} else 8"
            if use.startswith("out")
            else "out += 8"
        ],
        ["for _ in range(2):", f"    if not ({guard}):", "        break", f"    {use}"],
        ["match v:", f"    case _ if {guard}:", f"        {use}", "    case _:", "        out += 8"],
    )
    return draw(st.sampled_from(forms))


@st.composite
def statements(draw: st.DrawFn, depth: int) -> list[str]:
    kinds = ["if", "if", "else", "match", "return", "while"] if depth else []
    kind = draw(st.sampled_from(["use", "guarded", "guarded", "save", *kinds]))
    if kind == "guarded":
        return draw(guarded())
    if kind == "use":
        return [draw(st.sampled_from(USES))]
    if kind == "save":
        return [f"seen = bool({draw(conditions(1))})"]
    if kind == "return":
        return [f"if {draw(conditions())}:", f"    return out + {draw(st.integers(10, 90))}"]
    if kind == "match":
        lines = ["match v:"]
        for pattern in draw(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3, unique=True)):
            lines += [f"    case {pattern}:", *_inside(draw(blocks(0)), 2)]
        return [*lines, "    case _:", *_inside(draw(blocks(0)), 2)]
    body = _inside(draw(blocks(depth - 1)))
    if kind == "while":
        n = f"n{depth}"
        return [f"{n} = 0", f"while {n} < 3 and ({draw(conditions(1))}):", *body, f"    {n} += 1"]
    rest = ["else:", *_inside(draw(blocks(depth - 1)))] if kind == "else" else []
    return [f"if {draw(conditions())}:", *body, *rest]


def _inside(lines: list[str], levels: int = 1) -> list[str]:
    return ["    " * levels + line for line in lines]


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, int]:
    values = draw(st.lists(st.sampled_from(VALUES), min_size=2, max_size=4, unique=True))
    lines = [
        "box, other, empty, full = Box(3.0), Box(5.0), Pile(0.0), Pile(2.0)",
        "seen = False",
        "out = 0.0",
    ]
    for number, value in enumerate(values[:-1]):
        lines += [f"{'el' if number else ''}if i == {number}:", f"    v = {value}"]
    lines += ["else:", f"    v = {values[-1]}", *draw(blocks()), "return out + box.n * 100 + other.n * 1000"]
    return "\n".join(["def f(i, x):", *_inside(lines)]) + "\n", len(values)


_numbers = itertools.count()


def defined(text: str) -> Callable[..., Any]:
    path = f"narrowing_{next(_numbers)}.py"
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    namespace: dict[str, Any] = {**NAMES}
    exec(compile(text, path, "exec"), namespace)
    return namespace["f"]  # type: ignore[no-any-return]


def compared(text: str, count: int) -> str:
    """How a program came out: "same", or what was refused."""
    f = defined(text)
    converted, graph = autograph_lite.convert(f), jax.jit(autograph_lite.to_graph(f))
    for number, x in itertools.product(range(count), (2.0, -1.0)):
        expected = outcome(f, np.int32(number), np.float32(x))
        given = jnp.int32(number), jnp.float32(x)
        raises = isinstance(expected, type) or (type(expected) is tuple and isinstance(expected[0], type))
        for run in (converted,) if raises else (converted, graph):
            try:
                found = outcome(run, *given)
            except autograph_lite.AutographError as error:
                return str(error)
            assert same(found, expected), f"{run}({number}, {x}) = {found}, and not {expected}\n{text}"
    return "same"


@given(programs())
@examples(80)
def test_narrowing_gives_what_plain_python_gives(program) -> None:
    text, count = program
    found = compared(text, count)
    assert found == "same" or any(re.search(refused, found) for refused in REFUSED), f"{found}\n{text}"


def test_a_loop_that_may_not_run_asks_nothing_of_what_is_one_of_several_before_it() -> None:
    text = (
        "def f(i, x):\n    if i == 0:\n        v = None\n    else:\n        v = x\n    n = 0\n"
        "    while n < 3 and (v is None):\n        v = 'a'\n        n += 1\n    return n\n"
    )
    assert compared(text, 2) == "same"
