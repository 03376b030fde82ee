"""Is each package a room of its own: few files, a facade, and no way around it? `lint-imports` holds their order."""

from __future__ import annotations

import ast

import pytest

from tests.house.imports import PACKAGE, ROOT, circles, imports, modules, package_of

FOLDERS = sorted({path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE})
FACADES = [
    folder
    for folder in FOLDERS
    if folder.relative_to(PACKAGE).parts[0] in ("operators", "runtime", "jax_internals", "syntax")
]


def name_of(folder) -> str:
    return folder.relative_to(ROOT).as_posix().replace("/", ".")


def offered(folder) -> list[str]:
    """What a facade names for other packages."""
    for node in ast.parse((folder / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return []


def test_no_modules_import_each_other() -> None:
    assert circles() == []


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_folder_has_few_files(folder) -> None:
    # The table of passes is the order of converters; a pass is a file.
    assert folder.name == "converters" or len(list(folder.glob("*.py"))) <= 18


@pytest.mark.parametrize("folder", FACADES, ids=name_of)
def test_a_facade_names_what_others_use(folder) -> None:
    package = name_of(folder)
    used = {
        module.rpartition(".")[2]
        for other, wanted in imports().items()
        for module in wanted
        if package_of(module) == package != package_of(other) and module != package
    }
    assert sorted(used) == [name for name in offered(folder) if f"{package}.{name}" in modules()]


def test_the_table_of_the_layout_is_the_folders() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `") and line.split("`")[1].endswith("/")]
    said = {row.split("`")[1].rstrip("/"): row.split("|")[2].strip() for row in rows}
    lines = {
        folder.relative_to(PACKAGE).as_posix(): ast.get_docstring(
            ast.parse((folder / "__init__.py").read_text())
        )
        for folder in FOLDERS
    }
    assert said == {folder: (line or "").partition("\n")[0] for folder, line in lines.items()}
