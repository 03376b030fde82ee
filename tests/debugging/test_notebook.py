"""Do IPython, the REPL, doctests and `exec` with registered text give converted functions their source?"""

from __future__ import annotations

import doctest
import linecache
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import autograph_lite

ROOT = pathlib.Path(__file__).parents[2]


class Notebook:
    """A shell of IPython's."""

    def __init__(self) -> None:
        InteractiveShell.clear_instance()
        self.shell = InteractiveShell.instance(display_pub_class=CapturingDisplayPublisher)
        self.shell.history_manager.enabled = False
        self("import jax.numpy as jnp\nimport autograph_lite\nfrom autograph_lite import convert")

    def __call__(self, cell: str) -> Any:
        """Runs a cell; gives its last value."""
        done = self.shell.run_cell(cell, silent=False)
        done.raise_error()
        return done.result

    def shown(self) -> list[str]:
        """What was displayed since, as text."""
        found = [output["data"]["text/plain"] for output in self.shell.display_pub.outputs]
        self.shell.display_pub.outputs.clear()
        return found


@pytest.fixture
def notebook(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    hook = sys.displayhook
    yield Notebook()
    InteractiveShell.clear_instance()
    sys.displayhook = hook


STEP = "def step(x):\n    if x > 0:\n        x = x + {}\n    return x\n"


def test_a_cell_that_is_run_again_converts_the_new_code(notebook: Notebook) -> None:
    for number in (1, 2, 3):
        notebook(STEP.format(number))
        assert notebook("float(convert(step)(jnp.float32(1)))") == 1 + number


def test_methods_and_lambdas_of_cells_are_converted(notebook: Notebook) -> None:
    notebook(
        "class Model:\n    k = 2\n    @convert\n    def add(self, x):\n        return x + self.k if x > 0 else x"
    )
    assert notebook("float(Model().add(jnp.float32(1)))") == 3
    assert notebook("float(convert(lambda x: -x if x < 0 else x)(jnp.float32(-1)))") == 1


def test_an_error_names_the_line_of_the_cell(notebook: Notebook) -> None:
    notebook("def bad(x):\n    if x > 0:\n        y = x\n    return y")
    with pytest.raises(autograph_lite.UndefinedVariableError) as caught:
        notebook("convert(bad)(jnp.float32(1))")
    assert [(place.line, place.text) for place in caught.value.where] == [(4, "return y"), (2, "if x > 0:")]


def test_the_magic_runs_the_cell_and_shows_the_generated_code(notebook: Notebook) -> None:
    notebook("%load_ext autograph_lite")
    notebook("%%autograph\n" + STEP.format(1) + "n = 3")
    assert notebook("n") == 3
    assert notebook.shown() == [autograph_lite.to_code(notebook("step")).strip("\n")]
    assert "ag.if_stmt" in autograph_lite.to_code(notebook("step"))
    notebook("%autograph step")
    assert notebook.shown() == [autograph_lite.to_code(notebook("step")).strip("\n")]


def test_the_magic_shows_methods_and_those_that_are_named(notebook: Notebook) -> None:
    notebook("%load_ext autograph_lite")
    notebook(
        "%%autograph Model\ndef f(x):\n    return x\nclass Model:\n    k = 1\n    def get(self, x):\n        return x"
    )
    assert notebook.shown() == ["# Model.get\ndef get(self, x):\n    return x"]


def test_the_magic_shows_nothing_of_a_cell_that_fails(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook("%load_ext autograph_lite")
    notebook("%%autograph\ndef f(x):\n    return x\n1 / 0")
    assert notebook.shown() == []
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_the_magic_names_what_is_not_there_without_a_traceback(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook("%load_ext autograph_lite")
    for cell in ("%autograph missing", "%%autograph missing\ndef f(x):\n    return x"):
        with pytest.raises(UsageError):
            notebook(cell)
        assert capsys.readouterr().err == "UsageError: %autograph: name 'missing' is not defined\n"


def test_the_magic_shows_nothing_of_a_cell_without_functions(notebook: Notebook) -> None:
    notebook("%load_ext autograph_lite")
    notebook("%%autograph\nx = 1")
    assert notebook.shown() == []


@pytest.mark.parametrize("call", ["autograph_lite.explain(f)(x)", "f.verify(x)", "f.explain_retraces()"])
def test_a_table_as_the_value_of_a_cell_is_shown_as_print_shows_it(notebook: Notebook, call: str) -> None:
    notebook("f, x = convert(lambda x: x + 1 if x > 0 else x), jnp.float32(1)\nf(x)")
    shown = notebook.shell.display_formatter.format(notebook(call))[0]["text/plain"]
    assert shown == notebook(f"str({call})")


def test_what_calls_a_function_of_a_module_that_autoreload_loads_anew_is_traced_anew(
    notebook: Notebook, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "reloaded_steps.py"
    file.write_text(STEP.format(1))
    notebook("%load_ext autoreload\n%autoreload 2\n%load_ext autograph_lite\nimport reloaded_steps")
    notebook("@convert\ndef run(x):\n    return 2 * reloaded_steps.step(x)")
    assert notebook("float(run(jnp.float32(1)))") == 4
    file.write_text(STEP.format(20))
    assert notebook("float(run(jnp.float32(1)))") == 42


def test_a_function_that_has_got_other_code_is_converted_anew() -> None:
    def step(x):
        return x + 1 if x > 0 else x

    def other(x):
        return x + 20 if x > 0 else x

    assert float(autograph_lite.convert(step)(jnp.float32(1))) == 2
    step.__code__ = other.__code__
    assert float(autograph_lite.convert(step)(jnp.float32(1))) == 21


def test_what_calls_a_function_that_is_defined_anew_is_traced_anew(notebook: Notebook) -> None:
    notebook("%load_ext autograph_lite")
    notebook(STEP.format(1))
    notebook("rate = 2.0\n@convert\ndef run(x):\n    return rate * step(x)")
    assert notebook("float(run(jnp.float32(1)))") == 4
    notebook(STEP.format(2))
    assert notebook("float(run(jnp.float32(1)))") == 6
    assert notebook("run.trace_count") == 2
    notebook("rate = 3.0")
    assert notebook("float(run(jnp.float32(1)))") == 9
    assert notebook("run.trace_count") == 3


def test_a_function_and_what_it_imports_in_one_cell_are_converted(notebook: Notebook) -> None:
    notebook(
        "import jax.numpy as jnp, math\n"
        "def callee(x):\n    return x + math.floor(2.5) if jnp.sum(x) > 0 else x\n"
        "@convert\ndef f(x):\n    if jnp.sum(x) > 0:\n        x = -callee(x)\n    return callee(x)"
    )
    assert notebook("f(jnp.ones(2)).tolist(), f(-jnp.ones(2)).tolist()") == ([-3, -3], [-1, -1])
    assert "ag." in notebook("autograph_lite.to_code(callee)")


def test_a_function_below_a_magic_is_converted(notebook: Notebook) -> None:
    notebook("%%time\ndef step(x):\n    return x + 1 if x > 0 else x\nrun = convert(step)")
    assert notebook("float(run(jnp.float32(1))), run(jnp.float32(-1)).tolist()") == (2, -1)
    notebook("@convert\ndef twice(x):\n    return 2 * step(x)")
    assert notebook("float(twice(jnp.float32(1)))") == 4
    notebook("%time doubled = convert(lambda x: 2 * x if x > 0 else x)(jnp.float32(3))")
    assert notebook("float(doubled)") == 6


def test_what_is_defined_anew_in_a_cell_is_new_in_its_next_statement(notebook: Notebook) -> None:
    notebook("%load_ext autograph_lite")
    notebook(STEP.format(1) + "@convert\ndef run(x):\n    return 2 * step(x)")
    assert notebook("float(run(jnp.float32(1)))") == 4
    assert notebook(STEP.format(2) + "found = float(run(jnp.float32(1)))\nfound") == 6
    lines = "def make(n):\n    return lambda x: x + n if x > 0 else x\nstep = make(3)\n(float(run(jnp.float32(1))))"
    assert notebook(lines) == 8
    notebook("%unload_ext autograph_lite")
    assert notebook(STEP.format(4) + "float(run(jnp.float32(1)))") == 10  # each call looks


EDITED = """\
from autograph_lite import convert
def helper(x):
    return x + {0} if x > 0 else x
def plain(x{2}):
    return {1} * helper(x)
@convert
def run(x{2}):
    return {1} * helper(x)
class Model:
    @convert
    def run(self, x):
        return {1} * helper(x)
"""


def test_autoreload_gives_new_bodies_to_converted_functions_that_are_held(
    notebook: Notebook, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file, edits = (
        tmp_path / "edited_steps.py",
        [(1, 2, ""), (20, 3, ""), (30, 3, ""), (30, 4, ""), (40, 5, ", y=0")],
    )
    notebook("%load_ext autoreload\n%autoreload 2\n%load_ext autograph_lite")
    for number, (a, b, parameters) in enumerate(edits):
        file.write_text(EDITED.format(a, b, parameters))
        os.utime(file, (number + 1e9, number + 1e9))
        if number == 0:
            notebook(
                "import edited_steps as m\nfrom edited_steps import *\nheld, model = convert(plain), Model()"
            )
        calls = "plain", "held", "run", "m.run", "model.run", "m.Model().run"
        found = [notebook(f"float({call}(jnp.float32(1)))") for call in calls]
        assert found == [b * (a + 1)] * len(calls)
        if parameters:
            assert notebook("float(held(jnp.float32(1), y=1))") == b * (a + 1)


def test_the_extension_can_be_unloaded(notebook: Notebook) -> None:
    notebook("%load_ext autograph_lite")
    notebook("%unload_ext autograph_lite")
    assert notebook.shell.find_cell_magic("autograph") is None
    assert notebook.shell.find_line_magic("autograph") is None


PAGE = ROOT / "docs" / "notebooks.md"
CELL = re.compile(r"^```ipython\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


def test_the_cells_of_the_page_show_what_it_says(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    cells = CELL.findall(PAGE.read_text())
    for cell, said in cells:
        notebook(cell)
        shown = [f"{text}\n" for text in notebook.shown()]
        assert capsys.readouterr().out + "".join(shown) == said, cell
    assert len(cells) == 8


def test_importing_the_package_does_not_import_ipython() -> None:
    program = "import sys, autograph_lite; print('IPython' in sys.modules)"
    assert _python(["-c", program], "").stdout == "False\n"


TYPED = """\
import autograph_lite, jax.numpy as jnp
def f(x):
    return x + 1 if x > 0 else x

print(autograph_lite.convert(f)(jnp.float32(1)))
def f(x):
    return x + 2 if x > 0 else x

print(autograph_lite.convert(f)(jnp.float32(1)))
"""


def test_what_is_typed_into_python_is_converted_or_refused_with_a_remedy() -> None:
    done = _python(["-i", "-q"], TYPED)
    if sys.version_info >= (3, 13):
        assert done.stdout == "2.0\n3.0\n"
    else:
        assert done.stderr.count("SourceNotFoundError: No source for 'f'.") == 2
        assert (
            "  Fix: define it in a file or a notebook cell; Python 3.13 and IPython keep what is typed."
            in done.stderr
        )


def _python(options: list[str], typed: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *options]
    return subprocess.run(command, input=typed, env=environment, capture_output=True, text=True)


def test_functions_of_a_doctest_are_converted() -> None:
    text = """
    >>> @convert
    ... def f(x):
    ...     return x + 1 if x > 0 else x
    >>> float(f(jnp.float32(1)))
    2.0
    >>> @convert
    ... def f(x):
    ...     return x + 2 if x > 0 else x
    >>> float(f(jnp.float32(1)))
    3.0
    """
    names = {"convert": autograph_lite.convert, "jnp": jnp}
    test = doctest.DocTestParser().get_doctest(text, names, "typed", None, None)
    assert doctest.DocTestRunner().run(test) == doctest.TestResults(failed=0, attempted=4)


def test_functions_of_registered_text_are_converted() -> None:
    for number in (1, 2):
        text = STEP.format(number)
        linecache.cache["<typed>"] = len(text), None, text.splitlines(keepends=True), "<typed>"
        names: dict[str, Any] = {}
        exec(compile(text, "<typed>", "exec"), names)
        assert float(autograph_lite.convert(names["step"])(jnp.float32(1))) == 1 + number
