"""Is what we ship one package, complete, typed, and layered as its architecture says?"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "autograph_lite"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
COMES_WITH = {"numpy": "jax", "jaxlib": "jax"}


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(target: str, folder: Path) -> Path:
    run("-m", "hatchling", "build", "--target", target, "--directory", str(folder))
    (archive,) = folder.iterdir()
    return archive


def test_nothing_lies_at_the_top_level_that_has_not_earned_its_place() -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this copy is no repository")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip(f"git does not list the files: {listed.stderr.strip()}")
    assert {path.partition("/")[0] for path in listed.stdout.splitlines()} == {
        ".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "autograph_lite", "benchmarks",
        "converters", "docs", "examples", "noxfile.py", "pyproject.toml", "pytest_autograph_lite.py", "tests",
        "typings",
    }  # fmt: skip


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    with zipfile.ZipFile(build("wheel", tmp_path_factory.mktemp("wheel"))) as wheel:
        return set(wheel.namelist())


def test_the_wheel_has_one_top_level_package_and_the_plugin_of_pytest(wheel_names: set[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}
    assert tops == {
        "autograph_lite",
        "pytest_autograph_lite.py",
        f"autograph_lite-{PROJECT['version']}.dist-info",
    }


def test_the_wheel_has_every_module_the_page_s_style_and_script_and_the_typed_marker(
    wheel_names: set[str],
) -> None:
    shipped = [path for kind in ("py", "css", "js") for path in PACKAGE.rglob(f"*.{kind}")]
    ours = {str(path.relative_to(ROOT)) for path in shipped} | {"autograph_lite/py.typed"}
    assert {path.suffix for path in shipped} == {".py", ".css", ".js"}
    assert {name for name in wheel_names if name.startswith("autograph_lite/")} == ours
    assert any(name.startswith("autograph_lite/converters/") for name in ours)


def test_the_wheel_has_the_licence_and_the_command(wheel_names: set[str]) -> None:
    information = f"autograph_lite-{PROJECT['version']}.dist-info"
    assert {f"{information}/licenses/LICENSE", f"{information}/entry_points.txt"} <= wheel_names


def test_the_source_archive_has_no_link_and_each_converter_once(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        members = archive.getmembers()
    inside = {member.name.split("/", 1)[1] for member in members}
    assert not [member.name for member in members if member.issym() or member.islnk()]
    assert not [name for name in inside if name.startswith("converters")]
    assert {"autograph_lite/converters/__init__.py", "LICENSE", "README.md", "tests/conftest.py"} <= inside


def test_the_root_link_leads_to_the_converters() -> None:
    link = ROOT / "converters"
    if not link.exists() or link.is_file():
        pytest.skip("this copy of the tree was made without links")
    assert link.resolve() == (PACKAGE / "converters").resolve()


def test_no_module_is_imported_through_the_root_link() -> None:
    # Two copies of the converters in one process would be two PASSES tables.
    imported = run(
        "-c", "import sys, autograph_lite.api, autograph_lite.cli.example_traces; print(*sys.modules)"
    )
    assert "autograph_lite.converters" in imported.split()
    assert "converters" not in imported.split()


def test_everything_that_is_imported_is_a_declared_dependency() -> None:
    declared = _names(PROJECT["dependencies"])
    imported = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                imported.add(node.module.split(".")[0])
    foreign = (
        imported - set(sys.stdlib_module_names) - {"autograph_lite", "annotationlib"}
    )  # Python 3.14's own
    optional = _names(PROJECT["optional-dependencies"]["testing"])
    assert {COMES_WITH.get(name, name) for name in foreign} - optional == declared


def _names(requirements: list[str]) -> set[str]:
    return {requirement.split(">")[0].split("<")[0].strip() for requirement in requirements}


def test_each_layer_imports_only_those_below_it_and_the_converters_never_jax() -> None:
    out = run("-c", "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])")
    assert re.search(r"Contracts: \d+ kept, 0 broken", out)
