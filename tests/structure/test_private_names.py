"""Are the names that JAX does not promise there, and used where they are meant to be?

The file that knows is run alone: where a name has moved, importing the package may fail, and this test still lists all of them.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

PACKAGE = Path(__file__).parents[2] / "autograph_lite"
KNOWS = PACKAGE / "jax_internals/unpromised_names.py"
NAMES: dict[str, Any] = runpy.run_path(str(KNOWS))
USED = NAMES["used"]()


def lacking(text: str, folder: Path) -> list[str]:
    """What is said of a package with one file."""
    (folder / "avals.py").write_text(text)
    found: list[str] = NAMES["lacking"](NAMES["used"](folder))
    return found


def test_the_installed_jax_has_every_name() -> None:
    gone = NAMES["lacking"](USED)
    assert gone == [], f"jax {jax.__version__} lacks names that it never promised:\n" + "\n".join(gone)


def test_private_names_are_used_by_the_files_for_them_only() -> None:
    private = [each for each in USED if "._" in each.name]
    assert len(private) > 50
    assert [
        f"{each.name} {each.place}" for each in private if not each.place.startswith("jax_internals/")
    ] == []


def test_a_name_is_found_with_its_first_place() -> None:
    places = {each.name: each.place for each in USED}
    assert "jax._src.core.Tracer" in places
    name, line = places["jax._src.core"].split(":")
    assert "from jax._src import" in (PACKAGE / name).read_text().splitlines()[int(line) - 1]


def test_an_import_of_a_name_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = lacking("import os\nfrom jax._src.core import Tracer, nothing_like_it as it\nit.part\n", tmp_path)
    assert found == ["jax._src.core.nothing_like_it (avals.py:2) is not there"]


def test_an_attribute_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    text = "from jax._src import core as c\n\ndef f(x):\n    c.gone.value(x)\n    c.gone\n    x.gone\n    c.Tracer\n"
    assert lacking(text, tmp_path) == ["jax._src.core.gone (avals.py:4) is not there"]


def test_a_module_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    text = "from jax._src.gone import a, b\nimport jax._src.gone.inner\n"
    assert lacking(text, tmp_path) == ["jax._src.gone (avals.py:1) is not there"]


def test_a_name_that_has_moved_is_named_with_its_new_place(tmp_path: Path) -> None:
    (found,) = lacking("from jax._src.lax import TracebackScope\n", tmp_path)
    assert found.startswith("jax._src.lax.TracebackScope (avals.py:1) is not there; see ")
    assert "jax._src.interpreters.partial_eval.TracebackScope" in found


def test_what_jax_promises_is_not_listed(tmp_path: Path) -> None:
    text = "import jax\nfrom jax import lax\nprint(jax.__version__, jax.gone, lax.gone, jax.jit)\n"
    assert lacking(text, tmp_path) == []


def test_it_needs_nothing_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "jax_internals").mkdir()
    (tmp_path / "jax_internals/unpromised_names.py").write_text(KNOWS.read_text())
    (tmp_path / "avals.py").write_text("from jax._src.core import gone\n")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "jax_internals/unpromised_names.py")], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (
        1,
        "jax._src.core.gone (avals.py:1) is not there\n1 names that JAX does not promise, 1 of them not there\n",
    ), done.stderr


@pytest.mark.parametrize("module", ["jax.extend.core", "jax.interpreters.ad"])
def test_modules_without_a_promise_count(module: str, tmp_path: Path) -> None:
    assert lacking(f"from {module} import gone\n", tmp_path) == [f"{module}.gone (avals.py:1) is not there"]
