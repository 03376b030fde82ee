"""Is the generated code what a reader would want to see? Each function in `golden/` stands beside its `to_code`.

After a change of the generated code, `UPDATE_GOLDEN=1 pytest tests/test_golden.py` writes the new text; its diff is
reviewed with the change. Where a file has EXAMPLES, the function is run on them, as it is and compiled with every
argument traced.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import types
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import autograph_lite

GOLDEN = Path(__file__).with_name("golden")
FILES = sorted(path for path in GOLDEN.glob("*.py") if not path.name.endswith(".expected.py"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def source(request: pytest.FixtureRequest) -> Path:
    path = request.param
    assert isinstance(path, Path)
    return path


def loaded(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"golden_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(module: types.ModuleType) -> list[Any]:
    """The function of a file, or the methods of its class."""
    (defined,) = (v for v in vars(module).values() if getattr(v, "__module__", "") == module.__name__)
    return [m for m in vars(defined).values() if callable(m)] if isinstance(defined, type) else [defined]


def test_the_generated_code_is_the_golden_one(source: Path) -> None:
    expected = source.with_suffix(".expected.py")
    found = "\n\n".join(autograph_lite.to_code(fn) for fn in functions(loaded(source)))
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(found)
    before = expected.read_text() if expected.exists() else ""
    diff = difflib.unified_diff(
        before.splitlines(), found.splitlines(), expected.name, "to_code", lineterm=""
    )
    assert before == found, "the generated code has changed (UPDATE_GOLDEN=1 accepts it):\n" + "\n".join(diff)


def test_the_function_gives_what_python_gives(source: Path) -> None:
    module = loaded(source)
    for arguments in getattr(module, "EXAMPLES", []):
        (fn,) = functions(module)
        plain = fn(*map(np.array, arguments))
        np.testing.assert_allclose(autograph_lite.to_graph(fn)(*map(np.array, arguments)), plain, rtol=1e-6)
        np.testing.assert_allclose(
            jax.jit(autograph_lite.to_graph(fn))(*map(np.array, arguments)), plain, rtol=1e-6
        )


def test_no_expectation_is_left_over() -> None:
    expected = {path.name.removesuffix(".expected.py") for path in GOLDEN.glob("*.expected.py")}
    assert expected == {path.stem for path in FILES}
