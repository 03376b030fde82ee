"""Does a function that was imported run as it was imported, when its file is edited while the process lives?

A converted function gives what the function gives, or the error that says that its source has changed. Random files are
edited at random; an edit that leaves a function as it was, or comes after its text was read, is no reason to refuse it.
"""

from __future__ import annotations

import dataclasses
import importlib
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax.numpy as jnp
import pytest

from autograph_lite import ConversionError, convert, to_graph

Write = Callable[[str], Path]
FUNCTION = """\
def {name}(x):
    y = x {op} {a}
    for k in range({b}):
        if k == {c}:
            break
        y = y + k * {a}
    return y
"""
LAMBDA = "{name} = lambda x: x {op} {a} if x > {b} else x - {c}\n"
METHOD = """\
class {name}_class(Base):
    __step = {a}
    def go(self, x):
        kept = [x {op} self.__step for _ in range({b})]
        class Inner:
            step = {c}
        return super().go(kept[-1]) + Inner.step
{name} = {name}_class().go
"""
NESTED = """\
def make_{name}(rate):
    def {name}(x):
        return math.floor(x {op} rate) + {b} if x > {c} else {name}(x + 1000)
    return {name}
{name} = make_{name}({a})
"""
FORMS = (FUNCTION, LAMBDA, METHOD, NESTED)
HEAD = "import math\nclass Base:\n    def go(self, x): return x\n"


@dataclasses.dataclass(frozen=True)
class Part:
    """One function of a file, as text that is chosen anew by an edit."""

    form: str
    name: str
    op: str
    a: int
    b: int
    c: int

    def __str__(self) -> str:
        return self.form.format(**vars(self))

    def edited(self, chosen: random.Random) -> Part:
        """The function with another operator or number."""
        what = chosen.choice(["op", "a", "b", "c"])
        if what == "op":
            return dataclasses.replace(self, op=chosen.choice([op for op in "+-*" if op != self.op]))
        return dataclasses.replace(self, **{what: vars(self)[what] + chosen.randint(1, 3)})


def _parts(chosen: random.Random) -> list[Part]:
    numbers = (chosen.randint(1, 5) for _ in iter(int, 1))
    return [
        Part(chosen.choice(FORMS), f"f{i}", chosen.choice("+-*"), next(numbers), next(numbers), next(numbers))
        for i in range(4)
    ]


def _edited(parts: list[Part], chosen: random.Random) -> list[Part | str]:
    """A file after an edit: functions changed, moved, swapped, left out, and lines put between them."""
    new: list[Part | str] = [part.edited(chosen) if chosen.random() < 0.4 else part for part in parts]
    match chosen.randint(0, 4):
        case 0:
            new.insert(chosen.randint(0, 4), chosen.choice(["\n", "# a note\n", "a, b = 1, 2\n\n"]))
        case 1:
            chosen.shuffle(new)
        case 2:
            new.pop(chosen.randint(0, 3))
    return new


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes the file of the module `edited_file`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "edited_file.py"

    def written(text: str) -> Path:
        path.write_text(text)
        return path

    yield written
    sys.modules.pop("edited_file", None)


def imported() -> ModuleType:
    sys.modules.pop("edited_file", None)
    importlib.invalidate_caches()
    return importlib.import_module("edited_file")


@pytest.mark.parametrize("seed", range(40))
def test_a_converted_function_is_the_one_that_was_imported(write: Write, seed: int) -> None:
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode  # files of one second and one size
    try:
        chosen = random.Random(seed)
        parts = _parts(chosen)
        write(HEAD + "".join(map(str, parts)))
        module = imported()
        read = chosen.random() < 0.3
        if read:
            to_graph(getattr(module, parts[0].name))
        new = _edited(parts, chosen)
        write(HEAD + "".join(map(str, new)))
        for part in parts:
            function = getattr(module, part.name)
            try:
                converted = to_graph(function)
            except ConversionError as error:
                assert "has changed since it was defined" in str(error)
                assert not read and part not in new
                continue
            assert [converted(x) for x in range(-9, 9)] == [function(x) for x in range(-9, 9)], part
    finally:
        sys.dont_write_bytecode = before


STEPS = """\
def helper(x):
    return x + 1 if x > 0 else x

def run(x):
    return 2 * helper(x)
"""


def test_an_edited_helper_is_refused_where_its_text_is_gone(write: Write) -> None:
    path = write(STEPS)
    module = imported()
    write(STEPS.replace("+ 1", "+ 7"))
    for make in (convert, to_graph):
        with pytest.raises(ConversionError) as caught:
            make(module.run)(jnp.float32(1))
        assert str(caught.value).splitlines()[:5] == [
            "The source of 'helper' has changed since it was defined.",
            f"  {path}:1 in helper",
            "      def helper(x):",
            "  what stands at line 1 now is not what Python has imported.",
            "  Fix: import the module again, or restart Python.",
        ]


def test_a_helper_that_is_called_first_after_an_edit_is_the_one_that_was_imported(write: Write) -> None:
    write(STEPS)
    run = convert(imported().run)
    write("# Two steps.\n\n" + STEPS.replace("+ 1", "+ 7").replace("2 *", "3 *"))
    assert float(run(jnp.float32(1))) == 4


def test_the_file_of_a_helper_is_read_with_its_caller(write: Write, tmp_path: Path) -> None:
    write("import edited_library as library\ndef run(x):\n    return 2 * library.helper(x)\n")
    library = tmp_path / "edited_library.py"
    library.write_text(STEPS)
    try:
        run = convert(imported().run)
        library.write_text(STEPS.replace("+ 1", "+ 7"))
        assert float(run(jnp.float32(1))) == 4
    finally:
        sys.modules.pop("edited_library", None)


def test_a_module_that_is_loaded_anew_is_converted_anew(write: Write) -> None:
    write(STEPS)
    module = imported()
    assert float(convert(module.run)(jnp.float32(1))) == 4
    write(STEPS.replace("+ 1", "+ 70"))
    importlib.reload(module)
    assert float(convert(module.run)(jnp.float32(1))) == 142


LOOP = """\
def total(xs):
    s = 0.0
    for i, x in enumerate(xs):
        s = s + i * x
    return s
"""


def test_what_is_asked_of_the_text_while_a_function_is_traced_is_asked_of_what_was_imported(
    write: Write,
) -> None:
    write(LOOP)
    total: Any = convert(imported().total, static_loops="auto")
    write("\n" + LOOP.replace("enumerate(xs)", "it"))
    xs = [jnp.float32(i) for i in range(6)]
    assert float(total(xs)) == sum(i * i for i in range(6))
