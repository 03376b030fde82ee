"""Is what users import complete, documented and cheap to import?"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import autograph_lite
from autograph_lite import errors

ROOT = Path(__file__).parents[1]
# Public, and in the module only: `from autograph_lite import *` leaves Python's own in place.
UNDER_NAMES_OF_PYTHONS = {"print", "range"}
NAMES = sorted({*autograph_lite.__all__, *UNDER_NAMES_OF_PYTHONS})
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(autograph_lite, name))]
# The public surface; a name is added or taken away here on purpose.
PUBLIC = {
    "ArraySpec", "ConcreteFunction", "Decision", "Decisions", "Function", "FunctionType", "LoadedFunction",
    "LoadedModule", "Module", "OneOf",
    "Report", "TensorArray", "TraceType", "Variable", "Verification", "convert", "disable_compilation_cache", "do_not_convert", "doctor",
    "enable_compilation_cache", "explain", "from_slices", "functions_run_eagerly", "grad", "init_scope",
    "inside_function", "load", "print", "py_function", "range", "report", "run_functions_eagerly", "save",
    "set_branch_options", "set_loop_options", "set_verbosity", "to_code", "to_graph", "value_and_grad", "verify",
}  # fmt: skip


def test_every_public_name_exists_and_is_listed_in_order() -> None:
    assert all(hasattr(autograph_lite, name) for name in autograph_lite.__all__)
    assert autograph_lite.__all__ == sorted(autograph_lite.__all__)


def test_a_star_import_replaces_nothing_of_pythons() -> None:
    import builtins

    assert not {*autograph_lite.__all__} & {*dir(builtins)}


def test_the_public_functions_are_those_that_are_promised() -> None:
    promised = {n for n in autograph_lite.__all__ if not _is_diagnostic(getattr(autograph_lite, n))}
    assert promised | UNDER_NAMES_OF_PYTHONS == PUBLIC


def test_every_error_and_warning_is_public() -> None:
    own = {k for k, v in vars(errors).items() if _is_diagnostic(v) and v.__module__ == errors.__name__}
    assert own <= set(autograph_lite.__all__)


def test_errors_are_caught_by_one_class_and_by_a_builtin() -> None:
    for name in autograph_lite.__all__:
        kind = getattr(autograph_lite, name)
        if _is_diagnostic(kind) and not issubclass(kind, Warning):
            assert issubclass(kind, autograph_lite.AutographError)


def _is_diagnostic(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, (BaseException, Warning))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_docstring_names_every_parameter_and_the_result(name: str) -> None:
    fn = getattr(autograph_lite, name)
    doc = inspect.getdoc(fn) or ""
    signature = inspect.signature(fn)
    missing = [p for p in signature.parameters if not re.search(rf"^  \*{{0,2}}{p}: ", doc, re.MULTILINE)]
    assert missing == []
    if signature.return_annotation not in (None, "None"):
        assert "Returns:" in doc


@pytest.mark.parametrize("name", [n for n in NAMES if n not in FUNCTIONS])
def test_every_public_class_has_a_docstring(name: str) -> None:
    assert (inspect.getdoc(getattr(autograph_lite, name)) or "").endswith((".", "```", ")")) or "\n" in (
        inspect.getdoc(getattr(autograph_lite, name)) or ""
    )


def test_names_in_the_readme_exist() -> None:
    used = set(re.findall(r"\bautograph_lite\.([A-Za-z_]+)", (ROOT / "README.md").read_text()))
    assert used
    for name in used:
        assert hasattr(autograph_lite, name) or importlib.import_module(f"autograph_lite.{name}")


def test_importing_loads_little_beside_jax() -> None:
    program = (
        "import sys, jax, jax.numpy, numpy; before = set(sys.modules); import autograph_lite; "
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = python(program).split()
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names <= {
        "astunparse", "autograph_lite", "gast", "jax", "jaxlib", "numpy", "six",
    }  # fmt: skip
    late = (
        "autograph_lite.cli",
        "autograph_lite.runtime.reporting.page",
        "jax.scipy.stats",
        "numpy.f2py",
        "numpy.testing",
    )
    assert not [name for name in loaded if name.startswith(late)]


def test_importing_does_not_start_a_device() -> None:
    program = (
        "import autograph_lite; from jax._src import xla_bridge; print(xla_bridge.backends_are_initialized())"
    )
    assert python(program).strip() == "False"


def test_importing_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            python("import autograph_lite; print('quiet')", "-W", "error::SyntaxWarning").strip() == "quiet"
        )


def test_the_conversion_itself_never_loads_jax() -> None:
    # The package's own __init__ offers functions that run programs; a stand-in takes its place here.
    program = (
        "import sys, types, fractions\n"
        "package = types.ModuleType('autograph_lite'); package.__path__ = ['autograph_lite']\n"
        "sys.modules['autograph_lite'] = package\n"
        "from autograph_lite import transpiler\n"
        "assert 'ag.if_stmt' in transpiler.to_source(fractions.Fraction.limit_denominator, lambda *_: False)\n"
        "print('jax' in sys.modules)"
    )
    assert python(program).strip() == "False"


def python(program: str, *options: str) -> str:
    """What a fresh interpreter prints for a program."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, *options, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("arguments", [(), (1, 2, 3, 4), ("a",), (1.5,), (1, 2, 0)], ids=str)
def test_range_takes_what_the_builtin_takes(arguments: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError)) as builtin:
        range(*arguments)
    with pytest.raises(type(builtin.value), match=re.escape(str(builtin.value))):
        autograph_lite.range(*arguments)


def test_options_that_do_not_exist() -> None:
    for function in (autograph_lite.convert, autograph_lite.to_graph):
        with pytest.raises(ValueError, match="checks is 3"):
            function(lambda x: x, checks=3)
        with pytest.raises(ValueError, match="recursive is 'x'"):
            function(lambda x: x, recursive="x")
        with pytest.raises(ValueError, match="static_loops is 'roll'"):
            function(lambda x: x, static_loops="roll")
